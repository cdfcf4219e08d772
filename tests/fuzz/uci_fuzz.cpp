// The first byte selects a position, and the other bytes are the text of a move. This text must
// give a useful error, or a legal move. Written again, the move must be read as the same move.

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/fen.h"
#include "core/position.h"
#include "tests/fuzz/expect.h"

using namespace manyply;

namespace {

constexpr std::array<std::string_view, 8> kPositions{
    kStartFen,
    kKiwipeteFen,
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1",  // promotions that capture a rook
    "4k3/8/8/1PpP4/8/8/8/4K3 w - c6 0 1",            // en passant from both sides
    "1rkr4/8/8/8/8/8/8/1RKR4 w DBdb - 0 1",          // king and rook next to each other
    "4k3/8/8/8/8/8/8/RR3K1R b HB - 0 1",             // an inner rook may castle
    "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1",              // mate: no move at all
    "8/PPPPPPPP/8/1k6/6K1/8/pppppppp/8 w - - 0 1",   // nothing but promotions
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto [position, given] = parse_position(kPositions[data[0] % kPositions.size()]).value();
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  for (const auto notation : {CastlingNotation::kStandard, CastlingNotation::kChess960}) {
    const Result<Move> move = parse_uci(position, text, notation);
    if (!move) {
      expect_useful(move.error(), text);
      continue;
    }
    expect(std::ranges::count(legal_moves(position), *move) == 1, "only legal moves are found");
    if (notation != given) continue;  // standard text is ambiguous for Chess960 castling
    const std::string again = to_uci(*move, notation);
    expect(*parse_uci(position, again, notation) == *move, "a move's text names it", again);
  }
  return 0;
}
