// Must be reported by the address sanitizer, also on the stack of a SystemC process: shows that the
// preset's options do not blind it.
#include <cstdlib>
#include <systemc>
#include <vector>

int sc_main(int /*argc*/, char** /*argv*/) {
  sc_core::sc_spawn([] {
    sc_core::wait(1, sc_core::SC_NS);
    std::vector<int> numbers(static_cast<std::size_t>(std::rand() % 2 + 1));
    volatile int* const beyond = numbers.data() + numbers.size();
    *beyond = 1;
  });
  sc_core::sc_start();
  return 0;
}
