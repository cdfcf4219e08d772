#include "tools/diagnose/kinds_in_tree.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "core/geometry.h"
#include "core/move_statistics.h"
#include "core/position.h"

namespace manyply {
namespace {

void add(MoveKinds& kinds, MoveKindSeen kind, bool is_one) {
  if (is_one) kinds.set(static_cast<std::size_t>(kind));
}

/// Returns the sliders that would attack the mover's king if the squares of `gone` were empty.
Bitboard sliders_on_king(const Board& board, Bitboard gone) {
  const Pieces& theirs = board.of(~board.side_to_move);
  const int king = lowest(board.of(board.side_to_move).king);
  const Bitboard occupied = board.occupied() & ~gone;
  return (bishop_attacks_by_walking(king, occupied) & theirs.bishops_queens) |
         (rook_attacks_by_walking(king, occupied) & theirs.rooks_queens);
}

/// Returns whether `piece`, a piece of the side to move, is pinned to its king.
bool is_pinned(const Board& board, Bitboard piece) {
  return (sliders_on_king(board, piece) & ~sliders_on_king(board, 0)) != 0;
}

bool has_pinned_piece(const Board& board) {
  const Pieces& own = board.of(board.side_to_move);
  for (Bitboard pieces = own.all() & ~own.king; pieces != 0; pieces &= pieces - 1) {
    if (is_pinned(board, pieces & -pieces)) return true;
  }
  return false;
}

/// Returns whether a pawn of the side to move attacks `passed`, but no en passant capture there is
/// legal. `passed` is the square that a double push has just passed.
bool forbids_en_passant(const Board& board, Square passed) {
  if (board.en_passant != 0) return false;
  const int rank = rank_of(passed) + (board.side_to_move == Color::kWhite ? -1 : 1);
  const auto is_captor = [&](int file) {
    return file >= 0 && file < 8 &&
           (board.of(board.side_to_move).pawns & bit(square_at(file, rank))) != 0;
  };
  return is_captor(file_of(passed) - 1) || is_captor(file_of(passed) + 1);
}

/// Returns the squares of `rank` from the lowest to the highest of `files`, both included.
Bitboard from_file_to_file(std::initializer_list<int> files, int rank) {
  const auto [first, last] = std::minmax(files);
  Bitboard squares = 0;
  for (int file = first; file <= last; ++file) squares |= bit(square_at(file, rank));
  return squares;
}

void add_castling_not_allowed(MoveKinds& kinds, const Board& board, const MoveList& moves) {
  const Pieces& own = board.of(board.side_to_move);
  const Square king = square_at(lowest(own.king));
  for (Bitboard rooks = board.castling & own.rooks_queens; rooks != 0; rooks &= rooks - 1) {
    const Square rook = square_at(lowest(rooks));
    const bool king_side = file_of(rook) > file_of(king);
    const int kings_end = king_side ? 6 : 2;
    const int rooks_end = king_side ? 5 : 3;
    const Bitboard pieces = board.occupied() & ~bit(king) & ~bit(rook);
    const Bitboard kings_way = from_file_to_file({file_of(king), kings_end}, rank_of(king));
    const Bitboard way =
        from_file_to_file({file_of(king), file_of(rook), kings_end, rooks_end}, rank_of(king));
    const bool allowed = std::ranges::any_of(
        moves, [&](Move move) { return move.kind() == MoveKind::kCastling && move.to() == rook; });
    const bool free = (way & pieces) == 0;
    add(kinds, MoveKindSeen::kCastlingForbidden, free && !allowed);
    add(kinds, MoveKindSeen::kCastlingBlocked, !free && (kings_way & pieces) == 0);
  }
}

MoveKinds kinds_of(const Position& position, Move move, const Position& next) {
  const MoveStatistics facts = statistics_of(position.board(), move);
  MoveKinds kinds;
  const auto has = [&](Statistic which) { return facts[which] != 0; };
  using enum MoveKindSeen;
  const bool castles = move.kind() == MoveKind::kCastling;
  const bool en_passant = move.kind() == MoveKind::kEnPassant;
  const bool check = next.in_check();
  // The squares of the rooks whose castling rights the move ends.
  const Bitboard ended = position.board().castling & ~next.board().castling;
  const Bitboard captured = ended & bit(move.to());
  const int checkers = popcount(position.checkers());
  const bool no_reply = legal_moves(next).empty();
  add(kinds, kCapture, has(Statistic::kCaptures));
  add(kinds, kDoubleStep, move.kind() == MoveKind::kDoublePush);
  add(kinds, kEnPassant, en_passant);
  add(kinds, kCastlingKingSide, castles && file_of(move.to()) > file_of(move.from()));
  add(kinds, kCastlingQueenSide, castles && file_of(move.to()) < file_of(move.from()));
  add(kinds, kRightLost, !castles && ended != captured);
  add(kinds, kRightCaptured, !castles && captured != 0);
  add(kinds, kPromotion, move.is_promotion());
  add(kinds, kPromotionCapture, move.is_promotion() && has(Statistic::kCaptures));
  add(kinds, kPromotionCheck, move.is_promotion() && check);
  add(kinds, kCheck, check);
  // The statistics do not count a mate as a check. Here, a mate is also a check.
  add(kinds, kDiscoveredCheck,
      has(Statistic::kDiscoveredChecks) || has(Statistic::kDirectDiscoveredChecks) ||
          has(Statistic::kDoubleDiscoveredChecks) || has(Statistic::kDiscoveredMates) ||
          has(Statistic::kDirectDiscoveredMates) || has(Statistic::kDoubleDiscoveredMates));
  add(kinds, kDoubleCheck, popcount(next.checkers()) > 1);
  add(kinds, kEnPassantCheck, en_passant && check);
  add(kinds, kEnPassantEvasion, en_passant && checkers > 0);
  add(kinds, kEnPassantPinned, en_passant && is_pinned(position.board(), bit(move.from())));
  add(kinds, kCastlingCheck, castles && check);
  add(kinds, kEvasion, checkers > 0);
  add(kinds, kDoubleEvasion, checkers > 1);
  add(kinds, kMate, no_reply && check);
  add(kinds, kStalemate, no_reply && !check);
  return kinds;
}

void look(const Position& position, std::optional<Square> passed, int plies, MoveKinds& kinds) {
  if (plies == 0) return;
  const MoveList moves = legal_moves(position);
  const Board& board = position.board();
  add(kinds, MoveKindSeen::kPinned, has_pinned_piece(board));
  add(kinds, MoveKindSeen::kEnPassantForbidden, passed && forbids_en_passant(board, *passed));
  add_castling_not_allowed(kinds, board, moves);
  for (const Move move : moves) {
    const Position next = position.after_unchecked(move);
    kinds |= kinds_of(position, move, next);
    const auto between = [&] { return square_at((index(move.from()) + index(move.to())) / 2); };
    look(next, move.kind() == MoveKind::kDoublePush ? std::optional(between()) : std::nullopt,
         plies - 1, kinds);
  }
}

}  // namespace

std::string_view words_for(MoveKindSeen kind) {
  constexpr std::array<std::string_view, kMoveKindsSeen> kWords{
      "captures",
      "double steps of pawns",
      "en passant captures",
      "castling on the king's side",
      "castling on the queen's side",
      "king or rook moves that end a castling right",
      "captures of a rook that has a castling right",
      "promotions",
      "promotions that capture",
      "promotions that give check",
      "checks",
      "discovered checks",
      "double checks",
      "en passant captures that give check",
      "en passant captures that answer a check",
      "en passant captures by a pawn that is pinned on the diagonal of the capture",
      "castling that gives check",
      "answers to a check",
      "answers to a double check",
      "checkmates",
      "stalemates",
      "en passant captures that would leave the king in check",
      "castling that is forbidden though the way is free",
      "castling with a piece in the way of only the rook",
      "pinned pieces"};
  return kWords.at(static_cast<std::size_t>(kind));
}

MoveKinds kinds_below(const Line& line, Depth depth) {
  MoveKinds kinds;
  look(line.here(), line.passed(), depth.plies(), kinds);
  return kinds;
}

}  // namespace manyply
