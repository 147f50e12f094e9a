#include "bus/bus.h"

namespace eva {

Bus::Bus(const sc_core::sc_module_name& name, const PartContext& context)
    : Part(name, context), targets("targets"), initiators("initiators") {
  targets.register_b_transport(this, &Bus::b_transport);
  targets.register_transport_dbg(this, &Bus::transport_dbg);
}

void Bus::b_transport(int /*initiator*/, tlm::tlm_generic_payload& payload,
                      sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const auto window = map_.find(address, payload.get_data_length());
  if (!window) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address - map_.windows()[*window].range.first());
  initiators[static_cast<unsigned>(*window)]->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned Bus::transport_dbg(int /*initiator*/, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const auto window = map_.find(address, payload.get_data_length());
  if (!window) return 0;
  payload.set_address(address - map_.windows()[*window].range.first());
  const unsigned count = initiators[static_cast<unsigned>(*window)]->transport_dbg(payload);
  payload.set_address(address);
  return count;
}

}  // namespace eva
