#include "tools/question/spec.h"

#include <utility>

namespace manyply {
namespace {

static_assert(Question::kMinSamples == EstimateSpec::kMinSamples &&
              Question::kMaxSamples == EstimateSpec::kMaxSamples);

Error contradiction(const char* option, const char* why) {
  return {ErrorCode::kInvalidInput, option, 0, why};
}

/// Whether anything is wished of a table that only a hashed count has.
bool asks_for_table(const Means& means) {
  if (means.table_is_given) return false;
  return means.table_bytes || means.key_seed || means.key_bits || means.interleave_tables;
}

/// Why `means` cannot be had.
std::optional<Error> contradiction_in(const Means& means) {
  if (means.table_bytes == 0) {
    constexpr const char* kNoKeys = "a count without a table needs no keys";
    if (means.key_seed) return contradiction("key-seed", kNoKeys);
    if (means.key_bits) return contradiction("key-bits", kNoKeys);
    if (means.interleave_tables) return contradiction("interleave", "there is no table to spread");
  } else if (means.table_bytes && *means.table_bytes < kMinHashBytes) {
    return contradiction("hash", "a table takes at least 64K");
  }
  if (means.method == Method::kConfigurations) {
    constexpr const char* kNoTable = "a count by configurations has no table and no keys";
    if (means.key_seed) return contradiction("key-seed", kNoTable);
    if (means.key_bits) return contradiction("key-bits", kNoTable);
    if (means.interleave_tables) return contradiction("interleave", kNoTable);
  }
  return std::nullopt;
}

TaskSpec task_of(const Question& question, const Means& means) {
  return {.root = question.line.named(),
          .depth = question.depth,
          .threads = means.threads,
          .kernel = means.kernel,
          .placement = {.interleave_tables = means.interleave_tables,
                        .pin_workers = means.pin_workers}};
}

/// The one place where a method is chosen. That which says 'hashed' has its table, and whoever says
/// anything of a table wants one.
Method method_of(const Question& question, const Means& means) {
  if (question.mode == CountMode::kConfigurations) return Method::kConfigurations;
  if (question.mode != CountMode::kCount) return Method::kHashed;
  return means.method == Method::kAuto && asks_for_table(means) ? Method::kHashed : means.method;
}

}  // namespace

Result<JobSpec> job_spec(const Question& question, const Means& means) {
  if (auto error = contradiction_in(means)) return *std::move(error);
  JobSpec spec{task_of(question, means)};
  spec.method = method_of(question, means);
  if (means.table_bytes == 0 || question.mode == CountMode::kUnhashed) return spec;
  spec.hash.emplace();
  spec.hash->bytes = means.table_bytes.value_or(0);
  spec.hash->keys.seed = means.key_seed.value_or(KeySpec::kDefaultSeed);
  spec.hash->keys.bits = means.key_bits.value_or(KeySpec::kMaxBits);
  return spec;
}

Result<StatisticsSpec> statistics_spec(const Question& question, const Means& means) {
  const Result<JobSpec> job = job_spec(question, means);
  if (!job) return job.error();
  StatisticsSpec spec{task_of(question, means)};
  if (job->hash) spec.hash = StatisticsHash{.bytes = job->hash->bytes, .keys = job->hash->keys};
  return spec;
}

EstimateSpec estimate_spec(const Question& question, const Means& means) {
  EstimateSpec spec{task_of(question, means)};
  spec.samples = question.samples.value_or(Question::kUsualSamples);
  spec.seed = question.seed.value_or(Question::kUsualSeed);
  return spec;
}

UniqueSpec unique_spec(const Question& question, const Means& means, std::uint64_t memory_bytes,
                       std::filesystem::path temp_dir) {
  UniqueSpec spec{task_of(question, means)};
  spec.memory_bytes = memory_bytes;
  spec.temp_dir = std::move(temp_dir);
  return spec;
}

}  // namespace manyply
