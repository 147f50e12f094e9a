#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace eva {

/// What a unit does at a time: exactly one of these, so that the three add up to the run's length.
enum class Activity { idle, busy, stalled };

/// What a unit waits for, in the words that statistics, traces and the deadlock message share.
enum class WaitReason {
  none,
  commands,     ///< nothing to do: the only reason that counts as idle
  activations,  ///< operands that have not arrived from memory
  codebook,
  weights,
  scales,
  output_codebook,   ///< a finished tile of the output codebook
  buffer_space,      ///< room in the buffer that the unit writes to
  earlier_commands,  ///< a fence, or the bound on commands in flight
  interrupt,         ///< the host sleeps
  accumulator        ///< the previous addition to the same output is still in the pipeline
};

const char* name_of(WaitReason reason);

using UnitId = std::size_t;

/// Which work an operation belongs to. Commands count from 0 in the order of dispatch.
struct WorkContext {
  static constexpr std::uint16_t no_layer = UINT16_MAX;

  std::uint64_t command = 0;
  std::uint16_t layer = no_layer;
};

/// One operation of one unit, or one wait of it. Statistics, traces and reports derive from these
/// records alone, so that they cannot disagree.
struct EventRecord {
  UnitId unit = 0;
  Activity activity = Activity::idle;
  const char* operation = "";
  WaitReason reason = WaitReason::none;
  WorkContext context;
  Cycles begin;
  Cycles end;
  Bytes bytes_read;        ///< from memory
  Bytes bytes_written;     ///< to memory
  std::uint64_t work = 0;  ///< multiply-accumulates, look-ups or values, by unit
};

class EventListener {
 public:
  virtual ~EventListener() = default;
  virtual void on_event(const EventRecord& record) = 0;
};

/// Where parts leave their records. Units register at elaboration and get a number.
class EventLog {
 public:
  UnitId register_unit(std::string name) {
    unit_names_.push_back(std::move(name));
    return unit_names_.size() - 1;
  }
  void add_listener(EventListener& listener) { listeners_.push_back(&listener); }
  void record(const EventRecord& record) {
    for (EventListener* listener : listeners_)
      listener->on_event(record);
  }
  [[nodiscard]] const std::vector<std::string>& unit_names() const { return unit_names_; }

 private:
  std::vector<std::string> unit_names_;
  std::vector<EventListener*> listeners_;
};

/// The history of one unit: at any time the unit is in one activity, and entering the next one
/// records the one that ends. So a unit cannot lose or double a cycle.
class UnitTimeline {
 public:
  UnitTimeline(EventLog& log, std::string name) : log_(log), name_(std::move(name)) {
    current_.unit = log.register_unit(name_);
    current_.reason = WaitReason::commands;
  }

  void idle(Cycles now, WaitReason reason = WaitReason::commands) {
    enter(now, Activity::idle, "", reason, {});
  }
  void busy(Cycles now, const char* operation, WorkContext context) {
    enter(now, Activity::busy, operation, WaitReason::none, context);
  }
  void stalled(Cycles now, WaitReason reason, WorkContext context) {
    enter(now, Activity::stalled, "", reason, context);
  }

  /// Adds to the operation that is going on.
  void add_work(std::uint64_t work) { current_.work += work; }
  void add_bytes_read(Bytes bytes) { current_.bytes_read += bytes; }
  void add_bytes_written(Bytes bytes) { current_.bytes_written += bytes; }

  /// Ends the history at the end of a run.
  void close(Cycles now) { idle(now); }

  [[nodiscard]] const EventRecord& current() const { return current_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void enter(Cycles now, Activity activity, const char* operation, WaitReason reason,
             WorkContext context);

  EventLog& log_;
  std::string name_;
  EventRecord current_;
};

}  // namespace eva
