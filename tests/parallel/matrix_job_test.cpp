// Compares counts and divides by configurations with an oracle, with published values, and with
// counts that search the tree.
#include "parallel/matrix/matrix_job.h"

#include <gmock/gmock.h>

#include <memory_resource>

#include "core/configurations/leaf_kernel.h"
#include "core/configurations/row_kernel.h"
#include "core/counting.h"
#include "core/fen.h"
#include "core/known_values.h"
#include "parallel/matrix/matrix_divide.h"
#include "tests/parallel/matrix_jobs.h"
#include "tests/support/kernels_here.h"
#include "tests/support/one_by_one.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

JobSpec total_by_configurations(std::string_view fen, int depth, int threads = 2) {
  JobSpec spec = by_configurations(fen, depth, threads);
  spec.divide = false;
  return spec;
}

/// Returns the count. It must have been made by configurations.
NodeCount counted(const JobSpec& spec) { return done_by_configurations(spec).nodes; }
NodeCount counted(std::string_view fen, int depth) {
  return counted(total_by_configurations(fen, depth));
}

TEST(MatrixJob, CountsWhatIsPublished) {
  for (const std::string_view fen :
       {"startpos", "kiwipete", "position3", "position4", "position5", "position6"}) {
    for (int depth = kMinMatrixDepth; depth <= 5; ++depth) {
      const Report report = run(total_by_configurations(fen, depth));
      ASSERT_TRUE(report.matrix.has_value());
      EXPECT_EQ(report.known, KnownVerdict::kMatch) << fen << ", depth " << depth;
    }
  }
}

/// Counts all published values of the start position to depth 10, and those of five other positions
/// that take at most a minute. They cover both ways of counting the last two plies, at odd and even
/// depths.
TEST(MatrixJob, CountsWhatIsPublishedSlow) {
  constexpr std::uint64_t kMostLeaves = 500'000'000'000;
  int counted = 0;
  for (const EpdRecord& record : published_positions()) {
    const bool is_start = record.root.position == Position();
    for (const EpdCount& count : record.counts) {
      if (count.depth < Depth(kMinMatrixDepth)) continue;
      if (is_start ? count.depth > Depth(10) : count.nodes > NodeCount(kMostLeaves)) continue;
      JobSpec spec;
      spec.root = record.root;
      spec.depth = count.depth;
      spec.threads = 2;
      spec.method = Method::kConfigurations;
      const Report report = done_by_configurations(spec);
      EXPECT_EQ(report.nodes, count.nodes)
          << to_fen(record.root.position) << ", depth " << count.depth.plies();
      ++counted;
    }
  }
  EXPECT_GE(counted, 30);
}

TEST(MatrixJob, EveryKernelMakesTheSameRows) {
  for (const Kernel* kernel : kernels_here()) {
    JobSpec spec = total_by_configurations("kiwipete", 5);
    spec.kernel = kernel;
    EXPECT_EQ(counted(spec), NodeCount(193'690'690)) << kernel->name;
  }
}

/// The last two plies of one matrix, counted in every way.
struct LastPliesCount {
  NodeCount by_kernel;
  NodeCount in_lanes;
  MatrixReport report;  ///< report of the count in lanes
};

LastPliesCount both_ways(std::string_view fen, int depth, const Kernel& kernel) {
  const auto root = parse_position(fen).value();
  const auto count = [&](MatrixSpec::LastPlies last_plies) {
    return count_by_configurations({.root = root.position,
                                    .depth = depth,
                                    .most_bytes = std::uint64_t{1} << 30,
                                    .last_plies = last_plies},
                                   Workforce(Workers(1), &kernel))
        .value()
        .value();
  };
  const MatrixCount in_lanes = count(MatrixSpec::LastPlies::kInLanes);
  return {count(MatrixSpec::LastPlies::kByKernel).nodes, in_lanes.nodes, in_lanes.report};
}

TEST(MatrixJob, KnowsRulesThatBothSidesDecide) {
  for (const std::string_view fen : kRulesOfBothSides) {
    const auto position = oracle::parse(std::string(fen));
    for (int depth = kMinMatrixDepth; depth <= 4; ++depth) {
      const NodeCount truth(oracle::perft(position, depth));
      EXPECT_EQ(counted(fen, depth), truth) << fen << ", depth " << depth;
      for (const Kernel* kernel : kernels_here()) {
        const LastPliesCount counts = both_ways(fen, depth, *kernel);
        EXPECT_EQ(counts.by_kernel, truth) << fen << ", depth " << depth << ", " << kernel->name;
        EXPECT_EQ(counts.in_lanes, truth) << fen << ", depth " << depth << ", " << kernel->name;
      }
    }
  }
}

TEST(MatrixJob, CountsRandomPositionsAsTheOracleDoes) {
  const Chooser choose = choose_by_seed(20);
  for (int positions = 0; positions < 60; ++positions) {
    const std::string fen = random_root(choose);
    EXPECT_EQ(counted(fen, 3), NodeCount(oracle::perft(oracle::parse(fen), 3))) << fen;
  }
}

/// Counts `positions` random positions by configurations, with a table, and without a table: at
/// depths 2 to 6 up to a limit of leaves.
void compare_methods(std::uint64_t seed, int positions, std::uint64_t most_leaves) {
  const Chooser choose = choose_by_seed(seed);
  std::array<int, 7> counts_at{};
  for (int done = 0; done < positions;) {
    const std::string fen =
        done % 8 == 7 ? chess960_start(static_cast<int>(choose(960))) : piece_soup(choose);
    const auto root = parse_position(fen);
    if (!root) continue;
    ++done;
    NodeCount last = 0;
    for (int depth = 2; depth <= 6; ++depth) {
      if (depth > 2 && last.approximate() * 20 > static_cast<double>(most_leaves)) break;
      last = count_nodes(root->position, Depth(depth)).value();
      JobSpec hashed = job_spec(fen, depth, 1, HashSpec{.bytes = kMinHashBytes});
      hashed.method = Method::kHashed;
      EXPECT_EQ(run(hashed).nodes, last) << fen << ", depth " << depth;
      const Report report = run(total_by_configurations(fen, depth, 1));
      EXPECT_EQ(report.nodes, last) << fen << ", depth " << depth;
      EXPECT_EQ(report.matrix.has_value(), depth >= kMinMatrixDepth);
      ++counts_at[static_cast<std::size_t>(depth)];
    }
  }
  EXPECT_EQ(counts_at[2], positions);
  for (int depth = 3; depth <= 6; ++depth)
    EXPECT_GT(counts_at[static_cast<std::size_t>(depth)], positions / 20) << depth;
}

TEST(MatrixJob, CountsRandomPositionsAsOtherMethodsDo) { compare_methods(21, 60, 1'000'000); }

TEST(MatrixJob, CountsRandomPositionsAsOtherMethodsDoSlow) {
  compare_methods(25, 10'000, 50'000'000);
}

TEST(MatrixJob, LanesCountWhatTheKernelCounts) {
  const Chooser choose = choose_by_seed(22);
  for (const Kernel* kernel : kernels_here()) {
    std::array<std::uint64_t, 2> in_lanes{};  // indexed by the side to move
    for (int positions = 0; positions < 300;) {
      const std::string fen =
          positions % 3 == 0 ? chess960_start(static_cast<int>(choose(960))) : piece_soup(choose);
      const auto root = parse_position(fen);
      if (!root) continue;
      const LastPliesCount counts = both_ways(fen, 3 + positions % 2, *kernel);
      EXPECT_EQ(counts.in_lanes, counts.by_kernel) << fen << ", " << kernel->name;
      in_lanes[static_cast<std::size_t>(root->position.board().side_to_move)] +=
          counts.report.lane_pairs;
      ++positions;
    }
    EXPECT_THAT(in_lanes, ::testing::Each(::testing::Gt(100'000U)));
  }
}

TEST(MatrixJob, LanesCountWhatTheKernelCountsSlow) {
  const Chooser choose = choose_by_seed(23);
  for (const Kernel* kernel : kernels_here()) {
    for (int positions = 0; positions < 5'000;) {
      const std::string fen = piece_soup(choose);
      if (!parse_position(fen)) continue;
      const LastPliesCount counts = both_ways(fen, 3 + positions % 3, *kernel);
      EXPECT_EQ(counts.in_lanes, counts.by_kernel) << fen << ", " << kernel->name;
      ++positions;
    }
  }
}

/// Two plies and one ply above the leaves, some pairs have more paths than fit into 15 bits. Lanes
/// must also count these pairs.
TEST(MatrixJob, LanesDoNotOverflow) {
  for (const Kernel* kernel : kernels_here()) {
    for (int depth = 9; depth <= 14; ++depth) {
      const LastPliesCount counts = both_ways(kWalledKings, depth, *kernel);
      EXPECT_EQ(counts.in_lanes, counts.by_kernel) << depth << ", " << kernel->name;
      EXPECT_EQ(counts.in_lanes, run(job_spec(kWalledKings, depth, 1, HashSpec{})).nodes) << depth;
      EXPECT_EQ(counts.report.kernel_pairs, 0U) << depth << ", " << kernel->name;
    }
  }
}

/// Many chunks of rows. Some have pairs with more paths than fit into 15 bits.
TEST(MatrixJob, LanesDoNotOverflowInAnyChunk) {
  constexpr std::string_view kWalledBishops = "4kb2/8/8/p1p1p1p1/P1P1P1P1/8/8/4KB2 w - - 0 1";
  const int depth = 10;
  const NodeCount nodes = run(job_spec(kWalledBishops, depth, 1, HashSpec{})).nodes;
  for (const Kernel* kernel : kernels_here()) {
    const LastPliesCount counts = both_ways(kWalledBishops, depth, *kernel);
    EXPECT_EQ(counts.in_lanes, nodes) << kernel->name;
    EXPECT_EQ(counts.report.kernel_pairs, 0U) << kernel->name;
  }
}

TEST(MatrixJob, IsChosenWhereItPays) {
  JobSpec spec = total_by_configurations("startpos", 6);
  spec.method = Method::kAuto;
  EXPECT_FALSE(run(spec).matrix) << "nobody allows a table: the other opinion of a comparison";
  spec.hash = HashSpec{};
  EXPECT_TRUE(run(spec).matrix);
  spec.divide = true;
  EXPECT_TRUE(run(spec).matrix);
  spec.one_of_many = true;
  EXPECT_FALSE(run(spec).matrix) << "it is small";
  spec.depth = Depth(7);
  EXPECT_TRUE(run(spec).matrix);
  spec.one_of_many = false;
  spec.depth = Depth(4);
  EXPECT_FALSE(run(spec).matrix);
}

TEST(MatrixJob, AnswersDoNotDependOnThreads) {
  for (const int threads : kWorkerCounts) {
    const Report report = run(total_by_configurations("startpos", 6, threads));
    EXPECT_EQ(report.nodes, NodeCount(119'060'324)) << threads;
    ASSERT_TRUE(report.matrix);
    // This is the number of distinct positions after 4 plies.
    EXPECT_EQ(report.matrix->kernel_pairs, 72'078U);
    EXPECT_EQ(report.threads, threads);
  }
}

/// Counts shares in lanes and with the kernel, as totals and as divides, also with more shares than
/// chunks.
TEST(MatrixJob, SharesAddUp) {
  struct Count {
    std::string_view fen;
    int depth;
    std::size_t shares;
    bool divide;
  };
  for (const Count& count : {Count{"startpos", 7, 3, false}, Count{"startpos", 6, 2, true},
                             Count{"kiwipete", 4, 5, true}, Count{"startpos", 5, 40, false}}) {
    JobSpec spec = total_by_configurations(count.fen, count.depth);
    spec.divide = count.divide;
    const Report whole = run(spec);
    NodeCount nodes;
    std::vector<NodeCount> moves(whole.divide.size());
    std::size_t empty = 0;
    for (std::size_t share = 0; share < count.shares; ++share) {
      spec.share = {.number = share, .of = count.shares};
      const Report part = done_by_configurations(spec);
      nodes += part.nodes;
      if (part.nodes == NodeCount(0)) ++empty;
      ASSERT_EQ(part.divide.size(), moves.size());
      for (std::size_t move = 0; move < moves.size(); ++move)
        moves[move] += part.divide[move].nodes;
    }
    EXPECT_EQ(nodes, whole.nodes) << count.fen;
    for (std::size_t move = 0; move < moves.size(); ++move)
      EXPECT_EQ(moves[move], whole.divide[move].nodes) << count.fen << ", move " << move;
    EXPECT_LT(empty + 1, count.shares) << "one share has all";
  }
}

TEST(MatrixJob, AShareIsNotCountedInParts) {
  JobSpec spec = total_by_configurations("startpos", 8);
  spec.share = {.number = 0, .of = 2};
  spec.hash = HashSpec{.bytes = std::uint64_t{1} << 20};
  const auto report = run_job(spec, {}, nullptr);
  EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(report.error().field, "method");
}

/// Without lanes, a share has other chunks than with lanes. So all shares must use lanes. Only a
/// divide that is not a share may leave out lanes.
TEST(MatrixJob, AShareOfADivideDoesNotLeaveOutLanes) {
  const Position root = parse_position("startpos")->position;
  const auto counted = [&root](std::uint64_t bytes, CountShare share) {
    return count_by_configurations(
               {.root = root, .depth = 7, .most_bytes = bytes, .divide = true, .share = share},
               Workforce(Workers(1)))
        .value();
  };
  const auto with_lanes = counted(std::uint64_t{1} << 28, {});
  ASSERT_TRUE(with_lanes);
  EXPECT_GT(with_lanes->report.lane_pairs, 0U);
  // Memory that is enough for a whole count, but not for the tables of lanes.
  std::uint64_t without_lanes = with_lanes->report.bytes;
  std::optional<MatrixCount> whole = with_lanes;
  for (int step = 0; step < 20 && (whole->report.lane_pairs != 0 || whole->report.parts != 1);
       ++step) {
    without_lanes = without_lanes * 49 / 50;
    whole = counted(without_lanes, {});
    ASSERT_TRUE(whole);
  }
  EXPECT_EQ(whole->report.lane_pairs, 0U);
  EXPECT_EQ(whole->nodes, NodeCount(3'195'901'860));
  EXPECT_EQ(whole->report.parts, 1U);
  EXPECT_FALSE(counted(without_lanes, {.number = 0, .of = 2}));
}

TEST(MatrixJob, LanesDoNotDependOnThreads) {
  for (const int threads : kWorkerCounts) {
    const auto counted = count_by_configurations({.root = parse_position("startpos")->position,
                                                  .depth = 7,
                                                  .most_bytes = std::uint64_t{1} << 30,
                                                  .last_plies = MatrixSpec::LastPlies::kInLanes},
                                                 Workforce(Workers(threads), &best_kernel()));
    const MatrixCount count = counted.value().value();
    EXPECT_EQ(count.nodes, NodeCount(3'195'901'860)) << threads;
    EXPECT_GT(count.report.lane_pairs, 5'000'000U);
  }
}

TEST(MatrixJob, TellsOfItsProgress) {
  Progress progress;
  const auto report = run_job(total_by_configurations("startpos", 6), {}, &progress);
  const ProgressSnapshot shown = progress.snapshot();
  EXPECT_EQ(shown.leaves, 119'060'324);
  EXPECT_GT(shown.units_total, 1U);
  EXPECT_EQ(shown.units_done, shown.units_total);
  EXPECT_EQ(shown.visited, report->visited);
}

TEST(MatrixJob, EndsWhenItIsStopped) {
  EXPECT_EQ(run_job(total_by_configurations("startpos", 6), stopped_before()).error().code,
            ErrorCode::kCancelled);
}

/// The kernel requests a stop at its first call, in the middle of the count.
TEST(MatrixJob, EndsInTheMiddle) {
  const StoppingKernel stopping(0);
  JobSpec spec = total_by_configurations("startpos", 7);
  spec.kernel = &stopping.kernel();
  Progress progress;
  EXPECT_EQ(run_job(spec, stopping.token(), &progress).error().code, ErrorCode::kCancelled);
  EXPECT_LT(progress.snapshot().units_done, progress.snapshot().units_total / 2);
}

/// A chunk of 64 long rows takes long, so no row may begin after a stop.
TEST(MatrixJob, AStopEndsItWithinARow) {
  const Position root = parse_position("startpos")->position;
  const MatrixSpec spec{.root = root,
                        .depth = 7,
                        .most_bytes = std::uint64_t{1} << 30,
                        .last_plies = MatrixSpec::LastPlies::kByKernel};
  const auto whole = count_by_configurations(spec, Workforce(Workers(1)));
  const MatrixReport report = whole.value().value().report;
  const std::uint64_t calls_of_row = report.columns / WaitingPairs::kEnough + 1;

  const StoppingKernel stopping(0);
  const auto cut =
      count_by_configurations(spec, Workforce(Workers(1), &stopping.kernel(), stopping.token()));
  EXPECT_EQ(cut.error().code, ErrorCode::kCancelled);
  EXPECT_LE(stopping.calls_after(), static_cast<std::int64_t>(calls_of_row));
}

/// In a deep count, a chunk has thousands of blocks, and a side has millions of moves.
TEST(MatrixJob, LanesBeginNothingAfterAStop) {
  const LeafKernel& lanes = leaf_kernel_for(best_kernel());
  const Board root = Position().board();
  const std::vector<Configuration> rows{configuration_of(root, Color::kWhite)};
  const std::vector<Configuration> columns{configuration_of(root, Color::kBlack)};
  std::pmr::memory_resource* const memory = std::pmr::get_default_resource();
  LeafColumns leaf(Color::kBlack, columns, rows, first_to_last, memory);
  for (std::size_t block = 0; block < leaf.blocks().size(); ++block) leaf.fill(block);
  std::vector<std::uint32_t> paths(leaf_stride(columns.size()));
  paths[0] = 1;
  const std::uint64_t first = 1;
  std::stop_source stop;
  const std::stop_token token = stop.get_token();
  const LeafChunk chunk{.rows = rows,
                        .pairs = &first,
                        .paths = paths.data(),
                        .stride = leaf_stride(columns.size()),
                        .stop = token};
  const auto leaves = [&] {
    const auto count = lanes.count(leaf, chunk, best_kernel(), *lanes.make_scratch(leaf));
    return static_cast<std::uint64_t>(count.leaves);
  };
  EXPECT_EQ(leaves(), 400U);
  stop.request_stop();
  EXPECT_EQ(leaves(), 0U);
  EXPECT_FALSE(leaf.moved().empty());
  EXPECT_TRUE(
      LeafColumns(Color::kBlack, columns, rows, first_to_last, memory, token).moved().empty());
}

TEST(MatrixJob, WhatDoesNotFitIsAnErrorOrCountedHashed) {
  JobSpec spec = total_by_configurations("startpos", 7);
  spec.hash = HashSpec{.bytes = kMinHashBytes};
  const Result<Report> refused = run_job(spec, {});
  ASSERT_FALSE(refused.ok()) << "a named method is not exchanged";
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(refused.error().field, "method");
  spec.method = Method::kAuto;
  std::string reason;
  spec.on_fallback = [&reason](const std::string& why) { reason = why; };
  const Report report = run(spec);
  EXPECT_NE(report.method_reason, "");
  EXPECT_EQ(reason, report.method_reason);
  EXPECT_EQ(report.nodes, NodeCount(3'195'901'860));
  EXPECT_FALSE(report.matrix);
  EXPECT_TRUE(report.hash);
}

TEST(MatrixJob, MoreThan32BitsOfPathsToOnePositionAreCountedInAnotherWay) {
  JobSpec spec = total_by_configurations(kWalledKings, 0);
  spec.method = Method::kAuto;
  spec.hash = HashSpec{.bytes = 1 << 20};
  spec.on_fallback = [](const std::string& why) { ADD_FAILURE() << "no memory helps: " << why; };
  bool fits = true;
  for (int depth = 15; depth <= 24; depth += 3) {
    spec.depth = Depth(depth);
    const Report report = run(spec);
    JobSpec as_tree = spec;
    as_tree.method = Method::kHashed;
    EXPECT_EQ(report.nodes, run(as_tree).nodes) << depth;
    EXPECT_TRUE(fits || !report.matrix) << depth;
    fits = report.matrix.has_value();
  }
  EXPECT_FALSE(fits);
}

TEST(MatrixJob, IsNotForShallowCountsAndTraces) {
  JobSpec spec = total_by_configurations("startpos", 2);
  EXPECT_FALSE(run(spec).matrix);
  spec.depth = Depth(4);
  EXPECT_TRUE(run(spec).matrix);
  JobTrace trace;
  spec.trace = &trace;
  const Report traced = run(spec);
  EXPECT_FALSE(traced.matrix);
  EXPECT_EQ(traced.nodes, NodeCount(197'281));
}

TEST(MatrixJob, CountsNothingWhereNoMoveIsLegal) {
  EXPECT_EQ(counted("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 4), NodeCount(0));
  EXPECT_EQ(counted("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 5), NodeCount(0));
}

/// Returns the divide. It must have been counted by configurations.
std::vector<DivideEntry> divided(const JobSpec& spec) {
  const Report report = done_by_configurations(spec);
  NodeCount sum = 0;
  for (const DivideEntry& entry : report.divide) sum += entry.nodes;
  EXPECT_EQ(sum, report.nodes);
  return report.divide;
}

void expect_as_trees(const JobSpec& spec, const std::string& fen) {
  EXPECT_EQ(divided(spec), divide(spec.root.position, spec.depth).value())
      << fen << ", depth " << spec.depth.plies();
}

/// Returns the counts by move, in the oracle's notation.
std::map<std::string, std::uint64_t> by_move(const std::vector<DivideEntry>& divide,
                                             CastlingNotation notation) {
  std::map<std::string, std::uint64_t> rows;
  for (const DivideEntry& entry : divide) rows[to_uci(entry.move, notation)] = entry.nodes.low();
  return rows;
}

/// Compares the divide of `fen` with the oracle's.
void expect_as_the_oracle(std::string_view fen, int depth) {
  const JobSpec spec = by_configurations(fen, depth);
  EXPECT_EQ(by_move(divided(spec), spec.root.notation),
            oracle::divide(oracle::parse(std::string(fen)), depth))
      << fen << ", depth " << depth;
}

TEST(MatrixDivide, DividesAsTheOracleDoes) {
  for (const std::string_view fen : kRulesOfBothSides) {
    for (int depth = kMinMatrixDepth; depth <= 4; ++depth) expect_as_the_oracle(fen, depth);
  }
  for (int depth = kMinMatrixDepth; depth <= 4; ++depth) expect_as_the_oracle(kKiwipeteFen, depth);
}

/// Counts the last two plies with the kernel, and in the lanes of every kernel that has lanes.
void expect_in_lanes_as_the_oracle(std::string_view fen, int depth) {
  const auto root = parse_position(fen).value();
  const auto truth = oracle::divide(oracle::parse(std::string(fen)), depth);
  for (const Kernel* kernel : kernels_here()) {
    for (const auto last_plies :
         {MatrixSpec::LastPlies::kByKernel, MatrixSpec::LastPlies::kInLanes}) {
      const bool in_lanes = last_plies == MatrixSpec::LastPlies::kInLanes;
      const MatrixCount count = count_by_configurations({.root = root.position,
                                                         .depth = depth,
                                                         .most_bytes = std::uint64_t{1} << 30,
                                                         .last_plies = last_plies,
                                                         .divide = true},
                                                        Workforce(Workers(1), kernel))
                                    .value()
                                    .value();
      EXPECT_EQ(by_move(count.divide, root.notation), truth)
          << fen << ", depth " << depth << ", " << kernel->name << (in_lanes ? ", in lanes" : "");
      EXPECT_TRUE(in_lanes || count.report.lane_pairs == 0);
    }
  }
}

TEST(MatrixDivide, DividesInLanesAsTheOracleDoes) {
  for (const std::string_view fen : kRulesOfBothSides) {
    for (int depth = kMinMatrixDepth; depth <= 4; ++depth)
      expect_in_lanes_as_the_oracle(fen, depth);
  }
  for (const std::string_view fen :
       {kKiwipeteFen,
        std::string_view("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR b HFhf - 2 9")})
    expect_in_lanes_as_the_oracle(fen, kMinMatrixDepth);
  const Chooser choose = choose_by_seed(32);
  for (int positions = 0; positions < 60; ++positions)
    expect_in_lanes_as_the_oracle(random_root(choose), kMinMatrixDepth);
}

/// There are many chunks of rows, some of them short, and columns of several blocks.
TEST(MatrixDivide, DividesManyRowsInLanesAsTrees) {
  const Position start = parse_position("startpos")->position;
  for (const int depth : {6, 7}) {
    for (const int threads : {1, 3}) {
      const MatrixCount count =
          count_by_configurations({.root = start,
                                   .depth = depth,
                                   .most_bytes = std::uint64_t{1} << 30,
                                   .last_plies = MatrixSpec::LastPlies::kInLanes,
                                   .divide = true},
                                  Workforce(Workers(threads)))
              .value()
              .value();
      EXPECT_EQ(count.divide, run(job_spec("startpos", depth, 2, HashSpec{})).divide) << depth;
      EXPECT_GT(count.report.lane_pairs, count.report.kernel_pairs) << depth;
    }
  }
}

TEST(MatrixDivide, DividesDeeperAsTrees) {
  for (const std::string fen : {
           "startpos",
           "position3",
           "position4",
           "position5",
           "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
           "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
       }) {
    for (int depth = kMinMatrixDepth; depth <= 5; ++depth)
      expect_as_trees(by_configurations(fen, depth), fen);
  }
}

TEST(MatrixDivide, EveryKernelCarriesTheSameBack) {
  constexpr std::string_view kKiwipete =
      "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1";
  for (const Kernel* kernel : kernels_here()) {
    JobSpec spec = by_configurations(kKiwipete, 4);
    spec.kernel = kernel;
    expect_as_trees(spec, std::string(kernel->name));
  }
}

TEST(MatrixDivide, DividesRandomPositionsAsTheOracleDoes) {
  const Chooser choose = choose_by_seed(30);
  for (int positions = 0; positions < 60; ++positions) expect_as_the_oracle(random_root(choose), 3);
}

TEST(MatrixDivide, DividesRandomPositionsAsTreesSlow) {
  const Chooser choose = choose_by_seed(31);
  for (int positions = 0; positions < 10'000;) {
    const std::string fen = piece_soup(choose);
    if (!parse_position(fen)) continue;
    ++positions;
    const int depth = positions % 50 == 0 ? 5 : kMinMatrixDepth + positions % 2;
    expect_as_trees(by_configurations(fen, depth, 1), fen);
  }
}

/// Large values consist of several digits, with carries between them.
TEST(MatrixDivide, HasRoomForGreatValues) {
  for (const int depth : {10, 14}) {
    JobSpec as_tree = job_spec(kWalledKings, depth, 1, HashSpec{});
    EXPECT_EQ(divided(by_configurations(kWalledKings, depth)), run(as_tree).divide) << depth;
  }
  // Only kings: the values have more than 64 bits.
  const std::string kings = "8/8/8/3k4/8/3K4/8/8 w - - 0 1";
  const JobSpec as_tree = job_spec(kings, 24, 1);
  const Report trees = run(as_tree);
  ASSERT_FALSE(trees.nodes.fits_64_bits());
  JobSpec spec = as_tree;
  spec.method = Method::kConfigurations;
  EXPECT_EQ(run_job(spec, {}).error().code, ErrorCode::kUnavailable) << "more than 2^31 paths";
  spec.method = Method::kAuto;
  EXPECT_EQ(run(spec).divide, trees.divide);
}

TEST(MatrixDivide, DoesNotDependOnThreads) {
  const JobSpec hashed = job_spec("startpos", 7, 2, HashSpec{});
  const std::vector<DivideEntry> truth = run(hashed).divide;
  for (const int threads : kWorkerCounts)
    EXPECT_EQ(divided(by_configurations("startpos", 7, threads)), truth) << threads;
}

/// The kernel requests a stop while leaves are counted, so the divide ends before it has any
/// result.
TEST(MatrixDivide, EndsWhenItIsStopped) {
  const StoppingKernel stopping(0);
  JobSpec spec = by_configurations("startpos", 6);
  spec.kernel = &stopping.kernel();
  EXPECT_EQ(run_job(spec, stopping.token()).error().code, ErrorCode::kCancelled);
}

/// If memory cannot hold all plies, each root move is counted separately, whole or in parts.
TEST(MatrixDivide, CountsBelowEachRootMove) {
  for (const std::string_view fen : kRulesOfBothSides) {
    JobSpec spec = by_configurations(fen, kMinMatrixDepth + 1);
    spec.parts = 2;
    EXPECT_EQ(by_move(divided(spec), spec.root.notation),
              oracle::divide(oracle::parse(std::string(fen)), spec.depth.plies()))
        << fen;
  }
  JobSpec spec = by_configurations("startpos", 6);
  const std::vector<DivideEntry> truth = divided(spec);
  spec.parts = 3;
  Progress progress;
  const Report report = run_job(spec, {}, &progress).value();
  EXPECT_EQ(report.divide, truth);
  EXPECT_EQ(report.matrix->parts, 3 * truth.size());
  EXPECT_DOUBLE_EQ(progress.snapshot().share_done().value(), 1);
  EXPECT_DOUBLE_EQ(progress.snapshot().leaves, report.nodes.approximate());
}

/// A divide keeps all plies in memory, so it may not fit although the total does.
TEST(MatrixDivide, WhatDoesNotFitIsDividedInAnotherWay) {
  JobSpec spec = by_configurations("startpos", 7, 1);
  const std::vector<DivideEntry> truth = divided(spec);
  // Gives the divide only the memory that a total needs, which may not be enough for the tables of
  // lanes.
  spec.divide = false;
  const Report total = run(spec);
  ASSERT_TRUE(total.matrix);
  spec.divide = true;
  spec.method = Method::kAuto;
  spec.hash = HashSpec{.bytes = total.matrix->bytes};
  EXPECT_EQ(run(spec).divide, truth);
  spec.method = Method::kConfigurations;
  spec.hash = HashSpec{.bytes = kMinHashBytes};
  EXPECT_EQ(run_job(spec, {}).error().field, "method");
  spec.method = Method::kAuto;
  const Report report = run(spec);
  EXPECT_FALSE(report.matrix);
  EXPECT_TRUE(report.hash);
  EXPECT_EQ(report.divide, truth);
}

}  // namespace
}  // namespace manyply
