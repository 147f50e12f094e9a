#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <systemc>
#include <tlm>
#include <vector>

#include "base/address_range.h"
#include "base/parameters.h"
#include "base/part.h"
#include "base/transport.h"
#include "buffers/banking.h"

namespace eva {

struct BufferParameters {
  std::uint64_t capacity_kib = 32;
  std::uint64_t banks = 1;
  BankMapping bank_mapping = BankMapping::row;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("capacity_kib", capacity_kib, {1, 1U << 20}, "KiB, 1024 bytes each");
    visitor.integer("banks", banks, {1, 4096}, "banks that can be read in the same cycle");
    visit_choice(visitor, "bank_mapping", bank_mapping, {"row", "entry"},
                 "what decides the bank of an element that is looked up");
  }
  [[nodiscard]] Bytes capacity() const { return Bytes(capacity_kib << 10); }
};

/// An on-chip buffer: finite, banked SRAM behind a TLM socket that several units share.
///
/// Timing: plain reads and writes are as wide as the unit that makes them and take no time of their
/// own; a gather takes, per column, as many cycles as the fullest bank has different elements to
/// give. Its delay is the sum, the answer in GatherExtension::cycles as well. A tile that is looked
/// up may wrap round the end of the buffer. Units own disjoint parts (RingSpace), so a read and a
/// write never meet in a bank. Beyond the capacity: address error, nothing is changed.
class Buffer : public Part {
 public:
  Buffer(const sc_core::sc_module_name& name, const PartContext& context,
         const BufferParameters& parameters);

  tlm_utils::multi_passthrough_target_socket<Buffer> socket;

  struct Counters {
    std::uint64_t reads = 0;  ///< transactions
    std::uint64_t writes = 0;
    Bytes bytes_read;
    Bytes bytes_written;
    std::uint64_t look_ups = 0;
    std::uint64_t conflict_cycles = 0;  ///< beyond one per column
    std::uint64_t highest_byte = 0;     ///< one past the last byte ever written
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] Bytes capacity() const { return parameters_.capacity(); }

 private:
  void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
  void gather(tlm::tlm_generic_payload& payload, GatherExtension& request, sc_core::sc_time& delay);
  void look_up(const tlm::tlm_generic_payload& payload, const GatherExtension& request);
  void move_data(const tlm::tlm_generic_payload& payload);
  [[nodiscard]] std::uint64_t gather_cycles(const GatherExtension& request);

  BufferParameters parameters_;
  AddressRange range_;
  BankConflicts conflicts_;
  std::vector<unsigned char> contents_;
  Counters counters_;
};

}  // namespace eva
