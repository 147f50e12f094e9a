#include "platform/golden_check.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "eva/plan.h"
#include "numerics/half.h"

namespace eva {
namespace {

golden::DecodeOrder decode_order(const Scenario& scenario, const LayerParameters& layer) {
  golden::DecodeOrder order;
  order.products = scenario.chip.gemm.accumulation == ProductAccumulation::fp32
                       ? golden::ProductAccumulation::fp32
                       : golden::ProductAccumulation::int32_aligned;
  const auto precision = [](SumPrecision own) {
    return own == SumPrecision::fp32 ? golden::SumPrecision::fp32 : golden::SumPrecision::fp16;
  };
  order.tree = precision(scenario.chip.epilogue.tree);
  order.outputs = precision(scenario.chip.epilogue.accumulator);
  order.order = scenario.codebook_order == CodebookOrder::outer ? golden::CodebookOrder::outer
                                                                : golden::CodebookOrder::inner;
  // The order of additions follows the tiles that the firmware chooses.
  const eva_capabilities capabilities = scenario.chip.firmware_capabilities();
  const eva_layer plain = firmware_layer(layer);
  eva_decode_plan plan{};
  eva_problem problem{};
  if (eva_plan_decode(&capabilities, &plain, &plan, &problem) != EVA_OK) {
    throw std::logic_error("a layer that was checked cannot be planned");
  }
  for (std::uint32_t i = 0; i < plan.tiling_count; ++i) {
    order.rows_per_tile.insert(order.rows_per_tile.end(), plan.tilings[i].tokens,
                               std::size_t{plan.tilings[i].row_groups} * row_group);
  }
  return order;
}

/// Distance in representable numbers; a NaN is as far as can be from anything else.
std::uint64_t ulp_distance(std::uint16_t a, std::uint16_t b, bool int8) {
  if (a == b) return 0;
  const auto ordered = [int8](std::uint16_t bits) -> std::int64_t {
    if (int8) return static_cast<std::int16_t>(bits);
    return (bits & 0x8000U) != 0 ? -static_cast<std::int64_t>(bits & 0x7fffU)
                                 : static_cast<std::int64_t>(bits);
  };
  if (!int8 && (half_is_nan(a) || half_is_nan(b))) return UINT16_MAX;
  return static_cast<std::uint64_t>(std::abs(ordered(a) - ordered(b)));
}

}  // namespace

std::vector<std::uint16_t> golden_outputs(const Scenario& scenario, const LayerParameters& layer,
                                          const Operands& operands) {
  if (layer.tokens == 0) return {};
  if (const auto* decode = std::get_if<golden::DecodeProblem>(&operands)) {
    return golden::decode(*decode, decode_order(scenario, layer)).outputs;
  }
  const auto& int8 = std::get<golden::Int8Problem>(operands);
  if (!layer.int8_output) return golden::int8_to_fp16(int8);
  std::vector<std::uint16_t> outputs;
  for (const std::int8_t value : golden::int8_to_int8(int8)) {
    outputs.push_back(static_cast<std::uint16_t>(value));
  }
  return outputs;
}

void GoldenCheck::compare(const LayerParameters& layer, const std::vector<std::uint16_t>& outputs,
                          const std::vector<std::uint16_t>& expected) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ++compared;
    if (outputs[i] == expected[i]) continue;
    ++mismatches;
    const bool int8 = layer.form == Form::prefill && layer.int8_output;
    max_ulp = std::max(max_ulp, ulp_distance(outputs[i], expected[i], int8));
    if (first_mismatch.empty()) {
      first_mismatch =
          fmt::format("layer {} token {} output {}: {:#06x}, expected {:#06x}", layer.name,
                      i / layer.outputs, i % layer.outputs, outputs[i], expected[i]);
    }
  }
}

}  // namespace eva
