#pragma once

#include <filesystem>
#include <string>

namespace eva::test {

/// How a run of a program ended and what it printed.
struct ProgramRun {
  int status = 0;  ///< exit status, or 128 + signal
  std::string out;
  std::string err;
};

/// Runs a shell command with `folder` as its working folder.
ProgramRun run_program(const std::string& command, const std::filesystem::path& folder);

/// A new empty folder that disappears with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file in the folder and returns its name.
  std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(path_ / name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace eva::test
