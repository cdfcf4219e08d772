#include <fmt/format.h>

#include <array>

#include "tools/cli/framework/input_file.h"
#include "tools/client/client_commands.h"
#include "tools/client/watching.h"

namespace manyply {
namespace {

/// The server's names of the formats; they are sent unchanged.
constexpr std::array kBatchForms{Choice<std::string_view>{"text", "text"},
                                 Choice<std::string_view>{"json", "json"},
                                 Choice<std::string_view>{"junit", "junit"}};
constexpr std::array kBatchModes{Choice<std::string_view>{"count", "count"},
                                 Choice<std::string_view>{"hashed", "hashed"},
                                 Choice<std::string_view>{"unhashed", "unhashed"}};

/// Options of `batch`. The server parses and validates the suite.
struct BatchOptions : Showing, ServerOptions {
  std::string file;
  std::string mode_name = "count";
  std::optional<std::uint64_t> deadline;  ///< in seconds
  std::string idempotency_key;            ///< empty = random
  bool watch = false;
  std::string form = "text";
};

int show_unfinished(ServerClient& server, const ToldJob& batch, const BatchOptions& options) {
  Io& io = server.io();
  if (options.form == "json") {
    io.out << batch.json();
  } else {
    io.out << batch.unfinished_text() << std::flush;
    io.err << "perft: '" << server.command("watch", batch.id()) << "' shows its progress\n";
  }
  return kExitOk;
}

int run_batch(const BatchOptions& options, Io& io) {
  if (options.progress_given && !options.watch)
    return fail(io, bad_input("--progress", "requires --watch"));
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
    if (!options.watch) return show_unfinished(server, *batch, options);
    return watch_job(server, *batch, options.progress,
                     [&](const ToldJob& ended) { return show_batch(server, ended, options.form); });
  });
}

constexpr std::array<Flag<BatchOptions>, 6> kBatchFlags{{
    {"FILE",
     "",
     "a suite file, - for standard input",
     [](BatchOptions& options, const std::string& text) { return options.file = text, accepted(); },
     {ValueKind::kFile}},
    {"--mode", "MODE", "count, hashed or unhashed (default: count, by whichever method is faster)",
     [](BatchOptions& options, const std::string& text) {
       return store(choose(kBatchModes, text), options.mode_name, "--mode");
     },
     names_of<kBatchModes>()},
    {"--deadline", "SECONDS", "fail the batch if it has not ended by then",
     [](BatchOptions& options, const std::string& text) {
       return store(parse_number(text, 1, INT64_MAX), options.deadline, "--deadline");
     }},
    {"--watch", nullptr, "wait for the result, as 'perft watch' does",
     [](BatchOptions& options, const std::string&) { return options.watch = true, accepted(); }},
    {"--idempotency-key", "KEY", "sending the suite again with the same key makes no second batch",
     [](BatchOptions& options, const std::string& text) {
       return options.idempotency_key = text, accepted();
     }},
    {"--format", "FORMAT", "text, json or junit, for continuous integration (default: text)",
     [](BatchOptions& options, const std::string& text) {
       return store(choose(kBatchForms, text), options.form, "--format");
     },
     names_of<kBatchForms>()},
}};

}  // namespace

Command batch_command() {
  return make_command<BatchOptions>({.name = "batch",
                                     .summary = "Let a server check every count of a suite",
                                     .about = R"(
Submits a suite as one job, in any form that 'perft suite' accepts, at most 4 MiB. Prints the job's
number, or the result if the server already knows it. 'perft watch', 'status' and 'cancel' accept
the number. Exit code with --watch or for a known result: 0 if all counts match, 1 if any differs,
otherwise 2 if lines were refused or the job failed, 130 if it was cancelled or on Ctrl-C, which
ends the watching but not the batch. Without --watch: 0 if accepted, 2 if not.)",
                                     .examples = R"(
perft batch my.epd --watch
perft batch my.epd --watch --format junit > perft.xml)",
                                     .needs = {.outlives_readers = true}},
                                    {kBatchFlags, kServerFlags, flags::kProgress}, run_batch);
}

}  // namespace manyply
