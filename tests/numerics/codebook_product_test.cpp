#include "numerics/codebook_product.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "golden/golden.h"

using namespace eva;
using Halves = std::vector<HalfBits>;

namespace {

constexpr HalfBits one = 0x3C00;
constexpr HalfBits minus_one = 0xBC00;
constexpr HalfBits infinity = 0x7C00;
constexpr HalfBits minus_infinity = 0xFC00;
constexpr HalfBits signalling_nan = 0x7C01;

struct OutputRow {
  Halves values;
  bool overflow;
};

/// `elements`: [entries][x.size()].
OutputRow multiply(const Halves& x, const Halves& elements, ProductAccumulation accumulation,
                   VectorPath path = best_vector_path()) {
  const Codebook codebook(elements.data(), elements.size() / x.size(), x.size());
  OutputRow row{Halves(codebook.entries()), false};
  row.overflow = codebook.multiply(x.data(), accumulation, row.values.data(), path);
  return row;
}

/// x · b as each of nine equal entries gives it: eight that vectors may treat at once and a rest.
OutputRow dot_row(const Halves& x, const Halves& b, ProductAccumulation accumulation) {
  Halves elements;
  for (int entry = 0; entry < 9; ++entry)
    elements.insert(elements.end(), b.begin(), b.end());
  OutputRow row = multiply(x, elements, accumulation);
  REQUIRE(row.values == Halves(9, row.values[0]));
  return row;
}

HalfBits aligned(const Halves& x, const Halves& b) {
  return dot_row(x, b, ProductAccumulation::int32_aligned).values[0];
}

HalfBits fp32(const Halves& x, const Halves& b) {
  return dot_row(x, b, ProductAccumulation::fp32).values[0];
}

bool overflows(const Halves& x, const Halves& b) {
  const bool overflow = dot_row(x, b, ProductAccumulation::int32_aligned).overflow;
  CHECK(dot_row(x, b, ProductAccumulation::fp32).overflow == overflow);
  return overflow;
}

/// The results of x · b in both accumulations and all orders of the terms, each once.
Halves results_in_any_order(const Halves& x, const Halves& b) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Halves results;
  do {
    Halves ordered_x;
    Halves ordered_b;
    for (const std::size_t k : order) {
      ordered_x.push_back(x[k]);
      ordered_b.push_back(b[k]);
    }
    results.push_back(aligned(ordered_x, ordered_b));
    results.push_back(fp32(ordered_x, ordered_b));
    results.push_back(aligned(ordered_b, ordered_x));
  } while (std::next_permutation(order.begin(), order.end()));
  std::sort(results.begin(), results.end());
  results.erase(std::unique(results.begin(), results.end()), results.end());
  return results;
}

/// What the reference makes of a row of which every entry is looked up by one output. Its adder
/// tree adds +0, so that an element -0 arrives as +0.
OutputRow golden_row(const Halves& x, const Halves& elements, ProductAccumulation accumulation) {
  golden::DecodeProblem problem;
  problem.tokens = 1;
  problem.inputs = x.size();
  problem.outputs = elements.size() / x.size();
  problem.vector_length = x.size();
  problem.index_bits = 1;
  while ((std::size_t{1} << problem.index_bits) < problem.outputs)
    ++problem.index_bits;
  problem.codebooks = 1;
  problem.activations = x;
  problem.codebook_entries = elements;
  problem.codebook_entries.resize((std::size_t{1} << problem.index_bits) * x.size());
  problem.indices.resize(problem.outputs);
  std::iota(problem.indices.begin(), problem.indices.end(), std::uint16_t{0});
  problem.scales.assign(problem.outputs, one);
  golden::DecodeOrder order;
  order.products = accumulation == ProductAccumulation::fp32
                       ? golden::ProductAccumulation::fp32
                       : golden::ProductAccumulation::int32_aligned;
  order.rows_per_tile = {32};
  const golden::DecodeResult result = golden::decode(problem, order);
  return {result.outputs, result.overflow};
}

Halves with_positive_zeros(Halves values) {
  std::replace(values.begin(), values.end(), HalfBits{0x8000}, HalfBits{0});
  return values;
}

/// A distribution of random halves: exponent fields lowest..lowest + count - 1, and one number in
/// `special_every` (0: none) a zero, an infinity or a NaN.
struct Distribution {
  unsigned lowest;
  unsigned count;
  unsigned special_every;
};

constexpr Distribution any_finite = {0, 31, 0};
constexpr Distribution subnormal = {0, 2, 0};
constexpr Distribution close_together = {13, 4, 0};
constexpr Distribution large = {21, 6, 0};
constexpr Distribution any_bits = {0, 32, 0};
constexpr Distribution some_special = {10, 10, 50};

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  Halves halves(std::size_t count, const Distribution& distribution) {
    Halves values(count);
    for (HalfBits& value : values)
      value = half(distribution);
    return values;
  }

 private:
  HalfBits half(const Distribution& distribution) {
    constexpr HalfBits specials[] = {0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFFFF};
    const std::uint64_t bits = next();
    if (distribution.special_every != 0 && (bits >> 32) % distribution.special_every == 0) {
      return specials[bits % 7];
    }
    const std::uint64_t exponent = distribution.lowest + (bits >> 32) % distribution.count;
    return static_cast<HalfBits>((bits & 0x83FF) | (exponent << 10));
  }

  /// SplitMix64.
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

/// Calls `check(x, elements)` with random data of all lengths and of several numbers of entries.
template <typename Check>
void for_random_rows(std::uint64_t seed, const Check& check) {
  Random random(seed);
  for (const Distribution& distribution :
       {any_finite, subnormal, close_together, large, any_bits, some_special}) {
    for (std::size_t length = 1; length <= 32; ++length) {
      for (const std::size_t entries : {1U, 7U, 8U, 9U, 37U}) {
        CAPTURE(distribution.lowest, distribution.count, length, entries);
        check(random.halves(length, distribution), random.halves(entries * length, distribution));
      }
    }
  }
}

bool has_avx2() {
  if (best_vector_path() == VectorPath::avx2) return true;
  WARN("this processor has no AVX2 with F16C: comparison skipped");
  return false;
}

}  // namespace

TEST_CASE("codebook: an output is the dot product of the activations with its entry") {
  const Halves x = {0x3C00, 0x4000};                                         // 1, 2
  const Halves elements = {0x4200, 0x4400, 0xBC00, 0x3800, 0x0000, 0x0001};  // 3,4; -1,0.5; 0,2^-24
  const Halves expected = {0x4980, 0x0000, 0x0002};                          // 11, 0, 2^-23
  CHECK(multiply(x, elements, ProductAccumulation::int32_aligned).values == expected);
  CHECK(multiply(x, elements, ProductAccumulation::fp32).values == expected);
}

TEST_CASE("codebook: a codebook knows its shape") {
  const Codebook codebook(Halves(12).data(), 4, 3);
  CHECK(codebook.entries() == 4);
  CHECK(codebook.length() == 3);
}

TEST_CASE("codebook: the aligned accumulator truncates where FP32 rounds") {
  // 1 - 1.5 * 2^-24 - 1: FP32 rounds the sum to 1 - 2^-23.
  const Halves x = {one, 0x0C00, one};
  const Halves b = {one, 0x8E00, minus_one};
  CHECK(aligned(x, b) == 0x8001);
  CHECK(fp32(x, b) == 0x8002);
}

TEST_CASE("codebook: the aligned accumulator keeps a guard bit that FP32 rounds away") {
  const Halves x = {one, 0x0C00, one};  // 1 + 2^-24 - 1
  const Halves b = {one, 0x0C00, minus_one};
  CHECK(aligned(x, b) == 0x0001);
  CHECK(fp32(x, b) == 0x0000);
}

TEST_CASE("codebook: FP32 sums are taken in ascending order") {
  CHECK(fp32({0x6C00, one, 0x6C00}, {0x6C00, one, 0xEC00}) == 0x0000);  // 2^24 + 1 - 2^24
  CHECK(fp32({0x6C00, 0x6C00, one}, {0x6C00, 0xEC00, one}) == 0x3C00);  // 2^24 - 2^24 + 1
}

TEST_CASE("codebook: aligned sums are taken in ascending order") {
  const HalfBits tiny = 0x0C00;  // 2^-12; 2^-25 added once to 1 is truncated, twice is not
  const HalfBits half_tiny = 0x0800;
  CHECK(aligned({tiny, tiny, one, one}, {half_tiny, half_tiny, one, minus_one}) == 0x0001);
  CHECK(aligned({one, tiny, tiny, one}, {one, half_tiny, half_tiny, minus_one}) == 0x0000);
}

TEST_CASE("codebook: an element is rounded once") {
  // 1 + 2^-11 is a tie; 2^-24 more decides it, and FP32 no longer has it.
  CHECK(aligned({one, 0x1000, 0x0C00}, {one, one, 0x0C00}) == 0x3C01);
  CHECK(aligned({one, 0x1000}, {one, one}) == 0x3C00);
}

TEST_CASE("codebook: products of subnormals are kept") {
  CHECK(aligned({0x0001, 0x0001}, {one, one}) == 0x0002);
  CHECK(fp32({0x0001, 0x0001}, {one, one}) == 0x0002);
  CHECK(aligned({0x0001}, {0x6400}) == 0x0400);  // 2^-24 * 1024 is the smallest normal
  CHECK(fp32({0x0001}, {0x6400}) == 0x0400);
}

TEST_CASE("codebook: a zero product does not take part in the alignment") {
  // 0 * 65504 has exponent -19, at which 3 * 2^-24 would lose its last bit.
  CHECK(aligned({0x0003, 0x0000}, {one, 0x7BFF}) == 0x0003);
  CHECK(aligned({0x8000, 0x0003}, {0x7BFF, one}) == 0x0003);
}

TEST_CASE("codebook: products that are all -0 sum to +0") {
  CHECK(results_in_any_order({0x8000, one}, {one, 0x8000}) == Halves{0x0000});
}

TEST_CASE("codebook: a sum beyond 65520 becomes infinite and is reported") {
  const Halves x(8, HalfBits{0x5C00});                       // 256
  CHECK(aligned(x, Halves(8, HalfBits{0x5400})) == 0x7C00);  // 8 * 256 * 64
  CHECK(aligned(x, Halves(8, HalfBits{0xD400})) == 0xFC00);
  CHECK(fp32(x, Halves(8, HalfBits{0x5400})) == 0x7C00);
  CHECK(fp32(x, Halves(8, HalfBits{0xD400})) == 0xFC00);
  CHECK(overflows(x, Halves(8, HalfBits{0x5400})));
  CHECK(overflows(x, Halves(8, HalfBits{0xD400})));
}

TEST_CASE("codebook: 65504 is finite and 65520 is not") {
  CHECK(aligned({0x7BFF}, {one}) == 0x7BFF);
  CHECK(fp32({0x7BFF}, {one}) == 0x7BFF);
  CHECK_FALSE(overflows({0x7BFF}, {one}));
  CHECK(aligned({0x7BFF, 0x4C00}, {one, one}) == 0x7C00);  // 65504 + 16
  CHECK(fp32({0x7BFF, 0x4C00}, {one, one}) == 0x7C00);
  CHECK(overflows({0x7BFF, 0x4C00}, {one, one}));
  CHECK(aligned({0x7BFF, 0x4BFF}, {one, one}) == 0x7BFF);  // 65504 + 15.99
  CHECK_FALSE(overflows({0x7BFF, 0x4BFF}, {one, one}));
}

TEST_CASE("codebook: a partial sum beyond 65520 does not overflow") {
  const Halves x = {0x5C00, 0x5C00, one};  // 2^16 - 2^16 + 1
  const Halves b = {0x5C00, 0xDC00, one};
  CHECK(aligned(x, b) == 0x3C00);
  CHECK(fp32(x, b) == 0x3C00);
  CHECK_FALSE(overflows(x, b));
}

TEST_CASE("codebook: 32 of the largest product stay one sign") {
  CHECK(aligned(Halves(32, HalfBits{0x7BFF}), Halves(32, HalfBits{0x7BFF})) == 0x7C00);
  CHECK(aligned(Halves(32, HalfBits{0x7BFF}), Halves(32, HalfBits{0xFBFF})) == 0xFC00);
  CHECK(aligned(Halves(32, HalfBits{0x07FF}), Halves(32, HalfBits{0x5FFF})) == 0x3FFE);  // 1.998
}

TEST_CASE("codebook: infinity and finite terms give that infinity in any order") {
  CHECK(results_in_any_order({infinity, 0x4000, minus_one}, {one, 0x4200, one}) == Halves{0x7C00});
  CHECK(results_in_any_order({minus_infinity, 0x4000, one}, {one, 0x4200, one}) == Halves{0xFC00});
  CHECK(results_in_any_order({infinity, 0x4000, one}, {minus_one, 0x4200, 0}) == Halves{0xFC00});
}

TEST_CASE("codebook: infinity wins over finite terms that overflow the other way") {
  CHECK(results_in_any_order({minus_infinity, 0x7BFF, 0x7BFF}, {one, 0x7BFF, 0x7BFF}) ==
        Halves{0xFC00});
}

TEST_CASE("codebook: infinity times zero is the canonical NaN in any order") {
  CHECK(results_in_any_order({infinity, one, one}, {0x0000, one, one}) == Halves{0x7E00});
  CHECK(results_in_any_order({minus_infinity, one, infinity}, {0x8000, one, one}) ==
        Halves{0x7E00});
}

TEST_CASE("codebook: infinities of both signs are the canonical NaN in any order") {
  CHECK(results_in_any_order({infinity, minus_infinity, one}, {one, one, one}) == Halves{0x7E00});
  CHECK(results_in_any_order({infinity, infinity, one}, {one, minus_infinity, one}) ==
        Halves{0x7E00});
}

TEST_CASE("codebook: any NaN is the canonical NaN in any order") {
  for (const HalfBits nan :
       {HalfBits{0x7E00}, signalling_nan, HalfBits{0xFE00}, HalfBits{0xFFFF}}) {
    CAPTURE(nan);
    CHECK(results_in_any_order({nan, minus_infinity, one}, {one, one, one}) == Halves{0x7E00});
    CHECK(results_in_any_order({nan, one, one}, {0x0000, one, one}) == Halves{0x7E00});
  }
}

TEST_CASE("codebook: a special element touches the output of its entry only") {
  Halves elements(34, one);       // 17 entries of two
  elements[10] = signalling_nan;  // in entry 5
  elements[25] = minus_infinity;  // in entry 12
  elements[32] = infinity;        // in entry 16
  Halves expected(17, HalfBits{0x4000});
  expected[5] = 0x7E00;
  expected[12] = 0xFC00;
  expected[16] = 0x7C00;
  CHECK(multiply({one, one}, elements, ProductAccumulation::int32_aligned).values == expected);
  CHECK(multiply({one, one}, elements, ProductAccumulation::fp32).values == expected);
}

TEST_CASE("codebook: an infinite activation is NaN exactly in the entries that have a zero there") {
  const Halves elements = {one, one, minus_one, one, 0x8000, one, 0x0001, one};
  const Halves expected = {0x7C00, 0xFC00, 0x7E00, 0x7C00};
  CHECK(multiply({infinity, one}, elements, ProductAccumulation::int32_aligned).values == expected);
  CHECK(multiply({infinity, one}, elements, ProductAccumulation::fp32).values == expected);
}

TEST_CASE("codebook: an infinite operand is no overflow, a finite neighbour's infinity is") {
  const auto accumulation = GENERATE(ProductAccumulation::int32_aligned, ProductAccumulation::fp32);
  CHECK_FALSE(multiply({one}, {infinity, one}, accumulation).overflow);
  CHECK(multiply({0x7BFF}, {infinity, 0x7BFF}, accumulation).overflow);
}

TEST_CASE("codebook: the portable and the AVX2 path give equal bits") {
  if (!has_avx2()) return;
  for_random_rows(1, [](const Halves& x, const Halves& elements) {
    for (const auto accumulation :
         {ProductAccumulation::int32_aligned, ProductAccumulation::fp32}) {
      const OutputRow portable = multiply(x, elements, accumulation, VectorPath::portable);
      const OutputRow avx2 = multiply(x, elements, accumulation, VectorPath::avx2);
      CHECK(avx2.values == portable.values);
      CHECK(avx2.overflow == portable.overflow);
    }
  });
}

TEST_CASE("codebook: rows equal the reference") {
  for_random_rows(2, [](const Halves& x, const Halves& elements) {
    for (const auto accumulation :
         {ProductAccumulation::int32_aligned, ProductAccumulation::fp32}) {
      const OutputRow found = multiply(x, elements, accumulation);
      const OutputRow expected = golden_row(x, elements, accumulation);
      CHECK(with_positive_zeros(found.values) == expected.values);
      CHECK(found.overflow == expected.overflow);
    }
  });
}

TEST_CASE("codebook: aligned rows do not depend on the rounding mode of the process") {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for_random_rows(3, [mode](const Halves& x, const Halves& elements) {
      const OutputRow expected = multiply(x, elements, ProductAccumulation::int32_aligned);
      std::fesetround(mode);
      const OutputRow found = multiply(x, elements, ProductAccumulation::int32_aligned);
      const OutputRow portable =
          multiply(x, elements, ProductAccumulation::int32_aligned, VectorPath::portable);
      std::fesetround(FE_TONEAREST);
      CHECK(found.values == expected.values);
      CHECK(portable.values == expected.values);
    });
  }
}

TEST_CASE("codebook: vectors of no or more than 32 elements are refused") {
  const Halves elements(33);
  CHECK_THROWS_WITH(Codebook(elements.data(), 1, 0),
                    "codebook: vector length is 0, expected 1..32");
  CHECK_THROWS_WITH(Codebook(elements.data(), 1, 33),
                    "codebook: vector length is 33, expected 1..32");
  CHECK_THROWS_AS(Codebook(elements.data(), 1, 33), std::invalid_argument);
}
