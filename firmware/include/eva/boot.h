/* The boot table: how whoever loads memory tells the firmware what to run. Little endian. */
#ifndef EVA_BOOT_H
#define EVA_BOOT_H

#include <stdint.h>

#define EVA_BOOT_MAGIC 0x544f4f4245564131ull /* "1AVEBOOT" in memory order */
#define EVA_BOOT_VERSION 1u

enum eva_form {
  EVA_FORM_DECODE = 0, /* FP16 activations, vector-quantized weights */
  EVA_FORM_PREFILL = 1 /* INT8 activations and weights */
};

#define EVA_LAYER_INT8_OUTPUT (1u << 0)

/* One fully connected layer y = xW. docs/programmers_manual.md has the layouts in memory. */
struct eva_layer {
  uint32_t form;  /* enum eva_form */
  uint32_t flags; /* EVA_LAYER_* */
  uint32_t tokens;
  uint32_t inputs;
  uint32_t outputs;
  uint16_t vector_length; /* decode: inputs of one vector */
  uint16_t index_bits;    /* decode: a codebook has 2^index_bits entries */
  uint32_t codebooks;     /* decode */
  uint32_t columns_per_codebook; /* decode: outputs that share a codebook set; 0: all of them */
  uint64_t activation_address;
  uint64_t codebook_address;
  uint64_t weight_address; /* weight indices (decode) or weights (prefill) */
  uint64_t scale_address;
  uint64_t output_address;
  int32_t result; /* written by the firmware: 0 or a negative enum eva_result */
  uint32_t reserved;
  uint64_t reserved2[2];
};

enum eva_codebook_order {
  EVA_CODEBOOK_INNER = 0, /* every codebook of a row tile, then the next row tile (published) */
  EVA_CODEBOOK_OUTER = 1  /* every row tile of a codebook, then the next codebook */
};

struct eva_boot_table {
  uint64_t magic;
  uint32_t version;
  uint32_t layer_count;
  uint64_t layer_table_address; /* struct eva_layer[layer_count] */
  uint64_t ring_address;        /* ring_size descriptors */
  uint32_t ring_size;
  uint32_t codebook_order; /* enum eva_codebook_order */
  uint64_t register_base;
  uint64_t reserved[2];
};

#ifdef __cplusplus
static_assert(sizeof(struct eva_layer) == 96, "boot table layout");
static_assert(sizeof(struct eva_boot_table) == 64, "boot table layout");
#else
_Static_assert(sizeof(struct eva_layer) == 96, "boot table layout");
_Static_assert(sizeof(struct eva_boot_table) == 64, "boot table layout");
#endif

#endif
