#include "numerics/half.h"

#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace eva {
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

#if defined(__x86_64__)
__attribute__((target("avx2,f16c"))) void halves_to_floats_avx2(const HalfBits* halves,
                                                                float* floats, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(halves + i));
    _mm256_storeu_ps(floats + i, _mm256_cvtph_ps(h));
  }
  for (; i < count; ++i)
    floats[i] = half_to_float(halves[i]);
}

__attribute__((target("avx2,f16c"))) void round_to_halves_avx2(const float* floats,
                                                               HalfBits* halves,
                                                               std::size_t count) {
  std::size_t i = 0;
  const __m128i exponent_mask = _mm_set1_epi16(0x7c00);
  const __m128i magnitude_mask = _mm_set1_epi16(0x7fff);
  const __m128i canonical = _mm_set1_epi16(half_canonical_nan);
  for (; i + 8 <= count; i += 8) {
    // The immediate fixes the rounding mode, whatever MXCSR says.
    const __m128i h =
        _mm256_cvtps_ph(_mm256_loadu_ps(floats + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(h, magnitude_mask), exponent_mask);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(halves + i), _mm_blendv_epi8(h, canonical, nan));
  }
  for (; i < count; ++i)
    halves[i] = round_to_half(floats[i]);
}
#endif

}  // namespace

float half_to_float(HalfBits h) {
  const std::uint32_t sign = (h & 0x8000U) << 16;
  const std::uint32_t biased = (h >> 10) & 0x1fU;
  std::uint32_t fraction = h & 0x3ffU;
  if (biased == 0x1f) {
    const std::uint32_t quiet = fraction != 0 ? 0x400000U : 0;
    return float_of(sign | 0x7f800000U | quiet | (fraction << 13));
  }
  if (biased != 0) return float_of(sign | ((biased + 112) << 23) | (fraction << 13));
  if (fraction == 0) return float_of(sign);
  std::uint32_t exponent = 113;  // of 2^-14, the scale of a subnormal whose leading bit is bit 10
  while ((fraction & 0x400U) == 0) {
    fraction <<= 1;
    --exponent;
  }
  return float_of(sign | (exponent << 23) | ((fraction & 0x3ffU) << 13));
}

HalfBits float_to_half(float value) {
  const std::uint32_t bits = bits_of(value);
  const auto sign = static_cast<std::uint32_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    return static_cast<HalfBits>(sign | 0x7e00U | ((magnitude >> 13) & 0x1ffU));
  }
  if (magnitude >= 0x477ff000U) return static_cast<HalfBits>(sign | 0x7c00U);  // rounds to 2^16
  // `kept` has the result's bits above `dropped` bits that decide the rounding.
  std::uint32_t kept = 0;
  std::uint32_t dropped = 13;
  if (magnitude >= 0x38800000U) {
    kept = magnitude - (112U << 23);
  } else {
    const std::uint32_t exponent = magnitude >> 23;
    if (exponent < 102) return static_cast<HalfBits>(sign);  // below half of 2^-24
    kept = (magnitude & 0x7fffffU) | 0x800000U;
    dropped = 126 - exponent;
  }
  const std::uint32_t half_unit = 1U << (dropped - 1);
  const std::uint32_t odd = (kept >> dropped) & 1U;
  // A carry out of the fraction raises the exponent, which is the right result.
  return static_cast<HalfBits>(sign | ((kept + half_unit - 1 + odd) >> dropped));
}

HalfBits round_to_half(float value) {
  const HalfBits h = float_to_half(value);
  return half_is_nan(h) ? half_canonical_nan : h;
}

HalfBits round_to_half(double value) {
  // FP32 by rounding to odd: what it drops stays visible in the last bit, so that the rounding to
  // FP16 is the only one.
  const auto nearest = static_cast<float>(value);
  const auto difference = value - static_cast<double>(nearest);
  if (difference == 0 || std::isnan(difference)) return round_to_half(nearest);
  const bool too_far = (difference < 0) == (nearest > 0);
  const float towards_zero = too_far ? std::nextafter(nearest, 0.0F) : nearest;
  return round_to_half(float_of(bits_of(towards_zero) | 1U));
}

void halves_to_floats(const HalfBits* halves, float* floats, std::size_t count, VectorPath path) {
#if defined(__x86_64__)
  if (path == VectorPath::avx2) {
    halves_to_floats_avx2(halves, floats, count);
    return;
  }
#endif
  static_cast<void>(path);
  for (std::size_t i = 0; i < count; ++i)
    floats[i] = half_to_float(halves[i]);
}

void round_to_halves(const float* floats, HalfBits* halves, std::size_t count, VectorPath path) {
#if defined(__x86_64__)
  if (path == VectorPath::avx2) {
    round_to_halves_avx2(floats, halves, count);
    return;
  }
#endif
  static_cast<void>(path);
  for (std::size_t i = 0; i < count; ++i)
    halves[i] = round_to_half(floats[i]);
}

}  // namespace eva
