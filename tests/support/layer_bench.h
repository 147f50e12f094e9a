#pragma once

#include <string>

#include "eva/runtime.h"
#include "platform/scenario.h"
#include "support/board_bench.h"

namespace eva::test {

/// A layer's operands in the memory of a bench, with guard bytes round its output.
class LayerBench {
 public:
  /// Places generated operands from `address` on (4096-byte aligned).
  LayerBench(const Bench& bench, const Scenario& scenario, std::size_t number,
             std::uint64_t address);

  [[nodiscard]] const eva_layer& layer() const { return layer_; }
  [[nodiscard]] eva_layer& layer() { return layer_; }
  /// One past the last byte that is used.
  [[nodiscard]] std::uint64_t end() const { return end_; }

  /// "ok", or what differs from the golden model or from the guard bytes.
  [[nodiscard]] std::string verdict() const;
  /// Whether no byte of the output has been written.
  [[nodiscard]] bool output_untouched() const;

 private:
  static constexpr std::size_t guard_bytes = 4096;
  static constexpr unsigned char guard = 0xa5;

  const Bench& bench_;
  const Scenario& scenario_;
  const LayerParameters& parameters_;
  std::size_t number_;
  eva_layer layer_{};
  std::uint64_t end_ = 0;
};

/// Runs the layers of `scenario` one after the other through the firmware's runtime, each with
/// guarded outputs; "ok" or what went wrong with which layer.
std::string run_layers(const Scenario& scenario);

/// A decode or INT8 layer.
LayerParameters decode_layer(std::uint64_t tokens, std::uint64_t inputs, std::uint64_t outputs,
                             std::uint64_t codebooks = 2, std::uint64_t vector_length = 8,
                             std::uint64_t index_bits = 8);
LayerParameters prefill_layer(std::uint64_t tokens, std::uint64_t inputs, std::uint64_t outputs);

}  // namespace eva::test
