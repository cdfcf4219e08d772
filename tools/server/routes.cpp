#include "tools/server/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "hash/fingerprint.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/report/document_members.h"
#include "tools/server/job_json.h"
#include "tools/text/json_text.h"
#include "tools/text/number_text.h"

namespace manyply {

struct Routes::Call {
  const HttpRequest& request;
  const Target& target;
  const Client& client;      ///< the client that sent the request
  JobKind kind;              ///< from the path: jobs or batches
  std::optional<JobId> job;  ///< from {id} in the path
  std::stop_token stop;      ///< see Admission
};

struct Routes::Entry {
  Route route;
  Handler handler;
};

namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kEpdType = "application/x-epd";
constexpr std::array kListParameters{std::string_view("limit"), std::string_view("before"),
                                     std::string_view("state")};
constexpr std::array kBatchParameters{std::string_view("mode"), std::string_view("deadline")};
constexpr std::array kJobParameters{std::string_view("wait")};
constexpr std::array kResultParameters{std::string_view("format")};
constexpr std::array kPositionParameters{std::string_view("fen"), std::string_view("moves"),
                                         std::string_view("chess960")};

HttpResponse reply(int status, std::string_view type, std::string body) {
  return {status,
          {{"Content-Type", std::string(type)}, {"Cache-Control", "no-store"}},
          std::move(body)};
}
HttpResponse json_reply(int status, std::string body) {
  return reply(status, kJson, std::move(body) + '\n');
}

HttpResponse unavailable(const Error& error) { return problem({Refusal::Kind::kStorage, error}); }

std::optional<JobId> parse_job_id(std::string_view text) {
  const auto number = parse_number(text, 1, INT64_MAX);
  if (!number || text.front() == '0') return std::nullopt;
  return JobId{static_cast<std::int64_t>(*number)};
}

/// Returns whether `segments` match the pattern `path` ("/v1/jobs/{id}").
bool matches(std::string_view path, const std::vector<std::string>& segments) {
  for (const std::string& segment : segments) {
    if (!path.starts_with('/')) return false;
    path.remove_prefix(1);
    const std::string_view expected = path.substr(0, path.find('/'));
    if (!expected.starts_with('{') && expected != segment) return false;
    path.remove_prefix(expected.size());
  }
  return path.empty();
}

/// Refuses a request whose content type is not `needed`. Pages of other sites therefore cannot
/// submit anything with a form, because a form cannot have the content type of JSON or EPD.
std::optional<HttpResponse> check_type(const HttpRequest& request, std::string_view needed) {
  const std::string_view type = request.header("Content-Type").value_or("");
  const std::string_view name = type.substr(0, type.find_first_of("; \t"));
  if (equal_ignoring_case(name, needed)) return std::nullopt;
  const std::string header = fmt::format("'Content-Type: {}'", needed);
  return problem(415, fmt::format("send the body with {} (with curl: {})", header,
                                  needed == kJson ? std::string("--json")
                                                  : "--data-binary @FILE -H " + header));
}

std::string_view name_of(JobKind kind) { return kind == JobKind::kBatch ? "batch" : "job"; }
std::string_view path_of(JobKind kind) {
  return kind == JobKind::kBatch ? "v1/batches/" : "v1/jobs/";
}
HttpResponse no_such(JobKind kind, std::string_view id) {
  return problem(404, fmt::format("{} {} does not exist", name_of(kind), id));
}

/// Returns the refusal of a request whose parameter `name` is wrong.
HttpResponse bad_parameter(std::string name, std::string why) {
  return problem(400, {ErrorCode::kInvalidInput, std::move(name), 0, std::move(why)});
}

HttpResponse bad_body(const Error& error) {
  return problem(error.field.empty() ? 400 : 422, error);
}

std::optional<std::string> key_of(const HttpRequest& request) {
  const auto key = request.header("Idempotency-Key");
  return key ? std::optional(std::string(*key)) : std::nullopt;
}

// The files of the page.

std::string_view content_type(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTypes{{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".json", "application/json"},
      {".txt", "text/plain; charset=utf-8"},
  }};
  for (const auto& [ending, type] : kTypes) {
    if (path.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

const EmbeddedFile* file_at(std::string_view path) {
  const auto files = page_files();
  const auto file = std::ranges::lower_bound(files, path, {}, &EmbeddedFile::path);
  return file == files.end() || file->path != path ? nullptr : &*file;
}

/// Returns whether the header Accept-Encoding lists `coding`, but not with the weight 0 ("q=0").
bool accepts(const HttpRequest& request, std::string_view coding) {
  std::string_view rest = request.header("Accept-Encoding").value_or("");
  while (!rest.empty()) {
    std::string entry(cut_until(rest, ','));
    std::erase(entry, ' ');
    const std::size_t end = entry.find(';');
    if (entry.substr(0, end) != coding) continue;
    const std::string_view weight =
        end == std::string::npos ? "" : std::string_view(entry).substr(end + 1);
    return !weight.starts_with("q=0") || weight.find_first_of("123456789") != weight.npos;
  }
  return false;
}

/// Returns the embedded file at the path of `target`; null if no file has this path. Never
/// searches the file system.
const EmbeddedFile* page_file(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  if (!path.starts_with('/')) return nullptr;
  path.remove_prefix(1);
  if (path.empty()) path = "index.html";
  return file_at(path);
}

/// Returns the decision about a request for `file`: an admission if the method is GET or HEAD,
/// otherwise a refusal. The admission refers to `file`, so `file` must outlive the admission.
Judgement judge_file(const EmbeddedFile& file, const HttpRequest& head) {
  if (head.method != "GET" && head.method != "HEAD") {
    HttpResponse response = problem(405, "files of the page support only GET and HEAD");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  return Admission{
      Lane::kMemory, [&file](const HttpRequest& request, const std::stop_token&) {
        // The names of files in assets/ contain a digest of the content.
        const bool never_changes = file.path.starts_with("assets/");
        std::vector<std::pair<std::string, std::string>> headers{
            {"Cache-Control", never_changes ? "public, max-age=31536000, immutable" : "no-cache"},
            {"Vary", "Accept-Encoding"}};
        const EmbeddedFile* sent = &file;
        for (const auto& [coding, ending] : {std::pair{"br", ".br"}, std::pair{"gzip", ".gz"}}) {
          const EmbeddedFile* const small = file_at(std::string(file.path) + ending);
          if (small == nullptr || !accepts(request, coding)) continue;
          sent = small;
          headers.emplace_back("Content-Encoding", coding);
          break;
        }
        const std::string tag =
            fmt::format("\"{:016x}\"", xxh3_64(std::as_bytes(std::span(sent->bytes))));
        headers.emplace_back("ETag", tag);
        if (request.header("If-None-Match") == tag)
          return HttpResponse{304, std::move(headers), ""};
        headers.emplace_back("Content-Type", content_type(file.path));
        return HttpResponse{200, std::move(headers), std::string(sent->bytes)};
      }};
}

// Campaigns

Error not_seen_yet() {
  return {ErrorCode::kUnavailable, "", 0,
          "the database of the campaigns has not answered yet; try again soon"};
}

/// Returns two JSON members: the snapshot's age, and whether the last attempt to read failed.
std::string freshness(const CampaignWatch::Picture& seen) {
  return fmt::format(R"("age_seconds": {:.1f}, "away": {})", seen.age_seconds, seen.away);
}

}  // namespace

Routes::Routes(JobManager& jobs, RoutesOptions options)
    : jobs_(jobs),
      options_(std::move(options)),
      guard_(options_.clients),
      document_(api_document(openapi_document(), jobs.options(), options_.body_bytes)),
      limits_(request_limits(document_)) {}

std::span<const Routes::Entry> Routes::entries() {
  // A route requires an administrator unless its row contains another role.
  constexpr auto kOpen = Role::kNone;
  constexpr auto kRead = Role::kRead;
  constexpr auto kSubmit = Role::kSubmit;
  static const std::array<Entry, 24> all{{
      {{"POST", "/v1/jobs", {}, kSubmit}, &Routes::submit_job},
      {{"GET", "/v1/jobs", kListParameters, kRead}, &Routes::list_jobs},
      {{"GET", "/v1/jobs/{id}", kJobParameters, kRead}, &Routes::get_job},
      {{"DELETE", "/v1/jobs/{id}", {}, kSubmit}, &Routes::cancel_job},
      {{"DELETE", "/v1/jobs/{id}/result", {}, kSubmit}, &Routes::remove_job},
      {{"GET", "/v1/jobs/{id}/result", kResultParameters, kRead}, &Routes::get_result},
      {{"GET", "/v1/jobs/{id}/events", {}, kRead}, &Routes::get_events},
      {{"POST", "/v1/batches", kBatchParameters, kSubmit, Lane::kHeavy, kEpdType},
       &Routes::submit_batch},
      {{"GET", "/v1/batches", kListParameters, kRead}, &Routes::list_jobs},
      {{"GET", "/v1/batches/{id}", kJobParameters, kRead}, &Routes::get_job},
      {{"DELETE", "/v1/batches/{id}", {}, kSubmit}, &Routes::cancel_job},
      {{"DELETE", "/v1/batches/{id}/result", {}, kSubmit}, &Routes::remove_job},
      {{"GET", "/v1/batches/{id}/result", kResultParameters, kRead, Lane::kHeavy},
       &Routes::get_result},
      {{"GET", "/v1/batches/{id}/events", {}, kRead}, &Routes::get_events},
      {{"GET", "/v1/position", kPositionParameters, kRead}, &Routes::get_position},
      {{"POST", "/v1/position", {}, kRead}, &Routes::read_position},
      {{"POST", "/v1/diff", {}, kSubmit, Lane::kHeavy}, &Routes::compare_divide},
      {{"GET", "/v1/campaigns", {}, kRead, Lane::kMemory}, &Routes::list_campaigns},
      {{"GET", "/v1/campaigns/{name}", {}, kRead, Lane::kMemory}, &Routes::get_campaign},
      {{"GET", "/healthz", {}, kOpen, Lane::kMemory}, &Routes::get_health},
      {{"GET", "/readyz", {}, kOpen}, &Routes::get_readiness},
      {{"GET", "/metrics", {}, kRead}, &Routes::get_metrics},
      {{"GET", "/openapi.json", {}, kOpen, Lane::kMemory}, &Routes::get_document},
      {{"GET", "/limits.json", {}, kOpen, Lane::kMemory}, &Routes::get_limits},
  }};
  return all;
}

std::span<const Routes::Route> Routes::table() {
  static const std::vector<Route> routes = [] {
    std::vector<Route> all;
    for (const Entry& entry : entries()) all.push_back(entry.route);
    return all;
  }();
  return routes;
}

Judgement Routes::judge(const HttpRequest& head) {
  const auto add_security = [](HttpAnswer& answer) {
    std::visit(
        [](auto& any) {
          any.headers.insert(any.headers.end(), security_headers().begin(),
                             security_headers().end());
        },
        answer);
  };
  Judgement judgement = judge_below(head);
  if (auto* refusal = std::get_if<HttpResponse>(&judgement)) {
    HttpAnswer answer = std::move(*refusal);
    add_security(answer);
    return std::get<HttpResponse>(std::move(answer));
  }
  auto& admission = std::get<Admission>(judgement);
  admission.answer = [bare = std::move(admission.answer), add_security](
                         const HttpRequest& request, const std::stop_token& stop) {
    HttpAnswer answer = bare(request, stop);
    add_security(answer);
    if (auto* later = std::get_if<EventStreamAnswer>(&answer); later != nullptr && later->then) {
      later->then = [then = std::move(later->then), add_security] {
        HttpAnswer last = then();
        add_security(last);
        return std::get<HttpResponse>(std::move(last));
      };
    }
    return answer;
  };
  return judgement;
}

HttpAnswer Routes::answer(const HttpRequest& request, const std::stop_token& stop) {
  Judgement judgement = judge(request);
  if (auto* refusal = std::get_if<HttpResponse>(&judgement)) return std::move(*refusal);
  return std::get<Admission>(judgement).answer(request, stop);
}

/// If the target begins with the base path, removes this prefix and judges the rest with
/// judge_bare(). If the target is the base path without its last slash, redirects to the base path.
/// Refuses all other targets.
Judgement Routes::judge_below(const HttpRequest& head) {
  const std::string_view base = options_.base_path;
  if (base == "/") return judge_bare(head);
  HttpRequest inner = head;
  if (head.target.starts_with(base)) {
    inner.target.erase(0, base.size() - 1);
    return judge_bare(inner);
  }
  auto admitted = guard_.admit(head, Role::kNone);
  if (auto* refusal = std::get_if<HttpResponse>(&admitted)) return std::move(*refusal);
  if (head.target == base.substr(0, base.size() - 1)) {
    HttpResponse response = problem(308, "the page of this server is at " + options_.base_path);
    response.headers.emplace_back("Location", options_.base_path);
    return response;
  }
  return problem(404, "all paths of this server start with " + options_.base_path);
}

Judgement Routes::judge_bare(const HttpRequest& head) {
  const EmbeddedFile* const file = page_file(head.target);
  auto target = Target::parse(head.target);
  const std::string_view method = head.method == "HEAD" ? std::string_view("GET") : head.method;
  const Entry* found = nullptr;
  std::string allowed;  // methods of this path
  // Require a role for unknown paths, too. Otherwise a client without a role could find out which
  // paths exist.
  Role needed = file != nullptr ? Role::kNone : Role::kRead;
  for (const Entry& entry : entries()) {
    if (file != nullptr || !target || !matches(entry.route.path, target->segments)) continue;
    needed = entry.route.needs;
    if (entry.route.method == method) {
      found = &entry;
      break;
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(entry.route.method);
    if (entry.route.method == "GET") allowed += ", HEAD";
  }
  auto admitted = guard_.admit(head, needed);
  if (auto* refusal = std::get_if<HttpResponse>(&admitted)) return std::move(*refusal);
  if (!target) return problem(400, target.error());
  if (file != nullptr) return judge_file(*file, head);
  if (found != nullptr) {
    return judge_entry(*found, head, std::move(target).value(),
                       std::get<Client>(std::move(admitted)));
  }
  if (allowed.empty()) {
    return problem(404, fmt::format("no resource at {}; the API is described in {}openapi.json",
                                    quote(head.target), options_.base_path));
  }
  HttpResponse response =
      problem(405, fmt::format("{} does not support {} (supported: {})", quote(head.target),
                               quote(head.method), allowed));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

Judgement Routes::judge_entry(const Entry& entry, const HttpRequest& head, Target target,
                              Client client) {
  for (const auto& [name, value] : target.parameters) {
    if (std::ranges::find(entry.route.parameters, name) == entry.route.parameters.end()) {
      return bad_parameter(quote(name), "is not a parameter of this request");
    }
  }
  const JobKind kind =
      entry.route.path.starts_with("/v1/batches") ? JobKind::kBatch : JobKind::kCount;
  std::optional<JobId> job;
  if (entry.route.path.find("{id}") != std::string_view::npos) {
    job = parse_job_id(target.segments[2]);
    if (!job) return no_such(kind, quote(target.segments[2]));
  }
  if (entry.route.method == "POST") {
    if (auto refused = check_type(head, entry.route.body)) return *std::move(refused);
    if (head.header_count("Idempotency-Key") > 1)
      return problem(400, "the request has more than one Idempotency-Key header");
  }
  Admission admission;
  admission.lane = entry.route.lane;
  if (entry.route.body == kEpdType) admission.body_bytes = Batch::kMaxBytes;
  admission.answer = [this, handler = entry.handler, kind, job, target = std::move(target),
                      client = std::move(client)](const HttpRequest& request,
                                                  const std::stop_token& stop) {
    return (this->*handler)({request, target, client, kind, job, stop});
  };
  return admission;
}

HttpAnswer Routes::submit_job(const Call& call) {
  return submit(parse_job_request(call.request.body, key_of(call.request), most_plies()), call);
}

HttpAnswer Routes::submit_batch(const Call& call) {
  JobRequest asked;
  asked.idempotency_key = key_of(call.request);
  if (const auto mode = call.target.parameter("mode")) {
    const auto parsed = parse_count_mode(*mode);
    if (!parsed) return problem(400, parsed.error());
    asked.mode = *parsed;
  }
  if (const auto text = call.target.parameter("deadline")) {
    const auto seconds = parse_number(*text, 1, JobRequest::kMaxDeadline.count());
    if (!seconds) return bad_parameter("deadline", seconds.error().message);
    asked.deadline = std::chrono::seconds(*seconds);
  }
  return submit(make_batch_request(std::move(asked), call.request.body), call);
}

HttpAnswer Routes::submit(const Result<JobRequest>& asked, const Call& call) {
  if (!asked) return bad_body(asked.error());
  const auto submitted = jobs_.submit(*asked, call.client);
  if (const auto* refusal = std::get_if<Refusal>(&submitted)) return problem(*refusal);
  const JobView& job = std::get<Submission>(submitted).job;
  HttpResponse response = json_reply(job.state == JobState::kDone ? 200 : 202, job_json(job));
  response.headers.emplace_back(
      "Location", fmt::format("{}{}{}", options_.base_path, path_of(call.kind), job.id.value));
  return response;
}

HttpAnswer Routes::list_jobs(const Call& call) {
  std::size_t limit = kDefaultPage;
  std::optional<JobId> before;
  std::optional<JobState> state;
  if (const auto text = call.target.parameter("limit")) {
    const auto number = parse_number(*text, 1, kLargestPage);
    if (!number) return bad_parameter("limit", fmt::format("must be 1 to {}", kLargestPage));
    limit = *number;
  }
  if (const auto text = call.target.parameter("before")) {
    before = parse_job_id(*text);
    if (!before) return bad_parameter("before", "must be the id of a job");
  }
  if (const auto text = call.target.parameter("state")) {
    state = parse_job_state(*text);
    if (!state) return bad_parameter("state", "must be queued, running, done, failed or cancelled");
  }
  const auto page = jobs_.list(limit, before, state, call.kind);
  if (!page) return unavailable(page.error());
  return json_reply(200, job_page_json(*page, call.kind));
}

/// Returns the job or batch with this id, or the response that reports why it cannot be returned.
std::variant<JobView, HttpResponse> Routes::job_of(JobId id, JobKind asked) {
  auto job = jobs_.get(id);
  if (!job) return unavailable(job.error());
  if (!*job) return no_such(asked, std::to_string(id.value));
  if (const JobKind kind = (*job)->request.kind(); kind != asked) {
    return problem(404, fmt::format("{} is not a {} but a {}: see {}{}{}", id.value, name_of(asked),
                                    name_of(kind), options_.base_path, path_of(kind), id.value));
  }
  return **std::move(job);
}

/// Returns nullopt if the client may end this job. Otherwise returns the response that refuses the
/// request.
std::optional<HttpResponse> Routes::check_end(const Call& call) {
  auto job = job_of(*call.job, call.kind);
  if (auto* refusal = std::get_if<HttpResponse>(&job)) return std::move(*refusal);
  if (call.client.may_end_jobs_of(std::get<JobView>(job).client)) return std::nullopt;
  return problem(403, fmt::format("{} {} was not submitted by '{}'; only administrators may cancel "
                                  "or remove jobs of other clients",
                                  name_of(call.kind), call.job->value, call.client.name));
}

HttpAnswer Routes::get_job(const Call& call) {
  std::optional<std::chrono::seconds> wait;
  if (const auto text = call.target.parameter("wait")) {
    const auto seconds = parse_number(*text, 1, kLongestWait.count());
    if (!seconds)
      return bad_parameter("wait", fmt::format("must be 1 to {} seconds", kLongestWait.count()));
    wait = std::chrono::seconds(*seconds);
  }
  auto job = job_of(*call.job, call.kind);
  if (auto* refusal = std::get_if<HttpResponse>(&job)) return std::move(*refusal);
  const auto& view = std::get<JobView>(job);
  if (!wait || is_final(view.state)) return json_reply(200, job_json(view));
  EventStreamAnswer later{call.job->value, "job", std::nullopt, {}};
  later.wait = *wait;
  later.then = [this, id = *call.job, kind = call.kind] {
    auto now = job_of(id, kind);
    if (auto* refusal = std::get_if<HttpResponse>(&now)) return std::move(*refusal);
    return json_reply(200, job_json(std::get<JobView>(now)));
  };
  return later;
}

HttpAnswer Routes::cancel_job(const Call& call) {
  if (auto refusal = check_end(call)) return *std::move(refusal);
  const auto job = jobs_.cancel(*call.job);
  if (!job) return unavailable(job.error());
  if (!*job) return no_such(call.kind, std::to_string(call.job->value));
  return json_reply(200, job_json(**job));
}

HttpAnswer Routes::remove_job(const Call& call) {
  if (auto refusal = check_end(call)) return *std::move(refusal);
  const auto removal = jobs_.remove(*call.job);
  if (!removal) return unavailable(removal.error());
  switch (*removal) {
    case Removal::kNoSuchJob:
      return no_such(call.kind, std::to_string(call.job->value));
    case Removal::kNotFinished:
      return problem(409, fmt::format("{} {} has not ended; cancel it first", name_of(call.kind),
                                      call.job->value));
    case Removal::kRemoved:
      break;
  }
  return HttpResponse{204, {{"Cache-Control", "no-store"}}, ""};
}

HttpAnswer Routes::get_result(const Call& call) {
  const auto format =
      parse_result_format(call.target.parameter("format").value_or("json"), call.kind);
  if (!format) return problem(400, format.error());
  auto found = job_of(*call.job, call.kind);
  if (auto* refusal = std::get_if<HttpResponse>(&found)) return std::move(*refusal);
  auto& job = std::get<JobView>(found);
  if (job.state != JobState::kDone) {
    return problem(409, fmt::format("the {} has no result because it is {}", name_of(call.kind),
                                    to_string(job.state)));
  }
  if (*format == Format::kJUnit) {
    auto suite = jobs_.batch_of(job.id);
    if (!suite) return unavailable(suite.error());
    job.request.suite = std::move(suite).value();
  }
  auto text = format_result(job, *format);
  if (!text) {
    return text.error().code == ErrorCode::kInternal ? problem(500, text.error())
                                                     : problem(409, text.error());
  }
  return reply(200, info(*format).media_type, std::move(text).value());
}

HttpAnswer Routes::get_events(const Call& call) {
  EventStreamAnswer stream{call.job->value, "job", std::nullopt, {}};
  // If Last-Event-ID is not a number or not the id of a kept event, the stream starts with the
  // current state.
  if (call.request.header_count("Last-Event-ID") == 1) {
    const auto event = parse_number(*call.request.header("Last-Event-ID"), 0, UINT64_MAX);
    if (event) stream.last_event_id = *event;
  }
  auto job = job_of(*call.job, call.kind);
  if (auto* refusal = std::get_if<HttpResponse>(&job)) return std::move(*refusal);
  return stream;
}

HttpAnswer Routes::get_position(const Call& call) {
  Question asked;
  asked.fen = call.target.parameter("fen").value_or("startpos");
  asked.moves = call.target.parameter("moves").value_or("");
  const std::string_view variant = call.target.parameter("chess960").value_or("false");
  if (variant != "true" && variant != "false")
    return bad_parameter("chess960", "must be true or false");
  asked.chess960 = variant == "true";
  return position_reply(std::move(asked));
}

HttpAnswer Routes::read_position(const Call& call) {
  Result<Question> asked = parse_position_request(call.request.body);
  if (!asked) return bad_body(asked.error());
  return position_reply(std::move(asked).value());
}

HttpResponse Routes::position_reply(Question asked) {
  const PositionText read = position_text(asked.fen);
  const auto question = validated(std::move(asked));
  if (!question) return problem(422, question.error());
  return json_reply(200, json_text(position_document(question->line, read)));
}

HttpAnswer Routes::list_campaigns(const Call&) {
  if (options_.campaigns == nullptr)
    return json_reply(200, R"({"shown": false, "age_seconds": 0, "away": false, "campaigns": []})");
  const auto seen = options_.campaigns->look();
  if (!seen) return unavailable(not_seen_yet());
  std::string all;
  for (const CampaignView& campaign : *seen->campaigns)
    all += (all.empty() ? "" : ", ") + campaign.status;
  return json_reply(
      200, fmt::format(R"({{"shown": true, {}, "campaigns": [{}]}})", freshness(*seen), all));
}

HttpAnswer Routes::get_campaign(const Call& call) {
  const std::string& name = call.target.segments[2];
  HttpResponse none = problem(404, "no campaign has the name " + quote(name));
  if (options_.campaigns == nullptr) return none;
  const auto seen = options_.campaigns->look();
  if (!seen) return unavailable(not_seen_yet());
  const auto at = std::ranges::find(*seen->campaigns, name, &CampaignView::name);
  if (at == seen->campaigns->end()) return none;
  return json_reply(200,
                    fmt::format(R"({{{}, "campaign": {}, "strip": {}, "rate": {}, "workers": {}}})",
                                freshness(*seen), at->status, at->strip, at->rate, at->workers));
}

HttpAnswer Routes::compare_divide(const Call& call) {
  const auto asked = parse_diff_request(call.request.body, most_plies());
  if (!asked) return bad_body(asked.error());
  const Line& line = asked->request.line;
  const Depth depth = asked->request.depth;
  auto pasted = read_paste(asked->divide, line, depth);
  if (!pasted) return problem(422, pasted.error());
  auto ours = stored_divide(jobs_, asked->request);
  if (!ours) ours = counted_divide(asked->request, options_.diff_patience, call.stop);
  if (!ours && call.stop.stop_requested())
    return unavailable({ErrorCode::kCancelled, "", 0, "the client has disconnected"});
  if (!ours) {
    return problem(409,
                   "this server has no divide of this position and depth, and counting takes too "
                   "long; submit the position as a job, and compare again when the job is done");
  }
  const auto end = std::chrono::steady_clock::now() + options_.diff_patience;
  const OurDivide divide = [&](const Line& line, Depth depth) -> Result<std::vector<DivideEntry>> {
    JobRequest other = asked->request;
    other.line = line;
    other.depth = depth;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    auto rows = counted_divide(other, std::max(left, std::chrono::milliseconds(0)), call.stop);
    if (!rows) return Error{ErrorCode::kUnavailable, "", 0, "takes too long"};
    return *std::move(rows);
  };
  const auto divides = with_depths(*std::move(pasted), line, depth, divide);
  if (!divides) return problem(422, divides.error());
  return json_reply(200, diff_of_paste(line, depth, *ours, *divides, asked->right_as_fen, divide));
}

HttpAnswer Routes::get_health(const Call&) { return reply(200, "text/plain", "ok\n"); }

HttpAnswer Routes::get_readiness(const Call&) {
  const auto why_not = jobs_.why_not_ready();
  return why_not ? problem(503, *why_not) : reply(200, "text/plain", "ready\n");
}

HttpAnswer Routes::get_metrics(const Call&) {
  return reply(
      200, "text/plain; version=0.0.4; charset=utf-8",
      metrics_text(jobs_.stats(), options_.transport ? options_.transport() : TransportStats{},
                   requests_));
}

HttpAnswer Routes::get_document(const Call&) { return reply(200, kJson, document_); }

HttpAnswer Routes::get_limits(const Call&) { return reply(200, kJson, limits_); }

}  // namespace manyply
