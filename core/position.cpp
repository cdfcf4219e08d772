#include "core/position.h"

#include "core/fen.h"
#include "core/kernels/kernel_registry.h"

namespace manyply {

Position::Position() : board_(from_setup(*parse_fen(kStartFen)).value().board_) {}

std::optional<Piece> Position::piece_on(Square square) const {
  const Bitboard b = bit(square);
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    const Pieces& pieces = board_.of(color);
    if ((pieces.pawns & b) != 0) return Piece{color, PieceType::kPawn};
    if ((pieces.knights & b) != 0) return Piece{color, PieceType::kKnight};
    if ((pieces.king & b) != 0) return Piece{color, PieceType::kKing};
    const bool diagonal = (pieces.bishops_queens & b) != 0;
    const bool orthogonal = (pieces.rooks_queens & b) != 0;
    if (diagonal && orthogonal) return Piece{color, PieceType::kQueen};
    if (diagonal) return Piece{color, PieceType::kBishop};
    if (orthogonal) return Piece{color, PieceType::kRook};
  }
  return std::nullopt;
}

Bitboard Position::checkers() const { return portable::checkers(board_); }

Position Position::after_unchecked(Move move) const {
  return Position(portable::kKernel.make_unchecked(board_, move));
}

MoveList legal_moves(const Position& position) {
  MoveList moves;
  portable::kKernel.generate(position.board(), moves);
  return moves;
}

}  // namespace manyply
