#include "golden/golden.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace {

using Catch::Matchers::Contains;
using eva::golden::CodebookOrder;
using eva::golden::decode;
using eva::golden::DecodeOrder;
using eva::golden::DecodeProblem;
using eva::golden::DecodeResult;
using eva::golden::int8_to_fp16;
using eva::golden::int8_to_int8;
using eva::golden::Int8Problem;
using eva::golden::ProductAccumulation;
using eva::golden::SumPrecision;

using Fp16s = std::vector<std::uint16_t>;
using Int8s = std::vector<std::int8_t>;

constexpr std::uint16_t one = 0x3C00;
constexpr std::uint16_t infinity = 0x7C00;
constexpr std::uint16_t not_a_number = 0x7E00;

/// One token, one output, one codebook: a single element x . b, times `scale`.
DecodeResult element(const Fp16s& x, const Fp16s& b, ProductAccumulation products,
                     std::uint16_t scale = one) {
  DecodeProblem problem{1, x.size(), 1, x.size(), 1, 1, 0, x, b, {0}, {scale}};
  problem.codebook_entries.resize(2 * x.size());
  DecodeOrder order;
  order.products = products;
  order.rows_per_tile = {32};
  return decode(problem, order);
}

std::uint16_t aligned(const Fp16s& x, const Fp16s& b) {
  return element(x, b, ProductAccumulation::int32_aligned).outputs[0];
}

std::uint16_t fp32(const Fp16s& x, const Fp16s& b) {
  return element(x, b, ProductAccumulation::fp32).outputs[0];
}

/// The number carried through product, output codebook, tree, accumulator and scale.
std::uint16_t carried(std::uint16_t x) {
  return aligned({x}, {one});
}

/// One output that adds the rows' values: row r has activation rows[r] and the vector {1}.
DecodeProblem sum_of_rows(const Fp16s& rows, std::uint16_t scale = one) {
  return {1, rows.size(), 1, 1, 1, 1, 0, rows, {one, 0}, Fp16s(rows.size()), {scale}};
}

DecodeOrder tiles_of(std::vector<std::size_t> rows_per_tile) {
  DecodeOrder order;
  order.rows_per_tile = std::move(rows_per_tile);
  return order;
}

/// Two rows and two codebooks: codebook 0 gives 32768 and then 2^-10, codebook 1 -32768 and then 0.
/// In FP32, 32768 + 2^-10 = 32768.
DecodeProblem cancelling_codebooks(std::size_t tokens) {
  const Fp16s codebooks = {0x7800, 0x1400, 0xF800, 0};
  return {tokens, 2, 1, 1, 1, 2, 0, Fp16s(2 * tokens, one), codebooks, {0, 0, 1, 1}, {one}};
}

Int8Problem dot_product(const Int8s& x, const Int8s& w, float scale) {
  return {1, x.size(), 1, x, w, {scale}};
}

std::int8_t rounded(const Int8s& x, const Int8s& w, float scale) {
  return int8_to_int8(dot_product(x, w, scale)).at(0);
}

}  // namespace

TEST_CASE("golden decode carries every finite FP16 class unchanged") {
  const std::uint16_t bits = GENERATE(as<std::uint16_t>{}, 0x0000, 0x0001, 0x03FF, 0x0400, 0x3C00,
                                      0x7BFF, 0x8001, 0x83FF, 0x8400, 0xBC00, 0xFBFF);
  CHECK(carried(bits) == bits);
}

TEST_CASE("golden decode carries infinities without reporting an overflow") {
  CHECK(carried(0x7C00) == 0x7C00);
  CHECK(carried(0xFC00) == 0xFC00);
  CHECK_FALSE(element({infinity}, {one}, ProductAccumulation::int32_aligned).overflow);
}

TEST_CASE("golden decode writes every NaN as 0x7E00") {
  CHECK(carried(0x7C01) == 0x7E00);
  CHECK(carried(0x7FFF) == 0x7E00);
  CHECK(carried(0xFE00) == 0x7E00);
}

TEST_CASE("golden decode rounds an element half to even, subnormals kept") {
  CHECK(aligned({0x0001}, {0x3800}) == 0x0000);            // 0.5 * 2^-24
  CHECK(aligned({0x0003}, {0x3800}) == 0x0002);            // 1.5 * 2^-24
  CHECK(aligned({0x0005}, {0x3800}) == 0x0002);            // 2.5 * 2^-24
  CHECK(aligned({0x0001}, {0x3801}) == 0x0001);            // just above half
  CHECK(aligned({0x07FF}, {0x3800}) == 0x0400);            // the largest subnormal and a half
  CHECK(aligned({one, 0x1000}, {one, one}) == 0x3C00);     // 1 + 2^-11
  CHECK(aligned({0x3C01, 0x1000}, {one, one}) == 0x3C02);  // 1 + 3 * 2^-11
}

TEST_CASE("golden decode makes a sum of negative zeros a positive zero") {
  CHECK(aligned({0x8000, 0x8000}, {one, one}) == 0x0000);
  CHECK(fp32({0x8000, 0x8000}, {one, one}) == 0x0000);
}

TEST_CASE("golden decode keeps the sign of a zero that the scale gives") {
  CHECK(element({0}, {one}, ProductAccumulation::int32_aligned, 0xBC00).outputs == Fp16s{0x8000});
}

TEST_CASE("golden decode keeps 65504 finite and overflows at 65520") {
  const auto products = GENERATE(ProductAccumulation::int32_aligned, ProductAccumulation::fp32);
  // 65504 + 15 lies below the midpoint 65520 of 65504 and 2^16.
  const DecodeResult largest = element({0x7BFF, 0x4B80}, {one, one}, products);
  CHECK(largest.outputs == Fp16s{0x7BFF});
  CHECK_FALSE(largest.overflow);
  const DecodeResult beyond = element({0x7BFF, 0x4C00}, {one, one}, products);
  CHECK(beyond.outputs == Fp16s{0x7C00});
  CHECK(beyond.overflow);
}

TEST_CASE("golden decode overflows an output codebook to infinity") {
  const DecodeResult result = element(Fp16s(8, 0x5C00), Fp16s(8, 0x5400),  // 8 * 256 * 64 = 2^17
                                      ProductAccumulation::int32_aligned);
  CHECK(result.outputs == Fp16s{0x7C00});
  CHECK(result.overflow);
}

TEST_CASE("golden decode makes a NaN of two codebooks that overflow to opposite infinities") {
  DecodeProblem problem{1, 8, 1, 8, 1, 2, 0, Fp16s(8, 0x5C00), Fp16s(32), {0, 0}, {one}};
  for (std::size_t k = 0; k < 8; ++k) {
    problem.codebook_entries[k] = 0x5400;       // codebook 0, entry 0
    problem.codebook_entries[16 + k] = 0xD400;  // codebook 1, entry 0
  }
  const DecodeResult result = decode(problem, tiles_of({32}));
  CHECK(result.outputs == Fp16s{0x7E00});
  CHECK(result.overflow);
}

TEST_CASE("golden decode makes a NaN of infinity times zero and of opposite infinities") {
  const auto products = GENERATE(ProductAccumulation::int32_aligned, ProductAccumulation::fp32);
  CHECK(element({infinity}, {0}, products).outputs == Fp16s{0x7E00});
  CHECK(element({infinity, 0xFC00}, {one, one}, products).outputs == Fp16s{0x7E00});
  CHECK_FALSE(element({infinity, 0xFC00}, {one, one}, products).overflow);
}

TEST_CASE("golden decode lets one infinite product decide the element") {
  const auto products = GENERATE(ProductAccumulation::int32_aligned, ProductAccumulation::fp32);
  CHECK(element({0x7BFF, 0xFC00, 0x7BFF}, {0x7BFF, one, 0x7BFF}, products).outputs ==
        Fp16s{0xFC00});
}

TEST_CASE("golden decode poisons only the outputs that look up a NaN") {
  const DecodeProblem problem{1, 1, 2, 1, 1, 1, 0, {one}, {not_a_number, one}, {0, 1}, {one, one}};
  const DecodeResult result = decode(problem, tiles_of({32}));
  CHECK(result.outputs == Fp16s{0x7E00, 0x3C00});
  CHECK_FALSE(result.overflow);
}

TEST_CASE("golden decode keeps 4 guard bits below the largest product") {
  // 1 * 1 = 2^20 * 2^-20: the accumulator's unit is 2^-24, so 1 + 2^-11 + 2^-24 is exact, above the
  // midpoint of 1 and 1 + 2^-10. FP32 has the unit 2^-23 and rounds to the midpoint.
  CHECK(aligned({one, 0x1000, 0x0001}, {one, one, one}) == 0x3C01);
  CHECK(fp32({one, 0x1000, 0x0001}, {one, one, one}) == 0x3C00);
}

TEST_CASE("golden decode truncates a smaller product towards zero") {
  // 2^-24 * 1.5 = 1536 * 2^-34: the accumulator's unit is 2^-38, so -2^-24 * 2^-15 = -2^-39 becomes
  // 0 and 1.5 * 2^-24 rounds to even, 2 * 2^-24. FP32 keeps 1.5 * 2^-24 - 2^-39, nearest 2^-24.
  CHECK(aligned({0x0001, 0x0001}, {0x3E00, 0x8200}) == 0x0002);
  CHECK(fp32({0x0001, 0x0001}, {0x3E00, 0x8200}) == 0x0001);
}

TEST_CASE("golden decode truncates the sum towards zero when a larger product follows") {
  // The example above in the other order: now the sum -2^-39 is shifted right by 14 bits.
  CHECK(aligned({0x0001, 0x0001}, {0x8200, 0x3E00}) == 0x0002);
  CHECK(fp32({0x0001, 0x0001}, {0x8200, 0x3E00}) == 0x0001);
}

TEST_CASE("golden decode drops a product that lies more than 31 bits below the largest") {
  // 2^15 * 2^15 has exponent 10, 2^-24 * 1 has exponent -34.
  CHECK(aligned({0x0001, 0x7800, 0x7800}, {one, 0x7800, 0xF800}) == 0x0000);
  CHECK(aligned({0x7800, 0x0001, 0x7800}, {0x7800, one, 0xF800}) == 0x0000);
  CHECK(aligned({0x7800, 0x7800, 0x0001}, {0x7800, 0xF800, one}) == 0x0000);
}

TEST_CASE("golden decode does not align to a zero product") {
  // 0 * 2^15 has exponent -19, 2^-24 * 1 has exponent -34: a shift by 15 bits would lose it.
  CHECK(aligned({0x0000, 0x0001}, {0x7800, one}) == 0x0001);
  CHECK(aligned({0x0001, 0x0000}, {one, 0x7800}) == 0x0001);
}

TEST_CASE("golden decode adds 32 products of the largest significands without wrapping") {
  // 32 * (2047 / 1024)^2 = 127.87503..., nearest 127.875
  CHECK(aligned(Fp16s(32, 0x3FFF), Fp16s(32, 0x3FFF)) == 0x57FE);
  CHECK(aligned(Fp16s(32, 0x3FFF), Fp16s(32, 0xBFFF)) == 0xD7FE);
}

TEST_CASE("golden decode adds lane i and lane i + 16 first") {
  // 32768 in row 0 and -32768 in row 16 cancel before 2^-10 of row 1 can get lost.
  Fp16s rows(17);
  rows[0] = 0x7800;
  rows[1] = 0x1400;
  rows[16] = 0xF800;
  CHECK(decode(sum_of_rows(rows), tiles_of({32})).outputs == Fp16s{0x1400});
}

TEST_CASE("golden decode adds the rows of a partial row group") {
  CHECK(decode(sum_of_rows(Fp16s(33, one)), tiles_of({64})).outputs == Fp16s{0x5020});  // 33
  CHECK(decode(sum_of_rows(Fp16s(33, one)), tiles_of({7})).outputs == Fp16s{0x5020});
}

TEST_CASE("golden decode starts a row group at each row tile") {
  // As one group, rows 0 and 16 cancel; in tiles of 16 rows, 32768 + 2^-10 is rounded first.
  Fp16s rows(17);
  rows[0] = 0x7800;
  rows[1] = 0x1400;
  rows[16] = 0xF800;
  CHECK(decode(sum_of_rows(rows), tiles_of({16})).outputs == Fp16s{0x0000});
}

TEST_CASE("golden decode adds codebooks inside or outside the row tiles") {
  DecodeOrder order = tiles_of({1});
  order.order = CodebookOrder::inner;  // 32768 - 32768 + 2^-10 + 0
  CHECK(decode(cancelling_codebooks(1), order).outputs == Fp16s{0x1400});
  order.order = CodebookOrder::outer;  // 32768 + 2^-10 - 32768 + 0
  CHECK(decode(cancelling_codebooks(1), order).outputs == Fp16s{0x0000});
}

TEST_CASE("golden decode tiles each token on its own") {
  CHECK(decode(cancelling_codebooks(3), tiles_of({1, 2, 32})).outputs ==
        Fp16s{0x1400, 0x0000, 0x0000});
  CHECK(decode(cancelling_codebooks(3), tiles_of({2, 1, 1})).outputs ==
        Fp16s{0x0000, 0x1400, 0x1400});
}

TEST_CASE("golden decode gives each token its own activations") {
  const DecodeProblem problem{3, 1, 1, 1, 1, 1, 0, {0x3C00, 0x4000, 0xC200}, {one, 0}, {0}, {one}};
  CHECK(decode(problem, tiles_of({1, 1, 1})).outputs == Fp16s{0x3C00, 0x4000, 0xC200});
}

TEST_CASE("golden decode looks up each row, output and codebook in its own place") {
  // Entries of codebook 0: 1, 2; of codebook 1: 16, 32. Rows weigh 1 and 4.
  const Fp16s codebooks = {0x3C00, 0x4000, 0x4C00, 0x5000};
  const Fp16s indices = {0, 0, 1, 0, 0, 1,   // row 0
                         1, 1, 0, 0, 1, 0};  // row 1
  const DecodeProblem problem{
      1, 2, 3, 1, 1, 2, 0, {one, 0x4400}, codebooks, indices, Fp16s(3, one)};
  // 1 + 16 + 8 + 128 = 153; 2 + 16 + 4 + 64 = 86; 1 + 32 + 8 + 64 = 105
  CHECK(decode(problem, tiles_of({32})).outputs == Fp16s{0x58C8, 0x5560, 0x5690});
}

TEST_CASE("golden decode gives each group of outputs its own codebooks") {
  const DecodeProblem problem{
      1, 1, 3, 1, 1, 1, 2, {one}, {0x3C00, 0, 0x4000, 0}, {0, 0, 0}, {one, one, one}};
  CHECK(decode(problem, tiles_of({1})).outputs == Fp16s{0x3C00, 0x3C00, 0x4000});
}

TEST_CASE("golden decode rounds every addition of an FP16 tree") {
  // Lanes: (2048 + 1) + (1 + 0); in FP16, 2048 + 1 = 2048.
  DecodeOrder order = tiles_of({32});
  CHECK(decode(sum_of_rows({0x6800, one, one}), order).outputs == Fp16s{0x6801});
  order.tree = SumPrecision::fp16;
  CHECK(decode(sum_of_rows({0x6800, one, one}), order).outputs == Fp16s{0x6800});
}

TEST_CASE("golden decode rounds every addition to FP16 outputs") {
  DecodeOrder order = tiles_of({1});
  CHECK(decode(sum_of_rows({0x6800, one, one}), order).outputs == Fp16s{0x6801});
  order.outputs = SumPrecision::fp16;
  CHECK(decode(sum_of_rows({0x6800, one, one}), order).outputs == Fp16s{0x6800});
}

TEST_CASE("golden decode reports the overflow of an FP16 tree or accumulator") {
  const DecodeProblem problem = sum_of_rows({0x7BFF, 0x7BFF}, 0x3800);  // (65504 + 65504) * 0.5
  DecodeOrder order = tiles_of({1});
  CHECK(decode(problem, order).outputs == Fp16s{0x7BFF});
  CHECK_FALSE(decode(problem, order).overflow);
  order.outputs = SumPrecision::fp16;
  CHECK(decode(problem, order).outputs == Fp16s{0x7C00});
  CHECK(decode(problem, order).overflow);
  order = tiles_of({2});
  order.tree = SumPrecision::fp16;
  CHECK(decode(problem, order).outputs == Fp16s{0x7C00});
  CHECK(decode(problem, order).overflow);
}

TEST_CASE("golden decode reports the overflow of a scaled output") {
  const DecodeResult result =
      element({0x7BFF}, {one}, ProductAccumulation::int32_aligned, 0xC000);  // -2
  CHECK(result.outputs == Fp16s{0xFC00});
  CHECK(result.overflow);
}

TEST_CASE("golden decode rounds the scaled output to FP32 before FP16") {
  // (1 + 2^-11 - 2^-21) * (1 + 2^-10) = 1 + 3 * 2^-11 - 2^-31, in FP32 the midpoint 1 + 3 * 2^-11.
  CHECK(decode(sum_of_rows({one, 0x1000, 0x8008}, 0x3C01), tiles_of({32})).outputs ==
        Fp16s{0x3C02});
}

TEST_CASE("golden decode rejects a shape that does not fit, naming it") {
  DecodeProblem problem{1, 8, 1, 4, 1, 1, 0, Fp16s(8), Fp16s(8), Fp16s(2), {one}};
  DecodeOrder order = tiles_of({32});
  REQUIRE_NOTHROW(decode(problem, order));

  SECTION("vector_length 0") {
    problem.vector_length = 0;
    CHECK_THROWS_WITH(decode(problem, order), "golden decode: vector_length is 0, expected 1..32");
  }
  SECTION("vector_length 33") {
    problem.vector_length = 33;
    CHECK_THROWS_WITH(decode(problem, order), "golden decode: vector_length is 33, expected 1..32");
  }
  SECTION("index_bits 17") {
    problem.index_bits = 17;
    CHECK_THROWS_WITH(decode(problem, order), "golden decode: index_bits is 17, expected 1..16");
  }
  SECTION("no codebook") {
    problem.codebooks = 0;
    CHECK_THROWS_WITH(decode(problem, order), "golden decode: codebooks is 0, expected at least 1");
  }
  SECTION("inputs not a multiple of the vector length") {
    problem.inputs = 9;
    CHECK_THROWS_WITH(decode(problem, order),
                      "golden decode: inputs is 9, expected a multiple of vector_length = 4");
  }
  SECTION("activations") {
    problem.activations.pop_back();
    CHECK_THROWS_WITH(decode(problem, order),
                      "golden decode: size of activations is 7, expected 8 = tokens * inputs");
  }
  SECTION("codebook entries") {
    problem.codebook_entries.push_back(0);
    CHECK_THROWS_WITH(decode(problem, order),
                      Contains("size of codebook_entries is 9, expected 8"));
  }
  SECTION("codebook entries of a partial last group") {
    problem = {1, 1, 3, 1, 1, 1, 2, {one}, Fp16s(2), Fp16s(3), Fp16s(3)};
    CHECK_THROWS_WITH(decode(problem, order),
                      Contains("size of codebook_entries is 2, expected 4"));
  }
  SECTION("indices") {
    problem.indices.clear();
    CHECK_THROWS_WITH(decode(problem, order), Contains("size of indices is 0, expected 2"));
  }
  SECTION("scales") {
    problem.scales.clear();
    CHECK_THROWS_WITH(decode(problem, order), Contains("size of scales is 0, expected 1"));
  }
  SECTION("an index beyond the codebook") {
    problem.indices[1] = 2;
    CHECK_THROWS_WITH(decode(problem, order),
                      "golden decode: indices[1][0][0] is 2, expected below 2^index_bits = 2");
  }
  SECTION("one row tile size per token") {
    order.rows_per_tile = {32, 32};
    CHECK_THROWS_WITH(decode(problem, order), Contains("size of rows_per_tile is 2, expected 1"));
  }
  SECTION("an empty row tile") {
    order.rows_per_tile = {0};
    CHECK_THROWS_WITH(decode(problem, order),
                      "golden decode: rows_per_tile[0] is 0, expected at least 1");
  }
}

TEST_CASE("golden INT8 counts the extreme product exactly at any length") {
  const auto y = [](std::size_t inputs) {
    const Int8s extremes(inputs, -128);
    return int8_to_fp16(dot_product(extremes, extremes, 0x1p-14F)).at(0);
  };
  CHECK(y(1) == 0x3C00);
  CHECK(y(2) == 0x4000);
  CHECK(y(31) == 0x4FC0);
  CHECK(y(32) == 0x5000);
  CHECK(y(33) == 0x5020);
  CHECK(y(11008) == 0x7160);
}

TEST_CASE("golden INT8 does not wrap beyond 32 bits") {
  const Int8s extremes(140000, -128);  // acc = 2293760000; 2187.5 rounds to the multiple 2188 of 2
  CHECK(int8_to_fp16(dot_product(extremes, extremes, 0x1p-20F)) == Fp16s{0x6846});
}

TEST_CASE("golden INT8 rounds the sum to FP32 before it is scaled") {
  Int8s x(1025, -128);
  x[1024] = 1;
  Int8s w = x;  // acc = 2^24 + 1, in FP32 2^24
  CHECK(rounded(x, w, 0x1p-25F) == 0);
  w[1024] = 2;  // acc = 2^24 + 2
  CHECK(rounded(x, w, 0x1p-25F) == 1);
}

TEST_CASE("golden INT8 rounds half to even") {
  CHECK(rounded({1}, {1}, 0.5F) == 0);
  CHECK(rounded({3}, {1}, 0.5F) == 2);
  CHECK(rounded({5}, {1}, 0.5F) == 2);
  CHECK(rounded({-1}, {1}, 0.5F) == 0);
  CHECK(rounded({-3}, {1}, 0.5F) == -2);
  CHECK(rounded({127, 1}, {2, 1}, 0.5F) == 127);     // 127.5
  CHECK(rounded({-128, -1}, {2, 1}, 0.5F) == -128);  // -128.5
}

TEST_CASE("golden INT8 saturates and makes a NaN zero") {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  CHECK(rounded({127}, {127}, 1.0F) == 127);
  CHECK(rounded({-128}, {127}, 1.0F) == -128);
  CHECK(rounded({1}, {1}, infinite) == 127);
  CHECK(rounded({-1}, {1}, infinite) == -128);
  CHECK(rounded({0}, {1}, infinite) == 0);
  CHECK(rounded({1}, {1}, std::numeric_limits<float>::quiet_NaN()) == 0);
}

TEST_CASE("golden INT8 to FP16 rounds, overflows to infinity and writes NaN as 0x7E00") {
  const auto y = [](std::int8_t x, float scale) {
    return int8_to_fp16(dot_product({x}, {1}, scale)).at(0);
  };
  CHECK(y(1, 2049.0F) == 0x6800);
  CHECK(y(-1, 65519.0F) == 0xFBFF);
  CHECK(y(-1, 65520.0F) == 0xFC00);
  CHECK(y(-1, 0.0F) == 0x8000);
  CHECK(y(0, std::numeric_limits<float>::infinity()) == 0x7E00);
}

TEST_CASE("golden INT8 gives each token and output its own place") {
  const Int8Problem problem{2, 2, 3, {1, 2, 3, 4}, {1, 0, 0, 1, 1, 1}, {1.0F, 2.0F, -1.0F}};
  CHECK(int8_to_int8(problem) == Int8s{1, 4, -3, 3, 8, -7});
  CHECK(int8_to_fp16(problem) == Fp16s{0x3C00, 0x4400, 0xC200, 0x4200, 0x4800, 0xC700});
}

TEST_CASE("golden INT8 rejects a shape that does not fit, naming it") {
  Int8Problem problem{1, 2, 1, {1, 2}, {1, 2}, {1.0F}};
  SECTION("activations") {
    problem.activations.pop_back();
    CHECK_THROWS_WITH(int8_to_int8(problem),
                      "golden int8_to_int8: size of activations is 1, "
                      "expected 2 = tokens * inputs");
  }
  SECTION("weights") {
    problem.weights.push_back(0);
    CHECK_THROWS_WITH(int8_to_fp16(problem),
                      "golden int8_to_fp16: size of weights is 3, "
                      "expected 2 = outputs * inputs");
  }
  SECTION("scales") {
    problem.scales.clear();
    CHECK_THROWS_WITH(int8_to_fp16(problem),
                      "golden int8_to_fp16: size of scales is 0, expected 1 = outputs");
  }
}
