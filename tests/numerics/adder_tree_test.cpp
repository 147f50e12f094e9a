#include "numerics/adder_tree.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "golden/golden.h"

using namespace eva;
using Halves = std::vector<HalfBits>;

namespace {

constexpr HalfBits one = 0x3C00;
constexpr HalfBits large = 0x7800;  // 32768; its last place in FP32 is 2^-8
constexpr HalfBits minus_large = 0xF800;
constexpr HalfBits small = 0x1400;  // 2^-10, which disappears beside it

/// 32 lanes, +0 except those named.
Halves lanes_with(std::initializer_list<std::pair<std::size_t, HalfBits>> values) {
  Halves lanes(adder_tree_lanes);
  for (const auto& [lane, value] : values)
    lanes[lane] = value;
  return lanes;
}

float tree(const Halves& lanes, SumPrecision precision = SumPrecision::fp32) {
  bool overflow = false;
  return adder_tree_sum(lanes.data(), precision, overflow);
}

bool tree_overflows(const Halves& lanes, SumPrecision precision) {
  bool overflow = false;
  adder_tree_sum(lanes.data(), precision, overflow);
  return overflow;
}

struct Accumulated {
  float sum;
  bool overflow;
};

/// One column added to `sum`.
Accumulated accumulate(float sum, const Halves& lanes, SumPrecision tree, SumPrecision output) {
  Accumulated result{sum, false};
  result.overflow = accumulate_look_ups(lanes.data(), 32, 1, tree, output, &result.sum, 1);
  return result;
}

/// Bits by which sums are compared: hosts differ in the sign and payload of a NaN.
std::vector<std::uint32_t> comparable(const std::vector<float>& sums) {
  std::vector<std::uint32_t> bits(sums.size());
  std::memcpy(bits.data(), sums.data(), sums.size() * sizeof(float));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (std::isnan(sums[i])) bits[i] = 0x7FC00000;
  }
  return bits;
}

/// SplitMix64.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

/// Any finite half; the exponent fields start at `lowest`.
HalfBits random_finite(std::uint64_t& state, unsigned lowest = 0) {
  const std::uint64_t bits = next_random(state);
  return static_cast<HalfBits>((bits & 0x83FF) | ((lowest + (bits >> 32) % (31 - lowest)) << 10));
}

}  // namespace

TEST_CASE("adder tree: 32 lanes are added") {
  Halves lanes;
  for (int lane = 0; lane < 32; ++lane)
    lanes.push_back(float_to_half(static_cast<float>(1 << (lane % 11))));
  CHECK(tree(lanes) == 2 * 2047.0F + 1023.0F);
}

TEST_CASE("adder tree: lane i meets lane i + 16, then i + 8, i + 4, i + 2, i + 1") {
  // What lane 0 meets first decides whether the small number survives.
  const std::size_t distance = GENERATE(as<std::size_t>{}, 1, 2, 4, 8);
  CAPTURE(distance);
  CHECK(tree(lanes_with({{0, large}, {2 * distance, minus_large}, {distance, small}})) == 0x1p-10F);
  CHECK(tree(lanes_with({{0, large}, {distance, minus_large}, {2 * distance, small}})) == 0.0F);
}

TEST_CASE("adder tree: the order is the same for the lanes of both halves") {
  CHECK(tree(lanes_with({{15, large}, {31, minus_large}, {7, small}})) == 0x1p-10F);
  CHECK(tree(lanes_with({{15, large}, {7, minus_large}, {31, small}})) == 0.0F);
}

TEST_CASE("adder tree: FP32 additions round ties to even") {
  CHECK(tree(lanes_with({{0, large}, {16, 0x1800}})) == 32768.0F);            // + 2^-9
  CHECK(tree(lanes_with({{0, large}, {16, 0x1E00}})) == 32768.0F + 0x1p-7F);  // + 3 * 2^-9
  CHECK(tree(lanes_with({{0, large}, {16, 0x1801}})) == 32768.0F + 0x1p-8F);
}

TEST_CASE("adder tree: FP16 additions round each, ties to even") {
  const Halves lanes = lanes_with({{0, 0x6800}, {16, one}, {8, one}});  // 2048 + 1, + 1
  CHECK(tree(lanes, SumPrecision::fp16) == 2048.0F);
  CHECK(tree(lanes, SumPrecision::fp32) == 2050.0F);
  CHECK(tree(lanes_with({{0, 0x6801}, {16, one}}), SumPrecision::fp16) == 2052.0F);
}

TEST_CASE("adder tree: an FP16 addition rounds the exact sum once") {
  std::uint64_t state = 1;
  std::size_t wrong = 0;
  for (int i = 0; i < 300000; ++i) {
    const HalfBits a = random_finite(state);
    const HalfBits b = random_finite(state);
    const double exact =
        static_cast<double>(half_to_float(a)) + static_cast<double>(half_to_float(b));
    const float expected = half_to_float(round_to_half(exact));
    if (tree(lanes_with({{0, a}, {16, b}}), SumPrecision::fp16) != expected) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("adder tree: 32 of the largest half overflow FP16 but not FP32") {
  const Halves lanes(32, HalfBits{0x7BFF});
  CHECK(tree(lanes, SumPrecision::fp32) == 2096128.0F);
  CHECK(tree(lanes, SumPrecision::fp16) == std::numeric_limits<float>::infinity());
}

TEST_CASE("adder tree: finite lanes with an infinite sum are an overflow, whatever else is added") {
  const Halves both = lanes_with({{0, 0x7BFF}, {16, 0x7BFF}, {8, 0x7C00}});
  CHECK(tree_overflows(both, SumPrecision::fp16));
  CHECK_FALSE(tree_overflows(both, SumPrecision::fp32));
  CHECK_FALSE(tree_overflows(lanes_with({{0, 0x7BFF}, {16, 0x7C00}}), SumPrecision::fp16));
  CHECK_FALSE(tree_overflows(lanes_with({{0, 0x7C00}, {16, 0xFC00}}), SumPrecision::fp16));
}

TEST_CASE("adder tree: an overflow already reported stays reported") {
  bool overflow = true;
  adder_tree_sum(Halves(32).data(), SumPrecision::fp16, overflow);
  CHECK(overflow);
}

TEST_CASE("adder tree: idle lanes turn -0 into +0") {
  CHECK(std::signbit(tree(Halves(32, HalfBits{0x8000}))));
  CHECK_FALSE(std::signbit(tree(lanes_with({{0, 0x8000}, {16, 0x8000}}))));
}

TEST_CASE("adder tree: infinities of both signs are NaN, one alone stays") {
  CHECK(tree(lanes_with({{3, 0x7C00}, {4, 0x7BFF}})) == std::numeric_limits<float>::infinity());
  CHECK(std::isnan(tree(lanes_with({{3, 0x7C00}, {30, 0xFC00}}))));
}

TEST_CASE("accumulate: a column's sum is added to what is there") {
  const auto precision = GENERATE(SumPrecision::fp32, SumPrecision::fp16);
  CHECK(accumulate(0.5F, lanes_with({{2, one}, {31, 0x4000}}), precision, precision).sum == 3.5F);
}

TEST_CASE("accumulate: an FP32 output rounds ties to even") {
  const Halves lane = lanes_with({{0, one}});
  CHECK(accumulate(16777216.0F, lane, SumPrecision::fp32, SumPrecision::fp32).sum == 16777216.0F);
  CHECK(accumulate(16777218.0F, lane, SumPrecision::fp32, SumPrecision::fp32).sum == 16777220.0F);
}

TEST_CASE("accumulate: an FP16 output rounds once") {
  // 2048 + (1 + 2^-13): rounded to FP32 first it would be the tie 2049, and then 2048.
  const Halves lanes = lanes_with({{0, one}, {1, 0x0800}});
  CHECK(accumulate(2048.0F, lanes, SumPrecision::fp32, SumPrecision::fp16).sum == 2050.0F);
  CHECK(accumulate(-2048.0F, lanes_with({{0, 0xBC00}, {1, 0x8800}}), SumPrecision::fp32,
                   SumPrecision::fp16)
            .sum == -2050.0F);
}

TEST_CASE("accumulate: tree and output have precisions of their own") {
  const Halves lanes = lanes_with({{0, 0x6800}, {16, one}, {8, one}});  // 2048 in FP16, else 2050
  CHECK(accumulate(1.0F, lanes, SumPrecision::fp32, SumPrecision::fp32).sum == 2051.0F);
  CHECK(accumulate(1.0F, lanes, SumPrecision::fp16, SumPrecision::fp32).sum == 2049.0F);
  CHECK(accumulate(1.0F, lanes, SumPrecision::fp32, SumPrecision::fp16).sum == 2052.0F);
  CHECK(accumulate(1.0F, lanes, SumPrecision::fp16, SumPrecision::fp16).sum == 2048.0F);
}

TEST_CASE("accumulate: finite operands with an infinite sum are an overflow") {
  const Halves lanes = lanes_with({{0, 0x7BFF}, {16, 0x4C00}});  // 65504 + 16
  CHECK(accumulate(0.0F, lanes, SumPrecision::fp16, SumPrecision::fp32).overflow);
  CHECK(accumulate(0.0F, lanes, SumPrecision::fp32, SumPrecision::fp16).overflow);
  CHECK_FALSE(accumulate(0.0F, lanes, SumPrecision::fp32, SumPrecision::fp32).overflow);
  CHECK_FALSE(accumulate(-1.0F, lanes, SumPrecision::fp32, SumPrecision::fp16).overflow);
}

TEST_CASE("accumulate: an FP16 tree that overflows both ways gives NaN and is an overflow") {
  const Halves lanes = lanes_with({{0, 0x7BFF}, {16, 0x7BFF}, {8, 0xFBFF}, {24, 0xFBFF}});
  const Accumulated result = accumulate(0.0F, lanes, SumPrecision::fp16, SumPrecision::fp32);
  CHECK(std::isnan(result.sum));
  CHECK(result.overflow);
  CHECK(accumulate(0.0F, lanes, SumPrecision::fp32, SumPrecision::fp32).sum == 0.0F);
}

TEST_CASE("accumulate: infinities that were looked up are no overflow") {
  const auto precision = GENERATE(SumPrecision::fp32, SumPrecision::fp16);
  const Halves positive = lanes_with({{0, 0x7C00}});
  const Halves negative = lanes_with({{0, 0xFC00}});
  const Accumulated once = accumulate(0.0F, positive, precision, precision);
  CHECK(once.sum == std::numeric_limits<float>::infinity());
  CHECK_FALSE(once.overflow);
  CHECK_FALSE(accumulate(once.sum, lanes_with({{0, one}}), precision, precision).overflow);
  const Accumulated both = accumulate(once.sum, negative, precision, precision);
  CHECK(round_to_half(both.sum) == 0x7E00);
  CHECK_FALSE(both.overflow);
}

TEST_CASE("accumulate: a NaN reaches exactly the outputs that look it up") {
  const VectorPath path = GENERATE(VectorPath::portable, best_vector_path());
  constexpr std::size_t columns = 5;
  Halves lanes(columns * adder_tree_lanes, one);
  lanes[105] = 0x7C01;  // column 3, lane 9
  std::vector<float> sums(columns);
  accumulate_look_ups(lanes.data(), 32, columns, SumPrecision::fp32, SumPrecision::fp32,
                      sums.data(), 1, path);
  CHECK(comparable(sums) == comparable({32.0F, 32.0F, 32.0F, NAN, 32.0F}));
}

TEST_CASE("accumulate: strides skip what lies between the columns") {
  const VectorPath path = GENERATE(VectorPath::portable, best_vector_path());
  Halves lanes(120, HalfBits{0x7E00});  // NaN wherever nothing may be read
  for (std::size_t column = 0; column < 3; ++column)
    std::fill_n(lanes.begin() + static_cast<std::ptrdiff_t>(column) * 40, 32, one);
  std::vector<float> sums = {1, -7, 2, -7, 3, -7};
  accumulate_look_ups(lanes.data(), 40, 3, SumPrecision::fp32, SumPrecision::fp32, sums.data(), 2,
                      path);
  CHECK(sums == std::vector<float>{33, -7, 34, -7, 35, -7});
}

TEST_CASE("accumulate: the portable and the AVX2 path give equal bits") {
  if (best_vector_path() == VectorPath::portable) {
    WARN("this processor has no AVX2 with F16C: comparison skipped");
    return;
  }
  std::uint64_t state = 2;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t columns = 1 + next_random(state) % 9;
    Halves lanes(columns * 32);
    for (HalfBits& lane : lanes) {
      // Every other round without infinities and NaNs, which would hide the rest.
      lane = round % 2 == 0 ? random_finite(state) : static_cast<HalfBits>(next_random(state));
    }
    std::vector<float> portable(columns);
    for (float& sum : portable)
      sum = half_to_float(random_finite(state)) * 0x1.8p3F;
    std::vector<float> avx2 = portable;
    for (const SumPrecision tree : {SumPrecision::fp32, SumPrecision::fp16}) {
      for (const SumPrecision output : {SumPrecision::fp32, SumPrecision::fp16}) {
        const bool portable_overflow = accumulate_look_ups(
            lanes.data(), 32, columns, tree, output, portable.data(), 1, VectorPath::portable);
        const bool avx2_overflow = accumulate_look_ups(lanes.data(), 32, columns, tree, output,
                                                       avx2.data(), 1, VectorPath::avx2);
        CHECK(comparable(avx2) == comparable(portable));
        CHECK(avx2_overflow == portable_overflow);
      }
    }
  }
}

TEST_CASE("accumulate: groups of 32 rows added one after another equal the reference") {
  const auto output = GENERATE(SumPrecision::fp32, SumPrecision::fp16);
  const auto tree = GENERATE(SumPrecision::fp32, SumPrecision::fp16);
  const unsigned lowest_exponent = GENERATE(0U, 20U);  // the second overflows FP16 at times
  std::uint64_t state = 3;
  for (std::size_t rows = 1; rows <= 100; ++rows) {
    CAPTURE(rows, lowest_exponent);
    golden::DecodeProblem problem{1, rows, 1, 1, 1, 1, 0, {}, {one, 0}, Halves(rows), {one}};
    for (std::size_t row = 0; row < rows; ++row)
      problem.activations.push_back(random_finite(state, lowest_exponent));
    golden::DecodeOrder order;
    order.tree =
        tree == SumPrecision::fp32 ? golden::SumPrecision::fp32 : golden::SumPrecision::fp16;
    order.outputs =
        output == SumPrecision::fp32 ? golden::SumPrecision::fp32 : golden::SumPrecision::fp16;
    order.rows_per_tile = {32};
    const golden::DecodeResult expected = golden::decode(problem, order);

    Halves lanes = problem.activations;
    lanes.resize((rows + 31) / 32 * 32);
    float sum = 0;
    bool overflow = false;
    for (std::size_t row = 0; row < rows; row += 32) {
      overflow |= accumulate_look_ups(lanes.data() + row, 32, 1, tree, output, &sum, 1);
    }
    const HalfBits rounded = round_to_half(sum);
    overflow |= std::isfinite(sum) && half_is_infinite(rounded);
    CHECK(Halves{rounded} == expected.outputs);
    CHECK(overflow == expected.overflow);
  }
}
