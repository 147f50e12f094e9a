#include "dram/dram.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/transport.h"
#include "support/part_bench.h"

using eva::Dram;
using eva::DramParameters;
using eva::InitiatorPort;
using eva::TransportResult;
using eva::test::Payload;

namespace {

constexpr std::uint64_t end_of_memory = 0x100000;

/// A memory and its initiator: 1 MiB at 128 bytes per cycle of 2 ns unless told otherwise.
struct Bench : eva::test::PartBench {
  Bench(const sc_core::sc_module_name& name, const DramParameters& parameters)
      : PartBench(name), dram("dram", context(), parameters) {
    initiator.socket.bind(dram.socket);
  }
  /// Sends `payload` as it is and tells the response.
  std::string send(tlm::tlm_generic_payload& payload) {
    sc_core::sc_time delay;
    initiator.socket->b_transport(payload, delay);
    return payload.get_response_string();
  }

  Dram dram;
  InitiatorPort initiator{"initiator"};
};

/// Runs `program` with a bench in a child process.
std::string on_bench(const DramParameters& parameters,
                     const std::function<std::string(Bench&)>& program) {
  return eva::test::on_part_bench<Bench>(program, parameters);
}
std::string on_bench(const std::function<std::string(Bench&)>& program) {
  return on_bench({1, {128, 0}}, program);
}

std::string text_at(const Dram& dram, std::uint64_t address, std::size_t bytes) {
  std::string text(bytes, '?');
  dram.contents().read(address, text.data(), bytes);
  return text;
}

}  // namespace

TEST_CASE("dram: what is written is read back") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcd";
    bench.initiator.write(0x1003, "wxyz", 4);
    bench.initiator.read(0x1003, data.data(), 4);
    return data;
  });
  CHECK(seen == "wxyz");
}

TEST_CASE("dram: the last byte can be written, the one after it is an address error") {
  const std::string seen = on_bench([](Bench& bench) {
    std::ostringstream log;
    log << bench.initiator.write(end_of_memory - 1, "a", 1).ok();
    log << bench.initiator.write(end_of_memory, "b", 1).ok();
    log << ' ' << bench.initiator.write(end_of_memory, "b", 1).status;
    log << ' ' << text_at(bench.dram, end_of_memory - 1, 1);
    return log.str();
  });
  CHECK(seen == "10 -2 a");
}

TEST_CASE("dram: a write that straddles the end of memory changes no byte") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcdefgh";
    bench.initiator.write(end_of_memory - 8, "12345678", 8);
    Payload payload(tlm::TLM_WRITE_COMMAND, end_of_memory - 4, data.data(), 8);
    return bench.send(payload) + " " + text_at(bench.dram, end_of_memory - 8, 8) + " " +
           std::to_string(bench.dram.contents().allocated_pages());
  });
  CHECK(seen == "TLM_ADDRESS_ERROR_RESPONSE 12345678 1");
}

TEST_CASE("dram: a read that straddles the end of memory leaves the caller's data alone") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "untouched";
    bench.initiator.read(end_of_memory - 4, data.data(), 8);
    return data;
  });
  CHECK(seen == "untouched");
}

TEST_CASE("dram: an access that wraps around the address space is an address error") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "untouched";
    Payload payload(tlm::TLM_READ_COMMAND, 0xFFFFFFFFFFFFFFFC, data.data(), 8);
    return bench.send(payload) + " " + data;
  });
  CHECK(seen == "TLM_ADDRESS_ERROR_RESPONSE untouched");
}

TEST_CASE("dram: byte enables are refused and write nothing") {
  const std::string seen = on_bench([](Bench& bench) {
    std::array<unsigned char, 4> data = {1, 2, 3, 4};
    std::array<unsigned char, 4> enables = {0xFF, 0, 0xFF, 0};
    Payload payload(tlm::TLM_WRITE_COMMAND, 0, data.data(), 4);
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(4);
    return bench.send(payload) + " " + std::to_string(bench.dram.contents().allocated_pages());
  });
  CHECK(seen == "TLM_BYTE_ENABLE_ERROR_RESPONSE 0");
}

TEST_CASE("dram: a streaming width below the length is refused, not taken as linear") {
  const std::string seen = on_bench([](Bench& bench) {
    std::array<unsigned char, 8> data = {1, 2, 3, 4, 5, 6, 7, 8};
    Payload payload(tlm::TLM_WRITE_COMMAND, 0, data.data(), 8);
    payload.set_streaming_width(4);
    return bench.send(payload) + " " + std::to_string(bench.dram.contents().allocated_pages());
  });
  CHECK(seen == "TLM_BURST_ERROR_RESPONSE 0");
}

TEST_CASE("dram: an ignore command is accepted and does nothing") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcd";
    Payload payload(tlm::TLM_IGNORE_COMMAND, 0, data.data(), 4);
    return bench.send(payload) + " " + data + " " +
           std::to_string(bench.dram.contents().allocated_pages());
  });
  CHECK(seen == "TLM_OK_RESPONSE abcd 0");
}

TEST_CASE("dram: a re-used payload that still says OK is answered anew") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcd";
    Payload payload(tlm::TLM_READ_COMMAND, 0, data.data(), 4);
    const std::string first = bench.send(payload);
    payload.set_address(end_of_memory);
    return first + " " + bench.send(payload);
  });
  CHECK(seen == "TLM_OK_RESPONSE TLM_ADDRESS_ERROR_RESPONSE");
}

TEST_CASE("dram: address and length of a payload are the same after the call") {
  const std::string seen = on_bench([](Bench& bench) {
    std::vector<unsigned char> data(100);
    Payload payload(tlm::TLM_READ_COMMAND, 0x3C, data.data(), 100);
    bench.send(payload);
    return std::to_string(payload.get_address()) + " " + std::to_string(payload.get_data_length());
  });
  CHECK(seen == "60 100");
}

TEST_CASE("dram: lengths 1 to 4097 at offsets 0 to 63 move exactly their bytes") {
  const std::string seen = on_bench([](Bench& bench) {
    int wrong = 0;
    for (std::uint64_t offset = 0; offset < 64; ++offset) {
      for (const std::size_t length : {1, 63, 64, 65, 4095, 4097}) {
        // Across the end of a page, between two guard bytes.
        const std::uint64_t address = 0x10000 - 64 + offset;
        const std::vector<unsigned char> clean(length + 2, 0xEE);
        bench.dram.contents().write(address - 1, clean.data(), clean.size());
        std::vector<unsigned char> written(length);
        for (std::size_t i = 0; i < length; ++i) {
          written[i] = static_cast<unsigned char>(i * 7 + offset + 1);
        }
        bench.initiator.write(address, written.data(), length);
        std::vector<unsigned char> stored(length + 2);
        bench.dram.contents().read(address - 1, stored.data(), stored.size());
        std::vector<unsigned char> read(length);
        bench.initiator.read(address, read.data(), length);
        if (stored.front() != 0xEE || stored.back() != 0xEE || read != written ||
            !std::equal(written.begin(), written.end(), stored.begin() + 1)) {
          ++wrong;
        }
      }
    }
    std::ostringstream log;
    log << wrong << " wrong, " << bench.dram.bytes_read() << " read, " << bench.dram.bytes_written()
        << " written";
    return log.str();
  });
  CHECK(seen == "0 wrong, 536640 read, 536640 written");
}

TEST_CASE("dram: the delay ends with the last byte") {
  const std::string seen = on_bench([](Bench& bench) {
    std::vector<unsigned char> data(4096);
    return bench.initiator.read(0, data.data(), 4096).delay.to_string();
  });
  CHECK(seen == "64 ns");
}

TEST_CASE("dram: requests of the same time queue for the pipe") {
  const std::string seen = on_bench([](Bench& bench) {
    std::vector<unsigned char> data(4096);
    bench.initiator.read(0, data.data(), 4096);
    return bench.initiator.write(0, data.data(), 128).delay.to_string();
  });
  CHECK(seen == "66 ns");
}

TEST_CASE("dram: a request begins at the first edge after its annotated delay") {
  const std::string seen = on_bench([](Bench& bench) {
    std::vector<unsigned char> data(128);
    Payload payload(tlm::TLM_READ_COMMAND, 0, data.data(), 128);
    sc_core::sc_time delay(3, sc_core::SC_NS);
    bench.initiator.socket->b_transport(payload, delay);
    return delay.to_string();
  });
  CHECK(seen == "6 ns");
}

TEST_CASE("dram: a refused request takes no time and counts no byte") {
  const std::string seen = on_bench([](Bench& bench) {
    std::vector<unsigned char> data(128);
    const TransportResult refused = bench.initiator.write(end_of_memory, data.data(), 128);
    const TransportResult next = bench.initiator.read(0, data.data(), 128);
    return refused.delay.to_string() + ", " + next.delay.to_string() + ", " +
           std::to_string(bench.dram.bytes_written().count());
  });
  CHECK(seen == "0 s, 2 ns, 0");
}

TEST_CASE("dram: debug transport moves data, takes no time and changes no counter") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcd";
    Payload write(tlm::TLM_WRITE_COMMAND, 0x2000, data.data(), 4);
    Payload read(tlm::TLM_READ_COMMAND, 0x2000, data.data(), 4);
    std::ostringstream log;
    log << bench.initiator.socket->transport_dbg(write);
    data = "????";
    log << bench.initiator.socket->transport_dbg(read) << ' ' << data << ' '
        << bench.dram.bytes_read() << bench.dram.bytes_written() << ' ';
    std::vector<unsigned char> line(128);
    log << bench.initiator.read(0, line.data(), 128).delay;
    return log.str();
  });
  CHECK(seen == "44 abcd 00 2 ns");
}

TEST_CASE("dram: debug transport outside the memory moves nothing") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcdefgh";
    Payload write(tlm::TLM_WRITE_COMMAND, end_of_memory - 4, data.data(), 8);
    Payload read(tlm::TLM_READ_COMMAND, end_of_memory - 4, data.data(), 8);
    std::ostringstream log;
    log << bench.initiator.socket->transport_dbg(write)
        << bench.initiator.socket->transport_dbg(read) << ' ' << data << ' '
        << bench.dram.contents().allocated_pages();
    return log.str();
  });
  CHECK(seen == "00 abcdefgh 0");
}

TEST_CASE("dram: a memory of 8 GiB ends at 8 GiB") {
  const std::string seen = on_bench({8192, {128, 0}}, [](Bench& bench) {
    std::ostringstream log;
    log << std::hex << bench.dram.capacity_bytes() << ' '
        << bench.initiator.write(0x1FFFFFFFF, "a", 1).ok()
        << bench.initiator.write(0x200000000, "b", 1).ok();
    return log.str();
  });
  CHECK(seen == "200000000 10");
}
