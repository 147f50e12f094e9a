#include "numerics/aligned_accumulator.h"

#include <cmath>

namespace eva {
namespace {

std::int32_t shift_towards_zero(std::int32_t value, std::int32_t shift) {
  if (shift >= 32) return 0;
  const std::uint32_t magnitude =
      (value < 0 ? 0U - static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(value)) >>
      shift;
  return value < 0 ? -static_cast<std::int32_t>(magnitude) : static_cast<std::int32_t>(magnitude);
}

}  // namespace

void AlignedAccumulator::add(HalfParts product) {
  if (product.significand == 0) return;
  std::int32_t addend = product.significand * (1 << guard_bits);
  if (empty_) {
    exponent_ = product.exponent;
    empty_ = false;
  } else if (product.exponent > exponent_) {
    sum_ = shift_towards_zero(sum_, product.exponent - exponent_);
    exponent_ = product.exponent;
  } else {
    addend = shift_towards_zero(addend, exponent_ - product.exponent);
  }
  sum_ += addend;
}

HalfBits AlignedAccumulator::round() const {
  std::int32_t value = sum_;
  std::int32_t exponent = exponent_ - guard_bits;
  // FP32 holds 24 bits. The bits below are kept as one sticky bit ("round to odd"), so that the
  // only rounding is the one to FP16.
  if (value >= (1 << 24) || value <= -(1 << 24)) {
    const bool sticky = (value & 0x7f) != 0;
    value = shift_towards_zero(value, 7);
    exponent += 7;
    if (sticky) value = value < 0 ? -(-value | 1) : value | 1;
  }
  return round_to_half(std::ldexp(static_cast<float>(value), exponent));
}

}  // namespace eva
