#include "tools/cli/job_runner.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tools/cli/framework/io.h"
#include "tools/report/count_options.h"
#include "tools/report/spec.h"

namespace manyply {

namespace {

/// Returns `error`. If its field is an option of the spec, replaces the option by its flag.
Error as_flag(Error error) {
  constexpr std::array<std::string_view, 4> kFlags{"hash", "key-seed", "key-bits", "interleave"};
  const bool refused = error.code == ErrorCode::kInvalidInput;
  if (refused && std::ranges::find(kFlags, error.field) != kFlags.end())
    error.field = "--" + error.field;
  return error;
}

}  // namespace

Result<JobSpec> make_job(const Question& question, const CountOptions& count_options) {
  Result<JobSpec> job = job_spec(question, count_options);
  return job ? job : as_flag(job.error());
}

OneByOne::OneByOne(const CountOptions& count_options) : count_options_(count_options) {
  // Ask the system only once: reading a cgroup's quota takes longer than a small count.
  if (count_options_.threads == 0) count_options_.threads = available_threads();
}

Result<Report> OneByOne::count(const Question& question, const std::stop_token& stop) {
  Result<JobSpec> made = make_job(question, count_options_);
  if (!made) return made.error();
  JobSpec job = std::move(made).value();
  job.one_of_many = true;
  if (job.hash) job.keeper = &tables_;
  return run_job(job, stop);
}

void note_unused_table(const CountOptions& count_options, Io& io) {
  const char* const option = count_options.table_bytes.value_or(0) > 0 ? "--hash"
                             : count_options.key_seed                  ? "--key-seed"
                             : count_options.key_bits                  ? "--key-bits"
                             : count_options.interleave_tables         ? "--interleave"
                                                                       : nullptr;
  if (option != nullptr)
    io.err << "perft: " << option << " has no effect: at this depth, no table is used\n";
}

constexpr Flag<Keeping> kCheckpoint{
    "--checkpoint",
    "FILE",
    "store finished subtrees in this file; if the command is killed, running it again continues "
    "from there",
    [](Keeping& keeping, const std::string& text) { return keeping.checkpoint = text, accepted(); },
    {ValueKind::kFile}};

JobCheckpoint::JobCheckpoint(const Keeping& keeping, Io& io) : path_(keeping.checkpoint), io_(io) {
  if (!path_.empty()) file_.emplace(path_);
}

JobCheckpoint::~JobCheckpoint() {
  if (!file_) return;
  if (file_->dropped_bytes() > 0) {
    io_.err << "perft: checkpoint: " << printable(path_) << ": the last " << file_->dropped_bytes()
            << " bytes are damaged; the results stored there are counted again\n";
  }
  if (stopped_) {
    io_.err << "perft: checkpoint: " << printable(path_)
            << ": the finished part is stored; run the same command again to continue\n";
  }
}

UnitStore* JobCheckpoint::store() { return file_ ? &*file_ : nullptr; }

void JobCheckpoint::note(const Error& error) {
  stopped_ = file_ && file_->opened() &&
             (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kUnavailable);
}

Progress* PhaseDisplay::start(std::string_view phase) {
  display_.reset();
  progress_ = std::make_unique<Progress>();
  display_.emplace(*progress_, mode_, io_,
                   label_ + (phase.empty() ? "" : std::string(phase) + "  "));
  return progress_.get();
}

Result<Answer> answer_and_show(const Question& question, Resources resources,
                               const Showing& showing, Io& io, const std::string& label,
                               const Keeping& keeping) {
  JobCheckpoint checkpoint(keeping, io);
  PhaseDisplay display(showing.progress, io, label);
  resources.stop = io.stop;
  resources.store = checkpoint.store();
  resources.on_phase = [&display](std::string_view phase) { return display.start(phase); };
  if (const auto on_ply = resources.found.on_ply) {
    resources.found.on_ply = [&display, on_ply](const UniquePly& ply) {
      display.end();
      return on_ply(ply);
    };
  }
  std::string note;
  Result<Answer> found =
      with_smaller_tables(resources.count_options, note, [&](const CountOptions& count_options) {
        resources.count_options = count_options;
        return answer(question, resources);
      });
  if (found) {
    display.end();
    if (!note.empty()) io.err << "perft: " << note << '\n';
    if (const char* const advice = advice_on_pages(); advice != nullptr && io.terminal_columns > 0)
      io.err << "perft: " << advice << '\n';
    return found;
  }
  checkpoint.note(found.error());
  return as_flag(found.error());
}

int exit_code_of(const Question& question, const Answer& answer, Io& io) {
  if (!is_wrong(answer.verdict)) return kExitOk;
  const auto published = known_value(question.line.here(), question.depth);
  // Print the difference here, because not every format shows it.
  if (published && answer.nodes && published != answer.nodes) {
    io.err << "perft: depth " << question.depth.plies() << ": counted " << answer.nodes->to_string()
           << ", but " << published->to_string() << " is published for this position\n";
  }
  return kExitMismatch;
}

int print_answer(const Question& question, const Answer& answer, const Showing& showing, Io& io) {
  const Result<std::string> text = written(question.mode, showing.format, answer.document,
                                           {.divide = question.divide, .line = &question.line});
  if (!text) return fail(io, text.error());
  io.out << *text << std::flush;
  return exit_code_of(question, answer, io);
}

int answer_and_print(const Question& asked, const Resources& resources, const Showing& showing,
                     Io& io, const Keeping& keeping) {
  const Result<Question> question = validated(asked);
  if (!question) return fail(io, question.error());
  const Result<Answer> found = answer_and_show(*question, resources, showing, io, {}, keeping);
  if (!found) return fail(io, found.error());
  const int code = print_answer(*question, *found, showing, io);
  if (!found->hashed) note_unused_table(resources.count_options, io);
  return code;
}

Result<Report> run_and_show(JobSpec job, const Showing& showing, Io& io, std::string label,
                            const Keeping& keeping) {
  Progress progress;
  JobCheckpoint checkpoint(keeping, io);
  const ProgressDisplay display(progress, showing.progress, io, std::move(label));
  job.store = checkpoint.store();
  Result<Report> report = run_job(job, io.stop, &progress);
  if (!report) checkpoint.note(report.error());
  return report;
}

std::optional<Error> count_many_and_show(std::span<const JobSpec> jobs, const Showing& showing,
                                         Io& io, const OnManyCounted& on_counted) {
  Progress progress;
  const ProgressDisplay display(progress, showing.progress, io, {});
  return count_many(jobs, io.stop, &progress, on_counted);
}

}  // namespace manyply
