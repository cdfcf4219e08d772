#include "tools/client/client_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>

#include "core/line.h"
#include "tools/client/event_reader.h"
#include "tools/client/http_client.h"
#include "tools/command/flags.h"
#include "tools/question/estimate_format.h"
#include "tools/question/report_format.h"
#include "tools/question/stats_format.h"
#include "tools/question/verify_format.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{1000};       // before a lost server is asked again
constexpr milliseconds kLongestWait{10'000};   // doubling leads here
constexpr std::chrono::minutes kPatience{15};  // then it is given up
constexpr int kSubmitAttempts = 3;

constexpr std::string_view kUsualServer = "http://127.0.0.1:8080";

/// What the four commands are told; the server judges what is asked.
struct ClientOptions : Question, Showing {
  std::string server{kUsualServer};
  std::string token_file;         ///< empty = none
  std::vector<std::string> jobs;  ///< ids
  std::string mode_name = "hashed";
  std::optional<std::uint64_t> deadline;  ///< seconds
  std::string idempotency_key;            ///< empty = a random one
  bool watch = false;
};

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

bool is_final(const std::string& state) {
  return state == "done" || state == "failed" || state == "cancelled";
}

/// One line of what a server says, for a terminal.
std::string plain(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  constexpr std::size_t kLongest = 500;
  text.resize(std::min(text.size(), kLongest));
  return text;
}

Result<std::optional<std::string>> token_of(const ClientOptions& options) {
  const std::string& file = options.token_file;
  if (file.empty()) return std::optional<std::string>();
  std::ifstream in(file);
  std::string token;
  std::getline(in, token);
  if (token.ends_with('\r')) token.pop_back();
  const bool usable = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (token.empty() || !usable)
    return bad_input("--token-file", "'" + file + "' has no token in its first line");
  return std::optional(std::move(token));
}

/// Jobs of one server, for one command.
class Asker {
 public:
  Asker(HttpClient client, const ClientOptions& options, Io& io)
      : client_(std::move(client)), options_(options), io_(io) {}

  /// The answer's body; a refusal is an error that says what the server says.
  Result<std::string> ask(const ClientRequest& request) {
    const auto response = client_.send(request, io_.stop);
    if (!response) return response.error();
    if (response->status / 100 == 2) return response->body;
    return refusal(*response);
  }
  Result<Json> ask_json(const ClientRequest& request) {
    const Result<std::string> body = ask(request);
    if (!body) return body.error();
    Json json = Json::parse(*body, nullptr, false);
    if (!json.is_object()) return no_sense();
    return json;
  }
  Result<Json> job(const std::string& id) {
    Result<Json> job = ask_json({.path = "/v1/jobs/" + id});
    if (job && !is_job(*job)) return no_sense();
    return job;
  }
  static bool is_job(const Json& json) {
    return whole_at(json, "id") > 0 && !text_at(json, "state").empty();
  }
  [[nodiscard]] Error no_sense() const {
    return {ErrorCode::kUnavailable, client_.server(), 0, "this is no Manyply server"};
  }
  [[nodiscard]] Error refusal(const ClientResponse& response) const {
    const Json problem = Json::parse(response.body, nullptr, false);
    std::string detail = problem.is_object() ? plain(text_at(problem, "detail")) : "";
    if (response.status == 404 && !detail.empty()) {
      detail += fmt::format(" at {}; '{}' lists those there are", client_.server(),
                            command("status", ""));
    }
    if (detail.empty()) detail = fmt::format("answers with status {}", response.status);
    // Complaints about the request speak for themselves.
    const bool ours = response.status == 400 || response.status == 422 || response.status == 404;
    return {ErrorCode::kUnavailable, ours ? "" : client_.server(), 0, std::move(detail)};
  }

  HttpClient& client() { return client_; }
  Io& io() { return io_; }
  [[nodiscard]] const ClientOptions& options() const { return options_; }

  /// "perft watch 12 --server URL", as it may be typed.
  [[nodiscard]] std::string command(std::string_view name, const std::string& id) const {
    std::string line = fmt::format("perft {}{}{}", name, id.empty() ? "" : " ", id);
    if (client_.server() != kUsualServer) line += " --server " + client_.server();
    if (!options_.token_file.empty()) line += " --token-file " + options_.token_file;
    return line;
  }

 private:
  HttpClient client_;
  const ClientOptions& options_;
  Io& io_;
};

std::string id_of(const Json& job) { return std::to_string(whole_at(job, "id")); }

std::string state_text(const Json& job) {
  const std::string state = text_at(job, "state");
  if (state == "queued") {
    const std::uint64_t place = whole_at(job, "queue_position");
    return place > 1 ? fmt::format("queued, {} ahead", place - 1) : "queued, next in line";
  }
  return plain(state);
}

ProgressFigures figures_of(const Json& progress) {
  ProgressFigures figures{number_at(progress, "seconds"),
                          number_at(progress, "share"),
                          number_at(progress, "resumed"),
                          whole_at(progress, "units_done"),
                          whole_at(progress, "units_total"),
                          number_at(progress, "leaves"),
                          number_at(progress, "leaves_per_second"),
                          number_at(progress, "visited_per_second"),
                          std::nullopt};
  if (progress.contains("seconds_left") && progress["seconds_left"].is_number())
    figures.seconds_left = progress["seconds_left"].get<double>();
  return figures;
}

std::string progress_line(const Json& job) {
  const std::string phase = plain(text_at(job["progress"], "phase"));
  return (phase.empty() ? "" : phase + "  ") + progress_text(figures_of(job["progress"]));
}

bool has_progress(const Json& job) {
  return job.contains("progress") && job["progress"].is_object();
}

/// A job that has no result, or one of a list.
std::string unfinished_text(const Json& job) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10} {}\n", name, value);
  };
  line("job", id_of(job));
  line("state", state_text(job));
  line("position", plain(text_at(job, "position")));
  line("depth", std::to_string(whole_at(job, "depth")));
  line("mode", plain(text_at(job, "mode")));
  if (has_progress(job)) line("progress", progress_line(job));
  if (const std::string problem = text_at(job, "storage_problem"); !problem.empty())
    line("storage", plain(problem));
  return text;
}

/// Prints a job as far as it has come, and says with the exit code what came of it.
int show(Asker& asker, const Json& job) {
  Io& io = asker.io();
  const ClientOptions& options = asker.options();
  const std::string state = text_at(job, "state");
  const std::string id = id_of(job);
  if (state == "failed" || state == "cancelled") {
    if (options.format == Format::kJson) io.out << job.dump() << '\n';
    if (state == "cancelled") {
      io.err << "perft: job " << id << " was cancelled\n";
      return kExitInterrupted;
    }
    const Json error = job.value("error", Json::object());
    return fail(io, {ErrorCode::kUnavailable, "job " + id, 0,
                     error.is_object() ? plain(text_at(error, "detail")) : "failed"});
  }
  if (state != "done") {
    if (options.format == Format::kJson) {
      io.out << job.dump() << '\n';
    } else if (options.format == Format::kText) {
      io.out << unfinished_text(job);
    } else {
      return fail(io, {ErrorCode::kUnavailable, "job " + id, 0,
                       "has no result yet: it is " + state_text(job)});
    }
    return kExitOk;
  }

  if (options.format == Format::kText) {
    const bool divide = options.divide || job.value("divide", Json(false)) == Json(true);
    const Result<std::string> text = finished_job_text(job.dump(), divide);
    if (!text) return fail(io, text.error());
    io.out << *text;
  } else {
    const char* const format = options.format == Format::kJson  ? "json"
                               : options.format == Format::kCsv ? "csv"
                                                                : "stockfish";
    const Result<std::string> text =
        asker.ask({.path = "/v1/jobs/" + id + "/result?format=" + format});
    if (!text) return fail(io, text.error());
    io.out << *text;
  }
  io.out << std::flush;
  const std::string verdict = text_at(job, "verdict");
  if (verdict != "mismatch" && verdict != "differ") return kExitOk;
  io.err << "perft: job " << id
         << (verdict == "differ" ? ": counts with and without a table differ\n"
                                 : ": the total is not the published one\n");
  return kExitMismatch;
}

/// What a watch shows on stderr meanwhile.
class WatchDisplay {
 public:
  WatchDisplay(ProgressMode mode, Io& io) : mode_(mode), io_(io) {}
  ~WatchDisplay() { wipe(); }
  WatchDisplay(const WatchDisplay&) = delete;
  WatchDisplay& operator=(const WatchDisplay&) = delete;

  void show(const Json& job) {
    lost_ = false;
    if (mode_ == ProgressMode::kJson && has_progress(job)) {
      io_.err << progress_json(figures_of(job["progress"])) + '\n' << std::flush;
      if (!io_.err && io_.readers != nullptr) io_.readers->left();
    } else {
      draw(fmt::format("job {}  {}", id_of(job),
                       has_progress(job) ? progress_line(job) : state_text(job)));
    }
  }
  void lost() {
    draw("connection lost; the job goes on, trying again");
    const bool seen = mode_ == ProgressMode::kNever || io_.terminal_columns > 0;
    if (!lost_ && !seen) io_.err << "perft: connection lost; trying again\n" << std::flush;
    lost_ = true;
  }

 private:
  void draw(const std::string& text) {
    const bool quick = Clock::now() - start_ < milliseconds(900);  // leaves the terminal alone
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

void wait(milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
}

/// Follows the job until it is final, through lost connections and restarts of the server.
Result<Json> follow(Asker& asker, const std::string& id) {
  Result<Json> first = asker.job(id);  // there is a server, and it knows the job
  if (!first || is_final(text_at(*first, "state"))) return first;
  WatchDisplay display(asker.options().progress, asker.io());
  const std::stop_token& stop = asker.io().stop;
  EventReader reader;
  milliseconds pause = kFirstWait;
  auto heard = Clock::now();
  for (;;) {
    bool over = false;
    ClientRequest request{.path = "/v1/jobs/" + id + "/events",
                          .headers = {{"Accept", "text/event-stream"}}};
    if (!reader.last_id().empty()) request.headers.emplace_back("Last-Event-ID", reader.last_id());
    const auto on_event = [&](const ServerEvent& event) {
      const Json job = Json::parse(event.data, nullptr, false);
      if (!job.is_object() || !Asker::is_job(job)) return;
      over = is_final(text_at(job, "state"));
      display.show(job);
    };
    const auto response = asker.client().send(request, stop, [&](std::string_view bytes) {
      heard = Clock::now();
      pause = reader.retry().value_or(kFirstWait);
      reader.feed(bytes, on_event);
    });
    reader.reset();
    if (!response && response.error().code == ErrorCode::kCancelled) return response.error();
    const bool busy = response && (response->status == 429 || response->status >= 500);
    if (response && !busy && response->status / 100 != 2) return asker.refusal(*response);
    if (over || (response && response->status == 204)) {
      Result<Json> job = asker.job(id);
      if (!job || is_final(text_at(*job, "state"))) return job;
    }
    if (Clock::now() - heard > kPatience) {
      return response ? asker.refusal(*response) : response.error();
    }
    if (!response || busy) display.lost();
    wait(pause, stop);
    pause = std::min(2 * pause, kLongestWait);
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "", 0, "interrupted"};
  }
}

int watch(Asker& asker, const std::string& id) {
  const Result<Json> job = follow(asker, id);
  if (job) return show(asker, *job);
  if (job.error().code != ErrorCode::kCancelled || asker.io().unheard())
    return fail(asker.io(), job.error());
  asker.io().err << "perft: no longer watching; job " << id << " goes on: '"
                 << asker.command("watch", id) << "' comes back to it, '"
                 << asker.command("cancel", id) << "' ends it\n";
  return kExitInterrupted;
}

/// 128 random bits: a submission that is sent twice is one job.
std::string random_key() {
  std::random_device random;
  return fmt::format("perft-{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

Result<Json> submit(Asker& asker) {
  const ClientOptions& options = asker.options();
  Json body{{"fen", options.fen},
            {"moves", options.moves},
            {"depth", options.depth.plies()},
            {"mode", options.mode_name},
            {"divide", options.divide}};
  if (options.chess960) body["chess960"] = true;
  if (options.deadline) body["deadline"] = *options.deadline;
  if (options.samples) body["samples"] = *options.samples;
  if (options.seed) body["seed"] = *options.seed;
  const std::string& key = options.idempotency_key;
  const ClientRequest request{.method = "POST",
                              .path = "/v1/jobs",
                              .headers = {{"Idempotency-Key", key.empty() ? random_key() : key}},
                              .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  milliseconds pause{200};
  for (int attempt = 1;; ++attempt, pause *= 2) {
    const auto response = asker.client().send(request, asker.io().stop);
    if (!response) {
      if (response.error().code == ErrorCode::kCancelled || attempt == kSubmitAttempts)
        return response.error();
      wait(pause, asker.io().stop);
      continue;
    }
    if (response->status / 100 != 2) return asker.refusal(*response);
    Json job = Json::parse(response->body, nullptr, false);
    if (!job.is_object() || !Asker::is_job(job)) return asker.no_sense();
    return job;
  }
}

using Ask = int (*)(Asker& asker);

int run(const ClientOptions& options, Io& io, Ask ask) {
  const auto token = token_of(options);
  if (!token) return fail(io, token.error());
  Result<HttpClient> client = HttpClient::connect(options.server, *token);
  if (!client) return fail(io, client.error());
  Asker asker(std::move(client).value(), options, io);
  return ask(asker);
}

int run_submit(const ClientOptions& options, Io& io) {
  if (options.progress_given && !options.watch)
    return fail(io, bad_input("--progress", "without --watch nothing is waited for"));
  return run(options, io, [](Asker& asker) {
    const Result<Json> job = submit(asker);
    if (!job) return fail(asker.io(), job.error());
    const std::string id = id_of(*job);
    if (asker.options().watch) return watch(asker, id);
    if (!is_final(text_at(*job, "state"))) {
      if (asker.options().format == Format::kJson) return show(asker, *job);
      asker.io().out << unfinished_text(*job) << std::flush;
      asker.io().err << "perft: '" << asker.command("watch", id) << "' shows how it goes on\n";
      return static_cast<int>(kExitOk);
    }
    const Result<Json> known = asker.job(id);
    return known ? show(asker, *known) : fail(asker.io(), known.error());
  });
}

std::string list_row(const Json& job) {
  std::string nodes = text_at(job, "nodes");
  if (job.contains("estimate")) nodes = fmt::format("~ {:.6e}", number_at(job, "estimate"));
  std::string where = plain(text_at(job, "fen"));
  if (const std::string moves = plain(text_at(job, "moves")); !moves.empty()) where += " " + moves;
  return fmt::format("{:>6}  {:<22}  {:>5}  {:<8}  {:>26}  {}\n", id_of(job), state_text(job),
                     whole_at(job, "depth"), plain(text_at(job, "mode")),
                     nodes.empty() ? "-" : plain(nodes), where);
}

int run_status(const ClientOptions& options, Io& io) {
  if (options.divide && options.jobs.empty())
    return fail(io, bad_input("--divide", "a list of jobs shows no moves; name a job"));
  return run(options, io, [](Asker& asker) {
    Io& out = asker.io();
    const std::vector<std::string>& ids = asker.options().jobs;
    int exit_code = kExitOk;
    for (const std::string& id : ids) {
      const Result<Json> job = asker.job(id);
      const int code = job ? show(asker, *job) : fail(out, job.error());
      if (exit_code == kExitOk) exit_code = code;
    }
    if (!ids.empty()) return exit_code;

    const Format format = asker.options().format;
    if (format != Format::kText && format != Format::kJson)
      return fail(out, bad_input("--format", "a list of jobs is text or json"));
    const Result<Json> page = asker.ask_json({.path = "/v1/jobs?limit=20"});
    if (!page) return fail(out, page.error());
    if (!page->contains("jobs") || !(*page)["jobs"].is_array()) return fail(out, asker.no_sense());
    if (format == Format::kJson) {
      out.out << page->dump() << '\n';
      return exit_code;
    }
    out.out << fmt::format("{:>6}  {:<22}  {:>5}  {:<8}  {:>26}  {}\n", "job", "state", "depth",
                           "mode", "nodes", "position");
    for (const Json& job : (*page)["jobs"]) out.out << list_row(job);
    return exit_code;
  });
}

int run_watch(const ClientOptions& options, Io& io) {
  return run(options, io, [](Asker& asker) { return watch(asker, asker.options().jobs.front()); });
}

int run_cancel(const ClientOptions& options, Io& io) {
  return run(options, io, [](Asker& asker) {
    Io& out = asker.io();
    const std::string& id = asker.options().jobs.front();
    const Result<Json> job = asker.ask_json({.method = "DELETE", .path = "/v1/jobs/" + id});
    if (!job) return fail(out, job.error());
    const std::string state = text_at(*job, "state");
    if (asker.options().format == Format::kJson) {
      out.out << job->dump() << '\n';
    } else if (state == "done" || state == "failed") {
      out.out << "job " << id << " had ended before: " << plain(state) << '\n';
    } else {
      out.out << "job " << id << " is cancelled\n";
    }
    return static_cast<int>(kExitOk);
  });
}

std::optional<Error> take_job(ClientOptions& options, const std::string& text) {
  const auto number = parse_number(text, 1, INT64_MAX);
  if (!number) return renamed(number.error(), "job");
  options.jobs.push_back(std::to_string(*number));
  return std::nullopt;
}

constexpr Flag<ClientOptions> kJob{"JOB", "", "the job's number", take_job};
constexpr Flag<ClientOptions> kJobs{"JOBS", nullptr,
                                    "the jobs' numbers; without any, the newest 20", take_job};
constexpr std::array<Flag<ClientOptions>, 2> kServer{{
    {"--server", "URL", "the server's address (default: http://127.0.0.1:8080)",
     [](ClientOptions& options, const std::string& text) {
       return options.server = text, accepted();
     }},
    {"--token-file", "FILE", "a file with the token that the server was started with",
     [](ClientOptions& options, const std::string& text) {
       return options.token_file = text, accepted();
     }},
}};
// The server judges what is asked of it: it knows its modes and its limits.
constexpr std::array<Flag<ClientOptions>, 6> kSubmitting{{
    {"--mode", "MODE", "hashed, unhashed, verify, stats or estimate (default: hashed)",
     [](ClientOptions& options, const std::string& text) {
       return options.mode_name = text, accepted();
     }},
    {"--samples", "K", "of mode estimate: random walks, at least 100 (default: 10000)",
     [](ClientOptions& options, const std::string& text) {
       return store(parse_number(text, 0, INT64_MAX), options.samples, "--samples");
     }},
    {"--seed", "S", "of mode estimate: the same seed, the same estimate (default: 1)",
     [](ClientOptions& options, const std::string& text) {
       return store(parse_number(text, 0, UINT64_MAX), options.seed, "--seed");
     }},
    {"--deadline", "SECONDS", "give the job up when it has not ended by then",
     [](ClientOptions& options, const std::string& text) {
       return store(parse_number(text, 1, INT64_MAX), options.deadline, "--deadline");
     }},
    {"--watch", nullptr, "wait for the result, as 'perft watch' does",
     [](ClientOptions& options, const std::string&) { return options.watch = true, accepted(); }},
    {"--idempotency-key", "KEY", "sent again with the same key, a request is the same job",
     [](ClientOptions& options, const std::string& text) {
       return options.idempotency_key = text, accepted();
     }},
}};

}  // namespace

std::vector<Command> client_commands() {
  using namespace flags;
  return {
      make_command<ClientOptions>(
          {.name = "submit",
           .summary = "Ask a server for a count",
           .about = R"(
Prints the job's number, or the result if the server knows it already. The count goes on when this
command has ended, and when the server is started again. Exit code: that of 'perft watch' with
--watch or for a known result, else 0 if accepted, 2 if not.)",
           .examples = R"(
perft submit 9
perft submit 7 --fen kiwipete --mode verify --watch
perft submit 18 --mode estimate --samples 100000 --watch
perft submit 8 --server https://perft.example --token-file token --format json)",
           .needs = {.outlives_readers = true}},
          {kDepth, kPosition, kDivide, kSubmitting, kServer, kFormat, kProgress}, run_submit),
      make_command<ClientOptions>({.name = "status",
                                   .summary = "Show jobs of a server",
                                   .about = R"(
A job that is done is printed as 'perft count', 'verify', 'stats' or 'estimate' would do it. Exit
code: 0, 1 if a total differs from what is published, 2 if a job failed or there is none, 130 if it
was cancelled.)",
                                   .examples = R"(
perft status
perft status 12 --format csv)"},
                                  {kJobs, kDivide, kServer, kFormat}, run_status),
      make_command<ClientOptions>({.name = "watch",
                                   .summary = "Wait for a job of a server, and print its result",
                                   .about = R"(
Shows the job's progress meanwhile; lost connections are taken up again. Exit code: 0, 1 if the
total differs from what is published, 2 if the job failed, 130 if it was cancelled or on Ctrl-C,
which ends the watching and not the job.)",
                                   .examples = "perft watch 12"},
                                  {kJob, kDivide, kServer, kFormat, kProgress}, run_watch),
      make_command<ClientOptions>(
          {.name = "cancel",
           .summary = "Cancel a job of a server",
           .about = "A job that has ended stays as it is. Exit code: 0, 2 if there is no such job.",
           .examples = "perft cancel 12",
           .needs = {.outlives_readers = true}},
          {kJob, kServer, kReportFormat}, run_cancel),
  };
}

Result<std::string> finished_job_text(std::string_view text, bool with_divide) {
  const Error no_job{ErrorCode::kInvalidInput, "job", 0, "is none that is done"};
  const Json job = Json::parse(text, nullptr, false);
  if (!job.is_object() || !job.contains("report")) return no_job;
  const Json& report = job["report"];
  if (report.is_object() && report.contains("hashed")) return verify_text(report.dump());
  const bool chess960 = job.value("chess960", Json(false)) == Json(true);
  const Result<Line> root =
      parse_line(text_at(job, "position"), "",
                 chess960 ? std::optional(CastlingNotation::kChess960) : std::nullopt);
  const auto depth = Depth::parse(std::to_string(whole_at(job, "depth")));
  if (!root || !depth) return no_job;
  if (report.is_object() && report.contains("estimate")) return estimate_text(report.dump(), *root);
  if (report.is_object() && report.contains("captures")) {
    const Result<StatisticsReport> statistics = parse_statistics(report.dump(), *root);
    if (!statistics) return statistics.error();
    return format_statistics({*statistics, *root, *depth, with_divide}, Format::kText);
  }
  const Result<Report> parsed = parse_report(report.dump(), *root);
  if (!parsed) return parsed.error();
  return format_report({*parsed, *root, *depth, with_divide}, Format::kText);
}

}  // namespace manyply
