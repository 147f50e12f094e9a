#include "platform/command_line.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "platform/config/error.h"
#include "platform/config/parser.h"
#include "platform/outputs.h"
#include "platform/simulation.h"

namespace eva {
namespace {

namespace options = boost::program_options;

constexpr const char* usage =
    "usage: eva-vp run SCENARIO [-o DIR] [--set a.b=c]... [--fidelity closed_form|lt]\n"
    "                  [--memory ideal] [--seed N] [-q]\n"
    "       eva-vp list\n"
    "       eva-vp --version | --help\n"
    "EVA_VP_SCENARIOS names another folder of scenarios, chips/ and llms/.\n";

/// Bad usage of the command line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

volatile std::sig_atomic_t interrupted = 0;

/// The first signal asks the run to end; the second one ends the process.
void note_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

/// A line on the terminal for runs of more than a second, four times a second.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled) : enabled_(enabled) {}
  ~ProgressLine() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::uint64_t cycles) {
    const auto time = Clock::now();
    if (!enabled_ || time < next_) return;
    next_ = time + std::chrono::milliseconds(250);
    shown_ = true;
    const double seconds = std::chrono::duration<double>(time - start_).count();
    std::fprintf(stderr, "\r%.1f s, %.2f million cycles simulated", seconds,
                 static_cast<double>(cycles) / 1e6);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(1);
};

RunResult simulate_with_progress(const Scenario& scenario, bool on_terminal) {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
  ProgressLine line(on_terminal);
  return simulate(scenario, [&line](std::uint64_t cycles) {
    line.show(cycles);
    return interrupted == 0;
  });
}

int run(const std::vector<std::string>& arguments) {
  options::options_description visible("options of run");
  std::vector<std::string> overrides;
  std::string scenario_name;
  std::string folder;
  // clang-format off
  visible.add_options()
      ("scenario", options::value(&scenario_name), "name (eva-vp list) or path; may stand alone")
      ("output,o", options::value(&folder), "folder for the outputs; default out/NAME")
      ("set", options::value(&overrides)->composing(), "a.b=c: change a key; may be repeated")
      ("fidelity", options::value<std::string>(), "closed_form or lt")
      ("memory", options::value<std::string>(), "ideal")
      ("seed", options::value<std::string>(), "seed of the generated operands")
      ("quiet,q", options::bool_switch(), "print no summary")
      ("help,h", options::bool_switch(), "show this");
  // clang-format on
  options::positional_options_description positional;
  positional.add("scenario", 1);
  options::variables_map values;
  options::store(options::command_line_parser(arguments)
                     .options(visible)
                     .positional(positional)
                     .style(options::command_line_style::unix_style &
                            ~options::command_line_style::allow_guessing)
                     .run(),
                 values);
  options::notify(values);
  if (values["help"].as<bool>()) {
    std::cout << usage << visible;
    return exit_done;
  }
  if (scenario_name.empty()) throw UsageError("run needs a scenario");
  for (const char* key : {"fidelity", "memory", "seed"}) {
    if (values.count(key) != 0) {
      overrides.push_back(std::string(key) + "=" + values[key].as<std::string>());
    }
  }
  const bool quiet = values["quiet"].as<bool>();

  const Scenario scenario = load_scenario(scenario_name, overrides);
  if (values.count("output") == 0) folder = "out/" + scenario.name;
  const OutputFolder outputs(folder);
  const bool on_terminal = ::isatty(STDERR_FILENO) == 1 && !quiet;
  const RunResult result = scenario.fidelity == Fidelity::closed_form
                               ? evaluate_closed_form(scenario)
                               : simulate_with_progress(scenario, on_terminal);
  outputs.write(scenario, result);
  if (!quiet) {
    std::cout << summary_text(scenario, result);
    if (result.wall_seconds > 0) {
      std::cout << fmt::format(
          "{:.2f} s, {:.2f} million cycles per second; ", result.wall_seconds,
          static_cast<double>(result.cycles.count()) / 1e6 / result.wall_seconds);
    }
    std::cout << "outputs in " << folder << "\n";
  }
  return result.check.mismatches == 0 ? exit_done : exit_failed;
}

void list_folder(const char* title, const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::cout << title << "\n";
  std::vector<fs::path> files;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.stem() < b.stem(); });
  for (const fs::path& file : files) {
    const config::Tree tree = config::parse_yaml_file(file.string());
    const config::Tree* description = tree.find("description");
    std::cout << fmt::format("  {:<34}{}", file.stem().string(),
                             description != nullptr ? description->text() : "")
              << "\n";
  }
}

int list(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) throw UsageError("list takes no arguments");
  const std::filesystem::path folder = scenario_folder();
  list_folder("scenarios (eva-vp run NAME)", folder);
  list_folder("chips (--set chip=NAME)", folder / "chips");
  list_folder("models (--set llm=NAME)", folder / "llms");
  return exit_done;
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw UsageError("no command given");
  const std::string& command = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (command == "run") return run(rest);
  if (command == "list") return list(rest);
  if (command == "--help" || command == "-h" || command == "help") {
    std::cout << usage;
    return exit_done;
  }
  if (command == "--version") {
    std::cout << "eva-vp " EVA_VERSION "\n";
    return exit_done;
  }
  throw UsageError("unknown command '" + command + "'");
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("eva-vp"));
  spdlog::set_level(spdlog::level::info);
  spdlog::set_pattern("%l: %v");
  try {
    const int status = dispatch(arguments);
    if (!std::cout.flush()) throw std::runtime_error("standard output cannot be written");
    return status;
  } catch (const UsageError& error) {
    std::cerr << "eva-vp: " << error.what() << "\n" << usage;
    return exit_bad_input;
  } catch (const options::error& error) {
    std::cerr << "eva-vp: " << error.what() << "\n" << usage;
    return exit_bad_input;
  } catch (const config::ConfigError& error) {
    std::cerr << "eva-vp: " << error.what() << "\n";
    return exit_bad_input;
  } catch (const std::invalid_argument& error) {
    std::cerr << "eva-vp: " << error.what() << "\n";
    return exit_bad_input;
  } catch (const SimulationError& error) {
    std::cerr << "eva-vp: " << error.what() << "\n";
    return exit_failed;
  } catch (const std::bad_alloc&) {
    std::cerr << "eva-vp: this machine has not enough memory for the run\n";
    return exit_failed;
  } catch (const std::exception& error) {
    std::cerr << "eva-vp: " << error.what() << "\n";
    return exit_failed;
  }
}

}  // namespace eva
