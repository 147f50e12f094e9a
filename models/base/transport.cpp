#include "base/transport.h"

namespace eva {

TransportResult InitiatorPort::send(tlm::tlm_generic_payload& payload) {
  TransportResult result;
  socket->b_transport(payload, result.delay);
  result.status = payload.get_response_status();
  if (result.status == tlm::TLM_INCOMPLETE_RESPONSE) {
    throw std::logic_error(name_ + ": the target left a transaction at address " +
                           std::to_string(payload.get_address()) + " incomplete");
  }
  return result;
}

void require_ok(const TransportResult& result, const char* what) {
  if (!result.ok()) {
    throw std::logic_error(std::string(what) + ": the buffer answered with response status " +
                           std::to_string(static_cast<int>(result.status)));
  }
}

bool accept_plain_request(tlm::tlm_generic_payload& payload) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return false;
  }
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return false;
  }
  if (payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return false;
  }
  return true;
}

}  // namespace eva
