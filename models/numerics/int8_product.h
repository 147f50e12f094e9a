#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/half.h"

namespace eva {

/// One stationary block of INT8 weights and the tokens that stream past it.
constexpr std::size_t int8_block = 32;

/// sums[t][j] += Σ_{k < inputs} activations[t][k] · weights[k][j], exactly, for j = 0..31.
/// activations: [tokens][32], weights: [32][32], sums: [tokens][32]; inputs is at most 32 and what
/// lies beyond it is not used. The caller bounds the inputs of a whole sum to 131071, so that no
/// sum leaves INT32 (docs/numerics.md, 5).
void accumulate_int8_block(const std::int8_t* activations, const std::int8_t* weights,
                           std::size_t tokens, std::size_t inputs, std::int32_t* sums,
                           VectorPath path = best_vector_path());

/// FP16(FP32(sum) · scale): both roundings to nearest even.
HalfBits dequantize_to_half(std::int32_t sum, float scale);

/// FP32(sum) · scale rounded to nearest even and saturated to [-128, 127]; NaN gives 0.
std::int8_t requantize_to_int8(std::int32_t sum, float scale);

}  // namespace eva
