#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// Reference results, computed with plain loops and sharing no code with the datapath, so that an
/// error in one of the two shows as a difference. The arithmetic is that of docs/numerics.md.
namespace eva::golden {

/// A matrix product with vector-quantized weights. Output n of token t is
///   scales[n] * sum over rows r and codebooks c of
///     dot(activations[t][r*d .. r*d+d-1], codebook_entries[group of n][c][indices[r][n][c]]).
/// Arrays are row-major; every uint16 except an index holds the bits of an IEEE binary16 (FP16).
struct DecodeProblem {
  std::size_t tokens = 0;
  std::size_t inputs = 0;  ///< a multiple of vector_length
  std::size_t outputs = 0;
  std::size_t vector_length = 0;  ///< d, 1..32
  unsigned index_bits = 0;        ///< n, 1..16: a codebook has 2^n entries
  std::size_t codebooks = 0;      ///< C, at least 1
  /// 0: all outputs share group 0. Otherwise output n uses codebook group n / columns_per_codebook.
  std::size_t columns_per_codebook = 0;
  std::vector<std::uint16_t> activations;       ///< [tokens][inputs]
  std::vector<std::uint16_t> codebook_entries;  ///< [groups][codebooks][2^n][vector_length]
  std::vector<std::uint16_t> indices;  ///< [inputs / vector_length][outputs][codebooks], below 2^n
  std::vector<std::uint16_t> scales;   ///< [outputs]
};

/// How the products of one output-codebook element are summed.
enum class ProductAccumulation {
  int32_aligned,  ///< in an int32 with 4 guard bits, aligned to the largest exponent so far
  fp32,           ///< in FP32, in the order of the vector
};

/// The format to which every addition rounds.
enum class SumPrecision { fp32, fp16 };

/// Which loop is the outer one when the looked-up rows are added.
enum class CodebookOrder {
  inner,  ///< row tiles, then codebooks in the tile, then row groups of 32
  outer,  ///< codebooks, then row tiles, then row groups of 32
};

/// The choices on which the rounding of a decode depends.
struct DecodeOrder {
  ProductAccumulation products = ProductAccumulation::int32_aligned;
  SumPrecision tree = SumPrecision::fp32;     ///< the adder tree over 32 rows
  SumPrecision outputs = SumPrecision::fp32;  ///< the accumulator of each output
  CodebookOrder order = CodebookOrder::inner;
  std::vector<std::size_t> rows_per_tile;  ///< [tokens], each at least 1
};

struct DecodeResult {
  std::vector<std::uint16_t> outputs;  ///< FP16 bits [tokens][outputs]; a NaN is 0x7E00
  /// A finite sum or product became an FP16 infinity: in an output codebook (looked up or not), in
  /// an FP16 tree or accumulator, or in an output.
  bool overflow = false;
};

/// Computes the outputs of `problem`, rounded as `order` says.
/// Throws std::invalid_argument if a parameter, an array's size or an index is out of range.
DecodeResult decode(const DecodeProblem& problem, const DecodeOrder& order);

/// An INT8 matrix product: acc[t][n] = sum over k of activations[t][k] * weights[n][k], exact.
struct Int8Problem {
  std::size_t tokens = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<std::int8_t> activations;  ///< [tokens][inputs]
  std::vector<std::int8_t> weights;      ///< [outputs][inputs]
  std::vector<float> scales;             ///< [outputs]
};

/// FP16 bits [tokens][outputs] of the FP32 product FP32(acc) * scale; a NaN is 0x7E00.
/// Throws std::invalid_argument if an array's size does not match the shape.
std::vector<std::uint16_t> int8_to_fp16(const Int8Problem& problem);

/// The FP32 product FP32(acc) * scale, rounded half to even and saturated to -128..127, NaN as 0;
/// [tokens][outputs]. Throws std::invalid_argument if an array's size does not match the shape.
std::vector<std::int8_t> int8_to_int8(const Int8Problem& problem);

}  // namespace eva::golden
