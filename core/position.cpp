#include "core/position.h"

#include <utility>

#include "core/fen.h"
#include "core/kernels/kernel_registry.h"

namespace manyply {
namespace {

const char* name_of(Color color) { return color == Color::kWhite ? "White" : "Black"; }

Error illegal(std::string field, int column, std::string message) {
  return {ErrorCode::kIllegal, std::move(field), column, std::move(message)};
}

void put(Pieces& pieces, PieceType type, Bitboard square) {
  switch (type) {
    case PieceType::kPawn:
      pieces.pawns |= square;
      break;
    case PieceType::kKnight:
      pieces.knights |= square;
      break;
    case PieceType::kBishop:
      pieces.bishops_queens |= square;
      break;
    case PieceType::kRook:
      pieces.rooks_queens |= square;
      break;
    case PieceType::kQueen:
      pieces.bishops_queens |= square, pieces.rooks_queens |= square;
      break;
    case PieceType::kKing:
      pieces.king |= square;
      break;
  }
}

/// Checks the number and placement of the pieces in `setup`. Returns an error for the first broken
/// rule; nullopt if no rule is broken.
std::optional<Error> pieces_error(const Setup& setup) {
  std::array<int, 2> kings{};
  std::array<int, 2> pieces{};
  for (int i = 0; i < kSquares; ++i) {
    const auto& piece = setup.pieces[static_cast<std::size_t>(i)];
    if (!piece) continue;
    const auto color = static_cast<std::size_t>(piece->color);
    const int column = setup.piece_column[static_cast<std::size_t>(i)];
    const std::string owner = name_of(piece->color);
    if (++pieces[color] > 16)
      return illegal("placement", setup.placement_column, owner + " has more than 16 pieces");
    if (piece->type == PieceType::kKing && ++kings[color] > 1) {
      return illegal("placement", column, owner + " has more than one king");
    }
    const int rank = rank_of(square_at(i));
    if (piece->type == PieceType::kPawn && (rank == 0 || rank == 7)) {
      return illegal("placement", column, "a pawn on " + to_string(square_at(i)));
    }
  }
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    if (kings[static_cast<std::size_t>(color)] == 0) {
      return illegal("placement", setup.placement_column,
                     std::string(name_of(color)) + " has no king");
    }
  }
  return std::nullopt;
}

/// Returns an error for the first castling right that is impossible: its king or rook is not in
/// place, or there is a second right on the same side of the king. Returns nullopt if all rights
/// are possible.
std::optional<Error> castling_error(const Setup& setup, const Board& board) {
  for (Bitboard rooks = setup.castling_rooks; rooks != 0;) {
    const int rook = pop_lowest(rooks);
    const std::string where = to_string(square_at(rook));
    const auto refuse = [&](std::string message) {
      return illegal("castling", setup.castling_column[static_cast<std::size_t>(rook)],
                     std::move(message));
    };
    const Color color = rook < 32 ? Color::kWhite : Color::kBlack;
    const Pieces& pieces = board.of(color);
    if ((back_rank(color) & bit(rook)) == 0)
      return refuse("a rook that can castle must be on its back rank, not on " + where);
    if ((pieces.rooks_queens & ~pieces.bishops_queens & bit(rook)) == 0)
      return refuse("no rook on " + where);
    if ((back_rank(color) & pieces.king) == 0)
      return refuse(std::string(name_of(color)) + "'s king is not on its back rank");
    const Bitboard behind = (bit(rook) - 1) & back_rank(color);
    const Bitboard ahead = ~((bit(rook) << 1) - 1) & back_rank(color);
    const Bitboard same_side = (pieces.king & behind) != 0 ? ahead : behind;
    if ((setup.castling_rooks & same_side) != 0)
      return refuse("two castling rights on the same side of the king");
  }
  return std::nullopt;
}

/// Returns an error if no pawn can have passed over the en passant square; nullopt otherwise.
std::optional<Error> en_passant_error(const Setup& setup, const Board& board) {
  const Square target = *setup.en_passant;
  const auto refuse = [&](const std::string& message) {
    return illegal("en passant", setup.en_passant_column, message);
  };
  const bool white_moves = board.side_to_move == Color::kWhite;
  if (rank_of(target) != (white_moves ? 5 : 2)) {
    return refuse(to_string(target) + " is not on the " + (white_moves ? "sixth" : "third") +
                  " rank");
  }
  const Bitboard passed = bit(target);
  const Bitboard pawn = white_moves ? passed >> 8 : passed << 8;
  const Bitboard start = white_moves ? passed << 8 : passed >> 8;
  if ((board.of(~board.side_to_move).pawns & pawn) == 0)
    return refuse("no pawn can have passed " + to_string(target));
  if ((board.occupied() & (passed | start)) != 0)
    return refuse("a pawn's path over " + to_string(target) + " is not free");
  return std::nullopt;
}

}  // namespace

Result<Position> Position::from_setup(const Setup& setup) {
  if (auto error = pieces_error(setup)) return *std::move(error);

  Board board;
  for (int i = 0; i < kSquares; ++i) {
    if (const auto& piece = setup.pieces[static_cast<std::size_t>(i)])
      put(board.of(piece->color), piece->type, bit(i));
  }
  board.side_to_move = setup.side_to_move;

  Board other_to_move = board;
  other_to_move.side_to_move = ~board.side_to_move;
  if (portable::checkers(other_to_move) != 0) {
    const int king = lowest(board.of(~board.side_to_move).king);
    return illegal("placement", setup.piece_column[static_cast<std::size_t>(king)],
                   std::string(name_of(~board.side_to_move)) + "'s king on " +
                       to_string(square_at(king)) + " is in check, but " +
                       name_of(board.side_to_move) + " is to move");
  }
  if (auto error = castling_error(setup, board)) return *std::move(error);
  board.castling = setup.castling_rooks;
  if (setup.en_passant) {
    if (auto error = en_passant_error(setup, board)) return *std::move(error);
    if (portable::en_passant_is_possible(board, *setup.en_passant))
      board.en_passant = bit(*setup.en_passant);
  }
  return Position(board);
}

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
