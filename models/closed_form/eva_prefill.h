#pragma once

#include "closed_form/closed_form.h"

namespace eva::closed_form {

/// Cycles and DRAM traffic of one layer of M tokens, K inputs, N outputs on EVA's INT8 path
/// (activations and weights of 8 bits), which serves prefill, attention and whatever has too many
/// tokens for the decode form. The array (R x L elements of p INT8 products each) holds a tile of
/// R outputs by p L inputs (32 x 32 as published) while up to 1024 tokens stream through it.
///
/// With c(a, b) = ceil(a / b):
///
///     fold    = t + R + L                for a tile of t tokens, weight preload hidden
///               t + 2 R + L - 2          with the preload visible: EvaChip::weight_preload_hidden
///     compute = c(N, R) c(K, p L) times the sum of fold over the token tiles
///               (tiles of 1024 tokens and a rest, not equal parts as on the dense arrays)
///
/// Traffic, in buffer tiles of 1024 tokens, 64 inputs and 128 outputs:
///
///     T = M K 8 c(N, 128) (activations) + K N 8 c(M, 1024) (weights)
///       + M N 8 c(K, 64)  (partial outputs from the second input tile on, and the output once)
///     I = min(p L, K) (min(1024, M) + min(R, N)) 8
///
/// `compose` makes the result of compute, T and I. As published, partial outputs cross the memory
/// bus at 8 bits, once per input tile.
///
/// Source: arXiv 2605.24144 and its artifact's simulator; reproduces Figure 8 (prefill), the INT8
/// points of Figure 11 and the prefill and attention of Figures 12 and 13 to the cycle.
/// Throws std::invalid_argument for a dimension of 0 or above `max_dimension`, or a chip out of
/// range.
Result eva_prefill(const Layer& layer, const EvaChip& chip = {});

}  // namespace eva::closed_form
