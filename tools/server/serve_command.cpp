#include "tools/server/serve_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include "core/base/stopped_within.h"
#include "parallel/jobs/job.h"
#include "tools/cli/framework/shared_flags.h"
#include "tools/server/access.h"
#include "tools/server/campaign_watch.h"
#include "tools/server/http/event_hub.h"
#include "tools/server/http/http_server.h"
#include "tools/server/job_json.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/jobs/job_store.h"
#include "tools/server/routes.h"

namespace manyply {
namespace {

// Largest number of bytes of a method, path or client that a log line shows.
constexpr std::size_t kMaxShown = 200;

std::string shown(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, kMaxShown)) {
    if (std::isgraph(static_cast<unsigned char>(c)) != 0 && c != '\\') {
      line += c;
    } else {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (text.size() > kMaxShown) line += "...";
  return line.empty() ? "-" : line;
}

}  // namespace

std::string access_line(const RequestRecord& record) {
  const double ms = std::chrono::duration<double, std::milli>(record.taken).count();
  return fmt::format("{} {} {} {} B {:.1f} ms {} {}", shown(record.method), shown(record.path),
                     record.status, record.bytes, ms, shown(record.client), record.id);
}

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Writes lines to standard error. Each line starts with the time in UTC. Thread safety: all
/// functions may be called from any thread. They never block: lines wait in memory for a slow
/// reader of standard error. If kMaxWaitingLines lines wait, a new line replaces the oldest. The
/// destructor blocks until all lines are written.
class ServerLog {
 public:
  ServerLog() {
    logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        "%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc));
  }

  /// Queues one line.
  void say(std::string_view line) {
    logger_->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  }

 private:
  static constexpr std::size_t kMaxWaitingLines = 8192;

  const std::shared_ptr<spdlog::details::thread_pool> writer_ =
      std::make_shared<spdlog::details::thread_pool>(kMaxWaitingLines, 1);
  const std::shared_ptr<spdlog::async_logger> logger_ = std::make_shared<spdlog::async_logger>(
      "server", std::make_shared<spdlog::sinks::stderr_sink_mt>(), writer_,
      spdlog::async_overflow_policy::overrun_oldest);
};

// Number of file descriptors that are reserved for the database, the log and libraries.
constexpr std::size_t kReservedFiles = 64;
constexpr std::uint64_t kMinState = std::uint64_t{1} << 20;
constexpr seconds kAnswersInProgress{2};  // time limit for responses in progress at shutdown
constexpr seconds kShutdownLimit{9};      // after this time, the process exits without saving

/// Raises the limit on open files as far as allowed. Returns the number of connections that the new
/// limit allows.
std::size_t possible_connections() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kReservedFiles;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur > 2 * kReservedFiles ? limit.rlim_cur - kReservedFiles : kReservedFiles;
}

/// The options of `serve`.
struct ServeOptions : CountOptions, DeviceOptions {
  std::string listen = "127.0.0.1:8080";
  std::string token_file;  ///< empty = no access control
  std::string base_path = "/";
  std::optional<unsigned> socket_mode;
  JobManagerOptions jobs;  ///< an empty state_dir means the user's default state directory
  bool access_log = true;
  bool campaigns = false;
  std::string campaigns_database;  ///< libpq connection string; empty = from the environment
  OpenCampaigns open_campaigns;
};

/// Returns the default state directory of this user: $XDG_STATE_HOME/manyply, or
/// $HOME/.local/state/manyply if XDG_STATE_HOME is not an absolute path. Fails if neither
/// XDG_STATE_HOME nor HOME is an absolute path.
Result<std::filesystem::path> default_state_directory() {
  // This process never changes its environment. NOLINTBEGIN(concurrency-mt-unsafe)
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::filesystem::path(state) / "manyply";
  const char* home = std::getenv("HOME");
  // NOLINTEND(concurrency-mt-unsafe)
  if (home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".local" / "state" / "manyply";
  return bad_input("--state",
                   "is required, because neither XDG_STATE_HOME nor HOME is an absolute path");
}

/// Returns the options of the job manager, with the state directory and the options for counting.
Result<JobManagerOptions> manager_options(const ServeOptions& options) {
  JobManagerOptions jobs = options.jobs;
  jobs.counting = options;
  if (!jobs.state_dir.empty()) return jobs;
  auto state = default_state_directory();
  if (!state) return state.error();
  jobs.state_dir = std::move(state).value();
  return jobs;
}

/// Calls a function on a separate thread after SIGHUP. Signals that arrive before the thread reacts
/// cause only one call. Only one object may exist at a time.
class Hangups {
 public:
  explicit Hangups(std::function<void()> act) : act_(std::move(act)) {
    if (pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
    writing_end_ = pipe_[1];
    thread_ = std::jthread([this] { wait(); });
    struct sigaction told{};
    told.sa_handler = [](int) {
      const int before = errno;
      const char signal = 1;
      // If the pipe is full, the thread has not read an earlier wake-up yet, so another wake-up is
      // not needed.
      static_cast<void>(!write(writing_end_, &signal, 1));
      errno = before;
    };
    told.sa_flags = SA_RESTART;
    sigaction(SIGHUP, &told, &before_);
  }
  ~Hangups() {
    if (writing_end_ < 0) return;
    sigaction(SIGHUP, &before_, nullptr);
    const char end = 0;
    while (write(pipe_[1], &end, 1) < 0 && (errno == EAGAIN || errno == EINTR)) {
    }
    thread_ = {};
    for (const int file : pipe_) close(file);
    writing_end_ = -1;
  }
  Hangups(const Hangups&) = delete;
  Hangups& operator=(const Hangups&) = delete;

 private:
  void wait() {
    std::array<char, 64> bytes{};
    for (;;) {
      pollfd readable{pipe_[0], POLLIN, 0};
      poll(&readable, 1, -1);
      const ssize_t count = read(pipe_[0], bytes.data(), bytes.size());
      if (count <= 0) continue;
      if (std::ranges::count(bytes.begin(), bytes.begin() + count, '\0') > 0) return;
      act_();
    }
  }

  inline static volatile std::sig_atomic_t writing_end_ = -1;
  const std::function<void()> act_;
  std::array<int, 2> pipe_{};
  struct sigaction before_{};
  std::jthread thread_;
};

std::string forgotten_line(const Forgotten& forgotten) {
  constexpr const char* kShort = "--max-state is exceeded, and no finished job is left to delete";
  if (forgotten.jobs == 0) return kShort;
  std::string line = fmt::format(
      "finished jobs deleted to make room, with their results: {}; the newest was job {}",
      forgotten.jobs, forgotten.newest.value);
  if (forgotten.short_of_room) line += std::string("; ") + kShort;
  return line;
}

/// Replaces the access list by the contents of `file`; keeps the old one if the file is invalid.
void read_again(const std::filesystem::path& file, Clients& clients, ServerLog& log) {
  auto list = AccessList::read(file);
  if (!list) {
    return log.say("SIGHUP: the tokens are unchanged: " + list.error().message);
  }
  const std::size_t size = list->size();
  clients.replace(std::move(list).value());
  log.say("SIGHUP: " + std::to_string(size) + " tokens read from " + file.string());
}

/// Returns the reader for --campaigns; null if the option is absent.
Result<std::unique_ptr<CampaignReader>> campaign_reader(const ServeOptions& options) {
  if (!options.campaigns) return std::unique_ptr<CampaignReader>();
  auto reader = options.open_campaigns(options.campaigns_database);
  if (!reader) return renamed(reader.error(), "--campaigns-database");
  return reader;
}

int run_serve(const ServeOptions& options, Io& io) {
  if (options.lists_devices) return print_devices(io);
  const auto parsed = parse_listen_address(options.listen);
  if (!parsed) return fail(io, renamed(parsed.error(), "--listen"));
  ListenAddress listen = *parsed;
  if (options.socket_mode && listen.socket.empty())
    return fail(io, bad_input("--socket-mode", "requires --listen unix:PATH"));
  std::shared_ptr<Clients> clients;
  if (!options.token_file.empty()) {
    auto list = AccessList::read(options.token_file);
    if (!list) return fail(io, renamed(list.error(), "--token-file"));
    clients = std::make_shared<Clients>(std::move(list).value());
  } else if (!listen.loopback) {
    return fail(
        io, bad_input(
                "--listen",
                listen.address + " is reachable from other machines, which requires --token-file"));
  }
  auto campaigns = campaign_reader(options);
  if (!campaigns) return fail(io, campaigns.error());
  auto prepared = manager_options(options);
  if (!prepared) return fail(io, prepared.error());
  const Result<std::unique_ptr<LastPliesDevice>> device = opened_device(options);
  if (!device) return fail(io, device.error());

  const auto log = std::make_unique<ServerLog>();
  HttpServerOptions transport;
  transport.listen = listen;
  transport.socket_mode = options.socket_mode.value_or(transport.socket_mode);
  transport.limits.connections = std::min(transport.limits.connections, possible_connections());
  // Leave enough connections without a waiting request, so that the server can close some to make
  // room for new ones.
  transport.limits.waiting_requests =
      std::min(transport.limits.waiting_requests, transport.limits.connections / 4);
  const std::size_t body_bytes = transport.limits.request.body_bytes;
  EventHubOptions events;
  events.max_streams = std::min(events.max_streams, transport.limits.connections / 2);
  Routes* observed = nullptr;  // set before the first request arrives
  transport.observer = [&observed, &log,
                        access_log = options.access_log](const RequestRecord& record) {
    observed->observe(record);
    if (access_log) log->say(access_line(record));
  };
  // Bind the address before starting jobs, so nothing needs to be undone if the address is taken.
  auto bound = HttpServer::bind(std::move(transport));
  if (!bound) return fail(io, renamed(bound.error(), "--listen"));
  const std::unique_ptr<HttpServer> server = std::move(bound).value();
  listen.port = server->port();

  JobManagerOptions settings = std::move(prepared).value();
  const std::filesystem::path state = settings.state_dir;
  settings.device = device->get();
  if (clients) {
    settings.quota_of = [clients](const std::string& name) {
      return clients->now()->quota_of(name);
    };
  }
  settings.jobs_forgotten = [&log](const Forgotten& forgotten) {
    log->say(forgotten_line(forgotten));
  };
  settings.storage_changed = [&log](const std::optional<Error>& problem) {
    log->say(problem ? "storing fails, so new jobs are refused: " + problem->to_string()
                     : "storing works again");
  };
  auto started = JobManager::start(std::move(settings));
  if (!started) return fail(io, started.error());
  const std::unique_ptr<JobManager> manager = std::move(started).value();
  if (const auto warning = StateDirectory::exposure(state)) log->say("warning: " + *warning);
  EventHub hub([&](TopicId id) { return present_event(*manager, id); }, events);
  auto subscription = manager->subscribe(
      [&hub](const JobEvent& event) { hub.publish(event.job.id.value, topic_event(event)); });

  std::optional<Hangups> hangups;
  if (clients) hangups.emplace([&] { read_again(options.token_file, *clients, *log); });
  std::unique_ptr<CampaignWatch> watch;
  if (*campaigns) {
    watch = std::make_unique<CampaignWatch>(
        std::move(campaigns).value(), [&log](const std::optional<Error>& problem) {
          log->say(problem ? "campaigns cannot be read: " + problem->to_string()
                           : "campaigns can be read again");
        });
  }
  Routes routes(*manager, {.clients = clients,
                           .campaigns = watch.get(),
                           .transport = [&server] { return server->stats(); },
                           .base_path = options.base_path,
                           .body_bytes = body_bytes});
  observed = &routes;
  server->serve([&routes](const HttpRequest& head) { return routes.judge(head); }, &hub);

  if (*device) log->say("large counts use the device " + (*device)->use().name);
  const std::string url = url_of(listen, options.base_path);
  log->say("ready: " + url + ", jobs are kept in " + state.string() + ", Ctrl-C stops the server");
  io.out << url << '\n' << std::flush;
  while (!stopped_within(std::chrono::hours(1), io.stop)) {
  }

  // The disk or the reader of stderr may hang, so a watchdog ends the process.
  const std::jthread watchdog([](const std::stop_token& ended) {
    if (!stopped_within(kShutdownLimit, ended)) _exit(kExitError);
  });
  log->say("shutting down: finished subtrees of running jobs are stored");
  manager->shutdown();  // /readyz fails from here on; requests are still answered
  server->shutdown(kAnswersInProgress);
  subscription.reset();
  log->say("ended");
  return kExitOk;
}

std::optional<Error> store_seconds(const std::string& text, std::optional<seconds>& target,
                                   const char* flag) {
  const auto number = parse_amount(text, 1, JobRequest::kMaxDeadline / seconds(1));
  if (!number) return renamed(number.error(), flag);
  target = seconds(*number);
  return std::nullopt;
}

constexpr std::array<Flag<ServeOptions>, 5> kPlace{{
    {"--listen", "ADDRESS",
     "address and port (default: 127.0.0.1:8080), or unix:PATH for a Unix domain socket; port 0 "
     "means any free port; an address that is reachable from other machines requires --token-file",
     [](ServeOptions& options, const std::string& text) {
       return options.listen = text, accepted();
     }},
    {"--socket-mode", "MODE", "mode of the socket at unix:PATH, in octal (default: 600)",
     [](ServeOptions& options, const std::string& text) -> std::optional<Error> {
       unsigned mode = 0;
       const char* const end = text.data() + text.size();
       const auto [read, problem] = std::from_chars(text.data(), end, mode, 8);
       if (problem != std::errc{} || read != end || mode > 0777)
         return bad_input("--socket-mode", "must be an octal number from 0 to 777");
       options.socket_mode = mode;
       return std::nullopt;
     }},
    {"--base-path", "PATH", "prefix of all paths, behind a proxy (default: /)",
     [](ServeOptions& options, const std::string& text) -> std::optional<Error> {
       constexpr std::string_view kPlain =
           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/";
       if (!text.starts_with('/') || text.find("//") != std::string::npos ||
           text.find_first_not_of(kPlain) != std::string::npos)
         return bad_input("--base-path",
                          "must be a path such as /perft/: letters, digits, '-', '_' and '/'");
       options.base_path = text.ends_with('/') ? text : text + '/';
       return std::nullopt;
     }},
    {"--state",
     "DIR",
     "directory for jobs and results (default: manyply in $XDG_STATE_HOME, else in ~/.local/state)",
     [](ServeOptions& options, const std::string& text) {
       return options.jobs.state_dir = text, accepted();
     },
     {ValueKind::kFolder}},
    {"--token-file",
     "FILE",
     "file with the clients, one per line: 'NAME ROLE TOKEN [queued=N] [running=SECONDS] "
     "[stored=SIZE]', with the role read, submit or admin; or only the token of one "
     "administrator",
     [](ServeOptions& options, const std::string& text) {
       return options.token_file = text, accepted();
     },
     {ValueKind::kFile}},
}};
constexpr std::array<Flag<ServeOptions>, 2> kCampaigns{{
    {"--campaigns", nullptr,
     "show the campaigns of a database, read-only; the environment specifies the database "
     "(PGSERVICE, PGHOST and so on)",
     [](ServeOptions& options, const std::string&) {
       return options.campaigns = true, accepted();
     }},
    {"--campaigns-database", "CONNINFO",
     "show campaigns of this database: libpq's connection string or URI, without a password",
     [](ServeOptions& options, const std::string& text) {
       options.campaigns = true;
       return options.campaigns_database = text, accepted();
     }},
}};
constexpr std::array<Flag<ServeOptions>, 10> kLimits{{
    {"--hash", "SIZE",
     "memory for the tables of all running jobs (default: as much as they can use, but at most "
     "half of the free memory)",
     [](ServeOptions& options, const std::string& text) -> std::optional<Error> {
       const auto bytes = parse_table_size(text);
       if (!bytes) return renamed(bytes.error(), "--hash");
       if (*bytes == 0)
         return bad_input("--hash", "cannot be off; jobs of mode 'unhashed' use no table");
       options.table_bytes = *bytes;
       return std::nullopt;
     }},
    {"--concurrent", "N", "number of jobs that run at a time and share the threads (default: 1)",
     [](ServeOptions& options, const std::string& text) {
       return store(parse_number(text, 1, 64), options.jobs.concurrent, "--concurrent");
     }},
    {"--short-limit", "SECONDS",
     "jobs that need at most this processor time run at the same time as a long job; 0 = all jobs "
     "wait for long ones (default: 2)",
     [](ServeOptions& options, const std::string& text) -> std::optional<Error> {
       const auto number = parse_amount(text, 0, 3600);
       if (!number) return renamed(number.error(), "--short-limit");
       options.jobs.short_lane.limit = seconds(*number);
       return std::nullopt;
     }},
    {"--short-share", "PERCENT",
     "limit on the processor time of the jobs below --short-limit, in percent of the time of all "
     "cores in any minute (default: 5)",
     [](ServeOptions& options, const std::string& text) -> std::optional<Error> {
       const auto number = parse_number(text, 1, 100);
       if (!number) return renamed(number.error(), "--short-share");
       options.jobs.short_lane.share = static_cast<double>(*number) / 100;
       return std::nullopt;
     }},
    {"--max-depth", "D", "refuse deeper jobs (default: 30)",
     [](ServeOptions& options, const std::string& text) {
       return store(Depth::parse(text), options.jobs.limits.max_depth, "--max-depth");
     }},
    {"--max-queued", "N", "refuse further jobs while N jobs are waiting (default: 100)",
     [](ServeOptions& options, const std::string& text) {
       return store(parse_amount(text, 0, 1'000'000), options.jobs.limits.max_queued,
                    "--max-queued");
     }},
    {"--max-deadline", "SECONDS",
     "a job fails if it has not ended this long after submission; clients may only set a shorter "
     "deadline (default: no limit)",
     [](ServeOptions& options, const std::string& text) {
       return store_seconds(text, options.jobs.limits.max_deadline, "--max-deadline");
     }},
    {"--default-deadline", "SECONDS",
     "deadline of jobs that set none, except jobs of administrators with a token (default: the "
     "value of --max-deadline)",
     [](ServeOptions& options, const std::string& text) {
       return store_seconds(text, options.jobs.limits.default_deadline, "--default-deadline");
     }},
    {"--keep", "N", "number of finished jobs to keep (default: 100000)",
     [](ServeOptions& options, const std::string& text) {
       return store(parse_amount(text, 1, 100'000'000), options.jobs.keep_finished, "--keep");
     }},
    {"--max-state", "SIZE",
     "limit for the database and its log, at least 1M; the oldest finished jobs are deleted with "
     "their results (default: no limit)",
     [](ServeOptions& options, const std::string& text) -> std::optional<Error> {
       const auto bytes = parse_table_size(text);
       if (!bytes) return renamed(bytes.error(), "--max-state");
       if (*bytes < kMinState) return bad_input("--max-state", "must be at least 1M");
       options.jobs.max_state_bytes = *bytes;
       return std::nullopt;
     }},
}};
constexpr Flag<ServeOptions> kNoAccessLog{"--no-access-log", nullptr,
                                          "do not log each request to stderr",
                                          [](ServeOptions& options, const std::string&) {
                                            return options.access_log = false, accepted();
                                          }};

}  // namespace

Command serve_command(OpenCampaigns campaigns) {
  using namespace flags;
  ServeOptions start;
  start.open_campaigns = std::move(campaigns);
  return make_command<ServeOptions>(
      {.name = "serve",
       .summary = "Serve counts and a web page over HTTP",
       .about = R"(
When the server is ready, prints the address to open in a browser. Jobs and results are kept after
the server ends. The next server with the same state directory continues unfinished jobs. Ctrl-C or
SIGTERM stores finished subtrees and ends the server within 10 s. A second Ctrl-C kills it. After
SIGHUP, the server reads the token file again. Clients send 'Authorization: Bearer TOKEN'. Instead
of a token, the file may contain sha256: and the token's digest. stderr has one line per request.
Exit code: 0, 2 if the server cannot start, or cannot end within 10 s.)",
       .examples = R"(
perft serve
perft serve --hash 8G --state /var/lib/manyply
openssl rand -hex 32 >token; chmod 600 token
perft serve --listen 0.0.0.0:8080 --token-file token)",
       .needs = {.ends_on_sigterm = true, .outlives_readers = true}},
      {kPlace, kCampaigns, kThreads, kKernel, kDevice, kLimits, kPlacement, kNoAccessLog},
      run_serve, std::move(start));
}

}  // namespace manyply
