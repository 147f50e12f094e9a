#include <systemc>

#include "platform/command_line.h"

int sc_main(int argc, char** argv) {
  return eva::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
