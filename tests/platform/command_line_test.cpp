// The program as its users call it: exit status, messages, files.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/program.h"

using namespace eva::test;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

namespace {

ProgramRun eva_vp(const std::string& arguments, const TemporaryFolder& folder) {
  return run_program(EVA_VP_PROGRAM " " + arguments, folder.path());
}

constexpr const char* small_scenario =
    "name: small\n"
    "layers:\n"
    "  - {tokens: 1, inputs: 256, outputs: 64}\n";

/// One line on standard error, exit status 2, and no output folder.
void check_refusal(const std::string& file, const std::string& message,
                   const std::string& options = "") {
  const TemporaryFolder folder;
  folder.write("scenario.yaml", file);
  const ProgramRun run = eva_vp("run scenario.yaml -o out " + options, folder);
  INFO(run.err);
  CHECK(run.status == 2);
  CHECK_THAT(run.err, StartsWith("eva-vp: ") && Contains(message));
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  CHECK(run.out.empty());
  CHECK_FALSE(folder.has("out"));
}

nlohmann::json without_wall(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text);
  json.erase("wall");
  return json;
}

}  // namespace

TEST_CASE("run: a scenario ends with status 0, a summary and three files") {
  const TemporaryFolder folder;
  const ProgramRun run = eva_vp("run tiny-decode -o out", folder);
  CHECK(run.status == 0);
  CHECK(run.err.empty());  // no banner, no progress line when piped
  CHECK_THAT(run.out, Contains("cycles") && Contains("mismatches 0 of 999 outputs"));
  CHECK(folder.has("out/stats.json"));
  CHECK(folder.has("out/summary.txt"));
  CHECK(folder.has("out/config.yaml"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path() / "out"), {}) == 3);
}

TEST_CASE("run: quiet prints nothing") {
  const TemporaryFolder folder;
  const ProgramRun run = eva_vp("run tiny-prefill -q -o out", folder);
  CHECK(run.status == 0);
  CHECK(run.out.empty());
  CHECK(run.err.empty());
}

TEST_CASE("run: the written configuration repeats the run, and itself byte for byte") {
  const TemporaryFolder folder;
  eva_vp("run tiny-decode -o first --seed 7 --set chip.epilogue.units=2", folder);
  const ProgramRun again = eva_vp("run first/config.yaml -o second", folder);
  CHECK(again.status == 0);
  CHECK(folder.read("first/config.yaml") == folder.read("second/config.yaml"));
  CHECK(without_wall(folder.read("first/stats.json")) ==
        without_wall(folder.read("second/stats.json")));
}

TEST_CASE("run: results depend neither on the environment nor on where memory lies") {
  const TemporaryFolder folder;
  eva_vp("run tiny-decode -q -o plain", folder);
  run_program("LC_ALL=de_DE.UTF-8 PADDING=$(head -c 5000 /dev/zero | tr '\\0' x) " EVA_VP_PROGRAM
              " run tiny-decode -q -o padded",
              folder.path());
  run_program("setarch -R " EVA_VP_PROGRAM " run tiny-decode -q -o fixed", folder.path());
  const nlohmann::json plain = without_wall(folder.read("plain/stats.json"));
  CHECK(without_wall(folder.read("padded/stats.json")) == plain);
  CHECK(without_wall(folder.read("fixed/stats.json")) == plain);
}

TEST_CASE("run: stats.json has no null, and the keys that scripts rely on") {
  const TemporaryFolder folder;
  folder.write("idle.yaml", "layers:\n  - {tokens: 0, inputs: 256, outputs: 64}\n");
  CHECK(eva_vp("run idle.yaml -q -o out", folder).status == 0);
  const std::string text = folder.read("out/stats.json");
  CHECK_THAT(text, !Contains("null"));
  const auto json = nlohmann::json::parse(text);
  for (const char* key : {"/fidelity",
                          "/memory",
                          "/scenario",
                          "/seed",
                          "/sim/cycles",
                          "/sim/time_ns",
                          "/sim/tokens_per_second",
                          "/layers/0/name",
                          "/layers/0/m",
                          "/layers/0/k",
                          "/layers/0/n",
                          "/layers/0/cycles",
                          "/layers/0/bytes_read",
                          "/layers/0/bytes_written",
                          "/units/gemm/busy_cycles",
                          "/units/epilogue/stall_cycles",
                          "/units/vector/utilization",
                          "/units/dma/busy_cycles",
                          "/units/command/busy_cycles",
                          "/buffers/weight/capacity_bytes",
                          "/buffers/weight/peak_bytes",
                          "/buffers/weight/reads",
                          "/buffers/weight/writes",
                          "/buffers/output_codebook/conflict_cycles",
                          "/dram/bytes_read",
                          "/dram/bytes_written",
                          "/dram/bandwidth_gb_s",
                          "/check/compared",
                          "/check/mismatches",
                          "/check/max_ulp",
                          "/wall/seconds",
                          "/wall/cycles_per_second"}) {
    CHECK(json.contains(nlohmann::json::json_pointer(key)));
  }
}

TEST_CASE("run: the closed form is one option away") {
  const TemporaryFolder folder;
  CHECK(eva_vp("run llama2-7b-block-decode --fidelity closed_form -q -o out", folder).status == 0);
  CHECK(nlohmann::json::parse(folder.read("out/stats.json"))["sim"]["cycles"] == 405978);
}

TEST_CASE("run: --set reaches every key, in order") {
  const TemporaryFolder folder;
  CHECK(eva_vp("run llama2-7b-block-decode -q -o out --set llm=llama3-8b --set data=none "
               "--set chip=eva-2eu --set chip.clock_mhz=250 --set tokens=2",
               folder)
            .status == 0);
  const std::string config = folder.read("out/config.yaml");
  CHECK_THAT(config, Contains("units: 2") && Contains("clock_mhz: 250") && Contains("tokens: 2") &&
                         Contains("outputs: 14336") && Contains("data: none"));
}

TEST_CASE("bad usage is told with the usage, and status 2") {
  const TemporaryFolder folder;
  for (const char* arguments : {"", "walk", "run", "run tiny-decode extra",
                                "run tiny-decode --sed 1", "run tiny-decode --set", "list all"}) {
    const ProgramRun run = eva_vp(arguments, folder);
    INFO(arguments);
    CHECK(run.status == 2);
    CHECK_THAT(run.err, StartsWith("eva-vp: ") && Contains("usage: eva-vp run"));
  }
  CHECK(eva_vp("--help", folder).status == 0);
  CHECK(eva_vp("--version", folder).out == "eva-vp 0.1.0\n");
}

TEST_CASE("every command that the README shows works") {
  const TemporaryFolder folder;
  std::ifstream readme(EVA_SOURCE_FOLDER "/README.md");
  int commands = 0;
  for (std::string line; std::getline(readme, line);) {
    const std::string prefix = "    eva-vp ";
    if (line.rfind(prefix, 0) != 0) continue;
    ++commands;
    INFO(line);
    const std::string command = line.substr(0, line.find('#'));
    CHECK(eva_vp(command.substr(prefix.size()), folder).status == 0);
  }
  CHECK(commands >= 5);
}

TEST_CASE("list: names scenarios, chips and models") {
  const TemporaryFolder folder;
  const ProgramRun run = eva_vp("list", folder);
  CHECK(run.status == 0);
  CHECK_THAT(run.out,
             Contains("llama2-7b-block-decode ") && Contains("eva-16eu") && Contains("llama3-8b"));
}

TEST_CASE("bad scenario: what, where and what was expected, in one line") {
  check_refusal("layers:\n  - {tokens: 1, inputs: 256, outputs: 64, chanels: 2}\n",
                "scenario.yaml:2: layers[0].chanels: unknown key 'chanels'");
  check_refusal("chip: {epilogue: {unit: 4}}\nlayers: [{inputs: 8, outputs: 8}]\n",
                "did you mean 'units'?");
  check_refusal("seed: -1\nlayers: [{inputs: 8, outputs: 8}]\n", "scenario.yaml:1: seed: ");
  check_refusal("chip: {clock_mhz: 500000000}\nlayers: [{inputs: 8, outputs: 8}]\n",
                "scenario.yaml:1: chip.clock_mhz: 500000000 is out of range");
  check_refusal("chip: {dram: {capacity_mib: 010}}\nlayers: [{inputs: 8, outputs: 8}]\n",
                "chip.dram.capacity_mib");
  check_refusal("layers: [{inputs: 8, outputs: 99999999999}]\n", "layers[0].outputs");
  check_refusal("layers: [{inputs: wide, outputs: 8}]\n", "layers[0].inputs");
  check_refusal("layers: 7\n", "layers");
  check_refusal("name: a\nname: b\nlayers: []\n", "scenario.yaml:2");
  check_refusal("name: nothing\n", "expected 'layers' or 'llm'");
  check_refusal("layers: [\n", "scenario.yaml");
  check_refusal("", "scenario.yaml");
  check_refusal("llm: llama4\n", "there is no 'llama4'; expected a file or one of: llama-13b");
  check_refusal("chip: eva-99\nlayers: [{inputs: 8, outputs: 8}]\n", "there is no 'eva-99'");
  check_refusal("llm: llama2-7b\nlayers: [{inputs: 8, outputs: 8}]\n", "expected one of the two");
}

TEST_CASE("bad --set: told with the assignment") {
  check_refusal(small_scenario,
                "--set chip.epilogue.units=0: chip.epilogue.units: 0 is out of range",
                "--set chip.epilogue.units=0");
  check_refusal(small_scenario, "did you mean 'epilogue'", "--set chip.epilog.units=1");
  check_refusal(small_scenario, "fidelity", "--fidelity exact");
  check_refusal(small_scenario, "memory", "--memory ddr4");
}

TEST_CASE("a missing scenario names what there is") {
  const TemporaryFolder folder;
  const ProgramRun run = eva_vp("run nonsense -o out", folder);
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("there is no 'nonsense'") && Contains("tiny-decode"));
  CHECK(eva_vp("run ./missing.yaml -o out", folder).status == 2);
  CHECK(eva_vp("run . -o out", folder).status == 2);
  CHECK_FALSE(folder.has("out"));
}

TEST_CASE("a layer that the chip cannot run is refused before anything is simulated") {
  const auto layer = [](const std::string& keys) {
    return "layers:\n  - {tokens: 1, " + keys + "}\n";
  };
  check_refusal(
      layer("inputs: 4096, outputs: 4096, codebooks: 1, index_bits: 12"),
      "scenario.yaml:2: layers[0]: layer 'layer' needs 65536 bytes of the codebook buffer; "
      "the chip has 16384");
  check_refusal(layer("inputs: 4096, outputs: 4096, codebooks: 1, index_bits: 16"),
                "needs 1048576 bytes of the codebook buffer");
  check_refusal(layer("inputs: 11004, outputs: 64"),
                "layer 'layer' has 11004 inputs; expected a multiple of 8");
  check_refusal("layers: [{tokens: 65, inputs: 64, outputs: 64}]\n",
                "layer 'layer' has 65 tokens of a decode layer; expected at most 64");
  check_refusal("layers: [{form: prefill, inputs: 131072, outputs: 64}]\n", "131072 inputs");
  check_refusal("chip: {dram: {capacity_mib: 1}}\n" + layer("inputs: 4096, outputs: 4096"),
                "MiB of memory; the board has 1");
}

TEST_CASE("windows that overlap are refused with both names and both places") {
  check_refusal(
      "chip:\n  bus:\n    registers_address: 0x80001000\n    dram_address: 0x80000000\n"
      "layers: [{inputs: 8, outputs: 8}]\n",
      "scenario.yaml:3: chip.bus.registers_address: window 'registers' overlaps window "
      "'dram', which is given at scenario.yaml:4");
}

TEST_CASE("a chip may build on another, but not on itself") {
  const TemporaryFolder folder;
  folder.write("mine.yaml", "name: mine\nbase: eva-2eu\nclock_mhz: 400\n");
  folder.write("loop.yaml", "base: loop.yaml\n");
  folder.write("a.yaml", std::string("chip: mine.yaml\n") + small_scenario);
  folder.write("b.yaml", std::string("chip: loop.yaml\n") + small_scenario);
  CHECK(eva_vp("run a.yaml -q -o out", folder).status == 0);
  CHECK_THAT(folder.read("out/config.yaml"), Contains("units: 2") && Contains("clock_mhz: 400"));
  const ProgramRun loop = eva_vp("run b.yaml -q -o never", folder);
  CHECK(loop.status == 2);
  CHECK_THAT(loop.err, Contains("goes round in a circle"));
}

TEST_CASE("a lost completion ends as a deadlock report with status 1 and without stats") {
  const TemporaryFolder folder;
  const ProgramRun run = eva_vp(
      "run tiny-decode -o out --set inject.drop_completion=true --set inject.dropped_completion=3",
      folder);
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Contains("deadlock at cycle") && Contains("host waits for interrupt") &&
                          Contains("commands in flight"));
  CHECK_FALSE(folder.has("out/stats.json"));
}

TEST_CASE("the limit on cycles ends a run with a message of its own and status 1") {
  const TemporaryFolder folder;
  const ProgramRun run = eva_vp("run tiny-decode -o out --set max_cycles=1000", folder);
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Contains("the limit of 1000 cycles"));
  CHECK_FALSE(folder.has("out/stats.json"));
}

TEST_CASE("an output folder that cannot be made is bad input, told before the run") {
  const TemporaryFolder folder;
  folder.write("file", "");
  const ProgramRun run = eva_vp("run llama2-7b-block-prefill -q -o file/out", folder);
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Contains("file/out: cannot be made or written to"));
}

// The sanitizer mistakes its own stack for a process's when something is thrown after a simulation
// (google/sanitizers#189), and ends the program.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("a file that cannot be replaced is an error, and nothing half-written stays") {
  const TemporaryFolder folder;
  run_program("mkdir -p out/stats.json", folder.path());
  const ProgramRun run = eva_vp("run tiny-decode -q -o out", folder);
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Contains("out/stats.json: cannot be replaced"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path() / "out"), {}) == 3);
}
#endif

TEST_CASE("a memory slower than a stretch of the simulation does not stop it") {
  const TemporaryFolder folder;
  folder.write("one.yaml", small_scenario);
  CHECK(eva_vp("run one.yaml -q -o out --set chip.dram.ideal.latency_cycles=1000000", folder)
            .status == 0);
}

TEST_CASE("cycles do not depend on the clock's frequency") {
  const TemporaryFolder folder;
  const auto cycles = [&folder](const std::string& mhz) {
    eva_vp("run tiny-decode -q -o out --set chip.clock_mhz=" + mhz, folder);
    return nlohmann::json::parse(folder.read("out/stats.json"))["sim"]["cycles"].get<int>();
  };
  const int at_500 = cycles("500");
  CHECK(cycles("600") == at_500);
  CHECK(cycles("333") == at_500);
  CHECK(cycles("123.4567") == at_500);
}

TEST_CASE("bad scenario: keys that need others, names that are none, and what has no meaning") {
  check_refusal("tokens: 4\nlayers: [{inputs: 8, outputs: 8}]\n", "tokens: stands without 'llm'");
  check_refusal("llm: llama2-7b\ntoken: 4\n", "did you mean 'tokens'?");
  check_refusal("name: ../escape\nlayers: [{inputs: 8, outputs: 8}]\n", "is no name");
  check_refusal("name: ''\nlayers: [{inputs: 8, outputs: 8}]\n", "is no name");
  check_refusal("chip: {base: [eva-4eu]}\nlayers: [{inputs: 8, outputs: 8}]\n",
                "chip.base: is a list");
  check_refusal("chip: {base: }\nlayers: [{inputs: 8, outputs: 8}]\n", "chip.base");
  check_refusal(
      "data: none\nchip: {buffers: {output_codebook: {bank_mapping: entry}}}\n"
      "layers: [{inputs: 8, outputs: 8}]\n",
      "expected row, or data: random");
}

// Runs for minutes on any machine: what these tests see does not depend on its speed.
#define ENDLESS_RUN \
  EVA_VP_PROGRAM    \
  " run llama2-7b-block-prefill -o out --set llm=llama-65b --set tokens=8192 --set data=none"

TEST_CASE("a run of more than a second shows its progress on a terminal") {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_program("script -qec 'timeout -s INT 3 " ENDLESS_RUN "' /dev/null", folder.path());
  CHECK_THAT(run.out, Contains("million cycles simulated"));
}

TEST_CASE("a run that is interrupted says so, with status 1 and without stats") {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_program(ENDLESS_RUN " & sleep 1; kill -INT $!; wait $!", folder.path());
  CHECK(run.status == 1);
  CHECK_THAT(run.err, Contains("interrupted at cycle"));
  CHECK_FALSE(folder.has("out"));
}
