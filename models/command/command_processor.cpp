#include "command/command_processor.h"

#include <algorithm>
#include <cstring>

namespace eva {
namespace {

constexpr std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

bool is_read_only(std::uint64_t offset) {
  switch (offset) {
    case EVA_REG_CONTROL:
    case EVA_REG_INT_STATUS:
    case EVA_REG_INT_ENABLE:
    case EVA_REG_RING_BASE_LO:
    case EVA_REG_RING_BASE_HI:
    case EVA_REG_RING_SIZE:
    case EVA_REG_RING_TAIL:
    case EVA_REG_SCRATCH:
    case EVA_REG_PERF_SNAPSHOT:
      return false;
    default:
      return true;
  }
}

}  // namespace

CommandProcessor::CommandProcessor(const sc_core::sc_module_name& name, const PartContext& context,
                                   const DescriptorLimits& limits, const Capabilities& capabilities,
                                   const CommandInjection& injection, Pipeline& pipeline)
    : Part(name, context),
      registers("registers"),
      memory("memory"),
      interrupt("interrupt"),
      limits_(limits),
      capabilities_(capabilities),
      injection_(injection),
      pipeline_(pipeline),
      timeline_(context.log, "command") {
  registers.register_b_transport(this, &CommandProcessor::b_transport);
  registers.register_transport_dbg(this, &CommandProcessor::transport_dbg);
  start_process("fetch", [this] { fetch(); });
  start_process("retire", [this] { retire(); });
  start_surviving_process("handle_faults", [this] { handle_faults(); });
}

// Registers

void CommandProcessor::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!accept_plain_request(payload)) return;
  if (payload.get_data_length() != 4) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t offset = payload.get_address();
  std::uint32_t value = 0;
  if (offset % 4 != 0 || !read_register(offset, value)) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  delay += context().clock.time_of(now() + Cycles(1)) - context().clock.time_of(now());
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), &value, 4);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  } else {
    std::memcpy(&value, payload.get_data_ptr(), 4);
    payload.set_response_status(write_register(offset, value));
  }
}

unsigned CommandProcessor::transport_dbg(tlm::tlm_generic_payload& payload) {
  std::uint32_t value = 0;
  if (!payload.is_read() || payload.get_data_length() != 4 || payload.get_address() % 4 != 0 ||
      !read_register(payload.get_address(), value)) {
    return 0;
  }
  std::memcpy(payload.get_data_ptr(), &value, 4);
  return 4;
}

bool CommandProcessor::read_register(std::uint64_t offset, std::uint32_t& value) const {
  if (offset >= EVA_REG_PERF_CYCLES && offset < EVA_REG_PERF_CYCLES + 8 * EVA_PERF_COUNTERS) {
    const std::uint64_t counter = snapshot_[(offset - EVA_REG_PERF_CYCLES) / 8];
    value = offset % 8 == 0 ? low(counter) : high(counter);
    return true;
  }
  switch (offset) {
    case EVA_REG_ID:
      value = EVA_ID_VALUE;
      return true;
    case EVA_REG_VERSION:
      value = EVA_DESCRIPTOR_VERSION;
      return true;
    case EVA_REG_CONTROL:
      value = control_;
      return true;
    case EVA_REG_STATUS:
      value = status();
      return true;
    case EVA_REG_INT_STATUS:
      value = int_status_;
      return true;
    case EVA_REG_INT_ENABLE:
      value = int_enable_;
      return true;
    case EVA_REG_RING_BASE_LO:
      value = low(ring_base_);
      return true;
    case EVA_REG_RING_BASE_HI:
      value = high(ring_base_);
      return true;
    case EVA_REG_RING_SIZE:
      value = ring_size_;
      return true;
    case EVA_REG_RING_HEAD:
      value = queue_.head();
      return true;
    case EVA_REG_RING_TAIL:
      value = queue_.tail();
      return true;
    case EVA_REG_ERROR_CODE:
      value = error_.code;
      return true;
    case EVA_REG_ERROR_INDEX:
      value = error_index_;
      return true;
    case EVA_REG_ERROR_DETAIL_LO:
      value = low(error_.detail);
      return true;
    case EVA_REG_ERROR_DETAIL_HI:
      value = high(error_.detail);
      return true;
    case EVA_REG_SCRATCH:
      value = scratch_;
      return true;
    case EVA_REG_CAP_ARRAY:
      value = capabilities_.array_rows | (capabilities_.array_columns << 16);
      return true;
    case EVA_REG_CAP_EPILOGUE:
      value = capabilities_.epilogue_units | (low(row_group) << 16);
      return true;
    case EVA_REG_CAP_VECTOR:
      value = capabilities_.vector_lanes;
      return true;
    case EVA_REG_CAP_INPUT_BUFFER:
      value = low(limits_.input.count());
      return true;
    case EVA_REG_CAP_CODEBOOK_BUFFER:
      value = low(limits_.codebook.count());
      return true;
    case EVA_REG_CAP_WEIGHT_BUFFER:
      value = low(limits_.weight.count());
      return true;
    case EVA_REG_CAP_OUTPUT_CODEBOOK_BUFFER:
      value = low(limits_.output_codebook.count());
      return true;
    case EVA_REG_CAP_OUTPUT_BUFFER:
      value = low(limits_.output.count());
      return true;
    case EVA_REG_CAP_MEMORY_PORT:
      value = capabilities_.memory_port_bytes;
      return true;
    case EVA_REG_CAP_CHUNK:
      value = capabilities_.chunk_columns;
      return true;
    case EVA_REG_PERF_SNAPSHOT:
      value = 0;
      return true;
    default:
      return false;
  }
}

tlm::tlm_response_status CommandProcessor::write_register(std::uint64_t offset,
                                                          std::uint32_t value) {
  if (is_read_only(offset)) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const bool enabled = (control_ & EVA_CONTROL_ENABLE) != 0;
  switch (offset) {
    case EVA_REG_CONTROL: {
      if ((value & EVA_CONTROL_RESET) != 0) {
        soft_reset();
        return tlm::TLM_OK_RESPONSE;
      }
      const bool enables = (value & EVA_CONTROL_ENABLE) != 0 && !enabled;
      control_ = value & EVA_CONTROL_ENABLE;
      if (enables) {
        // Only here the ring takes effect; until then it may be half written.
        const bool size_fits = ring_size_ >= 1 && ring_size_ <= RingQueue::maximum_size;
        const std::uint64_t bytes = std::uint64_t{ring_size_} * EVA_DESCRIPTOR_BYTES;
        if (!size_fits) {
          stop_with({EVA_ERROR_RING, ring_size_}, 0);
        } else if (ring_base_ % EVA_DESCRIPTOR_BYTES != 0 ||
                   !limits_.memory.contains(ring_base_, bytes)) {
          stop_with({EVA_ERROR_RING, ring_base_}, 0);
        } else if (queue_.size() != ring_size_) {
          queue_.configure(ring_size_);
        }
      }
      break;
    }
    case EVA_REG_INT_STATUS:
      int_status_ &= ~value;
      update_interrupt();
      break;
    case EVA_REG_INT_ENABLE:
      int_enable_ = value & (EVA_INT_COMPLETE | EVA_INT_ERROR);
      update_interrupt();
      break;
    case EVA_REG_RING_BASE_LO:
    case EVA_REG_RING_BASE_HI:
    case EVA_REG_RING_SIZE:
      if (enabled || queue_.busy()) {
        stop_with({EVA_ERROR_RING, value}, queue_.head());
      } else if (offset == EVA_REG_RING_SIZE) {
        ring_size_ = value;
      } else if (offset == EVA_REG_RING_BASE_LO) {
        ring_base_ = (ring_base_ & ~std::uint64_t{UINT32_MAX}) | value;
      } else {
        ring_base_ = (ring_base_ & UINT32_MAX) | (std::uint64_t{value} << 32);
      }
      break;
    case EVA_REG_RING_TAIL:
      if (!enabled || !queue_.post(value)) stop_with({EVA_ERROR_RING, value}, queue_.head());
      break;
    case EVA_REG_SCRATCH:
      scratch_ = value;
      break;
    case EVA_REG_PERF_SNAPSHOT:
      if (value == 1 && read_counters) snapshot_ = read_counters();
      break;
    default:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  changed_.notify(sc_core::SC_ZERO_TIME);
  return tlm::TLM_OK_RESPONSE;
}

std::uint32_t CommandProcessor::status() const {
  std::uint32_t value = 0;
  if (queue_.busy()) value |= EVA_STATUS_BUSY;
  if (error_.code != EVA_ERROR_NONE) value |= EVA_STATUS_ERROR;
  if (pipeline_.overflows.count() != overflows_before_) value |= EVA_STATUS_OVERFLOW;
  return value;
}

void CommandProcessor::raise(std::uint32_t interrupts) {
  int_status_ |= interrupts;
  update_interrupt();
}

void CommandProcessor::update_interrupt() {
  interrupt.write((int_status_ & int_enable_) != 0);
}

void CommandProcessor::stop_with(DescriptorFault fault, std::uint32_t index) {
  if (error_.code != EVA_ERROR_NONE) return;  // the first error stays
  error_ = fault;
  error_index_ = index;
  raise(EVA_INT_ERROR);
}

// The queue

void CommandProcessor::fetch() {
  while (true) {
    timeline_.idle(now());
    while ((control_ & EVA_CONTROL_ENABLE) == 0 || error_.code != EVA_ERROR_NONE ||
           queue_.to_fetch() == 0) {
      sc_core::wait(changed_);
    }
    timeline_.busy(now(), "fetch", {dispatched_});
    const std::uint32_t slot = queue_.fetch_slot();
    const std::uint32_t count = std::min({queue_.to_fetch(), queue_.size() - slot, fetch_batch});
    std::array<eva_descriptor, fetch_batch> descriptors{};
    const std::uint64_t address = ring_base_ + std::uint64_t{slot} * EVA_DESCRIPTOR_BYTES;
    const TransportResult result =
        memory.read(address, descriptors.data(), std::size_t{count} * EVA_DESCRIPTOR_BYTES);
    if (!result.ok()) {
      wait_for_completions(0, {dispatched_});
      stop_with({EVA_ERROR_BUS, address}, queue_.fetched());
      continue;
    }
    wait_until(cycle_after(result.delay));
    for (std::uint32_t i = 0; i < count && error_.code == EVA_ERROR_NONE; ++i) {
      const eva_descriptor& descriptor = descriptors[i];
      const DescriptorFault fault = check_descriptor(descriptor, limits_, open_sum_);
      if (fault.code != EVA_ERROR_NONE) {
        wait_for_completions(0, {dispatched_, descriptor.layer});
        stop_with(fault, queue_.fetched());
      } else {
        dispatch(descriptor);
        queue_.fetch();
      }
    }
  }
}

void CommandProcessor::wait_for_completions(std::uint64_t in_flight, const WorkContext& context) {
  if (dispatched_ - completed_ <= in_flight) return;
  timeline_.stalled(now(), WaitReason::earlier_commands, context);
  while (dispatched_ - completed_ > in_flight)
    sc_core::wait(changed_);
}

void CommandProcessor::dispatch(const eva_descriptor& descriptor) {
  TileCommand command = command_of(descriptor);
  command.sequence = dispatched_;
  const bool tile = command.opcode == Opcode::decode_tile || command.opcode == Opcode::prefill_tile;
  // The weight buffer and the output codebook buffer change their reader with the form.
  const bool changes_form = tile && command.opcode != form_;
  if (tile) form_ = command.opcode;
  wait_for_completions(
      command.fence || changes_form ? 0 : pipeline_.parameters.commands_in_flight - 1,
      command.context());

  timeline_.busy(now(), "dispatch", command.context());
  wait_cycles(1);
  track_codebooks(command);
  ++dispatched_;
  in_flight_.push_back({command.interrupt, false, queue_.fetched()});
  const auto pointer = std::make_shared<const TileCommand>(command);
  switch (command.opcode) {
    case Opcode::nop:
      pipeline_.completions.put({command.sequence, now()});
      break;
    case Opcode::load_codebook:
      pipeline_.codebook_commands.put(pointer);
      break;
    case Opcode::decode_tile:
    case Opcode::prefill_tile:
      pipeline_.input_commands.put(pointer);
      pipeline_.weight_commands.put(pointer);
      if (command.last) pipeline_.scale_commands.put(pointer);
      pipeline_.gemm_commands.put(pointer);
      if (command.opcode == Opcode::decode_tile) pipeline_.epilogue_commands.put(pointer);
      break;
  }
}

void CommandProcessor::track_codebooks(TileCommand& command) {
  if (command.opcode == Opcode::prefill_tile) ++tiles_;
  if (command.opcode != Opcode::decode_tile && command.opcode != Opcode::load_codebook) return;
  const AddressRange range =
      AddressRange::from_size(command.codebook_offset, DecodeTile(command).codebook_bytes);
  const auto overlaps = [&](const CodebookUse& use) { return use.range.overlaps(range); };
  if (command.opcode == Opcode::load_codebook) {
    ++codebook_loads_;
    for (const CodebookUse& use : codebooks_) {
      if (overlaps(use)) command.tiles_before = std::max(command.tiles_before, use.tiles);
    }
    return;
  }
  ++tiles_;
  command.codebook_loads_before = codebook_loads_;
  // Tiles finish in order: the newest use of a range stands for the older ones.
  codebooks_.erase(std::remove_if(codebooks_.begin(), codebooks_.end(), overlaps),
                   codebooks_.end());
  codebooks_.push_back({range, tiles_});
}

void CommandProcessor::retire() {
  while (true) {
    const Completion completion = pipeline_.completions.get();
    wait_until(completion.ready);
    if (completion.sequence == injection_.drop_completion_of) continue;
    in_flight_[completion.sequence - completed_].done = true;
    while (!in_flight_.empty() && in_flight_.front().done) {
      const bool wants_interrupt = in_flight_.front().interrupt;
      in_flight_.pop_front();
      ++completed_;
      ++commands_completed_;
      queue_.complete();
      if (wants_interrupt) raise(EVA_INT_COMPLETE);
    }
    changed_.notify(sc_core::SC_ZERO_TIME);
  }
}

void CommandProcessor::handle_faults() {
  while (true) {
    const BusFault fault = pipeline_.faults.get();
    const std::uint32_t index = in_flight_[fault.sequence - completed_].ring_index;
    // First the state that processes look at when they start anew, then the new start.
    stop_with({EVA_ERROR_BUS, fault.address}, index);
    abandon_work();
  }
}

void CommandProcessor::soft_reset() {
  // First the state that processes look at when they start anew, then the new start.
  control_ = int_status_ = int_enable_ = scratch_ = ring_size_ = error_index_ = 0;
  ring_base_ = 0;
  queue_ = RingQueue();
  error_ = DescriptorFault();
  overflows_before_ = pipeline_.overflows.count();
  update_interrupt();
  abandon_work();
}

void CommandProcessor::clear_state() {
  open_sum_ = OpenSum();
  form_ = Opcode::nop;
  dispatched_ = completed_ = tiles_ = codebook_loads_ = 0;
  in_flight_.clear();
  codebooks_.clear();
}

std::string CommandProcessor::describe() const {
  return "head " + std::to_string(queue_.head()) + ", tail " + std::to_string(queue_.tail()) +
         " of a ring of " + std::to_string(queue_.size()) + ", " +
         std::to_string(dispatched_ - completed_) + " commands in flight";
}

}  // namespace eva
