#include "parallel/statistics_job.h"
#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/question/report_format.h"
#include "tools/question/spec.h"
#include "tools/question/stats_format.h"

namespace manyply {
namespace {

struct StatsOptions : Question, Means, Showing, Keeping {
  StatsOptions() { mode = CountMode::kStatistics; }
};

int run_stats(const StatsOptions& options, Io& io) {
  const Result<Question> question = judged(options);
  if (!question) return fail(io, question.error());
  const Result<StatisticsSpec> spec = statistics_spec(*question, options);
  if (!spec) return fail(io, as_flag(spec.error()));
  const Result<StatisticsReport> report = [&] {
    Progress progress;
    JobCheckpoint checkpoint(options, io);
    const ProgressDisplay display(progress, options.progress, io, "");
    StatisticsSpec kept = *spec;
    kept.store = checkpoint.store();
    Result<StatisticsReport> counted = run_statistics(kept, io.stop, &progress);
    if (!counted) checkpoint.note(counted.error());
    return counted;
  }();
  if (!report) return fail(io, report.error());
  io.out << format_statistics({*report, question->line, question->depth, options.divide},
                              options.format);
  if (report->table_bytes == 0) note_unused_table(options, io);
  if (report->known != KnownVerdict::kMismatch) return kExitOk;
  io.err << "perft: depth " << options.depth.plies() << ": the nodes are no "
         << known_text(report->known, report->known_nodes) << '\n';
  return kExitMismatch;
}

}  // namespace

Command stats_command() {
  using namespace flags;
  return make_command<StatsOptions>(
      {.name = "stats",
       .summary = "Count captures, checks, mates and other kinds of moves in the last ply",
       .about = R"(
A column counts the moves of the last ply that are of its kind; a move may be of several. Captures
include en passant; each promotion piece counts. A check or mate is direct (the piece that moved
attacks the king; of a castling move, king and rook have moved), discovered (one that did not),
both, or double discovered (two that did not). Mates are not among the checks, as in The Grand Chess
Tree's tables; 'with mates' is what the Chess Programming Wiki calls checks, and its double checks
are 'both' and 'double discovered' together. Exit code: 0, 1 if the nodes differ from the published
count, 2 on an error, 130 on Ctrl-C.)",
       .examples = R"(
perft stats 7
perft stats 4 --fen kiwipete --divide
perft stats 5 --format csv)"},
      {kDepth, kPosition, kDivide, kCounting, kCheckpoint, kPlainFormat, kProgress}, run_stats);
}

}  // namespace manyply
