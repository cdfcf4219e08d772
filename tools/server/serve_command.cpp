#include "tools/server/serve_command.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "parallel/job.h"
#include "tools/command/flags.h"
#include "tools/server/event_hub.h"
#include "tools/server/http_server.h"
#include "tools/server/job_json.h"
#include "tools/server/job_manager.h"
#include "tools/server/job_store.h"
#include "tools/server/routes.h"
#include "tools/server/server_log.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kReservedFiles = 64;  // for the database, the log, and what libraries want
constexpr seconds kAnswersInProgress{2};    // may take so long when the server ends
constexpr seconds kShutdownLimit{9};        // then what is not stored yet is given up
constexpr std::size_t kMinTokenLength = 16;

Error bad_file(const std::filesystem::path& file, std::string why) {
  return {ErrorCode::kInvalidInput, "token file", 0, file.string() + ": " + std::move(why)};
}

/// Connections that this process may have, after it has taken all the files it is permitted.
std::size_t possible_connections() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kReservedFiles;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur > 2 * kReservedFiles ? limit.rlim_cur - kReservedFiles : kReservedFiles;
}

/// Absent: the server's default.
struct ServeOptions : Means {
  std::string listen = "127.0.0.1:8080";
  std::string state;       ///< directory; empty = the user's own
  std::string token_file;  ///< empty = none
  std::optional<int> concurrent;
  std::optional<Depth> max_depth;
  std::optional<std::size_t> max_queued;
  std::optional<seconds> max_deadline;
  std::optional<std::size_t> keep;
  bool access_log = true;
};

Result<JobManagerOptions> manager_options(const ServeOptions& options) {
  JobManagerOptions manager;
  if (options.state.empty()) {
    auto state = default_state_directory();
    if (!state) return state.error();
    manager.state_dir = std::move(state).value();
  } else {
    manager.state_dir = options.state;
  }
  manager.means = options;
  manager.concurrent = options.concurrent.value_or(manager.concurrent);
  manager.keep_finished = options.keep.value_or(manager.keep_finished);
  JobLimits& limits = manager.limits;
  limits.max_depth = options.max_depth.value_or(limits.max_depth);
  limits.max_queued = options.max_queued.value_or(limits.max_queued);
  if (options.max_deadline) limits.max_deadline = options.max_deadline;
  return manager;
}

/// Ends the process if its shutdown takes too long: a disk or a reader of stderr may be stuck.
class Watchdog {
 public:
  explicit Watchdog(seconds limit)
      : thread_([this, limit](const std::stop_token& done) {
          std::unique_lock lock(mutex_);
          if (woken_.wait_for(lock, done, limit, [&] { return done.stop_requested(); })) return;
          _exit(kExitError);
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread thread_;
};

int run_serve(const ServeOptions& options, Io& io) {
  const auto parsed = parse_listen_address(options.listen);
  if (!parsed) return fail(io, renamed(parsed.error(), "--listen"));
  ListenAddress listen = *parsed;
  std::optional<std::string> token;
  if (!options.token_file.empty()) {
    auto secret = read_token_file(options.token_file);
    if (!secret) return fail(io, renamed(secret.error(), "--token-file"));
    token = std::move(secret).value();
  } else if (!listen.loopback) {
    return fail(io, bad_input("--listen", listen.address + " can be reached from other machines: "
                                                           "that needs a --token-file"));
  }
  auto prepared = manager_options(options);
  if (!prepared) return fail(io, prepared.error());

  const auto log = std::make_unique<ServerLog>();
  HttpServerOptions transport;
  transport.address = listen.address;
  transport.port = listen.port;
  transport.limits.connections = std::min(transport.limits.connections, possible_connections());
  // Whatever is answered or followed leaves some connections that can make room.
  transport.limits.waiting_requests =
      std::min(transport.limits.waiting_requests, transport.limits.connections / 4);
  EventHubOptions events;
  events.max_streams = std::min(events.max_streams, transport.limits.connections / 2);
  Routes* observed = nullptr;  // there before the first request
  transport.observer = [&observed, &log,
                        access_log = options.access_log](const RequestRecord& record) {
    observed->observe(record);
    if (access_log) log->request(record);
  };
  // First the address, then the jobs: nothing has been started yet when it is taken.
  auto bound = HttpServer::bind(std::move(transport));
  if (!bound) return fail(io, renamed(bound.error(), "--listen"));
  const std::unique_ptr<HttpServer> server = std::move(bound).value();
  listen.port = server->port();

  JobManagerOptions settings = std::move(prepared).value();
  const std::filesystem::path state = settings.state_dir;
  settings.storage_changed = [&log](const std::optional<Error>& problem) {
    log->say(problem ? "nothing can be stored, new jobs are refused: " + problem->to_string()
                     : "storing works again");
  };
  auto started = JobManager::start(std::move(settings));
  if (!started) return fail(io, started.error());
  const std::unique_ptr<JobManager> manager = std::move(started).value();
  if (const auto warning = JobStore::exposure(state)) log->say("warning: " + *warning);
  EventHub hub([&](JobId job) { return manager->get(job); }, job_event_json, events);
  auto subscription = manager->subscribe([&hub](const JobEvent& event) { hub.publish(event); });

  Routes routes(*manager, {token, [&server] { return server->stats(); }});
  observed = &routes;
  server->serve([&routes](const HttpRequest& head) { return routes.judge(head); }, &hub);

  const std::string url = url_of(listen);
  log->say("ready: " + url + ", jobs are kept in " + state.string() + ", Ctrl-C ends the server");
  io.out << url << '\n' << std::flush;
  {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any stopped;
    stopped.wait(lock, io.stop, [] { return false; });
  }

  const Watchdog watchdog(kShutdownLimit);
  log->say("ending: finished subtrees of running jobs are kept");
  manager->shutdown();  // not ready from now on; requests are still answered
  server->shutdown(kAnswersInProgress);
  subscription = {};
  log->say("ended");
  return kExitOk;
}

constexpr std::array<Flag<ServeOptions>, 3> kPlace{{
    {"--listen", "ADDRESS",
     "address and port, or port 0 for a free one (default: 127.0.0.1:8080); other machines are let "
     "in only with a token",
     [](ServeOptions& options, const std::string& text) {
       return options.listen = text, accepted();
     }},
    {"--state",
     "DIR",
     "where jobs and results are kept (default: manyply in $XDG_STATE_HOME, else in "
     "~/.local/state)",
     [](ServeOptions& options, const std::string& text) {
       return options.state = text, accepted();
     },
     {ValueKind::kFolder}},
    {"--token-file",
     "FILE",
     "a file with one line: what clients must send as 'Authorization: Bearer LINE'",
     [](ServeOptions& options, const std::string& text) {
       return options.token_file = text, accepted();
     },
     {ValueKind::kFile}},
}};
constexpr std::array<Flag<ServeOptions>, 6> kLimits{{
    {"--hash", "SIZE",
     "memory for tables, of all running jobs together (default: what each can use, at most half of "
     "the free memory)",
     [](ServeOptions& options, const std::string& text) -> std::optional<Error> {
       const auto bytes = parse_table_size(text);
       if (!bytes) return renamed(bytes.error(), "--hash");
       if (*bytes == 0) return bad_input("--hash", "cannot be off; jobs may ask for 'unhashed'");
       options.table_bytes = *bytes;
       return std::nullopt;
     }},
    {"--concurrent", "N", "jobs that run side by side and share the threads (default: 1)",
     [](ServeOptions& options, const std::string& text) {
       return store(parse_number(text, 1, 64), options.concurrent, "--concurrent");
     }},
    {"--max-depth", "D", "refuse deeper jobs (default: 30)",
     [](ServeOptions& options, const std::string& text) {
       return store(Depth::parse(text), options.max_depth, "--max-depth");
     }},
    {"--max-queued", "N", "refuse jobs while so many are waiting (default: 100)",
     [](ServeOptions& options, const std::string& text) {
       return store(parse_amount(text, 0, 1'000'000), options.max_queued, "--max-queued");
     }},
    {"--max-deadline", "SECONDS", "give up jobs that have not ended so long after they were sent",
     [](ServeOptions& options, const std::string& text) -> std::optional<Error> {
       const auto number = parse_amount(text, 1, JobRequest::kMaxDeadline / seconds(1));
       if (!number) return renamed(number.error(), "--max-deadline");
       options.max_deadline = seconds(*number);
       return std::nullopt;
     }},
    {"--keep", "N", "finished jobs to keep (default: 100000)",
     [](ServeOptions& options, const std::string& text) {
       return store(parse_amount(text, 1, 100'000'000), options.keep, "--keep");
     }},
}};
constexpr Flag<ServeOptions> kNoAccessLog{"--no-access-log", nullptr,
                                          "no line on stderr for each request",
                                          [](ServeOptions& options, const std::string&) {
                                            return options.access_log = false, accepted();
                                          }};

}  // namespace

Result<std::filesystem::path> default_state_directory() {
  // Nothing here changes the environment. NOLINTBEGIN(concurrency-mt-unsafe)
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::filesystem::path(state) / "manyply";
  const char* home = std::getenv("HOME");
  // NOLINTEND(concurrency-mt-unsafe)
  if (home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".local" / "state" / "manyply";
  return bad_input("--state", "say where jobs shall be kept; there is no home directory");
}

Result<std::string> read_token_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return bad_file(file, std::generic_category().message(errno));
  struct stat status{};
  if (stat(file.c_str(), &status) != 0)
    return bad_file(file, std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode)) return bad_file(file, "is no regular file");
  if ((status.st_mode & S_IRWXO) != 0)
    return bad_file(file, "other users have access to it; chmod 600 takes that away");
  std::string token(std::istreambuf_iterator<char>(in), {});
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (token.size() < kMinTokenLength) {
    return bad_file(file, "has a secret of less than " + std::to_string(kMinTokenLength) +
                              " characters; 'openssl rand -hex 32' makes a good one");
  }
  if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; }))
    return bad_file(file, "has more than one line, or characters that no header can carry");
  return token;
}

Command serve_command() {
  using namespace flags;
  return make_command<ServeOptions>({.name = "serve",
                                     .summary = "Serve counts over HTTP, and the page",
                                     .about = R"(
Prints the address to open in a browser once it is ready. Jobs and results survive: whatever ends
the server, the next one with the same state directory goes on with them. Ctrl-C and SIGTERM end it
in good order, within 10 s; a second Ctrl-C kills. stderr has a line for each request. Exit code: 0,
2 if it cannot start or store anything.)",
                                     .examples = R"(
perft serve
perft serve --hash 8G --state /var/lib/manyply
openssl rand -hex 32 >token; chmod 600 token
perft serve --listen 0.0.0.0:8080 --token-file token)",
                                     .needs = {.ends_on_sigterm = true, .outlives_readers = true}},
                                    {kPlace, kThreads, kKernel, kLimits, kPlacement, kNoAccessLog},
                                    run_serve);
}

}  // namespace manyply
