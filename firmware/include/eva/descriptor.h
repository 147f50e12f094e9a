/* Descriptors: 64 bytes, little endian, in a ring in memory. The model includes this header too. */
#ifndef EVA_DESCRIPTOR_H
#define EVA_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

#define EVA_DESCRIPTOR_BYTES 64u
#define EVA_DESCRIPTOR_VERSION 1u

enum eva_opcode {
  EVA_OP_NOP = 0,
  EVA_OP_LOAD_CODEBOOK = 1, /* weight_address -> codebook buffer at codebook_offset */
  EVA_OP_DECODE_TILE = 2,   /* row tile x codebook x output tile, FP16 */
  EVA_OP_PREFILL_TILE = 3   /* token tile x input tile x 32 outputs, INT8 */
};

#define EVA_FLAG_FIRST (1u << 0)     /* the accumulators start at zero */
#define EVA_FLAG_LAST (1u << 1)      /* scale the accumulators, round and store them */
#define EVA_FLAG_FENCE (1u << 2)     /* start when all earlier descriptors have completed */
#define EVA_FLAG_INTERRUPT (1u << 3) /* completion raises EVA_INT_COMPLETE */
#define EVA_FLAG_INT8_OUTPUT (1u << 4) /* EVA_OP_PREFILL_TILE: store saturated INT8, not FP16 */

#define EVA_ROW_GROUP 32u     /* rows of the output codebook whose look-ups one epilogue unit adds */
#define EVA_BLOCK 32u         /* INT8 operands are stored in blocks of 32 inputs or outputs */
#define EVA_MAX_DECODE_TOKENS 64u
#define EVA_MAX_PREFILL_TOKENS 1024u
#define EVA_MAX_VECTOR_LENGTH 32u
#define EVA_MAX_INDEX_BITS 16u
#define EVA_MAX_INT8_INPUTS 131071u /* 131072 products of (-128)(-128) reach 2^31 */

/* docs/programmers_manual.md has the meaning of each field for each opcode, and the layouts. */
struct eva_descriptor {
  uint8_t opcode;  /* enum eva_opcode */
  uint8_t version; /* EVA_DESCRIPTOR_VERSION */
  uint16_t flags;  /* EVA_FLAG_* */
  uint16_t layer;  /* the driver's: appears in traces and statistics */
  uint8_t vector_length;
  uint8_t index_bits;
  uint64_t activation_address;
  uint64_t weight_address;
  uint64_t scale_address;
  uint64_t output_address;
  uint32_t activation_stride; /* bytes from token to token (decode) or block to block (prefill) */
  uint32_t weight_stride;     /* bytes from row group to row group (decode) */
  uint32_t output_stride;     /* bytes from token to token (decode) */
  uint32_t codebook_offset;   /* bytes in the codebook buffer */
  uint16_t tokens;
  uint16_t rows;    /* vectors of the row tile (decode), inputs of the tile (prefill) */
  uint32_t columns; /* outputs of the tile */
};

#ifdef __cplusplus
#define EVA_STATIC_ASSERT static_assert
#else
#define EVA_STATIC_ASSERT _Static_assert
#endif
EVA_STATIC_ASSERT(sizeof(struct eva_descriptor) == EVA_DESCRIPTOR_BYTES, "descriptor size");
EVA_STATIC_ASSERT(offsetof(struct eva_descriptor, activation_address) == 8, "descriptor layout");
EVA_STATIC_ASSERT(offsetof(struct eva_descriptor, activation_stride) == 40, "descriptor layout");
EVA_STATIC_ASSERT(offsetof(struct eva_descriptor, tokens) == 56, "descriptor layout");
EVA_STATIC_ASSERT(offsetof(struct eva_descriptor, columns) == 60, "descriptor layout");

#endif
