#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/report/compare_format.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

struct CompareOptions : Question, Limits, Showing {
  CompareOptions() { mode = CountMode::kHashed; }
};

/// Runs the three counts one after the other, so that they do not slow each other down.
int run_compare(const CompareOptions& options, Io& io) {
  const Result<Question> question = validated(options);
  if (!question) return fail(io, question.error());
  const Result<JobSpec> job = make_job(*question, options);
  if (!job) return fail(io, job.error());
  if (!job->hash)
    return fail(io, {ErrorCode::kInvalidInput, "--hash", 0,
                     "cannot be off, because compare also counts with a table"});
  JobSpec plain_job = *job;
  plain_job.hash.reset();
  JobSpec matrix_job = *job;
  matrix_job.method = Method::kConfigurations;

  const auto run = [&](const JobSpec& spec, const char* label) {
    return run_and_show(spec, options, io, label);
  };
  const Result<Report> hashed = run(*job, "hashed  ");
  if (!hashed) return fail(io, hashed.error());
  const Result<Report> unhashed = run(plain_job, "unhashed  ");
  if (!unhashed) return fail(io, unhashed.error());
  Result<Report> configurations = run(matrix_job, "configurations  ");
  if (!configurations) {
    if (configurations.error().code != ErrorCode::kUnavailable)
      return fail(io, configurations.error());
    io.err << "perft: not compared: " << configurations.error().message << '\n';
    configurations = *hashed;  // then it has no row of its own
  }
  const MethodReports reports{*hashed, *unhashed, *configurations};
  const std::string document = compare_document(reports, question->line, options.depth);
  io.out << (options.format == Format::kJson
                 ? document
                 : named_as(io.program, compare_text(read_json(document))));
  if (!reports.hashed.hash) note_unused_table(options, io);
  return agree(reports) ? kExitOk : kExitMismatch;
}

}  // namespace

Command compare_command() {
  using namespace flags;
  return make_command<CompareOptions>({.name = "compare",
                                       .summary = "Measure the benefit of hashing",
                                       .about = R"(
Counts with a table, without one, and by configurations, which use neither table nor keys. Prints
the speeds, the hit rate, and the speed-up of the first over the second. Exit code: 0, 1 if the
counts differ, 2 on an error, 130 on Ctrl-C.)",
                                       .examples = "perft compare 7"},
                                      {kDepth, kPosition, kCounting, kReportFormat, kProgress},
                                      run_compare);
}

}  // namespace manyply
