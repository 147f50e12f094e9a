#include "bus/bus.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <systemc>
#include <tlm>

#include "base/transport.h"
#include "dram/dram.h"
#include "support/part_bench.h"

using eva::AddressRange;
using eva::Bus;
using eva::Dram;
using eva::InitiatorPort;
using eva::test::Payload;

namespace {

constexpr std::uint64_t gibibyte = 1ULL << 30;

/// Two initiators and three memories: 1 MiB at 0x10000000 ("low"), 8 GiB at 0x80000000 ("high") and
/// 1 MiB that ends with the last address ("top").
struct Bench : eva::test::PartBench {
  explicit Bench(const sc_core::sc_module_name& name)
      : PartBench(name),
        bus("bus", context()),
        low("low", context(), {1, {128, 0}}),
        high("high", context(), {8192, {128, 0}}),
        top("top", context(), {1, {128, 0}}) {
    bus.map({"low", AddressRange::from_size(0x10000000, 0x100000)}, low.socket);
    bus.map({"high", AddressRange::from_size(0x80000000, 8 * gibibyte)}, high.socket);
    bus.map({"top", AddressRange::from_size(0xFFFFFFFFFFF00000, 0x100000)}, top.socket);
    first.socket.bind(bus.targets);
    second.socket.bind(bus.targets);
  }
  /// What the three memories hold: pages that were ever written.
  std::string pages() const {
    std::ostringstream text;
    text << low.contents().allocated_pages() << high.contents().allocated_pages()
         << top.contents().allocated_pages();
    return text.str();
  }

  Bus bus;
  Dram low;
  Dram high;
  Dram top;
  InitiatorPort first{"first"};
  InitiatorPort second{"second"};
};

/// Runs `program` with a bench in a child process.
std::string on_bench(const std::function<std::string(Bench&)>& program) {
  return eva::test::on_part_bench<Bench>(program);
}

std::string text_at(const Dram& dram, std::uint64_t address, std::size_t bytes) {
  std::string text(bytes, '?');
  dram.contents().read(address, text.data(), bytes);
  return text;
}

}  // namespace

TEST_CASE("bus: an access reaches the target of its window, counted from the window's start") {
  const std::string seen = on_bench([](Bench& bench) {
    bench.first.write(0x10000010, "low", 3);
    bench.first.write(0x80000020, "high", 4);
    bench.first.write(0xFFFFFFFFFFFFFFFD, "top", 3);
    return text_at(bench.low, 0x10, 3) + " " + text_at(bench.high, 0x20, 4) + " " +
           text_at(bench.top, 0xFFFFD, 3) + " " + bench.pages();
  });
  CHECK(seen == "low high top 111");
}

TEST_CASE("bus: several initiators see the same memory") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "????";
    bench.first.write(0x80000000, "abcd", 4);
    bench.second.read(0x80000000, data.data(), 4);
    return data;
  });
  CHECK(seen == "abcd");
}

TEST_CASE("bus: an access to a hole is an address error and leaves the data alone") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcd";
    std::ostringstream log;
    log << bench.first.read(0x20000000, data.data(), 4).status << ' '
        << bench.first.write(0x20000000, data.data(), 4).status << ' ' << data << ' '
        << bench.pages();
    return log.str();
  });
  CHECK(seen == "-2 -2 abcd 000");
}

TEST_CASE("bus: an access that straddles a window's end is an address error and writes no byte") {
  const std::string seen = on_bench([](Bench& bench) {
    std::ostringstream log;
    log << bench.first.write(0x80000000 + 8 * gibibyte - 4, "abcdefgh", 8).status << ' '
        << bench.first.write(0x10000000 - 4, "abcdefgh", 8).status << ' ' << bench.pages();
    return log.str();
  });
  CHECK(seen == "-2 -2 000");
}

TEST_CASE("bus: an access that wraps around the address space is an address error") {
  const std::string seen = on_bench([](Bench& bench) {
    std::ostringstream log;
    log << bench.first.write(0xFFFFFFFFFFFFFFFC, "abcdefgh", 8).status << ' ' << bench.pages();
    return log.str();
  });
  CHECK(seen == "-2 000");
}

TEST_CASE("bus: a word at 5 GiB does not alias the one at 1 GiB") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "????";
    bench.first.write(0x80000000 + 1 * gibibyte, "at 1", 4);
    bench.first.write(0x80000000 + 5 * gibibyte, "at 5", 4);
    bench.first.read(0x80000000 + 1 * gibibyte, data.data(), 4);
    return data + " " + text_at(bench.high, 5 * gibibyte, 4);
  });
  CHECK(seen == "at 1 at 5");
}

TEST_CASE("bus: the payload's address is the same after the call, whatever the answer") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcd";
    std::array<unsigned char, 4> enables{};
    std::ostringstream log;
    sc_core::sc_time delay;
    Payload payload(tlm::TLM_READ_COMMAND, 0x80000040, data.data(), 4);
    bench.first.socket->b_transport(payload, delay);
    log << std::hex << payload.get_address() << ' ';
    payload.set_byte_enable_ptr(enables.data());
    bench.first.socket->b_transport(payload, delay);
    log << payload.get_response_string() << ' ' << payload.get_address() << ' ';
    bench.first.socket->transport_dbg(payload);
    log << payload.get_address();
    return log.str();
  });
  CHECK(seen == "80000040 TLM_BYTE_ENABLE_ERROR_RESPONSE 80000040 80000040");
}

TEST_CASE("bus: a re-used payload that still says OK gets an address error in a hole") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcd";
    sc_core::sc_time delay;
    Payload payload(tlm::TLM_READ_COMMAND, 0x80000000, data.data(), 4);
    bench.first.socket->b_transport(payload, delay);
    payload.set_address(0x20000000);
    bench.first.socket->b_transport(payload, delay);
    return payload.get_response_string();
  });
  CHECK(seen == "TLM_ADDRESS_ERROR_RESPONSE");
}

TEST_CASE("bus: it adds no time of its own") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data(256, '?');
    return bench.first.read(0x80000000, data.data(), 256).delay.to_string();
  });
  CHECK(seen == "4 ns");
}

TEST_CASE("bus: overlapping windows are refused by both names") {
  CHECK_THROWS_WITH(
      on_bench([](Bench& bench) {
        bench.bus.map({"rom", AddressRange::from_size(0x100FFFFF, 2)}, bench.low.socket);
        return std::string();
      }),
      "window 'rom' overlaps window 'low'");
}

TEST_CASE("bus: debug transport is routed, takes no time and changes no counter") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcd";
    Payload write(tlm::TLM_WRITE_COMMAND, 0x10000000, data.data(), 4);
    Payload read(tlm::TLM_READ_COMMAND, 0x10000000, data.data(), 4);
    std::ostringstream log;
    log << bench.first.socket->transport_dbg(write);
    data = "????";
    log << bench.second.socket->transport_dbg(read) << ' ' << data << ' ' << bench.low.bytes_read()
        << bench.low.bytes_written();
    return log.str();
  });
  CHECK(seen == "44 abcd 00");
}

TEST_CASE("bus: debug transport to a hole or across a window's end moves nothing") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcdefgh";
    std::ostringstream log;
    for (const std::uint64_t address : {0x20000000ULL, 0x100FFFFCULL, 0xFFFFFFFFFFFFFFFCULL}) {
      Payload write(tlm::TLM_WRITE_COMMAND, address, data.data(), 8);
      Payload read(tlm::TLM_READ_COMMAND, address, data.data(), 8);
      log << bench.first.socket->transport_dbg(write) << bench.first.socket->transport_dbg(read);
    }
    log << ' ' << data << ' ' << bench.pages();
    return log.str();
  });
  CHECK(seen == "000000 abcdefgh 000");
}
