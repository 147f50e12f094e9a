#define CATCH_CONFIG_ENABLE_PAIR_STRINGMAKER
#include "command/descriptor_check.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

using eva::AddressRange;
using eva::Bytes;
using eva::DescriptorLimits;
using eva::OpenSum;

namespace {

using Fault = std::pair<eva_error, std::uint64_t>;

const Fault none = {EVA_ERROR_NONE, 0};
constexpr std::uint64_t memory = 0x80000000;
constexpr std::uint64_t memory_end = 0x90000000;

/// 256 MiB of memory and the buffers of the reference chip.
DescriptorLimits reference_limits() {
  return {AddressRange::from_size(memory, memory_end - memory),
          Bytes(32 << 10),
          Bytes(16 << 10),
          Bytes(256 << 10),
          Bytes(192 << 10),
          Bytes(32 << 10)};
}

/// The same memory and buffers in which everything fits.
DescriptorLimits ample_limits() {
  const Bytes ample(1ULL << 50);
  return {AddressRange::from_size(0, 1ULL << 60), ample, ample, ample, ample, ample};
}

eva_descriptor nop() {
  eva_descriptor descriptor{};
  descriptor.opcode = EVA_OP_NOP;
  descriptor.version = EVA_DESCRIPTOR_VERSION;
  return descriptor;
}

/// 256 vectors of 8 elements: 4096 bytes.
eva_descriptor load_codebook() {
  eva_descriptor descriptor = nop();
  descriptor.opcode = EVA_OP_LOAD_CODEBOOK;
  descriptor.vector_length = 8;
  descriptor.index_bits = 8;
  descriptor.weight_address = memory;
  return descriptor;
}

/// 32 vectors of 8 elements by 256 columns; FIRST and LAST.
eva_descriptor decode_tile() {
  eva_descriptor descriptor = nop();
  descriptor.opcode = EVA_OP_DECODE_TILE;
  descriptor.flags = EVA_FLAG_FIRST | EVA_FLAG_LAST;
  descriptor.vector_length = 8;
  descriptor.index_bits = 8;
  descriptor.activation_address = memory;
  descriptor.weight_address = memory + 0x10000;
  descriptor.scale_address = memory + 0x20000;
  descriptor.output_address = memory + 0x30000;
  descriptor.activation_stride = 512;
  descriptor.weight_stride = 8192;
  descriptor.output_stride = 512;
  descriptor.tokens = 1;
  descriptor.rows = 32;
  descriptor.columns = 256;
  return descriptor;
}

/// 64 tokens of 64 inputs by 32 outputs; FIRST and LAST.
eva_descriptor prefill_tile() {
  eva_descriptor descriptor = nop();
  descriptor.opcode = EVA_OP_PREFILL_TILE;
  descriptor.flags = EVA_FLAG_FIRST | EVA_FLAG_LAST;
  descriptor.activation_address = memory;
  descriptor.weight_address = memory + 0x1000000;
  descriptor.scale_address = memory + 0x2000000;
  descriptor.output_address = memory + 0x3000000;
  descriptor.activation_stride = 2048;
  descriptor.tokens = 64;
  descriptor.rows = 64;
  descriptor.columns = 32;
  return descriptor;
}

/// `descriptor` with one field changed.
template <class Field, class Value>
eva_descriptor with(eva_descriptor descriptor, Field field, Value value) {
  descriptor.*field = static_cast<std::remove_reference_t<decltype(descriptor.*field)>>(value);
  return descriptor;
}

Fault check(const eva_descriptor& descriptor, OpenSum& sum,
            const DescriptorLimits& limits = reference_limits()) {
  const eva::DescriptorFault fault = check_descriptor(descriptor, limits, sum);
  return {fault.code, fault.detail};
}

/// Outside of any sum.
Fault check(const eva_descriptor& descriptor, const DescriptorLimits& limits = reference_limits()) {
  OpenSum sum;
  return check(descriptor, sum, limits);
}

}  // namespace

TEST_CASE("descriptor check: a right descriptor of each opcode has no fault") {
  CHECK(check(nop()) == none);
  CHECK(check(load_codebook()) == none);
  CHECK(check(decode_tile()) == none);
  CHECK(check(prefill_tile()) == none);
}

TEST_CASE("descriptor check: a nop needs no operands") {
  eva_descriptor descriptor = nop();
  descriptor.weight_address = 1;
  descriptor.rows = 65535;
  descriptor.columns = 0xFFFFFFFF;
  CHECK(check(descriptor) == none);
}

TEST_CASE("descriptor check: an unknown opcode is told") {
  CHECK(check(with(nop(), &eva_descriptor::opcode, 4)) == Fault(EVA_ERROR_OPCODE, 4));
  CHECK(check(with(nop(), &eva_descriptor::opcode, 255)) == Fault(EVA_ERROR_OPCODE, 255));
}

TEST_CASE("descriptor check: another version is told, for each opcode") {
  for (const eva_descriptor& descriptor : {nop(), load_codebook(), decode_tile(), prefill_tile()}) {
    CAPTURE(descriptor.opcode);
    CHECK(check(with(descriptor, &eva_descriptor::version, 0)) == Fault(EVA_ERROR_VERSION, 0));
    CHECK(check(with(descriptor, &eva_descriptor::version, 2)) == Fault(EVA_ERROR_VERSION, 2));
  }
}

TEST_CASE("descriptor check: fence and interrupt go with each opcode") {
  for (eva_descriptor descriptor : {nop(), load_codebook(), decode_tile(), prefill_tile()}) {
    CAPTURE(descriptor.opcode);
    descriptor.flags |= EVA_FLAG_FENCE | EVA_FLAG_INTERRUPT;
    CHECK(check(descriptor) == none);
  }
}

TEST_CASE("descriptor check: a flag that the opcode does not know is told with all flags") {
  CHECK(check(with(nop(), &eva_descriptor::flags, 0x0001)) == Fault(EVA_ERROR_FLAGS, 0x0001));
  CHECK(check(with(nop(), &eva_descriptor::flags, 0x001C)) == Fault(EVA_ERROR_FLAGS, 0x001C));
  CHECK(check(with(load_codebook(), &eva_descriptor::flags, 0x0002)) ==
        Fault(EVA_ERROR_FLAGS, 0x0002));
  CHECK(check(with(decode_tile(), &eva_descriptor::flags, 0x0013)) ==
        Fault(EVA_ERROR_FLAGS, 0x0013));
  CHECK(check(with(prefill_tile(), &eva_descriptor::flags, 0x0013)) == none);
  CHECK(check(with(prefill_tile(), &eva_descriptor::flags, 0x8003)) ==
        Fault(EVA_ERROR_FLAGS, 0x8003));
}

TEST_CASE("descriptor check: the first of several faults is told") {
  eva_descriptor descriptor = decode_tile();
  descriptor.weight_address = 1;
  descriptor.rows = 0;
  descriptor.flags = 0xFFFF;
  descriptor.version = 9;
  descriptor.opcode = 77;
  CHECK(check(descriptor) == Fault(EVA_ERROR_OPCODE, 77));
  descriptor.opcode = EVA_OP_DECODE_TILE;
  CHECK(check(descriptor) == Fault(EVA_ERROR_VERSION, 9));
  descriptor.version = EVA_DESCRIPTOR_VERSION;
  CHECK(check(descriptor) == Fault(EVA_ERROR_FLAGS, 0xFFFF));
  descriptor.flags = EVA_FLAG_FIRST;
  CHECK(check(descriptor) == Fault(EVA_ERROR_SHAPE, 0));
  descriptor.rows = 32;
  CHECK(check(descriptor) == Fault(EVA_ERROR_ALIGNMENT, 1));
}

// Codebooks

TEST_CASE("codebook load: vectors have 1 to 32 elements") {
  const auto length = &eva_descriptor::vector_length;
  CHECK(check(with(load_codebook(), length, 0)) == Fault(EVA_ERROR_SHAPE, 0));
  CHECK(check(with(load_codebook(), length, 1)) == none);
  CHECK(check(with(load_codebook(), length, 32)) == none);
  CHECK(check(with(load_codebook(), length, 33)) == Fault(EVA_ERROR_SHAPE, 33));
}

TEST_CASE("codebook load: indices have 1 to 16 bits") {
  const auto bits = &eva_descriptor::index_bits;
  CHECK(check(with(load_codebook(), bits, 0)) == Fault(EVA_ERROR_SHAPE, 0));
  CHECK(check(with(load_codebook(), bits, 1)) == none);
  CHECK(check(with(load_codebook(), bits, 16), ample_limits()) == none);
  CHECK(check(with(load_codebook(), bits, 17)) == Fault(EVA_ERROR_SHAPE, 17));
}

TEST_CASE("codebook load: four codebooks of 4 KiB fill a buffer of 16 KiB") {
  const auto offset = &eva_descriptor::codebook_offset;
  CHECK(check(with(load_codebook(), offset, 12288)) == none);
  CHECK(check(with(load_codebook(), offset, 12352)) == Fault(EVA_ERROR_CODEBOOK_CAPACITY, 16448));
  CHECK(check(with(load_codebook(), offset, 0xFFFFFFC0)) ==
        Fault(EVA_ERROR_CODEBOOK_CAPACITY, 4294971328));
}

TEST_CASE("codebook load: a codebook that is too large is told with the bytes it needs") {
  const auto bits = &eva_descriptor::index_bits;
  CHECK(check(with(load_codebook(), bits, 10)) == none);
  CHECK(check(with(load_codebook(), bits, 11)) == Fault(EVA_ERROR_CODEBOOK_CAPACITY, 32768));
  CHECK(check(with(load_codebook(), bits, 16)) == Fault(EVA_ERROR_CODEBOOK_CAPACITY, 1048576));
}

TEST_CASE("codebook load: source and offset are multiples of 4 bytes, the smallest codebook") {
  const auto source = &eva_descriptor::weight_address;
  CHECK(check(with(load_codebook(), source, memory + 4)) == none);
  CHECK(check(with(load_codebook(), source, memory + 2)) == Fault(EVA_ERROR_ALIGNMENT, 0x80000002));
  const auto offset = &eva_descriptor::codebook_offset;
  CHECK(check(with(load_codebook(), offset, 4)) == none);
  CHECK(check(with(load_codebook(), offset, 2)) == Fault(EVA_ERROR_ALIGNMENT, 2));
}

TEST_CASE("codebook load: its source lies in memory") {
  const auto source = &eva_descriptor::weight_address;
  CHECK(check(with(load_codebook(), source, 0x8FFFF000)) == none);
  CHECK(check(with(load_codebook(), source, 0x8FFFF040)) == Fault(EVA_ERROR_ADDRESS, 0x8FFFF040));
  CHECK(check(with(load_codebook(), source, 0x7FFFFFC0)) == Fault(EVA_ERROR_ADDRESS, 0x7FFFFFC0));
}

TEST_CASE("codebook load: a source that wraps around the address space is outside") {
  DescriptorLimits limits = reference_limits();
  limits.memory = AddressRange::from_size(0xFFFFFFFF00000000, 1ULL << 32);
  const auto source = &eva_descriptor::weight_address;
  CHECK(check(with(load_codebook(), source, 0xFFFFFFFFFFFFF000), limits) == none);
  CHECK(check(with(load_codebook(), source, 0xFFFFFFFFFFFFFFC0), limits) ==
        Fault(EVA_ERROR_ADDRESS, 0xFFFFFFFFFFFFFFC0));
}

// Decode tiles

TEST_CASE("decode tile: shapes that are too small or too large are told with the value") {
  const auto shape = [](auto field, std::uint64_t value) {
    return check(with(decode_tile(), field, value), ample_limits());
  };
  CHECK(shape(&eva_descriptor::vector_length, 0) == Fault(EVA_ERROR_SHAPE, 0));
  CHECK(shape(&eva_descriptor::vector_length, 32) == none);
  CHECK(shape(&eva_descriptor::vector_length, 33) == Fault(EVA_ERROR_SHAPE, 33));
  CHECK(shape(&eva_descriptor::index_bits, 0) == Fault(EVA_ERROR_SHAPE, 0));
  CHECK(shape(&eva_descriptor::index_bits, 16) == none);
  CHECK(shape(&eva_descriptor::index_bits, 17) == Fault(EVA_ERROR_SHAPE, 17));
  CHECK(shape(&eva_descriptor::tokens, 0) == Fault(EVA_ERROR_SHAPE, 0));
  CHECK(shape(&eva_descriptor::tokens, 64) == none);
  CHECK(shape(&eva_descriptor::tokens, 65) == Fault(EVA_ERROR_SHAPE, 65));
  CHECK(shape(&eva_descriptor::rows, 0) == Fault(EVA_ERROR_SHAPE, 0));
  CHECK(shape(&eva_descriptor::columns, 0) == Fault(EVA_ERROR_SHAPE, 0));
}

TEST_CASE("decode tile: the largest 16-bit rows and 32-bit columns are computed without wrapping") {
  eva_descriptor descriptor = decode_tile();
  descriptor.tokens = 64;
  descriptor.rows = 65535;
  descriptor.columns = 0xFFFFFFFF;
  descriptor.vector_length = 32;
  descriptor.index_bits = 16;
  CHECK(check(descriptor, ample_limits()) == none);

  DescriptorLimits limits = ample_limits();
  limits.input = Bytes(268431359);
  CHECK(check(descriptor, limits) == Fault(EVA_ERROR_INPUT_CAPACITY, 268431360));
  limits = ample_limits();
  limits.output_codebook = Bytes(549747425279);
  CHECK(check(descriptor, limits) == Fault(EVA_ERROR_OUTPUT_CODEBOOK_CAPACITY, 549747425280));
  limits = ample_limits();
  limits.output = Bytes(1099511627519);
  CHECK(check(descriptor, limits) == Fault(EVA_ERROR_OUTPUT_CAPACITY, 1099511627520));
}

TEST_CASE("decode tile: its activations fit the input buffer") {
  DescriptorLimits limits = ample_limits();
  limits.input = Bytes(32768);
  eva_descriptor descriptor = decode_tile();
  descriptor.tokens = 16;
  descriptor.rows = 128;
  CHECK(check(descriptor, limits) == none);
  descriptor.rows = 129;
  CHECK(check(descriptor, limits) == Fault(EVA_ERROR_INPUT_CAPACITY, 33024));
}

TEST_CASE("decode tile: its codebook lies in the codebook buffer") {
  const auto offset = &eva_descriptor::codebook_offset;
  CHECK(check(with(decode_tile(), offset, 12288)) == none);
  CHECK(check(with(decode_tile(), offset, 12352)) == Fault(EVA_ERROR_CODEBOOK_CAPACITY, 16448));
}

TEST_CASE("decode tile: a column of its indices fits the weight buffer, in groups of 32 rows") {
  DescriptorLimits limits = ample_limits();
  limits.weight = Bytes(64);
  CHECK(check(with(decode_tile(), &eva_descriptor::rows, 64), limits) == none);
  CHECK(check(with(decode_tile(), &eva_descriptor::rows, 65), limits) ==
        Fault(EVA_ERROR_WEIGHT_CAPACITY, 96));
}

TEST_CASE("decode tile: its output codebook fits the buffer") {
  DescriptorLimits limits = ample_limits();
  limits.output_codebook = Bytes(16384);
  CHECK(check(with(decode_tile(), &eva_descriptor::rows, 32), limits) == none);
  CHECK(check(with(decode_tile(), &eva_descriptor::rows, 33), limits) ==
        Fault(EVA_ERROR_OUTPUT_CODEBOOK_CAPACITY, 16896));
}

TEST_CASE("decode tile: its FP32 sums fit the output buffer") {
  CHECK(check(with(decode_tile(), &eva_descriptor::columns, 8192)) == none);
  CHECK(check(with(decode_tile(), &eva_descriptor::columns, 8193)) ==
        Fault(EVA_ERROR_OUTPUT_CAPACITY, 32772));
}

TEST_CASE("decode tile: operands are aligned to their elements") {
  const auto at = [](auto field, std::uint64_t value) {
    return check(with(decode_tile(), field, value));
  };
  CHECK(at(&eva_descriptor::activation_address, 0x80000002) == none);
  CHECK(at(&eva_descriptor::activation_address, 0x80000001) ==
        Fault(EVA_ERROR_ALIGNMENT, 0x80000001));
  CHECK(at(&eva_descriptor::weight_address, 0x80000004) == none);
  CHECK(at(&eva_descriptor::weight_address, 0x80000002) == Fault(EVA_ERROR_ALIGNMENT, 0x80000002));
  CHECK(at(&eva_descriptor::scale_address, 0x80000002) == none);
  CHECK(at(&eva_descriptor::scale_address, 0x80000001) == Fault(EVA_ERROR_ALIGNMENT, 0x80000001));
  CHECK(at(&eva_descriptor::output_address, 0x80000002) == none);
  CHECK(at(&eva_descriptor::output_address, 0x80000001) == Fault(EVA_ERROR_ALIGNMENT, 0x80000001));
  CHECK(at(&eva_descriptor::codebook_offset, 4) == none);
  CHECK(at(&eva_descriptor::codebook_offset, 2) == Fault(EVA_ERROR_ALIGNMENT, 2));
}

TEST_CASE("decode tile: strides are aligned like their operands") {
  eva_descriptor descriptor = decode_tile();
  descriptor.tokens = 2;
  descriptor.rows = 64;
  const auto stride = [&](auto field, std::uint64_t value) {
    return check(with(descriptor, field, value));
  };
  CHECK(stride(&eva_descriptor::activation_stride, 1026) == none);
  CHECK(stride(&eva_descriptor::activation_stride, 1025) == Fault(EVA_ERROR_ALIGNMENT, 1025));
  CHECK(stride(&eva_descriptor::weight_stride, 8196) == none);
  CHECK(stride(&eva_descriptor::weight_stride, 8194) == Fault(EVA_ERROR_ALIGNMENT, 8194));
  CHECK(stride(&eva_descriptor::output_stride, 514) == none);
  CHECK(stride(&eva_descriptor::output_stride, 513) == Fault(EVA_ERROR_ALIGNMENT, 513));
}

TEST_CASE("decode tile: a stride that is not used is not checked") {
  eva_descriptor descriptor = decode_tile();
  descriptor.activation_stride = 0xFFFFFFFF;
  descriptor.weight_stride = 0xFFFFFFFF;
  descriptor.output_stride = 0xFFFFFFFF;
  CHECK(check(descriptor) == none);
}

TEST_CASE("decode tile: each operand lies in memory to its last byte") {
  const auto at = [](auto field, std::uint64_t value) {
    return check(with(decode_tile(), field, value));
  };
  CHECK(at(&eva_descriptor::activation_address, memory_end - 512) == none);
  CHECK(at(&eva_descriptor::activation_address, memory_end - 510) ==
        Fault(EVA_ERROR_ADDRESS, 0x8FFFFE02));
  CHECK(at(&eva_descriptor::weight_address, memory_end - 8192) == none);
  CHECK(at(&eva_descriptor::weight_address, memory_end - 8188) ==
        Fault(EVA_ERROR_ADDRESS, 0x8FFFE004));
  CHECK(at(&eva_descriptor::scale_address, memory_end - 512) == none);
  CHECK(at(&eva_descriptor::scale_address, memory_end - 510) ==
        Fault(EVA_ERROR_ADDRESS, 0x8FFFFE02));
  CHECK(at(&eva_descriptor::output_address, memory_end - 512) == none);
  CHECK(at(&eva_descriptor::output_address, memory_end - 510) ==
        Fault(EVA_ERROR_ADDRESS, 0x8FFFFE02));
  CHECK(at(&eva_descriptor::output_address, 0) == Fault(EVA_ERROR_ADDRESS, 0));
}

TEST_CASE("decode tile: the last of its strided runs lies in memory too") {
  eva_descriptor descriptor = decode_tile();
  descriptor.tokens = 3;
  descriptor.activation_stride = 0x1000;
  descriptor.activation_address = memory_end - 0x2000 - 512;
  CHECK(check(descriptor) == none);
  descriptor.activation_address += 2;
  CHECK(check(descriptor) == Fault(EVA_ERROR_ADDRESS, 0x8FFFDE02));
  descriptor.activation_address = memory;
  descriptor.activation_stride = 0xFFFFFFFE;
  CHECK(check(descriptor) == Fault(EVA_ERROR_ADDRESS, 0x80000000));
}

TEST_CASE("decode tile: an operand that wraps around the address space is outside") {
  DescriptorLimits limits = reference_limits();
  limits.memory = AddressRange::from_size(0xFFFFFFFF00000000, 1ULL << 32);
  eva_descriptor descriptor = decode_tile();
  descriptor.activation_address = 0xFFFFFFFF00000000;
  descriptor.weight_address = 0xFFFFFFFF00010000;
  descriptor.scale_address = 0xFFFFFFFFFFFFFE00;
  descriptor.output_address = 0xFFFFFFFFFFFFFFC0;
  CHECK(check(descriptor, limits) == Fault(EVA_ERROR_ADDRESS, 0xFFFFFFFFFFFFFFC0));
}

TEST_CASE("decode tile: scales and outputs are looked at only with LAST") {
  eva_descriptor descriptor = decode_tile();
  descriptor.flags = EVA_FLAG_FIRST;
  descriptor.scale_address = 0;
  descriptor.output_address = 1;
  CHECK(check(descriptor) == none);
  descriptor.flags |= EVA_FLAG_LAST;
  CHECK(check(descriptor) == Fault(EVA_ERROR_ADDRESS, 0));
}

// Prefill tiles

TEST_CASE("prefill tile: shapes that are too small or too large are told with the value") {
  const auto shape = [](auto field, std::uint64_t value) {
    return check(with(prefill_tile(), field, value), ample_limits());
  };
  CHECK(shape(&eva_descriptor::tokens, 0) == Fault(EVA_ERROR_SHAPE, 0));
  CHECK(shape(&eva_descriptor::tokens, 1024) == none);
  CHECK(shape(&eva_descriptor::tokens, 1025) == Fault(EVA_ERROR_SHAPE, 1025));
  CHECK(shape(&eva_descriptor::tokens, 65535) == Fault(EVA_ERROR_SHAPE, 65535));
  CHECK(shape(&eva_descriptor::rows, 0) == Fault(EVA_ERROR_SHAPE, 0));
  CHECK(shape(&eva_descriptor::rows, 65535) == none);
  CHECK(shape(&eva_descriptor::columns, 0) == Fault(EVA_ERROR_SHAPE, 0));
  CHECK(shape(&eva_descriptor::columns, 33) == Fault(EVA_ERROR_SHAPE, 33));
  CHECK(shape(&eva_descriptor::columns, 0xFFFFFFFF) == Fault(EVA_ERROR_SHAPE, 4294967295));
}

TEST_CASE("prefill tile: only the last one may end inside a block of 32 inputs") {
  eva_descriptor descriptor = with(prefill_tile(), &eva_descriptor::rows, 33);
  CHECK(check(descriptor) == none);
  descriptor.flags = EVA_FLAG_FIRST;
  CHECK(check(descriptor) == Fault(EVA_ERROR_SHAPE, 33));
}

TEST_CASE("prefill tile: its INT32 sums fit the output codebook buffer") {
  DescriptorLimits limits = reference_limits();
  limits.output_codebook = Bytes(8192);
  CHECK(check(prefill_tile(), limits) == none);
  limits.output_codebook = Bytes(8191);
  CHECK(check(prefill_tile(), limits) == Fault(EVA_ERROR_OUTPUT_CODEBOOK_CAPACITY, 8192));
}

TEST_CASE("prefill tile: operands and strides are aligned to their blocks") {
  const auto at = [](auto field, std::uint64_t value) {
    return check(with(prefill_tile(), field, value));
  };
  CHECK(at(&eva_descriptor::activation_address, 0x80000020) == none);
  CHECK(at(&eva_descriptor::activation_address, 0x80000010) ==
        Fault(EVA_ERROR_ALIGNMENT, 0x80000010));
  CHECK(at(&eva_descriptor::activation_stride, 2080) == none);
  CHECK(at(&eva_descriptor::activation_stride, 2064) == Fault(EVA_ERROR_ALIGNMENT, 2064));
  CHECK(at(&eva_descriptor::weight_address, 0x80000040) == none);
  CHECK(at(&eva_descriptor::weight_address, 0x80000020) == Fault(EVA_ERROR_ALIGNMENT, 0x80000020));
  CHECK(at(&eva_descriptor::scale_address, 0x80000004) == none);
  CHECK(at(&eva_descriptor::scale_address, 0x80000002) == Fault(EVA_ERROR_ALIGNMENT, 0x80000002));
  CHECK(at(&eva_descriptor::output_address, 0x80000020) == none);
  CHECK(at(&eva_descriptor::output_address, 0x80000010) == Fault(EVA_ERROR_ALIGNMENT, 0x80000010));
}

TEST_CASE("prefill tile: each operand lies in memory to its last byte") {
  const auto at = [](auto field, std::uint64_t value) {
    return check(with(prefill_tile(), field, value));
  };
  CHECK(at(&eva_descriptor::activation_address, memory_end - 4096) == none);
  CHECK(at(&eva_descriptor::activation_address, memory_end - 4064) ==
        Fault(EVA_ERROR_ADDRESS, 0x8FFFF020));
  CHECK(at(&eva_descriptor::weight_address, memory_end - 2048) == none);
  CHECK(at(&eva_descriptor::weight_address, memory_end - 1984) ==
        Fault(EVA_ERROR_ADDRESS, 0x8FFFF840));
  CHECK(at(&eva_descriptor::scale_address, memory_end - 128) == none);
  CHECK(at(&eva_descriptor::scale_address, memory_end - 124) ==
        Fault(EVA_ERROR_ADDRESS, 0x8FFFFF84));
  CHECK(at(&eva_descriptor::output_address, memory_end - 4096) == none);
  CHECK(at(&eva_descriptor::output_address, memory_end - 4064) ==
        Fault(EVA_ERROR_ADDRESS, 0x8FFFF020));
}

TEST_CASE("prefill tile: INT8 outputs take half the room of FP16 outputs") {
  eva_descriptor descriptor = prefill_tile();
  descriptor.output_address = memory_end - 2048;
  CHECK(check(descriptor) == Fault(EVA_ERROR_ADDRESS, 0x8FFFF800));
  descriptor.flags |= EVA_FLAG_INT8_OUTPUT;
  CHECK(check(descriptor) == none);
}

TEST_CASE("prefill tile: 131071 inputs over several tiles are accepted") {
  OpenSum sum;
  eva_descriptor descriptor = prefill_tile();
  descriptor.rows = 65504;
  descriptor.flags = EVA_FLAG_FIRST;
  CHECK(check(descriptor, sum) == none);
  descriptor.flags = 0;
  CHECK(check(descriptor, sum) == none);
  descriptor.rows = 63;
  descriptor.flags = EVA_FLAG_LAST;
  CHECK(check(descriptor, sum) == none);
}

TEST_CASE("prefill tile: 131072 inputs over several tiles could overflow INT32") {
  OpenSum sum;
  eva_descriptor descriptor = prefill_tile();
  descriptor.rows = 65504;
  descriptor.flags = EVA_FLAG_FIRST;
  CHECK(check(descriptor, sum) == none);
  descriptor.flags = 0;
  CHECK(check(descriptor, sum) == none);
  descriptor.rows = 64;
  descriptor.flags = EVA_FLAG_LAST;
  CHECK(check(descriptor, sum) == Fault(EVA_ERROR_ACCUMULATOR, 131072));
}

TEST_CASE("prefill tile: every sum counts its inputs from 0") {
  OpenSum sum;
  eva_descriptor descriptor = prefill_tile();
  for (int i = 0; i < 3; ++i) {
    descriptor.rows = 65504;
    descriptor.flags = EVA_FLAG_FIRST;
    CHECK(check(descriptor, sum) == none);
    descriptor.flags = EVA_FLAG_LAST;
    CHECK(check(descriptor, sum) == none);
  }
}

// Sequences

TEST_CASE("sequence: tiles from FIRST to LAST make a sum") {
  for (eva_descriptor descriptor : {decode_tile(), prefill_tile()}) {
    CAPTURE(descriptor.opcode);
    OpenSum sum;
    for (const unsigned flags : {EVA_FLAG_FIRST, 0U, 0U, EVA_FLAG_LAST, EVA_FLAG_FIRST}) {
      CHECK(check(with(descriptor, &eva_descriptor::flags, flags), sum) == none);
    }
  }
}

TEST_CASE("sequence: a tile that continues nothing is told with its flags") {
  CHECK(check(with(decode_tile(), &eva_descriptor::flags, EVA_FLAG_LAST)) ==
        Fault(EVA_ERROR_SEQUENCE, 2));
  CHECK(check(with(prefill_tile(), &eva_descriptor::flags, EVA_FLAG_FENCE)) ==
        Fault(EVA_ERROR_SEQUENCE, 4));
}

TEST_CASE("sequence: after a LAST there is nothing to continue, however long the sum was") {
  OpenSum sum;
  eva_descriptor descriptor = prefill_tile();
  descriptor.rows = 65504;
  descriptor.flags = EVA_FLAG_FIRST;
  CHECK(check(descriptor, sum) == none);
  descriptor.flags = EVA_FLAG_LAST;
  CHECK(check(descriptor, sum) == none);
  CHECK(check(descriptor, sum) == Fault(EVA_ERROR_SEQUENCE, 2));
}

TEST_CASE("sequence: a FIRST inside a sum is refused") {
  OpenSum sum;
  CHECK(check(with(decode_tile(), &eva_descriptor::flags, EVA_FLAG_FIRST), sum) == none);
  CHECK(check(decode_tile(), sum) == Fault(EVA_ERROR_SEQUENCE, 3));
}

TEST_CASE("sequence: a sum keeps its tokens, columns and opcode") {
  OpenSum open;
  CHECK(check(with(decode_tile(), &eva_descriptor::flags, EVA_FLAG_FIRST), open) == none);
  const eva_descriptor next = with(decode_tile(), &eva_descriptor::flags, 0);
  OpenSum sum = open;
  CHECK(check(with(next, &eva_descriptor::tokens, 2), sum) == Fault(EVA_ERROR_SEQUENCE, 0));
  sum = open;
  CHECK(check(with(next, &eva_descriptor::columns, 255), sum) == Fault(EVA_ERROR_SEQUENCE, 0));
  sum = open;
  eva_descriptor other_kind = with(prefill_tile(), &eva_descriptor::flags, 0);
  other_kind.tokens = 1;
  CHECK(check(other_kind, sum) == Fault(EVA_ERROR_SEQUENCE, 0));
}

TEST_CASE("sequence: tiles of a sum may differ in rows, vector length and index bits") {
  OpenSum sum;
  CHECK(check(with(decode_tile(), &eva_descriptor::flags, EVA_FLAG_FIRST), sum) == none);
  eva_descriptor descriptor = decode_tile();
  descriptor.flags = EVA_FLAG_LAST;
  descriptor.rows = 7;
  descriptor.vector_length = 4;
  descriptor.index_bits = 4;
  CHECK(check(descriptor, sum) == none);
}

TEST_CASE("sequence: a codebook load or a nop inside a sum does not end it") {
  OpenSum sum;
  CHECK(check(with(decode_tile(), &eva_descriptor::flags, EVA_FLAG_FIRST), sum) == none);
  CHECK(check(load_codebook(), sum) == none);
  CHECK(check(nop(), sum) == none);
  CHECK(check(with(decode_tile(), &eva_descriptor::flags, EVA_FLAG_LAST), sum) == none);
}

TEST_CASE("sequence: a refused tile leaves the sum as it was") {
  OpenSum sum;
  eva_descriptor descriptor = with(prefill_tile(), &eva_descriptor::flags, EVA_FLAG_FIRST);
  CHECK(check(descriptor, sum) == none);
  descriptor.flags = EVA_FLAG_LAST;
  CHECK(check(with(descriptor, &eva_descriptor::weight_address, 0), sum) ==
        Fault(EVA_ERROR_ADDRESS, 0));
  CHECK(sum.open);
  CHECK(sum.inputs == 64);
  CHECK(check(descriptor, sum) == none);
  CHECK_FALSE(sum.open);
}

TEST_CASE("command: every field of the descriptor arrives") {
  eva_descriptor descriptor{};
  descriptor.opcode = EVA_OP_PREFILL_TILE;
  descriptor.flags = EVA_FLAG_LAST | EVA_FLAG_INTERRUPT;
  descriptor.layer = 1;
  descriptor.vector_length = 2;
  descriptor.index_bits = 3;
  descriptor.activation_address = 4;
  descriptor.weight_address = 5;
  descriptor.scale_address = 6;
  descriptor.output_address = 0x700000000;
  descriptor.activation_stride = 8;
  descriptor.weight_stride = 9;
  descriptor.output_stride = 10;
  descriptor.codebook_offset = 11;
  descriptor.tokens = 12;
  descriptor.rows = 13;
  descriptor.columns = 14;
  const eva::TileCommand command = eva::command_of(descriptor);
  CHECK(command.opcode == eva::Opcode::prefill_tile);
  CHECK_FALSE(command.first);
  CHECK(command.last);
  CHECK_FALSE(command.fence);
  CHECK(command.interrupt);
  CHECK_FALSE(command.int8_output);
  CHECK(command.layer == 1);
  CHECK(command.vector_length == 2);
  CHECK(command.index_bits == 3);
  CHECK(command.activation_address == 4);
  CHECK(command.weight_address == 5);
  CHECK(command.scale_address == 6);
  CHECK(command.output_address == 0x700000000);
  CHECK(command.activation_stride == 8);
  CHECK(command.weight_stride == 9);
  CHECK(command.output_stride == 10);
  CHECK(command.codebook_offset == 11);
  CHECK(command.tokens == 12);
  CHECK(command.rows == 13);
  CHECK(command.columns == 14);
}
