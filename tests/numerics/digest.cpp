// Prints a digest of what the numerics compute. The same sources are built with several compiler
// flags; the digests must be equal (docs/numerics.md).
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "numerics/adder_tree.h"
#include "numerics/codebook_product.h"
#include "numerics/int8_product.h"

namespace {

using namespace eva;

class Digest {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < bytes; ++i)
      hash_ = (hash_ ^ byte[i]) * 0x100000001b3U;  // FNV-1a
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

std::uint32_t next(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  return state >> 8;
}

std::uint64_t digest(VectorPath path) {
  Digest all;
  std::uint32_t state = 1;
  std::vector<HalfBits> halves(32 * 256);
  for (HalfBits& h : halves)
    h = static_cast<HalfBits>(next(state));  // specials too

  const Codebook codebook(halves.data(), 250, 8);
  std::vector<HalfBits> products(250);
  for (std::size_t row = 0; row < 200; ++row) {
    for (const auto mode : {ProductAccumulation::int32_aligned, ProductAccumulation::fp32}) {
      codebook.multiply(halves.data() + 8 * row, mode, products.data(), path);
      all.add(products.data(), products.size() * 2);
    }
  }
  for (const auto tree : {SumPrecision::fp32, SumPrecision::fp16}) {
    for (const auto output : {SumPrecision::fp32, SumPrecision::fp16}) {
      std::vector<float> sums(256, 0.1F);
      accumulate_look_ups(halves.data(), 32, 256, tree, output, sums.data(), 1, path);
      // Scaled as the vector unit does: a product that contraction would fuse with the sum.
      std::vector<HalfBits> outputs(256);
      for (float& sum : sums)
        sum = sum * 1.000244140625F - 1.0F;
      round_to_halves(sums.data(), outputs.data(), outputs.size(), path);
      all.add(outputs.data(), outputs.size() * 2);
    }
  }
  std::vector<std::int8_t> bytes(64 * 32);
  for (std::int8_t& b : bytes)
    b = static_cast<std::int8_t>(next(state));
  std::vector<std::int32_t> sums(37 * 32, 5);
  accumulate_int8_block(bytes.data(), bytes.data() + 1024, 31, 29, sums.data(), path);
  all.add(sums.data(), sums.size() * 4);
  for (const std::int32_t sum : sums) {
    const HalfBits half = dequantize_to_half(sum, 0.0123F);
    const std::int8_t byte = requantize_to_int8(sum, 0.0123F);
    all.add(&half, 2);
    all.add(&byte, 1);
  }
  return all.value();
}

}  // namespace

int main() {
  std::printf("%016llx\n", static_cast<unsigned long long>(digest(VectorPath::portable)));
  std::printf("%016llx\n", static_cast<unsigned long long>(digest(best_vector_path())));
  return 0;
}
