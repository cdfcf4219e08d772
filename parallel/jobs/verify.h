// Verification: counts with tables and again without, and explains any difference.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "parallel/jobs/job.h"

namespace manyply {

/// How much to verify.
struct VerifyOptions {
  /// Recount only this many randomly chosen units; nullopt = all. If the total contradicts a
  /// published value, more units are recounted until one differs.
  std::optional<std::uint64_t> sample = {};
  std::uint64_t sample_seed = 1;  ///< with the same seed, a larger sample contains the smaller one
  bool reseed = false;  ///< make a second hashed run with other keys; needs memory for both runs
  /// How many incremental keys are compared with keys from scratch, in subtrees in random order. A
  /// thread compares 10 to 20 million per second.
  std::uint64_t key_checks = 20'000'000;
};

/// A unit whose hashed count differs from the recount.
struct SubtreeDifference {
  Position position;
  Depth depth;
  NodeCount hashed;
  NodeCount recounted;
};

/// A root move whose hashed count differs from the recount.
struct RootMoveDifference {
  Move move;
  NodeCount hashed;
  NodeCount recounted;
};

/// A move for which the incremental key differs from key_from_scratch() of the resulting position.
struct KeyFault {
  Position position;
  Move move;
  ZobristKey incremental;
  ZobristKey from_scratch;
};

/// The part that explains why counts differ.
enum class FaultyPart : std::uint8_t {
  kKey,             ///< an incremental key is wrong
  kTable,           ///< only the hashed count is wrong: two positions with one key, a damaged
                    ///< entry, or the code of hashed counts
  kKernel,          ///< the kernel that both counts use, or the count without a table
  kConfigurations,  ///< only the count by configurations is wrong
  kUnknown          ///< no published value decides which count is wrong
};

struct Explanation {
  FaultyPart part;
  std::optional<KeyFault> key_fault = {};  ///< set for kKey
};

/// One hashed run and its comparison with the recount.
struct VerifiedRun {
  static constexpr std::size_t kMaxListed = 10;

  Report report;
  std::uint64_t differing_subtrees = 0;
  std::vector<SubtreeDifference> subtrees;     ///< the smallest differing ones, at most kMaxListed
  std::vector<RootMoveDifference> root_moves;  ///< filled if all units were recounted
  std::optional<Explanation> explanation;      ///< set if something is wrong

  /// Returns true if no unit differs, no key is wrong, and neither a third opinion nor a published
  /// value contradicts.
  [[nodiscard]] bool agrees() const { return !explanation; }
};

/// The count without a table.
struct Recount {
  NodeCount nodes;  ///< the job's total, or the sum over the sample
  std::uint64_t subtrees = 0;
  std::uint64_t visited = 0;
  double seconds = 0;
};

/// The count by configurations. It uses no keys, no table and no units.
struct ThirdOpinion {
  NodeCount nodes;
  double seconds = 0;
  std::vector<DivideEntry> divide;
  struct Difference {
    Move move;
    NodeCount nodes;
    NodeCount recounted;
  };
  std::vector<Difference> root_moves;  ///< filled if all units were recounted
};

/// How many keys were compared with keys from scratch.
struct KeyCheck {
  std::uint64_t keys = 0;
  std::uint64_t subtrees = 0;  ///< subtrees walked completely
};

/// The result of verify_job().
struct VerifyReport {
  std::vector<VerifiedRun> runs;  ///< the hashed run, and the one with other keys if requested
  std::uint64_t subtrees = 0;     ///< number of units
  KeyCheck key_check;
  Recount recount;
  std::optional<ThirdOpinion> third;  ///< nullopt if too shallow or too large for the memory

  /// True if all runs agree.
  [[nodiscard]] bool agrees() const;
};

/// Called on the calling thread at the start of each phase, with a name to display. Returns the
/// progress to use for the phase, or null. The progress must live until the next call or the end of
/// the job.
using PhaseObserver = std::function<Progress*(std::string_view phase)>;

/// Called with the count by configurations. Tests use it to change the count.
using MatrixHook = std::function<void(MatrixCount& count)>;

/// Runs `spec` hashed, counts it by configurations as a third opinion, recounts each unit without a
/// table, and compares unit by unit. The split into units merges equal boards without keys.
///
/// A difference is not an error: the report then does not agree, and names the part that explains
/// all counts. Tests damage tables in `on_tables` and the count by configurations in `on_matrix`.
///
/// Errors as for run_job(). Throws nothing. Any thread; hold no lock. Precondition: spec.hash is
/// set; spec.store and spec.trace are null.
Result<VerifyReport> verify_job(const JobSpec& spec, const VerifyOptions& options,
                                const std::stop_token& stop, const PhaseObserver& on_phase = {},
                                const TableHook& on_tables = {}, const MatrixHook& on_matrix = {});

}  // namespace manyply
