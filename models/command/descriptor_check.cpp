#include "command/descriptor_check.h"

#include <initializer_list>

namespace eva {
namespace {

// The parts do not know the firmware's headers; here both are seen.
static_assert(row_group == EVA_ROW_GROUP && int8_block_width == EVA_BLOCK);

constexpr std::uint64_t operand_alignment = 64;
// The smallest codebook, two entries of one element, has 4 bytes: codebooks lie back to back.
constexpr std::uint64_t codebook_alignment = 4;

/// Collects the first fault; every check after it is without effect.
class Checker {
 public:
  Checker(const eva_descriptor& descriptor, const DescriptorLimits& limits)
      : descriptor_(descriptor), limits_(limits) {}

  void require(bool condition, eva_error code, std::uint64_t detail) {
    if (!condition && fault_.code == EVA_ERROR_NONE) fault_ = {code, detail};
  }
  void require_range(std::uint64_t value, std::uint64_t minimum, std::uint64_t maximum) {
    require(minimum <= value && value <= maximum, EVA_ERROR_SHAPE, value);
  }
  void require_fit(std::uint64_t bytes, Bytes capacity, eva_error code) {
    require(bytes <= capacity.count(), code, bytes);
  }
  /// `runs` runs of `bytes`, `stride` apart, from `address` on.
  void require_operand(std::uint64_t address, std::uint64_t bytes, std::uint64_t runs = 1,
                       std::uint64_t stride = 0, std::uint64_t alignment = operand_alignment) {
    require(address % alignment == 0, EVA_ERROR_ALIGNMENT, address);
    require(runs == 1 || stride % alignment == 0, EVA_ERROR_ALIGNMENT, stride);
    // Runs and stride have at most 32 bits: the product fits 64.
    const std::uint64_t distance = (runs - 1) * stride;
    require(bytes <= UINT64_MAX - distance && limits_.memory.contains(address, distance + bytes),
            EVA_ERROR_ADDRESS, address);
  }

  DescriptorFault fault() const { return fault_; }

  void check_load_codebook();
  void check_decode_tile();
  void check_prefill_tile(const OpenSum& sum);
  void check_sequence(const OpenSum& sum);
  [[nodiscard]] bool has(std::uint32_t flag) const { return (descriptor_.flags & flag) != 0; }

 private:
  const eva_descriptor& descriptor_;
  const DescriptorLimits& limits_;
  DescriptorFault fault_;
};

void Checker::check_load_codebook() {
  require_range(descriptor_.vector_length, 1, EVA_MAX_VECTOR_LENGTH);
  require_range(descriptor_.index_bits, 1, EVA_MAX_INDEX_BITS);
  if (fault_.code != EVA_ERROR_NONE) return;
  const std::uint64_t bytes = DecodeTile(command_of(descriptor_)).codebook_bytes;
  require(descriptor_.codebook_offset % codebook_alignment == 0, EVA_ERROR_ALIGNMENT,
          descriptor_.codebook_offset);
  require_fit(descriptor_.codebook_offset + bytes, limits_.codebook, EVA_ERROR_CODEBOOK_CAPACITY);
  require_operand(descriptor_.weight_address, bytes, 1, 0, codebook_alignment);
}

void Checker::check_decode_tile() {
  require_range(descriptor_.vector_length, 1, EVA_MAX_VECTOR_LENGTH);
  require_range(descriptor_.index_bits, 1, EVA_MAX_INDEX_BITS);
  require_range(descriptor_.tokens, 1, EVA_MAX_DECODE_TOKENS);
  require_range(descriptor_.rows, 1, UINT16_MAX);
  require_range(descriptor_.columns, 1, UINT32_MAX);
  if (fault_.code != EVA_ERROR_NONE) return;

  const DecodeTile tile(command_of(descriptor_));
  const std::uint64_t columns = descriptor_.columns;
  const std::uint64_t tokens = descriptor_.tokens;
  require(descriptor_.codebook_offset % codebook_alignment == 0, EVA_ERROR_ALIGNMENT,
          descriptor_.codebook_offset);
  require_fit(tile.activation_bytes, limits_.input, EVA_ERROR_INPUT_CAPACITY);
  require_fit(descriptor_.codebook_offset + tile.codebook_bytes, limits_.codebook,
              EVA_ERROR_CODEBOOK_CAPACITY);
  require_fit(tile.groups * tile.group_column_bytes, limits_.weight, EVA_ERROR_WEIGHT_CAPACITY);
  require_fit(tile.output_codebook_bytes, limits_.output_codebook,
              EVA_ERROR_OUTPUT_CODEBOOK_CAPACITY);
  require_fit(columns * tokens * 4, limits_.output, EVA_ERROR_OUTPUT_CAPACITY);

  require_operand(descriptor_.activation_address, tile.activation_bytes / tokens, tokens,
                  descriptor_.activation_stride, 2);
  require_operand(descriptor_.weight_address, columns * tile.group_column_bytes, tile.groups,
                  descriptor_.weight_stride, 4);
  if (has(EVA_FLAG_LAST)) {
    require_operand(descriptor_.scale_address, columns * 2, 1, 0, 2);
    require_operand(descriptor_.output_address, columns * 2, tokens, descriptor_.output_stride, 2);
  }
}

void Checker::check_prefill_tile(const OpenSum& sum) {
  require_range(descriptor_.tokens, 1, EVA_MAX_PREFILL_TOKENS);
  require_range(descriptor_.rows, 1, UINT16_MAX);
  require_range(descriptor_.columns, 1, EVA_BLOCK);
  if (fault_.code != EVA_ERROR_NONE) return;

  const std::uint64_t tokens = descriptor_.tokens;
  const std::uint64_t rows = descriptor_.rows;
  const std::uint64_t inputs = (has(EVA_FLAG_FIRST) ? 0 : sum.inputs) + rows;
  require(inputs <= EVA_MAX_INT8_INPUTS, EVA_ERROR_ACCUMULATOR, inputs);
  const std::uint64_t blocks = ceil_divide(rows, int8_block_width);
  require(rows % int8_block_width == 0 || has(EVA_FLAG_LAST), EVA_ERROR_SHAPE, rows);
  require_fit(tokens * int8_block_width * 4, limits_.output_codebook,
              EVA_ERROR_OUTPUT_CODEBOOK_CAPACITY);
  require_operand(descriptor_.activation_address, tokens * int8_block_width, blocks,
                  descriptor_.activation_stride, int8_block_width);
  require_operand(descriptor_.weight_address, blocks * int8_block_width * int8_block_width);
  if (has(EVA_FLAG_LAST)) {
    const std::uint64_t element_bytes = has(EVA_FLAG_INT8_OUTPUT) ? 1 : 2;
    require_operand(descriptor_.scale_address, descriptor_.columns * 4ULL, 1, 0, 4);
    require_operand(descriptor_.output_address, tokens * int8_block_width * element_bytes, 1, 0,
                    int8_block_width);
  }
}

void Checker::check_sequence(const OpenSum& sum) {
  const bool continues = sum.open && sum.opcode == descriptor_.opcode &&
                         sum.tokens == descriptor_.tokens && sum.columns == descriptor_.columns;
  require(has(EVA_FLAG_FIRST) ? !sum.open : continues, EVA_ERROR_SEQUENCE, descriptor_.flags);
}

std::uint32_t known_flags(std::uint8_t opcode) {
  constexpr std::uint32_t any = EVA_FLAG_FENCE | EVA_FLAG_INTERRUPT;
  switch (opcode) {
    case EVA_OP_DECODE_TILE:
      return any | EVA_FLAG_FIRST | EVA_FLAG_LAST;
    case EVA_OP_PREFILL_TILE:
      return any | EVA_FLAG_FIRST | EVA_FLAG_LAST | EVA_FLAG_INT8_OUTPUT;
    default:
      return any;
  }
}

}  // namespace

DescriptorFault check_descriptor(const eva_descriptor& descriptor, const DescriptorLimits& limits,
                                 OpenSum& sum) {
  Checker checker(descriptor, limits);
  checker.require(descriptor.opcode <= EVA_OP_PREFILL_TILE, EVA_ERROR_OPCODE, descriptor.opcode);
  checker.require(descriptor.version == EVA_DESCRIPTOR_VERSION, EVA_ERROR_VERSION,
                  descriptor.version);
  checker.require((descriptor.flags & ~known_flags(descriptor.opcode)) == 0, EVA_ERROR_FLAGS,
                  descriptor.flags);
  const bool tile =
      descriptor.opcode == EVA_OP_DECODE_TILE || descriptor.opcode == EVA_OP_PREFILL_TILE;
  if (descriptor.opcode == EVA_OP_LOAD_CODEBOOK) checker.check_load_codebook();
  if (descriptor.opcode == EVA_OP_DECODE_TILE) checker.check_decode_tile();
  if (descriptor.opcode == EVA_OP_PREFILL_TILE) checker.check_prefill_tile(sum);
  if (tile) checker.check_sequence(sum);

  if (checker.fault().code == EVA_ERROR_NONE && tile) {
    if (checker.has(EVA_FLAG_FIRST)) {
      sum = {true, descriptor.opcode, descriptor.tokens, descriptor.columns, 0};
    }
    if (descriptor.opcode == EVA_OP_PREFILL_TILE) sum.inputs += descriptor.rows;
    if (checker.has(EVA_FLAG_LAST)) sum = OpenSum();
  }
  return checker.fault();
}

TileCommand command_of(const eva_descriptor& descriptor) {
  TileCommand command;
  command.opcode = static_cast<Opcode>(descriptor.opcode);
  command.first = (descriptor.flags & EVA_FLAG_FIRST) != 0;
  command.last = (descriptor.flags & EVA_FLAG_LAST) != 0;
  command.fence = (descriptor.flags & EVA_FLAG_FENCE) != 0;
  command.interrupt = (descriptor.flags & EVA_FLAG_INTERRUPT) != 0;
  command.int8_output = (descriptor.flags & EVA_FLAG_INT8_OUTPUT) != 0;
  command.layer = descriptor.layer;
  command.vector_length = descriptor.vector_length;
  command.index_bits = descriptor.index_bits;
  command.activation_address = descriptor.activation_address;
  command.weight_address = descriptor.weight_address;
  command.scale_address = descriptor.scale_address;
  command.output_address = descriptor.output_address;
  command.activation_stride = descriptor.activation_stride;
  command.weight_stride = descriptor.weight_stride;
  command.output_stride = descriptor.output_stride;
  command.codebook_offset = descriptor.codebook_offset;
  command.tokens = descriptor.tokens;
  command.rows = descriptor.rows;
  command.columns = descriptor.columns;
  return command;
}

}  // namespace eva
