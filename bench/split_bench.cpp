// The work before units are counted: splitting the root and ordering the units.

#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <string_view>

#include "core/fen.h"
#include "parallel/units/root_splitter.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

struct Case {
  std::string_view name;
  std::string_view fen;
  std::size_t units;
  SplitLimits limits = {};
};

constexpr std::array<Case, 4> kCases{{
    {"start", kStartFen, 72'078},
    {"kiwipete", kKiwipeteFen, 57'548},
    {"start_coarse", kStartFen, 5'362, kCoarseSplit},
    {"kiwipete_coarse", kKiwipeteFen, 57'548, kCoarseSplit},
}};

RootSplit split(const Case& c, int workers) {
  const Position root = parse_position(c.fen)->position;
  return split_root(root, Depth(8), best_kernel(), c.limits, {}, Workers(workers));
}

void splitting(benchmark::State& state, const Case& c, int workers) {
  for ([[maybe_unused]] auto _ : state) {
    if (split(c, workers).size() != c.units) state.SkipWithError("wrong number of units");
  }
}

void ordering(benchmark::State& state, const Case& c) {
  const RootSplit units = split(c, 1);
  for ([[maybe_unused]] auto _ : state) {
    if (biggest_first(units, best_kernel()).units.size() != c.units) {
      state.SkipWithError("units lost");
    }
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const Case& c : kCases) {
    for (const int workers : {1, 2, 4}) {
      const std::string name =
          "split/" + std::string(c.name) + "/workers:" + std::to_string(workers);
      benchmark::RegisterBenchmark(name.c_str(), splitting, c, workers)
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
    }
    const std::string name = "order/" + std::string(c.name);
    benchmark::RegisterBenchmark(name.c_str(), ordering, c)->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace manyply
