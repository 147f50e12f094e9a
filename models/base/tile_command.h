#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/event_record.h"
#include "base/units.h"

namespace eva {

enum class Opcode : std::uint8_t { nop, load_codebook, decode_tile, prefill_tile };

/// A descriptor after it was checked, with what the pipeline needs to keep commands in order.
/// docs/programmers_manual.md explains the fields; `sequence` counts from 0 since reset.
struct TileCommand {
  std::uint64_t sequence = 0;
  Opcode opcode = Opcode::nop;
  bool first = false;
  bool last = false;
  bool fence = false;
  bool interrupt = false;
  bool int8_output = false;
  std::uint16_t layer = 0;
  std::uint32_t vector_length = 0;
  std::uint32_t index_bits = 0;
  std::uint64_t activation_address = 0;
  std::uint64_t weight_address = 0;
  std::uint64_t scale_address = 0;
  std::uint64_t output_address = 0;
  std::uint32_t activation_stride = 0;
  std::uint32_t weight_stride = 0;
  std::uint32_t output_stride = 0;
  std::uint32_t codebook_offset = 0;
  std::uint32_t tokens = 0;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;

  /// Codebook loads that must have finished before the array may start.
  std::uint64_t codebook_loads_before = 0;
  /// Tiles that the array must have finished before this codebook may be overwritten.
  std::uint64_t tiles_before = 0;

  [[nodiscard]] WorkContext context() const { return {sequence, layer}; }
};

using CommandPointer = std::shared_ptr<const TileCommand>;

/// Rows of the output codebook whose look-ups one epilogue unit adds (v in the paper).
constexpr std::uint64_t row_group = 32;
/// INT8 operands lie in blocks of 32 inputs or outputs.
constexpr std::uint64_t int8_block_width = 32;

/// Sizes of a decode tile; every part computes them from here.
struct DecodeTile {
  explicit DecodeTile(const TileCommand& command)
      : entries(std::uint64_t{1} << command.index_bits),
        groups(ceil_divide(command.rows, row_group)),
        lookup_rows(std::uint64_t{command.rows} * command.tokens),
        codebook_bytes(entries * command.vector_length * 2),
        activation_bytes(lookup_rows * command.vector_length * 2),
        output_codebook_bytes(lookup_rows * entries * 2),
        group_column_bytes(row_group * command.index_bits / 8) {}

  std::uint64_t entries;
  std::uint64_t groups;
  std::uint64_t lookup_rows;  ///< rows of the output codebook: (token, row), token major
  std::uint64_t codebook_bytes;
  std::uint64_t activation_bytes;
  std::uint64_t output_codebook_bytes;
  std::uint64_t group_column_bytes;  ///< weight indices of one column in one row group
};

/// A span of a tile's columns (decode) or tokens (prefill).
struct Span {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// The `index`-th span when `total` is cut into spans of `length`.
inline Span span_of(std::uint64_t index, std::uint64_t length, std::uint64_t total) {
  const std::uint64_t first = index * length;
  return {first, std::min(length, total - first)};
}

}  // namespace eva
