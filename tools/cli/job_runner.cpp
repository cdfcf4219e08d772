#include "tools/cli/job_runner.h"

#include <utility>

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

namespace {

Error no_keys(const char* option) {
  return {ErrorCode::kInvalidInput, option, 0, "a count without a table needs no keys"};
}

/// The option that only a table can honour; null if there is none.
const char* table_option(const Options& options) {
  if (options.hash.table_bytes.value_or(0) > 0) return "--hash";
  if (options.hash.key_seed) return "--key-seed";
  if (options.hash.key_bits) return "--key-bits";
  return options.placement.interleave_tables ? "--interleave" : nullptr;
}

}  // namespace

Result<JobSpec> make_job(const Options& options, const NamedPosition& root, Depth depth) {
  const HashOptions& hash = options.hash;
  if (!options.checkpoint.empty() && options.loop) {
    return Error{ErrorCode::kInvalidInput, "--checkpoint", 0,
                 "a file keeps one count: leave out --loop"};
  }
  JobSpec job;
  job.root = root;
  job.depth = depth;
  job.threads = options.threads;
  job.kernel = options.kernel;
  job.placement = options.placement;
  if (hash.table_bytes == 0) {
    if (hash.key_seed) return no_keys("--key-seed");
    if (hash.key_bits) return no_keys("--key-bits");
    if (options.placement.interleave_tables)
      return Error{ErrorCode::kInvalidInput, "--interleave", 0, "there is no table to spread"};
    return job;
  }
  if (hash.table_bytes && *hash.table_bytes < kMinHashBytes)
    return Error{ErrorCode::kInvalidInput, "--hash", 0, "a table takes at least 64K"};
  job.hash.emplace();
  job.hash->bytes = hash.table_bytes.value_or(0);
  job.hash->keys.seed = hash.key_seed.value_or(KeySpec::kDefaultSeed);
  job.hash->keys.bits = hash.key_bits.value_or(KeySpec::kMaxBits);
  return job;
}

void note_unused_table(const Options& options, Io& io) {
  if (const char* const option = table_option(options); option != nullptr)
    io.err << "perft: " << option << ": no table was used: the count is too shallow for one\n";
}

JobCheckpoint::JobCheckpoint(const Options& options, Io& io) : path_(options.checkpoint), io_(io) {
  if (!path_.empty()) file_.emplace(path_);
}

JobCheckpoint::~JobCheckpoint() {
  if (!file_) return;
  if (file_->dropped_bytes() > 0) {
    io_.err << "perft: checkpoint: " << path_ << ": the last " << file_->dropped_bytes()
            << " bytes were damaged and are counted again\n";
  }
  if (stopped_) {
    io_.err << "perft: checkpoint: " << path_
            << ": keeps what was counted; the same command goes on from there\n";
  }
}

UnitStore* JobCheckpoint::store() { return file_ ? &*file_ : nullptr; }

void JobCheckpoint::note(const Error& error) {
  stopped_ = file_ && file_->opened() &&
             (error.code == ErrorCode::kCancelled || error.code == ErrorCode::kUnavailable);
}

Result<Report> run_and_show(const JobSpec& job, const Options& options, Io& io, std::string label) {
  Progress progress;
  JobCheckpoint checkpoint(options, io);
  const ProgressDisplay display(progress, options.progress, io, std::move(label));
  JobSpec kept = job;
  kept.store = checkpoint.store();
  Result<Report> report = run_job(kept, io.stop, &progress);
  if (!report) checkpoint.note(report.error());
  return report;
}

}  // namespace manyply
