#include "platform/simulation.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <systemc>
#include <thread>

#include "eva/runtime.h"
#include "platform/board.h"
#include "platform/golden_check.h"
#include "platform/memory_image.h"
#include "platform/operands.h"

namespace eva {
namespace {

using Clock = std::chrono::steady_clock;

using GoldenOutputs = std::vector<std::vector<std::uint16_t>>;

/// Starts the golden model in a thread of its own, which works while the chip is simulated. Nobody
/// waits for it when a run ends early: it holds what it needs.
std::future<GoldenOutputs> start_golden_model(
    const Scenario& scenario, const std::shared_ptr<const std::vector<Operands>>& operands) {
  std::packaged_task<GoldenOutputs()> task([scenario, operands] {
    GoldenOutputs outputs;
    for (std::size_t i = 0; i < operands->size(); ++i) {
      outputs.push_back(golden_outputs(scenario, scenario.layers[i], (*operands)[i]));
    }
    return outputs;
  });
  std::future<GoldenOutputs> future = task.get_future();
  std::thread(std::move(task)).detach();
  return future;
}

/// Writes boot table and operands into the board's memory.
void load(const MemoryImage& image, const std::vector<Operands>& operands, Dram& dram,
          std::uint64_t dram_address) {
  const auto write = [&](std::uint64_t address, const void* data, std::size_t bytes) {
    if (bytes > 0) dram.contents().write(address - dram_address, data, bytes);
  };
  write(image.boot_table_address, &image.boot_table, sizeof image.boot_table);
  write(image.boot_table.layer_table_address, image.layers.data(),
        image.layers.size() * sizeof(eva_layer));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const OperandImage packed = pack(operands[i]);
    const eva_layer& layer = image.layers[i];
    write(layer.activation_address, packed.activations.data(), packed.activations.size());
    write(layer.codebook_address, packed.codebooks.data(), packed.codebooks.size());
    write(layer.weight_address, packed.weights.data(), packed.weights.size());
    write(layer.scale_address, packed.scales.data(), packed.scales.size());
  }
}

void collect(Board& board, const Scenario& scenario, RunResult& run) {
  run.cycles = board.now();
  board.for_each_timeline([&](UnitTimeline& timeline) {
    run.units.push_back({timeline.name(), board.statistics.unit(timeline.current().unit)});
  });
  for (std::size_t i = 0; i < scenario.layers.size(); ++i) {
    const Statistics::Layer layer = board.statistics.layer(i);
    run.layers.push_back({layer.cycles().count(), layer.bytes_read, layer.bytes_written, 0});
  }
  const auto add_buffer = [&](const char* name, const Buffer& buffer, Bytes peak) {
    run.buffers.push_back({name, buffer.capacity(), peak, buffer.counters()});
  };
  Chip& chip = board.chip;
  add_buffer("input", chip.input_buffer, chip.pipeline.input.peak());
  add_buffer("codebook", chip.codebook_buffer, Bytes(chip.codebook_buffer.counters().highest_byte));
  add_buffer("weight", chip.weight_buffer, chip.pipeline.weight.peak());
  add_buffer("output_codebook", chip.output_codebook_buffer, chip.pipeline.output_codebook.peak());
  add_buffer("output", chip.output_buffer, chip.pipeline.output.peak());
  add_buffer("scale", chip.scale_buffer, chip.pipeline.scale.peak());
  run.dram_bytes_read = board.dram.bytes_read();
  run.dram_bytes_written = board.dram.bytes_written();
  run.commands = board.chip.command.commands_completed();
  run.overflow = board.chip.pipeline.overflows.count() != 0;
  const Statistics::Unit gemm = board.statistics.unit(chip.gemm.timeline().current().unit);
  const auto products = gemm.work_by_operation.find("codebook_product");
  if (products != gemm.work_by_operation.end()) run.fp16_multiplications = products->second;
  for (const LayerParameters& layer : scenario.layers) {
    if (layer.form != Form::decode) continue;
    run.fp16_multiplications_dense += layer.tokens * layer.inputs * layer.outputs;
  }
}

void require_end(Board& board, Board::End end, const Scenario& scenario) {
  switch (end) {
    case Board::End::finished:
      break;
    case Board::End::failed:
      throw SimulationError("a part failed: " + board.failure());
    case Board::End::interrupted:
      throw SimulationError("interrupted at cycle " + std::to_string(board.now().count()));
    case Board::End::deadlock:
      throw SimulationError("deadlock at cycle " + std::to_string(board.now().count()) +
                            ": nothing can happen any more, but the firmware has not returned\n" +
                            board.waiting());
    case Board::End::cycle_limit:
      throw SimulationError("the limit of " +
                            (scenario.max_cycles <= longest_run(board.clock()).count()
                                 ? std::to_string(scenario.max_cycles) + " cycles (max_cycles)"
                                 : "10 000 simulated seconds") +
                            " is reached\n" + board.waiting());
  }
  if (board.host.exit_status() != EVA_OK) {
    throw SimulationError("the firmware returned " + std::to_string(board.host.exit_status()) +
                          "; its log says why");
  }
}

}  // namespace

RunResult simulate(const Scenario& scenario, const GoesOn& goes_on) {
  const auto start = Clock::now();
  configure_kernel();
  const MemoryImage image = lay_out(scenario);
  const bool functional = scenario.data != DataKind::none;

  const auto operands = std::make_shared<std::vector<Operands>>();
  if (functional) {
    for (std::size_t i = 0; i < scenario.layers.size(); ++i) {
      operands->push_back(generate_operands(scenario.layers[i], scenario.seed, i));
    }
  }
  std::future<GoldenOutputs> expected;
  if (functional && scenario.check) expected = start_golden_model(scenario, operands);

  Board board(
      "board", scenario.chip, functional, scenario.injection(),
      [&image](const eva_hal& hal) { return eva_run_boot_table(&hal, image.boot_table_address); });
  const std::uint64_t dram_address = scenario.chip.bus.dram_address;
  load(image, *operands, board.dram, dram_address);
  const Board::End end = board.run(Cycles(scenario.max_cycles), goes_on);
  require_end(board, end, scenario);

  RunResult run;
  collect(board, scenario, run);
  if (expected.valid()) {
    while (expected.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      if (goes_on && !goes_on(run.cycles.count())) {
        throw SimulationError("interrupted while the golden model computed");
      }
    }
    const GoldenOutputs golden = expected.get();
    for (std::size_t i = 0; i < scenario.layers.size(); ++i) {
      const LayerParameters& layer = scenario.layers[i];
      std::vector<unsigned char> memory(sizes_of(layer).outputs);
      board.dram.contents().read(image.layers[i].output_address - dram_address, memory.data(),
                                 memory.size());
      run.check.compare(layer, unpack_outputs(layer, memory), golden[i]);
    }
  }
  run.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return run;
}

}  // namespace eva
