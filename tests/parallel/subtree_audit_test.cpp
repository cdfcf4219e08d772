// The walks by themselves: bounds, and what they see. verify_test.cpp puts faults before them.
#include "parallel/jobs/subtree_audit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string_view>

#include "core/counting.h"
#include "core/fen.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"

namespace manyply {
namespace {

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

/// Tables large enough to keep all that these tests count.
std::unique_ptr<JobTables> tables_with(const KeySpec& keys) {
  const TablePlan plan{.deep_bytes = 4 << 20, .wide_entries = 1024, .window_bytes = 4 << 20};
  return JobTables::allocate(plan, {.keys = keys}, Workers(1)).value();
}

TEST(SubtreeAudit, EveryKernelPassesTheSuites) {
  const KeySet keys;
  for (const Kernel& kernel : all_kernels()) {
    if (!runs_here(kernel)) continue;
    SubtreeAudit audit({KernelPair(kernel), keys}, {}, {});
    const auto suites = load_suites_within(budget(600'000));
    for (const SuiteCase& suite : suites)
      audit.recount(suite.record.root.position.board(), suite.expected.depth.plies());
    EXPECT_FALSE(audit.findings().any()) << kernel.name;
    EXPECT_TRUE(audit.complete());
    EXPECT_GT(audit.recounted(), suites.size());
  }
}

TEST(SubtreeAudit, RemembersEachPositionOnceAtEachDepth) {
  const auto tables = tables_with({});
  SubtreeAudit audit({KernelPair(best_kernel()), tables->keys(), tables.get()}, {}, {});
  audit.recount(Position().board(), 5);
  EXPECT_FALSE(audit.findings().any());
  // Distinct positions at plies 1, 2 and 3, which are 4, 3 and 2 plies from the end.
  EXPECT_EQ(audit.positions().size(), 20U + 400U + 5362U);
  for (const auto& [slot, counted] : audit.positions()) {
    EXPECT_EQ(counted.key, tables->keys().key_from_scratch(counted.position.board()));
    if (counted.depth == Depth(4)) {
      EXPECT_EQ(counted.leaves, *count_nodes(counted.position, Depth(4)));
    }
  }
}

TEST(SubtreeAudit, SaysWhenALimitCutItShort) {
  const auto tables = tables_with({});
  const AuditSubject subject{KernelPair(best_kernel()), tables->keys(), tables.get()};
  SubtreeAudit forgetful(subject, {.remembered = 10}, {});
  forgetful.recount(Position().board(), 4);
  EXPECT_LE(forgetful.positions().size(), 10U);
  EXPECT_FALSE(forgetful.complete());
  SubtreeAudit hasty(subject, {.recounted = 100}, {});
  hasty.recount(Position().board(), 5);
  EXPECT_LE(hasty.recounted(), 101U);
  EXPECT_FALSE(hasty.complete());
  EXPECT_FALSE(hasty.findings().any());
}

// In the order of the moves, the first is found; of wrong entries, the one with the fewest plies.
TEST(SubtreeAudit, ReportsTheShallowestWrongEntry) {
  const auto tables = tables_with({});
  const Position root;
  const Position one = root.after_unchecked(legal_moves(root)[3]);
  const Position two = one.after_unchecked(legal_moves(one)[5]);
  for (const auto& [position, depth] : {std::pair{one, 4}, {two, 3}}) {
    const ZobristKey key =
        tables->keys().key_from_scratch(position.board()) ^ tables->keys().depth(depth);
    tables->deep().store(key, tables->deep().bucket_of(key), 12'345);
  }
  SubtreeAudit audit({KernelPair(best_kernel()), tables->keys(), tables.get()}, {}, {});
  audit.recount(root.board(), 5);
  ASSERT_TRUE(audit.findings().wrong_entry);
  const WrongEntry& wrong = *audit.findings().wrong_entry;
  EXPECT_EQ(wrong.recounted.position.board(), two.board());
  EXPECT_EQ(wrong.recounted.depth, Depth(3));
  EXPECT_EQ(wrong.recounted.leaves, *count_nodes(two, Depth(3)));
  EXPECT_EQ(wrong.stored, 12'345U);
  EXPECT_FALSE(audit.findings().conclusive()) << "a false match may have brought it there";
}

TEST(KeyWalk, LooksAtEveryKeyThatACountComputes) {
  const auto tables = tables_with({});
  const AuditSubject subject{KernelPair(best_kernel()), tables->keys(), tables.get()};
  std::atomic<std::uint64_t> left = kUnlimited;
  KeyWalk walk(subject, nullptr, left);
  EXPECT_TRUE(walk.walk(Position().board(), 5, {}));
  // The children of the root, of 20 positions, and of 400: down to two plies from the end.
  EXPECT_EQ(walk.keys(), 20U + 400U + 8902U);
  EXPECT_FALSE(walk.findings().any());
}

TEST(KeyWalk, EndsAtItsBoundAndSharesIt) {
  const auto tables = tables_with({});
  const AuditSubject subject{KernelPair(best_kernel()), tables->keys(), tables.get()};
  std::atomic<std::uint64_t> left = 6'000;
  KeyWalk first(subject, nullptr, left);
  KeyWalk second(subject, nullptr, left);
  EXPECT_TRUE(first.walk(Position().board(), 4, {}));
  EXPECT_FALSE(second.walk(Position().board(), 5, {}));
  EXPECT_LE(first.keys() + second.keys(), 6'000U);
  EXPECT_EQ(left, 0U);
}

TEST(KeyWalk, StopsWhenAsked) {
  const KeySet keys;
  std::atomic<std::uint64_t> left = kUnlimited;
  KeyWalk walk({KernelPair(best_kernel()), keys}, nullptr, left);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(walk.walk(Position().board(), 30, stop.get_token()));
  EXPECT_EQ(walk.keys(), 0U);
}

}  // namespace
}  // namespace manyply
