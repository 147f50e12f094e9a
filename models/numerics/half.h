#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/vector_path.h"

namespace eva {

/// IEEE 754 binary16 ("FP16") as its bits.
using HalfBits = std::uint16_t;

/// What every NaN that arithmetic produces is written as, since hosts differ in sign and payload.
constexpr HalfBits half_canonical_nan = 0x7e00;
constexpr HalfBits half_infinity = 0x7c00;

constexpr bool half_is_nan(HalfBits h) {
  return (h & 0x7fffU) > 0x7c00U;
}
constexpr bool half_is_infinite(HalfBits h) {
  return (h & 0x7fffU) == 0x7c00U;
}

/// A finite FP16 number as significand · 2^exponent with |significand| < 2048.
/// Subnormals have exponent -24 and no hidden bit.
struct HalfParts {
  std::int32_t significand;
  std::int32_t exponent;
};

/// Splits a finite `h`; the exponent of a zero is that of a subnormal.
constexpr HalfParts half_parts(HalfBits h) {
  const std::int32_t biased = (h >> 10) & 0x1f;
  const std::int32_t fraction = h & 0x3ff;
  const std::int32_t magnitude = biased == 0 ? fraction : fraction | 0x400;
  return {(h & 0x8000U) != 0 ? -magnitude : magnitude, biased == 0 ? -24 : biased - 25};
}

/// Exact. A signalling NaN becomes quiet and keeps its payload.
float half_to_float(HalfBits h);

/// Rounds to nearest even, keeping subnormals; beyond 65519.99… becomes infinite. A NaN becomes
/// quiet and keeps sign and upper payload, as F16C does: this is a conversion, not arithmetic.
HalfBits float_to_half(float value);

/// The rounding at the end of an arithmetic operation: as float_to_half, but any NaN becomes
/// half_canonical_nan.
HalfBits round_to_half(float value);
/// As above, for an exact sum that FP32 would round a first time.
HalfBits round_to_half(double value);

/// The same for `count` values; the arrays must not overlap.
void halves_to_floats(const HalfBits* halves, float* floats, std::size_t count,
                      VectorPath path = best_vector_path());
void round_to_halves(const float* floats, HalfBits* halves, std::size_t count,
                     VectorPath path = best_vector_path());

}  // namespace eva
