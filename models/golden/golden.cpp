#include "golden/golden.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace eva::golden {
namespace {

constexpr std::uint16_t fp16_infinity = 0x7C00;
constexpr std::uint16_t fp16_nan = 0x7E00;
constexpr std::size_t rows_per_group = 32;
constexpr std::size_t longest_vector = 32;  // keeps the aligned sum of 26-bit terms below 2^31

float decode_fp16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide_exponent = exponent == 31 ? 255 : exponent + 127 - 15;
  const std::uint32_t wide = sign | (wide_exponent << 23U) | (fraction << 13U);
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/// Rounds once, half to even.
std::uint16_t encode_fp16(double value) {
  if (std::isnan(value)) return fp16_nan;
  std::uint64_t wide = 0;
  std::memcpy(&wide, &value, sizeof wide);
  const std::uint64_t sign = (wide >> 48U) & 0x8000U;
  const int exponent = static_cast<int>((wide >> 52U) & 0x7FFU) - 1023;
  if (exponent > 15) return static_cast<std::uint16_t>(sign | fp16_infinity);
  if (exponent < -25) return static_cast<std::uint16_t>(sign);
  // The quantum is 2^(exponent - 10), but not below the subnormals' 2^-24.
  const std::uint64_t significand = (wide & 0xFFFFFFFFFFFFFU) | 0x10000000000000U;
  const auto shift = static_cast<unsigned>(42 + std::max(0, -14 - exponent));
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = significand & (2 * half - 1);
  std::uint64_t quanta = significand >> shift;
  if (rest > half || (rest == half && quanta % 2 == 1)) ++quanta;
  // The hidden bit, and a carry out of the fraction, add one to the exponent field.
  const auto field = static_cast<std::uint64_t>(std::max(exponent, -14) + 14);
  return static_cast<std::uint16_t>(sign | ((field << 10U) + quanta));
}

std::uint16_t encode_fp16(double value, bool& overflow) {
  const std::uint16_t bits = encode_fp16(value);
  if ((bits & 0x7FFFU) == fp16_infinity && std::isfinite(value)) overflow = true;
  return bits;
}

/// A number as the multiplier sees it: `significand` * 2^`exponent`, if `value` is finite.
struct Operand {
  float value;
  std::int32_t significand;
  int exponent;
};

std::vector<Operand> decode_operands(const std::vector<std::uint16_t>& numbers) {
  std::vector<Operand> operands;
  operands.reserve(numbers.size());
  for (const std::uint16_t bits : numbers) {
    const int field = (bits >> 10) & 0x1F;
    const std::int32_t magnitude = (bits & 0x3FF) | (field == 0 ? 0 : 0x400);
    operands.push_back({decode_fp16(bits), (bits & 0x8000) != 0 ? -magnitude : magnitude,
                        std::max(field, 1) - 25});
  }
  return operands;
}

/// Products of two FP16 numbers are exact in FP32.
float fp32_dot(const Operand* x, const Operand* b, std::size_t length) {
  float sum = 0;
  for (std::size_t k = 0; k < length; ++k)
    sum += x[k].value * b[k].value;
  return sum;
}

/// Division truncates towards zero, unlike a shift of a negative number.
std::int32_t drop_bits(std::int32_t value, int bits) {
  return bits >= 31 ? 0 : value / (std::int32_t{1} << bits);
}

/// The sum of finite products in an int32 with 4 guard bits: sum * 2^(exponent - 4).
double aligned_dot(const Operand* x, const Operand* b, std::size_t length) {
  std::int32_t sum = 0;
  int exponent = 0;
  bool started = false;
  for (std::size_t k = 0; k < length; ++k) {
    const std::int32_t product = x[k].significand * b[k].significand;
    if (product == 0) continue;
    const int product_exponent = x[k].exponent + b[k].exponent;
    if (!started) exponent = product_exponent;
    started = true;
    if (product_exponent > exponent) {
      sum = drop_bits(sum, product_exponent - exponent);
      exponent = product_exponent;
    }
    sum += drop_bits(product * 16, exponent - product_exponent);
  }
  return std::ldexp(static_cast<double>(sum), exponent - 4);
}

double dot(const Operand* x, const Operand* b, std::size_t length, ProductAccumulation products) {
  // 32 finite products cannot overflow FP32, so this sum is not finite exactly if a product is not,
  // and then neither the order nor the accumulator matters.
  const float sum = fp32_dot(x, b, length);
  if (products == ProductAccumulation::fp32 || !std::isfinite(sum)) return sum;
  return aligned_dot(x, b, length);
}

/// One rounding: the exact sum of the tree's and accumulator's FP16 and FP32 values fits a double.
float add(float a, float b, SumPrecision precision, bool& overflow) {
  if (precision == SumPrecision::fp32) return a + b;
  return decode_fp16(encode_fp16(static_cast<double>(a) + static_cast<double>(b), overflow));
}

[[noreturn]] void reject(const std::string& where, const std::string& what, std::size_t found,
                         const std::string& expected) {
  throw std::invalid_argument("golden " + where + ": " + what + " is " + std::to_string(found) +
                              ", expected " + expected);
}

void check_size(const std::string& where, const std::string& array, std::size_t found,
                std::size_t expected, const std::string& shape) {
  if (found == expected) return;
  reject(where, "size of " + array, found, std::to_string(expected) + " = " + shape);
}

/// Outputs in one codebook group.
std::size_t columns(const DecodeProblem& problem) {
  return problem.columns_per_codebook != 0 ? problem.columns_per_codebook : problem.outputs;
}

void check(const DecodeProblem& p, const DecodeOrder& order) {
  const std::string where = "decode";
  if (p.vector_length < 1 || p.vector_length > longest_vector) {
    reject(where, "vector_length", p.vector_length, "1..32");
  }
  if (p.index_bits < 1 || p.index_bits > 16) reject(where, "index_bits", p.index_bits, "1..16");
  if (p.codebooks < 1) reject(where, "codebooks", p.codebooks, "at least 1");
  if (p.inputs % p.vector_length != 0) {
    reject(where, "inputs", p.inputs,
           "a multiple of vector_length = " + std::to_string(p.vector_length));
  }
  const std::size_t entries = std::size_t{1} << p.index_bits;
  const std::size_t groups =
      p.columns_per_codebook == 0
          ? 1
          : p.outputs / p.columns_per_codebook + (p.outputs % p.columns_per_codebook != 0 ? 1 : 0);
  check_size(where, "activations", p.activations.size(), p.tokens * p.inputs, "tokens * inputs");
  check_size(where, "codebook_entries", p.codebook_entries.size(),
             groups * p.codebooks * entries * p.vector_length,
             "groups * codebooks * 2^index_bits * vector_length");
  check_size(where, "indices", p.indices.size(),
             p.inputs / p.vector_length * p.outputs * p.codebooks,
             "inputs / vector_length * outputs * codebooks");
  check_size(where, "scales", p.scales.size(), p.outputs, "outputs");
  check_size(where, "rows_per_tile", order.rows_per_tile.size(), p.tokens, "tokens");
  for (std::size_t i = 0; i < p.indices.size(); ++i) {
    if (p.indices[i] < entries) continue;
    const std::size_t output = i / p.codebooks;
    reject(where,
           "indices[" + std::to_string(output / p.outputs) + "][" +
               std::to_string(output % p.outputs) + "][" + std::to_string(i % p.codebooks) + "]",
           p.indices[i], "below 2^index_bits = " + std::to_string(entries));
  }
  for (std::size_t t = 0; t < p.tokens; ++t) {
    if (order.rows_per_tile[t] < 1) {
      reject(where, "rows_per_tile[" + std::to_string(t) + "]", 0, "at least 1");
    }
  }
}

/// Decodes one codebook group after another, one token at a time.
class Decoder {
 public:
  Decoder(const DecodeProblem& problem, const DecodeOrder& order)
      : problem_(problem),
        order_(order),
        rows_(problem.inputs / problem.vector_length),
        entries_(std::size_t{1} << problem.index_bits),
        activations_(decode_operands(problem.activations)),
        codebook_entries_(decode_operands(problem.codebook_entries)),
        output_codebooks_(problem.codebooks * rows_ * entries_),
        sums_(problem.outputs) {}

  DecodeResult run() {
    result_.outputs.reserve(problem_.tokens * problem_.outputs);
    for (std::size_t token = 0; token < problem_.tokens; ++token) {
      std::fill(sums_.begin(), sums_.end(), 0.0F);
      for (std::size_t first = 0; first < problem_.outputs; first += columns(problem_)) {
        compute_output_codebooks(token, first / columns(problem_));
        add_rows(order_.rows_per_tile[token], first,
                 first + std::min(columns(problem_), problem_.outputs - first));
      }
      for (std::size_t n = 0; n < problem_.outputs; ++n) {
        const float scaled = sums_[n] * decode_fp16(problem_.scales[n]);
        result_.outputs.push_back(encode_fp16(scaled, result_.overflow));
      }
    }
    return std::move(result_);
  }

 private:
  void compute_output_codebooks(std::size_t token, std::size_t group) {
    const std::size_t d = problem_.vector_length;
    float* element = output_codebooks_.data();
    for (std::size_t c = 0; c < problem_.codebooks; ++c) {
      const Operand* codebook =
          codebook_entries_.data() + (group * problem_.codebooks + c) * entries_ * d;
      for (std::size_t r = 0; r < rows_; ++r) {
        const Operand* x = activations_.data() + token * problem_.inputs + r * d;
        for (std::size_t e = 0; e < entries_; ++e) {
          const double sum = dot(x, codebook + e * d, d, order_.products);
          *element++ = decode_fp16(encode_fp16(sum, result_.overflow));
        }
      }
    }
  }

  /// Adds all rows to the outputs first..last-1, in the order of the row tiles.
  void add_rows(std::size_t tile_rows, std::size_t first, std::size_t last) {
    tile_rows = std::min(tile_rows, rows_);
    const auto add_tile = [&](std::size_t c, std::size_t row) {
      const std::size_t end = std::min(row + tile_rows, rows_);
      for (; row < end; row += rows_per_group) {
        add_row_group(c, row, std::min(rows_per_group, end - row), first, last);
      }
    };
    if (order_.order == CodebookOrder::inner) {
      for (std::size_t row = 0; row < rows_; row += tile_rows) {
        for (std::size_t c = 0; c < problem_.codebooks; ++c)
          add_tile(c, row);
      }
    } else {
      for (std::size_t c = 0; c < problem_.codebooks; ++c) {
        for (std::size_t row = 0; row < rows_; row += tile_rows)
          add_tile(c, row);
      }
    }
  }

  /// One step: looks up `count` rows of codebook c for every output, adds them in a balanced tree.
  void add_row_group(std::size_t c, std::size_t row, std::size_t count, std::size_t first,
                     std::size_t last) {
    const float* codebook = output_codebooks_.data() + (c * rows_ + row) * entries_;
    const std::size_t row_indices = problem_.outputs * problem_.codebooks;
    for (std::size_t n = first; n < last; ++n) {
      const std::uint16_t* index =
          problem_.indices.data() + row * row_indices + n * problem_.codebooks + c;
      std::array<float, rows_per_group> lanes{};
      for (std::size_t i = 0; i < count; ++i) {
        lanes[i] = codebook[i * entries_ + index[i * row_indices]];
      }
      for (std::size_t width = rows_per_group / 2; width > 0; width /= 2) {
        for (std::size_t i = 0; i < width; ++i) {
          lanes[i] = add(lanes[i], lanes[i + width], order_.tree, result_.overflow);
        }
      }
      sums_[n] = add(sums_[n], lanes[0], order_.outputs, result_.overflow);
    }
  }

  const DecodeProblem& problem_;
  const DecodeOrder& order_;
  std::size_t rows_;
  std::size_t entries_;
  std::vector<Operand> activations_;
  std::vector<Operand> codebook_entries_;
  std::vector<float> output_codebooks_;  // [codebooks][rows][entries] of the current group
  std::vector<float> sums_;              // [outputs] of the current token
  DecodeResult result_;
};

/// The block's length is a constant so that the compiler vectorizes it.
constexpr std::size_t block_length = 256;

std::int64_t int8_dot(const std::int8_t* x, const std::int8_t* w, std::size_t length) {
  std::int64_t sum = 0;
  std::size_t start = 0;
  for (; length - start >= block_length; start += block_length) {
    std::int32_t block = 0;
    for (std::size_t k = 0; k < block_length; ++k)
      block += x[start + k] * w[start + k];
    sum += block;
  }
  std::int32_t rest = 0;
  for (; start < length; ++start)
    rest += x[start] * w[start];
  return sum + rest;
}

/// FP32(acc) * scale of every output through `convert`.
template <typename Output>
std::vector<Output> int8_product(const std::string& where, const Int8Problem& p,
                                 Output (*convert)(float)) {
  check_size(where, "activations", p.activations.size(), p.tokens * p.inputs, "tokens * inputs");
  check_size(where, "weights", p.weights.size(), p.outputs * p.inputs, "outputs * inputs");
  check_size(where, "scales", p.scales.size(), p.outputs, "outputs");
  std::vector<Output> outputs;
  outputs.reserve(p.tokens * p.outputs);
  for (std::size_t t = 0; t < p.tokens; ++t) {
    for (std::size_t n = 0; n < p.outputs; ++n) {
      const std::int64_t sum =
          int8_dot(p.activations.data() + t * p.inputs, p.weights.data() + n * p.inputs, p.inputs);
      outputs.push_back(convert(static_cast<float>(sum) * p.scales[n]));
    }
  }
  return outputs;
}

}  // namespace

DecodeResult decode(const DecodeProblem& problem, const DecodeOrder& order) {
  check(problem, order);
  return Decoder(problem, order).run();
}

std::vector<std::uint16_t> int8_to_fp16(const Int8Problem& problem) {
  return int8_product<std::uint16_t>("int8_to_fp16", problem,
                                     [](float value) { return encode_fp16(value); });
}

std::vector<std::int8_t> int8_to_int8(const Int8Problem& problem) {
  return int8_product<std::int8_t>("int8_to_int8", problem, [](float value) -> std::int8_t {
    if (std::isnan(value)) return 0;
    return static_cast<std::int8_t>(std::clamp(std::nearbyint(value), -128.0F, 127.0F));
  });
}

}  // namespace eva::golden
