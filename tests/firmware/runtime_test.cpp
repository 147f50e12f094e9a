// The layer runtime and the driver's error path, on a board.
#include <catch2/catch.hpp>

#include <cstring>

#include "support/layer_bench.h"

using namespace eva;
using namespace eva::test;

namespace {

template <class Struct>
std::vector<unsigned char> bytes_of(const Struct& value) {
  std::vector<unsigned char> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

constexpr std::uint64_t boot_address = Bench::memory;
constexpr std::uint64_t table_address = Bench::memory + 0x1000;
constexpr std::uint64_t ring_address = Bench::memory + 0x4000;

eva_boot_table boot_table(std::uint32_t layers) {
  eva_boot_table table{};
  table.magic = EVA_BOOT_MAGIC;
  table.version = EVA_BOOT_VERSION;
  table.layer_count = layers;
  table.layer_table_address = table_address;
  table.ring_address = ring_address;
  table.ring_size = 8;
  table.register_base = Bench::registers;
  return table;
}

}  // namespace

TEST_CASE("runtime: a layer that fails is noted in the table and does not stop the others") {
  Scenario scenario;
  scenario.layers = {decode_layer(1, 256, 32), decode_layer(1, 256, 32), decode_layer(1, 256, 32),
                     prefill_layer(3, 64, 32)};
  const std::string report = on_board(
      [&scenario](const Bench& bench) {
        std::vector<LayerBench> layers;
        std::uint64_t address = Bench::memory + 0x10000;
        for (std::size_t i = 0; i < scenario.layers.size(); ++i) {
          layers.emplace_back(bench, scenario, i, address);
          address = layers.back().end();
        }
        layers[1].layer().weight_address = 0x20000000;  // no memory: the device stops
        layers[2].layer().index_bits = 12;              // no room: the runtime refuses
        bench.poke(boot_address, bytes_of(boot_table(4)));
        for (std::size_t i = 0; i < layers.size(); ++i) {
          bench.poke(table_address + i * sizeof(eva_layer), bytes_of(layers[i].layer()));
        }
        std::string report = std::to_string(eva_run_boot_table(&bench.hal, boot_address));
        for (std::size_t i = 0; i < layers.size(); ++i) {
          eva_layer layer{};
          const auto bytes = bench.peek(table_address + i * sizeof layer, sizeof layer);
          std::memcpy(&layer, bytes.data(), sizeof layer);
          report += " " + std::to_string(layer.result);
        }
        return report + " " + layers[0].verdict() + " " + layers[3].verdict() +
               (layers[1].output_untouched() && layers[2].output_untouched() ? " untouched"
                                                                             : " WRITTEN");
      },
      scenario.chip);
  CHECK(report == "-2 0 -2 -5 0 ok ok untouched");
}

TEST_CASE("runtime: memory without a boot table is refused") {
  CHECK(on_board([](const Bench& bench) {
          return std::to_string(eva_run_boot_table(&bench.hal, boot_address));
        }) == "-6");
}

TEST_CASE("runtime: a boot table outside memory is a bus error") {
  CHECK(on_board([](const Bench& bench) {
          return std::to_string(eva_run_boot_table(&bench.hal, 0x20000000));
        }) == "-1");
}

TEST_CASE("driver: a device that is no accelerator is refused") {
  CHECK(on_board([](const Bench& bench) {
          eva_device device{};
          return std::to_string(eva_open(&device, &bench.hal, Bench::memory, ring_address, 8)) +
                 " " + std::to_string(eva_open(&device, &bench.hal, 0x30000000, ring_address, 8));
        }) == "-3 -1");
}

TEST_CASE("driver: a ring that the device refuses is told when the device is opened") {
  CHECK(on_board([](const Bench& bench) {
          eva_device device{};
          const int empty = eva_open(&device, &bench.hal, Bench::registers, ring_address, 0);
          const std::string why = eva_error_name(device.error_code);
          const int misaligned =
              eva_open(&device, &bench.hal, Bench::registers, ring_address + 4, 8);
          return std::to_string(empty) + " " + why + " " + std::to_string(misaligned);
        }) == "-2 ring base, size or tail out of range -2");
}

TEST_CASE("driver: what the device said when it stopped can be read, and the queue goes on") {
  CHECK(on_board([](const Bench& bench) {
          eva_device device{};
          eva_open(&device, &bench.hal, Bench::registers, ring_address, 8);
          eva_descriptor bad = nop(EVA_FLAG_INTERRUPT);
          bad.opcode = 77;
          const eva_descriptor good = nop(EVA_FLAG_INTERRUPT);
          eva_submit(&device, &good);
          eva_submit(&device, &bad);
          const int result = eva_wait(&device);
          const std::string report =
              std::to_string(result) + " " + eva_error_name(device.error_code) + " at " +
              std::to_string(device.error_index) + " (" + std::to_string(device.error_detail) + ")";
          eva_recover(&device);
          eva_submit(&device, &good);
          return report + " " + std::to_string(eva_wait(&device));
        }) == "-2 unknown opcode at 1 (77) 0");
}

TEST_CASE("firmware sees memory above 4 GiB") {
  Scenario scenario;
  scenario.layers = {decode_layer(2, 512, 100)};
  scenario.chip.dram.capacity_mib = 16384;
  CHECK(on_board(
            [&scenario](const Bench& bench) {
              eva_device device{};
              eva_open(&device, &bench.hal, Bench::registers, 0x180000000, 8);
              const LayerBench layer(bench, scenario, 0, 0x240000000);
              const int result = eva_run_layer(&device, &layer.layer(), 0, EVA_CODEBOOK_INNER);
              return std::to_string(result) + " " + layer.verdict();
            },
            scenario.chip) == "0 ok");
}
