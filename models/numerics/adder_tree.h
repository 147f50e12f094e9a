#pragma once

#include <cstddef>

#include "numerics/half.h"

namespace eva {

constexpr std::size_t adder_tree_lanes = 32;

/// Precision of an addition in an epilogue unit.
enum class SumPrecision { fp32, fp16 };

/// The sum of 32 FP16 values by a balanced tree of five levels: lane i is added to lane i + 16,
/// then i + 8, i + 4, i + 2, i + 1; every addition rounds to `precision` (docs/numerics.md, 4).
/// Sets `overflow` when two finite numbers gave an infinite sum.
float adder_tree_sum(const HalfBits* lanes, SumPrecision precision, bool& overflow);

/// sums[column · sum_stride] = round(sums[…] + adder_tree_sum(lanes of the column)) for `columns`
/// columns; lanes: [columns][lane_stride] of which 32 are read. `output` is the precision of the
/// last addition. Returns whether finite operands gave an infinite sum.
bool accumulate_look_ups(const HalfBits* lanes, std::size_t lane_stride, std::size_t columns,
                         SumPrecision tree, SumPrecision output, float* sums,
                         std::size_t sum_stride, VectorPath path = best_vector_path());

}  // namespace eva
