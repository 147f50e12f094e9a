#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "numerics/half.h"

namespace eva {

/// How an array column sums its FP16 products.
enum class ProductAccumulation {
  int32_aligned,  ///< AlignedAccumulator
  fp32            ///< FP32, sequential, starting at +0
};

/// A codebook of `entries` vectors of `length` FP16 elements, held as the array streams it: element
/// by element across all entries, and already split into significands and exponents.
class Codebook {
 public:
  /// `elements`: [entries][length], row major; length 1 to AlignedAccumulator::maximum_terms, else
  /// throws std::invalid_argument.
  Codebook(const HalfBits* elements, std::size_t entries, std::size_t length);

  [[nodiscard]] std::size_t entries() const { return entries_; }
  [[nodiscard]] std::size_t length() const { return length_; }

  /// One row of the output codebook: out[e] = Σ_k x[k] · codebook[e][k], summed in ascending k and
  /// rounded once to FP16 (docs/numerics.md, 3). x: [length], out: [entries].
  /// Any NaN product, or infinities of both signs, give the canonical NaN; else an infinite product
  /// gives that infinity. Returns whether a finite sum became infinite.
  bool multiply(const HalfBits* x, ProductAccumulation accumulation, HalfBits* out,
                VectorPath path = best_vector_path()) const;

 private:
  [[nodiscard]] HalfBits special_sum(const HalfBits* x, std::size_t entry) const;
  [[nodiscard]] bool has_special(const HalfBits* x, std::size_t entry) const;
  void multiply_aligned(const HalfBits* x, HalfBits* out, std::size_t first) const;
  void multiply_aligned_avx2(const HalfBits* x, HalfBits* out) const;
  void multiply_fp32(const HalfBits* x, HalfBits* out, VectorPath path) const;

  std::size_t entries_;
  std::size_t length_;
  bool special_ = false;            ///< some element is infinite or NaN
  std::vector<HalfBits> elements_;  ///< [length][entries], as the next three
  std::vector<std::int32_t> significands_;
  std::vector<std::int32_t> exponents_;
  std::vector<float> values_;
};

}  // namespace eva
