// Tests single plies of a count by configurations: their states must be the distinct positions.
// Compares inserting many configurations at once with inserting them one after another. Tests huge
// pages.
#include "parallel/matrix/matrix_ply.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <tuple>

#include "core/base/machine.h"
#include "core/configurations/large_array.h"
#include "parallel/matrix/insert_all.h"
#include "parallel/matrix/last_rows.h"
#include "parallel/matrix/matrix.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/progress.h"
#include "tests/parallel/jobs.h"
#include "tests/parallel/unique_plies.h"
#include "tests/support/positions.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

/// Returns the number of positions after `ply`. The pairs of the matrix are positions without an en
/// passant right. If all paths to a pair end with double pushes that give a right, the position
/// without a right does not occur.
std::uint64_t states_after(const MatrixPly& ply, const Kernel& kernel) {
  std::uint64_t states = 0;
  RowSums sums(ply.columns().size());
  std::vector<EnPassantChance> chances;
  for (std::size_t row = 0; row < ply.rows().size(); ++row) {
    ply.make_row(row, sums, chances);
    std::map<std::pair<std::uint32_t, int>, std::uint64_t> with_right;  // by column and square
    for (const EnPassantChance& chance : chances) {
      const LoneMove& push = chance.push;
      const Board before = board_of(with_pawn_moved(ply.rows()[row], push.to, push.from),
                                    ply.columns()[chance.column], ply.mover());
      const Board after = kernel.make_unchecked(
          before, Move(square_at(push.from), square_at(push.to), MoveKind::kDoublePush));
      if (after.en_passant != 0) with_right[{chance.column, push.passed()}] += chance.paths;
    }
    states += with_right.size();
    std::map<std::uint32_t, std::uint64_t> by_column;
    for (const auto& [place, paths] : with_right) by_column[place.first] += paths;
    for (std::size_t i = 0; i < sums.touched(); ++i) {
      for (std::size_t lane = 0; lane < kGroupColumns; ++lane) {
        const auto column = static_cast<std::uint32_t>(sums.touched(i) * kGroupColumns + lane);
        if (sums[column] == 0) continue;
        const auto known = by_column.find(column);
        states += known == by_column.end() || known->second != sums[column] ? 1 : 0;
      }
    }
    sums.clear();
    chances.clear();
  }
  return states;
}

std::vector<std::uint64_t> states_by_ply(const Position& root, int plies, const Kernel& kernel) {
  const Workers workers(1);
  MatrixBudget memory(std::uint64_t{1} << 40);  // no limit
  MatrixStage stage(root.board());
  std::vector<std::uint64_t> states;
  for (int i = 0; i < plies; ++i) {
    const MatrixPly ply(std::move(stage), row_kernel_for(kernel), workers, {});
    states.push_back(states_after(ply, kernel));
    stage = next_stage(ply, workers, {}, memory);
  }
  return states;
}

std::vector<std::uint64_t> distinct_by_ply(const NamedPosition& root, int plies) {
  UniqueSpec spec;
  spec.root = root;
  spec.depth = Depth(plies);
  spec.memory_bytes = std::uint64_t{256} << 20;
  spec.threads = 1;
  std::vector<std::uint64_t> distinct;
  for (const UniquePly& ply : plies_of(spec)) {
    if (ply.ply != 0) distinct.push_back(ply.distinct);
  }
  return distinct;
}

TEST(MatrixPly, StatesAreThePublishedPositions) {
  EXPECT_THAT(states_by_ply(parse_position("startpos")->position, 5, best_kernel()),
              ::testing::ElementsAre(20, 400, 5362, 72078, 822518));
}

TEST(MatrixPly, StatesAreThePublishedPositionsSlow) {
  EXPECT_THAT(states_by_ply(parse_position("startpos")->position, 7, best_kernel()),
              ::testing::ElementsAre(20, 400, 5362, 72078, 822518, 9417681, 96400068));
}

/// The ply must be the same, edge by edge, for every distribution of work.
TEST(MatrixPly, IsTheSameWithAnyNumberOfWorkers) {
  constexpr int kPlies = 4;
  std::vector<std::unique_ptr<MatrixPly>> alone;
  for (const int threads : kWorkerCounts) {
    const Workers workers(threads);
    MatrixBudget memory(std::uint64_t{1} << 40);
    MatrixStage stage(parse_position("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
                          ->position.board());
    for (std::size_t i = 0; i < kPlies; ++i) {
      auto ply = std::make_unique<MatrixPly>(std::move(stage), row_kernel_for(best_kernel()),
                                             workers, std::stop_token());
      stage = next_stage(*ply, workers, {}, memory);
      if (alone.size() == i) {
        alone.push_back(std::move(ply));
        continue;
      }
      const MatrixPly& other = *alone[i];
      ASSERT_EQ(ply->rows().size(), other.rows().size());
      ASSERT_EQ(ply->columns().size(), other.columns().size());
      for (std::size_t column = 0; column < other.columns().size(); ++column)
        ASSERT_EQ(ply->columns()[column], other.columns()[column]);
      for (std::size_t row = 0; row < other.rows().size(); ++row) {
        ASSERT_EQ(ply->rows()[row], other.rows()[row]);
        const auto [begin, end] = other.edges_of(row);
        ASSERT_EQ(ply->edges_of(row), other.edges_of(row));
        for (std::size_t edge = begin; edge < end; ++edge) {
          ASSERT_EQ(ply->edge(edge).source, other.edge(edge).source);
          ASSERT_EQ(ply->edge(edge).move, other.edge(edge).move);
        }
        const auto extra = ply->extra_of(row);
        ASSERT_TRUE(
            std::ranges::equal(extra, other.extra_of(row), [](const auto& a, const auto& b) {
              return std::tie(a.column, a.paths, a.edge, a.pushed_column) ==
                     std::tie(b.column, b.paths, b.edge, b.pushed_column);
            }));
      }
    }
  }
}

/// No row may begin after a stop, although a worker takes many rows at once.
TEST(MatrixPly, AStopEndsAStageWithinARow) {
  static std::stop_source stop;
  static int made = 0;  // changed by only one worker
  constexpr int kAsked = 100;
  RowKernel kernel = row_kernel_for(best_kernel());
  kernel.drop_illegal = [](const RowStep& step, const Pieces& row, RowSums& sums) {
    if (++made == kAsked) stop.request_stop();
    row_kernel_for(best_kernel()).drop_illegal(step, row, sums);
  };
  const Workers workers(1);
  MatrixBudget memory(std::uint64_t{1} << 40);
  MatrixStage stage(Position().board());
  for (int ply = 0; ply < 3; ++ply) {
    const MatrixPly played(std::move(stage), row_kernel_for(best_kernel()), workers, {});
    stage = next_stage(played, workers, {}, memory);
  }
  const MatrixPly ply(std::move(stage), kernel, workers, stop.get_token());
  ASSERT_GT(ply.rows().size(), 2 * kAsked);
  next_stage(ply, workers, stop.get_token(), memory);
  EXPECT_EQ(made, kAsked);
}

/// The cells of one group of rows can lie anywhere in the written matrix. In the worst case, each
/// cell is the first one on its page, and the system must clear the page. So there must be a poll
/// for every 64 cells. There must also be a poll for each row that is made, and two polls for each
/// row that is gathered.
TEST(MatrixPly, AMatrixIsTurnedOverAFewPagesAtATime) {
  const Workers workers(1);
  MatrixBudget memory(std::uint64_t{1} << 40);
  MatrixStage stage(Position().board());
  for (int ply = 1; ply <= 5; ++ply) {
    const MatrixPly played(std::move(stage), row_kernel_for(best_kernel()), workers, {});
    const CountedLooks stop;
    stage = next_stage(played, workers, stop, memory);
    std::uint64_t cells = 0;
    for (const RowChunk& chunk : stage.matrix.chunks) cells += chunk.size();
    const std::size_t gathered = stage.columns.size();
    EXPECT_GE(stop.looks(), played.rows().size() + 2 * gathered + cells / 64) << ply;
  }
}

/// A few chunks of rows take most of the time, so the shown progress must weigh chunks by their
/// work.
TEST(LastRows, TheShareThatIsShownIsThatOfTheWork) {
  struct Look {
    const Progress& progress;
    std::vector<ProgressSnapshot>& seen;
    bool stop_requested() const {  // the code under test calls it before each row
      seen.push_back(progress.snapshot());
      return false;
    }
  };
  const Workers workers(1);
  MatrixBudget memory(std::uint64_t{1} << 40);
  const Position root = parse_position("kiwipete")->position;
  MatrixStage stage(root.board());
  for (int ply = 0; ply < 2; ++ply) {
    const MatrixPly played(std::move(stage), row_kernel_for(best_kernel()), workers, {});
    stage = next_stage(played, workers, {}, memory);
  }
  const MatrixPly last(std::move(stage), row_kernel_for(best_kernel()), workers, {});
  LastRows below(last, root.board(), best_kernel(), workers, {});
  Progress progress;
  std::vector<ProgressSnapshot> seen;
  EXPECT_EQ(below.count(workers, Look{progress, seen}, progress), NodeCount(193'690'690));
  const ProgressSnapshot end = progress.snapshot();
  EXPECT_EQ(end.share_done(), 1);
  ASSERT_GT(seen.size(), last.rows().size());
  for (const ProgressSnapshot& look : seen) {
    const double work = static_cast<double>(look.visited) / static_cast<double>(end.visited);
    EXPECT_NEAR(look.share_done().value_or(0), work, 0.1);
  }
}

TEST(MatrixPly, StatesAreThePositionsThatBoardsTell) {
  const Chooser choose = choose_by_seed(24);
  std::vector<std::pair<std::string, int>> cases{
      {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3},
      {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4},
      {"4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", 5},
      {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 4}};
  while (cases.size() < 40) cases.emplace_back(piece_soup(choose), 3);
  for (const auto& [fen, plies] : cases) {
    const auto root = parse_position(fen);
    if (!root) continue;
    EXPECT_EQ(states_by_ply(root->position, plies, best_kernel()), distinct_by_ply(*root, plies))
        << fen;
  }
}

/// Returns configurations in which only one set can be non-empty. They are in random order, and
/// most occur more than once.
std::vector<Configuration> some_configurations(const Chooser& choose, std::size_t count) {
  std::vector<Configuration> items(count);
  for (Configuration& item : items) {
    Bitboard* const sets[] = {&item.pieces.pawns,          &item.pieces.knights,
                              &item.pieces.bishops_queens, &item.pieces.rooks_queens,
                              &item.pieces.king,           &item.castling};
    *sets[choose(6)] = choose(count / 16 + 1);
  }
  return items;
}

TEST(InsertAll, GivesTheNumbersOfOneAfterTheOther) {
  for (const int threads : kWorkerCounts) {
    const Chooser choose = choose_by_seed(40);
    const Workers workers(threads);
    ConfigurationSet one_by_one;
    ConfigurationSet set;
    for (const std::size_t count :
         std::initializer_list<std::size_t>{0, 1, 100, 20'000, 5'000, 60'000}) {
      const std::vector<Configuration> items = some_configurations(choose, count);
      std::vector<std::uint32_t> numbers(count);
      insert_all(set, items, numbers, workers);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(numbers[i], one_by_one.insert(items[i])) << i;
      ASSERT_EQ(set.size(), one_by_one.size());
      for (std::size_t number = 0; number < set.size(); ++number) {
        ASSERT_EQ(set[number], one_by_one[number]);
        ASSERT_EQ(set.find(set[number]), number);
      }
    }
  }
}

TEST(HugePages, AreThereFromTheFirstByteToTheLast) {
  constexpr std::size_t kCacheLine = 64;
  for (const std::size_t size : {1U, 100U, (2U << 20) - 1, 2U << 20, (5U << 20) + 3}) {
    LargeArray<std::uint8_t> array(size, huge_pages());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % kCacheLine, 0U) << size;
    for (std::size_t i = 0; i < size; i += 512) array[i] = static_cast<std::uint8_t>(i / 512);
    array[size - 1] = 77;
    for (std::size_t i = 0; i + 1 < size; i += 512)
      ASSERT_EQ(array[i], static_cast<std::uint8_t>(i / 512)) << size;
    EXPECT_EQ(array[size - 1], 77) << size;
  }
}

TEST(HugePages, VectorsGrowAcrossTheBound) {
  std::pmr::vector<std::uint32_t> numbers(huge_pages());
  for (std::uint32_t i = 0; i < 2'000'000; ++i) numbers.push_back(i);
  const std::pmr::vector<std::uint32_t> moved = std::move(numbers);
  for (std::uint32_t i = 0; i < moved.size(); ++i) ASSERT_EQ(moved[i], i);
}

TEST(HugePages, AreUsedAgainWhileOthersAreInUse) {
  constexpr std::size_t kSize = std::size_t{4} << 20;
  const LargeArray<std::uint8_t> other(kSize, huge_pages());
  const std::uint8_t* freed = nullptr;
  {
    LargeArray<std::uint8_t> array(kSize, huge_pages());
    array[kSize - 1] = 77;
    freed = array.data();
  }
  const LargeArray<std::uint8_t> again(kSize, huge_pages());
  EXPECT_EQ(again.data(), freed);
  EXPECT_EQ(again[kSize - 1], 77);
}

TEST(HugePages, PiecesOfALargeBlockAreUsedAgain) {
  if (!system_memory::can_free_parts()) GTEST_SKIP() << "the system frees whole blocks only";
  constexpr std::size_t kLarge = std::size_t{20} << 20;
  constexpr std::size_t kSmall = std::size_t{6} << 20;
  const LargeArray<std::uint8_t> other(kSmall, huge_pages());
  const std::uint8_t* freed = nullptr;
  {
    LargeArray<std::uint8_t> large(kLarge, huge_pages());
    for (std::size_t i = 0; i < kLarge; i += 4096) large[i] = 77;
    freed = large.data();
  }
  std::vector<LargeArray<std::uint8_t>> small;
  for (int i = 0; i < 2; ++i) {
    small.emplace_back(kSmall, huge_pages());
    EXPECT_GE(small.back().data(), freed);
    EXPECT_LE(small.back().data() + kSmall, freed + kLarge);
    for (std::size_t at = 0; at < kSmall; at += 512)
      small.back()[at] = static_cast<std::uint8_t>(i);
  }
  for (std::size_t i = 0; i < small.size(); ++i) {
    for (std::size_t at = 0; at < kSmall; at += 512) ASSERT_EQ(small[i][at], i);
  }
}

TEST(HugePages, KeptPagesCanBeReturned) {
  constexpr std::size_t kSize = std::size_t{4} << 20;
  const LargeArray<std::uint8_t> other(kSize, huge_pages());
  const auto last_byte_before_use = [&] {
    LargeArray<std::uint8_t> array(kSize, huge_pages());
    return std::exchange(array[kSize - 1], std::uint8_t{77});
  };
  last_byte_before_use();
  return_kept_pages(kSize);
  EXPECT_EQ(last_byte_before_use(), 77);
  return_kept_pages(0);
  EXPECT_EQ(last_byte_before_use(), 0);  // new pages are zero
}

TEST(HugePages, AreRefusedWhereThereAreNone) {
  const std::size_t too_many = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_THROW(static_cast<void>(huge_pages()->allocate(too_many, 8)), std::bad_alloc);
}

TEST(BlockArray, GrowsAndFreesItsFirstBlocks) {
  constexpr std::size_t kSize = 1'000'000;  // several blocks
  BlockArray<std::uint64_t> array(huge_pages());
  for (std::uint64_t i = 0; i < 1000; ++i) array.push_back(i);
  array.grow(kSize - 1000);
  for (std::uint64_t i = 1000; i < kSize; ++i) array[i] = i;
  for (std::uint64_t i = 0; i < kSize; ++i) ASSERT_EQ(array[i], i);
  array.free_before(kSize / 2);
  for (std::uint64_t i = kSize / 2; i < kSize; ++i) ASSERT_EQ(array[i], i);
  const BlockArray<std::uint64_t> moved = std::move(array);
  EXPECT_EQ(moved.size(), kSize);
  EXPECT_EQ(moved[kSize - 1], kSize - 1);
  EXPECT_EQ(array.size(), 0U);  // NOLINT(bugprone-use-after-move): the class defines this state
}

}  // namespace
}  // namespace manyply
