#include "platform/statistics.h"

#include <algorithm>

namespace eva {

void Statistics::on_event(const EventRecord& record) {
  if (units_.size() <= record.unit) units_.resize(record.unit + 1);
  Unit& unit = units_[record.unit];
  const Cycles cycles = record.end - record.begin;
  switch (record.activity) {
    case Activity::busy:
      unit.busy += cycles;
      break;
    case Activity::stalled:
      unit.stalled += cycles;
      unit.stalled_by[record.reason] += cycles;
      break;
    case Activity::idle:
      unit.idle += cycles;
      break;
  }
  unit.bytes_read += record.bytes_read;
  unit.bytes_written += record.bytes_written;
  unit.work += record.work;
  if (record.work != 0) unit.work_by_operation[record.operation] += record.work;

  if (record.activity != Activity::busy || record.context.layer == WorkContext::no_layer) return;
  const std::size_t number = record.context.layer;
  if (layers_.size() <= number) layers_.resize(number + 1);
  Layer& layer = layers_[number];
  layer.begin = std::min(layer.begin, record.begin);
  layer.end = std::max(layer.end, record.end);
  layer.bytes_read += record.bytes_read;
  layer.bytes_written += record.bytes_written;
}

}  // namespace eva
