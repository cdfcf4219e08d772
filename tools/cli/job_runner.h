// From a question to a report: what every counting command does.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "parallel/checkpoint.h"
#include "parallel/job.h"
#include "parallel/many_counts.h"
#include "tools/command/flags.h"

namespace manyply {

/// What job_spec refuses, told with the flag's name.
Error as_flag(Error error);

/// As job_spec; errors name flags.
Result<JobSpec> make_job(const Question& question, const Means& means);

/// Counts that are asked for one after the other, most of them small: tables are kept from one to
/// the next. One thread at a time.
class OneByOne {
 public:
  explicit OneByOne(const Means& means);

  /// Errors: make_job's and run_job's.
  Result<Report> count(const Question& question, const std::stop_token& stop);

 private:
  Means means_;
  TableKeeper tables_;
};

/// Says on io.err, where the means ask for a table, that none was used.
void note_unused_table(const Means& means, Io& io);

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

/// Runs the job, shows its progress with `label` before it, obeys io.stop.
Result<Report> run_and_show(JobSpec job, const Showing& showing, Io& io, std::string label = {},
                            const Keeping& keeping = {});

/// The same of many jobs.
std::optional<Error> count_many_and_show(std::span<const JobSpec> jobs, const Showing& showing,
                                         Io& io, const OnManyCounted& on_counted);

}  // namespace manyply
