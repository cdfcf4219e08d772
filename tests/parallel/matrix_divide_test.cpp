// Compares divides by configurations with an oracle, with published values, and with divides that
// search the tree.

#include "parallel/matrix/matrix_divide.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "core/counting.h"
#include "parallel/matrix/matrix_job.h"
#include "tests/parallel/matrix_jobs.h"
#include "tests/support/kernels_here.h"
#include "tests/support/oracle.h"
#include "tests/support/position_at.h"

namespace manyply {
namespace {

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

/// Many chunks of rows, some short ones, and columns of several blocks.
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

/// Stopped while leaves are counted: no values are carried back.
TEST(MatrixDivide, EndsWhenItIsStopped) {
  const StoppingKernel stopping(0);
  JobSpec spec = by_configurations("startpos", 6);
  spec.kernel = &stopping.kernel();
  const auto report = run_job(spec, stopping.token());
  EXPECT_EQ(report.error().code, ErrorCode::kCancelled);
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
  // The memory that a total needs. The tables of lanes may be too much for a divide.
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
