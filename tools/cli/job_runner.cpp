#include "tools/cli/job_runner.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "parallel/units/checkpoint_file.h"
#include "tools/cli/framework/io.h"

namespace manyply {
namespace {

/// Returns `error`. If the field of the error is an option of the spec, such as "hash", replaces
/// the field by the name of the flag, "--hash".
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

Result<std::vector<DivideEntry>> OneByOne::divide(const Line& line, Depth depth,
                                                  const std::stop_token& stop) {
  Result<Report> report = count(question_of(line.named(), depth), stop);
  if (!report) return report.error();
  return std::move(report).value().divide;
}

void note_unused_table(const CountOptions& count_options, Io& io) {
  const char* const option =
      count_options.table_bytes.value_or(0) > 0 ? "hash" : table_option_in(count_options);
  if (option != nullptr)
    io.err << "perft: --" << option << " has no effect: at this depth, no table is used\n";
}

constexpr Flag<Keeping> kCheckpoint{
    "--checkpoint",
    "FILE",
    "store finished work in this file; if the command is killed, running it again continues from "
    "there",
    take_text<&Keeping::checkpoint>,
    {ValueKind::kFile}};

namespace {

/// The file of --checkpoint, if the user gave one. The destructor prints a message on io.err if
/// bytes of the file were damaged, and another one if a stopped count can be resumed.
class JobCheckpoint {
 public:
  /// `io` must outlive this object.
  JobCheckpoint(const Keeping& keeping, Io& io) : path_(keeping.checkpoint), io_(io) {
    if (!path_.empty()) file_.emplace(path_);
  }
  ~JobCheckpoint() {
    if (!file_) return;
    if (file_->dropped_bytes() > 0) {
      io_.err << "perft: checkpoint: " << printable(path_) << ": the last "
              << file_->dropped_bytes()
              << " bytes are damaged; the results stored there are counted again\n";
    }
    if (stopped_) {
      io_.err << "perft: checkpoint: " << printable(path_)
              << ": the finished part is stored; run the same command again to continue\n";
    }
  }
  JobCheckpoint(const JobCheckpoint&) = delete;
  JobCheckpoint& operator=(const JobCheckpoint&) = delete;

  /// Returns the store of the checkpoint file; null if no file is given.
  [[nodiscard]] UnitStore* store() { return file_ ? &*file_ : nullptr; }
  /// Records the error that ended the count early.
  void note(const Error& error) {
    stopped_ = file_ && file_->opened() &&
               (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kUnavailable);
  }

 private:
  const std::string path_;
  Io& io_;
  bool stopped_ = false;
  std::optional<CheckpointFile> file_;
};

/// Shows the phases of a running count, one after the other. Each text starts with `label` and the
/// name of the phase.
class PhaseDisplay {
 public:
  /// `io` must outlive this object.
  PhaseDisplay(ProgressMode mode, Io& io, std::string label)
      : mode_(mode), io_(io), label_(std::move(label)) {}

  /// Starts to show a phase and returns its counters. They exist until the next call of start() or
  /// the destructor.
  Progress* start(std::string_view phase) {
    display_.reset();
    progress_ = std::make_unique<Progress>();
    display_.emplace(*progress_, mode_, io_,
                     label_ + (phase.empty() ? "" : std::string(phase) + "  "));
    return progress_.get();
  }
  /// Ends the display.
  void end() { display_.reset(); }

 private:
  const ProgressMode mode_;
  Io& io_;
  const std::string label_;
  std::unique_ptr<Progress> progress_;
  std::optional<ProgressDisplay> display_;  // uses progress_
};

}  // namespace

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

}  // namespace manyply
