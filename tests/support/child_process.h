#pragma once

#include <functional>
#include <string>

namespace eva::test {

/// Runs `body` in a process of its own and returns what it returned. A simulation needs this: the
/// SystemC kernel elaborates once per process, and a test program has several tests.
/// Throws std::runtime_error with the reason if the body threw or the process died.
std::string in_child_process(const std::function<std::string()>& body);

}  // namespace eva::test
