#include "parallel/jobs/estimate.h"

#include <gmock/gmock.h>

#include "core/known_values.h"
#include "tests/support/budget.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

EstimateSpec estimate_spec(std::string_view fen, int depth, std::uint64_t samples,
                           std::uint64_t seed = 1) {
  return {
      {.root = parse_position(fen).value(), .depth = Depth(depth), .threads = 2}, samples, seed};
}

EstimateReport estimate(const EstimateSpec& spec) {
  auto report = estimate_nodes(spec, {});
  EXPECT_TRUE(report.ok());
  return report.ok() ? *report : EstimateReport{};
}

/// Returns how many of `seeds` intervals do not contain the true count. A correct interval misses
/// it with a probability of 0.01.
int misses(std::string_view fen, int depth, std::uint64_t samples, int seeds) {
  const double truth =
      known_value(parse_position(fen).value().position, Depth(depth)).value().approximate();
  int missed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const EstimateReport report =
        estimate(estimate_spec(fen, depth, samples, static_cast<std::uint64_t>(seed)));
    missed += truth < report.low || truth > report.high ? 1 : 0;
  }
  return missed;
}

TEST(Estimate, FewPliesAreExact) {
  for (int depth = 0; depth <= EstimateSpec::kExact; ++depth) {
    const EstimateReport report = estimate(estimate_spec("kiwipete", depth, 100));
    EXPECT_TRUE(report.exact);
    EXPECT_EQ(
        report.estimate,
        (std::array<double, 5>{1, 48, 2039, 97862, 4085603}.at(static_cast<std::size_t>(depth))));
    EXPECT_EQ(report.low, report.high);
  }
}

TEST(Estimate, SeedAndSamplesDecideAndNothingElse) {
  EstimateSpec spec = estimate_spec("startpos", 9, kIsFastBuild ? 300 : 100, 5);
  const EstimateReport first = estimate(spec);
  for (const int threads : {1, 3, 8}) {
    spec.threads = threads;
    const EstimateReport again = estimate(spec);
    EXPECT_EQ(again.estimate, first.estimate);
    EXPECT_EQ(again.low, first.low);
    EXPECT_EQ(again.standard_error, first.standard_error);
  }
  spec.kernel = *find_kernel("portable");
  EXPECT_EQ(estimate(spec).estimate, first.estimate);
  spec.seed = 6;
  EXPECT_NE(estimate(spec).estimate, first.estimate);
}

TEST(Estimate, GamesThatEndEarly) {
  // The side to move is mated, or all paths end before the depth.
  EXPECT_EQ(estimate(estimate_spec("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", 8, 100)).estimate, 0);
  EXPECT_EQ(estimate(estimate_spec("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", 8, 100)).high, 0);
}

TEST(Estimate, RefusesWhatCannotBe) {
  EXPECT_FALSE(estimate_nodes(estimate_spec("startpos", 8, 1), {}).ok());
  EstimateSpec spec = estimate_spec("startpos", 8, 100);
  spec.threads = 5'000;
  EXPECT_FALSE(estimate_nodes(spec, {}).ok());
  EXPECT_EQ(estimate_nodes(estimate_spec("startpos", 12, 1'000'000), stopped_before()).error().code,
            ErrorCode::kCancelled);
}

TEST(Estimate, StudentsPoint) {
  EXPECT_NEAR(student_99(30), 2.7500, 2e-4);
  EXPECT_NEAR(student_99(99), 2.6264, 1e-4);
  EXPECT_NEAR(student_99(1'000'000'000), 2.5758, 1e-4);
}

// If an interval misses with a probability of 1 %, more than 5 misses of 40 have a probability
// below 5e-6.
TEST(Estimate, IntervalsHoldWhatTheyPromise) {
  if (!kIsFastBuild) GTEST_SKIP() << "forty estimates are for fast builds";
  EXPECT_LE(misses("startpos", 7, 400, 40), 5);
}

// On average, 2 of 200 intervals miss; more than 11 have a probability below 1e-5. On average, 12
// of all 1200 intervals miss; less than 1 or more than 30 have a probability below 1e-5.
TEST(EstimateSlow, IntervalsHoldWhatTheyPromise) {
  int all = 0;
  for (int depth = 7; depth <= 12; ++depth) {
    const int missed = misses("startpos", depth, 2'000, 200);
    RecordProperty("missed_" + std::to_string(depth), missed);
    EXPECT_LE(missed, 11) << depth;
    all += missed;
  }
  EXPECT_GE(all, 1);
  EXPECT_LE(all, 30);
}

}  // namespace
}  // namespace manyply
