#include "platform/operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "epilogue/index_decoder.h"
#include "numerics/half.h"
#include "platform/random.h"

namespace eva {
namespace {

constexpr std::size_t block = int8_block_width;
constexpr std::size_t group = row_group;

HalfBits half_of(double value) {
  return float_to_half(static_cast<float>(value));
}

template <class Element>
std::vector<unsigned char> bytes_of(const std::vector<Element>& elements) {
  std::vector<unsigned char> bytes(elements.size() * sizeof(Element));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

std::int8_t int8_of(double value) {
  return static_cast<std::int8_t>(std::clamp(std::nearbyint(value), -128.0, 127.0));
}

void fill_with_indices(std::vector<std::uint16_t>& indices, unsigned bits, Random& random) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const unsigned parts = bits <= 8 ? 8 : 4;
  const unsigned width = 64 / parts;
  for (std::size_t i = 0; i < indices.size(); i += parts) {
    std::uint64_t number = random.next();
    for (std::size_t j = i; j < std::min<std::size_t>(indices.size(), i + parts); ++j) {
      indices[j] = static_cast<std::uint16_t>(number & mask);
      number >>= width;
    }
  }
}

golden::DecodeProblem generate_decode(const LayerParameters& layer, Random& random) {
  golden::DecodeProblem problem;
  problem.tokens = layer.tokens;
  problem.inputs = layer.inputs;
  problem.outputs = layer.outputs;
  problem.vector_length = layer.vector_length;
  problem.index_bits = static_cast<unsigned>(layer.index_bits);
  problem.codebooks = layer.codebooks;
  problem.columns_per_codebook = layer.columns_per_codebook;
  const std::size_t sets =
      layer.columns_per_codebook == 0 ? 1 : ceil_divide(layer.outputs, layer.columns_per_codebook);
  problem.activations.resize(layer.tokens * layer.inputs);
  problem.codebook_entries.resize(sets * layer.codebooks * (1U << layer.index_bits) *
                                  layer.vector_length);
  problem.indices.resize(layer.inputs / layer.vector_length * layer.outputs * layer.codebooks);
  problem.scales.resize(layer.outputs);
  for (auto& x : problem.activations)
    x = half_of(random.normal());
  for (auto& entry : problem.codebook_entries)
    entry = half_of(random.normal());
  fill_with_indices(problem.indices, problem.index_bits, random);
  // Outputs of unit size: a sum over K inputs and C codebooks of products of unit variance.
  const double unit =
      1.0 / std::sqrt(static_cast<double>(layer.inputs) * static_cast<double>(layer.codebooks));
  for (auto& scale : problem.scales)
    scale = half_of(unit * (0.5 + random.uniform()));
  return problem;
}

golden::Int8Problem generate_prefill(const LayerParameters& layer, Random& random) {
  golden::Int8Problem problem;
  problem.tokens = layer.tokens;
  problem.inputs = layer.inputs;
  problem.outputs = layer.outputs;
  problem.activations.resize(layer.tokens * layer.inputs);
  problem.weights.resize(layer.outputs * layer.inputs);
  problem.scales.resize(layer.outputs);
  constexpr double deviation = 40;
  for (auto& x : problem.activations)
    x = int8_of(deviation * random.normal());
  for (auto& w : problem.weights)
    w = int8_of(deviation * random.normal());
  const double unit = (layer.int8_output ? deviation : 1.0) /
                      (deviation * deviation * std::sqrt(static_cast<double>(layer.inputs)));
  for (auto& scale : problem.scales)
    scale = static_cast<float>(unit * (0.5 + random.uniform()));
  return problem;
}

std::size_t blocks_of(std::size_t width) {
  return ceil_divide(width, block);
}

OperandImage pack_decode(const golden::DecodeProblem& problem) {
  OperandImage image;
  image.activations = bytes_of(problem.activations);
  image.codebooks = bytes_of(problem.codebook_entries);
  image.scales = bytes_of(problem.scales);
  const std::size_t vectors = problem.inputs / problem.vector_length;
  const std::size_t groups = ceil_divide(vectors, group);
  const std::size_t column_bytes = group * problem.index_bits / 8;
  image.weights.resize(groups * problem.codebooks * problem.outputs * column_bytes);
  std::vector<std::uint16_t> column(group);
  unsigned char* target = image.weights.data();
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t rows = std::min(group, vectors - g * group);
    for (std::size_t c = 0; c < problem.codebooks; ++c) {
      for (std::size_t n = 0; n < problem.outputs; ++n) {
        for (std::size_t r = 0; r < rows; ++r) {
          column[r] =
              problem.indices[((g * group + r) * problem.outputs + n) * problem.codebooks + c];
        }
        std::fill(column.begin() + static_cast<std::ptrdiff_t>(rows), column.end(),
                  std::uint16_t{0});
        encode_indices(column.data(), group, problem.index_bits, target);
        target += column_bytes;
      }
    }
  }
  return image;
}

OperandImage pack_prefill(const golden::Int8Problem& problem) {
  OperandImage image;
  image.scales = bytes_of(problem.scales);
  const std::size_t input_blocks = blocks_of(problem.inputs);
  image.activations.resize(input_blocks * problem.tokens * block);
  for (std::size_t t = 0; t < problem.tokens; ++t) {
    for (std::size_t k = 0; k < problem.inputs; ++k) {
      image.activations[(k / block * problem.tokens + t) * block + k % block] =
          static_cast<unsigned char>(problem.activations[t * problem.inputs + k]);
    }
  }
  image.weights.resize(blocks_of(problem.outputs) * input_blocks * block * block);
  for (std::size_t n = 0; n < problem.outputs; ++n) {
    for (std::size_t k = 0; k < problem.inputs; ++k) {
      const std::size_t tile = n / block * input_blocks + k / block;
      image.weights[(tile * block + k % block) * block + n % block] =
          static_cast<unsigned char>(problem.weights[n * problem.inputs + k]);
    }
  }
  return image;
}

}  // namespace

Operands generate_operands(const LayerParameters& layer, std::uint64_t seed, std::size_t number) {
  Random mixer(seed);
  Random random(mixer.next() + number);
  if (layer.form == Form::decode) return generate_decode(layer, random);
  return generate_prefill(layer, random);
}

OperandImage pack(const Operands& operands) {
  if (const auto* decode = std::get_if<golden::DecodeProblem>(&operands)) {
    return pack_decode(*decode);
  }
  return pack_prefill(std::get<golden::Int8Problem>(operands));
}

OperandSizes sizes_of(const LayerParameters& layer) {
  OperandSizes sizes;
  if (layer.form == Form::decode) {
    const std::uint64_t groups = ceil_divide(layer.inputs / layer.vector_length, group);
    const std::uint64_t sets = layer.columns_per_codebook == 0
                                   ? 1
                                   : ceil_divide(layer.outputs, layer.columns_per_codebook);
    sizes.activations = layer.tokens * layer.inputs * 2;
    sizes.codebooks =
        sets * layer.codebooks * (std::uint64_t{2} << layer.index_bits) * layer.vector_length;
    sizes.weights = groups * layer.codebooks * layer.outputs * (group * layer.index_bits / 8);
    sizes.scales = layer.outputs * 2;
    sizes.outputs = layer.tokens * layer.outputs * 2;
  } else {
    const std::uint64_t input_blocks = blocks_of(layer.inputs);
    const std::uint64_t output_blocks = blocks_of(layer.outputs);
    sizes.activations = input_blocks * layer.tokens * block;
    sizes.weights = output_blocks * input_blocks * block * block;
    sizes.scales = layer.outputs * 4;
    sizes.outputs = output_blocks * layer.tokens * block * (layer.int8_output ? 1 : 2);
  }
  return sizes;
}

std::vector<std::uint16_t> unpack_outputs(const LayerParameters& layer,
                                          const std::vector<unsigned char>& memory) {
  std::vector<std::uint16_t> outputs(layer.tokens * layer.outputs);
  if (layer.form == Form::decode) {
    if (!outputs.empty()) std::memcpy(outputs.data(), memory.data(), outputs.size() * 2);
    return outputs;
  }
  for (std::size_t t = 0; t < layer.tokens; ++t) {
    for (std::size_t n = 0; n < layer.outputs; ++n) {
      const std::size_t place = (n / block * layer.tokens + t) * block + n % block;
      std::uint16_t& output = outputs[t * layer.outputs + n];
      if (layer.int8_output) {
        output = static_cast<std::uint16_t>(static_cast<std::int8_t>(memory[place]));
      } else {
        std::memcpy(&output, memory.data() + place * 2, 2);
      }
    }
  }
  return outputs;
}

}  // namespace eva
