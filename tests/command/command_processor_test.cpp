// Registers, ring, interrupt, errors and reset, by a straight-line program on the host.
#include <catch2/catch.hpp>

#include "support/layer_bench.h"

using namespace eva;
using namespace eva::test;

namespace {

constexpr std::uint64_t ring = Bench::memory + 0x1000;

std::string text(std::uint64_t value) {
  return std::to_string(value);
}

/// Error code, index and detail as "code/index/detail".
std::string error_of(const Bench& bench) {
  const std::uint64_t detail = bench.read(EVA_REG_ERROR_DETAIL_LO) |
                               (std::uint64_t{bench.read(EVA_REG_ERROR_DETAIL_HI)} << 32);
  return text(bench.read(EVA_REG_ERROR_CODE)) + "/" + text(bench.read(EVA_REG_ERROR_INDEX)) + "/" +
         text(detail);
}

std::string after_doorbell(const Bench& bench, std::uint32_t tail) {
  bench.write(EVA_REG_RING_TAIL, tail);
  return text(bench.wait_for_interrupt()) + " " + error_of(bench) + " head " +
         text(bench.read(EVA_REG_RING_HEAD));
}

/// What the queue says when descriptor 1 of 3 is `bad`.
std::string refusal_of(const eva_descriptor& bad) {
  return on_board([&bad](const Bench& bench) {
    bench.start_queue(ring, 4);
    bench.place(ring, 0, nop(EVA_FLAG_INTERRUPT));  // its completion is pending too
    bench.place(ring, 1, bad);
    bench.place(ring, 2, nop());
    bench.write(EVA_REG_INT_ENABLE, EVA_INT_ERROR);
    std::string report = after_doorbell(bench, 3);
    // The queue is usable after a reset.
    bench.start_queue(ring, 4);
    bench.place(ring, 0, nop(EVA_FLAG_INTERRUPT));
    report += ", then " + after_doorbell(bench, 1);
    return report;
  });
}

}  // namespace

TEST_CASE("registers: identification and values after reset") {
  CHECK(on_board([](const Bench& bench) {
          return text(bench.read(EVA_REG_ID)) + " " + text(bench.read(EVA_REG_VERSION)) + " " +
                 text(bench.read(EVA_REG_STATUS)) + text(bench.read(EVA_REG_INT_STATUS)) +
                 text(bench.read(EVA_REG_RING_SIZE)) + text(bench.read(EVA_REG_ERROR_CODE)) + " " +
                 text(bench.read(EVA_REG_CAP_ARRAY)) + " " +
                 text(bench.read(EVA_REG_CAP_EPILOGUE)) + " " +
                 text(bench.read(EVA_REG_CAP_OUTPUT_CODEBOOK_BUFFER));
        }) == "826365509 1 0000 524320 2097156 196608");
}

TEST_CASE("registers: accesses that are not aligned words are bus errors without effect") {
  CHECK(on_board([](const Bench& bench) {
          std::string answers;
          std::uint64_t data = ~0ULL;
          const auto attempt = [&](bool ok) { answers += ok ? "ok " : "error "; };
          const auto at = [](std::uint32_t offset) { return Bench::registers + offset; };
          void* context = bench.hal.context;
          attempt(bench.hal.write_memory(context, at(EVA_REG_SCRATCH), &data, 1));
          attempt(bench.hal.write_memory(context, at(EVA_REG_SCRATCH), &data, 2));
          attempt(bench.hal.write_memory(context, at(EVA_REG_SCRATCH), &data, 8));
          attempt(bench.hal.write_memory(context, at(EVA_REG_SCRATCH + 2), &data, 4));
          attempt(bench.hal.read_memory(context, at(EVA_REG_INT_STATUS + 1), &data, 4));
          attempt(bench.hal.write32(context, at(0xffc), 1));       // no register
          attempt(bench.hal.write32(context, at(EVA_REG_ID), 1));  // read only
          attempt(bench.hal.write32(context, at(EVA_REG_RING_HEAD), 1));
          attempt(bench.hal.write32(context, at(EVA_REG_SCRATCH), 77));
          return answers + text(bench.read(EVA_REG_SCRATCH));
        }) == "error error error error error error error error ok 77");
}

TEST_CASE("registers: a failed read leaves the reader's data alone") {
  CHECK(on_board([](const Bench& bench) {
          std::uint32_t value = 42;
          const bool ok = bench.hal.read32(bench.hal.context, Bench::registers + 0xffc, &value);
          return text(ok ? 1 : 0) + " " + text(value);
        }) == "0 42");
}

TEST_CASE("registers: looking at all of them by debug transport changes none and takes no time") {
  CHECK(on_board([](const Bench& bench) {
          bench.start_queue(ring, 4);
          bench.place(ring, 0, nop(EVA_FLAG_INTERRUPT));
          bench.write(EVA_REG_RING_TAIL, 1);
          bench.hal.wait_for_interrupt(bench.hal.context);
          const Cycles before = bench.board.now();
          for (std::uint64_t offset = 0; offset < EVA_REGISTER_WINDOW; offset += 4) {
            tlm::tlm_generic_payload payload;
            std::uint32_t value = 0;
            payload.set_read();
            payload.set_address(Bench::registers + offset);
            payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
            payload.set_data_length(4);
            bench.board.host.bus.socket->transport_dbg(payload);
          }
          const bool no_time = bench.board.now() == before;
          return std::string(no_time ? "no time, " : "time, ") +
                 text(bench.read(EVA_REG_INT_STATUS)) + " " + text(bench.read(EVA_REG_RING_HEAD));
        }) == "no time, 1 1");
}

TEST_CASE("interrupt: the line is the enabled part of the status at any time") {
  CHECK(on_board([](const Bench& bench) {
          std::string line;
          const auto look = [&] {
            bench.wait_cycles(1);
            line += bench.board.host.interrupt.read() ? "1" : "0";
          };
          bench.start_queue(ring, 4);
          bench.write(EVA_REG_INT_ENABLE, 0);
          bench.place(ring, 0, nop(EVA_FLAG_INTERRUPT));
          bench.write(EVA_REG_RING_TAIL, 1);
          bench.wait_cycles(100);
          look();  // pending, but masked
          bench.write(EVA_REG_INT_ENABLE, EVA_INT_COMPLETE);
          look();  // unmasking something pending raises the line at once
          bench.write(EVA_REG_INT_STATUS, 0);
          look();  // clearing nothing clears nothing
          bench.write(EVA_REG_INT_STATUS, EVA_INT_ERROR);
          look();  // nor does clearing another bit
          bench.write(EVA_REG_INT_STATUS, EVA_INT_COMPLETE);
          look();
          return line;
        }) == "01110");
}

TEST_CASE("interrupt: an acknowledged completion leaves a pending error alone") {
  CHECK(on_board([](const Bench& bench) {
          bench.start_queue(ring, 4);
          eva_descriptor bad = nop();
          bad.opcode = 9;
          bench.place(ring, 0, nop(EVA_FLAG_INTERRUPT));
          bench.place(ring, 1, bad);
          bench.write(EVA_REG_RING_TAIL, 2);
          bench.wait_cycles(100);
          const std::uint32_t both = bench.read(EVA_REG_INT_STATUS);
          bench.write(EVA_REG_INT_STATUS, EVA_INT_COMPLETE);
          return text(both) + " " + text(bench.read(EVA_REG_INT_STATUS));
        }) == "3 2");
}

TEST_CASE("interrupt: a register access in the very cycle of a completion is no conflict") {
  // A completion and the host write the line in the same delta cycle at one of these moments.
  ChipParameters chip;
  chip.host.access_cycles = 1;
  for (std::uint64_t wait = 0; wait < 30; ++wait) {
    CHECK(on_board(
              [wait](const Bench& bench) {
                bench.start_queue(ring, 4);
                bench.write(EVA_REG_INT_ENABLE, 0);
                bench.place(ring, 0, nop(EVA_FLAG_INTERRUPT));
                bench.place(ring, 1, nop(EVA_FLAG_INTERRUPT | EVA_FLAG_FENCE));
                bench.write(EVA_REG_RING_TAIL, 2);
                bench.wait_cycles(wait);
                bench.write(EVA_REG_INT_ENABLE, EVA_INT_COMPLETE);
                bench.wait_cycles(100);
                return std::string(bench.board.host.interrupt.read() ? "high" : "low");
              },
              chip) == "high");
  }
}

TEST_CASE("ring: every size works, and every descriptor is executed once") {
  for (const std::uint32_t size : {1U, 2U, 3U, 256U}) {
    CHECK(on_board([size](const Bench& bench) {
            eva_device device{};
            eva_open(&device, &bench.hal, Bench::registers, ring, size);
            for (int i = 0; i < 1000; ++i) {
              const eva_descriptor descriptor = nop(i == 999 ? EVA_FLAG_INTERRUPT : 0);
              if (eva_submit(&device, &descriptor) != EVA_OK) return text(i) + " refused";
            }
            if (eva_wait(&device) != EVA_OK) return std::string("no end");
            return text(bench.board.chip.command.commands_completed());
          }) == "1000");
  }
}

TEST_CASE("ring: two doorbells in one moment, and one while the queue goes to sleep, all count") {
  CHECK(on_board([](const Bench& bench) {
          bench.start_queue(ring, 8);
          for (std::uint32_t i = 0; i < 8; ++i)
            bench.place(ring, i, nop());
          InitiatorPort& bus = bench.board.host.bus;
          for (const std::uint32_t tail : {1U, 2U}) {  // no time passes between these two
            bus.write(Bench::registers + EVA_REG_RING_TAIL, &tail, 4);
          }
          for (std::uint32_t tail = 3; tail <= 8; ++tail) {
            bench.wait_cycles(tail);
            bus.write(Bench::registers + EVA_REG_RING_TAIL, &tail, 4);
          }
          bench.wait_cycles(100);
          return text(bench.read(EVA_REG_RING_HEAD)) + " " + text(bench.read(EVA_REG_STATUS));
        }) == "8 0");
}

TEST_CASE("ring: a tail that is out of range, moves back or overfills the ring stops the queue") {
  const auto outcome = [](std::uint32_t first, std::uint32_t second) {
    return on_board([=](const Bench& bench) {
      bench.start_queue(ring, 4);
      for (std::uint32_t i = 0; i < 4; ++i)
        bench.place(ring, i, nop());
      bench.write(EVA_REG_RING_TAIL, first);
      bench.wait_cycles(100);
      bench.write(EVA_REG_INT_STATUS, EVA_INT_COMPLETE);
      return after_doorbell(bench, second);
    });
  };
  CHECK(outcome(1, 8) == "2 14/1/8 head 1");  // beyond twice the size
  CHECK(outcome(1, 0xffffffff) == "2 14/1/4294967295 head 1");
  CHECK(outcome(2, 1) == "2 14/2/1 head 2");  // back
  CHECK(outcome(1, 6) == "2 14/1/6 head 1");  // five more than four slots hold
}

TEST_CASE("ring: a doorbell before the queue is enabled stops it") {
  CHECK(on_board([](const Bench& bench) {
          bench.write(EVA_REG_INT_ENABLE, EVA_INT_ERROR);
          return after_doorbell(bench, 1);
        }) == "2 14/0/1 head 0");
}

TEST_CASE("ring: base and size are checked when the queue is enabled") {
  const auto outcome = [](std::uint64_t base, std::uint32_t size) {
    return on_board([=](const Bench& bench) {
      bench.start_queue(base, size);
      return error_of(bench);
    });
  };
  CHECK(outcome(ring, 0) == "14/0/0");
  CHECK(outcome(ring, 65537) == "14/0/65537");
  CHECK(outcome(ring + 32, 4) == "14/0/2147487776");
  CHECK(outcome(0x40000000, 4) == "14/0/1073741824");                    // no memory there
  CHECK(outcome(0xffffffffffffffc0, 4) == "14/0/18446744073709551552");  // round the end
  CHECK(outcome(ring, 4) == "0/0/0");
}

TEST_CASE("ring: changing the size of an enabled queue stops it") {
  CHECK(on_board([](const Bench& bench) {
          bench.start_queue(ring, 4);
          bench.write(EVA_REG_RING_SIZE, 8);
          return error_of(bench) + " " + text(bench.read(EVA_REG_RING_SIZE));
        }) == "14/0/8 4");
}

TEST_CASE("a bad descriptor stops the queue there, after all earlier ones; a reset mends it") {
  eva_descriptor bad = nop();
  bad.opcode = 200;
  CHECK(refusal_of(bad) == "3 1/1/200 head 1, then 1 0/0/0 head 1");
  bad = nop();
  bad.version = 2;
  CHECK(refusal_of(bad) == "3 2/1/2 head 1, then 1 0/0/0 head 1");
  bad = nop(EVA_FLAG_FIRST);
  CHECK(refusal_of(bad) == "3 3/1/1 head 1, then 1 0/0/0 head 1");
}

TEST_CASE("a tile with an operand outside memory is refused and writes nothing") {
  Scenario scenario;
  scenario.layers = {decode_layer(1, 256, 64), decode_layer(1, 256, 64)};
  const std::string report = on_board(
      [&scenario](const Bench& bench) {
        eva_device device{};
        eva_open(&device, &bench.hal, Bench::registers, ring, 16);
        std::string report;
        const LayerBench good(bench, scenario, 0, Bench::memory + 0x10000);
        for (int fault = 0; fault < 5; ++fault) {
          LayerBench bad(bench, scenario, 1, good.end());
          std::uint64_t* const addresses[] = {
              &bad.layer().activation_address, &bad.layer().codebook_address,
              &bad.layer().weight_address, &bad.layer().scale_address, &bad.layer().output_address};
          const std::uint64_t output = bad.layer().output_address;
          *addresses[fault] = fault % 2 == 0 ? 0x20000000 : 0xffffffffffffffc0;
          report += text(
              static_cast<unsigned>(-eva_run_layer(&device, &bad.layer(), 1, EVA_CODEBOOK_INNER)));
          report += " " + std::string(eva_error_name(device.error_code));
          bad.layer().output_address = output;
          report += bad.output_untouched() ? ", untouched; " : ", WRITTEN; ";
          eva_recover(&device);
        }
        report += eva_run_layer(&device, &good.layer(), 0, EVA_CODEBOOK_INNER) == EVA_OK
                      ? good.verdict()
                      : "not recovered";
        return report;
      },
      scenario.chip);
  CHECK(report ==
        "2 operand outside memory, untouched; 2 operand outside memory, untouched; "
        "2 operand outside memory, untouched; 2 operand outside memory, untouched; "
        "2 operand outside memory, untouched; ok");
}

TEST_CASE("performance counters are read as a snapshot and survive a reset") {
  CHECK(on_board([](const Bench& bench) {
          bench.start_queue(ring, 4);
          bench.place(ring, 0, nop(EVA_FLAG_INTERRUPT));
          bench.write(EVA_REG_RING_TAIL, 1);
          bench.hal.wait_for_interrupt(bench.hal.context);
          bench.write(EVA_REG_PERF_SNAPSHOT, 1);
          const std::uint32_t cycles = bench.read(EVA_REG_PERF_CYCLES);
          bench.wait_cycles(1000);
          const bool stands = bench.read(EVA_REG_PERF_CYCLES) == cycles;
          bench.write(EVA_REG_CONTROL, EVA_CONTROL_RESET);
          bench.write(EVA_REG_PERF_SNAPSHOT, 1);
          const bool goes_on = bench.read(EVA_REG_PERF_CYCLES) >= cycles + 1000;
          return std::string(stands && goes_on ? "ok " : "wrong ") +
                 text(bench.read(EVA_REG_PERF_COMMANDS)) + " " +
                 text(bench.read(EVA_REG_PERF_BYTES_READ));
        }) == "ok 1 64");
}

TEST_CASE("a numeric overflow sets the sticky status bit") {
  // x = 256 and codebook entry 0 = 64: their product over d = 8 is 131072, beyond FP16. With a
  // second codebook of the opposite sign the output is NaN, although its true value is 0.
  const auto outcome = [](std::uint64_t codebooks) {
    return on_board([codebooks](const Bench& bench) {
      eva_device device{};
      eva_open(&device, &bench.hal, Bench::registers, ring, 8);
      eva_layer layer = firmware_layer(decode_layer(1, 8, 1, codebooks));
      std::uint64_t address = Bench::memory + 0x10000;
      const auto place = [&](HalfBits value, std::size_t count) {
        std::vector<unsigned char> bytes;
        for (std::size_t i = 0; i < count; ++i) {
          bytes.push_back(static_cast<unsigned char>(value & 0xff));
          bytes.push_back(static_cast<unsigned char>(value >> 8));
        }
        bench.poke(address, bytes);
        const std::uint64_t at = address;
        address += 0x10000;
        return at;
      };
      layer.activation_address = place(0x5c00, 8);
      layer.codebook_address = place(0x5400, 8);  // the other entries stay zero
      const auto opposite = bench.peek(place(0xd400, 8), 16);
      bench.poke(layer.codebook_address + 4096, opposite);
      layer.weight_address = place(0, 64);
      layer.scale_address = place(0x3c00, 1);
      layer.output_address = place(0, 1);
      const int result = eva_run_layer(&device, &layer, 0, EVA_CODEBOOK_INNER);
      const auto output = bench.peek(layer.output_address, 2);
      return text(static_cast<unsigned>(result)) + " " + text(output[0] | (output[1] << 8)) + " " +
             text(bench.read(EVA_REG_STATUS));
    });
  };
  CHECK(outcome(1) == "0 31744 4");  // 0x7c00, infinity
  CHECK(outcome(2) == "0 32256 4");  // 0x7e00, NaN
}

TEST_CASE("a completion is visible only when the last byte of the output is in memory") {
  // With a slow memory the stores are long under way when the vector unit has finished.
  Scenario scenario;
  scenario.layers = {decode_layer(2, 512, 200)};
  scenario.chip.dram.ideal = {4, 500};
  CHECK(on_board(
            [&scenario](const Bench& bench) {
              const LayerBench layer(bench, scenario, 0, Bench::memory + 0x10000);
              eva_device device{};
              eva_open(&device, &bench.hal, Bench::registers, ring, 64);
              const int result = eva_run_layer(&device, &layer.layer(), 0, EVA_CODEBOOK_INNER);
              const Cycles stored = bench.board.statistics.layer(0).end;
              const bool after =
                  bench.board.now() >= stored &&
                  bench.board.chip.dma.output.timeline().current().activity != Activity::busy;
              return text(static_cast<unsigned>(result)) + (after ? " after " : " BEFORE ") +
                     layer.verdict();
            },
            scenario.chip) == "0 after ok");
}

TEST_CASE("reset at any moment abandons the work; the next command is right") {
  Scenario scenario;
  scenario.layers = {decode_layer(2, 512, 300), decode_layer(1, 384, 100)};
  const std::string report = on_board(
      [&scenario](const Bench& bench) -> std::string {
        const LayerBench probe(bench, scenario, 0, Bench::memory + 0x10000);
        const LayerBench good(bench, scenario, 1, probe.end());
        for (std::uint64_t moment = 0; moment < 6000; moment += 100) {
          const LayerBench abandoned(bench, scenario, 0, Bench::memory + 0x10000);
          eva_device device{};
          eva_open(&device, &bench.hal, Bench::registers, ring, 64);
          // Posts the layer's first tile by hand: the runtime would wait for its end.
          eva_descriptor load{};
          load.opcode = EVA_OP_LOAD_CODEBOOK;
          load.version = EVA_DESCRIPTOR_VERSION;
          load.vector_length = load.index_bits = 8;
          load.weight_address = abandoned.layer().codebook_address;
          eva_submit(&device, &load);
          eva_descriptor tile = load;
          tile.opcode = EVA_OP_DECODE_TILE;
          tile.flags = EVA_FLAG_FIRST | EVA_FLAG_LAST | EVA_FLAG_INTERRUPT;
          tile.activation_address = abandoned.layer().activation_address;
          tile.weight_address = abandoned.layer().weight_address;
          tile.scale_address = abandoned.layer().scale_address;
          tile.output_address = abandoned.layer().output_address;
          tile.activation_stride = 1024;
          tile.output_stride = 600;
          tile.weight_stride = 2 * 300 * 32;
          tile.tokens = 2;
          tile.rows = 64;
          tile.columns = 300;
          eva_submit(&device, &tile);
          bench.wait_cycles(moment);
          if (moment % 300 == 0) bench.write(EVA_REG_CONTROL, EVA_CONTROL_RESET);  // twice in a row
          bench.write(EVA_REG_CONTROL, EVA_CONTROL_RESET);
          bench.wait_cycles(1);
          if (bench.board.host.interrupt.read()) return "stray interrupt at " + text(moment);
          const auto before =
              bench.peek(abandoned.layer().output_address, 2 * 300 * sizeof(HalfBits));
          if (eva_recover(&device) != EVA_OK) return "no recovery at " + text(moment);
          if (eva_run_layer(&device, &good.layer(), 1, EVA_CODEBOOK_INNER) != EVA_OK) {
            return "second layer failed at " + text(moment);
          }
          if (good.verdict() != "ok") return good.verdict() + " at " + text(moment);
          if (bench.peek(abandoned.layer().output_address, before.size()) != before) {
            return "the old command wrote after the reset at " + text(moment);
          }
        }
        return "ok";
      },
      scenario.chip);
  CHECK(report == "ok");
}

TEST_CASE("reset with a full ring: none of the posted descriptors is executed afterwards") {
  CHECK(on_board([](const Bench& bench) {
          bench.start_queue(ring, 16);
          for (std::uint32_t i = 0; i < 16; ++i)
            bench.place(ring, i, nop(EVA_FLAG_FENCE));
          bench.write(EVA_REG_RING_TAIL, 16);  // more than one fetch brings
          bench.write(EVA_REG_CONTROL, EVA_CONTROL_RESET);
          const std::uint64_t completed = bench.board.chip.command.commands_completed();
          bench.wait_cycles(1000);
          const bool none = bench.board.chip.command.commands_completed() == completed;
          return std::string(none ? "none " : "some ") + text(bench.read(EVA_REG_RING_HEAD)) +
                 text(bench.read(EVA_REG_RING_TAIL)) + text(bench.read(EVA_REG_STATUS));
        }) == "none 000");
}

TEST_CASE(
    "an exception or a fatal report in a process ends the run with the part's name and time") {
  CHECK_THAT(on_board([](const Bench& bench) -> std::string {
               bench.wait_cycles(100);
               throw std::runtime_error("no such thing");
             }),
             Catch::Contains("failed: board.host @ cycle 100: no such thing"));
  CHECK_THAT(on_board([](const Bench& bench) -> std::string {
               bench.wait_cycles(7);
               SC_REPORT_FATAL("/eva/test", "beyond repair");
               return "went on";
             }),
             Catch::Contains("failed: board.host @ cycle 7: ") && Catch::Contains("beyond repair"));
}

TEST_CASE("a lost completion is reported as a deadlock that says who waits for what") {
  CommandInjection injection;
  injection.drop_completion_of = 3;
  const std::string report = on_board(
      [](const Bench& bench) {
        eva_device device{};
        eva_open(&device, &bench.hal, Bench::registers, ring, 16);
        for (int i = 0; i < 6; ++i) {
          const eva_descriptor descriptor = nop(i == 5 ? EVA_FLAG_INTERRUPT : 0);
          eva_submit(&device, &descriptor);
        }
        eva_wait(&device);
        return std::string("returned");
      },
      {}, injection);
  CHECK_THAT(report, Catch::Contains("deadlock") && Catch::Contains("host waits for interrupt") &&
                         Catch::Contains("head 3, tail 6 of a ring of 16, 3 commands in flight"));
}
