#include <fmt/format.h>

#include <array>

#include "tools/cli/framework/io.h"
#include "tools/client/server_client.h"

namespace manyply {
namespace {

/// Options of `submit` and `batch`.
struct SendingOptions : Showing, ServerOptions {
  std::string mode_name = "count";
  std::optional<std::uint64_t> deadline;  ///< deadline in seconds
  std::string idempotency_key;            ///< empty = random
  bool watch = false;
};

std::optional<Error> contradiction_in(const SendingOptions& options) {
  if (options.progress_given && !options.watch) return bad_input("--progress", "requires --watch");
  return std::nullopt;
}

/// Shows a new job or batch that has not ended, and how to watch it.
int show_unfinished(ServerClient& server, const ToldJob& job, bool as_json) {
  Io& io = server.io();
  if (as_json) {
    io.out << job.json();
  } else {
    io.out << job.unfinished_text() << std::flush;
    io.err << "perft: '" << server.command("watch", job.id()) << "' shows the "
           << (job.is_batch() ? "batch" : "job") << "'s progress\n";
  }
  return kExitOk;
}

struct SubmitOptions : Question, SendingOptions {
  std::string method;  ///< if empty, the server chooses
};

int run_submit(const SubmitOptions& options, Io& io) {
  if (const auto error = contradiction_in(options)) return fail(io, *error);
  return ask_server(options, io, [&](ServerClient& server) {
    const Result<ToldJob> job = server.submit(
        {.path = "/v1/jobs",
         .body = submission(options, options.mode_name, options.method, options.deadline)},
        options.idempotency_key);
    if (!job) return fail(io, job.error());
    const JobShowing showing{options, options.divide};
    if (options.watch) return watch_job(server, *job, showing);
    if (!job->has_ended()) return show_unfinished(server, *job, options.format == Format::kJson);
    const Result<ToldJob> known = server.job(job->id());
    return known ? show_job(server, *known, showing) : fail(io, known.error());
  });
}

/// The help text of --mode: "hashed, … (default: count, by the faster method)".
constexpr auto kModesHelp = [] {
  std::array<char, 256> text{};
  std::size_t length = 0;
  const auto add = [&](std::string_view part) {
    for (const char c : part) text.at(length++) = c;
  };
  for (const std::string_view name : kCountModeNames) {
    if (length > 0) add(", ");
    add(name);
  }
  add(" (default: count, by the faster method)");
  return text;
}();

/// The server's names of the methods. They are sent unchanged.
constexpr std::array kSubmittedMethods{
    Choice<std::string_view>{"auto", "auto"}, Choice<std::string_view>{"hashed", "hashed"},
    Choice<std::string_view>{"configurations", "configurations"}};

constexpr std::array<Flag<SubmitOptions>, 7> kSubmitting{{
    {"--mode",
     "MODE",
     kModesHelp.data(),
     take_text<&SubmitOptions::mode_name>,
     {ValueKind::kWord, kCountModeNames}},
    {"--method", "METHOD",
     "mode count: auto, hashed, or configurations (no table, no keys, no false matches) "
     "(default: auto)",
     take_choice<&SubmitOptions::method, kSubmittedMethods>, names_of<kSubmittedMethods>()},
    {"--samples", "K", "mode estimate: number of random walks, at least 100 (default: 10000)",
     take_amount<&SubmitOptions::samples, 0, INT64_MAX>},
    {"--seed", "S", "mode estimate: the same seed gives the same estimate (default: 1)",
     take_number<&SubmitOptions::seed, 0, UINT64_MAX>},
    {"--deadline", "SECONDS", "the job fails if it has not ended this long after submission",
     take_number<&SubmitOptions::deadline, 1, INT64_MAX>},
    {"--watch", nullptr, "wait for the result, as 'perft watch' does",
     switch_on<&SubmitOptions::watch>},
    {"--idempotency-key", "KEY",
     "key of this request; sending the request again with the same key creates no second job",
     take_text<&SubmitOptions::idempotency_key>},
}};

Command submit_command() {
  using namespace flags;
  return make_command<SubmitOptions>(
      {.name = "submit",
       .summary = "Submit a count to a server",
       .about = R"(
Prints the job's number, or the result if the server already knows it. The count continues after
this command ends, and after a restart of the server. With --watch, or if the result is known, the exit code
is that of 'perft watch'; otherwise it is 0 if the job was accepted, 2 if not.)",
       .examples = R"(
perft submit 9
perft submit 7 --fen kiwipete --mode verify --watch
perft submit 18 --mode estimate --samples 100000 --watch
perft submit 8 --server https://perft.example --token-file token --format json)",
       .needs = {.outlives_readers = true}},
      {kDepth, kPosition, kDivide, kSubmitting, kServerFlags, kFormat, kProgress}, run_submit);
}

/// The server's names of the formats. They are sent unchanged.
constexpr std::array kBatchForms{Choice<std::string_view>{"text", "text"},
                                 Choice<std::string_view>{"json", "json"},
                                 Choice<std::string_view>{"junit", "junit"}};
constexpr std::array kBatchModes{Choice<std::string_view>{"count", "count"},
                                 Choice<std::string_view>{"hashed", "hashed"},
                                 Choice<std::string_view>{"unhashed", "unhashed"}};

/// Options of `batch`. The server parses and validates the suite.
struct BatchOptions : SendingOptions {
  std::string file;
  std::string form = "text";
};

int run_batch(const BatchOptions& options, Io& io) {
  if (const auto error = contradiction_in(options)) return fail(io, *error);
  const Result<std::string> text = read_input(options.file, io);
  if (!text) return fail(io, text.error());
  if (text->empty())
    return fail(io, bad_input(name_of_input(options.file), "contains no positions"));
  return ask_server(options, io, [&](ServerClient& server) {
    std::string path = "/v1/batches?mode=" + options.mode_name;
    if (options.deadline) path += fmt::format("&deadline={}", *options.deadline);
    const Result<ToldJob> batch =
        server.submit({.path = path, .body = *text, .content_type = "application/x-epd"},
                      options.idempotency_key);
    if (!batch) return fail(io, batch.error());
    if (batch->has_ended()) return show_batch(server, *batch, options.form);
    if (!options.watch) return show_unfinished(server, *batch, options.form == "json");
    return watch_job(server, *batch, options.progress,
                     [&](const ToldJob& ended) { return show_batch(server, ended, options.form); });
  });
}

constexpr std::array<Flag<BatchOptions>, 6> kBatchFlags{{
    {"FILE",
     "",
     "a suite file, - for standard input",
     take_text<&BatchOptions::file>,
     {ValueKind::kFile}},
    {"--mode", "MODE", "count, hashed or unhashed (default: count, by the faster method)",
     take_choice<&BatchOptions::mode_name, kBatchModes>, names_of<kBatchModes>()},
    {"--deadline", "SECONDS", "the batch fails if it has not ended this long after submission",
     take_number<&BatchOptions::deadline, 1, INT64_MAX>},
    {"--watch", nullptr, "wait for the result, as 'perft watch' does",
     switch_on<&BatchOptions::watch>},
    {"--idempotency-key", "KEY",
     "key of this suite; sending the suite again with the same key creates no second batch",
     take_text<&BatchOptions::idempotency_key>},
    {"--format", "FORMAT", "text, json or junit, for continuous integration (default: text)",
     take_choice<&BatchOptions::form, kBatchForms>, names_of<kBatchForms>()},
}};

Command batch_command() {
  return make_command<BatchOptions>({.name = "batch",
                                     .summary = "Let a server check every count of a suite",
                                     .about = R"(
Submits a suite as one job, in any form that 'perft suite' accepts, at most 4 MiB. Prints the job's
number, or the result if the server already knows it. 'perft watch', 'status' and 'cancel' accept
the number. Exit code with --watch or for a known result: 0 if all counts match, 1 if any count
differs, otherwise 2 if lines were refused or the job failed, 130 if the job was cancelled or on
Ctrl-C. Ctrl-C ends the watching, but not the batch. Exit code without --watch: 0 if the batch was
accepted, 2 if not.)",
                                     .examples = R"(
perft batch my.epd --watch
perft batch my.epd --watch --format junit > perft.xml)",
                                     .needs = {.outlives_readers = true}},
                                    {kBatchFlags, kServerFlags, flags::kProgress}, run_batch);
}

struct StatusOptions : ServerOptions, JobShowing {
  std::vector<std::string> jobs;  ///< ids; if empty, the newest jobs are listed
};

int show_newest(ServerClient& server, Format format) {
  Io& io = server.io();
  if (format != Format::kText && format != Format::kJson)
    return fail(io, bad_input("--format", "only text and json are supported for a list of jobs"));
  const Result<std::string> page = server.ask({.path = "/v1/jobs?limit=20"});
  if (!page) return fail(io, page.error());
  const std::optional<std::string> list = told_list(*page, format);
  if (!list) return fail(io, server.no_sense());
  io.out << *list;
  return kExitOk;
}

int run_status(const StatusOptions& options, Io& io) {
  if (options.divide && options.jobs.empty())
    return fail(io,
                bad_input("--divide", "a list of jobs has no divides; give the number of one job"));
  return ask_server(options, io, [&](ServerClient& server) {
    if (options.jobs.empty()) return show_newest(server, options.format);
    int exit_code = kExitOk;
    for (const std::string& id : options.jobs) {
      const Result<ToldJob> job = server.job(id);
      const int code = job ? show_job(server, *job, options) : fail(io, job.error());
      if (exit_code == kExitOk) exit_code = code;
    }
    return exit_code;
  });
}

constexpr Flag<StatusOptions> kJobs{"JOBS", nullptr, "numbers of jobs (default: the newest 20)",
                                    [](StatusOptions& options, const std::string& text) {
                                      return take_job(options.jobs.emplace_back(), text);
                                    }};

Command status_command() {
  using namespace flags;
  return make_command<StatusOptions>({.name = "status",
                                      .summary = "Show jobs of a server",
                                      .about = R"(
A finished job is printed as 'perft count', 'verify', 'stats', 'estimate' or 'unique' would print
it. Exit code: 0, 1 if a count is wrong (it differs from the published, expected or second count),
2 if a job failed or does not exist, 130 if it was cancelled.)",
                                      .examples = R"(
perft status
perft status 12 --format csv)"},
                                     {kJobs, kShowDivide, kServerFlags, kFormat}, run_status);
}

struct WatchOptions : ServerOptions, JobName, JobShowing {};

int run_watch(const WatchOptions& options, Io& io) {
  return ask_server(options, io, [&](ServerClient& server) {
    const auto job = server.job(options.job);
    return job ? watch_job(server, *job, options) : fail(io, job.error());
  });
}

Command watch_command() {
  using namespace flags;
  return make_command<WatchOptions>({.name = "watch",
                                     .summary = "Wait for a server's job, and print its result",
                                     .about = R"(
Shows the job's progress until it ends; reconnects after lost connections. Exit code: 0, 1 if a count
is wrong (it differs from the published, expected or second count), 2 if the job failed, 130 if the
job was cancelled or on Ctrl-C. Ctrl-C ends the watching, but not the job.)",
                                     .examples = "perft watch 12"},
                                    {kJob, kShowDivide, kServerFlags, kFormat, kProgress},
                                    run_watch);
}

struct CancelOptions : ServerOptions, JobName, Showing {};

int run_cancel(const CancelOptions& options, Io& io) {
  return ask_server(options, io, [&](ServerClient& server) {
    const auto known = server.job(options.job);
    if (!known) return fail(io, known.error());
    const auto job = server.ask_job({.method = "DELETE", .path = known->place()});
    if (!job) return fail(io, job.error());
    const std::string state = job->state();
    if (options.format == Format::kJson) {
      io.out << job->json();
    } else if (state == "done" || state == "failed") {
      io.out << "job " << options.job << " had already ended: " << state << '\n';
    } else {
      io.out << "job " << options.job << " is cancelled\n";
    }
    return static_cast<int>(kExitOk);
  });
}

Command cancel_command() {
  using namespace flags;
  return make_command<CancelOptions>(
      {.name = "cancel",
       .summary = "Cancel a job of a server",
       .about =
           "A finished job is not changed. Exit code: 0, 2 on an error, such as an unknown job.",
       .examples = "perft cancel 12",
       .needs = {.outlives_readers = true}},
      {kJob, kServerFlags, kReportFormat}, run_cancel);
}

}  // namespace

std::vector<Command> client_commands() {
  return {submit_command(), batch_command(), status_command(), watch_command(), cancel_command()};
}

}  // namespace manyply
