// For every way to break a FEN, the command prints one line with the field and the column, and no
// other output.
#include "tests/e2e/perft.h"

namespace manyply {
namespace {

struct Broken {
  const char* fen;
  const char* complaint;
};

constexpr Broken kBroken[] = {
    // Placement
    {"", "placement: missing (column 1)"},
    {"rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
     "placement: 'x' is not a piece letter (pnbrqk or PNBRQK) (column 14)"},
    {"rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
     "placement: '9' is not a piece letter (pnbrqk or PNBRQK) (column 19)"},
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP/RNBQKBNR w KQkq - 0 1",
     "placement: rank 2 has 7 squares, not 8 (column 34)"},
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPPP/RNBQKBNR w KQkq - 0 1",
     "placement: rank 2 has more than 8 squares (column 35)"},
    {"rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
     "placement: 7 ranks, not 8 (column 42)"},
    {"rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
     "placement: more than 8 ranks (column 37)"},
    {"rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
     "placement: two digits follow each other; write their sum (column 20)"},
    {"8/8/8/8/8/8/8/4K3 w - - 0 1", "placement: Black has no king (column 1)"},
    {"4k3/8/8/8/8/8/8/8 w - - 0 1", "placement: White has no king (column 1)"},
    {"4k3/8/8/8/8/8/4K3/4K3 w - - 0 1", "placement: White has more than one king (column 16)"},
    {"4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "placement: a pawn on a1 (column 17)"},
    {"p3k3/8/8/8/8/8/8/4K3 w - - 0 1", "placement: a pawn on a8 (column 1)"},
    {"4k3/8/8/8/8/NNNNNNNN/PPPPPPPP/4K3 w - - 0 1",
     "placement: White has more than 16 pieces (column 1)"},
    {"4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",
     "placement: Black's king on e8 is in check, but White is to move (column 2)"},
    // Side to move
    {"4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move: 'x' is neither 'w' nor 'b' (column 21)"},
    {"4k3/8/8/8/8/8/8/4K3 W - - 0 1", "side to move: 'W' is neither 'w' nor 'b' (column 21)"},
    // Castling
    {"4k3/8/8/8/8/8/8/4K2R w X - 0 1",
     "castling: 'X' is not a castling letter (KQkq, or the rook's file) (column 24)"},
    {"4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "castling: 'K' repeats a castling right (column 25)"},
    {"4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "castling: no rook on h1 (column 24)"},
    {"4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "castling: no rook on a1 (column 25)"},
    {"4k3/8/8/8/8/8/4K3/7R w K - 0 1",
     "castling: White's king is not on its back rank (column 24)"},
    {"4k3/8/8/8/8/8/8/4K2R w G - 0 1", "castling: no rook on g1 (column 24)"},
    {"4k3/8/8/8/8/8/8/4K1RR w HG - 0 1",
     "castling: two castling rights on the same side of the king (column 26)"},
    // En passant
    {"4k3/8/8/8/8/8/8/4K3 w - z9 0 1", "en passant: 'z9' is neither a square nor '-' (column 25)"},
    {"4k3/8/8/3pP3/8/8/8/4K3 w - d5 0 1", "en passant: d5 is not on the sixth rank (column 28)"},
    {"4k3/8/8/4P3/8/8/8/4K3 w - d6 0 1", "en passant: no pawn can have passed d6 (column 27)"},
    {"4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1",
     "en passant: a pawn's path over d6 is not free (column 30)"},
    // Clocks and the rest
    {"4k3/8/8/8/8/8/8/4K3 w - - x 1",
     "halfmove clock: 'x' is not a whole number of moves (column 27)"},
    {"4k3/8/8/8/8/8/8/4K3 w - - -1 1",
     "halfmove clock: '-1' is not a whole number of moves (column 27)"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 x",
     "fullmove number: 'x' is not a whole number of moves (column 29)"},
    {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", "FEN: '2' follows the last of the six fields (column 31)"},
    {"chess", "placement: 'c' is not a piece letter (pnbrqk or PNBRQK) (column 1)"},
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
