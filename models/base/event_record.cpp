#include "base/event_record.h"

#include <stdexcept>

namespace eva {

const char* name_of(WaitReason reason) {
  switch (reason) {
    case WaitReason::none:
      return "none";
    case WaitReason::commands:
      return "commands";
    case WaitReason::activations:
      return "activations";
    case WaitReason::codebook:
      return "codebook";
    case WaitReason::weights:
      return "weights";
    case WaitReason::scales:
      return "scales";
    case WaitReason::output_codebook:
      return "output_codebook";
    case WaitReason::buffer_space:
      return "buffer_space";
    case WaitReason::earlier_commands:
      return "earlier_commands";
    case WaitReason::interrupt:
      return "interrupt";
    case WaitReason::accumulator:
      return "accumulator";
  }
  return "unknown";
}

void UnitTimeline::enter(Cycles now, Activity activity, const char* operation, WaitReason reason,
                         WorkContext context) {
  if (now < current_.begin) {
    throw std::logic_error(name_ + ": time runs backwards from cycle " +
                           std::to_string(current_.begin.count()) + " to " +
                           std::to_string(now.count()));
  }
  current_.end = now;
  const bool something_happened = current_.begin < now || current_.work != 0 ||
                                  current_.bytes_read != Bytes() ||
                                  current_.bytes_written != Bytes();
  if (something_happened) log_.record(current_);
  EventRecord next;
  next.unit = current_.unit;
  next.activity = activity;
  next.operation = operation;
  next.reason = reason;
  next.context = context;
  next.begin = now;
  current_ = next;
}

}  // namespace eva
