#pragma once

#include <cstdint>

#include "base/parameters.h"
#include "base/units.h"

namespace eva {

/// Memory as the published model sees it: a pipe of so many bytes per core cycle.
struct IdealMemoryParameters {
  std::uint64_t bytes_per_cycle = 128;
  std::uint64_t latency_cycles = 0;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("bytes_per_cycle", bytes_per_cycle, {1, 65536},
                    "bytes per core cycle; 128 at 500 MHz is the published 64 GB/s");
    visitor.integer("latency_cycles", latency_cycles, {0, 1'000'000},
                    "core cycles from a request to its first byte");
  }
};

/// Grants the pipe in the order of the requests. Counts bytes, not cycles, so that requests smaller
/// than a cycle's worth share it.
class IdealMemoryTiming {
 public:
  explicit IdealMemoryTiming(const IdealMemoryParameters& parameters) : parameters_(parameters) {}

  /// The cycle at whose start the last byte of a request made at `now` has been moved.
  Cycles finish(Cycles now, Bytes bytes) {
    const std::uint64_t earliest = now.count() * parameters_.bytes_per_cycle;
    if (pipe_free_ < earliest) pipe_free_ = earliest;
    pipe_free_ += bytes.count();
    return Cycles(ceil_divide(pipe_free_, parameters_.bytes_per_cycle) +
                  parameters_.latency_cycles);
  }

 private:
  IdealMemoryParameters parameters_;
  std::uint64_t pipe_free_ = 0;  ///< in bytes since reset
};

}  // namespace eva
