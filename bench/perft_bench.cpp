// Whole counts without a table: with each kernel on one thread, and as jobs on 1, 2, 4, … threads.

#include <benchmark/benchmark.h>

#include <array>
#include <stop_token>
#include <string>
#include <string_view>

#include "bench/per_kernel.h"
#include "core/counting.h"
#include "core/fen.h"
#include "parallel/jobs/job.h"

namespace manyply {
namespace {

struct Case {
  std::string_view name;
  std::string_view fen;
  int depth;
  std::uint64_t leaves;
};

constexpr std::array<Case, 5> kCases{{
    {"start", kStartFen, 6, 119060324},
    {"kiwipete", kKiwipeteFen, 5, 193690690},
    {"endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7, 178633661},
    {"promotions", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6,
     706045033},
    {"middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 5,
     164075551},
}};

/// Counts that are long enough for the split to matter. The last position has only two root moves.
constexpr std::array<Case, 3> kLongCases{{
    {"start", kStartFen, 7, 3195901860},
    {"kiwipete", kKiwipeteFen, 6, 8031647685},
    {"two_root_moves", "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5P2/PPPP2PP/RNBQKBNR w KQkq - 1 3", 7,
     1141870486},
}};

std::string name_of(const char* group, const Case& c, const std::string& variant) {
  return std::string(group) + "/" + std::string(c.name) + "-" + std::to_string(c.depth) + "/" +
         variant;
}

/// Times `count`, which must return the number of leaves of `c`.
template <typename Count>
void time(benchmark::State& state, const Case& c, Count count) {
  for ([[maybe_unused]] auto _ : state) {
    const Result<NodeCount> leaves = count();
    if (!leaves || *leaves != NodeCount(c.leaves)) state.SkipWithError("wrong count");
  }
  state.counters["leaves"] = benchmark::Counter(static_cast<double>(c.leaves),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

void one_thread(benchmark::State& state, const Kernel& kernel, const Case& c) {
  const Position position = parse_position(c.fen)->position;
  time(state, c, [&] {
    CountStats stats;
    return count_nodes(position, Depth(c.depth), kernel, std::stop_token(), stats);
  });
}

void job(benchmark::State& state, int threads, const Case& c) {
  JobSpec spec;
  spec.root = *parse_position(c.fen);
  spec.depth = Depth(c.depth);
  spec.threads = threads;
  time(state, c, [&]() -> Result<NodeCount> {
    const Result<Report> report = run_job(spec, std::stop_token());
    if (!report) return report.error();
    return report->nodes;
  });
}

[[maybe_unused]] const bool registered = [] {
  for_each_kernel([](const Kernel& kernel) {
    for (const Case& c : kCases) {
      benchmark::RegisterBenchmark(name_of("perft", c, std::string(kernel.name)).c_str(),
                                   one_thread, kernel, c)
          ->Unit(benchmark::kMillisecond);
    }
  });
  for (const Case& c : kLongCases) {
    for (int threads = 1; threads <= available_threads(); threads *= 2) {
      benchmark::RegisterBenchmark(name_of("threads", c, std::to_string(threads)).c_str(), job,
                                   threads, c)
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
    }
  }
  return true;
}();

}  // namespace
}  // namespace manyply
