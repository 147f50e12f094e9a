#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/event_record.h"

namespace eva {

/// What the event records of a run add up to.
class Statistics : public EventListener {
 public:
  struct Unit {
    Cycles busy;
    Cycles stalled;
    Cycles idle;
    std::map<WaitReason, Cycles> stalled_by;
    Bytes bytes_read;
    Bytes bytes_written;
    std::uint64_t work = 0;
    std::map<std::string, std::uint64_t> work_by_operation;

    [[nodiscard]] Cycles total() const { return busy + stalled + idle; }
  };
  /// From the first operation that belongs to a layer to the end of the last one.
  struct Layer {
    Cycles begin = Cycles(UINT64_MAX);
    Cycles end;
    Bytes bytes_read;
    Bytes bytes_written;

    [[nodiscard]] Cycles cycles() const { return begin < end ? end - begin : Cycles(); }
  };

  void on_event(const EventRecord& record) override;

  /// All zero for a unit or layer that left no record.
  [[nodiscard]] Unit unit(UnitId id) const { return id < units_.size() ? units_[id] : Unit(); }
  [[nodiscard]] Layer layer(std::size_t number) const {
    return number < layers_.size() ? layers_[number] : Layer();
  }

 private:
  std::vector<Unit> units_;
  std::vector<Layer> layers_;
};

}  // namespace eva
