#pragma once

#include <cstdint>

#include "numerics/half.h"

namespace eva {

/// The shared 32-bit accumulator at the foot of an array column, in FP16 mode: an integer with an
/// exponent, aligned to the larger exponent at each addition.
///
/// 22 bits of product, 4 guard bits below and 5 bits of head room above: up to 32 products.
class AlignedAccumulator {
 public:
  static constexpr int guard_bits = 4;
  static constexpr int maximum_terms = 32;

  /// Adds a product (|significand| < 2^22). Whichever side has the smaller exponent is shifted
  /// right first, and what leaves the guard bits is truncated towards zero. A zero product does not
  /// take part in the alignment.
  void add(HalfParts product);

  /// The sum rounded once to FP16, to nearest even. No term or full cancellation gives +0.
  [[nodiscard]] HalfBits round() const;

 private:
  std::int32_t sum_ = 0;
  std::int32_t exponent_ = 0;
  bool empty_ = true;
};

}  // namespace eva
