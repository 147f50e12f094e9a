#include "numerics/vector_path.h"

namespace eva {

VectorPath best_vector_path() {
#if defined(__x86_64__)
  static const VectorPath path = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c")
                                     ? VectorPath::avx2
                                     : VectorPath::portable;
  return path;
#else
  return VectorPath::portable;
#endif
}

}  // namespace eva
