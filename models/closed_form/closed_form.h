#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/units.h"

/// The published timing model of EVA in closed form: arXiv 2605.24144 and the analytic simulator
/// of its public artifact. One function per method, each in constant time; all counts are exact
/// integers.
namespace eva::closed_form {

/// Largest value of any dimension. With the ranges of the other quantities it keeps every figure of
/// one layer within 64 bits.
constexpr std::uint64_t max_dimension = std::uint64_t{1} << 20;

/// Throws std::invalid_argument, naming function, quantity and range, unless
/// minimum <= value <= maximum. `reason` says why the range is what it is.
inline void require_in_range(const char* function, const char* quantity, std::uint64_t value,
                             std::uint64_t minimum, std::uint64_t maximum,
                             const char* reason = "") {
  if (minimum <= value && value <= maximum) return;
  throw std::invalid_argument(std::string(function) + ": " + quantity + " is " +
                              std::to_string(value) + ", expected " + std::to_string(minimum) +
                              " to " + std::to_string(maximum) + reason);
}

/// Throws std::invalid_argument unless `divisor` (not 0) divides `value`.
inline void require_multiple(const char* function, const char* quantity, std::uint64_t value,
                             const char* divisor_name, std::uint64_t divisor) {
  if (value % divisor == 0) return;
  throw std::invalid_argument(std::string(function) + ": " + quantity + " is " +
                              std::to_string(value) + ", expected a multiple of " + divisor_name +
                              " (" + std::to_string(divisor) + ")");
}

/// A fully connected layer: activations [tokens, inputs] times weights [inputs, outputs].
/// Each dimension is 1 to `max_dimension`.
struct Layer {
  std::uint64_t tokens = 0;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
};

/// The published chip: 28 nm, 500 MHz, so that 1024 bits per cycle are 64 GB/s. Every count is
/// 1 to 65536.
struct EvaChip {
  std::uint64_t array_rows = 32;
  std::uint64_t array_columns = 8;
  std::uint64_t epilogue_units = 4;
  std::uint64_t lanes = 32;  ///< of one epilogue unit
  std::uint64_t memory_bits_per_cycle = 1024;
  std::uint64_t int8_products_per_pe = 4;
  /// Prefill: whether the next weights enter the array behind the current fold, as published.
  bool weight_preload_hidden = true;
};

/// Throws std::invalid_argument if a count of `chip` is out of range.
inline void require_valid(const char* function, const EvaChip& chip) {
  constexpr std::uint64_t max_count = 65536;
  require_in_range(function, "array_rows", chip.array_rows, 1, max_count);
  require_in_range(function, "array_columns", chip.array_columns, 1, max_count);
  require_in_range(function, "epilogue_units", chip.epilogue_units, 1, max_count);
  require_in_range(function, "lanes", chip.lanes, 1, max_count);
  require_in_range(function, "memory_bits_per_cycle", chip.memory_bits_per_cycle, 1, max_count);
  require_in_range(function, "int8_products_per_pe", chip.int8_products_per_pe, 1, max_count);
}

/// Times in clock cycles and traffic in bits, of one layer or, added up, of layers in sequence.
struct Result {
  std::uint64_t total_cycles = 0;
  std::uint64_t compute_cycles = 0;
  std::uint64_t stall_cycles = 0;
  std::uint64_t traffic_bits = 0;  ///< T: all DRAM traffic
  std::uint64_t initial_bits = 0;  ///< I: what must arrive before the first pass; part of T

  Result& operator+=(const Result& other) {
    total_cycles += other.total_cycles;
    compute_cycles += other.compute_cycles;
    stall_cycles += other.stall_cycles;
    traffic_bits += other.traffic_bits;
    initial_bits += other.initial_bits;
    return *this;
  }
};

/// What every method of the artifact does with its compute time and its traffic. With W memory
/// bits per cycle and c(a, b) = ceil(a / b), the initial bits are waited for and the others come
/// behind the computation:
///
///     total = compute + stall,  stall = c(I, W) + max(0, c(T - I, W) - compute)
///
/// Throws std::invalid_argument if W is 0 or I exceeds T.
inline Result compose(std::uint64_t compute_cycles, std::uint64_t traffic_bits,
                      std::uint64_t initial_bits, std::uint64_t memory_bits_per_cycle) {
  require_in_range("compose", "memory_bits_per_cycle", memory_bits_per_cycle, 1, UINT64_MAX);
  require_in_range("compose", "initial_bits", initial_bits, 0, traffic_bits,
                   ": they are part of the traffic");
  const std::uint64_t background = ceil_divide(traffic_bits - initial_bits, memory_bits_per_cycle);
  const std::uint64_t excess = background > compute_cycles ? background - compute_cycles : 0;
  const std::uint64_t stall = ceil_divide(initial_bits, memory_bits_per_cycle) + excess;
  return {compute_cycles + stall, compute_cycles, stall, traffic_bits, initial_bits};
}

/// Widths of a dense transformer block, in elements.
struct BlockShape {
  std::uint64_t hidden = 0;
  std::uint64_t query = 0;      ///< attention heads x head dimension
  std::uint64_t key_value = 0;  ///< key-value heads x head dimension
  std::uint64_t intermediate = 0;
};

/// The fully connected layers of one block in the order query, key, value, output, gate, up, down:
/// what Figures 8, 10, 11 and Table III time.
constexpr std::array<Layer, 7> block_layers(std::uint64_t tokens, const BlockShape& shape) {
  return {Layer{tokens, shape.hidden, shape.query},
          Layer{tokens, shape.hidden, shape.key_value},
          Layer{tokens, shape.hidden, shape.key_value},
          Layer{tokens, shape.query, shape.hidden},
          Layer{tokens, shape.hidden, shape.intermediate},
          Layer{tokens, shape.hidden, shape.intermediate},
          Layer{tokens, shape.intermediate, shape.hidden}};
}

/// The sum of `model(layer)` over `layers`; `model` returns a Result.
template <class Layers, class Model>
Result sum_over(const Layers& layers, const Model& model) {
  Result sum;
  for (const Layer& layer : layers)
    sum += model(layer);
  return sum;
}

}  // namespace eva::closed_form
