#include "numerics/int8_product.h"

#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace eva {
namespace {

#if defined(__x86_64__)

__attribute__((target("avx2"))) inline __m256i widen(const std::int8_t* bytes) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
}

// Pairs of inputs are multiplied and added in 16 x 16 -> 32 bits, which cannot saturate: the only
// case that would, two products of (-32768)(-32768), needs operands that INT8 does not have.
__attribute__((target("avx2"))) void accumulate_avx2(const std::int8_t* activations,
                                                     const std::int8_t* weights, std::size_t tokens,
                                                     std::size_t inputs, std::int32_t* sums) {
  constexpr std::size_t pairs = int8_block / 2;
  alignas(32) std::int16_t pair_weights[pairs][int8_block][2];
  for (std::size_t k = 0; k < inputs; k += 2) {
    // Weights beyond `inputs` count as zero, so that the activations there do not matter.
    const std::int8_t* even = weights + k * int8_block;
    for (std::size_t j = 0; j < int8_block; j += 16) {
      const __m256i a = widen(even + j);
      const __m256i b = k + 1 < inputs ? widen(even + int8_block + j) : _mm256_setzero_si256();
      const __m256i low = _mm256_unpacklo_epi16(a, b);   // columns 0-3 and 8-11
      const __m256i high = _mm256_unpackhi_epi16(a, b);  // columns 4-7 and 12-15
      auto* target = reinterpret_cast<__m256i*>(pair_weights[k / 2][j]);
      _mm256_store_si256(target, _mm256_permute2x128_si256(low, high, 0x20));
      _mm256_store_si256(target + 1, _mm256_permute2x128_si256(low, high, 0x31));
    }
  }
  const std::size_t used_pairs = (inputs + 1) / 2;
  alignas(32) std::int16_t wide[4][int8_block] = {};
  for (std::size_t t = 0; t < tokens; t += 4) {
    const std::size_t count = tokens - t < 4 ? tokens - t : 4;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int8_t* row = activations + (t + i) * int8_block;
      auto* target = reinterpret_cast<__m256i*>(wide[i]);
      _mm256_store_si256(target, widen(row));
      _mm256_store_si256(target + 1, widen(row + 16));
    }
    for (std::size_t half = 0; half < 2; ++half) {  // 16 columns at a time: 8 sums in registers
      auto* target = reinterpret_cast<__m256i*>(sums + t * int8_block + half * 16);
      constexpr std::size_t row = int8_block / 8;  // vectors of a token's sums
      __m256i total[4][2];
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
          total[i][j] =
              i < count ? _mm256_loadu_si256(target + i * row + j) : _mm256_setzero_si256();
        }
      }
      for (std::size_t p = 0; p < used_pairs; ++p) {
        const auto* source = reinterpret_cast<const __m256i*>(pair_weights[p][half * 16]);
        const __m256i w0 = _mm256_load_si256(source);
        const __m256i w1 = _mm256_load_si256(source + 1);
        for (std::size_t i = 0; i < 4; ++i) {
          std::int32_t pair = 0;
          std::memcpy(&pair, &wide[i][2 * p], sizeof pair);
          const __m256i x = _mm256_set1_epi32(pair);
          total[i][0] = _mm256_add_epi32(total[i][0], _mm256_madd_epi16(x, w0));
          total[i][1] = _mm256_add_epi32(total[i][1], _mm256_madd_epi16(x, w1));
        }
      }
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < 2; ++j)
          _mm256_storeu_si256(target + i * row + j, total[i][j]);
      }
    }
  }
}

#endif

}  // namespace

void accumulate_int8_block(const std::int8_t* activations, const std::int8_t* weights,
                           std::size_t tokens, std::size_t inputs, std::int32_t* sums,
                           VectorPath path) {
#if defined(__x86_64__)
  if (path == VectorPath::avx2) {
    accumulate_avx2(activations, weights, tokens, inputs, sums);
    return;
  }
#endif
  static_cast<void>(path);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t k = 0; k < inputs; ++k) {
      const std::int32_t x = activations[t * int8_block + k];
      for (std::size_t j = 0; j < int8_block; ++j) {
        sums[t * int8_block + j] += x * weights[k * int8_block + j];
      }
    }
  }
}

HalfBits dequantize_to_half(std::int32_t sum, float scale) {
  return round_to_half(static_cast<float>(sum) * scale);
}

std::int8_t requantize_to_int8(std::int32_t sum, float scale) {
  const float value = static_cast<float>(sum) * scale;
  if (std::isnan(value)) return 0;
  if (value >= 127.0F) return 127;
  if (value <= -128.0F) return -128;
  return static_cast<std::int8_t>(std::nearbyint(value));
}

}  // namespace eva
