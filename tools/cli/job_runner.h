// Turns a question into a printed answer, and shows the progress. Most commands that count use this
// code.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "parallel/jobs/job.h"
#include "tools/cli/framework/shared_flags.h"
#include "tools/report/answer.h"

namespace manyply {

/// Returns job_spec() for the question. Errors name flags ("--hash") instead of options ("hash").
Result<JobSpec> make_job(const Question& question, const CountOptions& count_options);

/// Makes many small counts, one after another. Each count reuses the tables of the previous one.
/// Only one thread may use the object at a time.
class OneByOne {
 public:
  /// Uses the threads, kernel and table size of `count_options` for every count.
  explicit OneByOne(const CountOptions& count_options);

  /// Counts one question. Errors are those of make_job() and run_job().
  Result<Report> count(const Question& question, const std::stop_token& stop);
  /// Returns the count of each legal move at the end of `line`. Errors are those of count().
  Result<std::vector<DivideEntry>> divide(const Line& line, Depth depth,
                                          const std::stop_token& stop);

 private:
  CountOptions count_options_;
  TableKeeper tables_;
};

/// Prints a note on io.err if `count_options` have a table size or another option about tables.
/// Call it after a count that used no table.
void note_unused_table(const CountOptions& count_options, Io& io);

/// Options for saving the results of a count.
struct Keeping {
  std::string checkpoint;  ///< file; empty = none
};
extern const Flag<Keeping> kCheckpoint;

/// Runs answer(). Shows the progress, with `label` at the start of the line. If a table of the
/// default size cannot be allocated, uses a smaller one and prints a note on io.err. Sets the stop
/// token, store and on_phase of `resources`, and stops when io.stop is requested. Errors name flags
/// ("--hash") instead of options ("hash").
Result<Answer> answer_and_show(const Question& question, Resources resources,
                               const Showing& showing, Io& io, const std::string& label = {},
                               const Keeping& keeping = {});

/// Runs a command that answers one question: validates the question, answers it and prints the
/// answer. Returns the exit code.
int answer_and_print(const Question& asked, const Resources& resources, const Showing& showing,
                     Io& io, const Keeping& keeping = {});

/// Returns the exit code for an answer. If the total differs from the published value, also prints
/// a message on io.err.
int exit_code_of(const Question& question, const Answer& answer, Io& io);

/// Prints the answer in the requested format, then returns its exit code.
int print_answer(const Question& question, const Answer& answer, const Showing& showing, Io& io);

}  // namespace manyply
