#include "numerics/vector_path.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace eva {

#if defined(__x86_64__)
namespace {

// Clang's __builtin_cpu_supports does not know F16C.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

}  // namespace
#endif

VectorPath best_vector_path() {
#if defined(__x86_64__)
  static const VectorPath path =
      __builtin_cpu_supports("avx2") && has_f16c() ? VectorPath::avx2 : VectorPath::portable;
  return path;
#else
  return VectorPath::portable;
#endif
}

}  // namespace eva
