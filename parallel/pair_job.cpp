#include "parallel/pair_job.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "hash/fingerprint.h"
#include "hash/memory.h"
#include "parallel/chunk_counter.h"
#include "parallel/job.h"
#include "parallel/pair_parts.h"
#include "parallel/pair_stage.h"
#include "parallel/stopwatch.h"
#include "parallel/unit_runner.h"

namespace manyply {
namespace {

/// Rows of a part are finished in so many units, by their kind.
constexpr std::size_t kUnitsOfPart = 256;

constexpr std::uint32_t kMostParts = 4096;

Error too_little_memory(const std::string& what) {
  return {ErrorCode::kUnavailable, "memory", 0, what};
}

/// Which unit of its part has the rows of a kind.
std::size_t unit_of(ConfigurationKind kind) {
  return static_cast<std::size_t>(kind * 0x9E3779B97F4A7C15 >> 40) % kUnitsOfPart;
}

class PairRun {
 public:
  PairRun(const UniqueSpec& spec, std::uint64_t memory_bytes, const Workforce& by,
          const UniqueObserver& observer)
      : spec_(spec),
        memory_bytes_(memory_bytes),
        by_(by),
        kernel_(by.kernel()),
        workers_(by.workers()),
        observer_(observer),
        stop_(by.stop()),
        budget_(memory_bytes) {}

  std::optional<Error> run() {
    const int depth = spec_.depth.plies();
    if (auto error = report({.distinct = 1, .paths = 1})) return error;
    PairStage stage(spec_.root.position.board());
    budget_.take(stage.bytes());
    for (int ply = 1; ply < depth - 1; ++ply) {
      UniquePly done;
      done.ply = ply;
      if (auto error = play_whole(stage, done)) return error;
      if (auto error = count_paths(done)) return error;
      if (auto error = report(done)) return error;
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

  std::optional<Error> play_whole(PairStage& stage, UniquePly& done) {
    const Stopwatch time;
    Progress unwatched;
    Progress& progress = watched(done.ply, unwatched);
    const std::uint64_t before = stage.bytes();
    const PairPly ply(std::move(stage), kernel_, workers_, stop_);
    if (stop_.stop_requested()) return cancelled();
    const std::uint64_t playing = ply.bytes() - std::min(before, ply.bytes());
    budget_.take(playing);
    progress.start(workers_.count(), ply.kinds());
    stage = next_stage(ply, nullptr, workers_, stop_, progress, budget_, done.distinct);
    budget_.give_back(before + playing);
    if (stop_.stop_requested()) return cancelled();
    growth_ = static_cast<double>(done.distinct) /
              static_cast<double>(std::max<std::uint64_t>(1, distinct_));
    distinct_ = done.distinct;
    done.seconds = time.seconds();
    return std::nullopt;
  }

  [[nodiscard]] TaskSpec task_of(int ply) const {
    TaskSpec task = spec_;
    task.depth = Depth(ply);
    return task;
  }

  /// Of the ply, by a count of its own.
  std::optional<Error> count_paths(UniquePly& done) {
    const Stopwatch time;
    const auto counted = run_job(
        {task_of(done.ply), Method::kConfigurations, false, HashSpec{.bytes = memory_bytes_ / 2}},
        stop_);
    if (!counted) return counted.error();
    done.paths = counted->nodes;
    done.seconds += time.seconds();
    return std::nullopt;
  }

  // --- the last two plies
  // -------------------------------------------------------------------------

  /// What one of `parts` will take beside what is there, expected: the ply before the last, played
  /// and turned over at first, and then with what the last one needs of columns. `sure` is for
  /// those who cannot try again with more parts.
  [[nodiscard]] double part_bytes(double stage_bytes, std::uint32_t parts, bool sure) const {
    const double beside_matrix = sure ? 5 : 3;  // start position: 4.8 at ply 8, 2.6 at ply 9
    return beside_matrix * growth_ * stage_bytes * PairParts::share(parts);
  }

  static std::uint32_t more_parts(std::uint32_t parts) { return parts == 1 ? 4 : 2 * parts; }

  /// The plan of the last two plies, of which `ply` is the first, or an error if they take more
  /// than there is. `stage_bytes` are of the matrix before it.
  Result<UniquePlan> plan(const PairPly& ply, double stage_bytes) const {
    UniquePlan plan;
    plan.ply = spec_.depth.plies();
    plan.positions = static_cast<double>(distinct_) * growth_ * growth_;
    for (std::uint32_t parts = 1; parts <= kMostParts; parts = more_parts(parts)) {
      plan.parts = parts;
      plan.memory_bytes = ply.bytes() + static_cast<std::uint64_t>(
                                            part_bytes(stage_bytes, parts, spec_.store != nullptr));
      if (plan.memory_bytes <= memory_bytes_) return plan;
    }
    return too_little_memory("ply " + std::to_string(plan.ply) + " would take about " +
                             format_bytes(plan.memory_bytes) + ", and may take " +
                             format_bytes(memory_bytes_));
  }

  std::optional<Error> play_last(PairStage stage) {
    const Stopwatch time;
    const auto stage_bytes = static_cast<double>(stage.bytes());
    const PairPly ply(std::move(stage), kernel_, workers_, stop_);
    if (stop_.stop_requested()) return cancelled();
    auto planned = plan(ply, stage_bytes);
    if (!planned) return planned.error();
    UniquePly before_last;
    before_last.ply = spec_.depth.plies() - 1;
    before_last.seconds = time.seconds();
    auto parts = static_cast<std::uint32_t>(planned->parts);
    if (auto error = open_store(parts)) return error;
    if (observer_.on_plan) observer_.on_plan(*planned);
    if (auto error = kept_paths(before_last, 0)) return error;
    for (;; parts = more_parts(parts)) {
      try {
        MatrixBudget budget(most_of_parts(ply.bytes()));
        return play_parts(ply, parts, before_last, budget);
      } catch (const MatrixDoesNotFit&) {
        if (kept_ != nullptr || parts >= kMostParts) throw;
      }
      results_.assign(units_of(more_parts(parts)), NodeCount());
      results_[unit_of_paths(0)] = before_last.paths;
    }
  }

  /// A store has been told the parts, which cannot be changed any more where they take somewhat
  /// more than was expected.
  [[nodiscard]] std::uint64_t most_of_parts(std::uint64_t ply_bytes) const {
    constexpr std::uint64_t kMargin = std::uint64_t{64} << 20;
    const std::uint64_t left = memory_bytes_ - ply_bytes;
    return kept_ == nullptr ? left : 2 * left + kMargin;
  }

  std::optional<Error> play_parts(const PairPly& ply, std::uint32_t parts, UniquePly before_last,
                                  MatrixBudget& budget) {
    const int depth = spec_.depth.plies();
    UniquePly last;
    last.ply = depth;
    before_last.passes = last.passes = parts;
    const PairParts cut(configuration_of(spec_.root.position.board(), ply.mover()), parts);
    Progress unwatched;
    // One part is two plies, one after the other; of more, both end together.
    Stopwatch time;
    std::optional<PairStage> only;
    if (parts == 1 && !all_known(0)) {
      Progress unwatched_before;
      Progress& progress = watched(depth - 1, unwatched_before);
      progress.start(workers_.count(), ply.kinds());
      auto made = make_part(ply, cut, 0, progress, budget);
      if (!made) return made.error();
      only = std::move(made).value();
    }
    if (parts == 1) {
      before_last.distinct = results_[unit_before(0)].low();
      before_last.seconds += time.seconds();
      if (auto error = report_once(before_last)) return error;
      time = Stopwatch();
    }
    Progress& progress = watched(depth, unwatched);
    start_last(progress, parts);
    for (std::uint32_t part = 0; part < parts; ++part) {
      if (all_known(part)) continue;
      if (!only) {
        Progress unseen;
        unseen.start(workers_.count(), ply.kinds());
        auto made = make_part(ply, cut, part, unseen, budget);
        if (!made) return made.error();
        only = std::move(made).value();
      }
      if (auto error = count_part(*std::exchange(only, std::nullopt), cut, part, progress, budget))
        return error;
    }
    if (parts > 1) {
      for (std::uint32_t part = 0; part < parts; ++part)
        before_last.distinct += results_[unit_before(part)].low();
      if (auto error = report_once(before_last)) return error;
    }
    NodeCount distinct;
    for (std::size_t unit = 0; unit < parts * kUnitsOfPart; ++unit) distinct += results_[unit];
    last.distinct = distinct.low();
    last.seconds = time.seconds();
    if (auto error = kept_paths(last, 1)) return error;
    return report(last);
  }

  std::optional<Error> report_once(const UniquePly& ply) {
    if (std::exchange(reported_, ply.ply) == ply.ply) return std::nullopt;
    return report(ply);
  }

  /// Units are the last ply's, by part, then the ply before it, by part, then both plies' paths.
  static std::size_t units_of(std::size_t parts) { return parts * (kUnitsOfPart + 1) + 2; }
  [[nodiscard]] std::size_t unit_before(std::size_t part) const {
    return parts() * kUnitsOfPart + part;
  }
  [[nodiscard]] std::size_t unit_of_paths(std::size_t ply) const {
    return parts() * (kUnitsOfPart + 1) + ply;
  }
  [[nodiscard]] std::size_t parts() const { return (results_.size() - 2) / (kUnitsOfPart + 1); }

  std::optional<Error> open_store(std::uint32_t parts) {
    results_.assign(units_of(parts), NodeCount());
    if (spec_.store == nullptr) return std::nullopt;
    const Hash128 root = fingerprint(spec_.root.position.board());
    constexpr std::uint64_t kVersion = 1;
    const std::array<std::uint64_t, 5> words{
        kVersion, static_cast<std::uint64_t>(spec_.depth.plies()), parts, root.low, root.high};
    auto opened = KeptUnits::open(
        *spec_.store,
        {.identity = xxh3_128(std::as_bytes(std::span(words))),
         .units = results_.size(),
         .what = "distinct positions of " + std::to_string(spec_.depth.plies()) + " plies of " +
                 to_fen(spec_.root.position, spec_.root.notation) + " in " + std::to_string(parts) +
                 (parts == 1 ? " part" : " parts")},
        [this](std::size_t unit, std::span<const std::uint64_t> payload) {
          results_[unit] = to_count(payload);
        },
        [this](std::size_t unit) {
          const auto payload = to_words(results_[unit]);
          return std::vector<std::uint64_t>(payload.begin(), payload.end());
        });
    if (!opened) return opened.error();
    kept_ = std::make_unique<KeptUnits>(std::move(opened).value());
    return std::nullopt;
  }
  [[nodiscard]] bool knows(std::size_t unit) const {
    return kept_ != nullptr && kept_->knows(unit);
  }
  [[nodiscard]] bool all_known(std::size_t part) const {
    if (!knows(unit_before(part))) return false;
    for (std::size_t unit = 0; unit < kUnitsOfPart; ++unit) {
      if (!knows(part * kUnitsOfPart + unit)) return false;
    }
    return true;
  }
  std::optional<Error> keep(std::size_t unit) {
    return kept_ != nullptr && !kept_->knows(unit) ? kept_->record(unit) : std::nullopt;
  }
  void start_last(Progress& progress, std::size_t parts) const {
    std::size_t known = 0;
    for (std::size_t unit = 0; unit < parts * kUnitsOfPart; ++unit) known += knows(unit) ? 1 : 0;
    progress.start(workers_.count(), parts * kUnitsOfPart, known);
  }

  std::optional<Error> kept_paths(UniquePly& done, std::size_t number) {
    const std::size_t unit = unit_of_paths(number);
    if (!knows(unit)) {
      if (auto error = count_paths(done)) return error;
      results_[unit] = done.paths;
      if (auto error = keep(unit)) return error;
    }
    done.paths = results_[unit];
    return std::nullopt;
  }

  /// The positions after the last ply but one that a part of the last one is made from.
  Result<PairStage> make_part(const PairPly& ply, const PairParts& cut, std::uint32_t part,
                              Progress& progress, MatrixBudget& budget) {
    std::uint64_t distinct = 0;
    const RowFilter filter{
        .wanted = [&](const Configuration& row) { return cut.needs(part, row); },
        .counted = [&](const Configuration& row) { return cut.part_of(row) == part; }};
    PairStage stage = next_stage(ply, cut.parts() == 1 ? nullptr : &filter, workers_, stop_,
                                 progress, budget, distinct);
    if (stop_.stop_requested()) return cancelled();
    results_[unit_before(part)] = distinct;
    if (auto error = keep(unit_before(part))) return *std::move(error);
    return stage;
  }

  std::optional<Error> count_part(PairStage stage, const PairParts& cut, std::uint32_t part,
                                  Progress& progress, MatrixBudget& budget) {
    const std::uint64_t taken = stage.bytes() - stage.rows.bytes();
    const PairPly ply(std::move(stage), kernel_, workers_, stop_);
    if (stop_.stop_requested()) return cancelled();
    const std::uint64_t playing = ply.bytes() - std::min(taken, ply.bytes());
    budget.take(playing);
    std::vector<std::uint64_t> counted;
    if (cut.parts() > 1) counted = columns_of(ply, cut, part);
    std::vector<std::vector<std::size_t>> kinds(kUnitsOfPart);  // by unit
    for (std::size_t kind = 0; kind < ply.kinds(); ++kind)
      kinds[unit_of(ply.kind(kind))].push_back(kind);
    std::vector<std::unique_ptr<PairPly::Scratch>> scratch(
        static_cast<std::size_t>(workers_.count()));
    const std::size_t first = part * kUnitsOfPart;
    const UnitOrder all = ascending_order(first + kUnitsOfPart);
    const Workforce watched_part = by_.watched_in(&progress);
    const auto done = for_each_unit(
        range_of(all, first, first + kUnitsOfPart), {.by = watched_part, .kept = kept_.get()},
        [&](std::size_t unit, const UnitWorker& worker) -> std::optional<Error> {
          auto& own = scratch[static_cast<std::size_t>(worker.number)];
          if (own == nullptr) own = std::make_unique<PairPly::Scratch>(ply);
          std::uint64_t distinct = 0;
          for (const std::size_t kind : kinds[unit - first]) {
            const std::uint64_t more = count_rows(
                ply, kind, counted.empty() ? nullptr : counted.data(), worker.stop, *own);
            if (worker.stop.stop_requested()) return cancelled();
            distinct += more;
            worker.progress.leaves.add(static_cast<double>(more));
          }
          results_[unit] = distinct;
          return std::nullopt;
        });
    budget.give_back(playing + taken);
    return done ? std::nullopt : std::optional(done.error());
  }

  /// A bit for each column that belongs to the part.
  static std::vector<std::uint64_t> columns_of(const PairPly& ply, const PairParts& cut,
                                               std::uint32_t part) {
    std::vector<std::uint64_t> counted(blocks_of(ply.columns().size()) * kBlockWords);
    for (std::size_t column = 0; column < ply.columns().size(); ++column) {
      if (cut.part_of(ply.columns()[column]) == part)
        counted[column / 64] |= std::uint64_t{1} << column % 64;
    }
    return counted;
  }

  const UniqueSpec& spec_;
  const std::uint64_t memory_bytes_;
  const Workforce& by_;
  const Kernel& kernel_;
  const Workers& workers_;
  const UniqueObserver& observer_;
  const std::stop_token& stop_;
  MatrixBudget budget_;             // of plies that are played whole
  std::uint64_t distinct_ = 1;      // of the last ply that was played whole
  double growth_ = 20;              // into it
  int reported_ = 0;                // the last ply but one, once it has been
  std::vector<NodeCount> results_;  // by unit; each has one writer
  std::unique_ptr<KeptUnits> kept_;
};

}  // namespace

std::optional<Error> find_unique_by_pairs(const UniqueSpec& spec, std::uint64_t memory_bytes,
                                          const Workforce& by, const UniqueObserver& observer) try {
  return PairRun(spec, memory_bytes, by, observer).run();
} catch (const MatrixDoesNotFit& beyond) {
  return too_little_memory(std::string(beyond.what()) + ", and may take " +
                           format_bytes(memory_bytes));
}

}  // namespace manyply
