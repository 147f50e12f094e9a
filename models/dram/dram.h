#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "base/address_range.h"
#include "base/part.h"
#include "dram/ideal_timing.h"
#include "dram/sparse_memory.h"

namespace eva {

struct DramParameters {
  std::uint64_t capacity_mib = 8192;
  IdealMemoryParameters ideal;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("capacity_mib", capacity_mib, {1, 1ULL << 24}, "MiB of memory");
    visit_group(visitor, "ideal", ideal, "timing of --memory ideal");
  }
};

/// The memory of the board as a TLM target; addresses count from its start.
///
/// Timing: a transaction occupies the pipe of IdealMemoryTiming in the order of calls; its delay
/// ends with its last byte. It never waits, so an initiator may have several requests under way.
/// Debug transport moves data and takes no time.
class Dram : public Part {
 public:
  Dram(const sc_core::sc_module_name& name, const PartContext& context,
       const DramParameters& parameters);

  tlm_utils::simple_target_socket<Dram> socket;

  /// Direct access for loaders and checkers, outside simulated time; the range must be inside.
  [[nodiscard]] const SparseMemory& contents() const { return contents_; }
  [[nodiscard]] SparseMemory& contents() { return contents_; }
  [[nodiscard]] std::uint64_t capacity_bytes() const { return range_.last() + 1; }
  [[nodiscard]] Bytes bytes_read() const { return bytes_read_; }
  [[nodiscard]] Bytes bytes_written() const { return bytes_written_; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void move_data(tlm::tlm_generic_payload& payload);

  AddressRange range_;
  IdealMemoryTiming timing_;
  SparseMemory contents_;
  Bytes bytes_read_;
  Bytes bytes_written_;
};

}  // namespace eva
