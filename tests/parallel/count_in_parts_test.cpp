// Counts by configurations in parts must have the same totals for any partition.

#include "parallel/matrix/count_in_parts.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "core/counting.h"
#include "parallel/matrix/matrix_cone.h"
#include "parallel/matrix/memory_estimate.h"
#include "parallel/matrix/part_table.h"
#include "tests/parallel/matrix_jobs.h"
#include "tests/support/kernels_here.h"
#include "tests/support/oracle.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;

TEST(CellSource, AfterCapturesLeadsToTheCellsOfAllRemainders) {
  const Configuration whole =
      configuration_of(parse_position(kKiwipeteFen).value().position.board(), Color::kWhite);
  const Cells cells(whole);
  constexpr std::array kTaken{11, 18, 36};  // d2, c3 and e5
  std::set<std::uint32_t> expected;
  Bitboard taken = 0;
  for (const int square : kTaken) {
    taken |= bit(square);
    for (const auto& lead : CellSource(cells, without(whole, square), Color::kWhite, 1).leads)
      expected.insert(lead.cell);
  }
  const CellSource robbed(cells, whole, taken, Color::kWhite, 2.5);
  EXPECT_EQ(robbed.weight, 2.5);
  std::set<std::uint32_t> cells_of_robbed;
  for (const auto& [cell, moves] : robbed.leads) {
    EXPECT_TRUE(cells_of_robbed.insert(cell).second) << "twice";
    EXPECT_EQ(moves, 0U);
  }
  EXPECT_EQ(cells_of_robbed, expected);
}

/// The weights of sources are not integers, so their sum depends on the order of addition.
TEST(PartTable, OnePartHasAllCells) {
  const Configuration root =
      configuration_of(parse_position(kKiwipeteFen).value().position.board(), Color::kWhite);
  const Cells cells(root);
  std::vector<LoneStep> steps;
  append_lone_moves(root, Color::kWhite, steps);
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<CellSource> sources;
    for (const LoneStep& step : steps) {
      const double weight = 0.1 * static_cast<double>(1 + random() % 1000);
      sources.emplace_back(cells, step.after, Color::kWhite, weight);
    }
    EXPECT_EQ(PartTable::of_size(cells, sources, 1).size(), 1U);
    EXPECT_EQ(PartTable(cells, sources, 1).size(), 1U);
    EXPECT_EQ(PartTable::of_size(cells, sources, 3).size(), 3U);
  }
}

/// The number of parts, and the number of plies that each part computes again.
struct Cut {
  std::size_t parts = 0;
  int cone_plies = 0;
};

struct Counting {
  const Kernel* kernel = &best_kernel();
  MatrixSpec::LastPlies last_plies = MatrixSpec::LastPlies::kWhateverPays;
  std::uint64_t most_bytes = std::uint64_t{1} << 30;
  int threads = 1;
};

/// Returns the count, which must exist.
MatrixCount counted(std::string_view fen, int depth, const Cut& cut, const Counting& how = {}) {
  const auto root = parse_position(fen).value();
  WhyNotCounted why_not;
  const auto count = count_by_configurations({.root = root.position,
                                              .depth = depth,
                                              .most_bytes = how.most_bytes,
                                              .last_plies = how.last_plies,
                                              .parts = cut.parts,
                                              .cone_plies = cut.cone_plies,
                                              .why_not = &why_not},
                                             Workforce(Workers(how.threads), how.kernel));
  EXPECT_TRUE(count.ok() && count.value()) << fen << ", depth " << depth << ": " << why_not.reason;
  return count.ok() && count.value() ? *count.value() : MatrixCount{};
}

/// All figures of a count must be independent of its parts.
void expect_same(const MatrixCount& cut, const MatrixCount& whole, const std::string& where) {
  EXPECT_EQ(cut.nodes, whole.nodes) << where;
  EXPECT_EQ(cut.report.rows, whole.report.rows) << where;
  EXPECT_EQ(cut.report.kernel_pairs, whole.report.kernel_pairs) << where;
  EXPECT_EQ(cut.report.lane_pairs, whole.report.lane_pairs) << where;
}

std::string described(std::string_view fen, int depth, const Cut& cut, const Kernel& kernel) {
  return std::string(fen) + ", depth " + std::to_string(depth) + ", " + std::to_string(cut.parts) +
         " parts, cones of " + std::to_string(cut.cone_plies) + ", " + std::string(kernel.name);
}

/// Compares counts in parts with the whole count, with and without lanes.
void compare_cuts(std::string_view fen, int depth, std::span<const std::size_t> parts,
                  std::span<const int> cone_plies, const Kernel& kernel = best_kernel()) {
  using LastPlies = MatrixSpec::LastPlies;
  for (const LastPlies last_plies : {LastPlies::kByKernel, LastPlies::kInLanes}) {
    const Counting how{.kernel = &kernel, .last_plies = last_plies};
    const MatrixCount whole = counted(fen, depth, {}, how);
    EXPECT_EQ(whole.report.parts, 1U);
    for (const int plies : cone_plies) {
      for (const std::size_t number : parts) {
        const Cut cut{number, plies};
        const std::string where = described(fen, depth, cut, kernel);
        const MatrixCount in_parts = counted(fen, depth, cut, how);
        expect_same(in_parts, whole, where);
        EXPECT_GE(in_parts.report.parts, 1U) << where;
        EXPECT_LE(in_parts.report.parts, number) << where;
      }
    }
  }
}

TEST(CountInParts, CountsWhatIsCountedWhole) {
  constexpr std::array<std::size_t, 3> kNumbers{1, 7, 200};
  for (const std::string_view fen : {std::string_view("startpos"), kKiwipeteFen}) {
    compare_cuts(fen, 3, kNumbers, std::array{0});
    compare_cuts(fen, 4, kNumbers, std::array{0});
  }
  compare_cuts("startpos", 5, kNumbers, std::array{0, 1, 2});
  compare_cuts(kKiwipeteFen, 5, std::array<std::size_t, 1>{200}, std::array{2});
  EXPECT_EQ(counted("startpos", 5, {7, 1}).report.parts, 7U);
  EXPECT_GE(counted(kKiwipeteFen, 5, {200, 2}).report.parts, 65U);
}

TEST(CountInParts, KnowsRulesThatBothSidesDecide) {
  constexpr std::array<std::size_t, 1> kNumber{5};
  for (const std::string_view fen : kRulesOfBothSides) {
    compare_cuts(fen, 3, kNumber, std::array{0});
    compare_cuts(fen, 4, kNumber, std::array{0});
    compare_cuts(fen, 5, kNumber, std::array{1, 2});
  }
}

/// Positions in which pawns push, capture or promote in each ply of a cone.
constexpr std::string_view kPawnsOnly[] = {
    "4k3/3p4/8/2P1P3/2p1p3/8/3P4/4K3 w - - 0 1", "4k3/3p4/8/2P1P3/2p1p3/8/3P4/4K3 b - - 0 1",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "8/P1k5/8/8/8/8/5K1p/8 w - - 0 1",
    "8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 1"};

TEST(CountInParts, CutsEveryPlyOfDeepCones) {
  constexpr std::array<std::size_t, 1> kNumber{4};
  for (const std::string_view fen : kPawnsOnly) {
    compare_cuts(fen, 6, kNumber, std::array{1, 2});
    compare_cuts(fen, 7, kNumber, std::array{1, 2, 3});  // needed for cones of 3 plies
  }
}

TEST(CountInParts, EveryKernelCountsTheSameParts) {
  for (const Kernel* kernel : kernels_here())
    compare_cuts(kKiwipeteFen, 4, std::array<std::size_t, 1>{5}, std::array{0}, *kernel);
  for (const Kernel* kernel : kernels_here())
    compare_cuts("startpos", 5, std::array<std::size_t, 1>{5}, std::array{1, 2}, *kernel);
}

/// Counts random positions in parts, at depths 3 to 6 up to a limit of leaves.
void compare_random_cuts(std::uint64_t seed, int positions, double most_leaves) {
  const Chooser choose = choose_by_seed(seed);
  std::array<int, 7> counts_at{};
  for (int done = 0; done < positions; ++done) {
    const std::string fen = random_root(choose);
    const Position root = parse_position(fen)->position;
    NodeCount last = count_nodes(root, Depth(2)).value();
    for (int depth = 3; depth <= 6 && last.approximate() * 20 <= most_leaves; ++depth) {
      last = count_nodes(root, Depth(depth)).value();
      const Cut cut{1 + choose(12), static_cast<int>(choose(3))};
      EXPECT_EQ(counted(fen, depth, cut).nodes, last) << described(fen, depth, cut, best_kernel());
      ++counts_at[static_cast<std::size_t>(depth)];
    }
  }
  for (int depth = 3; depth <= 6; ++depth)
    EXPECT_GT(counts_at[static_cast<std::size_t>(depth)], positions / 20) << depth;
}

TEST(CountInParts, CountsRandomPositions) { compare_random_cuts(31, 200, 3e5); }

TEST(CountInParts, CountsRandomPositionsSlow) { compare_random_cuts(32, 10'000, 2e7); }

/// Returns the rows, columns and paths of a stage.
std::vector<std::uint32_t> contents(const MatrixStage& stage) {
  std::vector<std::uint32_t> found = stage.row_was;
  found.insert(found.end(), stage.column_was.begin(), stage.column_was.end());
  for (std::size_t row = 0; row < stage.rows.size(); ++row) {
    const RowView view = stage.matrix.row(row);
    found.insert(found.end(), view.groups, view.groups + view.size);
    append_unpacked(view, found);
  }
  return found;
}

TEST(CountInParts, TurnsOverInSlices) {
  const Workers workers(2);
  const RowKernel& kernel = row_kernel_for(best_kernel());
  const auto after_plies = [&](std::size_t slices) {
    MatrixBudget budget(std::uint64_t{1} << 30);
    MatrixStage stage(parse_position(kKiwipeteFen)->position.board());
    for (int ply = 0; ply < 3; ++ply) {
      const MatrixPly played(std::move(stage), kernel, workers, {});
      stage = next_stage(played, workers, {}, budget, {.slices = slices});
    }
    EXPECT_GE(budget.used(), stage.matrix.bytes());
    return contents(stage);
  };
  const auto whole = after_plies(1);
  for (const std::size_t slices : {std::size_t{2}, std::size_t{5}, std::size_t{300}})
    EXPECT_EQ(after_plies(slices), whole) << slices;
}

TEST(CountInParts, DoesNotDependOnThreads) {
  const Counting by_kernel{.last_plies = MatrixSpec::LastPlies::kByKernel};
  const MatrixCount whole = counted("startpos", 6, {}, by_kernel);
  for (const int threads : kWorkerCounts)
    expect_same(
        counted("startpos", 6, {9, 1}, {.last_plies = by_kernel.last_plies, .threads = threads}),
        whole, std::to_string(threads));
}

TEST(CountInParts, CountsBeyondItsMemory) {
  constexpr auto kByKernel = MatrixSpec::LastPlies::kByKernel;
  const MatrixCount whole = counted("startpos", 7, {}, {.last_plies = kByKernel});
  const std::uint64_t bytes = whole.report.bytes / 2;
  std::size_t planned = 0;
  const Position root = parse_position("startpos")->position;
  const auto in_parts =
      count_by_configurations({.root = root,
                               .depth = 7,
                               .most_bytes = bytes,
                               .last_plies = kByKernel,
                               .on_plan = [&](const PartsPlan& plan) { planned = plan.parts; }},
                              Workforce(Workers(1)));
  ASSERT_TRUE(in_parts.ok() && in_parts.value());
  EXPECT_EQ(in_parts.value()->nodes, whole.nodes);
  EXPECT_EQ(in_parts.value()->report.rows, whole.report.rows);
  EXPECT_LE(in_parts.value()->report.bytes, bytes);
  EXPECT_GT(planned, 1U);
  EXPECT_GE(in_parts.value()->report.parts, planned);
}

/// More than 2^16 paths lead to some positions. Each kernel reads such numbers in its own way.
TEST(CountInParts, CountsPositionsThatManyPathsReach) {
  constexpr int kPlies = 12;  // of the matrix
  constexpr std::uint64_t kMostPairs = 64 * 64;
  EXPECT_GT(run(job_spec(kWalledKings, kPlies, 1, HashSpec{})).nodes, NodeCount(kMostPairs << 16));
  for (const int depth : {kPlies + 2, kPlies + 3}) {
    const NodeCount nodes = run(job_spec(kWalledKings, depth, 1, HashSpec{})).nodes;
    for (const Kernel* kernel : kernels_here()) {
      EXPECT_EQ(counted(kWalledKings, depth, {}, {.kernel = kernel}).nodes, nodes) << kernel->name;
      compare_cuts(kWalledKings, depth, std::array<std::size_t, 1>{5}, std::array{0, 1, 2, 3},
                   *kernel);
    }
  }
}

TEST(CountInParts, SaysWhyItCountsNothing) {
  const auto memory_helps = [](MatrixSpec spec) {
    WhyNotCounted why_not;
    spec.why_not = &why_not;
    EXPECT_FALSE(count_by_configurations(spec, Workforce(Workers(1))).value());
    EXPECT_NE(why_not.reason, "");
    return why_not.memory_helps;
  };
  const Position start = parse_position("startpos")->position;
  EXPECT_TRUE(memory_helps({.root = start, .depth = 7, .most_bytes = 1 << 16}));
  // More than 2^31 - 1 paths lead to one position. Parts do not help.
  const Position walled = parse_position(kWalledKings)->position;
  EXPECT_FALSE(memory_helps(
      {.root = walled, .depth = 24, .most_bytes = kMuch, .parts = 3, .cone_plies = 1}));
}

TEST(CountInParts, TellsOfItsProgress) {
  const Position root = parse_position("startpos")->position;
  Progress progress;
  const auto count = count_by_configurations(
      {.root = root, .depth = 6, .most_bytes = std::uint64_t{1} << 30, .parts = 5},
      Workforce(Workers(2), nullptr, {}, &progress));
  ASSERT_TRUE(count.ok() && count.value());
  const ProgressSnapshot shown = progress.snapshot();
  EXPECT_EQ(shown.leaves, 119'060'324);
  EXPECT_EQ(shown.units_done, shown.units_total);
  EXPECT_GT(shown.visited, 0U);
}

TEST(CountInParts, EndsWhenItIsStopped) {
  for (const std::uint64_t calls : {0U, 20U, 200U}) {
    const StoppingKernel stopping(calls);
    Progress progress;
    const Position root = parse_position("startpos")->position;
    const auto count = count_by_configurations(
        {.root = root,
         .depth = 6,
         .most_bytes = std::uint64_t{1} << 30,
         .last_plies = MatrixSpec::LastPlies::kByKernel,
         .parts = 9},
        Workforce(Workers(2), &stopping.kernel(), stopping.token(), &progress));
    ASSERT_FALSE(count.ok()) << calls;
    EXPECT_EQ(count.error().code, ErrorCode::kCancelled);
    EXPECT_LT(progress.snapshot().units_done, progress.snapshot().units_total);
  }
}

/// Roots and depths at which special rules matter.
constexpr FenAndDepth kPlanned[] = {{"startpos", 6},
                                    {kKiwipeteFen, 4},
                                    {"bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - 0 1", 5},
                                    {"8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3 0 28", 5},
                                    {"4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1", 7}};

/// Counts the parts of a plan like a process that has read the plan from a file or database.
class Reader {
 public:
  Reader(const Position& root, int depth, int cone_plies, int threads, const Kernel& kernel)
      : by_(Workers(threads), &kernel),
        counter_({.root = root,
                  .depth = depth,
                  .most_bytes = kMuch << cone_plies,
                  .last_plies = MatrixSpec::LastPlies::kByKernel,
                  .cone_plies = cone_plies},
                 by_) {}
  PartCounter& operator*() { return counter_; }

 private:
  const Workforce by_;
  PartCounter counter_;
};

TEST(PartCounter, PartsOfAPlanAddUpWhicheverProcessCountsThem) {
  for (const auto& [fen, depth] : kPlanned) {
    const Position root = parse_position(fen)->position;
    const MatrixCount whole =
        counted(fen, depth, {}, {.last_plies = MatrixSpec::LastPlies::kByKernel});
    const Workforce by(Workers(2));
    PartCounter maker({.root = root, .depth = depth, .most_bytes = kMuch, .parts = 7}, by);
    ASSERT_EQ(maker.prepare(), std::nullopt) << fen;
    const std::string plan = maker.plan();
    Reader one(root, depth, 0, 1, best_kernel());
    Reader two(root, depth, 2, 2, *kernels_here().front());
    for (Reader* reader : {&one, &two}) {
      ASSERT_EQ((**reader).prepare(plan), std::nullopt) << fen;
      EXPECT_EQ((**reader).plan(), plan);
    }
    PartCount sum;
    const std::size_t parts = maker.shares().size();
    EXPECT_GT(parts, 1U) << fen;
    for (std::size_t part = parts; part-- > 0;) {
      const PartCount counted_here = (part % 2 == 0 ? *one : *two).count(part).value();
      if (part < 3) {
        EXPECT_EQ((part % 2 == 0 ? *two : *one).count(part)->nodes, counted_here.nodes);
        EXPECT_EQ((part % 2 == 0 ? *two : *one).count(part)->rows, counted_here.rows);
      }
      sum += counted_here;
    }
    EXPECT_EQ(sum.nodes, whole.nodes) << fen;
    EXPECT_EQ(sum.rows, whole.report.rows) << fen;
    EXPECT_EQ(sum.kernel_pairs, whole.report.kernel_pairs) << fen;
  }
}

TEST(PartCounter, PlansAsManyPartsAsMemoryAndCallerAskFor) {
  const Position root = parse_position("startpos")->position;
  const Workforce by(Workers(1));
  const auto planned = [&](std::uint64_t bytes, std::size_t parts) {
    PartCounter counter({.root = root,
                         .depth = 7,
                         .most_bytes = bytes,
                         .last_plies = MatrixSpec::LastPlies::kByKernel,
                         .parts = parts},
                        by);
    EXPECT_EQ(counter.prepare(), std::nullopt);
    EXPECT_GT(counter.expected().bytes, 0U);
    EXPECT_LE(counter.expected().bytes, bytes);
    double work = 0;
    for (const PartShare& share : counter.shares()) work += share.work;
    EXPECT_NEAR(work, 1, 1e-6);
    EXPECT_EQ(counter.expected().parts, counter.shares().size());
    return counter.expected();
  };
  EXPECT_EQ(planned(kMuch, 0).parts, 1U);
  EXPECT_EQ(planned(kMuch, 12).parts, 12U);
  const MatrixCount whole =
      counted("startpos", 7, {}, {.last_plies = MatrixSpec::LastPlies::kByKernel});
  EXPECT_GT(planned(whole.report.bytes / 2, 0).parts, 1U);
}

TEST(PartCounter, RefusesWhatItCannotCount) {
  const Position root = parse_position("startpos")->position;
  const Workforce by(Workers(1));
  PartCounter other_plan({.root = root, .depth = 5, .most_bytes = kMuch}, by);
  EXPECT_EQ(other_plan.prepare("no plan")->code, ErrorCode::kInvalidInput);
  PartCounter small({.root = root, .depth = 7, .most_bytes = 1 << 16}, by);
  const auto error = small.prepare();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::kUnavailable);
  EXPECT_EQ(error->field, "memory");
  const Workforce stopped(Workers(1), nullptr, stopped_before());
  PartCounter counter({.root = root, .depth = 5, .most_bytes = kMuch}, stopped);
  EXPECT_EQ(counter.prepare()->code, ErrorCode::kCancelled);
}

TEST(PartCounter, IdentityIsOfRootDepthAndPlan) {
  const Board start = parse_position("startpos")->position.board();
  const Hash128 identity = parts_identity(start, 9, "ab");
  EXPECT_EQ(parts_identity(start, 9, "ab"), identity);
  EXPECT_NE(parts_identity(start, 8, "ab"), identity);
  EXPECT_NE(parts_identity(start, 9, "ba"), identity);
  EXPECT_NE(parts_identity(parse_position(kKiwipeteFen)->position.board(), 9, "ab"), identity);
}

// The sizes are roughly those of perft(9) from the start position.
TEST(PartMemory, TheLargestShareJustFits) {
  for (const int cone_plies : {0, 1, 2, 3}) {
    const PartMemory memory({.base_bytes = 1e9,
                             .growth = 12,
                             .cone_plies = cone_plies,
                             .columns = 10'000,
                             .sources = 100'000,
                             .workers = 2});
    const double whole = memory.part_bytes(1);
    EXPECT_GE(whole, memory.whole_stage_bytes());
    EXPECT_EQ(memory.most_share(1.01 * whole / PartMemory::kPlanned, 0.4), 0.4) << cone_plies;
    const double share = memory.most_share(0.7 * whole / PartMemory::kPlanned, 1);
    EXPECT_LT(memory.part_bytes(0.999 * share), 0.7 * whole) << cone_plies;
    EXPECT_GT(memory.part_bytes(1.001 * share), 0.7 * whole) << cone_plies;
    EXPECT_GT(memory.most_share(0, 1), 0) << cone_plies;
  }
  // Without legal moves there are no sources, and all parts have a share of 0.
  EXPECT_EQ(PartMemory({.cone_plies = 2}).part_bytes(0), 0);
}

}  // namespace
}  // namespace manyply
