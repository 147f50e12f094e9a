/* What the firmware needs from the machine that it runs on, and all that it may use of it. */
#ifndef EVA_HAL_H
#define EVA_HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum eva_log_level { EVA_LOG_DEBUG = 0, EVA_LOG_INFO = 1, EVA_LOG_ERROR = 2 };

struct eva_hal {
  void *context;
  /* Device registers and memory as the bus sees them. A false return is a bus error. */
  bool (*read32)(void *context, uint64_t address, uint32_t *value);
  bool (*write32)(void *context, uint64_t address, uint32_t value);
  bool (*read_memory)(void *context, uint64_t address, void *data, size_t bytes);
  bool (*write_memory)(void *context, uint64_t address, const void *data, size_t bytes);
  /* All earlier writes are visible to devices before any later one. */
  void (*barrier)(void *context);
  /* Returns when the accelerator's interrupt line is high; at once if it is. */
  void (*wait_for_interrupt)(void *context);
  void (*log)(void *context, enum eva_log_level level, const char *message);
};

#endif
