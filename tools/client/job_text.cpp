#include "tools/client/job_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/command/printable.h"
#include "tools/question/answer.h"
#include "tools/question/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

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

std::string plain(std::string text) {
  constexpr std::size_t kLongest = 500;
  text.resize(std::min(text.size(), kLongest));
  return printable(text);
}

bool is_job(const Json& json) {
  return whole_at(json, "id") > 0 && !text_at(json, "state").empty();
}

bool has_ended(const Json& job) {
  const std::string state = text_at(job, "state");
  return state == "done" || state == "failed" || state == "cancelled";
}

std::string id_of(const Json& job) { return std::to_string(whole_at(job, "id")); }

bool is_batch(const Json& job) { return job.contains("positions"); }

std::string place_of(const Json& job) {
  return (is_batch(job) ? "/v1/batches/" : "/v1/jobs/") + id_of(job);
}

std::string state_text(const Json& job) {
  const std::string state = text_at(job, "state");
  if (state == "queued") {
    const std::uint64_t place = whole_at(job, "queue_position");
    return place > 1 ? fmt::format("queued, {} ahead", place - 1) : "queued, next in line";
  }
  return plain(state);
}

ProgressFigures figures_of(const Json& job) {
  const Json& progress = job["progress"];
  const auto known_at = [&progress](const char* name) -> std::optional<double> {
    if (!progress.contains(name) || !progress[name].is_number()) return std::nullopt;
    return progress[name].get<double>();
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

std::string progress_line(const Json& job) { return progress_text(figures_of(job)); }

bool has_progress(const Json& job) {
  return job.contains("progress") && job["progress"].is_object();
}

std::string unfinished_text(const Json& job) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10} {}\n", name, value);
  };
  line("job", id_of(job));
  line("state", state_text(job));
  if (is_batch(job)) {
    line("positions", std::to_string(whole_at(job, "positions")));
    line("counts", std::to_string(whole_at(job, "counts")));
  } else {
    line("position", plain(text_at(job, "position")));
    line("depth", std::to_string(whole_at(job, "depth")));
  }
  line("mode", plain(text_at(job, "mode")));
  if (has_progress(job)) line("progress", progress_line(job));
  if (const std::string problem = text_at(job, "storage_problem"); !problem.empty())
    line("storage", plain(problem));
  return text;
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
    text += fmt::format(kRow, id_of(job), state_text(job), whole_at(job, "depth"),
                        plain(text_at(job, "mode")), nodes.empty() ? "-" : plain(nodes), where);
  }
  return text;
}

Result<std::string> finished_job_text(const Json& job, bool with_divide) {
  const auto mode = parse_count_mode(text_at(job, "mode"));
  if (!mode || !job.contains("report"))
    return Error{ErrorCode::kInvalidInput, "job", 0, "is none that is done"};
  return written(*mode, Format::kText, json_text(job["report"]), {.divide = with_divide});
}

}  // namespace manyply
