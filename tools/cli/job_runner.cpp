#include "tools/cli/job_runner.h"

#include "tools/cli/progress_display.h"

namespace manyply {

Result<Root> root_of(const Options& options) {
  Result<Root> root = parse_root(
      options.fen, options.chess960 ? std::optional(CastlingNotation::kChess960) : std::nullopt);
  if (!root) return root;
  Root played = *root;
  if (auto error = play_moves(played, options.moves)) return *std::move(error);
  return played;
}

Result<JobSpec> make_job(const Options& options, const NamedPosition& root, Depth depth) {
  const auto not_yet = [](const char* option, const char* advice) {
    return Error{ErrorCode::kUnavailable, option, 0, std::string("not available yet; ") + advice};
  };
  const HashOptions& hash = options.hash;
  if (hash.table_bytes.value_or(0) != 0) {
    return not_yet("--hash", "'--hash off' counts without a table");
  }
  if (hash.key_seed) return not_yet("--key-seed", "counts without a table need no keys");
  if (!hash.checkpoint.empty()) return not_yet("--checkpoint", "leave it out");
  return JobSpec{root, depth, options.threads, options.kernel, std::nullopt};
}

Result<Report> run_and_show(const JobSpec& job, const Options& options, Io& io, std::string label) {
  Progress progress;
  const ProgressDisplay display(progress, options.progress, io, std::move(label));
  return run_job(job, io.stop, &progress);
}

}  // namespace manyply
