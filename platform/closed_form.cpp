#include <stdexcept>
#include <string>

#include "closed_form/eva_decode.h"
#include "closed_form/eva_prefill.h"
#include "platform/simulation.h"

namespace eva {
namespace {

closed_form::Result evaluate(const LayerParameters& layer, const closed_form::EvaChip& chip) {
  const closed_form::Layer shape{layer.tokens, layer.inputs, layer.outputs};
  try {
    if (layer.form == Form::prefill) return closed_form::eva_prefill(shape, chip);
    return closed_form::eva_decode(
        shape, {layer.codebooks, layer.vector_length, layer.index_bits, layer.columns_per_codebook},
        chip);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("layer '" + layer.name + "': " + error.what());
  }
}

}  // namespace

RunResult evaluate_closed_form(const Scenario& scenario) {
  closed_form::EvaChip chip;
  chip.array_rows = scenario.chip.gemm.array.rows;
  chip.array_columns = scenario.chip.gemm.array.columns;
  chip.epilogue_units = scenario.chip.epilogue.units;
  chip.memory_bits_per_cycle = scenario.chip.dram.ideal.bytes_per_cycle * 8;
  chip.weight_preload_hidden = scenario.chip.gemm.array.weight_preload == WeightPreload::hidden;

  RunResult run;
  for (const LayerParameters& layer : scenario.layers) {
    RunResult::Layer entry;
    if (layer.tokens > 0) {
      const closed_form::Result result = evaluate(layer, chip);
      entry.cycles = result.total_cycles;
      entry.compute_cycles = result.compute_cycles;
      run.cycles += Cycles(result.total_cycles);
    }
    run.layers.push_back(entry);
  }
  return run;
}

}  // namespace eva
