#include "tools/client/told_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/cli/framework/printable.h"
#include "tools/report/answer.h"
#include "tools/report/document.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
}
double number_at(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_number() ? at->get<double>() : 0;
}
std::uint64_t whole_at(const Json& json, const char* name) {
  const auto at = json.find(name);
  return at != json.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
}

std::string id_at(const Json& job) { return std::to_string(whole_at(job, "id")); }

std::string state_at(const Json& job) {
  const std::string state = text_at(job, "state");
  if (state == "queued") {
    const std::uint64_t place = whole_at(job, "queue_position");
    return place > 1 ? fmt::format("queued, {} ahead", place - 1) : "queued, next in line";
  }
  return plain(state);
}

std::string list_text(const Json& jobs) {
  constexpr const char* kRow = "{:>6}  {:<22}  {:>5}  {:<8}  {:>26}  {}\n";
  std::string text = fmt::format(kRow, "job", "state", "depth", "mode", "nodes", "position");
  for (const Json& job : jobs) {
    std::string nodes = text_at(job, "nodes");
    if (job.contains("distinct")) nodes = text_at(job, "distinct") + " distinct";
    if (job.contains("estimate")) nodes = fmt::format("~ {:.6e}", number_at(job, "estimate"));
    std::string where = plain(text_at(job, "fen"));
    if (const std::string moves = plain(text_at(job, "moves")); !moves.empty())
      where += " " + moves;
    text += fmt::format(kRow, id_at(job), state_at(job), whole_at(job, "depth"),
                        plain(text_at(job, "mode")), nodes.empty() ? "-" : plain(nodes), where);
  }
  return text;
}

}  // namespace

std::string plain(std::string text) {
  constexpr std::size_t kLongest = 500;
  text.resize(std::min(text.size(), kLongest));
  return printable(text);
}

ToldJob::ToldJob(Json json) : json_(std::make_shared<const Json>(std::move(json))) {}

std::optional<ToldJob> ToldJob::read(std::string_view text) {
  Json json = read_json(text);
  if (!json.is_object() || whole_at(json, "id") == 0 || text_at(json, "state").empty())
    return std::nullopt;
  return ToldJob(std::move(json));
}

std::string ToldJob::id() const { return id_at(*json_); }
std::string ToldJob::state() const { return text_at(*json_, "state"); }
std::string ToldJob::state_text() const { return state_at(*json_); }

bool ToldJob::has_ended() const {
  const std::string now = state();
  return now == "done" || now == "failed" || now == "cancelled";
}

bool ToldJob::is_batch() const { return json_->contains("positions"); }
std::string ToldJob::place() const { return (is_batch() ? "/v1/batches/" : "/v1/jobs/") + id(); }
std::string ToldJob::verdict() const { return text_at(*json_, "verdict"); }

std::string ToldJob::failure() const {
  const auto error = json_->find("error");
  if (error == json_->end()) return "";
  return error->is_object() ? plain(text_at(*error, "detail")) : "failed";
}

bool ToldJob::wants_divide() const {
  const auto divide = json_->find("divide");
  return divide != json_->end() && *divide == Json(true);
}

bool ToldJob::has_progress() const {
  const auto progress = json_->find("progress");
  return progress != json_->end() && progress->is_object();
}

ProgressFigures ToldJob::figures() const {
  const Json& progress = json_->at("progress");
  const auto known_at = [&progress](const char* name) -> std::optional<double> {
    const auto at = progress.find(name);
    if (at == progress.end() || !at->is_number()) return std::nullopt;
    return at->get<double>();
  };
  return {number_at(progress, "seconds"),
          plain(text_at(progress, "phase")),
          known_at("share"),
          number_at(progress, "resumed"),
          whole_at(progress, "units_done"),
          whole_at(progress, "units_total"),
          number_at(progress, "leaves"),
          number_at(progress, "leaves_per_second"),
          number_at(progress, "visited_per_second"),
          known_at("seconds_left")};
}

std::string ToldJob::progress_line() const { return progress_text(figures()); }

std::string ToldJob::unfinished_text() const {
  std::string text = text_line("job", id()) + text_line("state", state_text());
  if (is_batch()) {
    text += text_line("positions", std::to_string(whole_at(*json_, "positions")));
    text += text_line("counts", std::to_string(whole_at(*json_, "counts")));
  } else {
    text += text_line("position", plain(text_at(*json_, "position")));
    text += text_line("depth", std::to_string(whole_at(*json_, "depth")));
  }
  text += text_line("mode", plain(text_at(*json_, "mode")));
  if (has_progress()) text += text_line("progress", progress_line());
  if (const std::string problem = text_at(*json_, "storage_problem"); !problem.empty())
    text += text_line("storage", plain(problem));
  return text;
}

Result<std::string> ToldJob::finished_text(bool with_divide) const {
  const auto mode = parse_count_mode(text_at(*json_, "mode"));
  const auto report = json_->find("report");
  if (!mode || report == json_->end())
    return Error{ErrorCode::kInvalidInput, "job", 0, "is not a finished job"};
  return written(*mode, Format::kText, json_text(*report), {.divide = with_divide});
}

std::string ToldJob::json() const { return json_line(*json_); }

std::optional<std::string> told_list(std::string_view page, Format format) {
  const Json json = read_json(page);
  if (!json.is_object() || !json.contains("jobs") || !json["jobs"].is_array()) return std::nullopt;
  return format == Format::kJson ? json_line(json) : list_text(json["jobs"]);
}

std::string told_refusal(std::string_view problem) {
  const Json json = read_json(problem);
  return json.is_object() ? plain(text_at(json, "detail")) : "";
}

std::string submission(const Question& question, std::string_view mode,
                       const std::optional<std::uint64_t>& deadline_seconds) {
  Json body{{"fen", question.fen},
            {"moves", question.moves},
            {"depth", question.depth.plies()},
            {"mode", mode},
            {"divide", question.divide}};
  if (question.chess960) body["chess960"] = true;
  if (deadline_seconds) body["deadline"] = *deadline_seconds;
  if (question.samples) body["samples"] = *question.samples;
  if (question.seed) body["seed"] = *question.seed;
  return json_text(body);
}

}  // namespace manyply
