// A server's job as people read it, made of what the server tells of it.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "tools/cli/framework/progress_display.h"
#include "tools/report/format.h"
#include "tools/report/question.h"

namespace manyply {

/// One line of what a server says, for a terminal.
[[nodiscard]] std::string plain(std::string text);

/// A job or batch as JSON told of it, of which nothing is believed: empty or 0 is what is not
/// there, or not what it should be. Any thread.
class ToldJob {
 public:
  /// None where `text` is no object with an id and a state.
  [[nodiscard]] static std::optional<ToldJob> read(std::string_view text);

  [[nodiscard]] std::string id() const;
  [[nodiscard]] std::string state() const;       ///< "done"
  [[nodiscard]] std::string state_text() const;  ///< "queued, 2 ahead"
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] bool is_batch() const;
  [[nodiscard]] std::string place() const;  ///< "/v1/jobs/12"
  [[nodiscard]] std::string verdict() const;
  [[nodiscard]] std::string failure() const;  ///< of one that failed
  [[nodiscard]] bool wants_divide() const;    ///< it was sent so

  [[nodiscard]] bool has_progress() const;
  // Precondition of both: has_progress().
  [[nodiscard]] ProgressFigures figures() const;
  [[nodiscard]] std::string progress_line() const;

  /// Of a job that has no result: some lines.
  [[nodiscard]] std::string unfinished_text() const;
  /// What the command of its mode would have printed, of a job that is done and has its report.
  Result<std::string> finished_text(bool with_divide) const;
  /// As it was told, on one line.
  [[nodiscard]] std::string json() const;

 private:
  explicit ToldJob(nlohmann::ordered_json json);
  std::shared_ptr<const nlohmann::ordered_json> json_;
};

/// A table of the jobs of a page, or the page as it was told; none where it is no page.
[[nodiscard]] std::optional<std::string> told_list(std::string_view page, Format format);

/// What a server says of a request that it refused; empty where it says nothing.
[[nodiscard]] std::string told_refusal(std::string_view problem);

/// The body that asks for a count, checked by the server: it knows its modes and its limits.
[[nodiscard]] std::string submission(const Question& question, std::string_view mode,
                                     const std::optional<std::uint64_t>& deadline_seconds);

}  // namespace manyply
