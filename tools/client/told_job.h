// A job as the server describes it, formatted for users.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "tools/cli/framework/progress_display.h"
#include "tools/report/format.h"
#include "tools/report/question.h"

namespace manyply {

/// Returns one line of a server's text, safe to print on a terminal.
[[nodiscard]] std::string plain(std::string text);

/// A job or batch, from the server's JSON. The JSON is not trusted: a missing or malformed member
/// reads as empty or 0. Safe to use from any thread.
class ToldJob {
 public:
  /// Parses `text`; nullopt if it is not an object with id and state.
  [[nodiscard]] static std::optional<ToldJob> read(std::string_view text);

  [[nodiscard]] std::string id() const;          ///< the number of the job or batch
  [[nodiscard]] std::string state() const;       ///< "done"
  [[nodiscard]] std::string state_text() const;  ///< "queued, 2 ahead"
  [[nodiscard]] bool has_ended() const;          ///< the state is final
  [[nodiscard]] bool is_batch() const;           ///< a batch, not a count
  [[nodiscard]] std::string place() const;       ///< "/v1/jobs/12"
  [[nodiscard]] std::string verdict() const;     ///< "match", "mismatch", …; empty if unknown
  [[nodiscard]] std::string failure() const;     ///< error of a failed job
  [[nodiscard]] bool wants_divide() const;       ///< the job was submitted with that option

  [[nodiscard]] bool has_progress() const;  ///< the job runs and reports progress
  // Precondition of both: has_progress().
  /// Returns the job's progress.
  [[nodiscard]] ProgressFigures figures() const;
  /// Returns the job's progress as one line.
  [[nodiscard]] std::string progress_line() const;

  /// Returns a few lines about a job without a result.
  [[nodiscard]] std::string unfinished_text() const;
  /// Returns the text that the local command of its mode would print. The job must be done and have
  /// its report.
  Result<std::string> finished_text(bool with_divide) const;
  /// Returns the server's JSON on one line.
  [[nodiscard]] std::string json() const;

 private:
  explicit ToldJob(nlohmann::ordered_json json);
  std::shared_ptr<const nlohmann::ordered_json> json_;
};

/// Formats a page of jobs as a table, or returns its JSON; nullopt if `page` is not a page of jobs.
[[nodiscard]] std::optional<std::string> told_list(std::string_view page, Format format);

/// Returns the server's message in a refusal; empty if it has none.
[[nodiscard]] std::string told_refusal(std::string_view problem);

/// Returns the body of a request for a count. The server validates it, because modes and limits are
/// the server's.
[[nodiscard]] std::string submission(const Question& question, std::string_view mode,
                                     const std::optional<std::uint64_t>& deadline_seconds);

}  // namespace manyply
