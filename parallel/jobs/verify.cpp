#include "parallel/jobs/verify.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <span>
#include <unordered_set>
#include <utility>

#include "core/base/stopwatch.h"
#include "core/counting.h"
#include "hash/fingerprint.h"
#include "parallel/matrix/last_plies_device.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// Returns a seed for a second, independent set of keys.
std::uint64_t other_seed(std::uint64_t seed) { return xxh3_64(std::as_bytes(std::span(&seed, 1))); }

/// Compares incremental keys with keys from scratch, in subtrees. Only one thread may use it.
class KeyWalk {
 public:
  KeyWalk(const Kernel& kernel, const KeySet& keys, std::uint64_t most_keys)
      : hashed_(hashed_kernel_for(kernel)), keys_(keys), most_keys_(most_keys) {}

  /// Compares every key that a count of `board` at `depth` plies computes. Returns false if the
  /// comparison ended early: at the limit, after a fault, or after a stop request.
  bool walk(const Board& board, int depth, const std::stop_token& stop) {
    levels_.resize(std::max(levels_.size(), static_cast<std::size_t>(depth) + 1));
    for (Level& level : levels_) level.seen.clear();
    return below(board, keys_.key_from_scratch(board), depth, stop);
  }

  [[nodiscard]] const std::optional<KeyFault>& fault() const { return fault_; }
  [[nodiscard]] std::uint64_t compared() const { return compared_; }

 private:
  bool below(const Board& board, const ZobristKey& key, int depth, const std::stop_token& stop) {
    if (depth < HashedKernel::kMinDepth) return true;
    if (stop.stop_requested()) return false;
    auto& [children, seen] = levels_[static_cast<std::size_t>(depth)];
    if (!children) children = std::make_unique<KeyedChildren>();
    hashed_.children(board, key, keys_, *children);
    if (children->size > most_keys_ - compared_) return false;
    compared_ += children->size;
    for (const KeyedChildren::Child& child : children->all()) {
      const ZobristKey from_scratch = keys_.key_from_scratch(child.board);
      if (child.key != from_scratch) {
        fault_ = {position_unchecked(board), child.move, child.key, from_scratch};
        return false;
      }
      if (depth > HashedKernel::kMinDepth && seen.insert(fingerprint(child.board)).second &&
          !below(child.board, child.key, depth - 1, stop))
        return false;
    }
    return true;
  }

  struct LowHalf {
    std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low); }
  };
  struct Level {
    std::unique_ptr<KeyedChildren> children = {};    // 64 KiB; created when needed
    std::unordered_set<Hash128, LowHalf> seen = {};  // fingerprints of positions already visited
  };

  const HashedKernel& hashed_;
  const KeySet& keys_;
  const std::uint64_t most_keys_;
  std::uint64_t compared_ = 0;
  std::vector<Level> levels_;  // by remaining depth
  std::optional<KeyFault> fault_;
};

class Verification {
 public:
  Verification(const JobSpec& spec, const VerifyOptions& options, const Workforce& by,
               const PhaseObserver& on_phase, const TableHook& on_tables,
               const MatrixHook& on_matrix)
      : spec_(spec),
        options_(options),
        by_(by),
        on_phase_(on_phase),
        on_tables_(on_tables),
        on_matrix_(on_matrix) {}

  Result<VerifyReport> run() {
    if (auto error = run_hashed("hashed", spec_.hash->keys.seed)) return *std::move(error);
    if (options_.reseed) {
      if (auto error = run_hashed("hashed again", other_seed(spec_.hash->keys.seed)))
        return *std::move(error);
    }
    if (auto error = ask_third()) return *std::move(error);
    if (auto error = ask_device()) return *std::move(error);
    report_.subtrees = split().size();
    shuffle_units();
    if (auto error = check_keys()) return *std::move(error);
    choose_units();
    if (auto error = recount()) return *std::move(error);
    for (std::size_t run = 0; run < traces_.size(); ++run) judge(run);
    return std::move(report_);
  }

 private:
  [[nodiscard]] const RootSplit& split() const { return traces_.front().split; }
  [[nodiscard]] int unit_depth() const { return traces_.front().unit_depth; }

  std::optional<Error> run_hashed(std::string_view phase, std::uint64_t seed) {
    JobTrace& trace = traces_.emplace_back();
    trace.on_tables = on_tables_;
    JobSpec spec = spec_;
    spec.method = Method::kHashed;
    spec.divide = true;
    spec.device = nullptr;
    spec.one_of_many = false;
    spec.hash->keys.seed = seed;
    spec.trace = &trace;
    const Result<Report> report = run_job(spec, by_.stop(), on_phase_ ? on_phase_(phase) : nullptr);
    if (!report) return report.error();
    MANYPLY_CHECK(trace.split.boards == split().boards);
    report_.runs.emplace_back().report = *report;
    return std::nullopt;
  }

  std::optional<Error> ask_third() {
    if (spec_.depth.plies() < kMinMatrixDepth) return std::nullopt;
    const Stopwatch watch;
    auto counted = by_configurations("by configurations", nullptr);
    if (!counted) return counted.error();
    std::optional<MatrixCount> count = std::move(counted).value();
    if (!count) return std::nullopt;
    if (on_matrix_) on_matrix_(*count);
    report_.third = ThirdOpinion{.nodes = count->nodes,
                                 .seconds = watch.seconds(),
                                 .divide = std::move(count->divide),
                                 .root_moves = {}};
    return std::nullopt;
  }
  std::optional<Error> ask_device() {
    if (spec_.depth.plies() < kMinMatrixDepth) return std::nullopt;
    const DeviceLease lease(spec_.device);
    if (lease.device() == nullptr) {
      if (spec_.device == nullptr || spec_.one_of_many) return std::nullopt;
      return Error{ErrorCode::kUnavailable, "device", 0, lease.why_not()};
    }
    const Stopwatch watch;
    const auto counted = by_configurations("on the device", lease.device());
    if (!counted) {
      const bool is_optional = spec_.one_of_many && counted.error().field == "device";
      return is_optional ? std::nullopt : std::optional(counted.error());
    }
    if (const std::optional<MatrixCount>& count = *counted) {
      report_.device =
          DeviceOpinion{count->nodes, watch.seconds(), count->report.device.value_or(DeviceUse{})};
    }
    return std::nullopt;
  }

  /// Counts by configurations. If `device` is null, counts a divide on the processor. Otherwise
  /// counts only the total, on the device.
  Result<std::optional<MatrixCount>> by_configurations(std::string_view phase,
                                                       LastPliesDevice* device) {
    Progress* const watched = on_phase_ ? on_phase_(phase) : nullptr;
    return count_by_configurations({.root = spec_.root.position,
                                    .depth = spec_.depth.plies(),
                                    .most_bytes = available_memory_bytes() / 2,
                                    .divide = device == nullptr,
                                    .device = device},
                                   by_.watched_in(watched));
  }

  [[nodiscard]] bool third_differs(const Report& report) const {
    return report_.third && report_.third->nodes != report.nodes;
  }
  [[nodiscard]] bool device_differs(const Report& report) const {
    return report_.device && report_.device->nodes != report.nodes;
  }
  /// Returns whether the total of `report` differs from the published value or from a count by
  /// configurations.
  [[nodiscard]] bool is_doubted(const Report& report) const {
    return report.known == KnownVerdict::kMismatch || third_differs(report) ||
           device_differs(report);
  }

  /// Runs `body` for every unit in `order`.
  std::optional<Error> for_units(std::string_view phase, const UnitOrder& order,
                                 const UnitBody& body) {
    const Workforce by = by_.watched_in(on_phase_ ? on_phase_(phase) : nullptr);
    by.progress().start(by.count(), split().size());
    if (auto error = for_each_unit(order, {.by = by}, body)) return error;
    // A body that was stopped during the last units may report no error, so check here.
    if (by_.stopped()) return cancelled();
    return std::nullopt;
  }

  /// Puts the units into a random order. The order depends only on the seed.
  void shuffle_units() {
    shuffled_ = ascending_order(split().size());
    std::mt19937_64 random(options_.sample_seed);
    for (std::size_t i = 0; i + 1 < shuffled_.units.size(); ++i)
      std::swap(shuffled_.units[i], shuffled_.units[i + random() % (shuffled_.units.size() - i)]);
  }

  /// Compares incremental keys of the first run with keys from scratch, unit by unit. Ends early if
  /// each worker has compared its share of options_.key_checks, or if a key is wrong.
  std::optional<Error> check_keys() {
    const std::optional<KeySet>& keys = traces_.front().keys;
    if (!keys) return std::nullopt;
    const auto workers = static_cast<std::uint64_t>(by_.count());
    std::vector<KeyWalk> walks;
    for (std::uint64_t i = 0; i < workers; ++i)
      walks.emplace_back(by_.kernel(), *keys, options_.key_checks / workers);
    std::atomic<bool> found = false;
    std::atomic<std::uint64_t> subtrees = 0;
    auto error = for_units("keys", shuffled_,
                           [&](std::size_t unit, const UnitWorker& worker) -> std::optional<Error> {
                             KeyWalk& walk = walks[static_cast<std::size_t>(worker.number)];
                             if (found) return std::nullopt;
                             if (walk.walk(split().boards[unit], unit_depth(), worker.stop))
                               ++subtrees;
                             if (walk.fault()) found = true;
                             return std::nullopt;
                           });
    if (error) return error;
    report_.key_check.subtrees = subtrees;
    for (const KeyWalk& walk : walks) {
      report_.key_check.keys += walk.compared();
      if (walk.fault()) key_fault_ = walk.fault();
    }
    return std::nullopt;
  }

  void choose_units() {
    chosen_.assign(split().size(), options_.sample ? 0 : 1);
    if (!options_.sample) return;
    for (std::size_t i = 0; i < std::min<std::uint64_t>(*options_.sample, chosen_.size()); ++i)
      chosen_[shuffled_.units[i]] = 1;
    for (const JobTrace& trace : traces_) {
      for (std::size_t unit = 0; unit < chosen_.size(); ++unit) {
        if (trace.counts[unit] != traces_.front().counts[unit]) chosen_[unit] = 1;
      }
    }
  }

  std::optional<Error> recount() {
    true_counts_.resize(split().size());
    if (auto error = recount_units(
            "unhashed", biggest_first(split(), by_.kernel()),
            [this](std::size_t unit) { return chosen_[unit] != 0; }, [](std::size_t) {}))
      return error;
    if (auto error = enlarge_sample()) return error;
    Recount& recount = report_.recount;
    recount.subtrees = static_cast<std::uint64_t>(std::ranges::count(chosen_, true));
    if (recount.subtrees < split().size()) {
      for (const NodeCount count : true_counts_) recount.nodes += count;
    } else {
      true_divide_ = sum_by_root_move(split(), true_counts_);
      for (const DivideEntry& entry : true_divide_) recount.nodes += entry.nodes;
      compare_third();
      if (spec_.depth == Depth(0)) recount.nodes = 1;
    }
    return std::nullopt;
  }

  void compare_third() {
    if (!report_.third) return;
    for (std::size_t i = 0; i < true_divide_.size(); ++i) {
      const auto& [move, nodes] = report_.third->divide[i];
      if (nodes != true_divide_[i].nodes)
        report_.third->root_moves.push_back({move, nodes, true_divide_[i].nodes});
    }
  }

  /// If the total of a run is doubted (is_doubted()), but the sample shows no difference, recounts
  /// units outside the sample, in random order, until a unit differs.
  std::optional<Error> enlarge_sample() {
    const auto doubted = [this](const VerifiedRun& run) { return is_doubted(run.report); };
    if (std::ranges::none_of(report_.runs, doubted)) return std::nullopt;
    std::atomic<bool> found = false;
    for (std::size_t unit = 0; unit < chosen_.size(); ++unit) {
      if (chosen_[unit] && differs(unit)) found = true;
    }
    if (found) return std::nullopt;
    const std::vector<char> sampled = chosen_;
    return recount_units(
        "unhashed, more than the sample", shuffled_,
        [&](std::size_t unit) {
          if (sampled[unit] || found) return false;
          chosen_[unit] = 1;  // each element has one writer
          return true;
        },
        [&](std::size_t unit) {
          if (differs(unit)) found = true;
        });
  }

  [[nodiscard]] bool differs(std::size_t unit) const {
    return std::ranges::any_of(
        traces_, [&](const JobTrace& trace) { return trace.counts[unit] != true_counts_[unit]; });
  }

  /// Fills true_counts_ for each unit for which wanted(unit) is true. After each such unit, calls
  /// counted(unit).
  template <typename Wanted, typename Counted>
  std::optional<Error> recount_units(std::string_view phase, const UnitOrder& order,
                                     const Wanted& wanted, const Counted& counted) {
    const Stopwatch watch;
    std::atomic<std::uint64_t> visited = 0;
    const auto error = for_units(
        phase, order, [&](std::size_t unit, const UnitWorker& worker) -> std::optional<Error> {
          if (!wanted(unit)) return std::nullopt;
          CountStats stats;
          const NodeCount count =
              count_board(split().boards[unit], unit_depth(), by_.kernel(), worker.stop, stats);
          if (worker.stop.stop_requested()) return cancelled();
          true_counts_[unit] = count;
          counted(unit);
          visited += stats.visited;
          worker.progress.visited.add(stats.visited);
          worker.progress.leaves.add(count.approximate());
          return std::nullopt;
        });
    report_.recount.visited += visited;
    report_.recount.seconds += watch.seconds();
    return error;
  }

  /// Compares one hashed run with the recount, and finds the part of the program whose fault
  /// explains all counts.
  void judge(std::size_t run) {
    VerifiedRun& verified = report_.runs[run];
    const std::vector<NodeCount>& counts = traces_[run].counts;
    std::vector<std::size_t> differing;
    for (std::size_t unit = 0; unit < counts.size(); ++unit) {
      if (chosen_[unit] && counts[unit] != true_counts_[unit]) differing.push_back(unit);
    }
    std::ranges::stable_sort(differing, {}, [&](std::size_t unit) { return true_counts_[unit]; });
    verified.differing_subtrees = differing.size();
    for (const std::size_t unit : differing) {
      if (verified.subtrees.size() == VerifiedRun::kMaxListed) break;
      verified.subtrees.push_back({position_unchecked(split().boards[unit]), Depth(unit_depth()),
                                   counts[unit], true_counts_[unit]});
    }
    for (std::size_t i = 0; i < true_divide_.size(); ++i) {
      const auto& [move, hashed] = verified.report.divide[i];
      if (hashed != true_divide_[i].nodes)
        verified.root_moves.push_back({move, hashed, true_divide_[i].nodes});
    }
    if (run == 0 && key_fault_) {
      verified.explanation = {FaultyPart::kKey, key_fault_};
    } else if (!differing.empty()) {
      verified.explanation = {
          is_confirmed(verified.report) ? FaultyPart::kKernel : FaultyPart::kTable, {}};
    } else if (is_doubted(verified.report)) {
      verified.explanation = {doubt_without_difference(verified.report), {}};
    }
  }

  /// Returns whether an independent count has the same total as `report`. The published value, the
  /// counts by configurations on processor and device, and the run with other keys are independent.
  /// The recount is not.
  [[nodiscard]] bool is_confirmed(const Report& report) const {
    return report.known == KnownVerdict::kMatch || (report_.third && !third_differs(report)) ||
           (report_.device && !device_differs(report)) ||
           (report_.runs.size() > 1 &&
            report_.runs.front().report.nodes == report_.runs.back().report.nodes);
  }

  /// Returns the faulty part. Precondition: the counts of the units with and without a table are
  /// equal, but the total is doubted (is_doubted()).
  [[nodiscard]] FaultyPart doubt_without_difference(const Report& report) const {
    if (report.known == KnownVerdict::kMismatch) return FaultyPart::kKernel;
    // If the published value is unknown, at least one count by configurations must confirm the
    // total. Otherwise the faulty part is unknown.
    const bool third_agrees = report_.third && !third_differs(report);
    const bool device_agrees = report_.device && !device_differs(report);
    if (report.known == KnownVerdict::kUnknown && !third_agrees && !device_agrees)
      return FaultyPart::kUnknown;
    return third_differs(report) ? FaultyPart::kConfigurations : FaultyPart::kDevice;
  }

  const JobSpec& spec_;
  const VerifyOptions& options_;
  const Workforce& by_;
  const PhaseObserver& on_phase_;
  const TableHook& on_tables_;
  const MatrixHook& on_matrix_;

  VerifyReport report_;
  std::vector<JobTrace> traces_;  // one for each run
  UnitOrder shuffled_;
  std::vector<char> chosen_;              // by unit: 1 if the unit is counted again
  std::vector<NodeCount> true_counts_;    // by unit: valid if the unit is chosen
  std::vector<DivideEntry> true_divide_;  // filled if all units are chosen
  std::optional<KeyFault> key_fault_;     // fault in the first run's keys
};

}  // namespace

bool VerifyReport::agrees() const { return std::ranges::all_of(runs, &VerifiedRun::agrees); }

Result<VerifyReport> verify_job(const JobSpec& spec, const VerifyOptions& options,
                                const std::stop_token& stop, const PhaseObserver& on_phase,
                                const TableHook& on_tables, const MatrixHook& on_matrix) try {
  MANYPLY_CHECK(spec.hash && spec.store == nullptr && spec.trace == nullptr);
  const Result<Workforce> by = Workforce::of(spec, stop);
  if (!by) return by.error();
  return Verification(spec, options, *by, on_phase, on_tables, on_matrix).run();
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply
