#include "epilogue/epilogue_unit.h"

#include <algorithm>

#include "epilogue/index_decoder.h"

namespace eva {

EpilogueUnit::EpilogueUnit(const sc_core::sc_module_name& name, const PartContext& context,
                           const EpilogueParameters& parameters, Pipeline& pipeline)
    : Part(name, context),
      weight("weight"),
      output_codebook("output_codebook"),
      output("output"),
      parameters_(parameters),
      pipeline_(pipeline),
      timeline_(context.log, "epilogue") {
  start_process("run", [this] { run(); });
}

void EpilogueUnit::run() {
  while (true) {
    timeline_.idle(now());
    const CommandPointer command = pipeline_.epilogue_commands.get();
    if (pipeline_.output_codebook_tiles.empty()) {
      timeline_.stalled(now(), WaitReason::output_codebook, command->context());
    }
    run_tile(command, pipeline_.output_codebook_tiles.get());
  }
}

void EpilogueUnit::run_tile(const CommandPointer& pointer, const OutputCodebookTile& tile) {
  const TileCommand& command = *pointer;
  const Cycles earliest = previous_start_ + Cycles(parameters_.pipeline_cycles);
  if (now() < earliest) {
    timeline_.stalled(now(), WaitReason::accumulator, command.context());
    wait_until(earliest);
  }
  previous_start_ = now();

  const std::uint64_t chunk = pipeline_.chunk_columns();
  const std::uint64_t chunks = ceil_divide(command.columns, chunk);
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const Span columns = span_of(i, chunk, command.columns);
    const Bytes sum_bytes(columns.count * command.tokens * sizeof(float));
    if (command.first) {
      if (!pipeline_.output.has_space(sum_bytes)) {
        timeline_.stalled(now(), WaitReason::buffer_space, command.context());
      }
      const std::uint64_t position = pipeline_.output.reserve(sum_bytes);
      if (i == 0) first_sum_position_ = position;
    }
    const std::uint64_t sums_position =
        first_sum_position_ + columns.first * command.tokens * sizeof(float);
    run_chunk(command, tile, columns, sums_position);
    if (command.last) {
      pipeline_.accumulator_chunks.put({pointer, columns, sums_position,
                                        now() + Cycles(parameters_.pipeline_cycles),
                                        i + 1 == chunks});
    }
  }
  pipeline_.output_codebook.release(Bytes(DecodeTile(command).output_codebook_bytes));
  if (!command.last) {
    pipeline_.completions.put({command.sequence, now() + Cycles(parameters_.pipeline_cycles)});
  }
}

void EpilogueUnit::run_chunk(const TileCommand& command, const OutputCodebookTile& tile,
                             Span columns, std::uint64_t sums_position) {
  std::vector<float> sums(columns.count * command.tokens);
  const std::size_t sum_bytes = sums.size() * sizeof(float);
  const Bytes capacity = pipeline_.output.capacity();
  if (!command.first) {
    require_ok(output.read_ring(sums_position, capacity, sums.data(), sum_bytes), "sums");
  }
  const std::uint64_t length = pipeline_.slice_columns(DecodeTile(command));
  for (std::uint64_t i = 0; i < ceil_divide(columns.count, length); ++i) {
    const Span slice = span_of(i, length, columns.count);
    const Bytes index_bytes = take_indices(command, slice);
    timeline_.add_work(slice.count * DecodeTile(command).lookup_rows);
    wait_cycles(look_up(command, tile, slice, columns.count, sums));
    pipeline_.weight.release(index_bytes);
  }
  require_ok(output.write_ring(sums_position, capacity, sums.data(), sum_bytes), "sums");
}

Bytes EpilogueUnit::take_indices(const TileCommand& command, Span slice) {
  const DecodeTile shape(command);
  const Bytes index_bytes(slice.count * shape.groups * shape.group_column_bytes);
  if (!pipeline_.weight.has_filled(index_bytes)) {
    timeline_.stalled(now(), WaitReason::weights, command.context());
  }
  const std::uint64_t index_position = pipeline_.weight.use(index_bytes);
  timeline_.busy(now(), "look_up", command.context());

  // Memory has the indices row group by row group; the look-ups go column by column.
  std::vector<unsigned char> packed(index_bytes.count());
  require_ok(
      weight.read_ring(index_position, pipeline_.weight.capacity(), packed.data(), packed.size()),
      "weight indices");
  const std::size_t indices_per_column = shape.groups * row_group;
  indices_.resize(slice.count * indices_per_column);
  if (!functional()) return index_bytes;
  std::vector<std::uint16_t> group_indices(slice.count * row_group);
  for (std::uint64_t group = 0; group < shape.groups; ++group) {
    decode_indices(packed.data() + group * slice.count * shape.group_column_bytes,
                   group_indices.size(), command.index_bits, group_indices.data());
    for (std::uint64_t column = 0; column < slice.count; ++column) {
      std::copy_n(group_indices.data() + column * row_group, row_group,
                  indices_.data() + column * indices_per_column + group * row_group);
    }
  }
  return index_bytes;
}

std::uint64_t EpilogueUnit::look_up(const TileCommand& command, const OutputCodebookTile& tile,
                                    Span slice, std::uint64_t chunk_columns,
                                    std::vector<float>& sums) {
  const DecodeTile shape(command);
  const std::uint64_t pairs = command.tokens * shape.groups;
  std::uint64_t cycles = 0;
  bool overflow = false;
  for (std::uint64_t first = 0; first < pairs; first += parameters_.units) {
    const std::uint64_t units = std::min(parameters_.units, pairs - first);
    // Lanes beyond the tile's last row stay out of the look-up and add +0.
    std::vector<GatherExtension::Lane> lanes;
    std::vector<std::uint64_t> lanes_of_unit;
    for (std::uint64_t pair = first; pair < first + units; ++pair) {
      const std::uint64_t token = pair / shape.groups;
      const Span rows = span_of(pair % shape.groups, row_group, command.rows);
      for (std::uint64_t row = rows.first; row < rows.first + rows.count; ++row) {
        lanes.push_back({static_cast<std::uint32_t>(token * command.rows + row),
                         static_cast<std::uint32_t>(row)});
      }
      lanes_of_unit.push_back(rows.count);
    }
    GatherExtension gather;
    gather.lanes = &lanes;
    gather.indices = indices_.data();
    gather.indices_per_column = shape.groups * row_group;
    gather.columns = slice.count;
    gather.row_elements = shape.entries;
    elements_.resize(slice.count * lanes.size() + row_group);
    const std::size_t bytes = slice.count * lanes.size() * sizeof(HalfBits);
    require_ok(output_codebook.gather(tile.position % pipeline_.output_codebook.capacity().count(),
                                      elements_.data(), bytes, gather),
               "look-up");
    cycles += gather.cycles;
    if (!functional()) continue;

    std::size_t lane = 0;
    for (std::uint64_t unit = 0; unit < units; ++unit) {
      const std::uint64_t token = (first + unit) / shape.groups;
      const HalfBits* source = elements_.data() + lane;
      std::size_t stride = lanes.size();
      std::vector<HalfBits> padded;
      if (lanes_of_unit[unit] < row_group) {
        padded.assign(slice.count * row_group, 0);
        for (std::uint64_t column = 0; column < slice.count; ++column) {
          std::copy_n(source + column * stride, lanes_of_unit[unit],
                      padded.data() + column * row_group);
        }
        source = padded.data();
        stride = row_group;
      }
      overflow |= accumulate_look_ups(source, stride, slice.count, parameters_.tree,
                                      parameters_.accumulator,
                                      sums.data() + token * chunk_columns + slice.first, 1);
      lane += lanes_of_unit[unit];
    }
  }
  if (overflow) pipeline_.overflows.advance();
  return cycles;
}

}  // namespace eva
