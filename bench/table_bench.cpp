// Measures only probes and stores of the deep table, with different numbers of threads and stripes,
// hit rates, page sizes and table sizes. hashed_bench measures whole counts.

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "hash/count_tables.h"

namespace manyply {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// The assumed number of children of a node. The buckets of all children are prefetched before the
/// first bucket is probed.
constexpr std::size_t kBatch = 32;

enum class Pages { kSmall, kHuge };

struct Config {
  std::uint64_t bytes = 512 * kMiB;
  Pages pages = Pages::kHuge;
  int hit_percent = 60;
  std::size_t stripes = DeepTable::kDefaultStripes;
};

/// SplitMix64's finalizer (S. Vigna). Makes keys from numbers.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}
ZobristKey key_number(std::uint64_t number) {
  return {mixed(number * 0x9e3779b97f4a7c15), mixed(number + 0x632be59bd9b4e019)};
}
/// Returns the count that is stored under `key`. A probe that finds a different count is a bug.
std::uint64_t count_for(const ZobristKey& key) { return (key.high & 0xFFFFF) + 1; }

TableMemory memory_of(const Config& config) {
  TableMemory memory = TableMemory::allocate(config.bytes).value();
  if (config.pages == Pages::kSmall) madvise(memory.data(), memory.bytes(), MADV_NOHUGEPAGE);
  memory.touch(0, 1);
  return memory;
}

/// The table that all threads of a run use. The first thread creates the table before the other
/// threads start to measure, and deletes it after they have ended.
std::unique_ptr<DeepTable> shared_table;

/// Returns the number of keys to store: a quarter of the table's entries, so that nearly all keys
/// find a place.
std::uint64_t resident_keys(const Config& config) { return config.bytes / sizeof(DeepEntry) / 4; }

void traffic(benchmark::State& state, const Config& config) {
  if (state.thread_index() == 0) {
    shared_table = std::make_unique<DeepTable>(memory_of(config), config.stripes);
    DeepTable& table = *shared_table;
    for (std::uint64_t i = 0; i < resident_keys(config); ++i) {
      const ZobristKey key = key_number(i);
      table.store(key, table.bucket_of(key), count_for(key));
    }
  }
  std::uint64_t random = static_cast<std::uint64_t>(state.thread_index()) << 40;
  std::uint64_t fresh = resident_keys(config) + (random << 8) + (1 << 30);
  std::uint64_t hits = 0;
  std::uint64_t wrong = 0;
  for ([[maybe_unused]] auto _ : state) {
    DeepTable& table = *shared_table;
    std::array<ZobristKey, kBatch> keys;
    std::array<std::uint64_t, kBatch> buckets{};
    for (std::size_t i = 0; i < kBatch; ++i) {
      const std::uint64_t dice = mixed(++random);
      const bool hit = dice % 100 < static_cast<std::uint64_t>(config.hit_percent);
      keys[i] = key_number(hit ? (dice >> 32) * resident_keys(config) >> 32 : ++fresh);
      buckets[i] = table.bucket_of(keys[i]);
      table.prefetch(buckets[i]);
    }
    for (std::size_t i = 0; i < kBatch; ++i) {
      const std::uint64_t found = table.probe(keys[i], buckets[i]);
      hits += found != 0 ? 1 : 0;
      wrong += found != 0 && found != count_for(keys[i]) ? 1 : 0;
      if (found == 0) table.store(keys[i], buckets[i], count_for(keys[i]));
    }
  }
  if (wrong != 0) state.SkipWithError("wrong count");
  const auto probes = static_cast<double>(state.iterations()) * kBatch;
  state.counters["per_probe"] =
      benchmark::Counter(kBatch, benchmark::Counter::kIsIterationInvariantRate |
                                     benchmark::Counter::kInvert | benchmark::Counter::kAvgThreads);
  state.counters["hit_rate"] =
      benchmark::Counter(static_cast<double>(hits) / probes, benchmark::Counter::kAvgThreads);
  if (state.thread_index() == 0) shared_table.reset();
}

void add(const std::string& name, const Config& config) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  auto* benchmark = benchmark::RegisterBenchmark(name.c_str(), traffic, config)->UseRealTime();
  for (int threads = 1; threads <= cores; threads *= 2) benchmark->Threads(threads);
}

void add_traffic() {
  for (const Pages pages : {Pages::kHuge, Pages::kSmall}) {
    for (const int hit_percent : {10, 60, 95}) {
      std::string variant = "traffic";
      variant += pages == Pages::kHuge ? "/pages:huge" : "/pages:4KiB";
      variant += "/hits:" + std::to_string(hit_percent);
      add(variant, {.pages = pages, .hit_percent = hit_percent});
    }
  }
}

[[maybe_unused]] const bool registered = [] {
  add_traffic();
  for (const std::size_t stripes : {1U, 16U, 256U, 4096U, 16384U, 65536U})
    add("stripes/" + std::to_string(stripes), {.stripes = stripes});
  for (const std::uint64_t bytes : {kMiB, 16 * kMiB, 128 * kMiB, 2048 * kMiB})
    add("size/" + std::to_string(bytes / kMiB) + "MiB", {.bytes = bytes});
  return true;
}();

}  // namespace
}  // namespace manyply
