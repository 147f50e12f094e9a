#include "base/part.h"

#include <exception>
#include <utility>

namespace eva {

void Part::start_process(const char* process_name, std::function<void()> body, int stack_bytes) {
  processes_.push_back(spawn(process_name, std::move(body), stack_bytes));
}

void Part::start_surviving_process(const char* process_name, std::function<void()> body,
                                   int stack_bytes) {
  spawn(process_name, std::move(body), stack_bytes);
}

sc_core::sc_process_handle Part::spawn(const char* process_name, std::function<void()> body,
                                       int stack_bytes) {
  sc_core::sc_spawn_options options;
  options.set_stack_size(stack_bytes);
  return sc_core::sc_spawn(
      [this, body = std::move(body)] {
        try {
          body();
        } catch (const sc_core::sc_unwind_exception&) {
          throw;  // the kernel's own, on reset and kill
        } catch (const std::exception& error) {
          context_.failures.on_failure(name(), error.what());
        }
      },
      sc_core::sc_gen_unique_name(process_name), &options);
}

}  // namespace eva
