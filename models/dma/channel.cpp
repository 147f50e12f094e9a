#include "dma/channel.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace eva {

DmaChannel::DmaChannel(const sc_core::sc_module_name& name, const PartContext& context,
                       const DmaParameters& parameters, Pipeline& pipeline,
                       std::function<void()> changed)
    : Part(name, context),
      memory("memory"),
      buffer("buffer"),
      parameters_(parameters),
      pipeline_(pipeline),
      timeline_(context.log, std::string("dma.") + basename()),
      changed_(std::move(changed)),
      in_flight_("in_flight", parameters.outstanding) {
  start_process("deliver", [this] { deliver(); });
}

void DmaChannel::start(std::function<void()> job) {
  start_process("issue", std::move(job));
}

void DmaChannel::load(const TileCommand& command, std::uint64_t address, std::uint64_t bytes,
                      RingSpace& ring) {
  const std::uint64_t longest =
      std::min(parameters_.transfer_bytes, std::max<std::uint64_t>(1, ring.capacity().count() / 2));
  while (bytes > 0) {
    std::uint64_t count = std::min(bytes, longest);
    if (!ring.has_space(Bytes(count))) {
      waits_for(WaitReason::buffer_space, command.context());
      ring.wait_for_space();
      // The room that is left may be all that there will be before the reader goes on.
      count = std::min(count, ring.free().count());
    }
    const std::uint64_t position = ring.reserve(Bytes(count));
    goes_on();
    in_flight_.wait_for_room();
    auto data = std::make_shared<std::vector<unsigned char>>(count);
    const TransportResult result = memory.read(address, data->data(), count);
    require_response(result, command, address);
    issue({cycle_after(result.delay),
           [this, data, position, &ring] {
             require_ok(buffer.write_ring(position, ring.capacity(), data->data(), data->size()),
                        "load");
             ring.fill(Bytes(data->size()));
           },
           Bytes(count), Bytes(), command.context()});
    address += count;
    bytes -= count;
  }
}

void DmaChannel::load_to(const TileCommand& command, std::uint64_t address, std::uint64_t bytes,
                         std::uint64_t offset) {
  while (bytes > 0) {
    const std::uint64_t count = std::min(bytes, parameters_.transfer_bytes);
    in_flight_.wait_for_room();
    auto data = std::make_shared<std::vector<unsigned char>>(count);
    const TransportResult result = memory.read(address, data->data(), count);
    require_response(result, command, address);
    issue({cycle_after(result.delay),
           [this, data, offset] {
             require_ok(buffer.write(offset, data->data(), data->size()), "load");
           },
           Bytes(count), Bytes(), command.context()});
    address += count;
    offset += count;
    bytes -= count;
  }
}

void DmaChannel::store(const TileCommand& command, std::uint64_t address, std::uint64_t bytes,
                       std::uint64_t position, const RingSpace& ring) {
  std::vector<unsigned char> data(std::min(bytes, parameters_.transfer_bytes));
  while (bytes > 0) {
    const std::uint64_t count = std::min(bytes, parameters_.transfer_bytes);
    in_flight_.wait_for_room();
    require_ok(buffer.read_ring(position, ring.capacity(), data.data(), count), "store");
    const TransportResult result = memory.write(address, data.data(), count);
    require_response(result, command, address);
    issue({cycle_after(result.delay), [] {}, Bytes(), Bytes(count), command.context()});
    address += count;
    position += count;
    bytes -= count;
  }
}

void DmaChannel::when_delivered(const TileCommand& command, std::function<void()> action) {
  issue({now(), std::move(action), Bytes(), Bytes(), command.context()});
}

void DmaChannel::issue(Transfer transfer) {
  in_flight_.put(std::move(transfer));
  update_timeline();
}

void DmaChannel::deliver() {
  while (true) {
    update_timeline();
    in_flight_.wait_for_item();
    wait_until(in_flight_.front().ready);
    update_timeline();
    timeline_.add_bytes_read(in_flight_.front().read);
    timeline_.add_bytes_written(in_flight_.front().written);
    in_flight_.get().deliver();
  }
}

void DmaChannel::require_response(const TransportResult& result, const TileCommand& command,
                                  std::uint64_t address) {
  if (result.ok()) return;
  pipeline_.faults.put({command.sequence, address});
  while (true)
    sc_core::wait(sc_core::sc_event());
}

void DmaChannel::waits_for(WaitReason reason, WorkContext context) {
  reason_ = reason;
  waiting_ = context;
  update_timeline();
}

void DmaChannel::update_timeline() {
  const EventRecord& current = timeline_.current();
  if (!in_flight_.empty()) {
    const WorkContext& context = in_flight_.front().context;
    if (current.activity != Activity::busy || current.context.command != context.command ||
        current.context.layer != context.layer) {
      timeline_.busy(now(), "transfer", context);
      changed_();
    }
  } else if (reason_ == WaitReason::commands || reason_ == WaitReason::none) {
    if (current.activity != Activity::idle) {
      timeline_.idle(now());
      changed_();
    }
  } else if (current.activity != Activity::stalled || current.reason != reason_) {
    timeline_.stalled(now(), reason_, waiting_);
    changed_();
  }
}

void DmaChannel::clear_state() {
  in_flight_.clear();
  reason_ = WaitReason::commands;
}

}  // namespace eva
