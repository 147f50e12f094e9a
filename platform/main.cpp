#include <cstdlib>
#include <systemc>

#include "platform/command_line.h"

int sc_main(int argc, char** argv) {
  return eva::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}

int main(int argc, char** argv) {
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);  // the kernel's banner is not ours to print
  return sc_core::sc_elab_and_sim(argc, argv);
}
