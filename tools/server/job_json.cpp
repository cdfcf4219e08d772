#include "tools/server/job_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/base/stopped_within.h"
#include "core/counting.h"
#include "core/kernel.h"
#include "core/line.h"
#include "tools/report/count_format.h"
#include "tools/server/http/http_message.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Formats a time as RFC 3339 in UTC with milliseconds.
std::string time_text(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(WallTime::clock::to_time_t(seconds)),
                     (time - seconds) / std::chrono::milliseconds(1));
}

Json progress_of(const JobProgress& progress) {
  Json json{{"phase", progress.phase},
            {"share", progress.share ? Json(*progress.share) : Json(nullptr)},
            {"resumed", progress.resumed},
            {"units_done", progress.units_done},
            {"units_total", progress.units_total},
            {"resumed_units", progress.resumed_units},
            {"leaves", progress.leaves},
            {"visited", progress.visited},
            {"seconds", progress.seconds},
            {"leaves_per_second", progress.leaves_per_second},
            {"visited_per_second", progress.visited_per_second}};
  json["seconds_left"] = progress.seconds_left ? Json(*progress.seconds_left) : Json(nullptr);
  return json;
}

/// Returns the members that repeat the request: position, depth and mode. For a batch: the numbers
/// of its positions and counts, and its mode.
Json question_of(const JobRequest& request) {
  if (request.batch) {
    return {{"positions", request.batch->positions},
            {"counts", request.batch->counts},
            {"mode", to_string(request.mode)}};
  }
  return {{"fen", request.fen},
          {"moves", request.moves},
          {"position", request.position},
          {"chess960", request.notation == CastlingNotation::kChess960},
          {"depth", request.depth.plies()},
          {"mode", to_string(request.mode)},
          {"divide", request.divide}};
}

Json view_of(const JobView& view) {
  const JobRequest& request = view.request;
  Json json{{"id", view.id.value}, {"state", to_string(view.state)}};
  json.update(question_of(request));
  json.update({{"created", time_text(view.created)}, {"attempts", view.attempts}});
  if (!view.client.empty()) json["client"] = view.client;
  if (request.samples) json["samples"] = *request.samples;
  if (request.seed) json["seed"] = *request.seed;
  if (request.deadline) json["deadline"] = request.deadline->count();
  if (view.state == JobState::kQueued) json["queue_position"] = view.queue_position;
  if (view.waits_for) json["waits_for"] = view.waits_for->value;
  if (view.started) json["started"] = time_text(*view.started);
  if (view.finished) json["finished"] = time_text(*view.finished);
  if (view.state == JobState::kRunning) json["progress"] = progress_of(view.progress);
  if (view.storage_problem) json["storage_problem"] = *view.storage_problem;
  if (view.error) {
    json["error"] = {{"detail", view.error->to_string()}};
    if (!view.error->field.empty()) json["error"]["field"] = view.error->field;
  }
  if (view.state == JobState::kDone) {
    if (view.nodes) json["nodes"] = view.nodes->to_string();
    if (view.estimate) json["estimate"] = *view.estimate;
    if (view.distinct) json["distinct"] = std::to_string(*view.distinct);
    json["verdict"] = view.verdict;
  }
  return json;
}

// Parsing of request bodies.

Error bad(std::string field, std::string why) {
  return {ErrorCode::kInvalidInput, std::move(field), 0, std::move(why)};
}

/// Reads the members of an object into variables. Reports members that were not read.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  void text(const char* name, std::string& target) {
    read(name, "must be a string", &Json::is_string,
         [&](const Json& value) { target = value.get<std::string>(); });
  }
  void flag(const char* name, bool& target) {
    read(name, "must be true or false", &Json::is_boolean,
         [&](const Json& value) { target = value.get<bool>(); });
  }
  /// Reads an integer from `low` to `high`. If the number is above `high` and `too_high` is not
  /// empty, the error's message is `too_high`.
  void number(const char* name, std::int64_t low, std::int64_t high,
              const std::function<void(std::int64_t)>& take, const std::string& too_high = {}) {
    const std::string range =
        "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    read(name, range.c_str(), &Json::is_number, [&](const Json& value) {
      // JSON has one type of number, so 5.0 is the integer 5.
      const double real = value.get<double>();
      if (std::floor(real) != real || real < static_cast<double>(low) ||
          real > static_cast<double>(high)) {
        const bool said = !too_high.empty() && real > static_cast<double>(high);
        fail(name, said ? too_high : range);
      } else {
        take(value.get<std::int64_t>());
      }
    });
  }
  [[nodiscard]] bool has(const char* name) const { return json_.contains(name); }
  void require(const char* name) {
    if (!has(name)) fail(name, "is missing");
  }
  void fail(std::string field, std::string why) {
    if (!error_) error_ = bad(std::move(field), std::move(why));
  }
  /// Returns the first error. A member that was not read is an error, too.
  std::optional<Error> error() {
    for (const auto& [name, value] : json_.items()) {
      if (!error_ && !known_.contains(name))
        error_ = bad_member(name, "is not a field of this request");
    }
    return error_;
  }

 private:
  template <typename Is, typename Take>
  void read(const char* name, const char* why_not, Is is, Take take) {
    known_.insert(name);
    const auto at = json_.find(name);
    if (at == json_.end()) return;
    if (((*at).*is)()) {
      take(*at);
    } else {
      fail(name, why_not);
    }
  }

  const Json& json_;
  std::set<std::string> known_;
  std::optional<Error> error_;
};

/// Reads the members "fen", "moves" and "chess960" into `asked`, a Question or a JobRequest.
void read_position(Reader& reader, auto& asked) {
  reader.text("fen", asked.fen);
  reader.text("moves", asked.moves);
  reader.flag("chess960", asked.chess960);
}

/// Reads the members that jobs and comparisons share.
void read_question(Reader& reader, JobRequest& request, Depth most) {
  read_position(reader, request);
  reader.require("depth");
  reader.number(
      "depth", 0, most.plies(),
      [&](std::int64_t depth) { request.depth = Depth(static_cast<int>(depth)); },
      "is above this server's limit of " + std::to_string(most.plies()));
}

/// Reads the member "method" and sets `request.mode`. Each method has its own mode, and results are
/// stored by mode. So a client never receives a result that another method has counted.
void read_method(Reader& reader, JobRequest& request) {
  std::string method = "auto";
  reader.text("method", method);
  if (reader.has("method") && request.mode != CountMode::kCount) {
    reader.fail("method", "is allowed only in mode count");
  } else if (method == "hashed") {
    request.mode = CountMode::kHashed;
  } else if (method == "configurations") {
    request.mode = CountMode::kConfigurations;
  } else if (method != "auto") {
    reader.fail("method", "must be auto, hashed or configurations");
  }
}

}  // namespace

std::string job_json(const JobView& view) {
  std::string text = json_text(view_of(view));
  if (view.document.empty()) return text;
  // The report is already a JSON object on one line, so it is inserted as text.
  text.back() = ',';
  text += "\"report\":" + view.document;
  while (text.ends_with('\n')) text.pop_back();
  return text + '}';
}

TopicEvent topic_event(const JobEvent& event) {
  const bool last = is_final(event.job.state);
  const bool state = event.kind == JobEvent::Kind::kState;
  return {.name = std::string(last    ? to_string(event.job.state)
                              : state ? "state"
                                      : "progress"),
          .data = json_text(view_of(event.job)),
          .overtaken = !state && !last,
          .last = last};
}

Result<std::optional<TopicEvent>> present_event(JobManager& jobs, TopicId id) {
  auto view = jobs.get(JobId{id});
  if (!view) return view.error();
  std::optional<JobView> found = std::move(view).value();
  if (!found) return std::optional<TopicEvent>();
  return std::optional(topic_event({JobEvent::Kind::kState, *std::move(found)}));
}

std::string job_page_json(const JobPage& page, JobKind kind) {
  Json views = Json::array();
  for (const JobView& view : page.jobs) views.push_back(view_of(view));
  Json json{{kind == JobKind::kBatch ? "batches" : "jobs", std::move(views)}};
  json["next"] = page.next ? Json(page.next->value) : Json(nullptr);
  return json_text(json);
}

std::string api_document(std::string_view openapi, const JobManagerOptions& options,
                         std::size_t body_bytes) {
  const auto seconds = [](const auto& time) { return time ? Json(time->count()) : Json(nullptr); };
  const auto bytes = [](const auto& size) { return size ? Json(*size) : Json(nullptr); };
  const JobLimits& limits = options.limits;
  Json document = Json::parse(openapi);
  document["info"]["x-limits"] = {{"depth", limits.max_depth.plies()},
                                  {"queued", limits.max_queued},
                                  {"deadline", seconds(limits.max_deadline)},
                                  {"default_deadline", seconds(limits.default_deadline)},
                                  {"threads", cores(options)},
                                  {"concurrent", options.concurrent},
                                  {"hash_bytes", bytes(options.counting.table_bytes)},
                                  {"scratch_bytes", 0},
                                  {"state_bytes", bytes(options.max_state_bytes)},
                                  {"keep_finished", options.keep_finished},
                                  {"batch_bytes", Batch::kMaxBytes}};
  if (body_bytes > 0) document["info"]["x-limits"]["body_bytes"] = body_bytes;
  Json& schemas = document["components"]["schemas"];
  for (const char* request : {"JobRequest", "DiffRequest"})
    schemas[request]["properties"]["depth"]["maximum"] = limits.max_depth.plies();
  if (limits.max_deadline)
    schemas["JobRequest"]["properties"]["deadline"]["maximum"] = limits.max_deadline->count();
  return json_line(document);
}

std::string request_limits(std::string_view document) {
  Json limits = Json::parse(document)["components"]["schemas"]["JobRequest"]["properties"];
  for (Json& limit : limits) limit.erase("description");
  return json_line(limits);
}

Result<JobRequest> parse_job_request(std::string_view body,
                                     std::optional<std::string> idempotency_key, Depth most) {
  const Result<Json> json = parse_json_object(body);
  if (!json) return json.error();
  Reader reader(*json);
  JobRequest request;
  request.idempotency_key = std::move(idempotency_key);
  read_question(reader, request, most);
  std::string mode(to_string(request.mode));
  reader.text("mode", mode);
  const Result<CountMode> parsed = parse_count_mode(mode);
  if (parsed) {
    request.mode = *parsed;
  } else {
    reader.fail("mode", parsed.error().message);
  }
  read_method(reader, request);
  reader.flag("divide", request.divide);
  reader.number("samples", Question::kMinSamples, JobRequest::kMaxSamples,
                [&](std::int64_t samples) { request.samples = samples; });
  reader.number("seed", 0, JobRequest::kMaxSeed, [&](std::int64_t seed) { request.seed = seed; });
  reader.number("deadline", 1, JobRequest::kMaxDeadline.count(),
                [&](std::int64_t seconds) { request.deadline = std::chrono::seconds(seconds); });
  if (auto error = reader.error()) return *std::move(error);
  return make_job_request(std::move(request));
}

Result<Question> parse_position_request(std::string_view body) {
  const Result<Json> json = parse_json_object(body);
  if (!json) return json.error();
  Reader reader(*json);
  Question asked;
  reader.require("fen");
  read_position(reader, asked);
  if (auto error = reader.error()) return *std::move(error);
  return asked;
}

Result<DiffRequest> parse_diff_request(std::string_view body, Depth most) {
  const Result<Json> json = parse_json_object(body);
  if (!json) return json.error();
  Reader reader(*json);
  JobRequest asked;
  read_question(reader, asked, most);
  std::string divide;
  reader.require("divide");
  reader.text("divide", divide);
  bool right_as_fen = false;
  reader.flag("right_as_fen", right_as_fen);
  if (auto error = reader.error()) return *std::move(error);
  if (asked.depth.plies() == 0) return bad("depth", "must be at least 1");
  auto request = make_job_request(std::move(asked));
  if (!request) return request.error();
  return DiffRequest{std::move(request).value(), std::move(divide),
                     reader.has("right_as_fen") ? std::optional(right_as_fen) : std::nullopt};
}

std::optional<std::vector<DivideEntry>> stored_divide(JobManager& jobs, JobRequest request) {
  for (const CountMode mode : {CountMode::kCount, CountMode::kConfigurations, CountMode::kHashed,
                               CountMode::kUnhashed, CountMode::kStatistics}) {
    request.mode = mode;
    const auto known = jobs.find_result(request);
    if (!known || !*known) continue;
    auto divide = divide_in((*known)->document, request.line.named());
    if (divide) return std::move(divide).value();
  }
  return std::nullopt;
}

std::optional<std::vector<DivideEntry>> counted_divide(const JobRequest& request,
                                                       std::chrono::milliseconds patience,
                                                       const std::stop_token& enough) {
  std::stop_source stop;
  const std::stop_callback forward(enough, [&stop] { stop.request_stop(); });
  const std::jthread clock([&](const std::stop_token& done) {
    if (!stopped_within(patience, done)) stop.request_stop();
  });
  const NamedPosition& named = request.line.named();
  std::vector<DivideEntry> rows;
  CountStats stats;
  for (const Move move : legal_moves(named.position)) {
    const auto nodes =
        count_nodes(named.position.after_unchecked(move), Depth(request.depth.plies() - 1),
                    best_kernel(), stop.get_token(), stats);
    if (!nodes || stop.stop_requested()) return std::nullopt;
    rows.push_back({move, *nodes});
  }
  return rows;
}

}  // namespace manyply
