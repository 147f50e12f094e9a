#include "base/transport.h"

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>

#include "support/child_process.h"

using eva::InitiatorPort;
using eva::TransportResult;
using eva::test::in_child_process;

namespace {

/// An initiator and a target that answers with `status`.
struct Bench : sc_core::sc_module {
  Bench(const sc_core::sc_module_name& name, tlm::tlm_response_status status)
      : sc_module(name), answer(status) {
    initiator.socket.bind(target);
    target.register_b_transport(this, &Bench::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    incoming = payload.get_response_string();
    streaming_width = payload.get_streaming_width();
    delay += sc_core::sc_time(3, sc_core::SC_NS);
    payload.set_response_status(answer);
  }

  InitiatorPort initiator{"dma"};
  tlm_utils::simple_target_socket<Bench> target{"target"};
  tlm::tlm_response_status answer;
  std::string incoming;
  unsigned streaming_width = 0;
};

/// Runs `program` with a bench in a child process.
std::string on_bench(tlm::tlm_response_status status,
                     const std::function<std::string(Bench&)>& program) {
  return in_child_process([&] {
    Bench bench("bench", status);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return program(bench);
  });
}

}  // namespace

TEST_CASE("initiator port: a target that answers nothing is a model error with name and address") {
  CHECK_THROWS_WITH(on_bench(tlm::TLM_INCOMPLETE_RESPONSE,
                             [](Bench& bench) {
                               unsigned char byte = 0;
                               bench.initiator.read(64, &byte, 1);
                               return std::string();
                             }),
                    "dma: the target left a transaction at address 64 incomplete");
}

TEST_CASE("initiator port: every transaction starts with an incomplete response") {
  const std::string seen = on_bench(tlm::TLM_OK_RESPONSE, [](Bench& bench) {
    unsigned char byte = 0;
    bench.initiator.read(0, &byte, 1);
    bench.initiator.write(0, &byte, 1);
    return bench.incoming;
  });
  CHECK(seen == "TLM_INCOMPLETE_RESPONSE");
}

TEST_CASE("initiator port: status and delay of the target are handed back") {
  const std::string seen = on_bench(tlm::TLM_ADDRESS_ERROR_RESPONSE, [](Bench& bench) {
    unsigned char byte = 0;
    const TransportResult result = bench.initiator.write(0, &byte, 1);
    return std::to_string(result.status) + (result.ok() ? " ok " : " not ok ") +
           result.delay.to_string();
  });
  CHECK(seen == "-2 not ok 3 ns");
}

TEST_CASE("initiator port: the streaming width is the length, so that nothing streams") {
  const std::string seen = on_bench(tlm::TLM_OK_RESPONSE, [](Bench& bench) {
    std::array<unsigned char, 100> data{};
    bench.initiator.read(0, data.data(), data.size());
    return std::to_string(bench.streaming_width);
  });
  CHECK(seen == "100");
}

TEST_CASE("initiator port: a failed on-chip transfer is refused by what and status") {
  TransportResult result;
  result.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  CHECK_THROWS_WITH(eva::require_ok(result, "codebook"),
                    "codebook: the buffer answered with response status -2");
}
