#include "numerics/codebook_product.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "numerics/aligned_accumulator.h"
#include "numerics/mixed_precision_pe.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace eva {
namespace {

bool is_special(HalfBits h) {
  return half_is_nan(h) || half_is_infinite(h);
}

}  // namespace

Codebook::Codebook(const HalfBits* elements, std::size_t entries, std::size_t length)
    : entries_(entries),
      length_(length),
      elements_(entries * length),
      significands_(entries * length),
      exponents_(entries * length),
      values_(entries * length) {
  if (length < 1 || length > AlignedAccumulator::maximum_terms) {
    throw std::invalid_argument("codebook: vector length is " + std::to_string(length) +
                                ", expected 1.." +
                                std::to_string(AlignedAccumulator::maximum_terms));
  }
  for (std::size_t e = 0; e < entries; ++e) {
    for (std::size_t k = 0; k < length; ++k) {
      const HalfBits element = elements[e * length + k];
      const std::size_t at = k * entries + e;
      const HalfParts parts = half_parts(element);
      elements_[at] = element;
      significands_[at] = parts.significand;
      exponents_[at] = parts.exponent;
      values_[at] = half_to_float(element);
      special_ = special_ || is_special(element);
    }
  }
}

bool Codebook::multiply(const HalfBits* x, ProductAccumulation accumulation, HalfBits* out,
                        VectorPath path) const {
  if (accumulation == ProductAccumulation::fp32) {
    multiply_fp32(x, out, path);
  } else if (path == VectorPath::avx2) {
    multiply_aligned_avx2(x, out);
  } else {
    multiply_aligned(x, out, 0);
  }
  bool overflow = false;
  if (special_ || std::any_of(x, x + length_, is_special)) {
    for (std::size_t e = 0; e < entries_; ++e) {
      if (has_special(x, e)) {
        out[e] = special_sum(x, e);
      } else {
        overflow = overflow || half_is_infinite(out[e]);
      }
    }
    return overflow;
  }
  for (std::size_t e = 0; e < entries_; ++e)
    overflow = overflow || half_is_infinite(out[e]);
  return overflow;
}

bool Codebook::has_special(const HalfBits* x, std::size_t entry) const {
  for (std::size_t k = 0; k < length_; ++k) {
    if (is_special(x[k]) || is_special(elements_[k * entries_ + entry])) return true;
  }
  return false;
}

HalfBits Codebook::special_sum(const HalfBits* x, std::size_t entry) const {
  bool positive = false;
  bool negative = false;
  for (std::size_t k = 0; k < length_; ++k) {
    const HalfBits a = x[k];
    const HalfBits b = elements_[k * entries_ + entry];
    if (!is_special(a) && !is_special(b)) continue;
    const bool zero = (a & 0x7fffU) == 0 || (b & 0x7fffU) == 0;
    if (half_is_nan(a) || half_is_nan(b) || zero) return half_canonical_nan;
    (((a ^ b) & 0x8000U) != 0 ? negative : positive) = true;
  }
  if (positive && negative) return half_canonical_nan;
  return static_cast<HalfBits>(half_infinity | (negative ? 0x8000U : 0U));
}

void Codebook::multiply_aligned(const HalfBits* x, HalfBits* out, std::size_t first) const {
  for (std::size_t e = first; e < entries_; ++e) {
    AlignedAccumulator accumulator;
    for (std::size_t k = 0; k < length_; ++k) {
      const std::size_t at = k * entries_ + e;
      accumulator.add(half_product(half_parts(x[k]), {significands_[at], exponents_[at]}));
    }
    out[e] = accumulator.round();
  }
}

void Codebook::multiply_fp32(const HalfBits* x, HalfBits* out, VectorPath path) const {
  constexpr std::size_t block = 64;
  float sums[block];
  for (std::size_t first = 0; first < entries_; first += block) {
    const std::size_t count = std::min(block, entries_ - first);
    std::fill_n(sums, count, 0.0F);
    for (std::size_t k = 0; k < length_; ++k) {
      const float factor = half_to_float(x[k]);
      const float* values = values_.data() + k * entries_ + first;
      for (std::size_t i = 0; i < count; ++i)
        sums[i] += factor * values[i];
    }
    round_to_halves(sums, out + first, count, path);
  }
}

#if defined(__x86_64__)

// AlignedAccumulator for eight entries at a time. Shifts by 32 and more give 0 in these
// instructions, as the contract asks.
__attribute__((target("avx2,f16c"))) void Codebook::multiply_aligned_avx2(const HalfBits* x,
                                                                          HalfBits* out) const {
  const __m256i zero = _mm256_setzero_si256();
  // Far below any product's exponent: the first product always shifts the (zero) sum out.
  const __m256i no_exponent = _mm256_set1_epi32(-1000);
  std::size_t e = 0;
  for (; e + 8 <= entries_; e += 8) {
    __m256i sum = zero;
    __m256i exponent = no_exponent;
    for (std::size_t k = 0; k < length_; ++k) {
      const HalfParts factor = half_parts(x[k]);
      const std::size_t at = k * entries_ + e;
      const __m256i product = _mm256_mullo_epi32(
          _mm256_set1_epi32(factor.significand),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&significands_[at])));
      __m256i product_exponent =
          _mm256_add_epi32(_mm256_set1_epi32(factor.exponent),
                           _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&exponents_[at])));
      product_exponent =
          _mm256_blendv_epi8(product_exponent, exponent, _mm256_cmpeq_epi32(product, zero));
      const __m256i larger = _mm256_max_epi32(exponent, product_exponent);
      const __m256i addend = _mm256_slli_epi32(product, AlignedAccumulator::guard_bits);
      const __m256i aligned_sum = _mm256_sign_epi32(
          _mm256_srlv_epi32(_mm256_abs_epi32(sum), _mm256_sub_epi32(larger, exponent)), sum);
      const __m256i aligned_addend = _mm256_sign_epi32(
          _mm256_srlv_epi32(_mm256_abs_epi32(addend), _mm256_sub_epi32(larger, product_exponent)),
          addend);
      sum = _mm256_add_epi32(aligned_sum, aligned_addend);
      exponent = larger;
    }
    exponent = _mm256_sub_epi32(exponent, _mm256_set1_epi32(AlignedAccumulator::guard_bits));
    // As AlignedAccumulator::round: keep 24 bits and a sticky one.
    const __m256i magnitude = _mm256_abs_epi32(sum);
    const __m256i wide = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32((1 << 24) - 1));
    const __m256i lost =
        _mm256_cmpgt_epi32(_mm256_and_si256(magnitude, _mm256_set1_epi32(0x7f)), zero);
    const __m256i shortened = _mm256_or_si256(_mm256_srli_epi32(magnitude, 7),
                                              _mm256_and_si256(lost, _mm256_set1_epi32(1)));
    const __m256i kept = _mm256_sign_epi32(_mm256_blendv_epi8(magnitude, shortened, wide), sum);
    exponent = _mm256_add_epi32(exponent, _mm256_and_si256(wide, _mm256_set1_epi32(7)));
    // A column without any product has the stand-in exponent; its sum is 0 at any scale.
    exponent = _mm256_max_epi32(exponent, _mm256_set1_epi32(-60));
    const __m256 scale = _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_add_epi32(exponent, _mm256_set1_epi32(127)), 23));
    const __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(kept), scale);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + e),
                     _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  multiply_aligned(x, out, e);
}

#else

void Codebook::multiply_aligned_avx2(const HalfBits* x, HalfBits* out) const {
  multiply_aligned(x, out, 0);
}

#endif

}  // namespace eva
