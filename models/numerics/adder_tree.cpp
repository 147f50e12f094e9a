#include "numerics/adder_tree.h"

#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace eva {
namespace {

float round_to(SumPrecision precision, float value) {
  return precision == SumPrecision::fp32 ? value : half_to_float(round_to_half(value));
}

#if defined(__x86_64__)
__attribute__((target("avx2,f16c"))) void accumulate_avx2(const HalfBits* lanes,
                                                          std::size_t lane_stride,
                                                          std::size_t columns, float* sums,
                                                          std::size_t sum_stride) {
  for (std::size_t column = 0; column < columns; ++column) {
    const auto* source = reinterpret_cast<const __m128i*>(lanes + column * lane_stride);
    const __m256 a = _mm256_cvtph_ps(_mm_loadu_si128(source));
    const __m256 b = _mm256_cvtph_ps(_mm_loadu_si128(source + 1));
    const __m256 c = _mm256_cvtph_ps(_mm_loadu_si128(source + 2));
    const __m256 d = _mm256_cvtph_ps(_mm_loadu_si128(source + 3));
    const __m256 eight = _mm256_add_ps(_mm256_add_ps(a, c), _mm256_add_ps(b, d));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    const __m128 one = _mm_add_ss(two, _mm_movehdup_ps(two));
    sums[column * sum_stride] += _mm_cvtss_f32(one);
  }
}
#endif

}  // namespace

float adder_tree_sum(const HalfBits* lanes, SumPrecision precision, bool& overflow) {
  float values[adder_tree_lanes];
  for (std::size_t i = 0; i < adder_tree_lanes; ++i)
    values[i] = half_to_float(lanes[i]);
  for (std::size_t width = adder_tree_lanes / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) {
      const bool finite = std::isfinite(values[i]) && std::isfinite(values[i + width]);
      values[i] = round_to(precision, values[i] + values[i + width]);
      overflow = overflow || (finite && !std::isfinite(values[i]));
    }
  }
  return values[0];
}

bool accumulate_look_ups(const HalfBits* lanes, std::size_t lane_stride, std::size_t columns,
                         SumPrecision tree, SumPrecision output, float* sums,
                         std::size_t sum_stride, VectorPath path) {
#if defined(__x86_64__)
  // 32 finite FP16 values and any number of them below 2^111 cannot overflow FP32.
  if (path == VectorPath::avx2 && tree == SumPrecision::fp32 && output == SumPrecision::fp32) {
    accumulate_avx2(lanes, lane_stride, columns, sums, sum_stride);
    return false;
  }
#endif
  static_cast<void>(path);
  bool overflow = false;
  for (std::size_t column = 0; column < columns; ++column) {
    float& sum = sums[column * sum_stride];
    const float addend = adder_tree_sum(lanes + column * lane_stride, tree, overflow);
    const bool finite = std::isfinite(sum) && std::isfinite(addend);
    // Both are multiples of 2^-24 below 2^29: their sum is exact in FP64, and rounded once.
    sum =
        output == SumPrecision::fp32
            ? sum + addend
            : half_to_float(round_to_half(static_cast<double>(sum) + static_cast<double>(addend)));
    overflow = overflow || (finite && !std::isfinite(sum));
  }
  return overflow;
}

}  // namespace eva
