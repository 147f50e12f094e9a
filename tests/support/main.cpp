#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdlib>
#include <systemc>

// Tests that simulate do so in child processes; the kernel's own banner would only be in the way.
int sc_main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}

int main(int argc, char** argv) {
  ::setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
