#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/question/document.h"
#include "tools/question/hash_format.h"
#include "tools/question/json_text.h"
#include "tools/question/numbers.h"

namespace manyply {
namespace {

struct CompareOptions : Question, Limits, Showing {
  CompareOptions() { mode = CountMode::kHashed; }
};

std::string row(const char* name, const Report& report) {
  const HashStats::PerDepth sum = report.hash ? report.hash->stats.total() : HashStats::PerDepth{};
  const std::string hit_rate = sum.probes == 0
                                   ? "-"
                                   : fmt::format("{:.1f} %", 100 * static_cast<double>(sum.hits) /
                                                                 static_cast<double>(sum.probes));
  return fmt::format("{:<14} {:>24} {:>11.3f} {:>10} {:>10} {:>9}\n", name,
                     report.nodes.to_string(), report.seconds, si(report.leaves_per_second()),
                     si(report.visited_per_second()), hit_rate);
}

nlohmann::ordered_json json_of(const Report& report) {
  nlohmann::ordered_json json{
      {"nodes", report.nodes.to_string()},
      {"known", to_string(report.known)},
      {"seconds", report.seconds},
      {"setup_seconds", report.setup_seconds},
      {"visited", report.visited},
      {"leaves_per_second", report.leaves_per_second()},
      {"visited_per_second", report.visited_per_second()},
  };
  add_hash_json(report, json);
  return json;
}

int run_compare(const CompareOptions& options, Io& io) {
  const Result<Question> question = validated(options);
  if (!question) return fail(io, question.error());
  const Result<JobSpec> job = make_job(*question, options);
  if (!job) return fail(io, job.error());
  if (!job->hash)
    return fail(io, {ErrorCode::kInvalidInput, "--hash", 0, "compare needs a table, too"});
  JobSpec plain_job = *job;
  plain_job.hash.reset();
  JobSpec matrix_job = *job;
  matrix_job.method = Method::kConfigurations;

  const Result<Report> hashed = run_and_show(*job, options, io, "hashed  ");
  if (!hashed) return fail(io, hashed.error());
  const Result<Report> plain = run_and_show(plain_job, options, io, "unhashed  ");
  if (!plain) return fail(io, plain.error());

  const Result<Report> matrix = run_and_show(matrix_job, options, io, "configurations  ");
  if (!matrix) return fail(io, matrix.error());

  const bool agree = hashed->nodes == plain->nodes && matrix->nodes == plain->nodes &&
                     hashed->divide == plain->divide && matrix->divide == plain->divide &&
                     plain->known != KnownVerdict::kMismatch;
  const double speed_up = hashed->seconds > 0 ? plain->seconds / hashed->seconds : 0;
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json;
    json["fen"] = to_fen(question->line.here(), question->line.notation());
    json["depth"] = options.depth.plies();
    json["agrees"] = agree;
    json["speed_up"] = speed_up;
    json["threads"] = hashed->threads;
    json["kernel"] = hashed->kernel;
    json["hashed"] = json_of(*hashed);
    json["unhashed"] = json_of(*plain);
    json["configurations"] = nullptr;
    if (matrix->matrix) json["configurations"] = json_of(*matrix);
    io.out << json_line(json);
  } else {
    io.out << fmt::format("{:<14} {:>24} {:>11} {:>10} {:>10} {:>9}\n", "", "nodes", "seconds",
                          "leaves/s", "visited/s", "hit rate")
           << row("hashed", *hashed) << row("unhashed", *plain);
    if (matrix->matrix) io.out << row("configurations", *matrix);
    if (hashed->hash) {
      io.out << fmt::format(
          "\nspeed-up   {:.2f}, with {} threads, kernel {}\n"
          "hash       {}, set up in {:.3f} s before\n"
          "expected   {:.2g} false matches\n",
          speed_up, hashed->threads, hashed->kernel, format_bytes(hashed->hash->bytes),
          hashed->setup_seconds, hashed->hash->expected_false_matches);
    } else {
      io.out << "\nspeed-up   none: too shallow for a table, so neither count used one\n";
    }
    io.out << "known      " << known_text(plain->known, plain->known_nodes) << '\n'
           << "verdict    " << (agree ? "agree" : "DO NOT AGREE: 'perft verify' finds out why")
           << '\n';
  }
  if (!hashed->hash) note_unused_table(options, io);
  return agree ? kExitOk : kExitMismatch;
}

}  // namespace

Command compare_command() {
  using namespace flags;
  return make_command<CompareOptions>({.name = "compare",
                                       .summary = "Measure what hashing gains",
                                       .about = R"(
Counts with a table, without one, and by configurations, which has neither table nor keys: speeds,
hit rate, and the first one's speed-up against the second. Exit code: 0, 1 if the counts differ,
2 on an error, 130 on Ctrl-C.)",
                                       .examples = "perft compare 7"},
                                      {kDepth, kPosition, kCounting, kReportFormat, kProgress},
                                      run_compare);
}

}  // namespace manyply
