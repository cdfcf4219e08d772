#include "parallel/jobs/unique_job.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <compare>
#include <iterator>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/memory.h"
#include "core/base/stopwatch.h"
#include "hash/fingerprint.h"
#include "hash/packed_board.h"
#include "parallel/matrix/unique_by_pairs.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// Number of parents that a worker takes at a time.
constexpr std::uint64_t kChunk = 2'048;

/// Number of progress units for one chunk of parents in one pass. If a range is cut again, each of
/// the smaller ranges needs its own pass. These passes divide the units of the range among them.
constexpr std::uint64_t kChunkUnits = std::uint64_t{1} << 16;

/// Number of sampled positions for each new range. They are parents, or positions of a full set.
/// The sample determines where one range ends and the next range begins. With this number, the
/// sizes of ranges vary by 4 % (standard deviation).
constexpr std::uint64_t kSampleForRange = 512;

/// A sample of parents has the keys of every kEighth child of each parent.
constexpr std::uint64_t kEighth = 8;
constexpr std::uint64_t kSampleBytes = 1'024;  ///< memory for the sampled keys of one parent

/// The pieces of the side that does not move in the current ply (the waiting side).
struct NonMovingSide {
  Bitboard squares = 0;
  std::array<Bitboard, 3> planes{};  ///< the kinds of these pieces, see PackedBoard
  friend constexpr auto operator<=>(const NonMovingSide&, const NonMovingSide&) = default;

  /// Extracts the pieces of side `waiting` from a position after the ply. A pawn that has just
  /// moved two squares is not included, because this pawn belongs to the other side.
  static NonMovingSide of(const PackedBoard& board, Color waiting) {
    const auto [p0, p1, p2, p3] = board.planes;
    const Bitboard squares = (p0 | p1 | p2) & (waiting == Color::kWhite ? ~p3 : p3);
    return {squares, {p0 & squares, p1 & squares, p2 & squares}};
  }

  /// Extracts the pieces of side `waiting` from a parent, as they are after a move that captures
  /// nothing.
  static NonMovingSide in_parent(const PackedBoard& board, Color waiting) {
    const auto [p0, p1, p2, p3] = board.planes;
    const Bitboard moved_two_squares = p3 & ~(p0 | p1 | p2);
    NonMovingSide pieces = of(board, waiting);
    pieces.squares |= moved_two_squares;
    pieces.planes[0] |= moved_two_squares;
    return pieces;
  }
};

/// Sort key of a position within its ply.
struct Key {
  NonMovingSide waiting;
  PackedBoard board;
  friend constexpr auto operator<=>(const Key&, const Key&) = default;

  static Key of(const PackedBoard& board, Color waiting) {
    return {NonMovingSide::of(board, waiting), board};
  }
};

/// The positions of one ply whose keys lie between `first` and `end`, excluding `end`.
struct Range {
  Key first{};
  Key end{.waiting = {.squares = ~Bitboard{0}}, .board = {}};  ///< after every position
  std::uint64_t chunk_units = kChunkUnits;

  [[nodiscard]] bool contains(const Key& key) const { return first <= key && key < end; }
  /// Returns whether a position with these pieces of the waiting side may be in the range.
  [[nodiscard]] bool may_contain(const NonMovingSide& pieces) const {
    return first.waiting <= pieces && pieces <= end.waiting;
  }
  /// Returns whether the range may contain a position in which one of `pieces` was captured.
  /// Compares only the squares of pieces, not their kinds.
  [[nodiscard]] bool may_contain_without_one(const NonMovingSide& pieces) const {
    for (Bitboard rest = pieces.squares; rest != 0; rest &= rest - 1) {
      const Bitboard left = pieces.squares & ~(rest & -rest);
      if (first.waiting.squares <= left && left <= end.waiting.squares) return true;
    }
    return false;
  }
};

struct KeyOf {
  Color waiting;
  Key operator()(const ReachedPosition& position) const { return Key::of(position.board, waiting); }
};

/// Cuts `range` into at most `parts` ranges. Each of them contains about the same number of `keys`.
/// Returns the last range first. Precondition: all keys lie in `range`.
std::vector<Range> cut(const Range& range, std::vector<Key> keys, std::uint64_t parts) {
  std::ranges::sort(keys);
  std::vector<Range> ranges;
  Key end = range.end;
  for (std::uint64_t part = parts; part-- > 0;) {
    const Key first =
        part == 0 ? range.first : keys[static_cast<std::size_t>(keys.size() * part / parts)];
    if (first < end) ranges.push_back({first, end, range.chunk_units / parts});
    end = first;
  }
  return ranges;
}

class UniqueRun {
 public:
  UniqueRun(const UniqueSpec& spec, const UniqueObserver& observer, Workforce by,
            std::uint64_t memory_bytes)
      : spec_(spec),
        observer_(observer),
        by_(std::move(by)),
        kernel_(by_.kernel()),
        memory_bytes_(memory_bytes),
        // The remaining quarter is for the positions of the previous ply and of this ply.
        most_set_bytes_(memory_bytes / 4 * 3),
        scratch_(static_cast<std::size_t>(by_.count())) {}

  std::optional<Error> run() {
    const Board& root = spec_.root.position.board();
    parents_ = {{PackedBoard::of(root), 1}};
    moving_ = root.side_to_move;
    if (spec_.depth.plies() == 0 && observer_.on_position) {
      if (auto error = observer_.on_position(spec_.root.position, 1)) return error;
    }
    if (auto error = report({.distinct = 1, .paths = 1})) return error;
    for (int ply = 1; ply <= spec_.depth.plies(); ++ply) {
      if (ply + 1 == spec_.depth.plies()) {
        if (auto error = plan_last_two()) return error;
      }
      if (auto error = next_ply(ply)) return error;
    }
    return std::nullopt;
  }

 private:
  struct Child {
    PackedBoard board;
    std::uint64_t place;
  };
  /// Temporary data of one worker.
  struct Scratch {
    std::vector<Child> children;
    NodeCount paths;  // sum until take_paths()
  };

  /// Predicts and reports how much memory and time the last two plies will need. Returns an error
  /// if the last but one ply surely does not fit into memory.
  std::optional<Error> plan_last_two() {
    const double before_last = static_cast<double>(parents_.size()) * growth_before_;
    const double set_bytes =
        before_last * growth_ * sizeof(ReachedPosition) / PositionSet::kPlannedLoad;
    const auto most_set_bytes = static_cast<double>(most_set_bytes_);
    UniquePlan plan;
    plan.method = UniqueMethod::kOneByOne;
    plan.ply = spec_.depth.plies();
    plan.positions = before_last * growth_;
    plan.parts = static_cast<std::uint64_t>(std::ceil(std::max(1.0, set_bytes / most_set_bytes)));
    const auto store_bytes = static_cast<std::uint64_t>(before_last * sizeof(ReachedPosition));
    plan.memory_bytes =
        set_bytes < most_set_bytes
            ? static_cast<std::uint64_t>(set_bytes) + std::min(most_plies_bytes(), 3 * store_bytes)
            : memory_bytes_;
    plan.seconds = seconds_ * growth_before_ * growth_;
    // The prediction assumes that a ply grows by the same factor as the previous ply of the same
    // side. This factor usually becomes smaller, but never falls to a third. So refuse only if even
    // a third of the prediction does not fit.
    constexpr std::uint64_t kSurely = 3;
    if (2 * store_bytes / kSurely > most_plies_bytes())
      return too_little_memory(spec_.depth.plies() - 1, before_last);
    return observer_.on_plan ? observer_.on_plan(plan) : std::nullopt;
  }

  std::optional<Error> next_ply(int ply) {
    const Stopwatch time;
    last_ = ply == spec_.depth.plies();
    // Expect this ply to grow by the same factor as the previous ply, plus a reserve.
    const double expected = static_cast<double>(parents_.size()) * growth_ * 1.1 + 1'000;
    if (auto error = allocate(expected)) return error;
    std::vector<Range> ranges{Range{}};
    std::uint64_t parts = 1;
    if (set_->memory_bytes() == most_set_bytes_ && expected > planned_positions()) {
      parts = static_cast<std::uint64_t>(std::ceil(expected / planned_positions()));
      auto keys =
          sample_of_children(std::min(kSampleForRange * parts, most_set_bytes_ / 2 / kSampleBytes));
      if (!keys) return keys.error();
      ranges = cut({.chunk_units = kChunkUnits * parts}, std::move(keys).value(), parts);
    }
    by_ = by_.watched_in(observer_.on_start ? observer_.on_start(ply) : nullptr);
    by_.progress().start(by_.count(), chunks() * kChunkUnits * parts);
    children_ = {};
    UniquePly done;
    done.ply = ply;
    done.passes = 0;
    while (!ranges.empty()) {
      const Range range = ranges.back();
      ranges.pop_back();
      const auto paths = fill(range);
      if (!paths) return paths.error();
      if (*paths) {
        ++done.passes;
        if (auto error = hand_on(**paths, done)) return error;
      } else if (auto error = make_room(range, ranges)) {
        return error;
      }
    }
    set_.reset();
    done.seconds = seconds_ = time.seconds();
    growth_before_ = growth_;
    growth_ = static_cast<double>(done.distinct) /
              static_cast<double>(std::max<std::uint64_t>(1, parents_.size()));
    parents_ = std::move(children_);
    moving_ = ~moving_;
    return report(done);
  }

  /// Allocates a new set for `positions` positions, or the largest set that fits into memory.
  std::optional<Error> allocate(double positions) {
    const double bytes = positions * sizeof(ReachedPosition) / PositionSet::kPlannedLoad;
    set_.reset();  // free its memory first
    auto memory = TableMemory::allocate(
        bytes < static_cast<double>(most_set_bytes_)
            ? std::max(static_cast<std::uint64_t>(bytes), PositionSet::kMinBytes)
            : most_set_bytes_);
    if (!memory) {
      Error error = memory.error();
      error.field = "memory";
      return error;
    }
    if (auto error = by_.workers().spread(*memory)) return error;
    set_.emplace(std::move(memory).value());
    return std::nullopt;
  }

  /// Inserts the positions of a range into the empty set. Returns the number of paths to these
  /// positions. If the positions do not fit, returns nullopt and leaves the set partly filled.
  Result<std::optional<NodeCount>> fill(const Range& range) {
    full_.store(false, std::memory_order_relaxed);
    chunks_done_.store(0, std::memory_order_relaxed);
    std::vector<std::uint64_t> units_before;
    for (int worker = 0; worker < by_.count(); ++worker)
      units_before.push_back(by_.progress().worker(worker).units_done.get());
    auto error = for_each_unit(
        ascending_order(static_cast<std::size_t>(chunks())),
        {.by = by_, .weight = range.chunk_units},
        [&](std::size_t chunk, const UnitWorker& worker) { return expand(range, chunk, worker); });
    const NodeCount paths = take_paths();
    if (!error) return std::optional(paths);
    if (by_.stopped()) return cancelled();
    if (!full_.load(std::memory_order_relaxed)) return *std::move(error);
    for (int worker = 0; worker < by_.count(); ++worker)
      by_.progress().worker(worker).units_done.set(units_before[static_cast<std::size_t>(worker)]);
    return std::optional<NodeCount>();
  }

  /// Runs `body` for each shard of the set. Does not change the progress, whose units are chunks of
  /// parents.
  std::optional<Error> for_each_shard(const UnitBody& body) {
    const Workforce by = by_.watched_in(nullptr);
    by.progress().start(by.count(), set_->shards());
    return for_each_unit(ascending_order(set_->shards()), {.by = by}, body);
  }

  /// Returns the paths that the workers have added up since the last call.
  NodeCount take_paths() {
    NodeCount sum;
    for (Scratch& scratch : scratch_) sum += std::exchange(scratch.paths, 0);
    return sum;
  }

  /// Finds the children of one chunk of parents. Inserts the children in `range` into the set, and
  /// adds up the paths to these children.
  std::optional<Error> expand(const Range& range, std::uint64_t chunk, const UnitWorker& worker) {
    auto& [children, all_paths] = scratch_[static_cast<std::size_t>(worker.number)];
    const auto first = static_cast<std::size_t>(chunk * kChunk);
    const auto parents =
        std::span(parents_).subspan(first, std::min<std::size_t>(kChunk, parents_.size() - first));
    const Color waiting = ~moving_;
    NodeCount paths;
    std::uint64_t looked_up = 0;
    for (const ReachedPosition& parent : parents) {
      if (worker.stop.stop_requested()) return cancelled();
      const NonMovingSide pieces = NonMovingSide::in_parent(parent.board, waiting);
      const bool quiet_too = range.may_contain(pieces);
      if (!quiet_too && !range.may_contain_without_one(pieces)) continue;
      const Board board = parent.board.unpack(moving_);
      MoveList moves;
      kernel_.generate(board, moves);
      children.clear();
      for (const Move move : moves) {
        const bool capture =
            (pieces.squares & bit(move.to())) != 0 || move.kind() == MoveKind::kEnPassant;
        if (!capture && !quiet_too) continue;
        const auto child = PackedBoard::of(kernel_.make_unchecked(board, move));
        if (!range.contains(Key::of(child, waiting))) continue;
        const std::uint64_t place = xxh3_64(std::as_bytes(std::span(child.planes)));
        set_->prefetch(place);
        children.push_back({child, place});
      }
      for (const auto& [child, place] : children) {
        if (auto error = problem(set_->insert(place, child, parent.paths))) return error;
      }
      paths += NodeCount(parent.paths) * NodeCount(children.size());
      looked_up += children.size();
    }
    all_paths += paths;
    worker.progress.visited.add(parents.size());
    worker.progress.leaves.add(static_cast<double>(looked_up));
    chunks_done_.fetch_add(1, std::memory_order_relaxed);
    return std::nullopt;
  }

  std::optional<Error> problem(PositionSet::Inserted inserted) {
    if (inserted == PositionSet::Inserted::kYes) return std::nullopt;
    if (inserted == PositionSet::Inserted::kOverflow)
      return Error{ErrorCode::kOverflow, "", 0, "more than 2^64 - 1 paths lead to one position"};
    full_.store(true, std::memory_order_relaxed);
    return Error{ErrorCode::kUnavailable, "", 0, "the set is full"};  // fill() handles it
  }

  /// Samples evenly spaced parents: at least `wanted`, or all if there are fewer. Returns the keys
  /// of every kEighth child of each parent.
  Result<std::vector<Key>> sample_of_children(std::uint64_t wanted) const {
    std::vector<Key> keys;
    const std::uint64_t step = std::max<std::uint64_t>(1, parents_.size() / wanted);
    for (std::uint64_t at = 0; at < parents_.size(); at += step) {
      if (by_.stopped()) return cancelled();
      const ReachedPosition& parent = parents_[static_cast<std::size_t>(at)];
      const Board board = parent.board.unpack(moving_);
      MoveList moves;
      kernel_.generate(board, moves);
      for (std::size_t i = at / step % kEighth; i < moves.size(); i += kEighth) {
        const auto child = PackedBoard::of(kernel_.make_unchecked(board, moves[i]));
        keys.push_back(Key::of(child, ~moving_));
      }
    }
    return keys;
  }

  /// Called after fill(range) found the set full. If memory allows, allocates a larger set and adds
  /// the range to `ranges` again. Otherwise cuts the range, adds the smaller ranges and clears the
  /// set.
  std::optional<Error> make_room(const Range& range, std::vector<Range>& ranges) {
    const double share = static_cast<double>(std::max<std::uint64_t>(1, chunks_done_.load())) /
                         static_cast<double>(chunks());
    std::uint64_t held = 0;
    for (std::size_t shard = 0; shard < set_->shards(); ++shard) held += set_->size_of(shard);
    // An upper bound of the number of positions in the range. Later chunks add fewer positions than
    // earlier chunks, because more of their children are already in the set.
    const double all = static_cast<double>(held) / share;
    if (set_->memory_bytes() < most_set_bytes_) {
      ranges.push_back(range);
      return allocate(2 * all);
    }
    constexpr std::uint64_t kMostParts = 64;
    const auto parts = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(std::ceil(all / planned_positions())), 2, kMostParts);
    std::vector<Key> keys;
    for (const PackedBoard& board : set_->sample(kSampleForRange * parts))
      keys.push_back(Key::of(board, ~moving_));
    std::ranges::copy(cut(range, std::move(keys), parts), std::back_inserter(ranges));
    return clear();
  }

  std::optional<Error> clear() {
    return for_each_shard([this](std::size_t shard, const UnitWorker&) {
      set_->clear(shard);
      return std::nullopt;
    });
  }

  /// Removes all positions from the set. Before the last ply, they become the parents of the next
  /// ply. At the last ply, they go to the observer if it has on_position. `paths` is the number of
  /// paths to these positions.
  std::optional<Error> hand_on(NodeCount paths, UniquePly& done) {
    const bool to_observer = last_ && observer_.on_position;
    std::vector<std::uint64_t> begin{done.distinct};
    for (std::size_t shard = 0; shard < set_->shards(); ++shard)
      begin.push_back(begin.back() + set_->size_of(shard));
    if (!last_) {
      // While the vector grows, both the old and the new memory exist.
      const std::uint64_t positions = parents_.size() + 2 * begin.back();
      if (positions * sizeof(ReachedPosition) > most_plies_bytes())
        return too_little_memory(done.ply, static_cast<double>(begin.back()));
      children_.reserve(static_cast<std::size_t>(begin.back()));
      children_.resize(static_cast<std::size_t>(begin.back()));
    }
    std::vector<std::span<const ReachedPosition>> runs(set_->shards());
    auto error =
        for_each_shard([&](std::size_t shard, const UnitWorker& worker) -> std::optional<Error> {
          const auto positions = set_->gather(shard);
          MANYPLY_CHECK(positions.size() == set_->size_of(shard));
          NodeCount& held = scratch_[static_cast<std::size_t>(worker.number)].paths;
          for (const ReachedPosition& position : positions) held += position.paths;
          if (!last_) std::ranges::copy(positions, children_.begin() + signed_of(begin[shard]));
          if (to_observer) {
            std::ranges::sort(positions, {}, KeyOf{~moving_});
            runs[shard] = positions;
          } else {
            set_->clear(shard);
          }
          return std::nullopt;
        });
    if (error) return error;
    MANYPLY_CHECK(take_paths() == paths);
    done.paths += paths;
    done.distinct = begin.back();
    if (!to_observer) return std::nullopt;
    if (auto error = tell(runs)) return error;
    return clear();
  }

  /// Merges sorted runs and reports their positions to the observer.
  std::optional<Error> tell(std::span<const std::span<const ReachedPosition>> runs) const {
    struct Head {
      Key key;
      std::span<const ReachedPosition> run;
      bool operator<(const Head& other) const { return key > other.key; }  // smallest on top
    };
    const KeyOf key_of{~moving_};
    std::priority_queue<Head> heads;
    for (const auto& run : runs) {
      if (!run.empty()) heads.push({key_of(run.front()), run});
    }
    while (!heads.empty()) {
      if (by_.stopped()) return cancelled();
      auto [key, run] = heads.top();
      heads.pop();
      const Position position = position_unchecked(key.board.unpack(~moving_));
      if (auto error = observer_.on_position(position, run.front().paths)) return error;
      run = run.subspan(1);
      if (!run.empty()) heads.push({key_of(run.front()), run});
    }
    return std::nullopt;
  }

  /// Returns the bytes that the positions of the previous ply and of this ply may use together.
  [[nodiscard]] std::uint64_t most_plies_bytes() const { return memory_bytes_ - most_set_bytes_; }
  [[nodiscard]] Error too_little_memory(int ply, double positions) const {
    const auto bytes = static_cast<std::uint64_t>(positions * sizeof(ReachedPosition));
    return {ErrorCode::kUnavailable, "memory", 0,
            "ply " + std::to_string(ply) + " needs about " + format_bytes(8 * bytes) +
                ", but the limit is " + format_bytes(memory_bytes_)};
  }
  static std::ptrdiff_t signed_of(std::uint64_t at) { return static_cast<std::ptrdiff_t>(at); }
  [[nodiscard]] std::optional<Error> report(const UniquePly& ply) const {
    return observer_.on_ply ? observer_.on_ply(ply) : std::nullopt;
  }
  [[nodiscard]] double planned_positions() const {
    return static_cast<double>(set_->slots()) * PositionSet::kPlannedLoad;
  }
  [[nodiscard]] std::uint64_t chunks() const { return (parents_.size() + kChunk - 1) / kChunk; }

  const UniqueSpec& spec_;
  const UniqueObserver& observer_;
  Workforce by_;  // reports to the progress of the current ply
  const Kernel& kernel_;
  const std::uint64_t memory_bytes_;
  const std::uint64_t most_set_bytes_;
  std::vector<Scratch> scratch_;  // one per worker

  // State of the ply in progress.
  bool last_ = false;
  Color moving_ = Color::kWhite;  // side to move in the parents
  double growth_ = 40;            // of the previous ply; at first 40: few positions have more moves
  double growth_before_ = 40;     // of the previous ply of the side that is moving
  double seconds_ = 0;            // duration of the previous ply
  std::vector<ReachedPosition> parents_;
  std::vector<ReachedPosition> children_;  // stays empty at the last ply
  std::optional<PositionSet> set_;

  // Written by all workers, read after all have returned.
  std::atomic<bool> full_{false};
  std::atomic<std::uint64_t> chunks_done_{0};
};

bool by_pairs(const UniqueSpec& spec, const UniqueObserver& observer) {
  if (spec.method != UniqueMethod::kWhateverPays)
    return spec.method == UniqueMethod::kByPairs && spec.depth.plies() >= 2;
  return spec.depth.plies() >= kMinPairDepth && !observer.on_position;
}

}  // namespace

std::optional<Error> find_unique(const UniqueSpec& spec, const UniqueObserver& observer,
                                 const std::stop_token& stop) try {
  MANYPLY_CHECK(spec.share.of == 1 || (by_pairs(spec, observer) && spec.store == nullptr &&
                                       spec.depth.plies() >= kMinMatrixDepth));
  const Result<Workforce> by = Workforce::of(spec, stop);
  if (!by) return by.error();
  const std::uint64_t available = available_memory_bytes();
  const std::uint64_t memory = spec.memory_bytes > 0 ? spec.memory_bytes : available / 2;
  if (memory < UniqueSpec::kMinMemoryBytes)
    return Error{ErrorCode::kInvalidInput, "memory", 0,
                 format_bytes(memory) + " is less than the minimum of " +
                     format_bytes(UniqueSpec::kMinMemoryBytes)};
  if (memory > available) {
    return Error{ErrorCode::kUnavailable, "memory", 0,
                 format_bytes(memory) + " requested, but only " + format_bytes(available) +
                     " are available"};
  }
  if (by_pairs(spec, observer)) return find_unique_by_pairs(spec, memory, *by, observer);
  if (spec.store != nullptr && spec.method == UniqueMethod::kOneByOne) {
    return Error{ErrorCode::kInvalidInput, "checkpoint", 0,
                 "cannot store positions that are found one by one"};
  }
  return UniqueRun(spec, observer, *by, memory).run();
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply
