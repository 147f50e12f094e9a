/* Registers of the accelerator: offsets from the base of its window, field masks, error codes.
 *
 * The only place where these numbers stand; the model includes this header too. Registers are 32
 * bits wide and are accessed as aligned 32-bit words. Write-1-to-clear registers are written with
 * plain stores only: a read-modify-write would clear events that nobody has seen. */
#ifndef EVA_REGISTERS_H
#define EVA_REGISTERS_H

#include <stdint.h>

#define EVA_REG_ID 0x000u        /* read only: EVA_ID_VALUE */
#define EVA_REG_VERSION 0x004u   /* read only: descriptor version that the chip understands */
#define EVA_REG_CONTROL 0x008u   /* read write: EVA_CONTROL_* */
#define EVA_REG_STATUS 0x00cu    /* read only: EVA_STATUS_* */
#define EVA_REG_INT_STATUS 0x010u /* write 1 to clear: EVA_INT_* */
#define EVA_REG_INT_ENABLE 0x014u /* read write: EVA_INT_* */

#define EVA_REG_RING_BASE_LO 0x018u /* read write while disabled: 64-byte aligned */
#define EVA_REG_RING_BASE_HI 0x01cu
#define EVA_REG_RING_SIZE 0x020u /* read write while disabled: descriptors, 1 .. 65536 */
/* Head and tail count descriptors modulo twice the ring's size, so that a full ring differs from an
 * empty one whatever the size. Descriptor i lies in slot i modulo size. */
#define EVA_REG_RING_HEAD 0x024u /* read only: descriptors completed */
#define EVA_REG_RING_TAIL 0x028u /* read write: descriptors posted; writing it is the doorbell */

#define EVA_REG_ERROR_CODE 0x02cu      /* read only: enum eva_error */
#define EVA_REG_ERROR_INDEX 0x030u     /* read only: ring index (as head counts) of the descriptor */
#define EVA_REG_ERROR_DETAIL_LO 0x034u /* read only: what was asked for: bytes, address or value */
#define EVA_REG_ERROR_DETAIL_HI 0x038u
#define EVA_REG_SCRATCH 0x03cu /* read write: no effect */

/* Capabilities, read only. */
#define EVA_REG_CAP_ARRAY 0x040u     /* rows in bits 15:0, FP16 columns in bits 31:16 */
#define EVA_REG_CAP_EPILOGUE 0x044u  /* units in bits 15:0, lanes of each in bits 31:16 */
#define EVA_REG_CAP_VECTOR 0x048u    /* lanes */
#define EVA_REG_CAP_INPUT_BUFFER 0x04cu    /* bytes, also the following */
#define EVA_REG_CAP_CODEBOOK_BUFFER 0x050u
#define EVA_REG_CAP_WEIGHT_BUFFER 0x054u
#define EVA_REG_CAP_OUTPUT_CODEBOOK_BUFFER 0x058u
#define EVA_REG_CAP_OUTPUT_BUFFER 0x05cu
#define EVA_REG_CAP_MEMORY_PORT 0x060u /* bytes per cycle */
#define EVA_REG_CAP_CHUNK 0x064u       /* columns that the epilogue hands on at a time */

/* Performance counters, 64 bits each; a write of 1 to SNAPSHOT copies all of them at once. */
#define EVA_REG_PERF_SNAPSHOT 0x0fcu
#define EVA_REG_PERF_CYCLES 0x100u
#define EVA_REG_PERF_COMMANDS 0x108u
#define EVA_REG_PERF_GEMM_BUSY 0x110u
#define EVA_REG_PERF_EPILOGUE_BUSY 0x118u
#define EVA_REG_PERF_VECTOR_BUSY 0x120u
#define EVA_REG_PERF_DMA_BUSY 0x128u
#define EVA_REG_PERF_BYTES_READ 0x130u
#define EVA_REG_PERF_BYTES_WRITTEN 0x138u
#define EVA_PERF_COUNTERS 8u

#define EVA_REGISTER_WINDOW 0x1000u /* bytes */

#define EVA_ID_VALUE 0x31415645u /* "EVA1" in memory order */

#define EVA_CONTROL_ENABLE (1u << 0) /* fetch descriptors */
#define EVA_CONTROL_RESET (1u << 1)  /* abandons all work at once; reads back as 0 */

#define EVA_STATUS_BUSY (1u << 0)     /* posted descriptors are not all complete */
#define EVA_STATUS_ERROR (1u << 1)    /* the queue has stopped; only a reset ends this */
#define EVA_STATUS_OVERFLOW (1u << 2) /* sticky: a finite sum became an FP16 infinity */

#define EVA_INT_COMPLETE (1u << 0) /* a descriptor with EVA_FLAG_INTERRUPT has completed */
#define EVA_INT_ERROR (1u << 1)    /* the queue has stopped with an error */

enum eva_error {
  EVA_ERROR_NONE = 0,
  EVA_ERROR_OPCODE = 1,    /* unknown opcode; detail: the opcode */
  EVA_ERROR_VERSION = 2,   /* detail: the version */
  EVA_ERROR_FLAGS = 3,     /* a flag that the opcode does not know; detail: the flags */
  EVA_ERROR_ALIGNMENT = 4, /* detail: the address or stride */
  EVA_ERROR_ADDRESS = 5,   /* an operand outside memory; detail: its address */
  EVA_ERROR_SHAPE = 6,     /* tokens, rows, columns, vector length or index bits; detail: the value */
  EVA_ERROR_INPUT_CAPACITY = 7, /* does not fit the buffer; detail: bytes needed; also the next */
  EVA_ERROR_CODEBOOK_CAPACITY = 8,
  EVA_ERROR_WEIGHT_CAPACITY = 9,
  EVA_ERROR_OUTPUT_CODEBOOK_CAPACITY = 10,
  EVA_ERROR_OUTPUT_CAPACITY = 11,
  EVA_ERROR_ACCUMULATOR = 12, /* INT8 sums over more inputs than INT32 holds; detail: inputs */
  EVA_ERROR_SEQUENCE = 13,    /* FIRST inside a sum, no FIRST outside, or another shape inside */
  EVA_ERROR_RING = 14,        /* base, size or tail; detail: the value */
  EVA_ERROR_BUS = 15          /* a transfer was answered with an error; detail: its address */
};

#endif
