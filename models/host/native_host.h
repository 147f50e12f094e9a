#pragma once

#include <functional>
#include <systemc>

#include "base/parameters.h"
#include "base/part.h"
#include "base/transport.h"
#include "eva/hal.h"

namespace eva {

struct HostParameters {
  std::uint64_t access_cycles = 8;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("access_cycles", access_cycles, {1, 10000},
                    "core cycles of a load, store or block copy, besides what the bus takes");
  }
};

/// Runs firmware that is compiled into this process, in a thread of the simulation. All that it
/// does to the chip are TLM transactions; it sees nothing but its HAL.
///
/// Timing: every access takes `access_cycles` and the delay of the bus; computing takes none.
/// Waiting for the interrupt ends when the line is high.
class NativeHost : public Part {
 public:
  using Firmware = std::function<int(const eva_hal&)>;

  NativeHost(const sc_core::sc_module_name& name, const PartContext& context,
             const HostParameters& parameters, Firmware firmware);

  InitiatorPort bus;
  sc_core::sc_in<bool> interrupt;

  [[nodiscard]] bool finished() const { return finished_; }
  /// What the firmware returned.
  [[nodiscard]] int exit_status() const { return exit_status_; }
  [[nodiscard]] UnitTimeline& timeline() { return timeline_; }

 private:
  void run();
  bool access(bool is_write, std::uint64_t address, void* data, std::size_t bytes);
  void wait_for_interrupt();
  void log(eva_log_level level, const char* message);

  HostParameters parameters_;
  Firmware firmware_;
  UnitTimeline timeline_;
  bool finished_ = false;
  int exit_status_ = 0;
};

}  // namespace eva
