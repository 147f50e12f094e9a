#include "numerics/half.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace eva;

namespace {

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

HalfBits half_of(std::uint32_t float_bits) {
  return float_to_half(float_of(float_bits));
}

std::vector<HalfBits> all_halves() {
  std::vector<HalfBits> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i)
    halves[i] = static_cast<HalfBits>(i);
  return halves;
}

std::vector<std::uint32_t> all_halves_widened(VectorPath path) {
  const std::vector<HalfBits> halves = all_halves();
  std::vector<float> floats(halves.size());
  halves_to_floats(halves.data(), floats.data(), halves.size(), path);
  std::vector<std::uint32_t> bits(halves.size());
  std::memcpy(bits.data(), floats.data(), bits.size() * sizeof(float));
  return bits;
}

/// A midpoint between two neighbouring FP16 magnitudes, and the results on both its sides.
struct Midpoint {
  float value;
  HalfBits below;
  HalfBits above;

  [[nodiscard]] HalfBits even() const { return below % 2 == 0 ? below : above; }
};

/// All of them, of both signs: rounding is monotonic, so they determine it for every number.
std::vector<Midpoint> all_midpoints() {
  std::vector<Midpoint> midpoints;
  for (const HalfBits sign : {HalfBits{0}, HalfBits{0x8000}}) {
    for (unsigned magnitude = 0; magnitude < half_infinity; ++magnitude) {
      const auto below = static_cast<HalfBits>(sign | magnitude);
      const auto above = static_cast<HalfBits>(sign | (magnitude + 1));
      const float next = half_is_infinite(above) ? 65536.0F : std::fabs(half_to_float(above));
      midpoints.push_back(
          {std::copysign((std::fabs(half_to_float(below)) + next) / 2, half_to_float(below)), below,
           above});
    }
  }
  return midpoints;
}

/// How many of the midpoints and their FP32 neighbours do not round to the nearest even half.
std::size_t wrong_float_roundings(const std::vector<Midpoint>& midpoints) {
  std::size_t wrong = 0;
  for (const Midpoint& midpoint : midpoints) {
    const std::uint32_t bits = bits_of(midpoint.value);  // neighbours in magnitude
    if (half_of(bits - 1) != midpoint.below) ++wrong;
    if (half_of(bits) != midpoint.even()) ++wrong;
    if (half_of(bits + 1) != midpoint.above) ++wrong;
  }
  return wrong;
}

/// The same for FP64 numbers that are nearer to a midpoint than FP32 can tell.
std::size_t wrong_double_roundings(const std::vector<Midpoint>& midpoints) {
  std::size_t wrong = 0;
  for (const Midpoint& midpoint : midpoints) {
    const auto value = static_cast<double>(midpoint.value);
    if (round_to_half(value * (1 - 0x1p-40)) != midpoint.below) ++wrong;
    if (round_to_half(value) != midpoint.even()) ++wrong;
    if (round_to_half(value * (1 + 0x1p-40)) != midpoint.above) ++wrong;
  }
  return wrong;
}

bool has_avx2() {
  if (best_vector_path() == VectorPath::avx2) return true;
  WARN("this processor has no AVX2 with F16C: comparison skipped");
  return false;
}

#if defined(__x86_64__)

/// The control word of FP32 and FP64 arithmetic, for a scope: what third-party code may leave.
class ControlWord {
 public:
  explicit ControlWord(unsigned word) : saved_(_mm_getcsr()) { _mm_setcsr(word); }
  ~ControlWord() { _mm_setcsr(saved_); }
  ControlWord(const ControlWord&) = delete;
  ControlWord& operator=(const ControlWord&) = delete;

 private:
  unsigned saved_;
};

constexpr unsigned default_control = 0x1f80;
constexpr unsigned flush_to_zero = default_control | 0x8000 | 0x0040;  // FTZ and DAZ
constexpr unsigned downwards = default_control | 0x2000;
constexpr unsigned upwards = default_control | 0x4000;
constexpr unsigned towards_zero = default_control | 0x6000;
constexpr unsigned foreign_controls[] = {flush_to_zero, downwards, upwards, towards_zero,
                                         flush_to_zero | upwards};

__attribute__((target("f16c"))) HalfBits convert_f16c(std::uint32_t bits) {
  const __m128i half = _mm_cvtps_ph(_mm_set_ss(float_of(bits)), _MM_FROUND_TO_NEAREST_INT);
  return static_cast<HalfBits>(_mm_cvtsi128_si32(half));
}

/// How many of the 2^30 FP32 numbers from `first` on differ, under any control word, between F16C
/// and the portable rounding.
std::uint64_t differences_to_f16c(std::uint32_t first) {
  constexpr std::size_t block = 1U << 12;
  std::vector<float> floats(block);
  std::vector<HalfBits> expected(block);
  std::vector<HalfBits> found(block);
  std::uint64_t differences = 0;
  for (std::uint32_t offset = 0; offset < 1U << 30; offset += block) {
    for (std::uint32_t i = 0; i < block; ++i)
      floats[i] = float_of(first + offset + i);
    round_to_halves(floats.data(), expected.data(), block, VectorPath::portable);
    for (const unsigned control :
         {default_control, flush_to_zero, downwards, upwards, towards_zero}) {
      {
        const ControlWord scope(control);
        round_to_halves(floats.data(), found.data(), block, VectorPath::avx2);
      }
      if (found == expected) continue;
      for (std::size_t i = 0; i < block; ++i)
        differences += found[i] != expected[i] ? 1 : 0;
    }
  }
  return differences;
}

#endif

}  // namespace

TEST_CASE("half: FP32 rounds to the nearest FP16, ties to even, subnormals kept") {
  CHECK(half_of(0x33000000) == 0x0000);  // half of the smallest subnormal
  CHECK(half_of(0x33000001) == 0x0001);
  CHECK(half_of(0x33C00000) == 0x0002);  // one and a half of it
  CHECK(half_of(0x387FE000) == 0x0400);  // from the largest subnormal up to a normal
  CHECK(half_of(0x45001000) == 0x6800);  // 2049
  CHECK(half_of(0x45003000) == 0x6802);  // 2051
}

TEST_CASE("half: FP32 below 65520 rounds to 65504, from 65520 on to infinity") {
  CHECK(half_of(0x477FEFFF) == 0x7BFF);
  CHECK(half_of(0x477FF000) == 0x7C00);
  CHECK(half_of(0xC77FEFFF) == 0xFBFF);
  CHECK(half_of(0xC77FF000) == 0xFC00);
  CHECK(half_of(0x7F7FFFFF) == 0x7C00);
  CHECK(half_of(0x7F800000) == 0x7C00);
}

TEST_CASE("half: a zero and an underflow keep their sign") {
  CHECK(half_of(0x00000000) == 0x0000);
  CHECK(half_of(0x80000000) == 0x8000);
  CHECK(half_of(0x00000001) == 0x0000);
  CHECK(half_of(0x80000001) == 0x8000);
}

TEST_CASE("half: a NaN is converted to a quiet NaN with its sign and upper payload") {
  CHECK(half_of(0x7F800001) == 0x7E00);
  CHECK(half_of(0x7F802000) == 0x7E01);
  CHECK(half_of(0x7FFFFFFF) == 0x7FFF);
  CHECK(half_of(0xFF803FFF) == 0xFE01);
  CHECK(half_of(0xFFC00000) == 0xFE00);
}

TEST_CASE("half: a NaN that arithmetic rounds becomes 7E00") {
  CHECK(round_to_half(float_of(0x7F800001)) == 0x7E00);
  CHECK(round_to_half(float_of(0xFFC00000)) == 0x7E00);
  CHECK(round_to_half(float_of(0x7FFFFFFF)) == 0x7E00);
  CHECK(round_to_half(-std::numeric_limits<double>::quiet_NaN()) == 0x7E00);
}

TEST_CASE("half: every midpoint of two halves goes to the even one, its neighbours to the nearer") {
  CHECK(wrong_float_roundings(all_midpoints()) == 0);
}

TEST_CASE("half: FP64 is rounded once") {
  CHECK(round_to_half(1 + 0x1p-11) == 0x3C00);
  CHECK(round_to_half(1 + 0x1p-11 + 0x1p-40) == 0x3C01);  // a tie after rounding to FP32
  CHECK(round_to_half(1 + 0x3p-11 - 0x1p-40) == 0x3C01);
  CHECK(round_to_half(-1 - 0x1p-11 - 0x1p-40) == 0xBC01);
  CHECK(round_to_half(0x1p-25 + 0x1p-60) == 0x0001);
  CHECK(round_to_half(65520 - 0x1p-30) == 0x7BFF);
  CHECK(wrong_double_roundings(all_midpoints()) == 0);
}

TEST_CASE("half: FP64 beyond the range of FP32 becomes infinity or a signed zero") {
  CHECK(round_to_half(1e300) == 0x7C00);
  CHECK(round_to_half(-1e300) == 0xFC00);
  CHECK(round_to_half(-std::numeric_limits<double>::infinity()) == 0xFC00);
  CHECK(round_to_half(1e-300) == 0x0000);
  CHECK(round_to_half(-1e-300) == 0x8000);
  CHECK(round_to_half(-0.0) == 0x8000);
}

TEST_CASE("half: FP16 widens exactly, a signalling NaN becomes quiet") {
  CHECK(bits_of(half_to_float(0x0001)) == 0x33800000);
  CHECK(bits_of(half_to_float(0x03FF)) == 0x387FC000);
  CHECK(bits_of(half_to_float(0x0400)) == 0x38800000);
  CHECK(bits_of(half_to_float(0x3C00)) == 0x3F800000);
  CHECK(bits_of(half_to_float(0x7BFF)) == 0x477FE000);
  CHECK(bits_of(half_to_float(0x8000)) == 0x80000000);
  CHECK(bits_of(half_to_float(0xFC00)) == 0xFF800000);
  CHECK(bits_of(half_to_float(0x7C01)) == 0x7FC02000);
  CHECK(bits_of(half_to_float(0xFFFF)) == 0xFFFFE000);
}

TEST_CASE("half: all 65536 halves survive the way to FP32 and back, NaNs quiet") {
  std::size_t changed = 0;
  for (const HalfBits half : all_halves()) {
    const auto expected = static_cast<HalfBits>(half_is_nan(half) ? half | 0x0200 : half);
    if (float_to_half(half_to_float(half)) != expected) ++changed;
  }
  CHECK(changed == 0);
}

TEST_CASE("half: exactly 2046 halves are NaN and two are infinite") {
  std::size_t nans = 0;
  std::size_t infinities = 0;
  for (const HalfBits half : all_halves()) {
    nans += half_is_nan(half) ? 1 : 0;
    infinities += half_is_infinite(half) ? 1 : 0;
  }
  CHECK(nans == 2046);
  CHECK(infinities == 2);
}

TEST_CASE("half: every finite half is its significand times two to its exponent") {
  std::size_t wrong = 0;
  for (const HalfBits half : all_halves()) {
    if (half_is_nan(half) || half_is_infinite(half)) continue;
    const HalfParts parts = half_parts(half);
    const float value = std::ldexp(static_cast<float>(parts.significand), parts.exponent);
    if (std::abs(parts.significand) > 2047 || value != half_to_float(half)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("half: subnormals and zeros have exponent -24 and no hidden bit") {
  CHECK(half_parts(0x83FF).significand == -1023);
  CHECK(half_parts(0x83FF).exponent == -24);
  CHECK(half_parts(0x0400).significand == 1024);
  CHECK(half_parts(0x0400).exponent == -24);
  CHECK(half_parts(0x8000).significand == 0);
  CHECK(half_parts(0x8000).exponent == -24);
}

TEST_CASE("half: conversions in bulk write as many values as asked, in both paths") {
  const VectorPath path = GENERATE(VectorPath::portable, VectorPath::avx2);
  if (path == VectorPath::avx2 && !has_avx2()) return;
  constexpr HalfBits guard = 0xABCD;
  for (std::size_t count = 0; count <= 17; ++count) {
    CAPTURE(count);
    std::vector<HalfBits> halves(18, HalfBits{0x4200});
    std::vector<float> floats(18, -1.0F);
    halves_to_floats(halves.data(), floats.data(), count, path);
    std::vector<float> expected_floats(18, -1.0F);
    std::fill_n(expected_floats.begin(), count, 3.0F);
    CHECK(floats == expected_floats);

    std::fill(halves.begin(), halves.end(), guard);
    std::fill(floats.begin(), floats.end(), -std::numeric_limits<float>::quiet_NaN());
    round_to_halves(floats.data(), halves.data(), count, path);
    std::vector<HalfBits> expected_halves(18, guard);
    std::fill_n(expected_halves.begin(), count, HalfBits{0x7E00});
    CHECK(halves == expected_halves);
  }
}

TEST_CASE("half: F16C widens all 65536 halves to the same bits") {
  if (!has_avx2()) return;
  CHECK(all_halves_widened(VectorPath::avx2) == all_halves_widened(VectorPath::portable));
}

#if defined(__x86_64__)

TEST_CASE("half: the portable conversions do not depend on the control word") {
  const std::vector<Midpoint> midpoints = all_midpoints();
  const std::vector<std::uint32_t> widened = all_halves_widened(VectorPath::portable);
  for (const unsigned control : foreign_controls) {
    std::size_t wrong = 0;
    std::vector<std::uint32_t> widened_now;
    {
      const ControlWord scope(control);
      wrong = wrong_float_roundings(midpoints);
      widened_now = all_halves_widened(VectorPath::portable);
    }
    CAPTURE(control);
    CHECK(wrong == 0);
    CHECK(widened_now == widened);
  }
}

TEST_CASE("half: F16C widens to the same bits under every control word") {
  if (!has_avx2()) return;
  const std::vector<std::uint32_t> widened = all_halves_widened(VectorPath::portable);
  for (const unsigned control : foreign_controls) {
    std::vector<std::uint32_t> widened_now;
    {
      const ControlWord scope(control);
      widened_now = all_halves_widened(VectorPath::avx2);
    }
    CAPTURE(control);
    CHECK(widened_now == widened);
  }
}

TEST_CASE("half: FP64 is rounded to nearest under every control word") {
  // Just beside a midpoint as FP32 sees it, and far out of its range.
  const std::vector<double> values = {1 + 0x1p-11,
                                      1 + 0x1p-11 + 0x1p-40,
                                      1 + 0x3p-11 - 0x1p-40,
                                      -0x1p-25,
                                      -0x1p-25 - 0x1p-60,
                                      65520 - 0x1p-30,
                                      -65520,
                                      1e300,
                                      -1e-42,
                                      -1e-300,
                                      5e-324};
  const std::vector<HalfBits> expected = {0x3C00, 0x3C01, 0x3C01, 0x8000, 0x8001, 0x7BFF,
                                          0xFC00, 0x7C00, 0x8000, 0x8000, 0x0000};
  for (const unsigned control : foreign_controls) {
    std::vector<HalfBits> found;
    {
      const ControlWord scope(control);
      for (const double value : values)
        found.push_back(round_to_half(value));
    }
    CAPTURE(control);
    CHECK(found == expected);
  }
}

TEST_CASE("half: F16C keeps the same of each of the 2^24 NaNs") {
  if (!has_avx2()) return;
  std::size_t differences = 0;
  for (std::uint32_t payload = 1; payload < 1U << 23; ++payload) {
    for (const std::uint32_t sign : {0U, 0x80000000U}) {
      const std::uint32_t bits = sign | 0x7F800000U | payload;
      if (half_of(bits) != convert_f16c(bits)) ++differences;
    }
  }
  CHECK(differences == 0);
}

// All 2^32 numbers, under the default and the foreign control words; in four parts that can run
// side by side.
TEST_CASE("half: F16C rounds to the same bits: 00000000 to 3FFFFFFF") {
  if (has_avx2()) CHECK(differences_to_f16c(0x00000000) == 0);
}
TEST_CASE("half: F16C rounds to the same bits: 40000000 to 7FFFFFFF") {
  if (has_avx2()) CHECK(differences_to_f16c(0x40000000) == 0);
}
TEST_CASE("half: F16C rounds to the same bits: 80000000 to BFFFFFFF") {
  if (has_avx2()) CHECK(differences_to_f16c(0x80000000) == 0);
}
TEST_CASE("half: F16C rounds to the same bits: C0000000 to FFFFFFFF") {
  if (has_avx2()) CHECK(differences_to_f16c(0xC0000000) == 0);
}

#endif
