#pragma once

#include "base/fifo.h"
#include "base/parameters.h"
#include "base/ring_space.h"
#include "base/tile_command.h"

namespace eva {

/// A finished tile of the output codebook, on its way from the array to the epilogue; tiles come in
/// the order of their commands.
struct OutputCodebookTile {
  std::uint64_t position = 0;  ///< in the output codebook buffer
};

/// Finished accumulators, on their way to the vector unit: columns of a decode tile (in the output
/// buffer) or tokens of a prefill tile (in the output codebook buffer).
struct AccumulatorChunk {
  CommandPointer command;
  Span span;
  std::uint64_t position = 0;
  Cycles ready;
  bool final = false;  ///< the last chunk of its command
};

/// Finished outputs in the output buffer, on their way to memory.
struct OutputChunk {
  CommandPointer command;
  Span span;
  std::uint64_t position = 0;
  Bytes ring_bytes;  ///< what to release once they are stored
  bool final = false;
};

/// A command has done all that it does, at cycle `ready`.
struct Completion {
  std::uint64_t sequence = 0;
  Cycles ready;
};

/// A transfer was answered with an error.
struct BusFault {
  std::uint64_t sequence = 0;
  std::uint64_t address = 0;
};

struct PipelineParameters {
  std::uint64_t commands_in_flight = 8;
  std::uint64_t columns_per_chunk = 64;
  std::uint64_t tokens_per_chunk = 128;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("commands_in_flight", commands_in_flight, {1, 256},
                    "commands between dispatch and completion; how far loads may run ahead");
    visitor.integer("columns_per_chunk", columns_per_chunk, {8, 4096},
                    "columns that the epilogue hands on at a time");
    visitor.integer("tokens_per_chunk", tokens_per_chunk, {8, 1024},
                    "tokens that the array hands on at a time in prefill");
  }
};

/// The FIFOs, ring spaces and counts that join the parts of the pipeline.
///
///     command processor ─▶ dma channels, gemm, epilogue        (one command FIFO each)
///     dma ─▶ gemm        input ring, weight ring (prefill), codebook_loads
///     dma ─▶ epilogue    weight ring (decode)
///     gemm ─▶ epilogue   output_codebook_tiles, output codebook ring
///     gemm, epilogue ─▶ vector ─▶ dma   accumulator_chunks, output_chunks, output ring
///     last stage of a command ─▶ command processor   completions, faults
struct Pipeline {
  struct Capacities {
    Bytes input, weight, output_codebook, output, scale;
  };

  Pipeline(const PipelineParameters& parameters_in, const Capacities& capacities)
      : parameters(parameters_in),
        codebook_commands("codebook_commands", parameters.commands_in_flight),
        input_commands("input_commands", parameters.commands_in_flight),
        weight_commands("weight_commands", parameters.commands_in_flight),
        scale_commands("scale_commands", parameters.commands_in_flight),
        gemm_commands("gemm_commands", parameters.commands_in_flight),
        epilogue_commands("epilogue_commands", parameters.commands_in_flight),
        output_codebook_tiles("output_codebook_tiles", parameters.commands_in_flight),
        accumulator_chunks("accumulator_chunks", 64),
        output_chunks("output_chunks", 64),
        completions("completions", 2 * parameters.commands_in_flight),
        faults("faults", 16),
        input("input", capacities.input),
        weight("weight", capacities.weight),
        output_codebook("output_codebook", capacities.output_codebook),
        output("output", capacities.output),
        scale("scale", capacities.scale),
        codebook_loads("codebook_loads"),
        tiles("tiles"),
        overflows("overflows") {}

  /// Calls `action` with every FIFO, ring or count.
  template <class Action>
  void for_each_fifo(Action action) {
    action(codebook_commands);
    action(input_commands);
    action(weight_commands);
    action(scale_commands);
    action(gemm_commands);
    action(epilogue_commands);
    action(output_codebook_tiles);
    action(accumulator_chunks);
    action(output_chunks);
    action(completions);
    action(faults);
  }
  template <class Action>
  void for_each_ring(Action action) {
    action(input);
    action(weight);
    action(output_codebook);
    action(output);
    action(scale);
  }

  /// Empties everything: all work is abandoned.
  void clear() {
    for_each_fifo([](auto& fifo) { fifo.clear(); });
    for_each_ring([](RingSpace& ring) { ring.clear(); });
    codebook_loads.clear();
    tiles.clear();
  }

  /// Columns of a decode tile that are added up and handed on together: the same for all tiles,
  /// since sums lie chunk by chunk.
  [[nodiscard]] std::uint64_t chunk_columns() const { return parameters.columns_per_chunk; }
  /// Columns of a chunk whose weight indices are loaded together: bounded so that two such slices
  /// fit the weight buffer.
  [[nodiscard]] std::uint64_t slice_columns(const DecodeTile& tile) const {
    const std::uint64_t column_bytes = tile.groups * tile.group_column_bytes;
    return std::clamp<std::uint64_t>(weight.capacity().count() / 2 / column_bytes, 1,
                                     chunk_columns());
  }
  /// Tokens of a prefill tile that are handed on together: bounded so that two chunks of
  /// activations and of outputs fit their buffers.
  [[nodiscard]] std::uint64_t chunk_tokens() const {
    const std::uint64_t token_bytes = int8_block_width * 2;
    const std::uint64_t half = std::min(input.capacity(), output.capacity()).count() / 2;
    return std::clamp<std::uint64_t>(half / token_bytes, 1, parameters.tokens_per_chunk);
  }

  const PipelineParameters parameters;

  Fifo<CommandPointer> codebook_commands;
  Fifo<CommandPointer> input_commands;
  Fifo<CommandPointer> weight_commands;
  Fifo<CommandPointer> scale_commands;
  Fifo<CommandPointer> gemm_commands;
  Fifo<CommandPointer> epilogue_commands;
  Fifo<OutputCodebookTile> output_codebook_tiles;
  Fifo<AccumulatorChunk> accumulator_chunks;
  Fifo<OutputChunk> output_chunks;
  Fifo<Completion> completions;
  Fifo<BusFault> faults;

  RingSpace input;            ///< activations
  RingSpace weight;           ///< weight indices or weights
  RingSpace output_codebook;  ///< output codebook tiles (decode), INT32 sums (prefill)
  RingSpace output;           ///< FP32 sums, then outputs
  RingSpace scale;

  Progress codebook_loads;  ///< codebook loads finished
  Progress tiles;           ///< tiles that the array has finished
  Progress overflows;       ///< finite sums that became infinite in FP16
};

}  // namespace eva
