// From a question to an answer: what every counting command does.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "parallel/jobs/job.h"
#include "parallel/jobs/many_counts.h"
#include "parallel/units/checkpoint.h"
#include "tools/cli/framework/flags.h"
#include "tools/report/answer.h"

namespace manyply {

/// As job_spec; errors name flags.
Result<JobSpec> make_job(const Question& question, const Limits& limits);

/// Counts that are asked for one after the other, most of them small: tables are kept from one to
/// the next. One thread at a time.
class OneByOne {
 public:
  explicit OneByOne(const Limits& limits);

  /// Errors: make_job's and run_job's.
  Result<Report> count(const Question& question, const std::stop_token& stop);

 private:
  Limits limits_;
  TableKeeper tables_;
};

/// Says on io.err, where the means ask for a table, that none was used.
void note_unused_table(const Limits& limits, Io& io);

/// What a command is told of a file that keeps its work.
struct Keeping {
  std::string checkpoint;  ///< file; empty = none
};
extern const Flag<Keeping> kCheckpoint;

/// The file of --checkpoint, if one was named. Says in the end whether a part of it was damaged,
/// and that a count which was stopped can go on.
class JobCheckpoint {
 public:
  JobCheckpoint(const Keeping& keeping, Io& io);
  ~JobCheckpoint();
  JobCheckpoint(const JobCheckpoint&) = delete;
  JobCheckpoint& operator=(const JobCheckpoint&) = delete;

  [[nodiscard]] UnitStore* store();
  /// What ended the count early.
  void note(const Error& error);

 private:
  const std::string path_;
  Io& io_;
  bool stopped_ = false;
  std::optional<CheckpointFile> file_;
};

/// Shows one phase after the other of what is being answered, with `label` and its name before it.
class PhaseDisplay {
 public:
  PhaseDisplay(ProgressMode mode, Io& io, std::string label = {})
      : mode_(mode), io_(io), label_(std::move(label)) {}

  Progress* start(std::string_view phase);
  void end() { display_.reset(); }

 private:
  const ProgressMode mode_;
  Io& io_;
  const std::string label_;
  std::unique_ptr<Progress> progress_;
  std::optional<ProgressDisplay> display_;  // reads progress_
};

/// answer(), with its progress shown and obeying io.stop; errors of the spec name flags.
Result<Answer> answer_and_show(const Question& question, Resources resources,
                               const Showing& showing, Io& io, const std::string& label = {},
                               const Keeping& keeping = {});

/// All that a command does which asks one question: judges it, answers it, prints that.
int answer_and_print(const Question& asked, const Resources& resources, const Showing& showing,
                     Io& io, const Keeping& keeping = {});

/// Whether an answer is right; if not, io.err says of a total what is published.
int exit_code_of(const Question& question, const Answer& answer, Io& io);

/// The same, once it is printed in the form that was asked for.
int print_answer(const Question& question, const Answer& answer, const Showing& showing, Io& io);

/// Runs the job, shows its progress with `label` before it, obeys io.stop.
Result<Report> run_and_show(JobSpec job, const Showing& showing, Io& io, std::string label = {},
                            const Keeping& keeping = {});

/// The same of many jobs.
std::optional<Error> count_many_and_show(std::span<const JobSpec> jobs, const Showing& showing,
                                         Io& io, const OnManyCounted& on_counted);

}  // namespace manyply
