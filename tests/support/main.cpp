#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <systemc>

// SystemC's library owns main() and calls this.
int sc_main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
