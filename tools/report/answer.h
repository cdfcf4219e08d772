// Answers questions. Declares the specifications of questions for parallel/, the resources that an
// answer may use, and the table of modes.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/memory.h"
#include "core/base/node_count.h"
#include "hash/fingerprint.h"
#include "parallel/jobs/estimate.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/job_tables.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/verify.h"
#include "parallel/matrix/matrix_job.h"
#include "parallel/units/unit_store.h"
#include "tools/report/question.h"
#include "tools/text/suite.h"

namespace manyply {

/// Returns the name of an option that is set and has no effect without a table; null if no such
/// option is set. Ignores the table size.
[[nodiscard]] const char* table_option_in(const CountOptions& count_options);

// These functions return the specification that answers `question`. Precondition: `question` is
// validated. The specification has no store, table keeper or trace; the caller may add them. Error
// kInvalidInput: two options contradict each other, or the table is too small. The error's field is
// "hash", "key-seed", "key-bits" or "interleave".

/// Both specifications permit a table, unless the question's mode or `count_options` exclude it.
Result<JobSpec> job_spec(const Question& question, const CountOptions& count_options);
Result<StatisticsSpec> statistics_spec(const Question& question, const CountOptions& count_options);

// These specifications never have a table, even if `count_options` gives its size.

[[nodiscard]] EstimateSpec estimate_spec(const Question& question,
                                         const CountOptions& count_options);
/// A given table size above 0 becomes the limit on memory for positions. A size below
/// UniqueSpec::kMinMemoryBytes is raised to that value.
[[nodiscard]] UniqueSpec unique_spec(const Question& question, const CountOptions& count_options);

/// Returns the result of count(count_options). If the default table cannot be allocated, tries
/// 256 MiB, 128 MiB and so on down to 1 MiB until a table can be allocated, and describes the last
/// try in `note`. If the user chose the table size, returns the error and tries no other size.
template <typename Count>
[[nodiscard]] auto with_smaller_tables(CountOptions count_options, std::string& note,
                                       const Count& count) {
  constexpr std::uint64_t kFirst = std::uint64_t{256} << 20;
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  auto found = count(count_options);
  std::string why;
  // If the user chose the size, try no other size.
  if (count_options.table_bytes && !count_options.table_is_given) return found;
  for (std::uint64_t bytes = kFirst; bytes >= kLeast; bytes /= 2) {
    if (found || found.error().code != ErrorCode::kUnavailable || found.error().field != "hash")
      break;
    if (why.empty()) why = found.error().message;
    note = "memory: " + why + "; counted with " + format_bytes(bytes);
    count_options.table_bytes = bytes;
    count_options.table_is_given = true;
    found = count(count_options);
  }
  return found;
}

/// The resources for answering a question. A mode ignores the resources that it does not need.
struct Resources {
  CountOptions count_options = {};
  std::stop_token stop = {};
  /// Receives the name of each phase. The main phase, which may be the only one, has an empty name.
  PhaseObserver on_phase = {};
  /// Device for the last two plies of counts by configurations (JobSpec::device).
  LastPliesDevice* device = nullptr;
  UnitStore* store = nullptr;     ///< stores finished subtrees or parts in modes that can resume
  TableKeeper* tables = nullptr;  ///< lends tables and takes them back
  bool divide = true;             ///< count and list root moves: JobSpec::divide
  bool one_of_many = false;       ///< JobSpec::one_of_many
  /// Omits the key seed from the document. An attacker who knows the seed could search for
  /// positions with colliding keys and submit them to later counts.
  bool secret_seed = false;
  /// Called before a count by configurations starts to count in parts.
  std::function<void(const PartsPlan&)> on_parts = {};
  /// JobSpec::on_fallback
  std::function<void(const std::string& reason)> on_fallback = {};
  VerifyOptions verify = {};
  /// Observes mode unique. It receives the plan, the counts of each ply, and the positions of the
  /// last ply. Its on_start is not called, because on_phase announces each ply.
  UniqueObserver found = {};
};

/// The result of a question.
struct Answer {
  std::optional<NodeCount> nodes = {};         ///< exact count; absent if the result is not exact
  std::optional<double> estimate = {};         ///< estimated number of paths, if not exact
  std::optional<std::uint64_t> distinct = {};  ///< mode unique: distinct positions at the last ply
  /// Usually the result of a comparison with published values: "match", "mismatch" or "unknown".
  /// For verify: "agree" or "differ". For an estimate that is not exact: "inside" if the published
  /// value lies in its interval, "outside" if not, "unknown" if no value is published. For a suite:
  /// see answer_suite().
  std::string verdict = {};
  /// The JSON document, see document_members.h.
  std::string document = {};
  bool hashed = false;  ///< whether a table was used
  std::uint64_t table_probes = 0;
  std::uint64_t table_hits = 0;
};

/// Returns whether the verdict means that a count is wrong.
[[nodiscard]] bool is_wrong(std::string_view verdict);

/// Number of leaves that a machine counts in a year at 10^15 leaves per second. Real machines are
/// slower.
inline constexpr double kLeavesOfAYear = 1e15 * 365.25 * 86400;
/// If an estimate exceeds this value, the count certainly exceeds 128 bits (3.4e38). This is true
/// even if the estimate is wrong by orders of magnitude.
inline constexpr double kCertainOverflow = 1e42;
/// Returns the approximate number of leaves of `question` if a count would take more than a year at
/// 10^15 leaves per second. Returns nullopt for smaller trees, for depths below 16 and for mode
/// estimate. Also returns nullopt for a position of few pieces, because a count with a table can
/// then finish at any depth. Estimates the number from random walks, which takes some milliseconds.
[[nodiscard]] std::optional<double> endless_leaves(const Question& question,
                                                   const Resources& resources);

/// Returns an error (kInvalidInput, field "depth") if the count would certainly exceed 128 bits.
/// Estimates with endless_leaves() instead of counting.
[[nodiscard]] std::optional<Error> certain_overflow(const Question& question,
                                                    const Resources& resources);

/// Answers a validated question. Blocks until done. Errors: those of the question's specification
/// and those of the job. Also kInvalidInput, field "depth", if the count would certainly exceed 128
/// bits. Does not throw. Safe to call from any thread that holds no lock.
Result<Answer> answer(const Question& question, const Resources& resources);

/// Returns the answer of mode unique for `plies`, which has at least one element.
[[nodiscard]] Answer unique_answer(std::span<const UniquePly> plies, const NamedPosition& root);

/// An output format, and the function that converts a document to this format. The function throws
/// if the document is invalid.
struct Form {
  Format format;
  std::string (*write)(const nlohmann::ordered_json& document, const Presentation& how);
};

/// A counting mode, the function that answers its questions, and its output formats.
struct Mode {
  CountMode mode;
  /// Whether finished subtrees can be stored. If false, an interrupted count starts from the
  /// beginning.
  bool resumes;
  Result<Answer> (*answer)(const Question& question, const Resources& resources);
  std::span<const Form> forms;  ///< all formats except JSON; the first one is text
};

/// Returns all modes, in the order of CountMode's numbers.
[[nodiscard]] std::span<const Mode> modes();
/// Returns the element of modes() for `mode`.
[[nodiscard]] const Mode& info(CountMode mode);

/// Converts a document of this mode to a format. The output is complete, including the last line
/// end. Error kInvalidInput: the mode does not support the format. Error kInternal: the document is
/// invalid.
Result<std::string> written(CountMode mode, Format format, const std::string& document,
                            const Presentation& how = {});

// Answers a suite as one question. Counts all positions of the suite and compares the counts with
// the expected counts.

/// Counts all positions of `suite` at all depths that have an expected count. `mode` is kCount,
/// kHashed or kUnhashed. The verdict is "mismatch" if a count differs, otherwise "refused" if lines
/// were refused, otherwise "match". The total is the sum of all counts. Finished counts are stored
/// under `identity`. Preconditions: resources.store, tables and on_phase are set. Errors: those of
/// job_spec(), count_many() and the store; kOverflow if the total exceeds 128 bits.
Result<Answer> answer_suite(const Suite& suite, CountMode mode, const Hash128& identity,
                            const Resources& resources);

/// Returns the document of a suite as JSON, text or JUnit. JUnit also needs the suite's lines.
/// Error kInternal: the document is invalid.
Result<std::string> written_suite(Format format, const std::string& document,
                                  const std::vector<SuiteLine>& lines);

}  // namespace manyply
