#include "parallel/job_tables.h"

#include <algorithm>
#include <cmath>

namespace manyply {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kPrivateWindowBytes = 16 * kMiB;
constexpr std::uint64_t kLeastPrivateWindowBytes = 1 * kMiB;
constexpr std::uint64_t kMaxDefaultBytes = std::uint64_t{1} << 40;

/// Distinct positions `plies` below the units: growth shrinks by some 8 % a ply as transpositions
/// get more frequent (start position: 13.4, 11.4, 11.4, 10.2, 10.3, 9.3).
double expected_positions(const SplitShape& split, int plies) {
  auto positions = static_cast<double>(split.units);
  double growth = split.growth;
  for (int ply = 0; ply < plies; ++ply) {
    growth = std::max(1.0, growth * 0.92);
    positions *= growth;
  }
  return positions;
}

/// Bytes that hold `positions` entries of a table with `ways` entries a 64-byte line, half full:
/// with four ways some 2 % of entries then lose their place.
std::uint64_t bytes_for(double positions, int ways) {
  const double bytes = positions * 2 * 64 / ways;
  return bytes < static_cast<double>(kMaxDefaultBytes) ? static_cast<std::uint64_t>(bytes)
                                                       : kMaxDefaultBytes;
}

std::uint64_t whole_lines(std::uint64_t bytes) {
  return std::max<std::uint64_t>(64, bytes / 64 * 64);
}

}  // namespace

std::uint64_t TablePlan::total_bytes(int workers) const {
  return deep_bytes + wide_entries * WideTable::kEntryBytes +
         window_bytes * (private_windows ? static_cast<std::uint64_t>(workers) : 1);
}

TablePlan plan_tables(const HashSpec& hash, const SplitShape& split, int unit_depth, int workers,
                      std::uint64_t available_bytes) {
  const auto threads = static_cast<std::uint64_t>(workers);
  const std::uint64_t deep_need =
      std::max(kMiB, bytes_for(expected_positions(split, unit_depth - 3), kDeepWays));
  const std::uint64_t window_need =
      std::max(kLeastPrivateWindowBytes,
               bytes_for(expected_positions(split, unit_depth - 2), WindowLine::kWays));
  const std::uint64_t window_wish = std::min(kPrivateWindowBytes, window_need);

  std::uint64_t bytes = hash.bytes;
  if (bytes == 0)
    bytes = std::min(deep_need + deep_need / 16 + window_wish * threads, available_bytes / 2);
  bytes = std::max(bytes, kMinHashBytes);

  TablePlan plan;
  if (unit_depth > kWideDepth)
    plan.wide_entries = std::max<std::uint64_t>(1, bytes / 64 / WideTable::kEntryBytes);
  const std::uint64_t rest = bytes - plan.wide_entries * WideTable::kEntryBytes;
  const std::uint64_t private_bytes = std::min(window_wish, rest / 4 / threads);
  const std::uint64_t deep_if_private = rest - private_bytes * threads;
  plan.private_windows =
      private_bytes >= kLeastPrivateWindowBytes && deep_if_private >= deep_need / 2;
  plan.window_bytes =
      whole_lines(plan.private_windows ? private_bytes : std::min(rest / 4, window_need));
  plan.deep_bytes = whole_lines(rest - plan.window_bytes * (plan.private_windows ? threads : 1));
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
      wide_(plan.wide_entries) {}

Result<std::unique_ptr<JobTables>> JobTables::allocate(const TablePlan& plan, const HashSpec& hash,
                                                       const Workers& workers,
                                                       const std::stop_token& stop) {
  const int count = workers.count();
  if (const std::uint64_t available = available_memory_bytes();
      plan.total_bytes(count) > available) {
    return Error{ErrorCode::kUnavailable, "hash", 0,
                 format_bytes(plan.total_bytes(count)) + " wanted, but only " +
                     format_bytes(available) + " are available"};
  }
  Result<TableMemory> deep = TableMemory::allocate(plan.deep_bytes);
  if (!deep) return deep.error();
  std::unique_ptr<JobTables> tables(new JobTables(plan, hash, workers, std::move(deep).value()));
  for (int i = 0; i < (plan.private_windows ? count : 1); ++i) {
    Result<TableMemory> window = TableMemory::allocate(plan.window_bytes);
    if (!window) return window.error();
    if (plan.private_windows) {
      tables->private_windows_.emplace_back(std::move(window).value());
    } else {
      tables->shared_window_ =
          std::make_unique<SharedWindow>(std::move(window).value(), hash.stripes);
    }
  }
  if (auto error = workers.spread(tables->deep_.memory())) return *std::move(error);
  workers.run([&](int worker) {
    tables->deep_.memory().touch(worker, count, stop);
    if (plan.private_windows) {
      tables->private_windows_[static_cast<std::size_t>(worker)].memory().touch(0, 1, stop);
    } else {
      tables->shared_window_->memory().touch(worker, count, stop);
    }
  });
  if (stop.stop_requested()) return cancelled();
  return tables;
}

NodeCount JobTables::count(const Board& board, int depth, const KernelPair& kernels, int worker,
                           const std::stop_token& stop, HashStats& stats) {
  const ZobristKey key = keys_.key_from_scratch(board);
  if (shared_window_) {
    SearchContextOf<DeepTable, SharedWindow> context{keys_,           kernels.plain, deep_, wide_,
                                                     *shared_window_, stop,          stats};
    return kernels.hashed.count_shared(board, key, depth, context);
  }
  PrivateWindow& window = private_windows_[static_cast<std::size_t>(worker)];
  SearchContextOf<DeepTable, PrivateWindow> context{keys_,  kernels.plain, deep_, wide_,
                                                    window, stop,          stats};
  return kernels.hashed.count_private(board, key, depth, context);
}

TableSlot JobTables::slot_of(const ZobristKey& key, int depth) const {
  if (depth == 2) {
    const std::uint64_t line = bucket_index(key, plan_.window_bytes / sizeof(WindowLine));
    return {TableSlot::Table::kWindow, {line << 16 | (key.low & 0xFFFF), key.high}};
  }
  const ZobristKey entry_key = key ^ keys_.depth(depth);
  if (depth >= kWideDepth) return {TableSlot::Table::kWide, entry_key};
  const std::uint64_t low_tag = DeepEntry::low_tag(entry_key) >> DeepEntry::kCountBits;
  return {TableSlot::Table::kDeep,
          {deep_.bucket_of(entry_key) << (64 - DeepEntry::kCountBits) | low_tag, entry_key.high}};
}

std::vector<NodeCount> JobTables::stored(const ZobristKey& key, int depth) {
  std::vector<NodeCount> counts;
  const auto keep = [&counts](NodeCount count) {
    if (count != NodeCount{}) counts.push_back(count);
  };
  if (depth == 2) {
    const auto match = [](const std::uint64_t* tags, std::uint64_t tag) {
      unsigned equal = 0;
      for (unsigned i = 0; i < WindowLine::kWays; ++i) equal |= (tags[i] == tag ? 1U : 0U) << i;
      return equal;
    };
    const auto look = [&](auto& window) { keep(window.probe(key, window.line_of(key), match)); };
    if (shared_window_) look(*shared_window_);
    for (PrivateWindow& window : private_windows_) look(window);
    return counts;
  }
  const ZobristKey entry_key = key ^ keys_.depth(depth);
  if (depth >= kWideDepth) {
    keep(wide_.probe(entry_key));
  } else {
    keep(deep_.probe(entry_key, deep_.bucket_of(entry_key)));
  }
  return counts;
}

std::vector<std::span<WindowLine>> JobTables::windows_for_testing() {
  std::vector<std::span<WindowLine>> windows;
  if (shared_window_) windows.push_back(shared_window_->lines_for_testing());
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

}  // namespace manyply
