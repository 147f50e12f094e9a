#include "numerics/int8_product.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "golden/golden.h"

using namespace eva;
using Int8s = std::vector<std::int8_t>;
using Sums = std::vector<std::int32_t>;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// The sums of one token with `inputs` inputs, block after block. Input k has the value x(k) and,
/// in all columns, the weight w(k).
template <typename Activation, typename Weight>
Sums sums_by_blocks(std::size_t inputs, VectorPath path, const Activation& x, const Weight& w) {
  Sums sums(int8_block);
  for (std::size_t first = 0; first < inputs; first += int8_block) {
    const std::size_t count = std::min(int8_block, inputs - first);
    Int8s activations(int8_block);
    Int8s weights(int8_block * int8_block);
    for (std::size_t k = 0; k < count; ++k) {
      activations[k] = static_cast<std::int8_t>(x(first + k));
      std::fill_n(&weights[k * int8_block], int8_block, static_cast<std::int8_t>(w(first + k)));
    }
    accumulate_int8_block(activations.data(), weights.data(), 1, count, sums.data(), path);
  }
  return sums;
}

/// The same for one activation and one weight everywhere.
Sums constant_sums(std::size_t inputs, VectorPath path, int x, int w) {
  return sums_by_blocks(
      inputs, path, [x](std::size_t) { return x; }, [w](std::size_t) { return w; });
}

Sums in_all_columns(std::int32_t sum) {
  return Sums(int8_block, sum);
}

/// What accumulate_int8_block promises, in a plain loop of 64 bits.
Sums expected_sums(const Int8s& activations, const Int8s& weights, std::size_t inputs, Sums sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::size_t token = i / int8_block;
    std::int64_t sum = sums[i];
    for (std::size_t k = 0; k < inputs; ++k) {
      sum += std::int64_t{activations[token * int8_block + k]} *
             weights[k * int8_block + i % int8_block];
    }
    sums[i] = static_cast<std::int32_t>(sum);
  }
  return sums;
}

/// SplitMix64.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

Int8s random_int8s(std::uint64_t& state, std::size_t count) {
  Int8s values(count);
  for (std::int8_t& value : values)
    value = static_cast<std::int8_t>(next_random(state));
  return values;
}

/// The path under test; on a processor without AVX2 both are the portable one.
VectorPath every_path() {
  const VectorPath path = GENERATE(VectorPath::portable, VectorPath::avx2);
  if (path == VectorPath::portable || best_vector_path() == VectorPath::avx2) return path;
  WARN("this processor has no AVX2: the portable path runs twice");
  return VectorPath::portable;
}

}  // namespace

TEST_CASE("INT8: extreme operands are summed exactly for any number of inputs") {
  const VectorPath path = every_path();
  const std::int32_t inputs = GENERATE(1, 2, 31, 32, 33, 11008);
  CAPTURE(inputs);
  const auto count = static_cast<std::size_t>(inputs);
  CHECK(constant_sums(count, path, -128, -128) == in_all_columns(16384 * inputs));
  CHECK(constant_sums(count, path, 127, -128) == in_all_columns(-16256 * inputs));
  CHECK(constant_sums(count, path, -128, 127) == in_all_columns(-16256 * inputs));
  CHECK(constant_sums(count, path, 127, 127) == in_all_columns(16129 * inputs));
  CHECK(constant_sums(count, path, -128, -1) == in_all_columns(128 * inputs));
}

TEST_CASE("INT8: alternating extremes cancel pairwise") {
  const VectorPath path = every_path();
  const auto extreme = [](std::size_t k) { return k % 2 == 0 ? -128 : 127; };
  const auto minus_128 = [](std::size_t) { return -128; };
  CHECK(sums_by_blocks(11008, path, extreme, minus_128) == in_all_columns(128 * 5504));
  CHECK(sums_by_blocks(33, path, extreme, minus_128) == in_all_columns(128 * 16 + 16384));
  CHECK(sums_by_blocks(11008, path, extreme, extreme) == in_all_columns((16384 + 16129) * 5504));
}

TEST_CASE("INT8: 131071 products of -128 and -128 still fit") {
  const VectorPath path = every_path();
  CHECK(constant_sums(131071, path, -128, -128) == in_all_columns(2147467264));
}

TEST_CASE("INT8: a column has its own weights, a token its own activations") {
  const VectorPath path = every_path();
  Int8s activations(2 * int8_block);
  activations[3] = 10;                // token 0, input 3
  activations[int8_block + 4] = -20;  // token 1, input 4
  Int8s weights(int8_block * int8_block);
  weights[3 * int8_block + 17] = 7;  // input 3, column 17
  weights[4 * int8_block + 31] = 9;  // input 4, column 31
  Sums expected(2 * int8_block);
  expected[17] = 70;
  expected[int8_block + 31] = -180;
  Sums sums(2 * int8_block);
  accumulate_int8_block(activations.data(), weights.data(), 2, int8_block, sums.data(), path);
  CHECK(sums == expected);
}

TEST_CASE("INT8: a block adds to the sums that are there") {
  const VectorPath path = every_path();
  const Int8s activations(int8_block, std::int8_t{1});
  const Int8s weights(int8_block * int8_block, std::int8_t{-1});
  Sums sums = in_all_columns(1000);
  accumulate_int8_block(activations.data(), weights.data(), 1, int8_block, sums.data(), path);
  CHECK(sums == in_all_columns(968));
}

TEST_CASE("INT8: what lies beyond the inputs is not used") {
  const VectorPath path = every_path();
  const std::size_t inputs = GENERATE(as<std::size_t>{}, 0, 1, 2, 15, 31);
  CAPTURE(inputs);
  Int8s activations(int8_block, std::int8_t{-128});
  std::fill_n(activations.begin(), inputs, std::int8_t{1});
  Int8s weights(int8_block * int8_block, std::int8_t{-128});
  std::fill_n(weights.begin(), inputs * int8_block, std::int8_t{3});
  Sums sums(int8_block);
  accumulate_int8_block(activations.data(), weights.data(), 1, inputs, sums.data(), path);
  CHECK(sums == in_all_columns(3 * static_cast<std::int32_t>(inputs)));
}

TEST_CASE("INT8: sums beyond the last token are not touched") {
  const VectorPath path = every_path();
  const std::size_t tokens = GENERATE(range(std::size_t{0}, std::size_t{9}));
  CAPTURE(tokens);
  const Int8s activations(tokens * int8_block, std::int8_t{2});
  const Int8s weights(int8_block * int8_block, std::int8_t{3});
  Sums sums((tokens + 4) * int8_block, -1);
  accumulate_int8_block(activations.data(), weights.data(), tokens, int8_block, sums.data(), path);
  Sums expected((tokens + 4) * int8_block, -1);
  std::fill_n(expected.begin(), tokens * int8_block, 2 * 3 * 32 - 1);
  CHECK(sums == expected);
}

TEST_CASE("INT8: random blocks equal a loop of 64-bit integers") {
  const VectorPath path = every_path();
  std::uint64_t state = 1;
  for (std::size_t inputs = 1; inputs <= int8_block; ++inputs) {
    for (std::size_t tokens = 1; tokens <= 9; ++tokens) {
      CAPTURE(inputs, tokens);
      const Int8s activations = random_int8s(state, tokens * int8_block);
      const Int8s weights = random_int8s(state, int8_block * int8_block);
      Sums sums(tokens * int8_block);
      for (std::int32_t& sum : sums)
        sum = static_cast<std::int32_t>(next_random(state) % 2000000000) - 1000000000;
      const Sums expected = expected_sums(activations, weights, inputs, sums);
      accumulate_int8_block(activations.data(), weights.data(), tokens, inputs, sums.data(), path);
      CHECK(sums == expected);
    }
  }
}

TEST_CASE("INT8: dequantizing rounds the sum to FP32, then the product, then to FP16") {
  CHECK(dequantize_to_half(3, 0.5F) == 0x3E00);
  CHECK(dequantize_to_half(16777217, 0x1p-24F) == 0x3C00);
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: FP32 rounds it to a tie of FP16, which goes to 1.
  CHECK(dequantize_to_half(4097, 0x1.001p-12F) == 0x3C00);
}

TEST_CASE("INT8: dequantizing goes to the even half, keeps subnormals and signs") {
  CHECK(dequantize_to_half(2049, 1.0F) == 0x6800);
  CHECK(dequantize_to_half(-2051, 1.0F) == 0xE802);
  CHECK(dequantize_to_half(1, 0x1p-24F) == 0x0001);
  CHECK(dequantize_to_half(1, 0x1p-25F) == 0x0000);
  CHECK(dequantize_to_half(3, 0x1p-25F) == 0x0002);
  CHECK(dequantize_to_half(-1, 0x1p-25F) == 0x8000);
}

TEST_CASE("INT8: dequantizing from 65520 on is infinite") {
  CHECK(dequantize_to_half(65519, 1.0F) == 0x7BFF);
  CHECK(dequantize_to_half(65520, 1.0F) == 0x7C00);
  CHECK(dequantize_to_half(-65520, 1.0F) == 0xFC00);
  CHECK(dequantize_to_half(2147467264, 1.0F) == 0x7C00);
}

TEST_CASE("INT8: dequantizing with scale 0 gives zeros, with a bad one the canonical NaN") {
  CHECK(dequantize_to_half(2147467264, 0.0F) == 0x0000);
  CHECK(dequantize_to_half(0, 0.0F) == 0x0000);
  CHECK(dequantize_to_half(0, infinity) == 0x7E00);
  CHECK(dequantize_to_half(1, -not_a_number) == 0x7E00);
  CHECK(dequantize_to_half(-1, infinity) == 0xFC00);
}

TEST_CASE("INT8: requantizing rounds ties to even") {
  CHECK(requantize_to_int8(1, 0.5F) == 0);
  CHECK(requantize_to_int8(3, 0.5F) == 2);
  CHECK(requantize_to_int8(5, 0.5F) == 2);
  CHECK(requantize_to_int8(-1, 0.5F) == 0);
  CHECK(requantize_to_int8(-3, 0.5F) == -2);
  CHECK(requantize_to_int8(253, 0.5F) == 126);
}

TEST_CASE("INT8: requantizing saturates") {
  CHECK(requantize_to_int8(255, 0.5F) == 127);
  CHECK(requantize_to_int8(-255, 0.5F) == -128);
  CHECK(requantize_to_int8(-257, 0.5F) == -128);
  CHECK(requantize_to_int8(1000000000, 1.0F) == 127);
  CHECK(requantize_to_int8(-1000000000, 1.0F) == -128);
  CHECK(requantize_to_int8(1, infinity) == 127);
  CHECK(requantize_to_int8(-1, infinity) == -128);
}

TEST_CASE("INT8: requantizing NaN gives 0, as does scale 0") {
  CHECK(requantize_to_int8(1, not_a_number) == 0);
  CHECK(requantize_to_int8(0, infinity) == 0);
  CHECK(requantize_to_int8(2147467264, 0.0F) == 0);
}

TEST_CASE("INT8: sums and both conversions equal the reference") {
  std::uint64_t state = 2;
  for (std::size_t inputs = 1; inputs <= int8_block; ++inputs) {
    CAPTURE(inputs);
    golden::Int8Problem problem{1, inputs, int8_block, random_int8s(state, inputs), {}, {}};
    const Int8s weights = random_int8s(state, int8_block * int8_block);
    for (std::size_t column = 0; column < int8_block; ++column) {
      for (std::size_t k = 0; k < inputs; ++k)
        problem.weights.push_back(weights[k * int8_block + column]);
      // Results between subnormal and infinite FP16, and around the range of INT8.
      const int exponent = static_cast<int>(next_random(state) % 40) - 32;
      problem.scales.push_back(
          std::ldexp(static_cast<float>(1 + next_random(state) % 1000), exponent));
    }
    Int8s activations = problem.activations;
    activations.resize(int8_block);
    Sums sums(int8_block);
    accumulate_int8_block(activations.data(), weights.data(), 1, inputs, sums.data());

    std::vector<HalfBits> halves;
    Int8s integers;
    for (std::size_t column = 0; column < int8_block; ++column) {
      halves.push_back(dequantize_to_half(sums[column], problem.scales[column]));
      integers.push_back(requantize_to_int8(sums[column], problem.scales[column]));
    }
    CHECK(halves == golden::int8_to_fp16(problem));
    CHECK(integers == golden::int8_to_int8(problem));
  }
}
