// How the firmware cuts layers into tiles, and what it refuses.
#include <catch2/catch.hpp>

#include "eva/plan.h"

namespace {

eva_capabilities reference_chip() {
  eva_capabilities chip{};
  chip.array_rows = 32;
  chip.array_columns = 8;
  chip.epilogue_units = 4;
  chip.memory_port_bytes = 128;
  chip.chunk_columns = 64;
  chip.input_bytes = 32 * 1024;
  chip.codebook_bytes = 16 * 1024;
  chip.weight_bytes = 256 * 1024;
  chip.output_codebook_bytes = 192 * 1024;
  chip.output_bytes = 32 * 1024;
  return chip;
}

eva_layer decode(std::uint32_t tokens, std::uint32_t inputs, std::uint32_t outputs,
                 std::uint32_t codebooks = 2, std::uint16_t vector_length = 8,
                 std::uint16_t index_bits = 8) {
  eva_layer layer{};
  layer.form = EVA_FORM_DECODE;
  layer.tokens = tokens;
  layer.inputs = inputs;
  layer.outputs = outputs;
  layer.codebooks = codebooks;
  layer.vector_length = vector_length;
  layer.index_bits = index_bits;
  return layer;
}

eva_decode_plan plan_of(const eva_layer& layer, const eva_capabilities& chip = reference_chip()) {
  eva_decode_plan plan{};
  eva_problem problem{};
  REQUIRE(eva_plan_decode(&chip, &layer, &plan, &problem) == EVA_OK);
  return plan;
}

struct Refusal {
  int result;
  eva_problem problem;
};

Refusal refusal_of(const eva_layer& layer) {
  const eva_capabilities chip = reference_chip();
  Refusal refusal{};
  if (layer.form == EVA_FORM_DECODE) {
    eva_decode_plan plan{};
    refusal.result = eva_plan_decode(&chip, &layer, &plan, &refusal.problem);
  } else {
    eva_prefill_plan plan{};
    refusal.result = eva_plan_prefill(&chip, &layer, &plan, &refusal.problem);
  }
  return refusal;
}

}  // namespace

TEST_CASE("plan: one token uses all four epilogue units, one row group each") {
  const eva_decode_plan plan = plan_of(decode(1, 4096, 4096));
  REQUIRE(plan.tiling_count == 1);
  CHECK(plan.tilings[0].tokens == 1);
  CHECK(plan.tilings[0].row_groups == 4);
  CHECK(plan.tilings[0].columns == 4096);
  CHECK(plan.cycles == 33952);  // 1184 for the first product, 8 passes of 4096 columns
}

TEST_CASE("plan: outputs beyond the output buffer are cut into tiles of equal width") {
  CHECK(plan_of(decode(1, 4096, 22016)).tilings[0].columns == 7360);  // 3 tiles, whole chunks
}

TEST_CASE("plan: four tokens share the weight indices, one epilogue unit each") {
  const eva_decode_plan plan = plan_of(decode(4, 4096, 4096));
  REQUIRE(plan.tiling_count == 1);
  CHECK(plan.tilings[0].tokens == 4);
  CHECK(plan.tilings[0].row_groups == 1);
}

TEST_CASE("plan: thirty-three tokens cost what thirty-two and one cost, not twice as much") {
  const std::uint64_t one = plan_of(decode(1, 4096, 4096)).cycles;
  const std::uint64_t thirty_two = plan_of(decode(32, 4096, 4096)).cycles;
  CHECK(plan_of(decode(33, 4096, 4096)).cycles <= thirty_two + one);
}

TEST_CASE("plan: a codebook of 1024 entries just fits and gets fewer rows per tile") {
  const eva_decode_plan plan = plan_of(decode(1, 4096, 4096, 1, 8, 10));
  CHECK(plan.tilings[0].row_groups < 4);
  CHECK(std::uint64_t{plan.tilings[0].row_groups} * 32 * 1024 * 2 <= 192 * 1024);
}

TEST_CASE("plan: codebooks that do not fit are refused with the buffer, what it needs and has") {
  const auto expect = [](const eva_layer& layer, std::uint64_t needed) {
    const Refusal refusal = refusal_of(layer);
    CHECK(refusal.result == EVA_FAILED_CAPACITY);
    CHECK(std::string(refusal.problem.what) == "codebook buffer");
    CHECK(refusal.problem.found == needed);
    CHECK(refusal.problem.limit == 16384);
  };
  expect(decode(1, 4096, 4096, 1, 8, 12), 65536);
  expect(decode(1, 4096, 4096, 1, 8, 16), 1048576);
  expect(decode(1, 4096, 4096, 5, 8, 8), 20480);
  expect(decode(1, 4096, 4096, 1, 8, 11), 32768);
  CHECK(refusal_of(decode(1, 4096, 4096, 4, 8, 8)).result == EVA_OK);  // fits exactly
}

TEST_CASE("plan: shapes that no tile can have are refused") {
  const auto refused = [](const eva_layer& layer) {
    return refusal_of(layer).result == EVA_FAILED_SHAPE;
  };
  CHECK(refused(decode(65, 4096, 4096)));
  CHECK(refused(decode(1, 0, 4096)));
  CHECK(refused(decode(1, 4096, 0)));
  CHECK(refused(decode(1, 11004, 4096)));  // not a multiple of d = 8
  CHECK(refused(decode(1, 4096, 4096, 2, 6)));
  CHECK(refused(decode(1, 4096, 4096, 2, 0)));
  CHECK(refused(decode(1, 4096, 4096, 2, 64)));
  CHECK(refused(decode(1, 4096, 4096, 0)));
  CHECK(refused(decode(1, 4096, 4096, 2, 8, 17)));
  CHECK(refused(decode(65536, 4096, 65536)));
  CHECK(refused(decode(1, 4096, 0xffffffff)));  // strides of more than 32 bits
}

TEST_CASE("plan: INT8 sums that could leave INT32 are refused") {
  eva_layer layer{};
  layer.form = EVA_FORM_PREFILL;
  layer.tokens = 4;
  layer.outputs = 32;
  layer.inputs = 131071;
  CHECK(refusal_of(layer).result == EVA_OK);
  layer.inputs = 131072;
  CHECK(refusal_of(layer).result == EVA_FAILED_SHAPE);
  CHECK(refusal_of(layer).problem.limit == 131071);
  layer.inputs = 0;
  CHECK(refusal_of(layer).result == EVA_FAILED_SHAPE);
}

TEST_CASE("plan: a layer without tokens has no tiles") {
  CHECK(plan_of(decode(0, 4096, 4096)).tiling_count == 0);
}

TEST_CASE("plan: estimated cycles never fall when tokens, inputs or outputs grow") {
  for (const std::uint32_t units : {1U, 2U, 3U, 4U, 8U, 16U}) {
    eva_capabilities chip = reference_chip();
    chip.epilogue_units = units;
    std::uint64_t previous = 0;
    for (std::uint32_t tokens = 1; tokens <= 64; ++tokens) {
      const std::uint64_t cycles = plan_of(decode(tokens, 1024, 3000), chip).cycles;
      CHECK(cycles >= previous);
      previous = cycles;
    }
    previous = 0;
    for (std::uint32_t inputs = 8; inputs <= 8192; inputs += 120) {
      const std::uint64_t cycles = plan_of(decode(3, inputs, 3000), chip).cycles;
      CHECK(cycles >= previous);
      previous = cycles;
    }
    previous = 0;
    for (std::uint32_t outputs = 1; outputs <= 20000; outputs += 331) {
      const std::uint64_t cycles = plan_of(decode(3, 1024, outputs), chip).cycles;
      CHECK(cycles >= previous);
      previous = cycles;
    }
  }
}
