#pragma once

namespace eva {

/// Which instructions a hot loop uses. Every path gives the same bits (docs/numerics.md).
enum class VectorPath {
  portable,
  avx2  ///< AVX2 with F16C
};

/// The widest path that this processor has; asked once.
VectorPath best_vector_path();

}  // namespace eva
