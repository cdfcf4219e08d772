#include "parallel/jobs/table_sizes.h"

#include <algorithm>
#include <cmath>

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

}  // namespace manyply
