#include "support/layer_bench.h"

#include <algorithm>

#include "platform/golden_check.h"
#include "platform/operands.h"

namespace eva::test {

LayerBench::LayerBench(const Bench& bench, const Scenario& scenario, std::size_t number,
                       std::uint64_t address)
    : bench_(bench),
      scenario_(scenario),
      parameters_(scenario.layers[number]),
      number_(number),
      layer_(firmware_layer(parameters_)) {
  const OperandImage image = pack(generate_operands(parameters_, scenario.seed, number));
  const auto place = [&](const std::vector<unsigned char>& bytes) {
    const std::uint64_t at = address;
    bench.poke(at, bytes);
    address += ceil_divide(bytes.size(), 4096) * 4096;
    return at;
  };
  layer_.activation_address = place(image.activations);
  layer_.codebook_address = place(image.codebooks);
  layer_.weight_address = place(image.weights);
  layer_.scale_address = place(image.scales);
  const std::uint64_t guarded =
      place(std::vector<unsigned char>(sizes_of(parameters_).outputs + 2 * guard_bytes, guard));
  layer_.output_address = guarded + guard_bytes;
  end_ = address;
}

std::string LayerBench::verdict() const {
  const std::size_t bytes = sizes_of(parameters_).outputs;
  for (const std::uint64_t side :
       {layer_.output_address - guard_bytes, layer_.output_address + bytes}) {
    const auto around = bench_.peek(side, guard_bytes);
    if (!std::all_of(around.begin(), around.end(), [](unsigned char c) { return c == guard; })) {
      return "bytes outside the output were written";
    }
  }
  GoldenCheck check;
  check.compare(parameters_, unpack_outputs(parameters_, bench_.peek(layer_.output_address, bytes)),
                golden_outputs(scenario_, parameters_,
                               generate_operands(parameters_, scenario_.seed, number_)));
  return check.mismatches == 0 ? "ok" : check.first_mismatch;
}

bool LayerBench::output_untouched() const {
  const auto output = bench_.peek(layer_.output_address, sizes_of(parameters_).outputs);
  return std::all_of(output.begin(), output.end(), [](unsigned char c) { return c == guard; });
}

std::string run_layers(const Scenario& scenario) {
  return on_board(
      [&scenario](const Bench& bench) -> std::string {
        eva_device device{};
        constexpr std::uint64_t ring = Bench::memory;
        if (eva_open(&device, &bench.hal, Bench::registers, ring, 16) != EVA_OK) return "no device";
        for (std::size_t i = 0; i < scenario.layers.size(); ++i) {
          const LayerBench layer(bench, scenario, i, Bench::memory + 0x10000);
          const int result =
              eva_run_layer(&device, &layer.layer(), static_cast<std::uint16_t>(i),
                            scenario.codebook_order == CodebookOrder::outer ? EVA_CODEBOOK_OUTER
                                                                            : EVA_CODEBOOK_INNER);
          const std::string verdict =
              result == EVA_OK ? layer.verdict() : "result " + std::to_string(result);
          if (verdict != "ok") return scenario.layers[i].name + ": " + verdict;
        }
        return "ok";
      },
      scenario.chip);
}

LayerParameters decode_layer(std::uint64_t tokens, std::uint64_t inputs, std::uint64_t outputs,
                             std::uint64_t codebooks, std::uint64_t vector_length,
                             std::uint64_t index_bits) {
  LayerParameters layer;
  layer.name = "decode " + std::to_string(tokens) + "x" + std::to_string(inputs) + "x" +
               std::to_string(outputs);
  layer.tokens = tokens;
  layer.inputs = inputs;
  layer.outputs = outputs;
  layer.codebooks = codebooks;
  layer.vector_length = vector_length;
  layer.index_bits = index_bits;
  return layer;
}

LayerParameters prefill_layer(std::uint64_t tokens, std::uint64_t inputs, std::uint64_t outputs) {
  LayerParameters layer;
  layer.name = "prefill " + std::to_string(tokens) + "x" + std::to_string(inputs) + "x" +
               std::to_string(outputs);
  layer.form = Form::prefill;
  layer.tokens = tokens;
  layer.inputs = inputs;
  layer.outputs = outputs;
  return layer;
}

}  // namespace eva::test
