#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/report_format.h"

namespace manyply {
namespace {

/// A wrong total is worth a word on stderr too: not every format has room for it.
void complain_about_mismatch(const Report& report, Depth depth, Io& io) {
  io.err << "perft: depth " << depth.plies() << ": counted " << report.nodes.to_string() << ", but "
         << report.known_nodes.value_or(0).to_string() << " is published for this position\n";
}

}  // namespace

int run_count(const Options& options, Io& io) {
  const Result<Root> root = root_of(options);
  if (!root) return fail(io, root.error());

  const int last = options.depth.plies();
  const bool as_table = options.loop && !options.divide && options.format == Format::kText;
  int exit_code = kExitOk;
  bool hashed = false;
  for (int depth = options.loop ? std::min(1, last) : last; depth <= last && io.out; ++depth) {
    const Result<JobSpec> job = make_job(options, root->named, Depth(depth));
    if (!job) return fail(io, job.error());
    const Result<Report> report = run_and_show(
        *job, options, io, options.loop ? "depth " + std::to_string(depth) + "  " : "");
    if (!report) return fail(io, report.error());
    hashed |= report->hash.has_value();

    const ReportView view{*report, *root, job->depth, options.divide};
    if (as_table && depth <= 1) io.out << loop_header();
    io.out << (as_table ? loop_row(view) : format_report(view, options.format)) << std::flush;
    if (report->known == KnownVerdict::kMismatch) {
      complain_about_mismatch(*report, job->depth, io);
      exit_code = kExitMismatch;
    }
  }
  if (!hashed) note_unused_table(options, io);
  return exit_code;
}

int run_perftree(const Options& options, Io& io) {
  const Result<Root> root = parse_root(
      options.fen, options.chess960 ? CastlingNotation::kChess960 : CastlingNotation::kStandard);
  if (!root) return fail(io, root.error());
  Root played = *root;
  if (const auto error = play_moves(played, options.moves)) return fail(io, *error);
  const Result<JobSpec> job = make_job(options, played.named, options.depth);
  if (!job) return fail(io, job.error());
  const Result<Report> report = run_and_show(*job, options, io);
  if (!report) return fail(io, report.error());

  std::string text;
  for (const DivideRow& row : sorted_divide(*report, played.named.notation)) {
    text += row.move + ' ' + row.nodes.to_string() + '\n';
  }
  io.out << text << '\n' << report->nodes.to_string() << '\n';
  if (!report->hash) note_unused_table(options, io);
  return kExitOk;
}

}  // namespace manyply
