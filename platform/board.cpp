#include "platform/board.h"

#include <algorithm>
#include <utility>

namespace eva {

Cycles longest_run(const ClockDomain& clock) {
  constexpr std::uint64_t seconds = 10'000;  // 64 bits of femtoseconds hold 18446
  return Cycles(seconds * clock.frequency_hz());
}

void configure_kernel() {
  using sc_core::sc_report_handler;
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  // A fatal report would abort the process; thrown, it ends as any other error of the model.
  sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
}

Board::Board(const sc_core::sc_module_name& name, const ChipParameters& parameters, bool functional,
             const CommandInjection& injection, NativeHost::Firmware firmware)
    : sc_module(name),
      clock_(parameters.clock_hz()),
      bus("bus", part_context(functional)),
      dram("dram", part_context(functional), parameters.dram),
      chip("chip", part_context(functional), parameters, injection),
      host("host", part_context(functional), parameters.host, std::move(firmware)),
      interrupt_("interrupt") {
  bus.map(parameters.register_window(), chip.command.registers);
  bus.map(parameters.dram_window(), dram.socket);
  host.bus.socket.bind(bus.targets);
  chip.for_each_memory_port([this](InitiatorPort& port) { port.socket.bind(bus.targets); });
  chip.command.interrupt(interrupt_);
  host.interrupt(interrupt_);
  log.add_listener(statistics);
  chip.command.read_counters = [this] { return counters(); };
}

CommandProcessor::Counters Board::counters() {
  const auto busy = [this](const UnitTimeline& timeline) {
    const EventRecord& current = timeline.current();
    const Cycles going_on = current.activity == Activity::busy ? now() - current.begin : Cycles();
    return (statistics.unit(current.unit).busy + going_on).count();
  };
  return {now().count(),
          chip.command.commands_completed(),
          busy(chip.gemm.timeline()),
          busy(chip.epilogue.timeline()),
          busy(chip.vector.timeline()),
          busy(chip.dma.timeline()),
          dram.bytes_read().count(),
          dram.bytes_written().count()};
}

PartContext Board::part_context(bool functional) {
  return {clock_, log, *this, functional};
}

void Board::on_failure(const std::string& part, const std::string& what) {
  if (failure_.empty()) {
    failure_ = part + " @ cycle " + std::to_string(now().count()) + ": " + what;
  }
  sc_core::sc_stop();
}

Board::End Board::run(Cycles max_cycles, const std::function<bool(std::uint64_t)>& goes_on) {
  const Cycles limit = std::min(max_cycles, longest_run(clock_));
  constexpr Cycles stretch(100'000);
  End end = End::cycle_limit;
  for (Cycles until; until < limit && end == End::cycle_limit;) {
    // From stretch to stretch, not from now on: a stretch in which nothing happens leaves the time
    // where it was.
    until = std::min(until + stretch, limit);
    sc_core::sc_start(clock_.time_of(until) - sc_core::sc_time_stamp(),
                      sc_core::SC_EXIT_ON_STARVATION);
    if (!failure_.empty()) {
      end = End::failed;
    } else if (host.finished()) {
      end = End::finished;
    } else if (!sc_core::sc_pending_activity()) {
      end = End::deadlock;
    } else if (goes_on && !goes_on(now().count())) {
      end = End::interrupted;
    }
  }
  waiting_ = describe_waiting();
  for_each_timeline([this](UnitTimeline& timeline) { timeline.close(now()); });
  return end;
}

std::string Board::describe_waiting() {
  std::string text;
  for_each_timeline([&](UnitTimeline& timeline) {
    const EventRecord& current = timeline.current();
    if (current.activity == Activity::idle && current.reason == WaitReason::commands) return;
    text +=
        "  " + timeline.name() + " " +
        (current.activity == Activity::busy ? std::string("busy with ") + current.operation
                                            : std::string("waits for ") + name_of(current.reason)) +
        " since cycle " + std::to_string(current.begin.count());
    if (current.context.layer != WorkContext::no_layer) {
      text += " (layer " + std::to_string(current.context.layer) + ", command " +
              std::to_string(current.context.command) + ")";
    }
    text += "\n";
  });
  chip.pipeline.for_each_fifo([&](auto& fifo) {
    if (fifo.empty()) return;
    text += "  FIFO " + fifo.name() + " holds " + std::to_string(fifo.size()) + " of " +
            std::to_string(fifo.capacity()) + "\n";
  });
  chip.pipeline.for_each_ring([&](RingSpace& ring) {
    if (ring.occupied() == Bytes()) return;
    text += "  " + ring.name() + " buffer holds " + std::to_string(ring.occupied().count()) +
            " of " + std::to_string(ring.capacity().count()) + " bytes\n";
  });
  text += "  queue: " + chip.command.describe() + "\n";
  return text;
}

}  // namespace eva
