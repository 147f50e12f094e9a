#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/part.h"
#include "base/pipeline.h"
#include "base/transport.h"
#include "command/descriptor_check.h"
#include "command/ring_queue.h"
#include "eva/registers.h"

namespace eva {

/// What the capability registers say.
struct Capabilities {
  std::uint32_t array_rows = 0, array_columns = 0;
  std::uint32_t epilogue_units = 0;
  std::uint32_t vector_lanes = 0;
  std::uint32_t memory_port_bytes = 0;
  std::uint32_t chunk_columns = 0;
};

/// Faults that a scenario can ask for, to see whether they are noticed.
struct CommandInjection {
  static constexpr std::uint64_t none = UINT64_MAX;
  std::uint64_t drop_completion_of = none;  ///< sequence number of a command
};

/// Registers, descriptor ring and interrupt: fetches descriptors, checks them, hands them to the
/// parts of the pipeline in order and reports their completion in order.
///
/// Timing: a register access takes one cycle. Up to `fetch_batch` descriptors are fetched at once;
/// each takes a cycle to dispatch. A fence, a change between decode and prefill tiles, and the
/// bound on commands in flight hold the dispatch back. A descriptor is complete (head, interrupt)
/// when the last byte of its output is in memory and all earlier ones are complete.
class CommandProcessor : public Part {
 public:
  using Counters = std::array<std::uint64_t, EVA_PERF_COUNTERS>;

  CommandProcessor(const sc_core::sc_module_name& name, const PartContext& context,
                   const DescriptorLimits& limits, const Capabilities& capabilities,
                   const CommandInjection& injection, Pipeline& pipeline);

  tlm_utils::simple_target_socket<CommandProcessor> registers;
  InitiatorPort memory;
  sc_core::sc_out<bool> interrupt;

  static constexpr std::uint32_t fetch_batch = 4;

  /// Called to abandon all work in the pipeline, including this part's processes.
  std::function<void()> abandon_work;
  /// Where the performance counters come from, in the order of their registers.
  std::function<Counters()> read_counters;

  [[nodiscard]] UnitTimeline& timeline() { return timeline_; }
  [[nodiscard]] std::uint64_t commands_completed() const { return commands_completed_; }
  /// What the queue waits for, for a report on a deadlock.
  [[nodiscard]] std::string describe() const;

 private:
  struct InFlight {
    bool interrupt;
    bool done;
    std::uint32_t ring_index;
  };
  /// A codebook in its buffer, and the last tile that reads it.
  struct CodebookUse {
    AddressRange range;
    std::uint64_t tiles;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  [[nodiscard]] bool read_register(std::uint64_t offset, std::uint32_t& value) const;
  tlm::tlm_response_status write_register(std::uint64_t offset, std::uint32_t value);
  [[nodiscard]] std::uint32_t status() const;

  void fetch();
  void retire();
  void handle_faults();
  void dispatch(const eva_descriptor& descriptor);
  void track_codebooks(TileCommand& command);
  void wait_for_completions(std::uint64_t in_flight, const WorkContext& context);
  void stop_with(DescriptorFault fault, std::uint32_t index);
  void raise(std::uint32_t interrupts);
  void update_interrupt();
  void soft_reset();
  void clear_state() override;

  DescriptorLimits limits_;
  Capabilities capabilities_;
  CommandInjection injection_;
  Pipeline& pipeline_;
  UnitTimeline timeline_;
  sc_core::sc_event changed_;

  std::uint32_t control_ = 0;
  std::uint32_t int_status_ = 0;
  std::uint32_t int_enable_ = 0;
  std::uint32_t scratch_ = 0;
  std::uint64_t ring_base_ = 0;
  std::uint32_t ring_size_ = 0;
  RingQueue queue_;
  DescriptorFault error_;
  std::uint32_t error_index_ = 0;
  std::uint64_t overflows_before_ = 0;
  Counters snapshot_{};

  OpenSum open_sum_;
  Opcode form_ = Opcode::nop;
  std::uint64_t dispatched_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t tiles_ = 0;
  std::uint64_t codebook_loads_ = 0;
  std::deque<InFlight> in_flight_;
  std::vector<CodebookUse> codebooks_;
  std::uint64_t commands_completed_ = 0;  ///< of the whole run
};

}  // namespace eva
