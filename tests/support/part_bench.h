#pragma once

#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>

#include "base/part.h"
#include "support/child_process.h"

namespace eva::test {

/// What a bench for one part needs round it; a cycle lasts 2 ns. Derive, and add part and
/// initiators.
struct PartBench : sc_core::sc_module, FailureHandler {
  explicit PartBench(const sc_core::sc_module_name& name) : sc_module(name) {}

  void on_failure(const std::string& part, const std::string& what) override {
    throw std::runtime_error(part + ": " + what);
  }
  [[nodiscard]] PartContext context(bool functional = true) {
    return {clock, log, *this, functional};
  }

  ClockDomain clock{500'000'000};
  EventLog log;
};

/// Elaborates a `Bench` in a child process and returns what `program(bench)` returns.
template <class Bench, class Program, class... Arguments>
std::string on_part_bench(const Program& program, Arguments&&... arguments) {
  return in_child_process([&] {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    Bench bench("bench", std::forward<Arguments>(arguments)...);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return program(bench);
  });
}

/// A plain transaction; the caller changes what is special about it.
struct Payload : tlm::tlm_generic_payload {
  Payload(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    set_command(command);
    set_address(address);
    set_data_ptr(static_cast<unsigned char*>(data));
    set_data_length(bytes);
    set_streaming_width(bytes);
  }
};

}  // namespace eva::test
