#include "parallel/jobs/verify.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <span>
#include <utility>

#include "core/base/stopwatch.h"
#include "core/counting.h"
#include "hash/fingerprint.h"
#include "parallel/units/unit_runner.h"
#include "parallel/units/unit_source.h"

namespace manyply {
namespace {

/// Returns a seed for a second, independent set of keys.
std::uint64_t other_seed(std::uint64_t seed) { return xxh3_64(std::as_bytes(std::span(&seed, 1))); }

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
    report_.subtrees = split().size();
    shuffle_units();
    if (auto error = check_keys()) return *std::move(error);
    choose_units();
    if (auto error = recount()) return *std::move(error);
    for (std::size_t run = 0; run < traces_.size(); ++run) {
      if (auto error = judge(run)) return *std::move(error);
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] const RootSplit& split() const { return traces_.front().split; }
  [[nodiscard]] int unit_depth() const { return traces_.front().unit_depth; }

  [[nodiscard]] AuditSubject subject(std::size_t run) const {
    JobTables* tables = traces_[run].tables.get();
    static const KeySet any_keys;
    return {KernelPair(by_.kernel()), tables != nullptr ? tables->keys() : any_keys, tables};
  }

  std::optional<Error> run_hashed(std::string_view phase, std::uint64_t seed) {
    JobTrace& trace = traces_.emplace_back();
    trace.on_tables = on_tables_;
    JobSpec spec = spec_;
    spec.method = Method::kHashed;
    spec.divide = true;
    spec.hash->keys.seed = seed;
    spec.trace = &trace;
    const Result<Report> report = run_job(spec, by_.stop(), on_phase_ ? on_phase_(phase) : nullptr);
    if (!report) return report.error();
    MANYPLY_CHECK(trace.split.boards == split().boards);
    report_.runs.emplace_back().report = *report;
    return std::nullopt;
  }

  /// Counts by configurations; nullopt if that is impossible.
  Result<std::optional<MatrixCount>> count_matrix(const Position& root, int depth,
                                                  Progress* progress) {
    auto counted = count_by_configurations(
        {.root = root, .depth = depth, .most_bytes = available_memory_bytes() / 2, .divide = true},
        by_.watched_in(progress));
    if (!counted || !*counted || !on_matrix_) return counted;
    MatrixCount damaged = **counted;
    on_matrix_(root, damaged);
    return std::optional(std::move(damaged));
  }

  std::optional<Error> ask_third() {
    if (spec_.depth.plies() < kMinMatrixDepth) return std::nullopt;
    Progress* const watched = on_phase_ ? on_phase_("by configurations") : nullptr;
    const Stopwatch watch;
    auto counted = count_matrix(spec_.root.position, spec_.depth.plies(), watched);
    if (!counted) return counted.error();
    std::optional<MatrixCount> count = std::move(counted).value();
    if (!count) return std::nullopt;
    report_.third = ThirdOpinion{.nodes = count->nodes,
                                 .seconds = watch.seconds(),
                                 .divide = std::move(count->divide),
                                 .root_moves = {}};
    return std::nullopt;
  }
  /// Returns whether the published value or the third opinion contradicts the total of `report`.
  [[nodiscard]] bool is_doubted(const Report& report) const {
    return report.known == KnownVerdict::kMismatch ||
           (report_.third && report_.third->nodes != report.nodes);
  }

  /// Runs `body` for every unit in `order`.
  std::optional<Error> for_units(std::string_view phase, const UnitOrder& order,
                                 const UnitBody& body) {
    const Workforce by = by_.watched_in(on_phase_ ? on_phase_(phase) : nullptr);
    by.progress().start(by.count(), split().size());
    const auto done = for_each_unit(order, {.by = by}, body);
    if (!done) return done.error();
    // A body that was stopped during the last units does not report it, so check here.
    if (by_.stopped()) return cancelled();
    return std::nullopt;
  }

  /// Puts the units into a random order that depends only on the seed.
  void shuffle_units() {
    shuffled_ = ascending_order(split().size());
    std::mt19937_64 random(options_.sample_seed);
    for (std::size_t i = 0; i + 1 < shuffled_.units.size(); ++i)
      std::swap(shuffled_.units[i], shuffled_.units[i + random() % (shuffled_.units.size() - i)]);
  }

  struct WalkedKeys {
    AuditFindings findings;
    std::uint64_t keys = 0;
    std::uint64_t subtrees = 0;  // walked completely
  };

  /// Walks units in `order` until `max_keys` keys are compared or a conclusive fault is found.
  Result<WalkedKeys> walk_keys(std::string_view phase, const UnitOrder& order, std::size_t run,
                               const AuditedPositions* suspects, std::uint64_t max_keys) {
    std::atomic<std::uint64_t> keys_left = max_keys;
    std::vector<KeyWalk> walks;
    for (int i = 0; i < by_.count(); ++i) walks.emplace_back(subject(run), suspects, keys_left);
    std::atomic<bool> found = false;
    std::atomic<std::uint64_t> subtrees = 0;
    const auto error = for_units(
        phase, order, [&](std::size_t unit, const UnitWorker& worker) -> std::optional<Error> {
          KeyWalk& walk = walks[static_cast<std::size_t>(worker.number)];
          if (found) return std::nullopt;
          if (walk.walk(split().boards[unit], unit_depth(), worker.stop)) ++subtrees;
          if (walk.findings().conclusive()) found = true;
          return std::nullopt;
        });
    if (error) return *error;
    WalkedKeys walked{.findings = {}, .keys = 0, .subtrees = subtrees};
    for (const KeyWalk& walk : walks) {
      walked.findings.add(walk.findings());
      walked.keys += walk.keys();
    }
    return walked;
  }

  std::optional<Error> check_keys() {
    if (traces_.front().tables == nullptr) return std::nullopt;
    const Result<WalkedKeys> walked = walk_keys("keys", shuffled_, 0, nullptr, options_.key_checks);
    if (!walked) return walked.error();
    key_findings_ = walked->findings;
    report_.key_check = {walked->keys, walked->subtrees};
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

  /// If the total is known to be wrong but the sample shows no difference, recounts more random
  /// units until one differs.
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

  /// Fills true_counts_ for the units for which wanted(unit) is true. Calls counted(unit) after
  /// each of them.
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

  /// Compares one hashed run with the recount and looks for the cause of any difference.
  std::optional<Error> judge(std::size_t run) {
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
    if (!differing.empty()) return explain(run, differing);
    if (run == 0 && key_findings_.conclusive()) {
      verified.explanation.emplace().findings = key_findings_;
    } else if (is_doubted(verified.report)) {
      if (auto error = compare_kernels(run)) return error;
      if (!verified.explanation->findings.any()) return doubt_third(run);
    }
    return std::nullopt;
  }

  /// Called if the third opinion differs although the kernels agree. Descends to the last position
  /// of which the third opinion has a wrong count.
  std::optional<Error> doubt_third(std::size_t run) {
    if (!report_.third || report_.third->root_moves.empty()) return std::nullopt;
    if (on_phase_) on_phase_("comparing with configurations");
    ConfigurationsFault fault{spec_.root.position, spec_.depth, report_.third->nodes,
                              report_.recount.nodes};
    for (bool deeper = true; deeper && fault.depth.plies() > kMinMatrixDepth;) {
      const Position parent = fault.position;
      const Depth depth(fault.depth.plies() - 1);
      deeper = false;
      for (const Move move : legal_moves(parent)) {
        const Position child = parent.after_unchecked(move);
        CountStats stats;
        const auto counted = count_matrix(child, depth.plies(), nullptr);
        if (!counted) return counted.error();
        const auto nodes = count_nodes(child, depth, by_.kernel(), by_.stop(), stats);
        if (!nodes) return nodes.error();
        if (!*counted || (*counted)->nodes == *nodes) continue;
        fault = {child, depth, (*counted)->nodes, *nodes};
        deeper = true;
        break;
      }
    }
    // A slow audit of that position decides which count is wrong.
    AuditSubject subject = this->subject(run);
    subject.tables = nullptr;
    SubtreeAudit audit(subject, options_.audit, by_.stop());
    audit.recount(fault.position.board(), fault.depth.plies());
    if (by_.stopped()) return cancelled();
    Explanation& explanation = *report_.runs[run].explanation;
    explanation.findings.add(audit.findings());
    explanation.recounted += audit.recounted();
    if (!explanation.findings.any() && audit.complete()) explanation.configurations_fault = fault;
    return std::nullopt;
  }

  /// Looks for the cause in the smallest differing subtree. If the table has since replaced the
  /// entry that caused the difference, looks in all differing subtrees.
  std::optional<Error> explain(std::size_t run, const std::vector<std::size_t>& differing) {
    Explanation& explanation = report_.runs[run].explanation.emplace();
    if (run == 0) explanation.findings = key_findings_;
    if (explanation.findings.conclusive()) return std::nullopt;
    if (auto error = look_into(run, std::span(differing).first(1))) return error;
    if (explanation.findings.any() || differing.size() == 1) return std::nullopt;
    return look_into(run, differing);
  }

  std::optional<Error> look_into(std::size_t run, std::span<const std::size_t> units) {
    if (on_phase_) on_phase_("looking for the cause");
    SubtreeAudit audit(subject(run), options_.audit, by_.stop());
    for (const std::size_t unit : units) audit.recount(split().boards[unit], unit_depth());
    if (by_.stopped()) return cancelled();
    Explanation& explanation = *report_.runs[run].explanation;
    explanation.findings.add(audit.findings());
    explanation.recounted += audit.recounted();
    explanation.complete = audit.complete();
    if (explanation.findings.conclusive() || traces_[run].tables == nullptr) return std::nullopt;
    return search_elsewhere(run, audit.positions());
  }

  /// Looks for the cause in other subtrees, because one of them may have stored the wrong count.
  std::optional<Error> search_elsewhere(std::size_t run, const AuditedPositions& suspects) {
    const Result<WalkedKeys> walked =
        walk_keys("looking for the cause elsewhere", ascending_order(split().size()), run,
                  &suspects, options_.searched_keys);
    if (!walked) return walked.error();
    Explanation& explanation = *report_.runs[run].explanation;
    explanation.findings.add(walked->findings);
    explanation.keys += walked->keys;
    explanation.complete &= walked->findings.conclusive() || walked->subtrees == split().size();
    return std::nullopt;
  }

  /// Called if both counts agree but a third opinion or the published value differs. Checks the
  /// move generators.
  std::optional<Error> compare_kernels(std::size_t run) {
    Explanation& explanation = report_.runs[run].explanation.emplace();
    AuditSubject subject = this->subject(run);
    subject.tables = nullptr;  // a table cannot be the cause
    SubtreeAudit::Limits limits = options_.audit;
    limits.recounted /= static_cast<std::uint64_t>(by_.count());
    std::vector<SubtreeAudit> audits;
    for (int i = 0; i < by_.count(); ++i) audits.emplace_back(subject, limits, by_.stop());
    compare_generators_above(audits.front());
    const auto error =
        for_units("comparing kernels", shuffled_,
                  [&](std::size_t unit, const UnitWorker& worker) -> std::optional<Error> {
                    audits[static_cast<std::size_t>(worker.number)].recount(split().boards[unit],
                                                                            unit_depth());
                    return std::nullopt;
                  });
    for (const SubtreeAudit& audit : audits) {
      explanation.findings.add(audit.findings());
      explanation.recounted += audit.recounted();
      explanation.complete &= audit.complete();
    }
    return error;
  }

  /// Compares the generators at every position above the units.
  void compare_generators_above(SubtreeAudit& audit) {
    std::vector<Board> boards{spec_.root.position.board()};
    for (int ply = 0; ply < split().ply && !audit.findings().conclusive(); ++ply) {
      std::vector<Board> next;
      for (const Board& board : boards) {
        audit.compare_moves(board);
        for (const Move move : legal_moves(position_unchecked(board)))
          next.push_back(position_unchecked(board).after_unchecked(move).board());
      }
      std::ranges::sort(next);
      next.erase(std::unique(next.begin(), next.end()), next.end());
      boards = std::move(next);
    }
  }

  const JobSpec& spec_;
  const VerifyOptions& options_;
  const Workforce& by_;
  const PhaseObserver& on_phase_;
  const TableHook& on_tables_;
  const MatrixHook& on_matrix_;

  VerifyReport report_;
  std::vector<JobTrace> traces_;  // one per run
  UnitOrder shuffled_;
  std::vector<char> chosen_;              // by unit: 1 if it is recounted
  std::vector<NodeCount> true_counts_;    // by unit: valid if chosen
  std::vector<DivideEntry> true_divide_;  // filled if all units are chosen
  AuditFindings key_findings_;            // faults of the first run's keys
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
