#include "tools/client/server_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "core/base/stopped_within.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/framework/shared_flags.h"
#include "tools/client/http_client.h"
#include "tools/report/answer.h"
#include "tools/report/document_members.h"
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

std::string ToldJob::progress_line(int terminal_columns) const {
  return progress_bar(figures(), terminal_columns) + progress_text(figures());
}

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

std::string submission(const Question& question, std::string_view mode, std::string_view method,
                       const std::optional<std::uint64_t>& deadline_seconds) {
  Json body{{"fen", question.fen},
            {"moves", question.moves},
            {"depth", question.depth.plies()},
            {"mode", mode},
            {"divide", question.divide}};
  if (!method.empty()) body["method"] = method;
  if (question.chess960) body["chess960"] = true;
  if (deadline_seconds) body["deadline"] = *deadline_seconds;
  if (question.samples) body["samples"] = *question.samples;
  if (question.seed) body["seed"] = *question.seed;
  return json_text(body);
}

namespace {

Result<std::optional<std::string>> token_of(const std::string& file) {
  if (file.empty()) return std::optional<std::string>();
  std::ifstream in(file);
  std::string token;
  std::getline(in, token);
  if (token.ends_with('\r')) token.pop_back();
  const bool usable = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (token.empty() || !usable)
    return bad_input("--token-file",
                     "'" + file + "' cannot be read, or its first line is not a token");
  return std::optional(std::move(token));
}

/// Returns a random idempotency key of 128 bits. If a submission is sent twice with the same key,
/// the server creates only one job.
std::string random_key() {
  std::random_device random;
  return fmt::format("perft-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

constexpr std::array<Flag<ServerOptions>, 2> kServerFlags{{
    {"--server", "URL",
     "the server's address, or unix:PATH for its socket, or unix:PATH:/BASE/ with a base path "
     "(default: http://127.0.0.1:8080)",
     take_text<&ServerOptions::server>},
    {"--token-file",
     "FILE",
     "file with the client's token in its first line",
     take_text<&ServerOptions::token_file>,
     {ValueKind::kFile}},
}};

std::optional<Error> take_job(std::string& job, const std::string& text) {
  const auto number = parse_number(text, 1, INT64_MAX);
  if (!number) return renamed(number.error(), "job");
  job = std::to_string(*number);
  return std::nullopt;
}

constexpr Flag<JobName> kJob{
    "JOB", "", "the job's number",
    [](JobName& name, const std::string& text) { return take_job(name.job, text); }};

ServerClient::ServerClient(HttpClient http, const ServerOptions& options, Io& io)
    : http_(std::move(http)), options_(options), io_(io) {}

Result<std::string> ServerClient::ask(const ClientRequest& request) {
  const auto response = http_.send(request, io_.stop);
  if (!response) return response.error();
  if (response->status / 100 == 2) return response->body;
  return refusal(*response);
}

Result<ToldJob> ServerClient::ask_job(const ClientRequest& request) {
  const auto response = http_.send(request, io_.stop);
  return response ? job_of(*response) : response.error();
}

Result<ToldJob> ServerClient::job(const std::string& id) {
  const auto job = http_.send({.path = "/v1/jobs/" + id}, io_.stop);
  if (!job) return job.error();
  if (job->status != 404) return job_of(*job);
  const auto batch = http_.send({.path = "/v1/batches/" + id}, io_.stop);
  if (!batch) return batch.error();
  return job_of(batch->status == 404 ? *job : *batch);
}

Result<ToldJob> ServerClient::submit(ClientRequest request, const std::string& key) {
  constexpr int kAttempts = 3;
  request.method = "POST";
  request.headers.emplace_back("Idempotency-Key", key.empty() ? random_key() : key);
  std::chrono::milliseconds pause{200};
  for (int attempt = 1;; ++attempt, pause *= 2) {
    const auto response = http_.send(request, io_.stop);
    if (response) return job_of(*response);
    if (response.error().code == ErrorCode::kCancelled || attempt == kAttempts)
      return response.error();
    stopped_within(pause, io_.stop);
  }
}

Result<ToldJob> ServerClient::job_of(const ClientResponse& response) const {
  if (response.status / 100 != 2) return refusal(response);
  std::optional<ToldJob> job = ToldJob::read(response.body);
  if (!job) return no_sense();
  return *std::move(job);
}

Error ServerClient::no_sense() const {
  return {ErrorCode::kUnavailable, http_.server(), 0, "this is not a Manyply server"};
}

Error ServerClient::refusal(const ClientResponse& response) const {
  const Json problem = read_json(response.body);
  std::string detail = problem.is_object() ? plain(text_at(problem, "detail")) : "";
  if (response.status == 404 && !detail.empty()) {
    const bool is_job = detail.ends_with(" does not exist");
    detail += " at " + http_.server();
    if (is_job) detail += fmt::format("; '{}' lists the jobs", command("status", ""));
  }
  if (detail.empty()) detail = fmt::format("the server responded with status {}", response.status);
  // These statuses mean that the request is wrong. Messages about the request do not need the
  // server's address.
  const bool ours = response.status == 400 || response.status == 422 || response.status == 404;
  return {ErrorCode::kUnavailable, ours ? "" : http_.server(), 0, std::move(detail)};
}

std::string ServerClient::command(std::string_view name, const std::string& id) const {
  std::string line = fmt::format("perft {}{}{}", name, id.empty() ? "" : " ", id);
  if (http_.server() != ServerOptions::kUsualServer) line += " --server " + http_.server();
  if (!options_.token_file.empty()) line += " --token-file " + options_.token_file;
  return line;
}

int ask_server(const ServerOptions& options, Io& io, const std::function<int(ServerClient&)>& ask) {
  const auto token = token_of(options.token_file);
  if (!token) return fail(io, token.error());
  Result<HttpClient> client = HttpClient::connect(options.server, *token);
  if (!client) return fail(io, client.error());
  ServerClient server(std::move(client).value(), options, io);
  return ask(server);
}

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{1000};       // wait before the first reconnection
constexpr milliseconds kLongestWait{10'000};   // the wait doubles up to this time
constexpr std::chrono::minutes kPatience{15};  // without data for this time, watching fails

/// Shows progress on stderr while a job is watched.
class WatchDisplay {
 public:
  WatchDisplay(ProgressMode mode, Io& io) : mode_(mode), io_(io) {}
  ~WatchDisplay() { wipe(); }
  WatchDisplay(const WatchDisplay&) = delete;
  WatchDisplay& operator=(const WatchDisplay&) = delete;

  void show(const ToldJob& job) {
    lost_ = false;
    if (mode_ == ProgressMode::kJson && job.has_progress()) {
      io_.err << progress_json(job.figures()) + '\n' << std::flush;
      if (!io_.err && io_.readers != nullptr) io_.readers->left();
    } else {
      draw(fmt::format(
          "job {}  {}", job.id(),
          job.has_progress() ? job.progress_line(io_.terminal_columns) : job.state_text()));
    }
  }
  void lost() {
    draw("connection lost; the job continues; trying again");
    const bool seen = mode_ == ProgressMode::kNever || io_.terminal_columns > 0;
    if (!lost_ && !seen) io_.err << "perft: connection lost; trying again\n" << std::flush;
    lost_ = true;
  }

 private:
  void draw(const std::string& text) {
    const bool quick = Clock::now() - start_ < milliseconds(900);  // quick jobs show nothing
    if (mode_ != ProgressMode::kAuto || io_.terminal_columns <= 0 || quick) return;
    io_.err << kWipeLine << fitted(text, io_.terminal_columns) << std::flush;
    drawn_ = true;
  }
  void wipe() {
    if (drawn_) io_.err << kWipeLine << std::flush;
  }

  const ProgressMode mode_;
  Io& io_;
  const Clock::time_point start_ = Clock::now();
  bool drawn_ = false;
  bool lost_ = false;
};

/// Follows the job until its state is final. Continues after lost connections and restarts of the
/// server.
Result<ToldJob> follow(ServerClient& server, const ToldJob& first, ProgressMode mode) {
  if (first.has_ended()) return server.job(first.id());  // request it again, with its report
  WatchDisplay display(mode, server.io());
  const std::stop_token& stop = server.io().stop;
  EventReader reader;
  milliseconds pause = kFirstWait;
  auto heard = Clock::now();
  for (;;) {
    bool over = false;
    ClientRequest request{.path = first.place() + "/events",
                          .headers = {{"Accept", "text/event-stream"}}};
    if (!reader.last_id().empty()) request.headers.emplace_back("Last-Event-ID", reader.last_id());
    const auto on_event = [&](const ServerEvent& event) {
      const auto job = ToldJob::read(event.data);
      if (!job) return;
      over = job->has_ended();
      display.show(*job);
    };
    const auto response = server.http().send(request, stop, [&](std::string_view bytes) {
      heard = Clock::now();
      pause = reader.retry().value_or(kFirstWait);
      reader.feed(bytes, on_event);
    });
    reader.reset();
    if (!response && response.error().code == ErrorCode::kCancelled) return response.error();
    const bool busy = response && (response->status == 429 || response->status >= 500);
    if (response && !busy && response->status / 100 != 2) return server.refusal(*response);
    if (over || (response && response->status == 204)) {
      Result<ToldJob> job = server.job(first.id());
      if (!job || job->has_ended()) return job;
    }
    if (Clock::now() - heard > kPatience) {
      return response ? server.refusal(*response) : response.error();
    }
    if (!response || busy) display.lost();
    stopped_within(pause, stop);
    pause = std::min(2 * pause, kLongestWait);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "", 0, "interrupted"};
  }
}

Result<std::string> result_of(ServerClient& server, const ToldJob& job, std::string_view form) {
  return server.ask({.path = job.place() + "/result?format=" + std::string(form)});
}

}  // namespace

const Flag<JobShowing> kShowDivide{flags::kDivide.name, nullptr, flags::kDivide.help,
                                   switch_on<&JobShowing::divide>};

int show_job(ServerClient& server, const ToldJob& job, const JobShowing& showing) {
  Io& io = server.io();
  const std::string state = job.state();
  const std::string id = job.id();
  if (state == "failed" || state == "cancelled") {
    if (showing.format == Format::kJson) io.out << job.json();
    if (state == "cancelled") {
      io.err << "perft: job " << id << " was cancelled\n";
      return kExitInterrupted;
    }
    return fail(io, {ErrorCode::kUnavailable, "job " + id, 0, job.failure()});
  }
  if (state != "done") {
    if (showing.format == Format::kJson) {
      io.out << job.json();
    } else if (showing.format == Format::kText) {
      io.out << job.unfinished_text();
    } else {
      return fail(io, {ErrorCode::kUnavailable, "job " + id, 0,
                       "has no result yet: it is " + job.state_text()});
    }
    return kExitOk;
  }

  if (job.is_batch()) return show_batch(server, job, to_string(showing.format));
  if (showing.format == Format::kText) {
    const Result<std::string> text = job.finished_text(showing.divide || job.wants_divide());
    if (!text) return fail(io, text.error());
    io.out << *text;
  } else {
    const Result<std::string> text = result_of(server, job, to_string(showing.format));
    if (!text) return fail(io, text.error());
    io.out << *text;
  }
  io.out << std::flush;
  const std::string verdict = job.verdict();
  if (!is_wrong(verdict)) return kExitOk;
  io.err << "perft: job " << id
         << (verdict == "differ" ? ": its counts by different methods differ\n"
                                 : ": the total is not the published one\n");
  return kExitMismatch;
}

int show_batch(ServerClient& server, const ToldJob& batch, std::string_view form) {
  if (batch.state() != "done") {
    JobShowing showing;
    if (form == to_string(Format::kJson)) showing.format = Format::kJson;
    return show_job(server, batch, showing);
  }
  const Result<std::string> text = result_of(server, batch, form);
  if (!text) return fail(server.io(), text.error());
  server.io().out << *text << std::flush;
  const std::string verdict = batch.verdict();
  if (verdict == "refused") {
    return fail(server.io(), {ErrorCode::kInvalidInput, "job " + batch.id(), 0,
                              "lines of its suite were refused; all other counts match"});
  }
  return verdict == "mismatch" ? kExitMismatch : kExitOk;
}

int watch_job(ServerClient& server, const ToldJob& job, ProgressMode progress,
              const std::function<int(const ToldJob& ended)>& show) {
  const Result<ToldJob> ended = follow(server, job, progress);
  if (ended) return show(*ended);
  if (ended.error().code != ErrorCode::kCancelled || server.io().unheard())
    return fail(server.io(), ended.error());
  const std::string id = job.id();
  server.io().err << "perft: stopped watching; job " << id << " continues: '"
                  << server.command("watch", id) << "' watches it again, '"
                  << server.command("cancel", id) << "' cancels it\n";
  return kExitInterrupted;
}

int watch_job(ServerClient& server, const ToldJob& job, const JobShowing& showing) {
  return watch_job(server, job, showing.progress,
                   [&](const ToldJob& ended) { return show_job(server, ended, showing); });
}

}  // namespace manyply
