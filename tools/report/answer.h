// One answer, whoever asks: the table of modes, and what each is answered with.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/node_count.h"
#include "parallel/jobs/table_keeper.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/verify.h"
#include "parallel/units/unit_store.h"
#include "tools/report/format.h"
#include "tools/report/limits.h"
#include "tools/report/question.h"

namespace manyply {

/// Where what memory does not hold may go.
struct Scratch {
  std::string directory;
  std::uint64_t most_bytes = UINT64_MAX;
};

/// With what a question is answered. What a mode has no use for it does not look at.
struct Resources {
  Limits limits = {};
  std::stop_token stop = {};
  PhaseObserver on_phase = {};    ///< the name is empty where there is one phase only
  UnitStore* store = nullptr;     ///< keeps finished subtrees, of modes that resume
  TableKeeper* tables = nullptr;  ///< lends tables and gets them back
  bool divide = true;             ///< whether root moves are wanted: JobSpec::divide
  bool one_of_many = false;       ///< JobSpec::one_of_many
  /// Whoever knows a seed can look for positions whose keys collide, and have later counts meet
  /// them.
  bool secret_seed = false;
  VerifyOptions verify = {};
  Scratch scratch = {};  ///< of distinct positions
  /// Distinct positions, as they are found; its on_start is not called.
  UniqueObserver found = {};
};

struct Answer {
  std::optional<NodeCount> nodes = {};         ///< what was counted; absent if that was not exact
  std::optional<double> estimate = {};         ///< then: of the paths
  std::optional<std::uint64_t> distinct = {};  ///< of mode unique: positions of the last ply
  /// "match", "mismatch" or "unknown", against what is published; of verify: "agree", "differ"; of
  /// an estimate: is what is published "inside" its interval, or "outside"?
  std::string verdict = {};
  std::string document = {};
  bool hashed = false;  ///< whether a table was used
  std::uint64_t table_probes = 0;
  std::uint64_t table_hits = 0;
};

/// Whether that verdict says that a count is wrong.
[[nodiscard]] bool is_wrong(std::string_view verdict);

/// The leaves that 10^15 a second, faster than any machine counts, reach in a year.
inline constexpr double kLeavesOfAYear = 1e15 * 365.25 * 86400;
/// More than this certainly exceeds 128 bits (3.4e38), even if the estimate is wrong by orders of
/// magnitude.
inline constexpr double kCertainOverflow = 1e42;
/// About how many leaves the tree of `question` has, if a count would take more than a year; from a
/// sample that takes some milliseconds. nullopt for smaller trees and for positions of few pieces,
/// which a table counts at any depth.
[[nodiscard]] std::optional<double> endless_leaves(const Question& question,
                                                   const Resources& resources);

/// Answers a question that has been validated. Errors: those of its spec (spec.h) and of the job
/// that it becomes, and kInvalidInput, field "depth", if the count would certainly exceed 128 bits.
/// Throws nothing. Any thread; hold no lock.
Result<Answer> answer(const Question& question, const Resources& resources);

struct Mode {
  CountMode mode;
  bool resumes;  ///< finished subtrees can be kept; else a killed count starts again
  Result<Answer> (*answer)(const Question& question, const Resources& resources);
};

/// In the order of CountMode's numbers.
[[nodiscard]] std::span<const Mode> modes();
[[nodiscard]] const Mode& info(CountMode mode);

/// What a document becomes in one form. Throws where it is none.
struct Form {
  Format format;
  std::string (*write)(const nlohmann::ordered_json& document, const Presentation& how);
};

/// Of a mode, beside the document itself; text is the first. A table of its own (written.cpp):
/// whoever writes documents only has none of this code.
[[nodiscard]] std::span<const Form> forms(CountMode mode);

/// A document of that mode in that form; complete output, line end included. kInvalidInput where
/// the mode has no such form, kInternal where the document is none.
Result<std::string> written(CountMode mode, Format format, const std::string& document,
                            const Presentation& how = {});

}  // namespace manyply
