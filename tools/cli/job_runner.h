// From options to a report: what every counting command does.
#pragma once

#include <optional>
#include <string>

#include "parallel/checkpoint.h"
#include "parallel/job.h"
#include "tools/cli/io.h"
#include "tools/cli/options.h"
#include "tools/cli/root.h"

namespace manyply {

/// The position that --fen, --moves and --chess960 describe.
Result<Root> root_of(const Options& options);

/// From this depth on a table pays where many small counts are made.
inline constexpr int kHashedFrom = 6;

/// Fails for options that cannot be had.
Result<JobSpec> make_job(const Options& options, const NamedPosition& root, Depth depth);

/// Says on io.err, where the options ask for a table, that none was used.
void note_unused_table(const Options& options, Io& io);

/// The file of --checkpoint, if one was named. Says in the end whether a part of it was damaged,
/// and that a count which was stopped can go on.
class JobCheckpoint {
 public:
  JobCheckpoint(const Options& options, Io& io);
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
Result<Report> run_and_show(const JobSpec& job, const Options& options, Io& io,
                            std::string label = {});

}  // namespace manyply
