#include <eva/driver.h>

static int read_register(const struct eva_device *device, uint32_t offset, uint32_t *value) {
  return device->hal->read32(device->hal->context, device->registers + offset, value)
             ? EVA_OK
             : EVA_FAILED_BUS;
}

static int write_register(const struct eva_device *device, uint32_t offset, uint32_t value) {
  return device->hal->write32(device->hal->context, device->registers + offset, value)
             ? EVA_OK
             : EVA_FAILED_BUS;
}

static int read_error(struct eva_device *device) {
  uint32_t low = 0;
  uint32_t high = 0;
  int result = read_register(device, EVA_REG_ERROR_CODE, &device->error_code);
  if (result == EVA_OK) result = read_register(device, EVA_REG_ERROR_INDEX, &device->error_index);
  if (result == EVA_OK) result = read_register(device, EVA_REG_ERROR_DETAIL_LO, &low);
  if (result == EVA_OK) result = read_register(device, EVA_REG_ERROR_DETAIL_HI, &high);
  if (result != EVA_OK) return result;
  device->error_detail = ((uint64_t)high << 32) | low;
  return EVA_FAILED_DEVICE;
}

/* Resets the device and starts an empty queue; the device may refuse the ring. */
static int start_queue(struct eva_device *device) {
  const struct {
    uint32_t offset;
    uint32_t value;
  } writes[] = {
      {EVA_REG_CONTROL, EVA_CONTROL_RESET},
      {EVA_REG_RING_BASE_LO, (uint32_t)device->ring},
      {EVA_REG_RING_BASE_HI, (uint32_t)(device->ring >> 32)},
      {EVA_REG_RING_SIZE, device->ring_size},
      {EVA_REG_INT_ENABLE, EVA_INT_COMPLETE | EVA_INT_ERROR},
      {EVA_REG_CONTROL, EVA_CONTROL_ENABLE},
  };
  device->head = 0;
  device->tail = 0;
  for (size_t i = 0; i < sizeof writes / sizeof writes[0]; ++i) {
    const int result = write_register(device, writes[i].offset, writes[i].value);
    if (result != EVA_OK) return result;
  }
  uint32_t status = 0;
  const int result = read_register(device, EVA_REG_STATUS, &status);
  if (result != EVA_OK) return result;
  return (status & EVA_STATUS_ERROR) != 0 ? read_error(device) : EVA_OK;
}

static int read_capabilities(struct eva_device *device) {
  struct eva_capabilities *capabilities = &device->capabilities;
  uint32_t array = 0;
  uint32_t epilogue = 0;
  const struct {
    uint32_t offset;
    uint32_t *value;
  } reads[] = {
      {EVA_REG_CAP_ARRAY, &array},
      {EVA_REG_CAP_EPILOGUE, &epilogue},
      {EVA_REG_CAP_MEMORY_PORT, &capabilities->memory_port_bytes},
      {EVA_REG_CAP_CHUNK, &capabilities->chunk_columns},
      {EVA_REG_CAP_INPUT_BUFFER, &capabilities->input_bytes},
      {EVA_REG_CAP_CODEBOOK_BUFFER, &capabilities->codebook_bytes},
      {EVA_REG_CAP_WEIGHT_BUFFER, &capabilities->weight_bytes},
      {EVA_REG_CAP_OUTPUT_CODEBOOK_BUFFER, &capabilities->output_codebook_bytes},
      {EVA_REG_CAP_OUTPUT_BUFFER, &capabilities->output_bytes},
  };
  for (size_t i = 0; i < sizeof reads / sizeof reads[0]; ++i) {
    const int result = read_register(device, reads[i].offset, reads[i].value);
    if (result != EVA_OK) return result;
  }
  capabilities->array_rows = array & 0xffffu;
  capabilities->array_columns = array >> 16;
  capabilities->epilogue_units = epilogue & 0xffffu;
  return EVA_OK;
}

int eva_open(struct eva_device *device, const struct eva_hal *hal, uint64_t registers,
             uint64_t ring, uint32_t ring_size) {
  uint32_t id = 0;
  uint32_t version = 0;
  *device = (struct eva_device){
      .hal = hal, .registers = registers, .ring = ring, .ring_size = ring_size};
  int result = read_register(device, EVA_REG_ID, &id);
  if (result == EVA_OK) result = read_register(device, EVA_REG_VERSION, &version);
  if (result != EVA_OK) return result;
  if (id != EVA_ID_VALUE || version != EVA_DESCRIPTOR_VERSION) return EVA_FAILED_IDENTITY;
  result = read_capabilities(device);
  if (result != EVA_OK) return result;
  return start_queue(device);
}

static uint32_t posted(const struct eva_device *device) {
  const uint32_t modulus = 2 * device->ring_size;
  return (device->tail + modulus - device->head) % modulus;
}

/* Sleeps until the device has something to say, and takes note of it. The event is acknowledged
 * before the state is read: what comes after the acknowledgement raises the line again. */
static int wait_for_event(struct eva_device *device) {
  uint32_t events = 0;
  device->hal->wait_for_interrupt(device->hal->context);
  int result = read_register(device, EVA_REG_INT_STATUS, &events);
  if (result != EVA_OK) return result;
  if (events & EVA_INT_ERROR) return read_error(device);
  result = write_register(device, EVA_REG_INT_STATUS, events);
  if (result != EVA_OK) return result;
  return read_register(device, EVA_REG_RING_HEAD, &device->head);
}

int eva_submit(struct eva_device *device, const struct eva_descriptor *descriptor) {
  const struct eva_hal *hal = device->hal;
  struct eva_descriptor posted_descriptor = *descriptor;
  while (posted(device) == device->ring_size) {
    const int result = wait_for_event(device);
    if (result != EVA_OK) return result;
  }
  /* Whoever finds the ring full sleeps: so the ring's middle and its end wake him. */
  const uint32_t half = (device->ring_size + 1) / 2;
  if ((device->tail + 1) % half == 0) posted_descriptor.flags |= EVA_FLAG_INTERRUPT;

  const uint64_t slot = device->tail % device->ring_size;
  if (!hal->write_memory(hal->context, device->ring + slot * EVA_DESCRIPTOR_BYTES,
                         &posted_descriptor, sizeof posted_descriptor)) {
    return EVA_FAILED_BUS;
  }
  hal->barrier(hal->context);
  device->tail = (device->tail + 1) % (2 * device->ring_size);
  return write_register(device, EVA_REG_RING_TAIL, device->tail);
}

int eva_wait(struct eva_device *device) {
  while (posted(device) != 0) {
    const int result = wait_for_event(device);
    if (result != EVA_OK) return result;
  }
  return EVA_OK;
}

int eva_recover(struct eva_device *device) { return start_queue(device); }

const char *eva_error_name(uint32_t error_code) {
  static const char *const names[] = {
      "no error",
      "unknown opcode",
      "unknown descriptor version",
      "unknown flag",
      "misaligned operand",
      "operand outside memory",
      "shape out of range",
      "input buffer too small",
      "codebook buffer too small",
      "weight buffer too small",
      "output codebook buffer too small",
      "output buffer too small",
      "INT8 sum could overflow",
      "tile out of sequence",
      "ring base, size or tail out of range",
      "bus error",
  };
  return error_code < sizeof names / sizeof names[0] ? names[error_code] : "unknown error";
}
