#include <eva/plan.h>
#include <eva/runtime.h>
#include <stdio.h>

#include "arithmetic.h"

static void log_line(const struct eva_hal *hal, enum eva_log_level level, const char *text) {
  hal->log(hal->context, level, text);
}

static int explain(const struct eva_hal *hal, uint16_t number, int result,
                   const struct eva_problem *problem) {
  char line[160];
  snprintf(line, sizeof line, "layer %u: %s: %llu %s, expected %s %llu", (unsigned)number,
           problem->what, (unsigned long long)problem->found,
           result == EVA_FAILED_CAPACITY ? "bytes needed" : "found", problem->rule,
           (unsigned long long)problem->limit);
  log_line(hal, EVA_LOG_ERROR, line);
  return result;
}

/* Posts the descriptors of a layer: a fence before the first, an interrupt with the last. */
struct emitter {
  struct eva_device *device;
  uint16_t layer;
  int started;
};

static int emit(struct emitter *emitter, struct eva_descriptor *descriptor) {
  descriptor->version = EVA_DESCRIPTOR_VERSION;
  descriptor->layer = emitter->layer;
  if (!emitter->started) descriptor->flags |= EVA_FLAG_FENCE;
  emitter->started = 1;
  return eva_submit(emitter->device, descriptor);
}

/* One output tile of a group of tokens in decode form. */
struct decode_tile {
  uint32_t first_token;
  uint32_t first_column;
  uint32_t columns;
  int ends_layer;
};

static uint64_t codebook_bytes(const struct eva_layer *layer) {
  return ((uint64_t)2 << layer->index_bits) * layer->vector_length;
}

static int load_codebook(struct emitter *emitter, const struct eva_layer *layer, uint64_t set,
                         uint32_t codebook, uint32_t offset) {
  struct eva_descriptor descriptor = {
      .opcode = EVA_OP_LOAD_CODEBOOK,
      .vector_length = (uint8_t)layer->vector_length,
      .index_bits = (uint8_t)layer->index_bits,
      .weight_address =
          layer->codebook_address + (set * layer->codebooks + codebook) * codebook_bytes(layer),
      .codebook_offset = offset,
  };
  return emit(emitter, &descriptor);
}

static int run_decode_tile(struct emitter *emitter, const struct eva_layer *layer,
                           const struct eva_decode_tiling *tiling, const struct decode_tile *tile,
                           enum eva_codebook_order order, int64_t *loaded_set) {
  const uint32_t vectors = layer->inputs / layer->vector_length;
  const uint32_t rows_per_tile = tiling->row_groups * EVA_ROW_GROUP;
  const uint32_t row_tiles = (uint32_t)ceil_divide(vectors, rows_per_tile);
  const uint64_t group_column_bytes = (uint64_t)EVA_ROW_GROUP * layer->index_bits / 8;
  const uint64_t group_bytes = group_column_bytes * layer->outputs;
  const uint32_t steps = row_tiles * layer->codebooks;

  const uint64_t set =
      layer->columns_per_codebook != 0 ? tile->first_column / layer->columns_per_codebook : 0;
  const uint64_t set_bytes = codebook_bytes(layer) * layer->codebooks;
  /* Two sets take turns where both fit, so that one loads while the other is in use. */
  const int alternates = 2 * set_bytes <= emitter->device->capabilities.codebook_bytes;
  const uint32_t set_offset = alternates ? (uint32_t)(set % 2 * set_bytes) : 0;
  const int loads = *loaded_set != (int64_t)set;
  *loaded_set = (int64_t)set;

  for (uint32_t step = 0; step < steps; ++step) {
    const int outer = order == EVA_CODEBOOK_OUTER;
    const uint32_t codebook = outer ? step / row_tiles : step % layer->codebooks;
    const uint32_t row_tile = outer ? step % row_tiles : step / layer->codebooks;
    const uint32_t offset = set_offset + (uint32_t)(codebook * codebook_bytes(layer));
    if (loads && row_tile == 0) {
      const int result = load_codebook(emitter, layer, set, codebook, offset);
      if (result != EVA_OK) return result;
    }
    const uint32_t first_row = row_tile * rows_per_tile;
    const uint64_t first_group = (uint64_t)row_tile * tiling->row_groups;
    struct eva_descriptor descriptor = {
        .opcode = EVA_OP_DECODE_TILE,
        .vector_length = (uint8_t)layer->vector_length,
        .index_bits = (uint8_t)layer->index_bits,
        .activation_address = layer->activation_address +
                              ((uint64_t)tile->first_token * layer->inputs +
                               (uint64_t)first_row * layer->vector_length) * 2,
        .weight_address = layer->weight_address +
                          (first_group * layer->codebooks + codebook) * group_bytes +
                          tile->first_column * group_column_bytes,
        .scale_address = layer->scale_address + (uint64_t)tile->first_column * 2,
        .output_address =
            layer->output_address +
            ((uint64_t)tile->first_token * layer->outputs + tile->first_column) * 2,
        .activation_stride = layer->inputs * 2,
        .weight_stride = (uint32_t)(layer->codebooks * group_bytes),
        .output_stride = layer->outputs * 2,
        .codebook_offset = offset,
        .tokens = (uint16_t)tiling->tokens,
        .rows = (uint16_t)smaller(rows_per_tile, vectors - first_row),
        .columns = tile->columns,
    };
    if (step == 0) descriptor.flags |= EVA_FLAG_FIRST;
    if (step + 1 == steps) {
      descriptor.flags |= EVA_FLAG_LAST;
      if (tile->ends_layer) descriptor.flags |= EVA_FLAG_INTERRUPT;
    }
    const int result = emit(emitter, &descriptor);
    if (result != EVA_OK) return result;
  }
  return EVA_OK;
}

static int run_decode_layer(struct eva_device *device, const struct eva_layer *layer,
                            uint16_t number, enum eva_codebook_order order) {
  struct eva_decode_plan plan;
  struct eva_problem problem;
  int result = eva_plan_decode(&device->capabilities, layer, &plan, &problem);
  if (result != EVA_OK) return explain(device->hal, number, result, &problem);

  struct emitter emitter = {device, number, 0};
  const uint32_t segment =
      layer->columns_per_codebook != 0 ? layer->columns_per_codebook : layer->outputs;
  int64_t loaded_set = -1;
  uint32_t first_token = 0;
  for (uint32_t i = 0; i < plan.tiling_count; ++i) {
    const struct eva_decode_tiling *tiling = &plan.tilings[i];
    for (uint32_t column = 0; column < layer->outputs;) {
      const uint32_t segment_end = (uint32_t)smaller(layer->outputs, (column / segment + 1) * segment);
      const uint32_t columns = (uint32_t)smaller(tiling->columns, segment_end - column);
      const struct decode_tile tile = {
          first_token, column, columns,
          i + 1 == plan.tiling_count && column + columns == layer->outputs};
      result = run_decode_tile(&emitter, layer, tiling, &tile, order, &loaded_set);
      if (result != EVA_OK) return result;
      column += columns;
    }
    first_token += tiling->tokens;
  }
  return eva_wait(device);
}

static int run_prefill_layer(struct eva_device *device, const struct eva_layer *layer,
                             uint16_t number) {
  struct eva_prefill_plan plan;
  struct eva_problem problem;
  int result = eva_plan_prefill(&device->capabilities, layer, &plan, &problem);
  if (result != EVA_OK) return explain(device->hal, number, result, &problem);

  struct emitter emitter = {device, number, 0};
  const int int8_output = (layer->flags & EVA_LAYER_INT8_OUTPUT) != 0;
  const uint64_t activation_block_bytes = (uint64_t)layer->tokens * EVA_BLOCK;
  const uint64_t output_block_bytes = activation_block_bytes * (int8_output ? 1 : 2);
  const uint64_t weight_block_bytes = (uint64_t)EVA_BLOCK * EVA_BLOCK;
  const uint64_t blocks = ceil_divide(layer->inputs, EVA_BLOCK);
  const uint32_t column_tiles = (uint32_t)ceil_divide(layer->outputs, EVA_BLOCK);
  for (uint32_t token = 0; token < layer->tokens; token += plan.tokens) {
    const uint32_t tokens = (uint32_t)smaller(plan.tokens, layer->tokens - token);
    for (uint32_t column_tile = 0; column_tile < column_tiles; ++column_tile) {
      for (uint32_t input = 0; input < layer->inputs; input += plan.inputs) {
        const uint32_t inputs = (uint32_t)smaller(plan.inputs, layer->inputs - input);
        const uint64_t block = input / EVA_BLOCK;
        const int last = input + inputs == layer->inputs;
        const int ends_layer =
            last && column_tile + 1 == column_tiles && token + tokens == layer->tokens;
        struct eva_descriptor descriptor = {
            .opcode = EVA_OP_PREFILL_TILE,
            .flags = (uint16_t)((input == 0 ? EVA_FLAG_FIRST : 0) | (last ? EVA_FLAG_LAST : 0) |
                                (ends_layer ? EVA_FLAG_INTERRUPT : 0) |
                                (int8_output ? EVA_FLAG_INT8_OUTPUT : 0)),
            .activation_address = layer->activation_address + block * activation_block_bytes +
                                  (uint64_t)token * EVA_BLOCK,
            .weight_address =
                layer->weight_address + (column_tile * blocks + block) * weight_block_bytes,
            .scale_address = layer->scale_address + (uint64_t)column_tile * EVA_BLOCK * 4,
            .output_address = layer->output_address + column_tile * output_block_bytes +
                              (uint64_t)token * EVA_BLOCK * (int8_output ? 1 : 2),
            .activation_stride = (uint32_t)activation_block_bytes,
            .tokens = (uint16_t)tokens,
            .rows = (uint16_t)inputs,
            .columns = (uint32_t)smaller(EVA_BLOCK, layer->outputs - column_tile * EVA_BLOCK),
        };
        result = emit(&emitter, &descriptor);
        if (result != EVA_OK) return result;
      }
    }
  }
  return eva_wait(device);
}

int eva_run_layer(struct eva_device *device, const struct eva_layer *layer, uint16_t number,
                  enum eva_codebook_order order) {
  int result = EVA_FAILED_SHAPE;
  if (layer->form == EVA_FORM_DECODE) {
    result = run_decode_layer(device, layer, number, order);
  } else if (layer->form == EVA_FORM_PREFILL) {
    result = run_prefill_layer(device, layer, number);
  } else {
    const struct eva_problem problem = {"form", "at most", layer->form, EVA_FORM_PREFILL};
    return explain(device->hal, number, EVA_FAILED_SHAPE, &problem);
  }
  if (result == EVA_FAILED_DEVICE) {
    char line[160];
    snprintf(line, sizeof line, "layer %u: the device stopped at descriptor %u: %s (%llu)",
             (unsigned)number, (unsigned)device->error_index, eva_error_name(device->error_code),
             (unsigned long long)device->error_detail);
    log_line(device->hal, EVA_LOG_ERROR, line);
  }
  return result;
}

static int read_boot_table(const struct eva_hal *hal, uint64_t address,
                           struct eva_boot_table *table) {
  if (!hal->read_memory(hal->context, address, table, sizeof *table)) return EVA_FAILED_BUS;
  if (table->magic != EVA_BOOT_MAGIC || table->version != EVA_BOOT_VERSION) {
    log_line(hal, EVA_LOG_ERROR, "no boot table of a version that this firmware knows");
    return EVA_FAILED_BOOT;
  }
  return EVA_OK;
}

int eva_run_boot_table(const struct eva_hal *hal, uint64_t address) {
  struct eva_boot_table table;
  struct eva_device device;
  int first_failure = read_boot_table(hal, address, &table);
  if (first_failure != EVA_OK) return first_failure;
  first_failure =
      eva_open(&device, hal, table.register_base, table.ring_address, table.ring_size);
  if (first_failure != EVA_OK) {
    log_line(hal, EVA_LOG_ERROR, "the accelerator does not answer as expected");
    return first_failure;
  }
  for (uint32_t i = 0; i < table.layer_count; ++i) {
    struct eva_layer layer;
    const uint64_t layer_address = table.layer_table_address + (uint64_t)i * sizeof layer;
    if (!hal->read_memory(hal->context, layer_address, &layer, sizeof layer)) return EVA_FAILED_BUS;
    layer.result = eva_run_layer(&device, &layer, (uint16_t)i,
                                 (enum eva_codebook_order)table.codebook_order);
    if (!hal->write_memory(hal->context, layer_address, &layer, sizeof layer)) return EVA_FAILED_BUS;
    if (layer.result == EVA_OK) continue;
    if (first_failure == EVA_OK) first_failure = layer.result;
    if (layer.result == EVA_FAILED_BUS) break;
    if (layer.result == EVA_FAILED_DEVICE && eva_recover(&device) != EVA_OK) break;
  }
  return first_failure;
}
