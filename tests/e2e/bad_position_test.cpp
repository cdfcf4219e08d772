// If a FEN is broken, the command prints one line with the field and the column, and no other
// output.
#include "tests/e2e/perft.h"

namespace manyply {
namespace {

struct Broken {
  const char* fen;
  const char* complaint;
};

// At least one for each field; tests/core/fen_test.cpp has every way to break one.
constexpr Broken kBroken[] = {
    {"", "placement: missing (column 1)"},
    {"4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",
     "placement: Black's king on e8 is in check, but White is to move (column 2)"},
    {"4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move: 'x' is neither 'w' nor 'b' (column 21)"},
    {"4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "castling: no rook on a1 (column 25)"},
    {"4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1", "en passant: no pawn can have passed d6 (column 27)"},
    {"4k3/8/8/8/8/8/8/4K3 w - - -1 1",
     "halfmove clock: '-1' is not a whole number of moves (column 27)"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 x",
     "fullmove number: 'x' is not a whole number of moves (column 29)"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", "FEN: '2' follows the last of the six fields (column 31)"},
    {"4k3/8/8/8/8/8/8/4K\n3 w - - 0 1",
     "placement: '\\x0A' is not a piece letter (pnbrqk or PNBRQK) (column 19)"},
    {"4k3/8/8/8/8/8/8/4K\xC3\xA9 w - - 0 1",
     "placement: 'é' (U+00E9) is not a piece letter (pnbrqk or PNBRQK) (column 19)"},
};

TEST(BadPosition, EveryFieldIsNamedWithItsColumn) {
  for (const auto& [fen, complaint] : kBroken) {
    SCOPED_TRACE(fen);
    expect_refusal(perft({"count", "2", "--fen", fen}), complaint);
  }
}

TEST(BadPosition, OneThatOnlyEndsEarlyIsSaidInFull) {
  for (const char* fen :
       {"4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w", "4k3/8/8/8/8/8/8/4K3 w -"})
    EXPECT_THAT(perft({"count", "1", "--fen", fen}).out,
                testing::HasSubstr("position   4k3/8/8/8/8/8/8/4K3 w - - 0 1\n"))
        << fen;
}

TEST(BadPosition, EveryCommandRefusesIt) {
  constexpr const char* kFen = "4k3/8/8/8/8/8/8/R3K3 w K - 0 1";
  constexpr const char* kComplaint = "castling: no rook on h1 (column 24)";
  expect_refusal(perft({"divide", "2", "--fen", kFen, "--format", "stockfish"}), kComplaint);
  expect_refusal(perft({"check", kFen, "2", "1"}), kComplaint);
  expect_refusal(perft({"perftree", "2", kFen}), kComplaint);
  expect_refusal(perft({"suite", "-"}, std::string(kFen) + " ;D1 1\n"),
                 "standard input:1: " + std::string(kComplaint));
}

TEST(BadPosition, CheckThatNoMoveCouldHaveGivenIsFine) {
  EXPECT_EQ(perft({"count", "2", "--fen", "4k3/8/3N1N2/8/8/8/8/4R1K1 b - - 0 1"}).exit_code, 0);
}

}  // namespace
}  // namespace manyply
