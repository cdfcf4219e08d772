#include "tools/report/spec.h"

#include <utility>

namespace manyply {
namespace {

static_assert(Question::kMinSamples == EstimateSpec::kMinSamples &&
              Question::kMaxSamples == EstimateSpec::kMaxSamples);

Error contradiction(const char* option, const char* why) {
  return {ErrorCode::kInvalidInput, option, 0, why};
}

/// Returns whether the user set an option that only hashed counts use. Ignores defaults.
bool asks_for_table(const Limits& limits) {
  if (limits.table_is_given) return false;
  return limits.table_bytes || limits.key_seed || limits.key_bits || limits.interleave_tables;
}

/// Returns an error if options of `limits` contradict each other.
std::optional<Error> contradiction_in(const Limits& limits) {
  if (limits.table_bytes == 0) {
    constexpr const char* kNoKeys = "has no effect without a table";
    if (limits.key_seed) return contradiction("key-seed", kNoKeys);
    if (limits.key_bits) return contradiction("key-bits", kNoKeys);
    if (limits.interleave_tables)
      return contradiction("interleave", "has no effect without a table");
  } else if (limits.table_bytes && *limits.table_bytes < kMinHashBytes) {
    return contradiction("hash", "must be at least 64K");
  }
  if (limits.method == Method::kConfigurations) {
    constexpr const char* kNoTable =
        "has no effect on a count by configurations, which has neither table nor keys";
    if (limits.key_seed) return contradiction("key-seed", kNoTable);
    if (limits.key_bits) return contradiction("key-bits", kNoTable);
    if (limits.interleave_tables) return contradiction("interleave", kNoTable);
  }
  return std::nullopt;
}

/// Returns the part that all specifications share.
TaskSpec task_of(const Question& question, const Limits& limits) {
  return {.root = question.line.named(),
          .depth = question.depth,
          .threads = limits.threads,
          .kernel = limits.kernel,
          .placement = {.interleave_tables = limits.interleave_tables,
                        .pin_workers = limits.pin_workers}};
}

/// Returns the method of a question. For kAuto, run_job() decides.
/// Mode 'hashed' uses a table, and so does any option about a table.
Method method_of(const Question& question, const Limits& limits) {
  if (question.mode == CountMode::kConfigurations) return Method::kConfigurations;
  if (question.mode != CountMode::kCount) return Method::kHashed;
  return limits.method == Method::kAuto && asks_for_table(limits) ? Method::kHashed : limits.method;
}

}  // namespace

Result<JobSpec> job_spec(const Question& question, const Limits& limits) {
  if (auto error = contradiction_in(limits)) return *std::move(error);
  JobSpec spec{task_of(question, limits)};
  spec.method = method_of(question, limits);
  spec.memory_bytes = limits.memory_bytes;
  spec.parts = limits.parts;
  if (limits.table_bytes == 0 || question.mode == CountMode::kUnhashed) return spec;
  spec.hash.emplace();
  spec.hash->bytes = limits.table_bytes.value_or(0);
  spec.hash->keys.seed = limits.key_seed.value_or(KeySpec::kDefaultSeed);
  spec.hash->keys.bits = limits.key_bits.value_or(KeySpec::kMaxBits);
  return spec;
}

Result<StatisticsSpec> statistics_spec(const Question& question, const Limits& limits) {
  const Result<JobSpec> job = job_spec(question, limits);
  if (!job) return job.error();
  StatisticsSpec spec{task_of(question, limits)};
  if (job->hash) spec.hash = StatisticsHash{.bytes = job->hash->bytes, .keys = job->hash->keys};
  return spec;
}

EstimateSpec estimate_spec(const Question& question, const Limits& limits) {
  EstimateSpec spec{task_of(question, limits)};
  spec.samples = question.samples.value_or(Question::kUsualSamples);
  spec.seed = question.seed.value_or(Question::kUsualSeed);
  return spec;
}

UniqueSpec unique_spec(const Question& question, const Limits& limits, std::uint64_t memory_bytes) {
  UniqueSpec spec{task_of(question, limits)};
  spec.memory_bytes = memory_bytes;
  return spec;
}

}  // namespace manyply
