#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <systemc>
#include <tlm>

#include "base/parameters.h"
#include "base/part.h"
#include "bus/address_map.h"

namespace eva {

struct BusParameters {
  std::uint64_t registers_address = 0x10000000;
  std::uint64_t dram_address = 0x80000000;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("registers_address", registers_address, {0, UINT64_MAX},
                    "first address of the accelerator's registers");
    visitor.integer("dram_address", dram_address, {0, UINT64_MAX}, "first address of the memory");
  }
};

/// Routes transactions by address: any number of initiators, one target per window.
///
/// Timing: none of its own; contention is the target's. An access outside every window, across the
/// end of one, or around the end of the address space gets an address error and changes nothing.
/// The payload's address is the same after the call as before.
class Bus : public Part {
 public:
  Bus(const sc_core::sc_module_name& name, const PartContext& context);

  tlm_utils::multi_passthrough_target_socket<Bus> targets;
  tlm_utils::multi_passthrough_initiator_socket<Bus> initiators;

  /// Binds `target` to the addresses of `window`.
  template <class TargetSocket>
  void map(const AddressMap::Window& window, TargetSocket& target) {
    map_.add(window);
    initiators.bind(target);
  }

 private:
  void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);

  AddressMap map_;
};

}  // namespace eva
