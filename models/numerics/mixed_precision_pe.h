#pragma once

#include <cstdint>

#include "numerics/half.h"

namespace eva {

/// The processing element of the reconfigurable array (EVA, section on the mixed-precision PE):
/// four small integer multipliers serve four INT8 products, or one FP16 product whose 11-bit
/// significands are split into 6 + 5 bits.

/// The product of two significands, each below 2048, out of the four integer products. Exact.
constexpr std::uint32_t significand_product(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t a_high = a >> 5, a_low = a & 0x1fU;
  const std::uint32_t b_high = b >> 5, b_low = b & 0x1fU;
  return ((a_high * b_high) << 10) + ((a_high * b_low + a_low * b_high) << 5) + a_low * b_low;
}

/// The exact product of two finite FP16 numbers: significand · 2^exponent, |significand| < 2^22.
constexpr HalfParts half_product(HalfParts a, HalfParts b) {
  const auto magnitude = static_cast<std::int32_t>(significand_product(
      static_cast<std::uint32_t>(a.significand < 0 ? -a.significand : a.significand),
      static_cast<std::uint32_t>(b.significand < 0 ? -b.significand : b.significand)));
  const bool negative = (a.significand < 0) != (b.significand < 0);
  return {negative ? -magnitude : magnitude, a.exponent + b.exponent};
}

}  // namespace eva
