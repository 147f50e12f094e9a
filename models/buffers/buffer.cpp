#include "buffers/buffer.h"

#include <algorithm>
#include <cstring>

namespace eva {

Buffer::Buffer(const sc_core::sc_module_name& name, const PartContext& context,
               const BufferParameters& parameters)
    : Part(name, context),
      socket("socket"),
      parameters_(parameters),
      range_(AddressRange::from_size(0, parameters.capacity().count())),
      conflicts_(parameters.banks),
      contents_(parameters.capacity().count()) {
  socket.register_b_transport(this, &Buffer::b_transport);
  socket.register_transport_dbg(this, &Buffer::transport_dbg);
}

void Buffer::b_transport(int /*initiator*/, tlm::tlm_generic_payload& payload,
                         sc_core::sc_time& delay) {
  if (!accept_plain_request(payload)) return;
  auto* request = payload.get_extension<GatherExtension>();
  if (request != nullptr && payload.is_read()) {
    gather(payload, *request, delay);
    return;
  }
  const Bytes bytes(payload.get_data_length());
  const bool accumulates =
      payload.is_write() && payload.get_extension<AccumulateExtension>() != nullptr;
  if (accumulates && bytes.count() % 4 != 0) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (!range_.contains(payload.get_address(), bytes.count())) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (functional()) move_data(payload);
  if (payload.is_read()) {
    ++counters_.reads;
    counters_.bytes_read += bytes;
  } else {
    ++counters_.writes;
    counters_.bytes_written += bytes;
    counters_.highest_byte =
        std::max<std::uint64_t>(counters_.highest_byte, payload.get_address() + bytes.count());
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned Buffer::transport_dbg(int /*initiator*/, tlm::tlm_generic_payload& payload) {
  if (!range_.contains(payload.get_address(), payload.get_data_length())) return 0;
  move_data(payload);
  return payload.get_data_length();
}

void Buffer::move_data(const tlm::tlm_generic_payload& payload) {
  unsigned char* inside = contents_.data() + payload.get_address();
  unsigned char* outside = payload.get_data_ptr();
  const unsigned bytes = payload.get_data_length();
  if (payload.is_read()) {
    std::memcpy(outside, inside, bytes);
  } else if (payload.get_extension<AccumulateExtension>() != nullptr) {
    for (unsigned i = 0; i + 4 <= bytes; i += 4) {
      std::int32_t sum = 0;
      std::int32_t addend = 0;
      std::memcpy(&sum, inside + i, 4);
      std::memcpy(&addend, outside + i, 4);
      sum += addend;
      std::memcpy(inside + i, &sum, 4);
    }
  } else {
    std::memcpy(inside, outside, bytes);
  }
}

void Buffer::gather(tlm::tlm_generic_payload& payload, GatherExtension& request,
                    sc_core::sc_time& delay) {
  std::uint64_t rows = 0;
  for (const GatherExtension::Lane& lane : *request.lanes) {
    rows = std::max<std::uint64_t>(rows, lane.row + 1);
  }
  const std::uint64_t lanes = request.lanes->size();
  if (payload.get_data_length() != request.columns * lanes * 2) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (!range_.contains(payload.get_address()) || payload.get_address() % 2 != 0 ||
      rows * request.row_elements * 2 > parameters_.capacity().count()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (functional()) look_up(payload, request);
  request.cycles = gather_cycles(request);
  ++counters_.reads;
  counters_.look_ups += request.columns * lanes;
  counters_.bytes_read += Bytes(request.columns * lanes * 2);
  counters_.conflict_cycles += request.cycles - request.columns;
  delay += context().clock.time_of(now() + Cycles(request.cycles)) - context().clock.time_of(now());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Buffer::look_up(const tlm::tlm_generic_payload& payload, const GatherExtension& request) {
  const std::uint64_t tile = payload.get_address();
  const std::uint64_t capacity = contents_.size();
  const std::uint64_t row_bytes = request.row_elements * 2;
  // A lane whose row does not wrap round the end of the buffer needs no check per element.
  struct Source {
    std::uint64_t row;
    std::uint32_t index;
    bool wraps;
  };
  std::vector<Source> sources;
  sources.reserve(request.lanes->size());
  for (const GatherExtension::Lane& lane : *request.lanes) {
    const std::uint64_t row = (tile + lane.row * row_bytes) % capacity;
    sources.push_back({row, lane.index, row + row_bytes > capacity});
  }
  unsigned char* target = payload.get_data_ptr();
  for (std::size_t column = 0; column < request.columns; ++column) {
    const std::uint16_t* indices = request.indices + column * request.indices_per_column;
    for (const Source& source : sources) {
      std::uint64_t address = source.row + std::uint64_t{indices[source.index]} * 2;
      if (source.wraps) address %= capacity;
      std::memcpy(target, contents_.data() + address, 2);
      target += 2;
    }
  }
}

std::uint64_t Buffer::gather_cycles(const GatherExtension& request) {
  const std::uint64_t banks = parameters_.banks;
  if (parameters_.bank_mapping == BankMapping::row) {
    // The bank depends on the lane alone, so every column costs the same. Two lanes of one bank
    // have different rows and so different addresses.
    for (const GatherExtension::Lane& lane : *request.lanes) {
      conflicts_.add(lane.row % banks, lane.row);
    }
    return conflicts_.finish() * request.columns;
  }
  if (!functional()) return request.columns;  // no indices, no conflicts to see
  const std::uint64_t entries_per_bank = std::max<std::uint64_t>(1, request.row_elements / banks);
  std::uint64_t cycles = 0;
  for (std::size_t column = 0; column < request.columns; ++column) {
    const std::uint16_t* indices = request.indices + column * request.indices_per_column;
    for (const GatherExtension::Lane& lane : *request.lanes) {
      const std::uint64_t entry = indices[lane.index];
      conflicts_.add(std::min(entry / entries_per_bank, banks - 1),
                     lane.row * request.row_elements + entry);
    }
    cycles += conflicts_.finish();
  }
  return cycles;
}

}  // namespace eva
