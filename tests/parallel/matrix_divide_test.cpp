// Divides by configurations against an oracle, published values, and the same divides as trees.

#include "parallel/matrix_divide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tests/parallel/jobs.h"
#include "tests/support/kernels_here.h"
#include "tests/support/oracle.h"
#include "tests/support/position_at.h"
#include "tests/support/random_positions.h"

namespace manyply {
namespace {

JobSpec divide_by_configurations(std::string_view fen, int depth, int threads = 2) {
  JobSpec spec = job_spec(fen, depth, threads);
  spec.method = Method::kConfigurations;
  return spec;
}

/// The divide, which must have been made by configurations.
std::vector<DivideEntry> divided(const JobSpec& spec) {
  const Report report = run(spec);
  EXPECT_TRUE(report.matrix.has_value());
  EXPECT_FALSE(report.hash.has_value());
  NodeCount sum = 0;
  for (const DivideEntry& entry : report.divide) sum += entry.nodes;
  EXPECT_EQ(sum, report.nodes);
  return report.divide;
}

void expect_as_trees(const JobSpec& spec, const std::string& fen) {
  EXPECT_EQ(divided(spec), divide(spec.root.position, spec.depth).value())
      << fen << ", depth " << spec.depth.plies();
}

/// By move, as the oracle has it.
std::map<std::string, std::uint64_t> by_move(const std::vector<DivideEntry>& divide,
                                             CastlingNotation notation) {
  std::map<std::string, std::uint64_t> rows;
  for (const DivideEntry& entry : divide) rows[to_uci(entry.move, notation)] = entry.nodes.low();
  return rows;
}

/// What rules of their own decide, each where the rule makes a difference.
TEST(MatrixDivide, DividesAsTheOracleDoes) {
  for (const std::string fen : {
           "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
           // Promotions, with captures and with checks.
           "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
           "1n2k3/P7/8/8/8/8/p7/1N2K3 w - - 0 1",
           // An en passant right at the root, of either side; twice; one that uncovers a check.
           "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
           "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1",
           "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
           "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
           // Double pushes that are answered en passant: by two pawns, as the only move, not at all
           // because the push is illegal; of several at once, after one ply and after more.
           "4k3/8/8/8/2p1p3/8/3P4/2r1K3 w - - 0 1",
           "4k3/3p4/8/2P1P3/2p1p3/8/3P4/4K3 w - - 0 1",
           "4k3/3p4/8/2P1P3/2p1p3/8/3P4/4K3 b - - 0 1",
           "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
           "8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 1",
           "7k/8/8/6b1/2p1p3/8/3P4/2K5 w - - 0 1",
           "5rk1/8/8/8/5p2/8/4P3/5K2 b - - 0 1",
           // Castling over attacked squares, and in Chess960, where the rook shields its king.
           "r3k2r/1b6/8/8/8/8/8/R3K2R b KQkq - 0 1",
           "4k3/8/8/8/8/8/8/qR1K3R w HB - 0 1",
           "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
           // No move, one move, check.
           "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
           "7k/8/8/8/8/8/r7/1r5K w - - 0 1",
           "3rk3/8/8/b7/8/2N5/8/3QK3 w - - 0 1",
       }) {
    const auto position = oracle::parse(fen);
    for (int depth = kMinMatrixDepth; depth <= 4; ++depth) {
      const JobSpec spec = divide_by_configurations(fen, depth);
      EXPECT_EQ(by_move(divided(spec), spec.root.notation), oracle::divide(position, depth))
          << fen << ", depth " << depth;
    }
  }
}

TEST(MatrixDivide, DividesDeeperAsTrees) {
  for (const std::string fen : {
           "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
           "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
           "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
           "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
           "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
           "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
       }) {
    for (int depth = kMinMatrixDepth; depth <= 5; ++depth)
      expect_as_trees(divide_by_configurations(fen, depth), fen);
  }
}

TEST(MatrixDivide, EveryKernelCarriesTheSameBack) {
  constexpr std::string_view kKiwipete =
      "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1";
  for (const Kernel* kernel : kernels_here()) {
    JobSpec spec = divide_by_configurations(kKiwipete, 4);
    spec.kernel = kernel;
    expect_as_trees(spec, std::string(kernel->name));
  }
}

TEST(MatrixDivide, DividesRandomPositionsAsTheOracleDoes) {
  const Chooser choose = choose_by_seed(30);
  int positions = 0;
  for (int tries = 0; positions < 60; ++tries) {
    const std::string fen =
        tries % 4 == 3 ? chess960_start(static_cast<int>(choose(960))) : piece_soup(choose);
    if (!parse_position(fen)) continue;
    ++positions;
    const JobSpec spec = divide_by_configurations(fen, 3);
    EXPECT_EQ(by_move(divided(spec), spec.root.notation), oracle::divide(oracle::parse(fen), 3))
        << fen;
  }
}

TEST(MatrixDivide, DividesRandomPositionsAsTreesSlow) {
  const Chooser choose = choose_by_seed(31);
  for (int positions = 0; positions < 10'000;) {
    const std::string fen = piece_soup(choose);
    if (!parse_position(fen)) continue;
    ++positions;
    const int depth = positions % 50 == 0 ? 5 : kMinMatrixDepth + positions % 2;
    expect_as_trees(divide_by_configurations(fen, depth, 1), fen);
  }
}

/// Values of many plies take several digits, and carry from one to the next.
TEST(MatrixDivide, HasRoomForGreatValues) {
  for (const int depth : {10, 14}) {
    JobSpec as_tree = job_spec(kWalledKings, depth, 1, HashSpec{});
    EXPECT_EQ(divided(divide_by_configurations(kWalledKings, depth)), run(as_tree).divide) << depth;
  }
  // Kings alone: more than 64 bits.
  const std::string kings = "8/8/8/3k4/8/3K4/8/8 w - - 0 1";
  const JobSpec as_tree = job_spec(kings, 24, 1);
  const Report trees = run(as_tree);
  ASSERT_FALSE(trees.nodes.fits_64_bits());
  JobSpec spec = as_tree;
  spec.method = Method::kConfigurations;
  EXPECT_EQ(run(spec).divide, trees.divide);
}

TEST(MatrixDivide, DoesNotDependOnThreads) {
  const JobSpec hashed = job_spec("startpos", 7, 2, HashSpec{});
  const std::vector<DivideEntry> truth = run(hashed).divide;
  for (const int threads : kWorkerCounts)
    EXPECT_EQ(divided(divide_by_configurations("startpos", 7, threads)), truth) << threads;
}

/// Stopped from within, where leaves are counted: nothing is carried back.
TEST(MatrixDivide, EndsWhenItIsStopped) {
  static std::stop_source stop;
  stop = {};
  Kernel kernel = best_kernel();
  kernel.count_two_plies = [](const Board* boards, std::size_t count, std::uint32_t* leaves) {
    stop.request_stop();
    return best_kernel().count_two_plies(boards, count, leaves);
  };
  JobSpec spec = divide_by_configurations("startpos", 6);
  spec.kernel = &kernel;
  const auto report = run_job(spec, stop.get_token());
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kCancelled);
}

/// All plies are kept for it, so it may not fit where the total does.
TEST(MatrixDivide, WhatDoesNotFitIsDividedInAnotherWay) {
  JobSpec spec = divide_by_configurations("startpos", 7, 1);
  const std::vector<DivideEntry> truth = divided(spec);
  spec.divide = false;
  const Report total = run(spec);
  ASSERT_TRUE(total.matrix);
  spec.divide = true;
  spec.hash = HashSpec{.bytes = total.matrix->bytes};
  const Report report = run(spec);
  EXPECT_FALSE(report.matrix);
  EXPECT_TRUE(report.hash);
  EXPECT_EQ(report.divide, truth);
}

}  // namespace
}  // namespace manyply
