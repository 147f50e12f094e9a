#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "buffers/buffer.h"
#include "platform/golden_check.h"
#include "platform/scenario.h"
#include "platform/statistics.h"

namespace eva {

/// What a run found out, before it is written down.
struct RunResult {
  struct Unit {
    std::string name;
    Statistics::Unit statistics;
  };
  struct Layer {
    std::uint64_t cycles = 0;
    Bytes bytes_read;
    Bytes bytes_written;
    std::uint64_t compute_cycles = 0;  ///< closed form only
  };
  struct BufferUse {
    std::string name;
    Bytes capacity;
    Bytes peak;
    Buffer::Counters counters;
  };

  Cycles cycles;
  std::vector<Layer> layers;
  std::vector<Unit> units;
  std::vector<BufferUse> buffers;
  Bytes dram_bytes_read;
  Bytes dram_bytes_written;
  std::uint64_t commands = 0;
  bool overflow = false;                         ///< a finite sum became an FP16 infinity
  std::uint64_t fp16_multiplications = 0;        ///< in the array
  std::uint64_t fp16_multiplications_dense = 0;  ///< that a dense product would need
  GoldenCheck check;
  double wall_seconds = 0;

  [[nodiscard]] double seconds(double clock_mhz) const {
    return static_cast<double>(cycles.count()) / (clock_mhz * 1e6);
  }
};

}  // namespace eva
