#include "tools/client/client_commands.h"
#include "tools/client/watching.h"

namespace manyply {
namespace {

struct SubmitOptions : Question, Showing, ServerOptions {
  std::string mode_name = "count";
  std::optional<std::uint64_t> deadline;  ///< in seconds
  std::string idempotency_key;            ///< empty = random
  bool watch = false;
};

int run_submit(const SubmitOptions& options, Io& io) {
  if (options.progress_given && !options.watch)
    return fail(io, bad_input("--progress", "requires --watch"));
  return ask_server(options, io, [&](ServerClient& server) {
    const Result<ToldJob> job = server.submit(
        {.path = "/v1/jobs", .body = submission(options, options.mode_name, options.deadline)},
        options.idempotency_key);
    if (!job) return fail(io, job.error());
    const JobShowing showing{options, options.divide};
    const std::string id = job->id();
    if (options.watch) return watch_job(server, *job, showing);
    if (!job->has_ended()) {
      if (options.format == Format::kJson) return show_job(server, *job, showing);
      io.out << job->unfinished_text() << std::flush;
      io.err << "perft: '" << server.command("watch", id) << "' shows its progress\n";
      return static_cast<int>(kExitOk);
    }
    const Result<ToldJob> known = server.job(id);
    return known ? show_job(server, *known, showing) : fail(io, known.error());
  });
}

/// Builds "hashed, … (default: count, by whichever method is faster)".
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
  add(" (default: count, by whichever method is faster)");
  return text;
}();

constexpr std::array<Flag<SubmitOptions>, 6> kSubmitting{{
    {"--mode",
     "MODE",
     kModesHelp.data(),
     [](SubmitOptions& options, const std::string& text) {
       return options.mode_name = text, accepted();
     },
     {ValueKind::kWord, kCountModeNames}},
    {"--samples", "K", "mode estimate: number of random walks, at least 100 (default: 10000)",
     [](SubmitOptions& options, const std::string& text) {
       return store(parse_amount(text, 0, INT64_MAX), options.samples, "--samples");
     }},
    {"--seed", "S", "mode estimate: the same seed gives the same estimate (default: 1)",
     [](SubmitOptions& options, const std::string& text) {
       return store(parse_number(text, 0, UINT64_MAX), options.seed, "--seed");
     }},
    {"--deadline", "SECONDS", "fail the job if it has not ended by then",
     [](SubmitOptions& options, const std::string& text) {
       return store(parse_number(text, 1, INT64_MAX), options.deadline, "--deadline");
     }},
    {"--watch", nullptr, "wait for the result, as 'perft watch' does",
     [](SubmitOptions& options, const std::string&) { return options.watch = true, accepted(); }},
    {"--idempotency-key", "KEY", "sending the request again with the same key makes no second job",
     [](SubmitOptions& options, const std::string& text) {
       return options.idempotency_key = text, accepted();
     }},
}};

}  // namespace

Command submit_command() {
  using namespace flags;
  return make_command<SubmitOptions>(
      {.name = "submit",
       .summary = "Submit a count to a server",
       .about = R"(
Prints the job's number, or the result if the server already knows it. The count continues after
this command ends, and after a restart of the server. Exit code: with --watch or for a known result
as 'perft watch', otherwise 0 if accepted, 2 if not.)",
       .examples = R"(
perft submit 9
perft submit 7 --fen kiwipete --mode verify --watch
perft submit 18 --mode estimate --samples 100000 --watch
perft submit 8 --server https://perft.example --token-file token --format json)",
       .needs = {.outlives_readers = true}},
      {kDepth, kPosition, kDivide, kSubmitting, kServerFlags, kFormat, kProgress}, run_submit);
}

}  // namespace manyply
