#include "gemm/gemm_unit.h"

#include <vector>

#include "numerics/int8_product.h"

namespace eva {

GemmUnit::GemmUnit(const sc_core::sc_module_name& name, const PartContext& context,
                   const GemmParameters& parameters, Pipeline& pipeline)
    : Part(name, context),
      input("input"),
      codebook("codebook"),
      weight("weight"),
      output_codebook("output_codebook"),
      parameters_(parameters),
      pipeline_(pipeline),
      timeline_(context.log, "gemm") {
  start_process("run", [this] { run(); });
}

void GemmUnit::run() {
  while (true) {
    timeline_.idle(now());
    const CommandPointer command = pipeline_.gemm_commands.get();
    if (command->opcode == Opcode::decode_tile) {
      run_decode_tile(command);
    } else {
      run_prefill_tile(command);
    }
    pipeline_.tiles.advance();
  }
}

void GemmUnit::run_decode_tile(const CommandPointer& command) {
  const DecodeTile tile(*command);
  if (!pipeline_.codebook_loads.reached(command->codebook_loads_before)) {
    timeline_.stalled(now(), WaitReason::codebook, command->context());
    pipeline_.codebook_loads.wait_for(command->codebook_loads_before);
  }
  const Bytes activation_bytes(tile.activation_bytes);
  if (!pipeline_.input.has_filled(activation_bytes)) {
    timeline_.stalled(now(), WaitReason::activations, command->context());
  }
  const std::uint64_t activation_position = pipeline_.input.use(activation_bytes);

  const Bytes tile_bytes(tile.output_codebook_bytes);
  if (!pipeline_.output_codebook.has_space(tile_bytes)) {
    timeline_.stalled(now(), WaitReason::buffer_space, command->context());
  }
  const std::uint64_t tile_position = pipeline_.output_codebook.reserve(tile_bytes);

  timeline_.busy(now(), "codebook_product", command->context());
  multiply_codebook(*command, activation_position, tile_position);
  timeline_.add_work(tile.lookup_rows * tile.entries * command->vector_length);
  wait_until(now() + parameters_.array.codebook_passes(tile.lookup_rows, command->vector_length,
                                                       tile.entries));
  pipeline_.input.release(activation_bytes);
  pipeline_.output_codebook.fill(tile_bytes);
  pipeline_.output_codebook_tiles.put({tile_position});
}

void GemmUnit::multiply_codebook(const TileCommand& command, std::uint64_t activation_position,
                                 std::uint64_t tile_position) {
  const DecodeTile tile(command);
  std::vector<HalfBits> activations(tile.activation_bytes / 2);
  std::vector<HalfBits> elements(tile.codebook_bytes / 2);
  std::vector<HalfBits> products(tile.lookup_rows * tile.entries);
  require_ok(input.read_ring(activation_position, pipeline_.input.capacity(), activations.data(),
                             tile.activation_bytes),
             "activations");
  require_ok(codebook.read(command.codebook_offset, elements.data(), tile.codebook_bytes),
             "codebook");
  if (functional()) {
    const Codebook entries(elements.data(), tile.entries, command.vector_length);
    bool overflow = false;
    for (std::uint64_t row = 0; row < tile.lookup_rows; ++row) {
      overflow |= entries.multiply(activations.data() + row * command.vector_length,
                                   parameters_.accumulation, products.data() + row * tile.entries);
    }
    if (overflow) pipeline_.overflows.advance();
  }
  require_ok(output_codebook.write_ring(tile_position, pipeline_.output_codebook.capacity(),
                                        products.data(), tile.output_codebook_bytes),
             "output codebook");
}

void GemmUnit::run_prefill_tile(const CommandPointer& command) {
  const std::uint64_t blocks = ceil_divide(command->rows, int8_block_width);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    run_block(command, block, command->first && block == 0, command->last && block + 1 == blocks);
  }
  if (!command->last) pipeline_.completions.put({command->sequence, now()});
}

void GemmUnit::run_block(const CommandPointer& command, std::uint64_t block, bool starts,
                         bool finishes) {
  const Bytes weight_bytes(int8_block_width * int8_block_width);
  if (!pipeline_.weight.has_filled(weight_bytes)) {
    timeline_.stalled(now(), WaitReason::weights, command->context());
  }
  std::vector<std::int8_t> weights(weight_bytes.count());
  require_ok(weight.read_ring(pipeline_.weight.use(weight_bytes), pipeline_.weight.capacity(),
                              weights.data(), weights.size()),
             "weights");
  pipeline_.weight.release(weight_bytes);  // they stay in the array from here on

  const std::uint64_t inputs = span_of(block, int8_block_width, command->rows).count;
  const std::uint64_t chunk = pipeline_.chunk_tokens();
  const std::uint64_t chunks = ceil_divide(command->tokens, chunk);
  const Cycles fill_and_drain = parameters_.array.int8_fill_and_drain(inputs, command->columns);
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const Span tokens = span_of(i, chunk, command->tokens);
    const Bytes activation_bytes(tokens.count * int8_block_width);
    if (!pipeline_.input.has_filled(activation_bytes)) {
      timeline_.stalled(now(), WaitReason::activations, command->context());
    }
    std::vector<std::int8_t> activations(activation_bytes.count());
    require_ok(input.read_ring(pipeline_.input.use(activation_bytes), pipeline_.input.capacity(),
                               activations.data(), activations.size()),
               "activations");
    if (starts) start_sums(*command, tokens);

    timeline_.busy(now(), "int8_product", command->context());
    multiply_block(tokens, inputs, weights, activations, starts);
    timeline_.add_work(tokens.count * inputs * command->columns);
    wait_until(now() + parameters_.array.int8_streaming(tokens.count, inputs, command->columns));
    pipeline_.input.release(activation_bytes);
    if (finishes) {
      pipeline_.accumulator_chunks.put(
          {command, tokens, sums_position(tokens.first), now() + fill_and_drain, i + 1 == chunks});
    }
  }
  wait_until(now() + fill_and_drain);
}

void GemmUnit::start_sums(const TileCommand& command, Span tokens) {
  const Bytes bytes(tokens.count * int8_block_width * 4);
  if (!pipeline_.output_codebook.has_space(bytes)) {
    timeline_.stalled(now(), WaitReason::buffer_space, command.context());
  }
  const std::uint64_t position = pipeline_.output_codebook.reserve(bytes);
  if (tokens.first == 0) first_sum_position_ = position;
}

void GemmUnit::multiply_block(Span tokens, std::uint64_t inputs,
                              const std::vector<std::int8_t>& weights,
                              const std::vector<std::int8_t>& activations, bool starts) {
  std::vector<std::int32_t> sums(tokens.count * int8_block_width);
  if (functional()) {
    accumulate_int8_block(activations.data(), weights.data(), tokens.count, inputs, sums.data());
  }
  const std::uint64_t position = sums_position(tokens.first);
  const Bytes capacity = pipeline_.output_codebook.capacity();
  const std::size_t bytes = sums.size() * sizeof(std::int32_t);
  require_ok(starts ? output_codebook.write_ring(position, capacity, sums.data(), bytes)
                    : output_codebook.accumulate_ring(position, capacity, sums.data(), bytes),
             "sums");
}

}  // namespace eva
