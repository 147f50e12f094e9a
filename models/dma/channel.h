#pragma once

#include <functional>
#include <systemc>
#include <vector>

#include "base/parameters.h"
#include "base/part.h"
#include "base/pipeline.h"
#include "base/transport.h"

namespace eva {

struct DmaParameters {
  std::uint64_t outstanding = 4;
  std::uint64_t transfer_bytes = 1024;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("outstanding", outstanding, {1, 256},
                    "transactions that a channel may have under way");
    visitor.integer("transfer_bytes", transfer_bytes, {64, 65536}, "largest transaction in bytes");
  }
};

/// One channel of the DMA engine: issues the transactions of its jobs in order, several at a time,
/// and delivers them in order.
///
/// Timing: a load is issued when its place in the buffer is free and fewer than `outstanding` are
/// under way; the data are in the buffer when memory has delivered the last byte. A channel is busy
/// while something is under way; else stalled while it waits for room; else idle.
class DmaChannel : public Part {
 public:
  DmaChannel(const sc_core::sc_module_name& name, const PartContext& context,
             const DmaParameters& parameters, Pipeline& pipeline, std::function<void()> changed);

  InitiatorPort memory;
  InitiatorPort buffer;

  /// Starts the process that takes commands and calls the functions below; `job` runs for ever.
  void start(std::function<void()> job);

  /// Loads `bytes` from `address` to the ring behind `buffer`.
  void load(const TileCommand& command, std::uint64_t address, std::uint64_t bytes,
            RingSpace& ring);
  /// Loads `bytes` from `address` to `offset` of the buffer.
  void load_to(const TileCommand& command, std::uint64_t address, std::uint64_t bytes,
               std::uint64_t offset);
  /// Stores `bytes` from `position` of the ring behind `buffer` to `address`.
  void store(const TileCommand& command, std::uint64_t address, std::uint64_t bytes,
             std::uint64_t position, const RingSpace& ring);
  /// Calls `action` when everything issued so far has been delivered.
  void when_delivered(const TileCommand& command, std::function<void()> action);

  /// The issuing process waits, or goes on: for the timeline.
  void waits_for(WaitReason reason, WorkContext context);
  void goes_on() { waits_for(WaitReason::none, {}); }

  [[nodiscard]] UnitTimeline& timeline() { return timeline_; }

 private:
  struct Transfer {
    Cycles ready;
    std::function<void()> deliver;
    Bytes read;
    Bytes written;
    WorkContext context;
  };

  void deliver();
  void issue(Transfer transfer);
  /// Reports an error response and waits for the reset that follows.
  void require_response(const TransportResult& result, const TileCommand& command,
                        std::uint64_t address);
  void update_timeline();
  void clear_state() override;

  DmaParameters parameters_;
  Pipeline& pipeline_;
  UnitTimeline timeline_;
  std::function<void()> changed_;
  Fifo<Transfer> in_flight_;
  WaitReason reason_ = WaitReason::commands;
  WorkContext waiting_;
};

}  // namespace eva
