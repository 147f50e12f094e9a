#include "dram/dram.h"

#include "base/transport.h"

namespace eva {

Dram::Dram(const sc_core::sc_module_name& name, const PartContext& context,
           const DramParameters& parameters)
    : Part(name, context),
      socket("socket"),
      range_(AddressRange::from_size(0, parameters.capacity_mib << 20)),
      timing_(parameters.ideal) {
  socket.register_b_transport(this, &Dram::b_transport);
  socket.register_transport_dbg(this, &Dram::transport_dbg);
}

void Dram::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!accept_plain_request(payload)) return;
  const Bytes bytes(payload.get_data_length());
  if (!range_.contains(payload.get_address(), bytes.count())) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  move_data(payload);
  (payload.is_read() ? bytes_read_ : bytes_written_) += bytes;
  const Cycles finish = timing_.finish(cycle_after(delay), bytes);
  delay = context().clock.time_of(finish) - sc_core::sc_time_stamp();
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned Dram::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!range_.contains(payload.get_address(), payload.get_data_length())) return 0;
  move_data(payload);
  return payload.get_data_length();
}

void Dram::move_data(tlm::tlm_generic_payload& payload) {
  if (payload.is_read()) {
    contents_.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
  } else if (payload.is_write()) {
    contents_.write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
  }
}

}  // namespace eva
