#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/units.h"

namespace eva {

/// Answer to one transaction.
struct TransportResult {
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  sc_core::sc_time delay;  ///< from the call to the last byte

  [[nodiscard]] bool ok() const { return status == tlm::TLM_OK_RESPONSE; }
};

/// Ignorable extension of a read: many elements at once, as the look-ups of the epilogue need them.
/// The payload's data become [columns][lanes] elements of 2 bytes; its address is that of the tile.
/// The target answers with the cycles that the bank conflicts cost, in `cycles`, and in its delay.
struct GatherExtension : tlm::tlm_extension<GatherExtension> {
  /// Row of the tile that a lane reads, and which index of a column it uses.
  struct Lane {
    std::uint32_t row;
    std::uint32_t index;
  };
  const std::vector<Lane>* lanes = nullptr;
  const std::uint16_t* indices = nullptr;  ///< [columns][indices_per_column], each < row_elements
  std::size_t indices_per_column = 0;
  std::size_t columns = 0;
  std::size_t row_elements = 0;  ///< elements of one row of the tile
  std::uint64_t cycles = 0;      ///< answer

  [[nodiscard]] tlm_extension_base* clone() const override { return new GatherExtension(*this); }
  void copy_from(const tlm_extension_base& other) override {
    *this = static_cast<const GatherExtension&>(other);
  }
};

/// Ignorable extension of a write: 32-bit integers are added to what is there.
struct AccumulateExtension : tlm::tlm_extension<AccumulateExtension> {
  [[nodiscard]] tlm_extension_base* clone() const override {
    return new AccumulateExtension(*this);
  }
  void copy_from(const tlm_extension_base&) override {}
};

/// The initiator's end of a TLM-2.0 socket as the parts use it: blocking transport with annotated
/// time. It never waits; the caller lets the delay pass when it needs the data.
///
/// A response that is still INCOMPLETE is a fault of the target's model: std::logic_error.
class InitiatorPort {
 public:
  explicit InitiatorPort(const char* name) : socket(name), name_(name) {}

  tlm_utils::simple_initiator_socket<InitiatorPort> socket;

  TransportResult read(std::uint64_t address, void* data, std::size_t bytes) {
    return transport(tlm::TLM_READ_COMMAND, address, data, bytes, no_extension);
  }
  /// TLM has one data pointer for both directions; a write does not change what it points to.
  TransportResult write(std::uint64_t address, const void* data, std::size_t bytes) {
    return transport(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(data), bytes, no_extension);
  }
  TransportResult gather(std::uint64_t address, void* data, std::size_t bytes,
                         GatherExtension& extension) {
    return transport(tlm::TLM_READ_COMMAND, address, data, bytes, &extension);
  }

  /// As read and write, for a ring of `capacity` bytes at address 0: wraps round at its end.
  TransportResult read_ring(std::uint64_t position, Bytes capacity, void* data, std::size_t bytes) {
    return ring(tlm::TLM_READ_COMMAND, position, capacity, data, bytes, no_extension);
  }
  TransportResult write_ring(std::uint64_t position, Bytes capacity, const void* data,
                             std::size_t bytes) {
    return ring(tlm::TLM_WRITE_COMMAND, position, capacity, const_cast<void*>(data), bytes,
                no_extension);
  }
  /// Adds to the 32-bit integers of a ring; a word must not straddle its end.
  TransportResult accumulate_ring(std::uint64_t position, Bytes capacity, const std::int32_t* data,
                                  std::size_t bytes) {
    AccumulateExtension extension;
    return ring(tlm::TLM_WRITE_COMMAND, position, capacity, const_cast<std::int32_t*>(data), bytes,
                &extension);
  }

 private:
  static constexpr AccumulateExtension* no_extension = nullptr;

  /// The extension lives on the caller's stack: it leaves the payload before both end.
  template <class Extension>
  TransportResult transport(tlm::tlm_command command, std::uint64_t address, void* data,
                            std::size_t bytes, Extension* extension) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    if (extension != nullptr) payload.set_extension(extension);
    TransportResult result = send(payload);
    payload.clear_extension<Extension>();
    return result;
  }
  TransportResult send(tlm::tlm_generic_payload& payload);
  template <class Extension>
  TransportResult ring(tlm::tlm_command command, std::uint64_t position, Bytes capacity, void* data,
                       std::size_t bytes, Extension* extension) {
    const std::uint64_t address = position % capacity.count();
    const auto first = std::min<std::size_t>(bytes, capacity.count() - address);
    TransportResult result = transport(command, address, data, first, extension);
    if (first < bytes && result.ok()) {
      result = transport(command, 0, static_cast<unsigned char*>(data) + first, bytes - first,
                         extension);
    }
    return result;
  }

  std::string name_;
};

/// Throws std::logic_error when an on-chip transfer, whose bounds were checked before, failed.
void require_ok(const TransportResult& result, const char* what);

/// Answers a request that a plain memory-like target cannot serve: byte enables, streaming, an
/// ignore command. Returns whether the target should go on; if not, the status is set.
bool accept_plain_request(tlm::tlm_generic_payload& payload);

}  // namespace eva
