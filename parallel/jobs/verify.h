// Verification: a hashed count, counted again without a table, and the cause of any difference.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "parallel/jobs/job.h"
#include "parallel/jobs/subtree_audit.h"

namespace manyply {

struct VerifyOptions {
  /// Recount only so many randomly chosen subtrees; absent = all. More are recounted, until one
  /// differs, if the total is not the published one.
  std::optional<std::uint64_t> sample = {};
  std::uint64_t sample_seed = 1;  ///< a larger sample of the same seed contains the smaller one
  bool reseed = false;            ///< a second hashed run with other keys; needs memory for both
  /// Incremental keys to compare with keys from scratch, whatever the counts say, subtrees in
  /// random order: some 10 to 20 million a second and thread.
  std::uint64_t key_checks = 20'000'000;
  /// Bounds of the search for the cause of a difference: of the recount of differing subtrees, and
  /// the keys looked at elsewhere for a position that shares a key with one of theirs.
  SubtreeAudit::Limits audit = {};
  std::uint64_t searched_keys = 10'000'000'000;
};

/// A subtree at the split ply whose counts differ.
struct SubtreeDifference {
  Position position;
  Depth depth;
  NodeCount hashed;
  NodeCount recounted;
};

struct RootMoveDifference {
  Move move;
  NodeCount hashed;
  NodeCount recounted;
};

/// A position that is counted wrongly by configurations, whatever counts it in another way: the
/// shallowest below the root that was met.
struct ConfigurationsFault {
  Position position;
  Depth depth;
  NodeCount by_configurations;
  NodeCount nodes;
};

/// Why a hashed count is not to be trusted, as far as found.
struct Explanation {
  AuditFindings findings;  ///< empty if no cause was found
  std::optional<ConfigurationsFault> configurations_fault = {};
  std::uint64_t recounted = 0;  ///< positions of differing subtrees looked at
  std::uint64_t keys = 0;       ///< keys looked at elsewhere
  bool complete = true;         ///< false if a bound of VerifyOptions cut the search short
};

/// One hashed run and how it compares with the recount.
struct VerifiedRun {
  static constexpr std::size_t kMaxListed = 10;

  Report report;
  std::uint64_t differing_subtrees = 0;
  std::vector<SubtreeDifference> subtrees;     ///< the smallest of them
  std::vector<RootMoveDifference> root_moves;  ///< if all subtrees were recounted
  std::optional<Explanation> explanation;      ///< unless there is nothing to explain

  /// No difference, no key fault, and neither a third opinion nor a published value that says
  /// otherwise.
  [[nodiscard]] bool agrees() const { return !explanation; }
};

struct Recount {
  NodeCount nodes;  ///< the job's total; of a sample, the sum over its subtrees
  std::uint64_t subtrees = 0;
  std::uint64_t visited = 0;
  double seconds = 0;
};

/// The count by configurations: no keys, no table, no split of the others.
struct ThirdOpinion {
  NodeCount nodes;
  double seconds = 0;
  std::vector<DivideEntry> divide;
  struct Difference {
    Move move;
    NodeCount nodes;
    NodeCount recounted;
  };
  std::vector<Difference> root_moves;  ///< if all subtrees were recounted
};

struct KeyCheck {
  std::uint64_t keys = 0;
  std::uint64_t subtrees = 0;  ///< looked at to their ends
};

struct VerifyReport {
  std::vector<VerifiedRun> runs;  ///< the hashed run, and the reseeded one
  std::uint64_t subtrees = 0;     ///< all there are: the splitter's units
  KeyCheck key_check;
  Recount recount;
  std::optional<ThirdOpinion> third;  ///< unless it is too shallow, or does not fit into memory

  [[nodiscard]] bool agrees() const;
};

/// Called on the calling thread at the start of each phase, with a name for people. Answers where
/// the phase shall report its progress, or null; that must live until the next call or the end.
using PhaseObserver = std::function<Progress*(std::string_view phase)>;

/// Called with each count by configurations, and of what it is one.
using MatrixHook = std::function<void(const Position& root, MatrixCount& count)>;

/// Runs `spec` hashed (spec.hash must be set, store and trace must not), counts it by
/// configurations for a third opinion, then recounts each subtree at the split ply without a table
/// and compares subtree by subtree. Equal boards at the split ply stay merged: that uses no keys. A
/// difference is no error but a report that does not agree, with its cause: keys, tables and
/// kernels are then audited along the differing subtrees, and beyond them for a position that
/// shares a key. Tests damage tables in `on_tables`, counts by configurations in `on_matrix`.
/// Errors as run_job's. Throws nothing. Any thread; hold no lock.
Result<VerifyReport> verify_job(const JobSpec& spec, const VerifyOptions& options,
                                const std::stop_token& stop, const PhaseObserver& on_phase = {},
                                const TableHook& on_tables = {}, const MatrixHook& on_matrix = {});

}  // namespace manyply
