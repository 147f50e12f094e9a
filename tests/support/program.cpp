#include "support/program.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace eva::test {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

ProgramRun run_program(const std::string& command, const std::filesystem::path& folder) {
  const TemporaryFolder outputs;
  const std::string line = "cd '" + folder.string() + "' && ( " + command + " ) > '" +
                           (outputs.path() / "out").string() + "' 2> '" +
                           (outputs.path() / "err").string() + "' < /dev/null";
  const int status = std::system(line.c_str());
  ProgramRun run;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.out = contents(outputs.path() / "out");
  run.err = contents(outputs.path() / "err");
  return run;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "eva-vp-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return name;
}

std::string TemporaryFolder::read(const std::string& name) const {
  return contents(path_ / name);
}

}  // namespace eva::test
