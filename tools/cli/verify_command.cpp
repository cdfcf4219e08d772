#include <array>
#include <memory>

#include "parallel/verify.h"
#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/question/verify_format.h"

namespace manyply {
namespace {

struct VerifyCommandOptions : Question, Means, Showing {
  VerifyCommandOptions() { mode = CountMode::kVerify; }
  VerifyOptions verify;
  std::optional<std::uint64_t> sample_seed;
};

/// One progress line after the other, named by phase.
class PhaseDisplay {
 public:
  PhaseDisplay(ProgressMode mode, Io& io) : mode_(mode), io_(io) {}

  Progress* start(std::string_view phase) {
    display_.reset();
    progress_ = std::make_unique<Progress>();
    display_.emplace(*progress_, mode_, io_, std::string(phase) + "  ");
    return progress_.get();
  }

 private:
  ProgressMode mode_;
  Io& io_;
  std::unique_ptr<Progress> progress_;
  std::optional<ProgressDisplay> display_;  // reads progress_
};

int run_verify(const VerifyCommandOptions& options, Io& io) {
  const Result<Question> question = judged(options);
  if (!question) return fail(io, question.error());
  const Result<JobSpec> job = make_job(*question, options);
  if (!job) return fail(io, job.error());
  if (!job->hash) return fail(io, bad_input("--hash", "verify is about the table"));
  if (options.sample_seed && !options.verify.sample)
    return fail(io, bad_input("--sample-seed", "without --sample nothing is chosen"));
  VerifyOptions how = options.verify;
  how.sample_seed = options.sample_seed.value_or(how.sample_seed);

  std::optional<PhaseDisplay> display(std::in_place, options.progress, io);
  const Result<VerifyReport> report =
      verify_job(*job, how, io.stop, [&](std::string_view phase) { return display->start(phase); });
  display.reset();
  if (!report) return fail(io, report.error());

  io.out << format_verify_report(*report, question->line, question->depth, options.format);
  if (!report->runs.front().report.hash) note_unused_table(options, io);
  return report->agrees() ? kExitOk : kExitMismatch;
}

constexpr std::array<Flag<VerifyCommandOptions>, 4> kVerifying{{
    {"--sample", "K", "recount only K randomly chosen subtrees (default: all)",
     [](VerifyCommandOptions& options, const std::string& text) {
       return store(parse_amount(text, 1, UINT64_MAX), options.verify.sample, "--sample");
     }},
    {"--sample-seed", "N", "seed of that choice; of one seed, more include fewer (default: 1)",
     [](VerifyCommandOptions& options, const std::string& text) {
       return store(parse_number(text, 0, UINT64_MAX), options.sample_seed, "--sample-seed");
     }},
    {"--reseed", nullptr, "count a second time with other keys (needs memory for two tables)",
     [](VerifyCommandOptions& options, const std::string&) {
       return options.verify.reseed = true, accepted();
     }},
    {"--key-checks", "N",
     "incremental keys to compare with keys from scratch, in subtrees chosen at random (default: "
     "20000000)",
     [](VerifyCommandOptions& options, const std::string& text) {
       return store(parse_amount(text, 0, UINT64_MAX), options.verify.key_checks, "--key-checks");
     }},
}};

}  // namespace

Command verify_command() {
  using namespace flags;
  return make_command<VerifyCommandOptions>(
      {.name = "verify",
       .summary = "Count hashed and unhashed, and explain any difference",
       .about = R"(
Counts with a table, then every subtree again without one, and compares them all; compares
incremental keys with keys from scratch. The third opinion is a count by configurations, which has
neither keys nor subtrees. A difference is traced to its cause: a wrong incremental key, two
positions with one key, a corrupted table entry, kernels that disagree, or a position that is
counted wrongly by configurations. A sample grows until it meets a difference, if the total is known
to be wrong or the third opinion is another one. Exit code: 0 if all agree, 1 if not,
2 on an error, 130 on Ctrl-C.)",
       .examples = R"(
perft verify 7
perft verify 9 --sample 1000 --reseed
perft verify 6 --key-bits 24    # weak keys: watch it fail)"},
      {kDepth, kPosition, kVerifying, kCounting, kReportFormat, kProgress}, run_verify);
}

}  // namespace manyply
