#include "parallel/matrix/unique_by_pairs.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/memory.h"
#include "core/base/stopwatch.h"
#include "hash/fingerprint.h"
#include "parallel/jobs/job.h"
#include "parallel/matrix/pair_ply.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// Number of units in a part of the last ply. In this file, a unit is all rows of some kinds
/// (configuration.h). A store keeps one number for each unit.
constexpr std::size_t kUnitsOfPart = 256;

/// The largest number of parts, a power of two.
constexpr std::uint32_t kMostParts = 1024;

/// Returns the number that identifies part `part` of a ply in `parts` parts. Parts of all other
/// divisions have other numbers, because `parts` is a power of two. The undivided ply has number 1.
constexpr std::size_t number_of(std::uint32_t parts, std::uint32_t part) { return parts + part; }

/// Returns the number of parts of the next finer division. If a part does not fit into memory, the
/// smaller parts of this division replace it. The whole ply is divided into four parts, not two.
/// With two parts, each part would make about all rows (UniqueParts::share), so the division would
/// save no memory.
constexpr std::uint32_t more_parts(std::uint32_t parts) { return parts == 1 ? 4 : 2 * parts; }

constexpr std::uint64_t kOfProgram = 16 << 20;  // memory of the program itself

/// Returns the MatrixBudget for a process with this limit in bytes. The process needs more memory
/// than the budget includes: the program itself, working memory of each worker, and freed memory
/// that the allocator keeps. With a limit of 1 GiB, this was 172 MiB.
constexpr std::uint64_t budget_of(std::uint64_t limit) {
  return limit - limit / 10 - std::min(limit / 10, kOfProgram);
}
/// Returns about the smallest limit whose budget is `bytes`.
constexpr std::uint64_t limit_for(std::uint64_t bytes) {
  const std::uint64_t more = bytes + kOfProgram;
  return std::min(bytes + bytes / 4, more + more / 9);
}

Error too_little_memory(const std::string& what) {
  return {ErrorCode::kUnavailable, "memory", 0, what};
}

/// Returns the index, in a part, of the unit that has the rows of `kind`.
std::size_t unit_of(ConfigurationKind kind) {
  return static_cast<std::size_t>(kind * 0x9E3779B97F4A7C15 >> 40) % kUnitsOfPart;
}

/// Returns a hash of `sets`. The hash determines to which share or part a configuration belongs.
/// Different seeds lead to different hashes.
std::uint64_t hash_of(std::span<const Bitboard> sets, std::uint64_t seed = 0) {
  std::uint64_t hash = seed;
  for (const Bitboard set : sets) {
    hash = (hash ^ set) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return hash ^ hash >> 32;
}

/// Decides which rows of the last ply belong to a share. Usually all rows of a kind belong to the
/// same share. If several shares had rows of the kind, each share would have to list the moves of
/// the whole kind. Only the root's kind, which can take a fifth of the time, is divided among all
/// shares. The decision depends only on the pieces of the row. So the shares add up even if they
/// are counted with different numbers of parts, for example on machines with different amounts of
/// memory.
class RowShare {
 public:
  RowShare(const CountShare& share, const Configuration& root)
      : share_(share), divided_(kind_of(root)) {}

  /// Returns whether the share has rows of `kind`.
  [[nodiscard]] bool has(ConfigurationKind kind) const {
    return kind == divided_ || unit_of(kind) % share_.of == share_.number;
  }
  /// Returns the filter of rows for count_rows(); an empty function if all rows are wanted.
  [[nodiscard]] std::function<bool(const Configuration&)> filter(ConfigurationKind kind) const {
    if (share_.of == 1 || kind != divided_) return {};
    return [share = share_](const Configuration& row) {
      const Pieces& pieces = row.pieces;
      const std::array sets{pieces.pawns, pieces.knights, pieces.bishops_queens,
                            pieces.rooks_queens, pieces.king};
      return hash_of(sets) % share.of == share.number;
    };
  }
  /// Returns the weight of those rows of kind number `kind` that belong to the share.
  [[nodiscard]] double weight(const PairPly& ply, std::size_t kind) const {
    const bool divided = ply.kind(kind) == divided_;
    return ply.weight(kind) / (divided ? static_cast<double>(share_.of) : 1);
  }

 private:
  const CountShare share_;
  const ConfigurationKind divided_;
};

/// The results of the last two plies, in the form in which a store keeps them. Each unit of a part
/// has one result: the number of its positions in the last ply. Each part has one more result: the
/// number of its positions in the ply before the last. The results in the enum Beside belong to no
/// part; their part number is 0. Several threads may write to one part at once, if each of them
/// writes to other elements.
class PartResults {
 public:
  enum Beside : std::size_t { kParts, kPathsBeforeLast, kPathsOfLast };
  static constexpr std::size_t kBeforeLast = kUnitsOfPart;  ///< the unit for the last but one ply
  static constexpr std::size_t kUnits = kUnitsOfPart + 1;   ///< of each part
  static constexpr std::size_t kAllUnits = std::size_t{2} * kMostParts * kUnits;

  static constexpr std::size_t unit(std::size_t number, std::size_t of_part) {
    return number * kUnits + of_part;
  }
  /// Allocates the results of a part. Call it before threads write to the part.
  void make_room(std::size_t number) { parts_[number].resize(kUnits); }
  NodeCount& at(std::size_t unit) { return parts_.at(unit / kUnits)[unit % kUnits]; }

  [[nodiscard]] static constexpr std::uint64_t bytes_for(std::uint32_t parts) {
    return parts * kUnits * sizeof(NodeCount);
  }

 private:
  std::map<std::size_t, std::vector<NodeCount>> parts_;  // by number
};

class PairRun {
 public:
  PairRun(const UniqueSpec& spec, std::uint64_t limit, const Workforce& by,
          const UniqueObserver& observer)
      : spec_(spec),
        limit_(limit),
        by_(by),
        kernel_(by.kernel()),
        workers_(by.workers()),
        observer_(observer),
        stop_(by.stop()),
        budget_(budget_of(limit)) {}

  std::optional<Error> run() {
    const int depth = spec_.depth.plies();
    if (auto error = report({.distinct = 1, .paths = 1})) return error;
    PairStage stage(spec_.root.position.board());
    for (int ply = 1; ply < depth - 1; ++ply) {
      UniquePly done;
      done.ply = ply;
      if (auto error = play_whole(stage, done)) return error;
      if (auto error = count_paths(done, stage.bytes())) return error;
      if (auto error = report(done)) return error;
      if (auto error = look_ahead(ply, stage.bytes())) return error;
    }
    return play_last(std::move(stage));
  }

 private:
  [[nodiscard]] std::optional<Error> report(const UniquePly& ply) const {
    return observer_.on_ply ? observer_.on_ply(ply) : std::nullopt;
  }
  Progress& watched(int ply, Progress& unwatched) const {
    Progress* const watched = observer_.on_start ? observer_.on_start(ply) : nullptr;
    return watched != nullptr ? *watched : unwatched;
  }

  /// Returns the error for a ply that needs the limit `needed`, in bytes.
  [[nodiscard]] Error would_take(int ply, std::uint64_t needed) const {
    return too_little_memory("ply " + std::to_string(ply) + " needs about " + format_bytes(needed) +
                             ", but the limit is " + format_bytes(limit_));
  }

  std::optional<Error> play_whole(PairStage& stage, UniquePly& done) {
    const Stopwatch time;
    Progress unwatched;
    Progress& progress = watched(done.ply, unwatched);
    {
      const PairPly ply(std::move(stage), kernel_, workers_, stop_, budget_);
      if (stop_.stop_requested()) return cancelled();
      progress.start(workers_.count(), ply.kinds());
      stage = next_stage(ply, nullptr, workers_, stop_, progress, budget_, done.distinct);
    }
    if (stop_.stop_requested()) return cancelled();
    growth_before_ = growth_;
    growth_ = static_cast<double>(done.distinct) /
              static_cast<double>(std::max<std::uint64_t>(1, distinct_));
    distinct_ = done.distinct;
    done.seconds = seconds_ = time.seconds();
    return std::nullopt;
  }

  /// The last ply that must be in memory as a whole has the number depth - 2. Returns an error if
  /// this ply will probably need too much memory while it is transposed. The estimate starts from
  /// the latest ply that was played: `ply` is its number, and `bytes` is its size.
  [[nodiscard]] std::optional<Error> look_ahead(int ply, std::uint64_t bytes) const {
    // The memory in use while a ply is transposed, divided by the size of the ply. From the start
    // position: 3.1 at plies 6 and 7, 2.6 at ply 8.
    constexpr double kTurningOver = 2.6;
    constexpr double kDenser = 0.85;  // bytes grow more slowly than positions, by this factor
    constexpr double kSurely = 0.8;   // safety factor for each estimated ply
    constexpr std::uint64_t kFirstSure = 1 << 20;
    double most = kTurningOver * static_cast<double>(bytes);
    double sure = 1;
    const int last_whole = spec_.depth.plies() - 2;
    if (ply == last_whole || bytes < kFirstSure) return std::nullopt;
    for (int next = ply + 1; next <= last_whole; ++next) {
      most *= kDenser * ((next - ply) % 2 == 1 ? growth_before_ : growth_);
      sure *= kSurely;
    }
    if (most * sure <= static_cast<double>(budget_.limit())) return std::nullopt;
    return would_take(last_whole, limit_for(static_cast<std::uint64_t>(most)));
  }

  [[nodiscard]] TaskSpec task_of(int ply) const {
    TaskSpec task = spec_;
    task.depth = Depth(ply);
    return task;
  }

  /// Counts the paths to the positions of ply done.ply. `taken` is the number of bytes that the
  /// pairs use. A table for this count gets at most half of the budget and at most the memory
  /// that the pairs leave, but at least kMinHashBytes.
  std::optional<Error> count_paths(UniquePly& done, std::uint64_t taken) {
    const Stopwatch time;
    const std::uint64_t budget = budget_.limit();
    const std::uint64_t left = budget - std::min(budget, taken);
    const HashSpec hash{.bytes = std::max(kMinHashBytes, std::min(budget / 2, left))};
    JobSpec paths{task_of(done.ply), Method::kAuto, false, hash};
    if (spec_.share.of > 1 && done.ply == spec_.depth.plies()) {
      paths.method = Method::kConfigurations;
      paths.share = spec_.share;
    }
    const auto counted = run_job(paths, stop_);
    if (!counted) return counted.error();
    done.paths = counted->nodes;
    done.seconds += time.seconds();
    return std::nullopt;
  }

  /// Returns the plan of the last two plies, or an error if they need too much memory. `ply` is the
  /// first of the two plies. `stage_bytes` is the size of the matrix from which `ply` starts.
  Result<UniquePlan> plan(const PairPly& ply, double stage_bytes) const {
    // Besides `ply`, a part needs additional memory: first to play and transpose `ply`, then for
    // the part's matrix after `ply` and the columns that the last ply adds. The peak of the
    // additional memory is about kBesideMatrix times the size of the part's matrix.
    constexpr double kBesideMatrix = 3;  // start position: 4.8 at ply 8, 2.6 at ply 9
    // A later ply takes less time for each position, because its blocks have more pairs. Start
    // position: 0.4 at depth 9, 0.5 at depth 10.
    constexpr double kTimeOfPosition = 0.5;
    UniquePlan plan;
    plan.method = UniqueMethod::kByPairs;
    plan.ply = spec_.depth.plies();
    plan.positions = static_cast<double>(distinct_) * growth_before_ * growth_;
    for (std::uint32_t parts = 1; parts <= kMostParts; parts = more_parts(parts)) {
      plan.parts = parts;
      const double beside =
          kBesideMatrix * growth_before_ * stage_bytes * UniqueParts::share(parts);
      const std::uint64_t bytes =
          ply.bytes() + static_cast<std::uint64_t>(beside) + PartResults::bytes_for(parts);
      plan.memory_bytes = limit_for(bytes);
      plan.seconds =
          kTimeOfPosition * seconds_ * growth_before_ * growth_ * UniqueParts::work(parts);
      if (bytes <= budget_.limit()) return plan;
    }
    return would_take(plan.ply, plan.memory_bytes);
  }

  /// The results of the last two plies up to now.
  struct LastPlies {
    UniquePly before;
    UniquePly last;
    bool before_reported = false;
    Stopwatch time = {};  ///< of the last ply; with several parts, of the last two plies
    Progress unwatched = {};
    Progress* progress = nullptr;  ///< of the last ply
    bool counting = false;         ///< whether `progress` has been started
  };

  std::optional<Error> play_last(PairStage stage) {
    const Stopwatch time;
    const auto stage_bytes = static_cast<double>(stage.bytes());
    const PairPly ply(std::move(stage), kernel_, workers_, stop_, budget_);
    if (stop_.stop_requested()) return cancelled();
    const auto planned = plan(ply, stage_bytes);
    if (!planned) return planned.error();
    UniquePlan chosen = *planned;
    if (auto error = open_store(chosen)) return error;
    if (observer_.on_plan) {
      if (auto error = observer_.on_plan(chosen)) return error;
    }
    LastPlies plies;
    plies.before.ply = spec_.depth.plies() - 1;
    plies.before.passes = 0;
    plies.last.ply = spec_.depth.plies();
    plies.last.passes = 0;
    plies.before.seconds = time.seconds();
    if (auto error = kept_paths(plies.before, PartResults::kPathsBeforeLast, ply)) return error;
    const auto parts = static_cast<std::uint32_t>(chosen.parts);
    plies.time = Stopwatch();
    for (std::uint32_t part = 0; part < parts; ++part) {
      if (auto error = play_part(ply, parts, part, plies)) return error;
    }
    if (auto error = report_before(plies)) return error;
    plies.last.seconds = plies.time.seconds();
    if (plies.progress != nullptr) plies.progress->finish();
    if (auto error = kept_paths(plies.last, PartResults::kPathsOfLast, ply)) return error;
    return report(plies.last);
  }

  std::optional<Error> report_before(LastPlies& plies) const {
    return std::exchange(plies.before_reported, true) ? std::nullopt : report(plies.before);
  }

  /// Plays part `part` of `parts`. If the part does not fit into memory, or an earlier run has
  /// divided it, plays smaller parts instead.
  std::optional<Error> play_part(const PairPly& ply, std::uint32_t parts, std::uint32_t part,
                                 LastPlies& plies) {
    const std::size_t number = number_of(parts, part);
    const std::uint32_t more = more_parts(parts);
    bool fits = all_known(number) || !is_cut(parts, part);
    results_.make_room(number);
    if (fits && !all_known(number)) {
      try {
        if (auto error = play_fitting(ply, parts, part, plies)) return error;
      } catch (const MatrixDoesNotFit&) {
        if (more > kMostParts) throw;
        fits = false;
      }
    }
    if (!fits) {
      for (std::uint32_t smaller = part; smaller < more; smaller += parts) {
        if (auto error = play_part(ply, more, smaller, plies)) return error;
      }
      return std::nullopt;
    }
    ++plies.last.passes;
    for (std::size_t unit = 0; unit < kUnitsOfPart; ++unit)
      plies.last.distinct += results_.at(PartResults::unit(number, unit)).low();
    if (plies.before_reported) return std::nullopt;
    ++plies.before.passes;
    plies.before.distinct += results_.at(PartResults::unit(number, PartResults::kBeforeLast)).low();
    return std::nullopt;
  }

  std::optional<Error> play_fitting(const PairPly& ply, std::uint32_t parts, std::uint32_t part,
                                    LastPlies& plies) {
    const UniqueParts cut(configuration_of(spec_.root.position.board(), ply.mover()), parts);
    // With one part, each of the last two plies has its own progress. With several parts, each part
    // plays both plies before the next part begins. So only the progress of the last ply is shown.
    Progress unwatched;
    if (parts > 1) begin_last(plies);
    Progress& making = parts == 1 ? watched(plies.before.ply, unwatched) : unwatched;
    making.start(workers_.count(), ply.kinds());
    auto made = make_part(ply, cut, part, making);
    if (!made) return made.error();
    if (parts == 1) {
      plies.before.passes = 1;
      plies.before.distinct = results_.at(PartResults::unit(1, PartResults::kBeforeLast)).low();
      plies.before.seconds += plies.time.seconds();
      if (auto error = report_before(plies)) return error;
      plies.time = Stopwatch();
      watch_last(plies);
    }
    auto error = count_part(std::move(made).value(), cut, part, plies);
    return_freed_memory();
    return error;
  }

  /// Returns the number of units of progress that a part gets for each of its finished units. With
  /// twice as many parts, each part is half as large and gets half as many units of progress.
  static std::uint64_t weight_of(std::uint32_t parts) { return kMostParts / parts; }

  Progress& watch_last(LastPlies& plies) const {
    if (plies.progress == nullptr) plies.progress = &watched(plies.last.ply, plies.unwatched);
    return *plies.progress;
  }
  /// Returns the progress of the last ply. The first call starts it.
  Progress& begin_last(LastPlies& plies) const {
    Progress& progress = watch_last(plies);
    if (!std::exchange(plies.counting, true)) {
      constexpr std::uint64_t kAll = kMostParts * kUnitsOfPart;
      progress.start(workers_.count(), kAll, std::min(known_weight_, kAll));
    }
    return progress;
  }

  /// Opens the store, if there is one. If an earlier run has stored its number of parts, sets
  /// planned.parts to this number.
  std::optional<Error> open_store(UniquePlan& planned) {
    results_.make_room(0);
    const std::size_t parts_unit = PartResults::unit(0, PartResults::kParts);
    if (spec_.store == nullptr) return std::nullopt;
    const Hash128 root = fingerprint(spec_.root.position.board());
    constexpr std::uint64_t kVersion = 2;
    const std::array<std::uint64_t, 4> words{
        kVersion, static_cast<std::uint64_t>(spec_.depth.plies()), root.low, root.high};
    auto opened = KeptUnits::open(
        *spec_.store,
        {.identity = xxh3_128(std::as_bytes(std::span(words))),
         .units = PartResults::kAllUnits,
         .what = "distinct positions of " + std::to_string(spec_.depth.plies()) + " plies of " +
                 to_fen(spec_.root.position, spec_.root.notation)},
        [this](std::size_t unit, std::span<const std::uint64_t> payload) {
          results_.make_room(unit / PartResults::kUnits);
          results_.at(unit) = to_count(payload);
        },
        [this](std::size_t unit) { return to_words(results_.at(unit)); });
    if (!opened) return opened.error();
    kept_ = std::make_unique<KeptUnits>(std::move(opened).value());
    if (!knows(parts_unit)) {
      results_.at(parts_unit) = planned.parts;
      return keep(parts_unit);
    }
    planned.parts =
        std::bit_floor(std::clamp<std::uint64_t>(results_.at(parts_unit).low(), 1, kMostParts));
    for (std::uint32_t parts = static_cast<std::uint32_t>(planned.parts); parts <= kMostParts;
         parts = more_parts(parts)) {
      for (std::uint32_t part = 0; part < parts; ++part) {
        for (std::size_t unit = 0; unit < kUnitsOfPart; ++unit) {
          if (knows(PartResults::unit(number_of(parts, part), unit)))
            known_weight_ += weight_of(parts);
        }
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] bool knows(std::size_t unit) const {
    return kept_ != nullptr && kept_->knows(unit);
  }
  [[nodiscard]] bool all_known(std::size_t number) const {
    for (std::size_t unit = 0; unit < PartResults::kUnits; ++unit) {
      if (!knows(PartResults::unit(number, unit))) return false;
    }
    return true;
  }
  /// Returns whether the store has a unit of one of the smaller parts of this part. If so, an
  /// earlier run has divided this part.
  [[nodiscard]] bool is_cut(std::uint32_t parts, std::uint32_t part) const {
    const std::uint32_t more = more_parts(parts);
    if (kept_ == nullptr || more > kMostParts) return false;
    for (std::uint32_t smaller = part; smaller < more; smaller += parts) {
      for (std::size_t unit = 0; unit < PartResults::kUnits; ++unit) {
        if (knows(PartResults::unit(number_of(more, smaller), unit))) return true;
      }
      if (is_cut(more, smaller)) return true;
    }
    return false;
  }
  std::optional<Error> keep(std::size_t unit) {
    return kept_ != nullptr && !kept_->knows(unit) ? kept_->record(unit) : std::nullopt;
  }

  std::optional<Error> kept_paths(UniquePly& done, PartResults::Beside which, const PairPly& ply) {
    const std::size_t unit = PartResults::unit(0, which);
    if (!knows(unit)) {
      if (auto error = count_paths(done, ply.bytes())) return error;
      results_.at(unit) = done.paths;
      if (auto error = keep(unit)) return error;
    }
    done.paths = results_.at(unit);
    return std::nullopt;
  }

  /// Plays `ply`. Returns those positions after `ply` that `part` needs to count the last ply. Also
  /// stores how many positions after `ply` belong to `part`.
  Result<PairStage> make_part(const PairPly& ply, const UniqueParts& cut, std::uint32_t part,
                              Progress& progress) {
    std::uint64_t distinct = 0;
    const RowFilter filter{
        .wanted = [&](const Configuration& row) { return cut.needs(part, row); },
        .counted = [&](const Configuration& row) { return cut.part_of(row) == part; }};
    PairStage stage = next_stage(ply, cut.parts() == 1 ? nullptr : &filter, workers_, stop_,
                                 progress, budget_, distinct);
    if (stop_.stop_requested()) return cancelled();
    const std::size_t unit =
        PartResults::unit(number_of(cut.parts(), part), PartResults::kBeforeLast);
    results_.at(unit) = distinct;
    if (auto error = keep(unit)) return *std::move(error);
    return stage;
  }

  std::optional<Error> count_part(PairStage stage, const UniqueParts& cut, std::uint32_t part,
                                  LastPlies& plies) {
    PairPly::Wanted wanted;
    if (cut.parts() > 1) {
      wanted = [&](const Configuration& column) { return cut.part_of(column) == part; };
    }
    const PairPly ply(std::move(stage), kernel_, workers_, stop_, budget_, wanted);
    if (stop_.stop_requested()) return cancelled();
    Progress& progress = begin_last(plies);
    std::vector<std::uint64_t> counted;
    if (cut.parts() > 1) counted = columns_of(ply, cut, part);
    const std::size_t first = PartResults::unit(number_of(cut.parts(), part), 0);
    std::vector<std::vector<std::size_t>> kinds(kUnitsOfPart);  // by unit
    const RowShare share(spec_.share, configuration_of(spec_.root.position.board(), ply.mover()));
    const auto unit_at = [&](std::size_t kind) { return first + unit_of(ply.kind(kind)); };
    double weight = 0;  // total weight of the kinds that this run counts
    std::uint64_t progress_units = 0;
    for (std::size_t unit = first; unit < first + kUnitsOfPart; ++unit)
      progress_units += knows(unit) ? 0 : weight_of(cut.parts());
    for (std::size_t kind = 0; kind < ply.kinds(); ++kind) {
      if (!share.has(ply.kind(kind))) continue;
      kinds[unit_at(kind) - first].push_back(kind);
      if (!knows(unit_at(kind))) weight += share.weight(ply, kind);
    }
    UnitsByWeight by_weight(progress_units, weight);
    std::vector<std::uint64_t> units_of_kind(ply.kinds());
    for (std::size_t kind = 0; kind < ply.kinds(); ++kind) {
      if (share.has(ply.kind(kind)) && !knows(unit_at(kind)))
        units_of_kind[kind] = by_weight.next(share.weight(ply, kind));
    }
    std::vector<std::unique_ptr<PairPly::Scratch>> scratch(
        static_cast<std::size_t>(workers_.count()));
    std::vector<std::uint64_t> units_before;
    for (int worker = 0; worker < workers_.count(); ++worker)
      units_before.push_back(progress.worker(worker).units_done.get());
    std::atomic<bool> fits{true};
    const UnitOrder all = ascending_order(first + kUnitsOfPart);
    const Workforce watched_part = by_.watched_in(&progress);
    auto error = for_each_unit(
        range_of(all, first, first + kUnitsOfPart),
        {.by = watched_part, .weight = 0, .kept = kept_.get()},
        [&](std::size_t unit, const UnitWorker& worker) -> std::optional<Error> {
          auto& own = scratch[static_cast<std::size_t>(worker.number)];
          if (own == nullptr) own = std::make_unique<PairPly::Scratch>(ply);
          std::uint64_t distinct = 0;
          for (const std::size_t kind : kinds[unit - first]) {
            const std::uint64_t* const among = counted.empty() ? nullptr : counted.data();
            try {
              const std::uint64_t more =
                  count_rows(ply, kind, share.filter(ply.kind(kind)), among, worker.stop, *own);
              distinct += more;
              worker.progress.leaves.add(static_cast<double>(more));
              worker.progress.units_done.add(units_of_kind[kind]);
            } catch (const MatrixDoesNotFit& beyond) {
              fits.store(false, std::memory_order_relaxed);
              return too_little_memory(beyond.what());  // replaced by an exception below
            }
            if (worker.stop.stop_requested()) return cancelled();
          }
          results_.at(unit) = distinct;
          return std::nullopt;
        });
    if (!error) return std::nullopt;
    if (fits.load(std::memory_order_relaxed) || stop_.stop_requested()) return error;
    for (int worker = 0; worker < workers_.count(); ++worker)
      progress.worker(worker).units_done.set(units_before[static_cast<std::size_t>(worker)]);
    throw MatrixDoesNotFit("the rows of the last ply take too much memory");
  }

  /// Returns one bit for each column. The bit is set if the column belongs to the part.
  static std::vector<std::uint64_t> columns_of(const PairPly& ply, const UniqueParts& cut,
                                               std::uint32_t part) {
    std::vector<std::uint64_t> counted(blocks_of(ply.columns().size()) * kBlockWords);
    for (std::size_t column = 0; column < ply.columns().size(); ++column) {
      if (cut.part_of(ply.columns()[column]) == part)
        counted[column / 64] |= std::uint64_t{1} << column % 64;
    }
    return counted;
  }

  const UniqueSpec& spec_;
  const std::uint64_t limit_;  // for the memory of the process
  const Workforce& by_;
  const Kernel& kernel_;
  const Workers& workers_;
  const UniqueObserver& observer_;
  const std::stop_token& stop_;
  MatrixBudget budget_;
  std::uint64_t distinct_ = 1;  // positions of the latest ply that was played as a whole
  double growth_ = 20;          // factor by which that ply has more positions than the previous ply
  double growth_before_ = 20;   // the same factor, one ply earlier
  double seconds_ = 0;          // duration of the ply of distinct_
  PartResults results_;
  std::unique_ptr<KeptUnits> kept_;
  std::uint64_t known_weight_ = 0;  // weight of the units that the store had at the start
};

}  // namespace

UniqueParts::UniqueParts(const Configuration& root, std::uint32_t parts)
    : parts_(parts),
      first_half_(size_of(halves_of(root.pieces)[0])),
      second_half_(size_of(halves_of(root.pieces)[1])) {}

std::array<UniqueParts::Half, 2> UniqueParts::halves_of(const Pieces& pieces) {
  constexpr Bitboard kQueenSide = 0x0F0F0F0F0F0F0F0F;
  return {{{pieces.pawns & kQueenSide, pieces.knights, pieces.king, 0},
           {pieces.pawns & ~kQueenSide, pieces.bishops_queens, pieces.rooks_queens, 0}}};
}

int UniqueParts::size_of(const Half& half) {
  int size = 0;
  for (const Bitboard set : half) size += popcount(set);
  return size;
}

std::uint32_t UniqueParts::part_of(const Configuration& configuration) const {
  if (parts_ == 1) return 0;
  const auto halves = halves_of(configuration.pieces);
  const bool by_second = size_of(halves[0]) < first_half_ && size_of(halves[1]) >= second_half_;
  const std::size_t half = by_second ? 1 : 0;
  return static_cast<std::uint32_t>(hash_of(halves[half], half) % parts_);
}

bool UniqueParts::needs(std::uint32_t part, const Configuration& configuration) const {
  if (part_of(configuration) == part) return true;
  const Pieces& pieces = configuration.pieces;
  for (Bitboard left = pieces.all() & ~pieces.king; left != 0;) {
    if (part_of(without(configuration, pop_lowest(left))) == part) return true;
  }
  return false;
}

std::optional<Error> find_unique_by_pairs(const UniqueSpec& spec, std::uint64_t memory_bytes,
                                          const Workforce& by, const UniqueObserver& observer) try {
  return PairRun(spec, memory_bytes, by, observer).run();
} catch (const MatrixDoesNotFit& beyond) {
  return too_little_memory(std::string(beyond.what()) + "; the limit is " +
                           format_bytes(memory_bytes));
}

}  // namespace manyply
