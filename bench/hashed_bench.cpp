// Whole hashed counts of the start position. The benchmarks vary three things: the stripes,
// replacement rules and sizes of the tables; whether windows are private or shared; and the order
// of units. Times are useful only from an idle machine and with interleaved rounds:
//
//   hashed_bench --benchmark_filter=stripes/ --benchmark_repetitions=15
//                --benchmark_enable_random_interleaving=true
//
// Kernel calls take most of the time. With one thread, every run makes the same number of calls.

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/replacement_tables.h"
#include "core/board.h"
#include "core/geometry.h"
#include "core/kernels/slider_tables.h"
#include "core/kernels/target_region.h"
#include "core/known_values.h"
#include "core/processor.h"
#include "hash/hashed_kernel.h"
#include "parallel/jobs/job.h"
#include "parallel/units/unit_runner.h"

#if MANYPLY_X86
#include <immintrin.h>
#define MANYPLY_TARGET "bmi,bmi2,lzcnt,popcnt"
MANYPLY_TARGET_BEGIN(MANYPLY_TARGET)
#endif

namespace manyply {
namespace {

#include "core/kernels/legal_moves.inc"
#include "hash/hashed_search.inc"
#include "hash/match_scalar.inc"

[[maybe_unused]] constexpr auto* kNotNeededHere = &hashed_children;

}  // namespace
}  // namespace manyply

#if MANYPLY_X86
MANYPLY_TARGET_END
#endif

namespace manyply {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

struct Config {
  int depth = 8;
  int threads = 1;
  std::uint64_t deep_bytes = 64 * kMiB;
  std::uint64_t window_bytes = 4 * kMiB;  ///< size of each window
  std::size_t stripes = DeepTable::kDefaultStripes;
  /// True: units that share window entries are counted one after another. False: units are counted
  /// in the order of the split.
  bool grouped = true;
};

TableMemory touched(std::uint64_t bytes) {
  TableMemory memory = TableMemory::allocate(bytes).value();
  memory.touch(0, 1);
  return memory;
}

/// Times counts, each with new tables. If `Window` is SharedWindow, all workers share one window.
/// Otherwise each worker has its own window.
template <typename Deep, typename Window>
void count(benchmark::State& state, const Config& config) {
  const Kernel& kernel = best_kernel();
  const Position root;
  const KeySet keys;
  for ([[maybe_unused]] auto _ : state) {
    Deep deep(touched(config.deep_bytes), config.stripes);
    WideTable wide(1);
    constexpr bool kShared = std::is_same_v<Window, SharedWindow>;
    std::vector<std::unique_ptr<Window>> windows;
    for (int i = 0; i < (kShared ? 1 : config.threads); ++i)
      windows.push_back(std::make_unique<Window>(touched(config.window_bytes), config.stripes));
    std::vector<HashStats> by_worker(static_cast<std::size_t>(config.threads));

    const auto start = std::chrono::steady_clock::now();
    const RootSplit split =
        split_root(root, Depth(config.depth), kernel, {}, {}, Workers(config.threads));
    const int unit_depth = config.depth - split.ply;
    const UnitOrder order =
        config.grouped ? grouped_for_window(split, unit_depth) : ascending_order(split.size());
    std::vector<NodeCount> counts(split.size());
    Progress progress;
    progress.start(config.threads, split.size());
    const auto error = for_each_unit(
        order, {.by = Workforce(Workers(config.threads), &kernel, {}, &progress)},
        [&](std::size_t unit, const UnitWorker& worker) {
          const auto w = static_cast<std::size_t>(worker.number);
          SearchContextOf<Deep, Window> context{
              keys, kernel, deep, wide, *windows[kShared ? 0 : w], worker.stop, by_worker[w]};
          const Board& board = split.boards[unit];
          counts[unit] = hashed_count(board, keys.key_from_scratch(board), unit_depth, context);
          return std::nullopt;
        });
    if (error) state.SkipWithError(error->to_string().c_str());
    NodeCount total;
    for (const DivideEntry& entry : sum_by_root_move(split, counts)) total += entry.nodes;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(seconds.count());
    if (total != known_value(root, Depth(config.depth))) state.SkipWithError("wrong count");

    HashStats stats;
    for (const HashStats& one : by_worker) stats += one;
    const auto hit_rate = [](const HashStats::PerDepth& at) {
      return static_cast<double>(at.hits) / static_cast<double>(at.probes);
    };
    state.counters["kernel_calls"] = static_cast<double>(stats.kernel_calls);
    state.counters["deep_probes"] = static_cast<double>(stats.by_depth[3].probes);
    state.counters["deep_hit_rate"] = hit_rate(stats.by_depth[3]);
    state.counters["window_probes"] = static_cast<double>(stats.by_depth[2].probes);
    state.counters["window_hit_rate"] = hit_rate(stats.by_depth[2]);
  }
}

template <typename Deep = DeepTable, typename Window = PrivateWindow>
void add(const std::string& name, const Config& config) {
  benchmark::RegisterBenchmark((name + "/depth:" + std::to_string(config.depth) +
                                "/threads:" + std::to_string(config.threads))
                                   .c_str(),
                               count<Deep, Window>, config)
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

std::string size_name(std::uint64_t bytes) {
  return bytes < kMiB ? std::to_string(bytes / kKiB) + "KiB" : std::to_string(bytes / kMiB) + "MiB";
}

void add_stripes() {
  for (const std::size_t stripes : {1U, 16U, 64U, 256U, 1024U, 4096U, 16384U, 65536U})
    add("stripes/" + std::to_string(stripes), {.threads = 2, .stripes = stripes});
}

void add_replacement() {
  for (const std::uint64_t bytes : {2 * kMiB, 4 * kMiB, 8 * kMiB, 16 * kMiB, 32 * kMiB}) {
    const Config config{.deep_bytes = bytes, .window_bytes = 16 * kMiB};
    const std::string size = size_name(bytes);
    add("deep_smallest_count/" + size, config);
    add<DeepTableReplacing<Victim::kOldest>>("deep_oldest/" + size, config);
    add<DeepTableReplacing<Victim::kRandom>>("deep_random/" + size, config);
  }
  for (const std::uint64_t bytes : {256 * kKiB, kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB}) {
    const Config config{.window_bytes = bytes};
    const std::string size = size_name(bytes);
    add("window_oldest/" + size, config);
    add<DeepTable, WindowReplacing<Victim::kSmallestCount>>("window_smallest_count/" + size,
                                                            config);
    add<DeepTable, WindowReplacing<Victim::kRandom>>("window_random/" + size, config);
  }
}

/// Uses depth 9, because the order of units matters most at odd depths.
void add_windows() {
  for (const std::uint64_t bytes : {kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB}) {
    for (const bool grouped : {true, false}) {
      const Config config{.depth = 9,
                          .threads = 2,
                          .deep_bytes = 512 * kMiB,
                          .window_bytes = bytes,
                          .grouped = grouped};
      add(std::string(grouped ? "window_grouped/" : "window_tree_order/") + size_name(bytes),
          config);
    }
  }
}

/// Compares private windows with a shared window in little memory. The deep table gets three
/// quarters of `total` bytes, which is much too small for depth 9. The windows together get at most
/// a quarter.
void add_small_memory() {
  for (const std::uint64_t total : {16 * kMiB, 64 * kMiB, 128 * kMiB, 256 * kMiB, 512 * kMiB}) {
    Config config{.depth = 9, .threads = 2, .deep_bytes = total / 4 * 3};
    const std::string size = size_name(total);
    config.window_bytes = std::min(total / 4 / 2, 16 * kMiB);
    add("small_private_grouped/" + size, config);
    config.window_bytes = total / 4;
    config.grouped = false;
    add<DeepTable, SharedWindow>("small_shared_tree_order/" + size, config);
  }
}

[[maybe_unused]] const bool registered = [] {
#if MANYPLY_X86  // the recursion above is compiled for these extensions
  if (!Extensions::of_this_processor().include(Extensions::of(MANYPLY_TARGET))) return false;
#endif
  add_stripes();
  add_replacement();
  add_windows();
  add_small_memory();
  return true;
}();

}  // namespace
}  // namespace manyply
