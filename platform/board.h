#pragma once

#include <functional>
#include <string>
#include <systemc>

#include "bus/bus.h"
#include "dram/dram.h"
#include "host/native_host.h"
#include "platform/chip.h"
#include "platform/statistics.h"

namespace eva {

/// Sets the kernel up: 1 fs resolution, and reports that neither print nor abort the process. To be
/// called once, before the first object of a simulation exists.
void configure_kernel();

/// The longest time that a run can take in simulated time, 10 000 seconds.
Cycles longest_run(const ClockDomain& clock);

/// Host, bus, memory and accelerator: what a simulation consists of. One per process, since the
/// SystemC kernel elaborates once.
class Board : public sc_core::sc_module, private FailureHandler {
 public:
  Board(const sc_core::sc_module_name& name, const ChipParameters& parameters, bool functional,
        const CommandInjection& injection, NativeHost::Firmware firmware);

  /// How a simulation ended.
  enum class End { finished, deadlock, cycle_limit, failed, interrupted };

  /// Simulates until the firmware returns, nothing can happen any more, `max_cycles` have passed or
  /// a part failed; then closes all histories. Every 100 000 cycles `goes_on`, if given, is asked
  /// with the cycles so far; false ends the run as `interrupted`.
  End run(Cycles max_cycles, const std::function<bool(std::uint64_t)>& goes_on = nullptr);

  [[nodiscard]] Cycles now() const { return clock_.edge_at_or_after(sc_core::sc_time_stamp()); }
  [[nodiscard]] const ClockDomain& clock() const { return clock_; }
  /// Part, time and reason, when the end was `failed`.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// Who waited for what when the run ended, a line per unit: for a deadlock or a limit.
  [[nodiscard]] const std::string& waiting() const { return waiting_; }

 private:
  ClockDomain clock_;  // before the parts, which refer to it
  std::string failure_;
  std::string waiting_;

 public:
  EventLog log;
  Statistics statistics;
  Bus bus;
  Dram dram;
  Chip chip;
  NativeHost host;

  template <class Action>
  void for_each_timeline(Action action) {
    action(host.timeline());
    chip.for_each_timeline(action);
  }

 private:
  [[nodiscard]] std::string describe_waiting();
  void on_failure(const std::string& part, const std::string& what) override;
  [[nodiscard]] CommandProcessor::Counters counters();
  [[nodiscard]] PartContext part_context(bool functional);

  // Register accesses and completions may write the line in the same delta cycle; both write the
  // level that follows from the registers.
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> interrupt_;
};

}  // namespace eva
