// Helpers for tests of counts and divides by configurations.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/configurations/leaf_kernel.h"
#include "core/fen.h"
#include "tests/parallel/jobs.h"
#include "tests/support/kernels_here.h"
#include "tests/support/positions.h"

namespace manyply {

inline JobSpec by_configurations(std::string_view fen, int depth, int threads = 2) {
  JobSpec spec = job_spec(fen, depth, threads);
  spec.method = Method::kConfigurations;
  return spec;
}

/// Returns the report of a job. The job must have been counted by configurations.
inline Report done_by_configurations(const JobSpec& spec) {
  Report report = run(spec);
  EXPECT_TRUE(report.matrix.has_value());
  EXPECT_FALSE(report.hash.has_value());
  return report;
}

/// Returns random pieces on the board or, in one case of four, a start position of Chess960.
inline std::string random_root(const Chooser& choose) {
  for (;;) {
    const std::string fen =
        choose(4) == 3 ? chess960_start(static_cast<int>(choose(960))) : piece_soup(choose);
    if (parse_position(fen)) return fen;
  }
}

/// Positions in which special rules change the count.
inline constexpr std::string_view kRulesOfBothSides[] = {
    // An en passant right at the root, for either side; two such rights; one capture that opens a
    // check.
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
    "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1",
    "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
    "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
    // Double pushes that can be captured en passant: by two pawns, by the only legal move, several
    // pushes in one position, at the first ply and later.
    "4k3/3p4/8/2P1P3/2p1p3/8/3P4/4K3 w - - 0 1",
    "4k3/3p4/8/2P1P3/2p1p3/8/3P4/4K3 b - - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
    // A double push that leaves the mover's king in check is illegal, so it gives no right.
    "4k3/8/8/8/2p1p3/8/3P4/2r1K3 w - - 0 1",
    "7k/8/8/6b1/2p1p3/8/3P4/2K5 w - - 0 1",
    "2k5/3p4/8/2P1P1B1/8/8/8/7K b - - 0 1",
    // En passant answers a check by the pawn, or blocks one.
    "8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 1",
    "8/8/2K5/8/k3p2R/8/3P4/8 w - - 0 1",
    // En passant one ply later, where lanes count: illegal pushes and illegal captures.
    "2r1k3/3p4/8/2P1P3/8/8/8/R3K3 w - - 0 1",
    "3k4/3p4/8/2P1P3/8/8/8/K2R4 w - - 0 1",
    "4k3/3p4/8/4P3/8/8/8/B3K3 w - - 0 1",
    "4k3/3p4/8/K3P2r/8/8/8/8 w - - 0 1",
    "7b/3p4/8/4P3/8/2K5/8/7k w - - 0 1",
    "8/3p1k2/8/4P1B1/8/8/8/K7 w - - 0 1",
    "5rk1/8/8/8/5p2/8/4P3/5K2 b - - 0 1",
    "2k5/3p4/8/2P1P3/6B1/8/8/K7 w - - 0 1",
    // Castling: over attacked squares, in check, with rooks that were captured or have moved.
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/4q3/8/8/8/R3K2R w KQkq - 0 1",
    "4k3/8/8/8/8/6n1/8/R3K2R w KQ - 0 1",
    "r3k2r/1b6/8/8/8/8/8/R3K2R b KQkq - 0 1",
    // Chess960: the rook protects its king from check, and castling would move the rook away.
    "4k3/8/8/8/8/8/8/qR1K3R w HB - 0 1",
    "qr1k3r/8/8/8/8/8/8/QR1K3R b HBhb - 0 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
    "6k1/8/8/8/8/8/8/1RK4R w BH - 0 1",
    "6kq/8/8/8/8/8/8/qRK4R b H - 0 1",
    "q6k/8/8/8/8/8/8/1RK5 w B - 0 1",
    "1q5k/8/8/8/8/8/8/1RK5 b B - 0 1",
    // Promotions with captures, with check, and of pawns that captured en passant.
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/P1k5/8/8/8/8/5K1p/8 w - - 0 1",
    "1n2k3/P7/8/8/8/8/p7/1N2K3 w - - 0 1",
    // Pins and double checks.
    "4k3/4r3/8/8/4B3/8/4R3/4K3 w - - 0 1",
    "3rk3/8/8/b7/8/2N5/8/3QK3 w - - 0 1",
    "4k3/8/4r3/8/4n3/8/8/4K3 b - - 0 1",
    // Positions with no move or one move.
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/8/8/8/8/8/r7/1r5K w - - 0 1",
};

}  // namespace manyply
