#include "parallel/jobs/statistics_job.h"

#include <algorithm>
#include <memory>

#include "core/base/memory.h"
#include "core/base/stopwatch.h"
#include "core/bitboard.h"
#include "core/geometry.h"
#include "core/position.h"
#include "hash/statistics_search.h"
#include "parallel/units/root_splitter.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// Returns the size in bytes of a table that is two thirds full if it contains all positions at
/// remaining depth 2.
std::uint64_t useful_bytes(const RootSplit& split, int unit_depth) {
  const double positions = expected_positions(shape_of(split), std::max(0, unit_depth - 2));
  return static_cast<std::uint64_t>(std::clamp(positions * 1.5 * 64, 1e6, 1e15));
}

class StatisticsRun {
 public:
  StatisticsRun(const StatisticsSpec& spec, const Workforce& by, StatisticsReport& report)
      : spec_(spec),
        by_(by),
        report_(report),
        keys_(spec.hash ? spec.hash->keys : KeySpec{}),
        split_(split_root(spec.root.position, spec.depth, by.kernel(),
                          spec.hash && spec.store == nullptr ? kCoarseSplit : SplitLimits{},
                          by.stop(), by.workers())),
        unit_depth_(spec.depth.plies() - split_.ply) {}

  /// Puts the table into spec.keeper. Entries that a cancelled job has stored are correct. After
  /// any other error, the table must not be used again.
  ~StatisticsRun() {
    if (spec_.keeper == nullptr || !table_ || failed_) return;
    spec_.keeper->put(TableKeeper::KeptStatistics{std::move(table_), spec_.hash->keys,
                                                  by_.workers().placement(),
                                                  report_.expected_false_matches});
  }
  StatisticsRun(const StatisticsRun&) = delete;
  StatisticsRun& operator=(const StatisticsRun&) = delete;

  std::optional<Error> run() {
    if (spec_.hash && unit_depth_ > StatisticsTable::kMinDepth && split_.size() > 0 &&
        !by_.stopped()) {
      if (auto error = allocate_table()) return error;
    }
    if (by_.stopped()) return cancelled();
    for (int worker = 0; worker < by_.count(); ++worker) {
      searches_.emplace_back(by_.kernel(), keys_, table_.get());
    }
    units_.resize(split_.size());
    if (auto error = open_store()) return error;
    by_.progress().start(by_.count(), split_.size(), report_.resumed_units);
    by_.progress().worker(0).visited.add(split_.generated);
    auto error = for_each_unit(
        order_for(split_, unit_depth_, table_ != nullptr, by_.kernel()),
        {.by = by_, .kept = kept_ ? &*kept_ : nullptr},
        [this](std::size_t unit, const UnitWorker& worker) { return count_unit(unit, worker); });
    HashStats lookups;
    for (const StatisticsSearch& search : searches_) lookups += search.stats();
    report_.probes = lookups.total().probes;
    report_.hits = lookups.total().hits;
    if (table_) {
      report_.table_bytes = table_->bytes();
      report_.expected_false_matches += table_->expected_false_matches(lookups, keys_.spec().bits);
    }
    if (error && error->code != ErrorCode::kCancelled) failed_ = true;
    if (error) return error;
    sum_up();
    return std::nullopt;
  }

 private:
  std::optional<Error> allocate_table() {
    const Stopwatch watch;
    std::uint64_t bytes = spec_.hash->bytes;
    if (bytes == 0) {
      bytes = std::min(useful_bytes(split_, unit_depth_), available_memory_bytes() / 2);
    }
    bytes = std::max(bytes, StatisticsTable::kMinBytes);
    if (spec_.keeper != nullptr) {
      auto kept = spec_.keeper->take_statistics(bytes, spec_.hash->keys, by_.workers().placement());
      if (kept.table) {
        table_ = std::move(kept.table);
        report_.expected_false_matches = kept.expected_false_matches;
        report_.reused = true;
        return std::nullopt;
      }
    }
    by_.progress().enter(Step::kSettingUp, bytes);
    auto memory = TableMemory::allocate(bytes);
    if (!memory) return memory.error();
    if (auto error = by_.workers().spread(*memory)) return error;
    table_ = std::make_unique<StatisticsTable>(std::move(memory).value());
    by_.workers().run([this](int worker) {
      table_->memory().touch(worker, by_.count(), by_.stop(), &by_.progress().bytes_set_up());
    });
    report_.setup_seconds = watch.seconds();
    return std::nullopt;
  }

  std::optional<Error> open_store() {
    if (spec_.store == nullptr) return std::nullopt;
    const int key_bits = keys_.spec().bits;
    const Hash128 units = job_identity(spec_.root.position, spec_.depth, split_, key_bits);
    const std::array<std::uint64_t, 3> words{kStatistics, units.low, units.high};
    auto kept = KeptUnits::open(
        *spec_.store,
        {.identity = xxh3_128(std::as_bytes(std::span(words))),
         .units = split_.size(),
         .words = kStatistics,
         .what = "move statistics of " + job_text(spec_.root, spec_.depth, key_bits)},
        [this](std::size_t unit, std::span<const std::uint64_t> payload) {
          std::ranges::copy(payload, units_[unit].counts.begin());
          report_.resumed_leaves += leaves_below(unit);
        },
        [this](std::size_t unit) {
          const auto& counts = units_[unit].counts;
          return std::vector(counts.begin(), counts.end());
        });
    if (!kept) return kept.error();
    kept_ = std::move(kept).value();
    report_.resumed_units = kept_->known();
    return std::nullopt;
  }

  [[nodiscard]] double leaves_below(std::size_t unit) const {
    return static_cast<double>(units_[unit][Statistic::kNodes]) *
           split_.paths_to(unit).approximate();
  }

  std::optional<Error> count_unit(std::size_t unit, const UnitWorker& worker) {
    StatisticsSearch& search = searches_[static_cast<std::size_t>(worker.number)];
    const std::uint64_t visited_before = search.stats().visited;
    search.add(split_.boards[unit], unit_depth_, worker.stop, units_[unit]);
    if (worker.stop.stop_requested()) return cancelled();
    worker.progress.visited.add(search.stats().visited - visited_before);
    worker.progress.leaves.add(leaves_below(unit));
    return std::nullopt;
  }

  void sum_up() {
    for (const Move move : split_.root_moves) report_.divide.push_back({move, {}});
    for (std::size_t unit = 0; unit < split_.size(); ++unit) {
      for (const auto& [root_move, paths] : split_.shares_of(unit)) {
        add_multiple(report_.divide[root_move].totals, units_[unit], paths);
      }
    }
    report_.units = split_.size();
    report_.visited = by_.progress().snapshot().visited;
  }

  const StatisticsSpec& spec_;
  const Workforce& by_;
  StatisticsReport& report_;
  const KeySet keys_;
  const RootSplit split_;
  const int unit_depth_;
  std::unique_ptr<StatisticsTable> table_;
  bool failed_ = false;
  std::vector<StatisticsSearch> searches_;  // one for each worker
  std::vector<MoveStatistics> units_;       // by unit; written by the unit's worker
  std::optional<KeptUnits> kept_;           // set if there is a store
};

}  // namespace

Result<StatisticsReport> run_statistics(const StatisticsSpec& spec, const std::stop_token& stop,
                                        Progress* progress) try {
  const Result<Workforce> by = Workforce::of(spec, stop, progress);
  if (!by) return by.error();
  StatisticsReport report;
  report.threads = by->count();
  report.kernel = by->kernel().name;

  const Stopwatch watch;
  if (spec.depth.plies() == 0) {
    report.totals[Statistic::kNodes] = 1;
  } else if (spec.depth.plies() == 1) {
    for (const Move move : legal_moves(spec.root.position)) {
      report.divide.push_back({move, {}});
      add_multiple(report.divide.back().totals, statistics_of(spec.root.position.board(), move), 1);
    }
  } else {
    by->progress().enter(Step::kSplitting);
    StatisticsRun run(spec, *by, report);
    if (auto error = run.run()) return *std::move(error);
  }
  for (const StatisticsDivideEntry& entry : report.divide) {
    for (std::size_t i = 0; i < kStatistics; ++i) {
      report.totals.counts[i] += entry.totals.counts[i];
    }
  }
  report.seconds = watch.seconds() - report.setup_seconds;

  report.known_nodes = known_value(spec.root.position, spec.depth);
  report.known = compare_with_known(report.known_nodes, report.totals[Statistic::kNodes]);
  return report;
} catch (...) {
  return current_exception_as_error();
}

namespace {

using KindCounts = std::array<std::uint64_t, kLastPlyKinds>;

/// Returns the number of pawns of side `them` that can step ahead and are not on a line with the
/// king of `them`. Such pawns cannot be pinned.
int free_pawns(const Board& board, Color them) {
  const Pieces& pieces = board.of(them);
  const int king = lowest(pieces.king);
  const Bitboard lines = rook_attacks_by_walking(king, 0) | bishop_attacks_by_walking(king, 0);
  const Bitboard empty = ~board.occupied();
  const Bitboard before_empty = them == Color::kWhite ? empty >> 8 : empty << 8;
  return popcount(pieces.pawns & before_empty & ~lines);
}

/// Adds the move to `counts`. If `looks_on` is false, does not look for stalemate after the move.
void add_move(const Position& position, Move move, bool looks_on, KindCounts& counts) {
  const auto add = [&counts](LastPlyKind kind) { ++counts[static_cast<std::size_t>(kind)]; };
  if (move.kind() == MoveKind::kDoublePush) add(LastPlyKind::kDoubleSteps);
  if (move.kind() == MoveKind::kCastling) {
    const bool king_side = file_of(move.to()) > file_of(move.from());  // the rook's square
    add(king_side ? LastPlyKind::kCastlesKingSide : LastPlyKind::kCastlesQueenSide);
  }
  if (!looks_on) return;
  const Position next = position.after_unchecked(move);
  if (!next.in_check() && legal_moves(next).empty()) add(LastPlyKind::kStalemates);
}

void add_moves(const Position& position, KindCounts& counts) {
  // A move can prevent the steps of at most two free pawns: it captures one and blocks another, or
  // castling blocks two. So if there are three free pawns, the move cannot result in stalemate.
  const bool looks_on = free_pawns(position.board(), ~position.side_to_move()) < 3;
  for (const Move move : legal_moves(position)) add_move(position, move, looks_on, counts);
}

/// Adds the moves of the last ply to `counts`. Returns false after a stop request.
bool add_below(const Position& position, int plies, const std::stop_token& stop,
               KindCounts& counts) {
  if (plies == 1) return add_moves(position, counts), true;
  if (stop.stop_requested()) return false;
  return std::ranges::all_of(legal_moves(position), [&](Move move) {
    return add_below(position.after_unchecked(move), plies - 1, stop, counts);
  });
}

void add_multiple(LastPlyTotals& sum, const KindCounts& unit, NodeCount times) {
  for (std::size_t i = 0; i < kLastPlyKinds; ++i) sum.counts[i] += times * NodeCount(unit[i]);
}

}  // namespace

Result<std::vector<LastPlyEntry>> count_last_ply(const TaskSpec& spec, const std::stop_token& stop,
                                                 Progress* progress) try {
  const Result<Workforce> by = Workforce::of(spec, stop, progress);
  if (!by) return by.error();
  std::vector<LastPlyEntry> entries;
  const int depth = spec.depth.plies();
  if (depth == 0) return entries;
  const Position& root = spec.root.position;
  for (const Move move : legal_moves(root)) entries.push_back({move, {}});
  if (depth == 1) {
    for (LastPlyEntry& entry : entries) {
      KindCounts one{};
      add_move(root, entry.move, true, one);
      add_multiple(entry.totals, one, 1);
    }
    return entries;
  }
  // A unit must include the last ply, so at least one ply must remain.
  const SplitLimits limits{.min_unit_depth = 1};
  const RootSplit split =
      split_root(root, spec.depth, by->kernel(), limits, by->stop(), by->workers());
  if (by->stopped()) return cancelled();
  const int unit_depth = depth - split.ply;
  std::vector<KindCounts> units(split.size());
  by->progress().start(by->count(), split.size());
  auto error =
      for_each_unit(biggest_first(split, by->kernel()), {.by = *by},
                    [&](std::size_t unit, const UnitWorker& worker) -> std::optional<Error> {
                      const Position position = position_unchecked(split.boards[unit]);
                      if (!add_below(position, unit_depth, worker.stop, units[unit]))
                        return cancelled();
                      return std::nullopt;
                    });
  if (error) return *std::move(error);
  for (std::size_t unit = 0; unit < split.size(); ++unit) {
    for (const auto& [root_move, paths] : split.shares_of(unit))
      add_multiple(entries[root_move].totals, units[unit], paths);
  }
  return entries;
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply
