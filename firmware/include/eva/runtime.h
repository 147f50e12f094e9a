/* The layer runtime: runs the layers of a boot table. */
#ifndef EVA_RUNTIME_H
#define EVA_RUNTIME_H

#include <eva/boot.h>
#include <eva/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs one layer to its end. `number` marks its descriptors. EVA_OK or enum eva_result. */
int eva_run_layer(struct eva_device *device, const struct eva_layer *layer, uint16_t number,
                  enum eva_codebook_order order);

/* The application that scenarios run: reads the boot table at `address`, runs its layers in order
 * and writes each one's result into the table. A layer that fails does not keep the next ones from
 * running. Returns EVA_OK or the first failure. */
int eva_run_boot_table(const struct eva_hal *hal, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
