#include "parallel/jobs/job_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/memory.h"

namespace manyply {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kWindowBytes = 16 * kMiB;
constexpr std::uint64_t kLeastWindowBytes = 1 * kMiB;
constexpr int kOwnWindows = 16;  // up to this number of workers, each has its own window
constexpr std::uint64_t kMaxDefaultBytes = std::uint64_t{1} << 40;

/// Returns the size in bytes of a table that is half full if it has `positions` entries. A 64-byte
/// line of the table has room for `ways` entries. In a half-full table with four ways, about 4 % of
/// the positions find their line full.
std::uint64_t bytes_for(double positions, int ways) {
  const double bytes = positions * 2 * 64 / ways;
  return bytes < static_cast<double>(kMaxDefaultBytes) ? static_cast<std::uint64_t>(bytes)
                                                       : kMaxDefaultBytes;
}

std::uint64_t whole_lines(std::uint64_t bytes) {
  return std::max<std::uint64_t>(64, bytes / 64 * 64);
}

/// Returns the number of windows that a job should have if memory is not scarce. Usually each
/// worker gets its own window. Exception: if there are more than kOwnWindows workers and more
/// workers than cores, some workers only wait for a core. Then one window per core is enough, but
/// there are at least kFew.
int windows_for(int workers, int cores) {
  constexpr int kFew = 8;
  return workers <= std::max(kOwnWindows, cores) ? workers : std::max(kFew, cores);
}

/// Estimates a ratio: the growth of a ply divided by the growth of the previous ply of the same
/// side. From a side's second move on, transpositions reduce growth. Growth by ply from the start
/// position: 20, 20, 13.4, 13.4, 11.4, 11.4, 10.2, 10.3, 9.3, 9.3. From Kiwipete: 48, 42.5, 28.2,
/// 23.9, 19.9.
double growth_kept(int ply) {
  if (ply <= 2) return 1;
  return ply <= 4 ? 0.67 : 0.88;
}

}  // namespace

SplitShape shape_of(const RootSplit& split) {
  return {.units = split.size(),
          .ply = split.ply,
          .growth = split.growth,
          .growth_above = split.growth_above};
}

double expected_positions(const SplitShape& split, int plies) {
  auto positions = static_cast<double>(split.units);
  double next = split.growth_above;
  double after_next = split.growth;
  for (int ply = split.ply + 1; ply <= split.ply + plies; ++ply) {
    const double growth = std::max(1.0, next * growth_kept(ply));
    positions *= growth;
    next = std::exchange(after_next, growth);
  }
  return positions;
}

Machine machine_for(const HashSpec& hash, int workers) {
  return {.available_bytes = hash.bytes == 0 ? available_memory_bytes() : hash.bytes,
          .cores = workers <= kOwnWindows ? workers : available_threads()};
}

std::uint64_t TablePlan::total_bytes(int workers) const {
  return touched_bytes(workers) + wide_entries * WideTable::kEntryBytes;
}

std::uint64_t TablePlan::touched_bytes(int workers) const {
  return deep_bytes + window_bytes * static_cast<std::uint64_t>(windows_of(workers));
}

TablePlan plan_tables(const HashSpec& hash, const SplitShape& split, int unit_depth, int workers,
                      const Machine& machine) {
  TablePlan plan;
  plan.windows = windows_for(workers, machine.cores);
  const std::uint64_t deep_need =
      std::max(kMiB, bytes_for(expected_positions(split, unit_depth - 3), kDeepWays));
  const std::uint64_t window_need = std::max(
      kLeastWindowBytes, bytes_for(expected_positions(split, unit_depth - 2), WindowLine::kWays));
  const std::uint64_t window_wish = std::min(kWindowBytes, window_need);

  std::uint64_t bytes = hash.bytes;
  if (bytes == 0)
    bytes = std::min(
        deep_need + deep_need / 16 + window_wish * static_cast<std::uint64_t>(plan.windows),
        machine.available_bytes / 2);
  bytes = std::max(bytes, kMinHashBytes);

  if (unit_depth > kWideDepth)
    plan.wide_entries = std::max<std::uint64_t>(1, bytes / 64 / WideTable::kEntryBytes);
  const std::uint64_t rest = bytes - plan.wide_entries * WideTable::kEntryBytes;
  const std::uint64_t windows = std::clamp(rest / 4 / kLeastWindowBytes, std::uint64_t{1},
                                           static_cast<std::uint64_t>(plan.windows));
  plan.windows = static_cast<int>(windows);
  plan.window_bytes = whole_lines(std::min(window_wish, rest / 4 / windows));
  plan.deep_bytes = whole_lines(rest - plan.window_bytes * windows);
  return plan;
}

JobTables::JobTables(const TablePlan& plan, const HashSpec& hash, const Workers& workers,
                     TableMemory deep)
    : plan_(plan),
      stripes_(hash.stripes),
      workers_(workers.count()),
      placement_(workers.placement()),
      keys_(hash.keys),
      deep_(std::move(deep), hash.stripes),
      wide_(static_cast<std::size_t>(plan.wide_entries)) {}

Result<std::unique_ptr<JobTables>> JobTables::allocate(const TablePlan& plan, const HashSpec& hash,
                                                       const Workers& workers,
                                                       const std::stop_token& stop,
                                                       std::atomic<std::uint64_t>* touched) {
  const int count = workers.count();
  if (const std::uint64_t available = available_memory_bytes();
      plan.total_bytes(count) > available) {
    return Error{ErrorCode::kUnavailable, "hash", 0,
                 format_bytes(plan.total_bytes(count)) + " requested, but only " +
                     format_bytes(available) + " are available"};
  }
  Result<TableMemory> deep = TableMemory::allocate(plan.deep_bytes);
  if (!deep) return deep.error();
  std::unique_ptr<JobTables> tables(new JobTables(plan, hash, workers, std::move(deep).value()));
  const int windows = plan.windows_of(count);
  for (int i = 0; i < windows; ++i) {
    Result<TableMemory> window = TableMemory::allocate(plan.window_bytes);
    if (!window) return window.error();
    if (windows == count) {
      tables->private_windows_.emplace_back(std::move(window).value());
    } else {
      tables->shared_windows_.push_back(
          std::make_unique<SharedWindow>(std::move(window).value(), hash.stripes));
    }
  }
  if (auto error = workers.spread(tables->deep_.memory())) return *std::move(error);
  workers.run([&](int worker) {
    tables->deep_.memory().touch(worker, count, stop, touched);
    const Team team = team_of(worker, count, windows);
    const auto window = static_cast<std::size_t>(team.number);
    const TableMemory& memory = windows == count ? tables->private_windows_[window].memory()
                                                 : tables->shared_windows_[window]->memory();
    memory.touch(worker - team.first, team.workers, stop, touched);
  });
  if (stop.stop_requested()) return cancelled();
  return tables;
}

NodeCount JobTables::count(const Board& board, int depth, const KernelPair& kernels, int worker,
                           const std::stop_token& stop, HashStats& stats) {
  const ZobristKey key = keys_.key_from_scratch(board);
  if (!shared_windows_.empty()) {
    const Team team = team_of(worker, workers_, plan_.windows_of(workers_));
    SharedWindow& window = *shared_windows_[static_cast<std::size_t>(team.number)];
    SearchContextOf<DeepTable, SharedWindow> context{keys_,  kernels.plain, deep_, wide_,
                                                     window, stop,          stats};
    return kernels.hashed.count_shared(board, key, depth, context);
  }
  PrivateWindow& window = private_windows_[static_cast<std::size_t>(worker)];
  SearchContextOf<DeepTable, PrivateWindow> context{keys_,  kernels.plain, deep_, wide_,
                                                    window, stop,          stats};
  return kernels.hashed.count_private(board, key, depth, context);
}

std::vector<std::span<WindowLine>> JobTables::windows_for_testing() {
  std::vector<std::span<WindowLine>> windows;
  for (const auto& window : shared_windows_) windows.push_back(window->lines_for_testing());
  for (PrivateWindow& window : private_windows_) windows.push_back(window.lines_for_testing());
  return windows;
}

IndexBits JobTables::index_bits() const {
  const auto bits = [](std::uint64_t buckets) { return std::log2(static_cast<double>(buckets)); };
  return {.window = bits(plan_.window_bytes / sizeof(WindowLine)),
          .deep = bits(deep_.buckets()),
          .wide = bits(plan_.wide_entries)};
}

double JobTables::effective_deep_bits() const {
  return std::min<double>(DeepEntry::kTagBits + index_bits().deep, keys_.spec().bits);
}

double JobTables::effective_window_bits() const {
  return std::min<double>(WindowLine::kTagBits + index_bits().window, keys_.spec().bits);
}

namespace {

/// Returns whether a job that plans `wanted` can use the kept tables `have`. The division of memory
/// varies a little from job to job, so kept tables may be smaller than planned: a deep table by one
/// quarter, a window by one half.
bool large_enough(const TablePlan& have, const TablePlan& wanted) {
  return have.deep_bytes >= wanted.deep_bytes / 4 * 3 && have.wide_entries >= wanted.wide_entries &&
         have.windows >= wanted.windows && have.window_bytes >= wanted.window_bytes / 2;
}

bool fits(const JobTables& tables, const TablePlan& plan, const HashSpec& hash,
          const Workers& workers) {
  return tables.keys().spec() == hash.keys && tables.stripes() == hash.stripes &&
         tables.workers() == workers.count() && tables.placement() == workers.placement() &&
         large_enough(tables.plan(), plan);
}

}  // namespace

TableKeeper::Everything TableKeeper::keep_instead(Everything kept) {
  const MutexLock lock(mutex_);
  return std::exchange(kept_, std::move(kept));
}

TableKeeper::Kept TableKeeper::take(const TablePlan& plan, const HashSpec& hash,
                                    const Workers& workers) {
  Kept kept = keep_instead({}).counts;
  if (kept.tables && !fits(*kept.tables, plan, hash, workers)) kept = {};
  return kept;
}

TableKeeper::KeptStatistics TableKeeper::take_statistics(std::uint64_t bytes, const KeySpec& keys,
                                                         const Placement& placement) {
  KeptStatistics kept = keep_instead({}).statistics;
  const bool fits = kept.table && kept.table->bytes() >= bytes / 4 * 3 && kept.keys == keys &&
                    kept.placement == placement;
  if (!fits) kept = {};
  return kept;
}

void TableKeeper::put(Kept kept) { keep_instead({.counts = std::move(kept), .statistics = {}}); }

void TableKeeper::put(KeptStatistics kept) {
  keep_instead({.counts = {}, .statistics = std::move(kept)});
}

void TableKeeper::release() { keep_instead({}); }

std::uint64_t TableKeeper::bytes() const {
  const MutexLock lock(mutex_);
  const JobTables* const counts = kept_.counts.tables.get();
  const StatisticsTable* const statistics = kept_.statistics.table.get();
  return (counts != nullptr ? counts->plan().total_bytes(counts->workers()) : 0) +
         (statistics != nullptr ? statistics->bytes() : 0);
}

}  // namespace manyply
