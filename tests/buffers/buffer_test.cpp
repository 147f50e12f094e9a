#include "buffers/buffer.h"

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

using eva::BankMapping;
using eva::Buffer;
using eva::BufferParameters;
using eva::GatherExtension;
using eva::InitiatorPort;
using eva::TransportResult;

namespace {

using Lanes = std::vector<GatherExtension::Lane>;
using Words = std::vector<std::uint16_t>;

/// A buffer and two units that share it: 1 KiB, four banks by row unless told otherwise; a cycle
/// lasts 2 ns.
struct Bench : eva::test::PartBench {
  Bench(const sc_core::sc_module_name& name, const BufferParameters& parameters, bool functional)
      : PartBench(name), buffer("buffer", context(functional), parameters) {
    unit.socket.bind(buffer.socket);
    other_unit.socket.bind(buffer.socket);
  }

  /// Writes a tile of `rows` x `row_elements`; the element of row r, entry e is 100 r + e.
  void fill_tile(std::uint64_t address, std::uint16_t rows, std::uint16_t row_elements) {
    Words tile;
    for (unsigned row = 0; row < rows; ++row) {
      for (unsigned entry = 0; entry < row_elements; ++entry) {
        tile.push_back(static_cast<std::uint16_t>(100 * row + entry));
      }
    }
    unit.write_ring(address, buffer.capacity(), tile.data(), tile.size() * 2);
  }

  /// Gathers as many columns as there are indices for each lane: "elements; status, cycles, delay".
  std::string gather(std::uint64_t address, const Lanes& lanes, const Words& indices,
                     std::size_t row_elements) {
    GatherExtension request;
    request.lanes = &lanes;
    request.indices = indices.data();
    request.indices_per_column = lanes.size();
    request.columns = indices.size() / lanes.size();
    request.row_elements = row_elements;
    Words elements(indices.size(), 9999);
    const TransportResult result =
        unit.gather(address, elements.data(), elements.size() * 2, request);
    std::ostringstream text;
    for (const std::uint16_t element : elements)
      text << (text.tellp() > 0 ? " " : "") << element;
    text << "; status " << result.status << ", " << request.cycles << " cycles, " << result.delay;
    return text.str();
  }

  Buffer buffer;
  InitiatorPort unit{"unit"};
  InitiatorPort other_unit{"other_unit"};
};

/// Runs `program` with a bench in a child process.
std::string on_bench(const BufferParameters& parameters,
                     const std::function<std::string(Bench&)>& program, bool functional = true) {
  return eva::test::on_part_bench<Bench>(program, parameters, functional);
}
std::string on_bench(const std::function<std::string(Bench&)>& program) {
  return on_bench({1, 4, BankMapping::row}, program);
}
std::string without_data(const std::function<std::string(Bench&)>& program) {
  return on_bench({1, 4, BankMapping::row}, program, false);
}

/// What Bench::gather tells besides the elements.
std::string time_of(const std::string& gathered) {
  return gathered.substr(gathered.find("status"));
}

/// Lane i reads row i with its own index.
Lanes lanes_of_rows(std::uint32_t rows) {
  Lanes lanes;
  for (std::uint32_t row = 0; row < rows; ++row)
    lanes.push_back({row, row});
  return lanes;
}

}  // namespace

TEST_CASE("buffer: its last byte can be written, the one after it is an address error") {
  const std::string seen = on_bench([](Bench& bench) {
    std::ostringstream log;
    log << bench.unit.write(1023, "a", 1).status << ' ' << bench.unit.write(1024, "b", 1).status
        << ' ' << bench.unit.write(1000, std::string(25, 'c').data(), 25).status;
    return log.str();
  });
  CHECK(seen == "1 -2 -2");
}

TEST_CASE("buffer: a write beyond the capacity changes no byte") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "????";
    bench.unit.write(1020, "keep", 4);
    bench.unit.write(1020, "oversize", 8);
    bench.unit.read(1020, data.data(), 4);
    return data + " " + std::to_string(bench.buffer.counters().writes);
  });
  CHECK(seen == "keep 1");
}

TEST_CASE("buffer: a read beyond the capacity leaves the caller's data alone") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "untouched";
    const TransportResult result = bench.unit.read(0xFFFFFFFFFFFFFFFC, data.data(), 8);
    return std::to_string(result.status) + " " + data;
  });
  CHECK(seen == "-2 untouched");
}

TEST_CASE("buffer: all its initiators share the contents") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "????";
    bench.unit.write(5, "abcd", 4);
    bench.other_unit.read(5, data.data(), 4);
    return data;
  });
  CHECK(seen == "abcd");
}

TEST_CASE("buffer: plain reads and writes take no time of their own") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data(1024, 'a');
    return bench.unit.write(0, data.data(), 1024).delay.to_string() + ", " +
           bench.unit.read(0, data.data(), 1024).delay.to_string();
  });
  CHECK(seen == "0 s, 0 s");
}

TEST_CASE("buffer: a ring access wraps round its end") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "????????";
    bench.unit.write_ring(2 * 1024 - 3, bench.buffer.capacity(), "abcdefgh", 8);
    bench.unit.read(0, data.data(), 5);
    bench.unit.read(1021, data.data() + 5, 3);
    std::string whole = "????????";
    bench.unit.read_ring(1021, bench.buffer.capacity(), whole.data(), 8);
    return data + " " + whole;
  });
  CHECK(seen == "defghabc abcdefgh");
}

TEST_CASE("buffer: an accumulating write adds to the integers that are there") {
  const std::string seen = on_bench([](Bench& bench) {
    const std::array<std::int32_t, 3> first = {1, -2, 2000000000};
    const std::array<std::int32_t, 3> second = {10, -20, 147483647};
    std::array<std::int32_t, 3> sums{};
    // The second word lies at address 0.
    bench.unit.write_ring(1020, bench.buffer.capacity(), first.data(), 12);
    bench.unit.accumulate_ring(1020, bench.buffer.capacity(), second.data(), 12);
    bench.unit.read_ring(1020, bench.buffer.capacity(), sums.data(), 12);
    std::ostringstream log;
    log << sums[0] << ' ' << sums[1] << ' ' << sums[2];
    return log.str();
  });
  CHECK(seen == "11 -22 2147483647");
}

TEST_CASE("buffer: an accumulating write of a part of an integer is refused") {
  const std::string seen = on_bench([](Bench& bench) {
    const std::array<std::int32_t, 2> addend = {1, 1};
    std::array<std::int32_t, 2> sums = {7, 7};
    const TransportResult result =
        bench.unit.accumulate_ring(0, bench.buffer.capacity(), addend.data(), 6);
    bench.unit.read(0, sums.data(), 8);
    std::ostringstream log;
    log << result.status << ' ' << sums[0] << ' ' << sums[1];
    return log.str();
  });
  CHECK(seen == std::to_string(tlm::TLM_BURST_ERROR_RESPONSE) + " 0 0");
}

TEST_CASE("gather: each lane reads its row at the index of each column") {
  const std::string seen = on_bench([](Bench& bench) {
    bench.fill_tile(64, 3, 16);
    return bench.gather(64, lanes_of_rows(3), {0, 5, 15, 1, 1, 1}, 16);
  });
  CHECK(seen == "0 105 215 1 101 201; status 1, 2 cycles, 4 ns");
}

TEST_CASE("gather: lanes of several tokens may share the index of a column") {
  const std::string seen = on_bench([](Bench& bench) {
    bench.fill_tile(0, 4, 16);
    const Lanes lanes = {{0, 0}, {1, 1}, {2, 0}, {3, 1}};
    const Words indices = {3, 7};
    GatherExtension request;
    request.lanes = &lanes;
    request.indices = indices.data();
    request.indices_per_column = 2;
    request.columns = 1;
    request.row_elements = 16;
    Words elements(4);
    bench.unit.gather(0, elements.data(), 8, request);
    std::ostringstream log;
    for (const std::uint16_t element : elements)
      log << element << ' ';
    return log.str();
  });
  CHECK(seen == "3 107 203 307 ");
}

TEST_CASE("gather: with a bank per row a column takes one cycle, whatever the indices") {
  const std::string seen = on_bench({1, 4, BankMapping::row}, [](Bench& bench) {
    bench.fill_tile(0, 4, 16);
    return bench.gather(0, lanes_of_rows(4), {0, 0, 0, 0, 1, 2, 3, 4, 15, 0, 15, 0}, 16);
  });
  CHECK(seen == "0 100 200 300 1 102 203 304 15 100 215 300; status 1, 3 cycles, 6 ns");
}

TEST_CASE("gather: with twice as many rows as banks a column takes two cycles") {
  const std::string seen = on_bench({1, 4, BankMapping::row}, [](Bench& bench) {
    bench.fill_tile(0, 8, 16);
    return bench.gather(0, lanes_of_rows(8), Words(8, 0), 16);
  });
  CHECK(seen == "0 100 200 300 400 500 600 700; status 1, 2 cycles, 4 ns");
}

TEST_CASE("gather: six rows on three banks take two cycles a column") {
  const std::string seen = on_bench({1, 3, BankMapping::row}, [](Bench& bench) {
    bench.fill_tile(0, 6, 16);
    return bench.gather(0, lanes_of_rows(6), Words(6, 0), 16);
  });
  CHECK(seen == "0 100 200 300 400 500; status 1, 2 cycles, 4 ns");
}

TEST_CASE("gather: with consecutive entries in a bank, indices of different banks do not collide") {
  const std::string seen = on_bench({1, 4, BankMapping::entry}, [](Bench& bench) {
    bench.fill_tile(0, 4, 16);
    return bench.gather(0, lanes_of_rows(4), {0, 4, 8, 12}, 16);
  });
  CHECK(seen == "0 104 208 312; status 1, 1 cycles, 2 ns");
}

TEST_CASE("gather: with consecutive entries in a bank, indices of one bank collide") {
  const std::string seen = on_bench({1, 4, BankMapping::entry}, [](Bench& bench) {
    bench.fill_tile(0, 4, 16);
    // Bank 0 four times; then banks 0, 0, 0, 3.
    return bench.gather(0, lanes_of_rows(4), {0, 1, 2, 3, 0, 0, 0, 15}, 16);
  });
  CHECK(seen == "0 101 202 303 0 100 200 315; status 1, 7 cycles, 14 ns");
}

TEST_CASE("gather: lanes that read the same element share one read") {
  const std::string seen = on_bench({1, 4, BankMapping::entry}, [](Bench& bench) {
    bench.fill_tile(0, 1, 16);
    return bench.gather(0, {{0, 0}, {0, 1}, {0, 2}, {0, 3}}, {2, 2, 2, 2}, 16);
  });
  CHECK(seen == "2 2 2 2; status 1, 1 cycles, 2 ns");
}

TEST_CASE("gather: entries that three banks do not divide lie in the last bank") {
  const std::string seen = on_bench({1, 3, BankMapping::entry}, [](Bench& bench) {
    bench.fill_tile(0, 2, 16);
    // Five entries per bank: 10 and 15 both lie in bank 2.
    return bench.gather(0, lanes_of_rows(2), {10, 15, 9, 10}, 16);
  });
  CHECK(seen == "10 115 9 110; status 1, 3 cycles, 6 ns");
}

TEST_CASE("gather: a tile may wrap round the end of the buffer") {
  const std::string seen = on_bench([](Bench& bench) {
    // 64 bytes a row: row 0 ends at the end, row 1 begins at address 0.
    bench.fill_tile(960, 2, 32);
    const std::string between_rows = bench.gather(960, lanes_of_rows(2), {31, 0}, 32);
    // Row 0 itself straddles the end.
    bench.fill_tile(1000, 2, 32);
    return between_rows + "; " + bench.gather(1000, lanes_of_rows(2), {11, 0, 12, 31}, 32);
  });
  CHECK(seen == "31 100; status 1, 1 cycles, 2 ns; 11 100 12 131; status 1, 2 cycles, 4 ns");
}

TEST_CASE("gather: a data length that is not columns x lanes x 2 is a burst error") {
  const std::string seen = on_bench([](Bench& bench) {
    bench.fill_tile(0, 2, 16);
    const Lanes lanes = lanes_of_rows(2);
    const Words indices = {1, 2, 3, 4};
    GatherExtension request;
    request.lanes = &lanes;
    request.indices = indices.data();
    request.indices_per_column = 2;
    request.columns = 2;
    request.row_elements = 16;
    Words elements(4, 9999);
    const TransportResult result = bench.unit.gather(0, elements.data(), 6, request);
    return std::to_string(result.status) + " " + std::to_string(elements[0]);
  });
  CHECK(seen == std::to_string(tlm::TLM_BURST_ERROR_RESPONSE) + " 9999");
}

TEST_CASE("gather: a tile larger than the buffer is an address error") {
  const std::string seen = on_bench(
      [](Bench& bench) { return time_of(bench.gather(0, lanes_of_rows(33), Words(33, 0), 16)); });
  CHECK(seen == "status -2, 0 cycles, 0 s");
}

TEST_CASE("gather: a tile that begins outside the buffer or at an odd byte is an address error") {
  const std::string seen = on_bench([](Bench& bench) {
    return bench.gather(1024, {{0, 0}}, {0}, 16) + "; " + bench.gather(1023, {{0, 0}}, {0}, 16);
  });
  CHECK(seen == "9999; status -2, 0 cycles, 0 s; 9999; status -2, 0 cycles, 0 s");
}

TEST_CASE("gather: a payload last used as gather is a plain read next time") {
  const std::string seen = on_bench([](Bench& bench) {
    bench.fill_tile(0, 2, 16);
    const Lanes lanes = lanes_of_rows(2);
    const Words indices = {5, 6};
    GatherExtension request;
    request.lanes = &lanes;
    request.indices = indices.data();
    request.indices_per_column = 2;
    request.columns = 1;
    request.row_elements = 16;
    Words data(2);
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(0);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    std::ostringstream log;
    const auto send = [&] {
      sc_core::sc_time delay;
      bench.unit.socket->b_transport(payload, delay);
      log << data[0] << ' ' << data[1] << ' ' << delay << "; ";
    };
    payload.set_extension(&request);
    send();
    payload.clear_extension<GatherExtension>();
    send();
    return log.str();
  });
  CHECK(seen == "5 106 2 ns; 0 1 0 s; ");
}

TEST_CASE("gather: without data its time is that of rows on banks") {
  const std::string seen = without_data(
      [](Bench& bench) { return time_of(bench.gather(0, lanes_of_rows(8), Words(16, 0), 16)); });
  CHECK(seen == "status 1, 4 cycles, 8 ns");
}

TEST_CASE("buffer: without data nothing is moved, but bounds hold") {
  const std::string seen = without_data([](Bench& bench) {
    std::string data = "????";
    std::ostringstream log;
    log << bench.unit.write(0, "abcd", 4).ok() << bench.unit.read(0, data.data(), 4).ok()
        << bench.unit.read(1022, data.data(), 4).ok() << ' ' << data;
    return log.str();
  });
  CHECK(seen == "110 ????");
}

TEST_CASE("buffer: it counts transactions, bytes, look-ups and conflicts") {
  const std::string seen = on_bench({1, 2, BankMapping::row}, [](Bench& bench) {
    bench.fill_tile(0, 4, 16);
    bench.gather(0, lanes_of_rows(4), Words(12, 0), 16);
    std::string data(10, '?');
    bench.unit.read(0, data.data(), 10);
    const Buffer::Counters& counters = bench.buffer.counters();
    std::ostringstream log;
    log << counters.writes << " write of " << counters.bytes_written << ", " << counters.reads
        << " reads of " << counters.bytes_read << ", " << counters.look_ups << " look-ups, "
        << counters.conflict_cycles << " lost, highest " << counters.highest_byte;
    return log.str();
  });
  CHECK(seen == "1 write of 128, 2 reads of 34, 12 look-ups, 3 lost, highest 128");
}

TEST_CASE("buffer: debug transport moves data and changes no counter") {
  const std::string seen = on_bench([](Bench& bench) {
    std::string data = "abcd";
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(1020);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
    payload.set_data_length(4);
    std::ostringstream log;
    log << bench.unit.socket->transport_dbg(payload);
    data = "????";
    payload.set_read();
    log << bench.unit.socket->transport_dbg(payload) << ' ' << data << ' ';
    payload.set_address(1021);
    log << bench.unit.socket->transport_dbg(payload) << ' ' << bench.buffer.counters().reads
        << bench.buffer.counters().writes << bench.buffer.counters().highest_byte;
    return log.str();
  });
  CHECK(seen == "44 abcd 0 000");
}
