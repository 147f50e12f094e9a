#pragma once

#include <string>
#include <vector>

namespace eva {

/// Exit status of the program: part of its interface.
enum ExitStatus : int {
  exit_done = 0,
  exit_failed = 1,    ///< mismatches or an error of the model
  exit_bad_input = 2  ///< bad usage or bad input
};

/// Runs the program with `arguments` (without its own name). Every exception ends here, as a
/// message on standard error and an exit status.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace eva
