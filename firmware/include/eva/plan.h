/* How a layer is cut into tiles for the buffers and units that a chip has. Pure functions. */
#ifndef EVA_PLAN_H
#define EVA_PLAN_H

#include <eva/boot.h>
#include <eva/driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tiles of one group of tokens in decode form. */
struct eva_decode_tiling {
  uint32_t tokens;
  uint32_t row_groups; /* row groups of 32 vectors in a tile */
  uint32_t columns;    /* outputs of a tile, the last one may have fewer */
};

struct eva_decode_plan {
  struct eva_decode_tiling tilings[EVA_MAX_DECODE_TOKENS]; /* one per group of tokens */
  uint32_t tiling_count;
  uint64_t cycles; /* what the plan was chosen by: an estimate */
};

struct eva_prefill_plan {
  uint32_t tokens; /* of a tile, the last one may have fewer */
  uint32_t inputs; /* of a tile, a multiple of 32 */
};

/* Why a layer cannot run. */
struct eva_problem {
  const char *what; /* the buffer, or the dimension */
  const char *rule; /* how it must relate to the limit: "at most", "at least", "a multiple of" */
  uint64_t found;   /* bytes needed, or the dimension */
  uint64_t limit;
};

/* EVA_OK, or EVA_FAILED_SHAPE or EVA_FAILED_CAPACITY with `problem` filled. A layer without tokens
 * has an empty plan. */
int eva_plan_decode(const struct eva_capabilities *capabilities, const struct eva_layer *layer,
                    struct eva_decode_plan *plan, struct eva_problem *problem);
int eva_plan_prefill(const struct eva_capabilities *capabilities, const struct eva_layer *layer,
                     struct eva_prefill_plan *plan, struct eva_problem *problem);

#ifdef __cplusplus
}
#endif

#endif
