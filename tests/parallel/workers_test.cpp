#include "parallel/workers.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/jobs/estimate.h"
#include "parallel/jobs/job.h"
#include "parallel/jobs/statistics_job.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/verify.h"

namespace manyply {
namespace {

TEST(Workers, AreAsManyAsAskedForOrAsThereAreCores) {
  EXPECT_EQ(Workers::of(3)->count(), 3);
  EXPECT_EQ(Workers::of(0)->count(), available_threads());
  EXPECT_EQ(Workers::of(kMaxThreads)->count(), kMaxThreads);
  for (const int threads : {-1, kMaxThreads + 1}) {
    const auto workers = Workers::of(threads);
    ASSERT_FALSE(workers.ok());
    EXPECT_EQ(workers.error().field, "threads");
  }
}

// Every kind of job must accept a placement and give the same result as without one.
TEST(Workers, PlacementChangesNoAnswer) {
  const Placement placement{.interleave_tables = true, .pin_workers = true};
  if (const auto workers = Workers::of(2, placement); !workers) {
    EXPECT_EQ(workers.error().code, ErrorCode::kUnavailable);
    GTEST_SKIP() << workers.error().to_string();
  }
  const NamedPosition root = parse_position("kiwipete").value();
  constexpr NodeCount kNodes = 4085603;

  JobSpec spec;
  spec.root = root;
  spec.depth = Depth(5);
  spec.threads = 2;
  spec.hash = HashSpec{.bytes = std::uint64_t{4} << 20};
  spec.placement = placement;
  EXPECT_EQ(run_job(spec, {})->known, KnownVerdict::kMatch);
  EXPECT_TRUE(verify_job(spec, {.key_checks = 1'000}, {})->agrees());

  const TaskSpec task{.root = root, .depth = Depth(4), .threads = 2, .placement = placement};
  const auto statistics = run_statistics({task, StatisticsHash{.bytes = 1 << 20, .keys = {}}}, {});
  EXPECT_EQ(statistics->totals[Statistic::kNodes], kNodes);

  EstimateSpec estimate{task, 100};
  estimate.depth = Depth(6);
  const double pinned = estimate_nodes(estimate, {})->estimate;
  estimate.placement = {};
  EXPECT_EQ(estimate_nodes(estimate, {})->estimate, pinned);

  NodeCount paths;
  const UniqueObserver observer{.on_ply = [&](const UniquePly& ply) {
    paths = ply.paths;
    return std::optional<Error>();
  }};
  EXPECT_EQ(find_unique({task, std::uint64_t{64} << 20}, observer, {}), std::nullopt);
  EXPECT_EQ(paths, kNodes);
}

}  // namespace
}  // namespace manyply
