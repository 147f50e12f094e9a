#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dram/energy.h"
#include "dram/memory_system.h"

namespace eva::test {

/// One burst of a pattern of traffic; enters the memory not before `clock`.
struct Request {
  std::uint64_t clock;
  bool write;
  std::uint64_t address;
};

/// The patterns by which public simulators were measured, by their letters: `a` a stream of reads,
/// `h` of writes, `g` a long one, `c` random reads, `d` a new row of one bank each time, `f` a
/// stream at half load, `f2`, `f3` random at a quarter and half, `e_…` single requests, `b…` reads
/// and writes mixed. Throws std::out_of_range for another name.
std::vector<Request> pattern(const std::string& name, std::uint32_t channels);

struct TrafficResult {
  std::uint64_t clocks = 0;  ///< to the last data
  ChannelStatistics total;
  DramEnergy energy;
  std::vector<ChannelStatistics> channels;

  [[nodiscard]] double nanoseconds(const DramDevice& device) const {
    return static_cast<double>(clocks) * device.timing.clock_ns();
  }
};

using CommandObserver = std::function<void(std::uint32_t channel, const DramCommand&)>;

/// Sends bursts of 64 bytes in order, each as soon as its clock has come and its channel has room.
TrafficResult send(const DramDevice& device, const MemorySystemParameters& parameters,
                   const std::vector<Request>& requests, const CommandObserver& observer = {});

/// DDR4-2133 with burst-interleaved bank groups (`BGI`) or rows of one bank in turn (`RBC`).
MemorySystemParameters reference_memory(const std::string& mapping, std::uint32_t channels,
                                        std::uint32_t ranks = 1);

}  // namespace eva::test
