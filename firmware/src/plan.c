#include <eva/plan.h>

#include "arithmetic.h"

static int refuse(struct eva_problem *problem, int result, const char *what, uint64_t found,
                  const char *rule, uint64_t limit) {
  *problem = (struct eva_problem){what, rule, found, limit};
  return result;
}

static int refuse_capacity(struct eva_problem *problem, const char *buffer, uint64_t needed,
                           uint64_t available) {
  return refuse(problem, EVA_FAILED_CAPACITY, buffer, needed, "at most", available);
}

/* EVA_OK when minimum <= found <= maximum. */
static int require_range(struct eva_problem *problem, const char *what, uint64_t found,
                         uint64_t minimum, uint64_t maximum) {
  if (found < minimum) {
    return refuse(problem, EVA_FAILED_SHAPE, what, found, "at least", minimum);
  }
  if (found > maximum) {
    return refuse(problem, EVA_FAILED_SHAPE, what, found, "at most", maximum);
  }
  return EVA_OK;
}

/* What all tilings of a decode layer share. */
struct decode_shape {
  uint64_t vectors;
  uint64_t groups;
  uint64_t entries;
  uint64_t segment; /* outputs that share a codebook set */
  uint64_t segments;
};

static int check_decode_layer(const struct eva_capabilities *capabilities,
                              const struct eva_layer *layer, struct decode_shape *shape,
                              struct eva_problem *problem) {
  const struct {
    const char *what;
    uint64_t found;
    uint64_t minimum;
    uint64_t maximum;
  } ranges[] = {
      {"tokens of a decode layer", layer->tokens, 0, EVA_MAX_DECODE_TOKENS},
      {"inputs", layer->inputs, 1, UINT32_MAX / 2}, /* strides are 32 bits wide */
      {"outputs", layer->outputs, 1, UINT32_MAX / 2},
      {"codebooks", layer->codebooks, 1, UINT16_MAX},
      {"vector length", layer->vector_length, 1, EVA_MAX_VECTOR_LENGTH},
      {"index bits", layer->index_bits, 1, EVA_MAX_INDEX_BITS},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
    const int result = require_range(problem, ranges[i].what, ranges[i].found, ranges[i].minimum,
                                     ranges[i].maximum);
    if (result != EVA_OK) return result;
  }
  if (layer->inputs % layer->vector_length != 0) {
    return refuse(problem, EVA_FAILED_SHAPE, "inputs", layer->inputs, "a multiple of",
                  layer->vector_length);
  }
  const uint64_t group_stride =
      (uint64_t)layer->outputs * layer->codebooks * EVA_ROW_GROUP * layer->index_bits / 8;
  const int result = require_range(problem, "bytes from row group to row group", group_stride, 0,
                                   UINT32_MAX);
  if (result != EVA_OK) return result;
  shape->vectors = layer->inputs / layer->vector_length;
  shape->groups = ceil_divide(shape->vectors, EVA_ROW_GROUP);
  shape->entries = (uint64_t)1 << layer->index_bits;
  shape->segment =
      layer->columns_per_codebook != 0 ? layer->columns_per_codebook : layer->outputs;
  shape->segments = ceil_divide(layer->outputs, shape->segment);

  const uint64_t set_bytes = layer->codebooks * shape->entries * layer->vector_length * 2;
  if (set_bytes > capabilities->codebook_bytes) {
    return refuse_capacity(problem, "codebook buffer", set_bytes, capabilities->codebook_bytes);
  }
  return EVA_OK;
}

static uint64_t product_cycles(const struct eva_capabilities *capabilities,
                               const struct eva_layer *layer, uint64_t lookup_rows) {
  const uint64_t entries = (uint64_t)1 << layer->index_bits;
  const uint64_t pass = ceil_divide(layer->vector_length, capabilities->array_columns) * entries +
                        capabilities->array_rows + capabilities->array_columns;
  return ceil_divide(lookup_rows, capabilities->array_rows) * pass;
}

/* Cycles of the epilogue units per column. */
static uint64_t rounds(const struct eva_capabilities *capabilities, uint64_t tokens,
                       uint64_t row_groups) {
  return ceil_divide(tokens * row_groups, capabilities->epilogue_units);
}

/* A product goes on behind the look-ups of the tile before where both tiles fit their buffer. */
static uint64_t step_cycles(uint64_t product, uint64_t look_ups, int overlaps) {
  return overlaps ? larger(product, look_ups) : product + look_ups;
}

/* What a tiling costs: all in all, and without memory. 0 cycles: it does not fit. */
struct cost {
  uint64_t cycles;
  uint64_t compute_cycles;
};

/* Cost of one group of `tokens` when a tile has `row_groups`; fills in `columns`. */
static struct cost decode_cost(const struct eva_capabilities *capabilities,
                               const struct eva_layer *layer, const struct decode_shape *shape,
                               struct eva_decode_tiling *tiling) {
  const uint64_t rows = smaller((uint64_t)tiling->row_groups * EVA_ROW_GROUP, shape->vectors);
  const uint64_t lookup_rows = rows * tiling->tokens;
  const uint64_t tile_bytes = lookup_rows * shape->entries * 2;
  const uint64_t column_bytes = (uint64_t)tiling->row_groups * 4 * layer->index_bits;
  uint64_t most_columns = capabilities->output_bytes / (4 * tiling->tokens);
  if (tile_bytes > capabilities->output_codebook_bytes || most_columns == 0 ||
      lookup_rows * layer->vector_length * 2 > capabilities->input_bytes ||
      column_bytes > capabilities->weight_bytes || rows > UINT16_MAX) {
    return (struct cost){0, 0};
  }
  /* Tiles of equal width in whole chunks, so that none is too short to hide the array's work. */
  const uint64_t chunk = smaller(capabilities->chunk_columns, most_columns);
  most_columns -= most_columns % chunk;
  const uint64_t tiles = ceil_divide(shape->segment, most_columns);
  const uint64_t columns = ceil_divide(ceil_divide(shape->segment, tiles), chunk) * chunk;
  tiling->columns = (uint32_t)smaller(columns, shape->segment);

  /* The last tile of rows may be smaller than the others, as may the last tile of columns. */
  const uint64_t rest_rows = shape->vectors % rows;
  const uint64_t full_tiles = shape->vectors / rows;
  const uint64_t rest_groups = ceil_divide(rest_rows, EVA_ROW_GROUP);
  const uint64_t full_product = product_cycles(capabilities, layer, lookup_rows);
  const uint64_t rest_product = product_cycles(capabilities, layer, rest_rows * tiling->tokens);
  const uint64_t first_product = full_tiles != 0 ? full_product : rest_product;
  const int overlaps = 2 * tile_bytes <= capabilities->output_codebook_bytes;
  const uint64_t last_columns = shape->segment - (tiles - 1) * tiling->columns;
  uint64_t cycles = 0;
  for (uint32_t last = 0; last <= 1; ++last) {
    const uint64_t columns_of_tile = last ? last_columns : tiling->columns;
    const uint64_t times = (last ? 1 : tiles - 1) * layer->codebooks * shape->segments;
    const uint64_t full = columns_of_tile * rounds(capabilities, tiling->tokens, tiling->row_groups);
    const uint64_t rest = columns_of_tile * rounds(capabilities, tiling->tokens, rest_groups);
    cycles += times * (full_tiles * step_cycles(full_product, full, overlaps) +
                       step_cycles(rest_product, rest, overlaps));
  }
  /* Memory runs ahead of the units, during the first product as far as the weight buffer reaches;
   * whichever takes longer in all decides. */
  const uint64_t index_bytes = shape->groups * 4 * layer->index_bits * layer->codebooks *
                               shape->segment * shape->segments;
  const uint64_t memory = ceil_divide(index_bytes, capabilities->memory_port_bytes);
  const uint64_t ahead = capabilities->weight_bytes / capabilities->memory_port_bytes;
  const uint64_t memory_waits = first_product > ahead ? first_product - ahead : 0;
  /* At the end nothing is left to load behind the look-ups of the last tile of rows. */
  const uint64_t last_groups = rest_rows != 0 ? rest_groups : tiling->row_groups;
  const uint64_t last_look_ups = layer->codebooks * last_columns *
                                 rounds(capabilities, tiling->tokens, last_groups);
  const uint64_t last_memory =
      ceil_divide(layer->codebooks * last_columns * last_groups * 4 * layer->index_bits,
                  capabilities->memory_port_bytes);
  const uint64_t memory_ends = last_look_ups > last_memory ? last_look_ups - last_memory : 0;
  const uint64_t compute = first_product + cycles;
  return (struct cost){larger(compute, memory_waits + memory + memory_ends), compute};
}

/* The best tiling for a group of `tokens`; 0 cycles if none fits. */
static uint64_t best_tiling(const struct eva_capabilities *capabilities,
                            const struct eva_layer *layer, const struct decode_shape *shape,
                            uint32_t tokens, struct eva_decode_tiling *best) {
  struct cost best_cost = {0, 0};
  const uint64_t most = smaller(shape->groups, larger(1, capabilities->epilogue_units / tokens));
  for (uint32_t row_groups = 1; row_groups <= most; ++row_groups) {
    struct eva_decode_tiling tiling = {tokens, row_groups, 0};
    const struct cost cost = decode_cost(capabilities, layer, shape, &tiling);
    if (cost.cycles == 0) continue;
    /* Where memory decides, faster units leave it the more slack. */
    if (best_cost.cycles == 0 || cost.cycles < best_cost.cycles ||
        (cost.cycles == best_cost.cycles && cost.compute_cycles < best_cost.compute_cycles)) {
      best_cost = cost;
      *best = tiling;
    }
  }
  return best_cost.cycles;
}

int eva_plan_decode(const struct eva_capabilities *capabilities, const struct eva_layer *layer,
                    struct eva_decode_plan *plan, struct eva_problem *problem) {
  struct decode_shape shape;
  const int result = check_decode_layer(capabilities, layer, &shape, problem);
  if (result != EVA_OK) return result;

  /* Tokens go in groups that the epilogue units can serve at once; the cheapest way to make up the
   * number of tokens is found group by group. */
  struct eva_decode_tiling last_group[EVA_MAX_DECODE_TOKENS + 1] = {{0, 0, 0}};
  uint64_t cycles[EVA_MAX_DECODE_TOKENS + 1] = {0};
  struct eva_decode_tiling tilings[EVA_MAX_DECODE_TOKENS + 1];
  uint64_t group_cycles[EVA_MAX_DECODE_TOKENS + 1];
  const uint32_t most = (uint32_t)smaller(layer->tokens, capabilities->epilogue_units);
  for (uint32_t tokens = 1; tokens <= most; ++tokens) {
    group_cycles[tokens] = best_tiling(capabilities, layer, &shape, tokens, &tilings[tokens]);
  }
  if (most > 0 && group_cycles[1] == 0) {
    const uint64_t tile_bytes =
        smaller(EVA_ROW_GROUP, shape.vectors) * shape.entries * 2;
    if (tile_bytes > capabilities->output_codebook_bytes) {
      return refuse_capacity(problem, "output codebook buffer", tile_bytes,
                             capabilities->output_codebook_bytes);
    }
    const uint64_t input_bytes = smaller(EVA_ROW_GROUP, shape.vectors) * layer->vector_length * 2;
    if (input_bytes > capabilities->input_bytes) {
      return refuse_capacity(problem, "input buffer", input_bytes, capabilities->input_bytes);
    }
    return refuse_capacity(problem, "weight buffer", (uint64_t)4 * layer->index_bits,
                           capabilities->weight_bytes);
  }
  for (uint32_t total = 1; total <= layer->tokens; ++total) {
    for (uint32_t tokens = 1; tokens <= most && tokens <= total; ++tokens) {
      if (group_cycles[tokens] == 0) continue;
      const uint64_t sum = cycles[total - tokens] + group_cycles[tokens];
      if (cycles[total] == 0 || sum <= cycles[total]) {
        cycles[total] = sum;
        last_group[total] = tilings[tokens];
      }
    }
  }
  plan->tiling_count = 0;
  plan->cycles = cycles[layer->tokens];
  for (uint32_t left = layer->tokens; left > 0; left -= last_group[left].tokens) {
    plan->tilings[plan->tiling_count++] = last_group[left];
  }
  return EVA_OK;
}

int eva_plan_prefill(const struct eva_capabilities *capabilities, const struct eva_layer *layer,
                     struct eva_prefill_plan *plan, struct eva_problem *problem) {
  int result = require_range(problem, "inputs of an INT8 layer", layer->inputs, 1,
                             EVA_MAX_INT8_INPUTS);
  if (result == EVA_OK) result = require_range(problem, "outputs", layer->outputs, 1, UINT32_MAX);
  /* The stride from block to block must fit a descriptor. */
  if (result == EVA_OK) {
    result = require_range(problem, "tokens", layer->tokens, 0, UINT32_MAX / EVA_BLOCK);
  }
  if (result != EVA_OK) return result;
  const uint64_t token_bytes = (uint64_t)EVA_BLOCK * 4; /* INT32 sums */
  const uint64_t tokens =
      smaller(EVA_MAX_PREFILL_TOKENS, capabilities->output_codebook_bytes / token_bytes);
  if (tokens == 0) {
    return refuse_capacity(problem, "output codebook buffer", token_bytes,
                           capabilities->output_codebook_bytes);
  }
  plan->tokens = (uint32_t)tokens;
  plan->inputs = UINT16_MAX - UINT16_MAX % EVA_BLOCK;
  return EVA_OK;
}
