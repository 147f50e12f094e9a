/* The driver: one accelerator, its descriptor ring and its interrupt. */
#ifndef EVA_DRIVER_H
#define EVA_DRIVER_H

#include <eva/descriptor.h>
#include <eva/hal.h>
#include <eva/registers.h>

#ifdef __cplusplus
extern "C" {
#endif

enum eva_result {
  EVA_OK = 0,
  EVA_FAILED_BUS = -1,      /* the driver's own access was answered with an error */
  EVA_FAILED_DEVICE = -2,   /* the queue stopped: error_code, error_index, error_detail */
  EVA_FAILED_IDENTITY = -3, /* not this accelerator, or another descriptor version */
  EVA_FAILED_SHAPE = -4,    /* a layer that the accelerator does not do */
  EVA_FAILED_CAPACITY = -5, /* a layer that does not fit its buffers */
  EVA_FAILED_BOOT = -6      /* no usable boot table */
};

struct eva_capabilities {
  uint32_t array_rows;
  uint32_t array_columns;
  uint32_t epilogue_units;
  uint32_t memory_port_bytes; /* per cycle */
  uint32_t chunk_columns;
  uint32_t input_bytes;
  uint32_t codebook_bytes;
  uint32_t weight_bytes;
  uint32_t output_codebook_bytes;
  uint32_t output_bytes;
};

struct eva_device {
  const struct eva_hal *hal;
  uint64_t registers; /* bus address */
  uint64_t ring;      /* bus address */
  uint32_t ring_size;
  uint32_t head; /* as last read; both count modulo 2 * ring_size */
  uint32_t tail;
  struct eva_capabilities capabilities;
  /* What the device said when it stopped. */
  uint32_t error_code;
  uint32_t error_index;
  uint64_t error_detail;
};

/* Identifies and resets the device, reads its capabilities and starts its queue. */
int eva_open(struct eva_device *device, const struct eva_hal *hal, uint64_t registers,
             uint64_t ring, uint32_t ring_size);

/* Posts one descriptor and rings the doorbell; sleeps while the ring is full. */
int eva_submit(struct eva_device *device, const struct eva_descriptor *descriptor);

/* Sleeps until all posted descriptors are complete. The last one must have EVA_FLAG_INTERRUPT. */
int eva_wait(struct eva_device *device);

/* After EVA_FAILED_DEVICE: abandons everything and starts an empty queue. */
int eva_recover(struct eva_device *device);

const char *eva_error_name(uint32_t error_code);

#ifdef __cplusplus
}
#endif

#endif
