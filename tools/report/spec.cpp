#include "tools/report/spec.h"

#include <algorithm>
#include <utility>

namespace manyply {
namespace {

static_assert(Question::kMinSamples == EstimateSpec::kMinSamples &&
              Question::kMaxSamples == EstimateSpec::kMaxSamples);

Error contradiction(const char* option, const char* why) {
  return {ErrorCode::kInvalidInput, option, 0, why};
}

/// Returns whether the user set an option that only hashed counts use. Ignores default values.
bool asks_for_table(const CountOptions& count_options) {
  return !count_options.table_is_given &&
         (count_options.table_bytes || table_option_in(count_options) != nullptr);
}

/// Returns an error if options of `count_options` contradict each other.
std::optional<Error> contradiction_in(const CountOptions& count_options) {
  const std::uint64_t bytes = count_options.table_bytes.value_or(kMinHashBytes);
  if (bytes > 0 && bytes < kMinHashBytes) return contradiction("hash", "must be at least 64K");
  const char* const option = table_option_in(count_options);
  if (option == nullptr) return std::nullopt;
  if (bytes == 0) return contradiction(option, "has no effect without a table");
  if (count_options.method == Method::kConfigurations)
    return contradiction(
        option, "has no effect on a count by configurations, which has neither table nor keys");
  return std::nullopt;
}

/// Returns the members that all specifications share.
TaskSpec task_of(const Question& question, const CountOptions& count_options) {
  return {.root = question.line.named(),
          .depth = question.depth,
          .threads = count_options.threads,
          .kernel = count_options.kernel,
          .placement = {.interleave_tables = count_options.interleave_tables,
                        .pin_workers = count_options.pin_workers}};
}

/// Returns the method of a question. kAuto means that run_job() chooses the method. In mode kCount,
/// any option about tables replaces kAuto by kHashed.
Method method_of(const Question& question, const CountOptions& count_options) {
  if (question.mode == CountMode::kConfigurations) return Method::kConfigurations;
  if (question.mode != CountMode::kCount) return Method::kHashed;
  return count_options.method == Method::kAuto && asks_for_table(count_options)
             ? Method::kHashed
             : count_options.method;
}

}  // namespace

const char* table_option_in(const CountOptions& count_options) {
  return count_options.key_seed            ? "key-seed"
         : count_options.key_bits          ? "key-bits"
         : count_options.interleave_tables ? "interleave"
                                           : nullptr;
}

Result<JobSpec> job_spec(const Question& question, const CountOptions& count_options) {
  if (auto error = contradiction_in(count_options)) return *std::move(error);
  JobSpec spec{task_of(question, count_options)};
  spec.method = method_of(question, count_options);
  spec.memory_bytes = count_options.memory_bytes;
  spec.parts = count_options.parts;
  if (count_options.table_bytes == 0 || question.mode == CountMode::kUnhashed) return spec;
  spec.hash.emplace();
  spec.hash->bytes = count_options.table_bytes.value_or(0);
  spec.hash->keys.seed = count_options.key_seed.value_or(KeySpec::kDefaultSeed);
  spec.hash->keys.bits = count_options.key_bits.value_or(KeySpec::kMaxBits);
  return spec;
}

Result<StatisticsSpec> statistics_spec(const Question& question,
                                       const CountOptions& count_options) {
  const Result<JobSpec> job = job_spec(question, count_options);
  if (!job) return job.error();
  StatisticsSpec spec{task_of(question, count_options)};
  if (job->hash) spec.hash = StatisticsHash{.bytes = job->hash->bytes, .keys = job->hash->keys};
  return spec;
}

EstimateSpec estimate_spec(const Question& question, const CountOptions& count_options) {
  EstimateSpec spec{task_of(question, count_options)};
  spec.samples = question.samples.value_or(kUsualSamples);
  spec.seed = question.seed.value_or(Question::kUsualSeed);
  return spec;
}

UniqueSpec unique_spec(const Question& question, const CountOptions& count_options) {
  UniqueSpec spec{task_of(question, count_options)};
  if (count_options.table_bytes.value_or(0) > 0)
    spec.memory_bytes = std::max(*count_options.table_bytes, UniqueSpec::kMinMemoryBytes);
  return spec;
}

}  // namespace manyply
