#include "hash/hashed_kernel.h"

#include <gtest/gtest.h>

#include <set>

#include "core/counting.h"
#include "core/fen.h"
#include "tests/hash/table_helpers.h"
#include "tests/support/budget.h"
#include "tests/support/epd_suite.h"
#include "tests/support/kernels_here.h"
#include "tests/support/positions.h"
#include "tests/support/stops.h"
#include "tests/support/system.h"

namespace manyply {
namespace {

/// One set of tables, for any number of counts and threads.
class Tables {
 public:
  struct Sizes {
    std::uint64_t deep = 64 * kKiB;
    std::uint64_t window = 16 * kKiB;
    std::size_t wide = 16;
    std::size_t stripes = 64;
    KeySpec keys = {};
  };

  explicit Tables(const Sizes& sizes)
      : keys_(sizes.keys),
        deep_(memory_of(sizes.deep), sizes.stripes),
        wide_(sizes.wide),
        shared_(memory_of(sizes.window), sizes.stripes),
        private_(memory_of(sizes.window)) {}

  /// Only one thread at a time may call it, because there is one private window.
  NodeCount count_private(const Board& board, int depth, const Kernel& kernel,
                          const std::stop_token& stop = {}) {
    SearchContextOf<DeepTable, PrivateWindow> context{keys_,    kernel, deep_, wide_,
                                                      private_, stop,   stats_};
    return hashed_kernel_for(kernel).count_private(board, keys_.key_from_scratch(board), depth,
                                                   context);
  }
  /// Any thread may call it.
  NodeCount count_shared(const Board& board, int depth, const Kernel& kernel,
                         const std::stop_token& stop = {}) {
    HashStats stats;
    SearchContextOf<DeepTable, SharedWindow> context{keys_,   kernel, deep_, wide_,
                                                     shared_, stop,   stats};
    return hashed_kernel_for(kernel).count_shared(board, keys_.key_from_scratch(board), depth,
                                                  context);
  }

  DeepTable& deep() { return deep_; }
  HashStats& stats() { return stats_; }

 private:
  KeySet keys_;
  DeepTable deep_;
  WideTable wide_;
  SharedWindow shared_;
  PrivateWindow private_;
  HashStats stats_;
};

struct Known {
  std::string_view fen;
  int depth;
  std::uint64_t nodes;
};

constexpr Known kKnown[] = {
    {kStartFen, 6, 119'060'324},
    {kKiwipeteFen, 5, 193'690'690},
    {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7, 178'633'661},
    {"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5, 15'833'292},
    {"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5, 89'941'194},
    {"4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", 5, 1'202'493},
};

TEST(HashedKernel, EachKernelHasItsOwn) {
  std::set<const HashedKernel*> seen;
  for (const Kernel& kernel : all_kernels()) {
    const HashedKernel& hashed = hashed_kernel_for(kernel);
    EXPECT_EQ(hashed.partner, kernel.hashed) << kernel.name;
    EXPECT_TRUE(kernel.needs.include(hashed.needs)) << kernel.name;
    EXPECT_TRUE(seen.insert(&hashed).second) << kernel.name;
  }
}

// All positions use the same tables, because entries of one position must not disturb the counts of
// another.
TEST(HashedKernel, EveryKernelCountsTheSuites) {
  const auto suites = load_suites_within(budget(400'000'000));
  for (const Kernel* const kernel : kernels_here()) {
    Tables tables({});
    for (const SuiteCase& suite : suites) {
      const int depth = suite.expected.depth.plies();
      if (depth < HashedKernel::kMinDepth) continue;
      const Board& board = suite.record.root.position.board();
      ASSERT_EQ(tables.count_private(board, depth, *kernel), suite.expected.nodes)
          << kernel->name << " " << suite.where << " depth " << depth;
      ASSERT_EQ(tables.count_shared(board, depth, *kernel), suite.expected.nodes)
          << kernel->name << " " << suite.where << " depth " << depth;
    }
  }
}

TEST(HashedKernel, AnswersDoNotDependOnSizesStripesAndSeeds) {
  const Tables::Sizes kSizes[] = {
      {.deep = 64, .window = 64, .wide = 1, .stripes = 1},
      {.deep = 64 * kKiB, .window = 16 * kKiB, .wide = 3, .stripes = 1, .keys = {.seed = 1}},
      {.deep = 1000 * 64, .window = 999 * 64, .wide = 1000, .stripes = 4096, .keys = {.seed = 2}},
      {.deep = 16 * kMiB, .window = 4 * kMiB, .wide = 1000, .keys = {.seed = 3}},
      {.deep = 16 * kMiB, .window = 4 * kMiB, .wide = 1000, .keys = {.seed = 3, .bits = 96}},
  };
  for (const Tables::Sizes& sizes : kSizes) {
    for (const Known& known : kKnown) {
      if (known.nodes > budget(200'000'000)) continue;
      Tables tables(sizes);
      EXPECT_EQ(tables.count_private(board_at(known.fen), known.depth, best_kernel()), known.nodes);
      EXPECT_EQ(tables.count_shared(board_at(known.fen), known.depth, best_kernel()), known.nodes);
    }
  }
}

TEST(HashedKernel, PositionsMayHaveMoreMovesThanAnyGame) {
  const Position root = position_at("1Q4Q1/4Q3/Q1Q4Q/Q4Q2/3Q4/1Q4Q1/pp2Q3/kBQ2K1Q w - - 0 1");
  for (const Kernel* const kernel : kernels_here()) {
    Tables tables({});
    const NodeCount nodes = tables.count_private(root.board(), 4, *kernel);
    CountStats unused;
    EXPECT_EQ(nodes, *count_nodes(root, Depth(4), *kernel, {}, unused));
    EXPECT_EQ(tables.count_shared(root.board(), 4, *kernel), nodes);
  }
}

// An endgame, in which a few seconds are enough for depths whose counts need the wide table.
TEST(HashedKernel, DeepCountsGoThroughTheWideTable) {
  constexpr std::string_view kFen = "8/8/8/2k5/8/8/5K2/8 w - - 0 1";
  const Position root = position_at(kFen);
  Tables tables({.deep = 4 * kMiB, .window = 4 * kMiB, .wide = 4096});
  const int depth = kIsFastBuild ? 9 : 8;
  EXPECT_EQ(tables.count_private(root.board(), depth, best_kernel()),
            *count_nodes(root, Depth(depth)));
  const auto& wide = tables.stats().by_depth[static_cast<std::size_t>(kWideDepth)];
  EXPECT_GT(wide.probes, 0U);
  EXPECT_GT(wide.hits + wide.stores, 0U);
}

/// Returns the sum of the counts of all children. It must equal the count of `root`.
NodeCount by_divide(Tables& tables, const Position& root, int depth) {
  NodeCount sum;
  for (const Move move : legal_moves(root))
    sum += tables.count_private(root.after_unchecked(move).board(), depth - 1, best_kernel());
  return sum;
}

TEST(HashedKernel, VeryDeepCountsAgreeWithTheirDivide) {
  const Position root = position_at("8/8/8/8/8/2k5/8/K7 w - - 0 1");
  const int depth = kIsFastBuild ? 40 : 14;
  Tables one({.deep = 4 * kMiB, .window = kMiB, .wide = 1 << 20});
  Tables other({.deep = 4 * kMiB, .window = kMiB, .wide = 1 << 20, .keys = {.seed = 9}});
  const NodeCount total = one.count_private(root.board(), depth, best_kernel());
  EXPECT_EQ(by_divide(other, root, depth), total);
  if (kIsFastBuild) {
    EXPECT_FALSE(total.fits_64_bits());
  }
}

TEST(HashedKernel, CountsAbove128BitsAreAnError) {
  Tables tables({.deep = 4 * kMiB, .window = kMiB, .wide = 1 << 20});
  EXPECT_THROW(tables.count_private(board_at("8/8/8/2k5/8/8/5K2/8 w - - 0 1"), 64, best_kernel()),
               CountOverflow);
}

TEST(HashedKernel, StatisticsAddUp) {
  Tables tables({.deep = 16 * kMiB, .window = 16 * kMiB});
  const TellingKernel telling;
  tables.count_private(Position().board(), 6, telling.kernel());
  const HashStats& stats = tables.stats();
  EXPECT_EQ(stats.by_depth[2].probes, stats.by_depth[2].hits + stats.kernel_calls);
  // Some positions at ply 4 are checkmate: a count of zero is not stored.
  EXPECT_EQ(stats.by_depth[2].stores, stats.kernel_calls - 4);
  std::uint64_t visited = stats.kernel_calls + telling.children();
  for (std::size_t depth = 3; depth <= 5; ++depth) {
    const HashStats::PerDepth& at = stats.by_depth[depth];
    EXPECT_EQ(at.stores, at.probes - at.hits);
    EXPECT_LE(at.replacements, at.stores);
    visited += at.stores;
  }
  EXPECT_EQ(stats.visited, visited);
  EXPECT_EQ(stats.by_depth[5].probes, 20U);
  EXPECT_EQ(stats.by_depth[4].probes, 400U);
  EXPECT_EQ(stats.by_depth[4].hits, 0U);
  // Each distinct position at ply 4 is counted once, except those whose entry was replaced.
  EXPECT_NEAR(static_cast<double>(stats.kernel_calls), 72'078, 72'078 * 0.01);
}

// A hashed count reports as visited the positions whose counts it found in no table. If it found no
// count at all, the number must equal that of a count without a table.
TEST(HashedKernel, VisitsWhatAnUnhashedCountVisitsWhereNothingIsFound) {
  for (const std::string_view fen :
       {std::string_view(kStartFen), std::string_view(kKiwipeteFen), kKnown[3].fen}) {
    for (const Kernel* kernel : kernels_here()) {
      Tables tables({.deep = kMiB, .window = kMiB});
      CountStats unhashed;
      EXPECT_EQ(tables.count_private(board_at(fen), 3, *kernel),
                NodeCount(kernel->count(board_at(fen), 3, {}, unhashed)));
      EXPECT_EQ(tables.stats().total().hits, 0U) << "no two moves lead to the same position";
      EXPECT_EQ(tables.stats().visited, unhashed.visited) << kernel->name << ' ' << fen;
    }
  }
}

TEST(HashedKernel, ASecondRunFindsEverything) {
  Tables tables({.deep = 16 * kMiB, .window = 16 * kMiB});
  const NodeCount first = tables.count_private(Position().board(), 6, best_kernel());
  const std::uint64_t calls = tables.stats().kernel_calls;
  EXPECT_EQ(tables.count_private(Position().board(), 6, best_kernel()), first);
  EXPECT_EQ(tables.stats().kernel_calls, calls);
}

TEST(HashedKernel, TheMostMovesAPositionCanHave) {
  constexpr std::string_view kFens[] = {
      "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
      "QQQQQQBk/Q6B/Q6Q/Q6q/q6Q/q6q/b6q/Kbqqqqqq w - - 0 1",
  };
  for (const std::string_view fen : kFens) {
    const Position root = position_at(fen);
    Tables tables({});
    EXPECT_EQ(tables.count_private(root.board(), 4, best_kernel()), *count_nodes(root, Depth(4)));
  }
}

TEST(HashedKernel, ManyThreadsShareTheTables) {
  const int threads = 8;
  for (const std::size_t stripes : {1U, 64U}) {
    Tables tables({.stripes = stripes});
    run_together(threads, [&](int thread) {
      // All threads count everything, each in another order.
      for (std::size_t i = 0; i < std::size(kKnown); ++i) {
        const Known& known = kKnown[(i + static_cast<std::size_t>(thread)) % std::size(kKnown)];
        if (known.nodes > budget(200'000'000)) continue;
        EXPECT_EQ(tables.count_shared(board_at(known.fen), known.depth, best_kernel()),
                  known.nodes);
      }
    });
  }
}

TEST(HashedKernel, ACancelledCountLeavesNothingWrongBehind) {
  constexpr std::string_view kEnding = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
  const Chooser choose = choose_by_seed(11);
  const std::uint64_t rounds = budget(128);
  int stopped = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Tables tables({.deep = kMiB, .window = 256 * kKiB, .wide = 64});
    for (int attempt = 0; attempt < 3; ++attempt) {
      const StoppingKernel stopping(choose(3'000));
      const std::stop_token token = stopping.token();
      if (choose(2) == 0) {
        tables.count_private(board_at(kEnding), 6, stopping.kernel(), token);
      } else {
        tables.count_shared(board_at(kEnding), 6, stopping.kernel(), token);
      }
      stopped += token.stop_requested() ? 1 : 0;
    }
    ASSERT_EQ(tables.count_private(board_at(kEnding), 6, best_kernel()), NodeCount(11'030'083));
    ASSERT_EQ(tables.count_shared(board_at(kEnding), 6, best_kernel()), NodeCount(11'030'083));
  }
  EXPECT_GT(stopped, 0);
}

TEST(HashedKernel, CancelledThreadsLeaveNothingWrongBehind) {
  const std::uint64_t rounds = budget(32);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Tables tables({.deep = 4 * kMiB, .window = kMiB, .wide = 64});
    std::stop_source stop;
    run_together(5, [&](int thread) {
      if (thread == 4) {
        std::this_thread::sleep_for(std::chrono::microseconds(1000 * round));
        stop.request_stop();
        return;
      }
      const Known& known = kKnown[thread % 2];
      tables.count_shared(board_at(known.fen), known.depth, best_kernel(), stop.get_token());
    });
    for (const Known& known : {kKnown[0], kKnown[1]})
      ASSERT_EQ(tables.count_shared(board_at(known.fen), known.depth, best_kernel()), known.nodes);
  }
}

TEST(HashedKernel, AStopBeforeTheStartCountsNothing) {
  Tables tables({});
  tables.count_private(Position().board(), 8, best_kernel(), stopped_before());
  EXPECT_EQ(tables.stats().kernel_calls, 0U);
  EXPECT_EQ(tables.deep().fill(), 0);
}

// A host's thread may have a stack of only 1 MiB, and a thread of macOS only half of that.
TEST(HashedKernel, DepthTakesLittleStack) {
  const Board kings = board_at("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
  for (const Kernel* const kernel : kernels_here()) {
    Tables tables({.deep = 16 * kMiB, .window = kMiB, .wide = 400'000});
    NodeCount nodes;
    on_small_stack([&] { nodes = tables.count_private(kings, 40, *kernel); });
    EXPECT_EQ(nodes, tables.count_shared(kings, 40, *kernel)) << kernel->name;
  }
}

// Tests the tests: a damaged entry of the table must change the total.
TEST(HashedKernel, ADamagedEntryIsBelieved) {
  Tables tables({.deep = 4 * kMiB, .window = kMiB});
  const NodeCount right = tables.count_private(Position().board(), 6, best_kernel());
  for (DeepBucket& bucket : tables.deep().buckets_for_testing()) {
    for (DeepEntry& entry : bucket.entries) entry.rest ^= entry.count() != 0 ? 1 : 0;
  }
  EXPECT_NE(tables.count_private(Position().board(), 6, best_kernel()), right);
}

}  // namespace
}  // namespace manyply
