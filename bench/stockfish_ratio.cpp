// Prints leaves per second on one thread as a multiple of Stockfish's `go perft`, measured side by
// side.
//
// usage: stockfish_ratio [--rounds N] [--engine PATH] [--short] [--against PATH KERNEL] [KERNEL...]
//
// Each round counts every position with Stockfish and with each kernel in turn, so that
// disturbances affect all of them. Results are medians over rounds. After a warm-up, Stockfish's
// time runs from `go perft` to the line "Nodes searched". The program prints the ratio of wall
// clock times and the ratio of processor times. If other programs use the cores, use the ratio of
// processor times. All counts are checked.
//
// With --against, each round also runs PATH, the stockfish_ratio of a second build, with the kernel
// KERNEL. The program then prints by which factor this build is faster. So you need not compare
// ratios of different days. The exit code is 2 for a wrong count, or if the engine or a kernel is
// missing.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/machine.h"
#include "core/counting.h"
#include "core/fen.h"

namespace manyply {
namespace {

/// Thrown if no ratio can be measured. what() says why.
class MeasurementError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A UCI engine, connected by two pipes.
class Engine {
 public:
  explicit Engine(const std::string& path) {
    std::array<int, 2> to_engine{};
    std::array<int, 2> from_engine{};
    if (pipe2(to_engine.data(), O_CLOEXEC) != 0 || pipe2(from_engine.data(), O_CLOEXEC) != 0)
      throw MeasurementError("no pipe");
    pid_ = fork();
    if (pid_ < 0) throw MeasurementError("no process");
    if (pid_ == 0) {
      dup2(to_engine[0], STDIN_FILENO);
      dup2(from_engine[1], STDOUT_FILENO);
      execlp(path.c_str(), path.c_str(), nullptr);
      _exit(127);
    }
    close(to_engine[0]);
    close(from_engine[1]);
    in_ = fdopen(from_engine[0], "r");
    out_ = fdopen(to_engine[1], "w");
    send("uci");
    name_ = wait_for("id name ").substr(8);
    send("setoption name Threads value 1");
    send("position startpos");
    send("go perft 4");
    wait_for("Nodes searched: 197281");
    send("isready");
    wait_for("readyok");
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() {
    std::fclose(out_);  // the engine exits at the end of its input
    std::fclose(in_);
    waitpid(pid_, nullptr, 0);
  }

  const std::string& name() const { return name_; }

  /// Returns the clock that measures the engine's processor time.
  clockid_t cpu_clock() const {
    clockid_t clock{};
    if (clock_getcpuclockid(pid_, &clock) != 0) throw MeasurementError("no clock for the engine");
    return clock;
  }

  void send(const std::string& line) {
    std::fprintf(out_, "%s\n", line.c_str());
    std::fflush(out_);
  }

  /// Returns the first line that starts with `prefix`.
  std::string wait_for(std::string_view prefix) {
    std::array<char, 512> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), in_) != nullptr) {
      std::string line = buffer.data();
      line.resize(line.find_last_not_of("\r\n") + 1);
      if (line.starts_with(prefix)) return line;
    }
    throw MeasurementError("the engine has ended or cannot be started");
  }

 private:
  pid_t pid_ = -1;
  FILE* in_ = nullptr;
  FILE* out_ = nullptr;
  std::string name_;
};

struct Case {
  const char* name;
  std::string_view fen;
  int depth;
  std::uint64_t leaves;
};

constexpr std::array<Case, 4> kCases{{
    {"start", kStartFen, 6, 119060324},
    {"start", kStartFen, 7, 3195901860},
    {"kiwipete", kKiwipeteFen, 5, 193690690},
    {"kiwipete", kKiwipeteFen, 6, 8031647685},
}};
constexpr std::uint64_t kShortLeaves = 1'000'000'000;  // the largest case for --short

struct Seconds {
  double wall;
  double cpu;
};

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Times `count`, which must return the number of leaves. `cpu_clock` measures the processor time.
template <typename Count>
Seconds seconds_of(const Case& c, const std::string& who, clockid_t cpu_clock, Count count) {
  const double cpu_start = now(cpu_clock);
  const double wall_start = now(CLOCK_MONOTONIC);
  const std::uint64_t leaves = count();
  const Seconds passed{now(CLOCK_MONOTONIC) - wall_start, now(cpu_clock) - cpu_start};
  if (leaves != c.leaves) {
    throw MeasurementError(who + " counts " + std::to_string(leaves) + " leaves of " + c.name +
                           " at depth " + std::to_string(c.depth) + ", not " +
                           std::to_string(c.leaves));
  }
  return passed;
}

Seconds engine_seconds(Engine& engine, const Case& c) {
  engine.send("position fen " + std::string(c.fen));
  engine.send("isready");
  engine.wait_for("readyok");
  return seconds_of(c, engine.name(), engine.cpu_clock(), [&]() -> std::uint64_t {
    engine.send("go perft " + std::to_string(c.depth));
    return std::strtoull(engine.wait_for("Nodes searched: ").c_str() + 16, nullptr, 10);
  });
}

Seconds kernel_seconds(const Kernel& kernel, const Case& c) {
  const Position position = parse_position(c.fen)->position;
  return seconds_of(c, std::string(kernel.name), CLOCK_PROCESS_CPUTIME_ID, [&] {
    CountStats stats;
    return count_nodes(position, Depth(c.depth), kernel, {}, stats)->low();
  });
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

using Rounds = std::vector<Seconds>;

/// Returns the median of function(i) over all rounds.
template <typename Function>
double median_over(const Rounds& rounds, Function function) {
  std::vector<double> values;
  for (std::size_t i = 0; i < rounds.size(); ++i) values.push_back(function(i));
  return median(values);
}

/// Runs the program of another build. Returns its ratio to Stockfish for each case, in processor
/// time.
std::vector<double> ratios_of(const std::string& command, std::size_t cases) {
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) throw MeasurementError("cannot run " + command);
  std::vector<double> ratios;
  std::array<char, 512> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), output) != nullptr) {
    const std::string line = buffer.data();
    const std::size_t end = line.find(" x by processor time");
    if (end == std::string::npos) continue;
    const std::size_t start = line.find("clock,");
    if (start != std::string::npos) ratios.push_back(std::atof(line.c_str() + start + 6));
  }
  if (pclose(output) != 0 || ratios.size() != cases)
    throw MeasurementError("no ratio for each case from " + command);
  return ratios;
}

void print_rate(const Case& c, std::string_view who, const Rounds& rounds) {
  const double seconds = median_over(rounds, [&](std::size_t i) { return rounds[i].wall; });
  std::printf("%-9s %d  %-10s %8.1f M leaves/s", c.name, c.depth, std::string(who).c_str(),
              static_cast<double>(c.leaves) / seconds / 1e6);
}

void print_ratio(const Rounds& engine, const Rounds& kernel) {
  std::printf("  %6.2f x stockfish by the wall clock, %6.2f x by processor time",
              median_over(kernel, [&](std::size_t i) { return engine[i].wall / kernel[i].wall; }),
              median_over(kernel, [&](std::size_t i) { return engine[i].cpu / kernel[i].cpu; }));
}

struct Options {
  int rounds = 5;
  bool is_short = false;
  std::string engine = "/usr/games/stockfish";
  std::string against;         // program of another build; empty = none
  std::string against_kernel;  // kernel of that program
  std::vector<const Kernel*> kernels;
};

std::vector<Case> cases_of(const Options& options) {
  std::vector<Case> cases;
  for (const Case& c : kCases) {
    if (!options.is_short || c.leaves <= kShortLeaves) cases.push_back(c);
  }
  return cases;
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool has_value = i + 1 < arguments.size();
    if (arguments[i] == "--rounds" && has_value) {
      options.rounds = std::max(1, std::atoi(arguments[++i].c_str()));
    } else if (arguments[i] == "--engine" && has_value) {
      options.engine = arguments[++i];
    } else if (arguments[i] == "--short") {
      options.is_short = true;
    } else if (arguments[i] == "--against" && i + 2 < arguments.size()) {
      options.against = arguments[++i];
      options.against_kernel = arguments[++i];
    } else if (const auto kernel = find_kernel(arguments[i])) {
      options.kernels.push_back(*kernel);
    } else {
      throw MeasurementError(kernel.error().to_string());
    }
  }
  if (options.kernels.empty()) {
    for (const Kernel& kernel : all_kernels()) {
      if (runs_here(kernel)) options.kernels.push_back(&kernel);
    }
  }
  return options;
}

/// The results of all rounds of one case.
struct Results {
  Rounds engine;
  std::vector<Rounds> kernels;
  std::vector<double> against;  // per round: the other build's ratio by processor time

  void print(const Case& c, const Options& options) const {
    print_rate(c, "stockfish", engine);
    std::printf("\n");
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      print_rate(c, options.kernels[k]->name, kernels[k]);
      print_ratio(engine, kernels[k]);
      if (!against.empty()) {
        std::printf(", %5.2f x the other's", median_over(kernels[k], [&](std::size_t i) {
                      return engine[i].cpu / kernels[k][i].cpu / against[i];
                    }));
      }
      std::printf("\n");
    }
    if (!against.empty()) {
      std::printf("%-9s %d  the other's %s: %.2f x stockfish by processor time\n", c.name, c.depth,
                  options.against_kernel.c_str(), median(against));
    }
  }
};

void measure(const Options& options) {
  Engine engine(options.engine);
  std::printf("machine: %s\ncommit: %s\nengine: %s\nrounds: %d\n\n", machine().c_str(),
              commit().c_str(), engine.name().c_str(), options.rounds);
  const std::vector<Case> cases = cases_of(options);
  std::vector<Results> results(cases.size());
  const std::string other = "'" + options.against + "' --rounds 1 --engine '" + options.engine +
                            (options.is_short ? "' --short " : "' ") + options.against_kernel;
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      Results& result = results[i];
      result.engine.push_back(engine_seconds(engine, cases[i]));
      result.kernels.resize(options.kernels.size());
      for (std::size_t k = 0; k < options.kernels.size(); ++k)
        result.kernels[k].push_back(kernel_seconds(*options.kernels[k], cases[i]));
    }
    if (options.against.empty()) continue;
    const std::vector<double> ratios = ratios_of(other, cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) results[i].against.push_back(ratios[i]);
  }
  for (std::size_t i = 0; i < cases.size(); ++i) results[i].print(cases[i], options);
}

}  // namespace
}  // namespace manyply

int main(int argc, char** argv) {
  try {
    signal(SIGPIPE, SIG_IGN);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    std::printf("command: %s", argv[0]);
    for (const std::string& argument : arguments) std::printf(" %s", argument.c_str());
    std::printf("\n");
    manyply::measure(manyply::parse(arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stockfish_ratio: %s\n", error.what());
    return 2;
  }
}
