#pragma once

#include <cstdint>

#include "closed_form/closed_form.h"

namespace eva::closed_form {

/// Additive vector quantization of a weight matrix: `codebooks` sets of 2^index_bits vectors of
/// `vector_length` FP16 elements along the inputs, and one index per codebook, vector and output.
struct VectorQuantization {
  std::uint64_t codebooks = 0;      ///< C, 1 to 8
  std::uint64_t vector_length = 0;  ///< d, 1 to 32
  std::uint64_t index_bits = 0;     ///< n, 1 to 16
  /// Outputs that share codebooks, at least 64; 0: all of them.
  std::uint64_t columns_per_codebook = 0;
};

struct DecodeOptions {
  /// Grouped codebooks: charge the GEMM of every group of the last tile of inputs. The published
  /// GPTVQ-4D figure leaves these out. Without grouping the option changes nothing.
  bool charge_last_groups_gemm = false;
};

/// More tokens than these are not run in decode form; the INT8 path (eva_prefill) serves them.
constexpr std::uint64_t max_decode_tokens = 64;

/// Cycles and DRAM traffic of one layer of M tokens, K inputs, N outputs in EVA's decode form: the
/// FP16 array (R x L) multiplies activation vectors by the whole codebook, and the epilogue units
/// (U of `lanes` lanes) look the products up and add them, overlapped with the next pass.
///
/// With c(a, b) = ceil(a / b), E = 2^n entries and G = N / columns_per_codebook groups (or 1):
///
///     m    = largest power of two <= M           tokens at a time, c(M, m) token tiles
///     k    = c(lanes U d, M), at most K          inputs of a pass
///     rows = c(k, d)                             vectors of a pass; fewer in the last input tile
///     g    = (c(d, L) E + R + L) c(rows m, R)    GEMM cycles of a pass, input stationary
///     e    = N / G                               epilogue cycles of a pass
///     passes of a token tile = c(K, k) C G, the input tile outermost
///     compute = g(first pass) + sum over token tiles of
///               (sum over all passes but the last b of max(g, e) + b (e + 6))
///
/// with b = G as published, 1 with `charge_last_groups_gemm`. Traffic is, in buffer tiles of
/// c(8192, M) inputs by c(8192, M) outputs:
///
///     T = C G d E 16 (codebooks) + N 16 (scales) + M K 16 (activations)
///       + C N n c(inputs of the tile, d) over the input tiles (indices)
///       + M N 16 written per input tile and read back from the second one on (outputs)
///     I = d E 16 + k m 16                        one codebook and the first activation tile
///
/// `compose` makes the result of compute, T and I.
///
/// Where the published model is odd, it is followed:
/// - 33 tokens are two full tiles of 32 and take as long as 64, although k is made from M: at
///   4096 x 4096 and 2 bits 2 098 396 cycles, against 1 049 814 for 32. k need not be a multiple
///   of d either: 63 tokens get k = 17 = 3 vectors and take 3 949 485 cycles, nearly twice what
///   64 tokens take.
/// - max(g, e) pairs a pass's epilogue with its own GEMM and not with the next one's.
/// - Buffers hold any codebook, also 2^16 entries. Indices take n bits, where the artifact counts
///   8 bits for every n (no published total depends on it).
/// The published points cover grouping with one codebook only.
///
/// Source: arXiv 2605.24144 and its artifact's simulator; reproduces Figures 8, 10, 11 and
/// Table III to the cycle.
/// Throws std::invalid_argument for more than `max_decode_tokens` tokens, for a value out of its
/// range, for K no multiple of d, or N no multiple of columns_per_codebook.
Result eva_decode(const Layer& layer, const VectorQuantization& quantization,
                  const EvaChip& chip = {}, const DecodeOptions& options = {});

}  // namespace eva::closed_form
