#include <gtest/gtest.h>

#include "tools/report/answer.h"

namespace manyply {
namespace {

std::string contradiction_in(const CountOptions& count_options) {
  const Result<JobSpec> spec = job_spec(*validated({.depth = Depth(5)}), count_options);
  return spec ? "none" : spec.error().to_string();
}

TEST(Spec, SaysWhatIsAskedAndWithWhat) {
  const Question question = *validated({.fen = "kiwipete", .moves = "e1g1", .depth = Depth(5)});
  const CountOptions count_options{.threads = 3,
                                   .kernel = find_kernel("portable").value(),
                                   .table_bytes = std::uint64_t{1} << 20,
                                   .key_seed = 7,
                                   .key_bits = 24,
                                   .pin_workers = true,
                                   .interleave_tables = true};
  const JobSpec job = *job_spec(question, count_options);
  EXPECT_EQ(job.root.position, question.line.here());
  EXPECT_EQ(job.depth, Depth(5));
  EXPECT_EQ(job.threads, 3);
  EXPECT_EQ(job.kernel->name, "portable");
  ASSERT_TRUE(job.hash);
  EXPECT_EQ(job.hash->bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(job.hash->keys.seed, 7u);
  EXPECT_EQ(job.hash->keys.bits, 24);
  EXPECT_TRUE(job.placement.pin_workers && job.placement.interleave_tables);

  const StatisticsSpec statistics = *statistics_spec(question, count_options);
  EXPECT_EQ(statistics.root.position, question.line.here());
  EXPECT_EQ(statistics.depth, Depth(5));
  EXPECT_EQ(statistics.threads, 3);
  ASSERT_TRUE(statistics.hash);
  EXPECT_EQ(statistics.hash->bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(statistics.hash->keys.bits, 24);
  EXPECT_EQ(statistics.placement, job.placement);

  const UniqueSpec unique = unique_spec(question, count_options);
  EXPECT_EQ(unique.root.position, question.line.here());
  EXPECT_EQ(unique.memory_bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(unique.threads, 3);
}

TEST(Spec, AnEstimateHasItsSamples) {
  const Question question =
      *validated({.depth = Depth(9), .mode = CountMode::kEstimate, .samples = 300, .seed = 4});
  const EstimateSpec spec = estimate_spec(question, {.threads = 2});
  EXPECT_EQ(spec.samples, 300u);
  EXPECT_EQ(spec.seed, 4u);
  EXPECT_EQ(spec.threads, 2);
  EXPECT_EQ(spec.depth, Depth(9));
  const EstimateSpec usual = estimate_spec(*validated({.mode = CountMode::kEstimate}), {});
  EXPECT_EQ(usual.samples, EstimateSpec{}.samples);
  EXPECT_EQ(usual.seed, EstimateSpec{}.seed);
}

TEST(Spec, WithoutATableIfEitherIsAgainstIt) {
  const Question unhashed = *validated({.mode = CountMode::kUnhashed});
  EXPECT_FALSE(job_spec(unhashed, {.key_seed = 3})->hash);
  EXPECT_FALSE(job_spec(*validated({}), {.table_bytes = 0})->hash);
  EXPECT_FALSE(statistics_spec(*validated({}), {.table_bytes = 0})->hash);
  const JobSpec usual = *job_spec(*validated({}), {});
  ASSERT_TRUE(usual.hash);
  EXPECT_EQ(usual.hash->bytes, 0u) << "what the count can use";
  EXPECT_EQ(usual.hash->keys.bits, KeySpec::kMaxBits);
}

TEST(Spec, ChoosesTheMethod) {
  const auto method = [](CountMode mode, const CountOptions& count_options) {
    return job_spec(*validated({.depth = Depth(5), .mode = mode}), count_options)->method;
  };
  EXPECT_EQ(method(CountMode::kCount, {}), Method::kAuto);
  EXPECT_EQ(method(CountMode::kCount, {.method = Method::kHashed}), Method::kHashed);
  EXPECT_EQ(method(CountMode::kCount, {.method = Method::kConfigurations}),
            Method::kConfigurations);
  EXPECT_EQ(method(CountMode::kCount,
                   {.method = Method::kConfigurations, .table_bytes = std::uint64_t{1} << 20}),
            Method::kConfigurations);
  // If any option of the table is set, a table is used.
  for (const CountOptions& count_options :
       {CountOptions{.table_bytes = std::uint64_t{1} << 20}, CountOptions{.key_seed = 3},
        CountOptions{.key_bits = 9}, CountOptions{.interleave_tables = true}})
    EXPECT_EQ(method(CountMode::kCount, count_options), Method::kHashed);
  // A mode that names a method uses it. Options of the table do not change that.
  EXPECT_EQ(method(CountMode::kConfigurations, {.key_seed = 3}), Method::kConfigurations);
  for (const CountMode mode : {CountMode::kHashed, CountMode::kUnhashed, CountMode::kVerify})
    EXPECT_EQ(method(mode, {}), Method::kHashed);
}

TEST(Spec, MeansThatContradictEachOtherAreRefused) {
  EXPECT_EQ(contradiction_in({}), "none");
  EXPECT_EQ(contradiction_in({.table_bytes = 0, .key_seed = 1}),
            "key-seed: has no effect without a table");
  EXPECT_EQ(contradiction_in({.table_bytes = 0, .key_bits = 24}),
            "key-bits: has no effect without a table");
  EXPECT_EQ(contradiction_in({.table_bytes = 0, .interleave_tables = true}),
            "interleave: has no effect without a table");
  EXPECT_EQ(contradiction_in({.table_bytes = kMinHashBytes - 1}), "hash: must be at least 64K");
  EXPECT_EQ(contradiction_in({.table_bytes = kMinHashBytes}), "none");
}

}  // namespace
}  // namespace manyply
