#pragma once

#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "base/clock_domain.h"
#include "base/event_record.h"

namespace eva {

/// What is told when a process of a part throws: the run ends with status 1.
class FailureHandler {
 public:
  virtual ~FailureHandler() = default;
  virtual void on_failure(const std::string& part, const std::string& what) = 0;
};

/// What all parts of a chip share.
struct PartContext {
  const ClockDomain& clock;
  EventLog& log;
  FailureHandler& failures;
  bool functional = true;  ///< false: timing only, no data are moved or computed
};

/// Base of the clocked parts: time in whole cycles, guarded processes and reset.
class Part : public sc_core::sc_module {
 public:
  Part(const sc_core::sc_module_name& name, const PartContext& context)
      : sc_module(name), context_(context) {}

  /// Abandons all work: the part's own state is cleared and its processes start anew. Whoever owns
  /// the FIFOs and rings between the parts clears them before.
  void reset() {
    clear_state();
    for (sc_core::sc_process_handle& process : processes_)
      process.reset();
  }

 protected:
  [[nodiscard]] Cycles now() const {
    return context_.clock.edge_at_or_after(sc_core::sc_time_stamp());
  }
  /// Lets time pass up to `cycle`; returns at once when it has passed.
  void wait_until(Cycles cycle) const {
    const sc_core::sc_time target = context_.clock.time_of(cycle);
    if (target > sc_core::sc_time_stamp()) sc_core::wait(target - sc_core::sc_time_stamp());
  }
  void wait_cycles(std::uint64_t cycles) const { wait_until(now() + Cycles(cycles)); }
  [[nodiscard]] Cycles cycle_after(const sc_core::sc_time& delay) const {
    return context_.clock.edge_at_or_after(sc_core::sc_time_stamp() + delay);
  }
  /// What a part forgets on reset, besides what its processes hold.
  virtual void clear_state() {}

  [[nodiscard]] bool functional() const { return context_.functional; }
  [[nodiscard]] const PartContext& context() const { return context_; }

  /// Runs `body` as a thread from the start of the simulation. What it throws ends the run with the
  /// part's name and the time.
  void start_process(const char* process_name, std::function<void()> body,
                     int stack_bytes = default_stack_bytes);
  /// The same for a process that goes on across resets, since it is one that may cause them.
  void start_surviving_process(const char* process_name, std::function<void()> body,
                               int stack_bytes = default_stack_bytes);

  static constexpr int default_stack_bytes = 256 * 1024;

 private:
  sc_core::sc_process_handle spawn(const char* process_name, std::function<void()> body,
                                   int stack_bytes);

  PartContext context_;
  std::vector<sc_core::sc_process_handle> processes_;
};

}  // namespace eva
