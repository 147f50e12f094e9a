#pragma once

#include <cstdint>

#include "base/parameters.h"
#include "base/units.h"

namespace eva {

/// Whether loading the stationary operand for the next pass hides behind the current one. The
/// published model takes it as hidden.
enum class WeightPreload { hidden, visible };

/// Shape of the reconfigurable array and what a pass through it costs.
struct ArrayTiming {
  std::uint64_t rows = 32;
  std::uint64_t columns = 8;  ///< FP16; each processing element holds four INT8 multipliers
  WeightPreload weight_preload = WeightPreload::hidden;

  static constexpr std::uint64_t int8_multipliers = 4;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("rows", rows, {1, 1024}, "rows of processing elements");
    visitor.integer("columns", columns, {1, 1024},
                    "columns of processing elements (FP16; four INT8 multipliers each)");
    visit_choice(visitor, "weight_preload", weight_preload, {"hidden", "visible"},
                 "whether loading weights into the array hides behind the pass before");
  }

  /// Input stationary, FP16: `lookup_rows` rows of activations stay, `rows` at a time, and the
  /// codebook of `entries` vectors of `vector_length` streams past them. Each pass fills and
  /// drains.
  [[nodiscard]] Cycles codebook_passes(std::uint64_t lookup_rows, std::uint64_t vector_length,
                                       std::uint64_t entries) const {
    const std::uint64_t pass = ceil_divide(vector_length, columns) * entries + rows + columns;
    return Cycles(ceil_divide(lookup_rows, rows) * pass);
  }

  /// Weight stationary, INT8: a block of `inputs` x `outputs` weights, while tokens stream past it
  /// one per cycle and fold.
  [[nodiscard]] Cycles int8_streaming(std::uint64_t tokens, std::uint64_t inputs,
                                      std::uint64_t outputs) const {
    return Cycles(tokens * folds(inputs, outputs));
  }
  /// What a block costs besides streaming: filling and draining the array once per fold.
  [[nodiscard]] Cycles int8_fill_and_drain(std::uint64_t inputs, std::uint64_t outputs) const {
    const std::uint64_t preload =
        weight_preload == WeightPreload::visible && rows > 2 ? rows - 2 : 0;
    return Cycles(folds(inputs, outputs) * (rows + columns + preload));
  }

 private:
  [[nodiscard]] std::uint64_t folds(std::uint64_t inputs, std::uint64_t outputs) const {
    return ceil_divide(outputs, rows) * ceil_divide(ceil_divide(inputs, int8_multipliers), columns);
  }
};

}  // namespace eva
