// A server's job as people read it, made of the JSON that the server tells of it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/result.h"
#include "tools/command/progress_display.h"

namespace manyply {

// Members of an object, of which nothing is believed: empty or 0 if they are not there, or not
// what they should be.

std::string text_at(const nlohmann::ordered_json& json, const char* name);
double number_at(const nlohmann::ordered_json& json, const char* name);
std::uint64_t whole_at(const nlohmann::ordered_json& json, const char* name);

/// One line of what a server says, for a terminal.
[[nodiscard]] std::string plain(std::string text);

// Of a job: an object with an "id" and a "state".

[[nodiscard]] bool is_job(const nlohmann::ordered_json& json);
[[nodiscard]] bool has_ended(const nlohmann::ordered_json& job);
[[nodiscard]] bool has_progress(const nlohmann::ordered_json& job);
[[nodiscard]] std::string id_of(const nlohmann::ordered_json& job);
[[nodiscard]] bool is_batch(const nlohmann::ordered_json& job);
[[nodiscard]] std::string place_of(const nlohmann::ordered_json& job);    ///< "/v1/jobs/12"
[[nodiscard]] std::string state_text(const nlohmann::ordered_json& job);  ///< "queued, 2 ahead"

// Precondition of both: has_progress(job).

[[nodiscard]] ProgressFigures figures_of(const nlohmann::ordered_json& job);
[[nodiscard]] std::string progress_line(const nlohmann::ordered_json& job);

/// Of a job that has no result: some lines.
[[nodiscard]] std::string unfinished_text(const nlohmann::ordered_json& job);

/// A table of jobs: an array.
[[nodiscard]] std::string list_text(const nlohmann::ordered_json& jobs);

/// What the command of its mode would have printed: the text of a job that is done. `job` is what
/// the server tells of it, `report` included.
Result<std::string> finished_job_text(const nlohmann::ordered_json& job, bool with_divide);

}  // namespace manyply
