#include "tools/diagnose/misplay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/geometry.h"
#include "core/position.h"

namespace manyply {
namespace {

enum class Fault {
  kNone,
  kRookStays,
  kRookTwice,
  kKingStays,
  kPawnStays,
  kQueenAlways,
  kVictimStays,
  kWrongVictim,
  kCapturedStays,
  kMoverTwice,
  kNotPlayed,
};
constexpr std::array kFaults{Fault::kRookStays,   Fault::kRookTwice,     Fault::kKingStays,
                             Fault::kPawnStays,   Fault::kQueenAlways,   Fault::kVictimStays,
                             Fault::kWrongVictim, Fault::kCapturedStays, Fault::kMoverTwice,
                             Fault::kNotPlayed};

void clear(Pieces& pieces, int square) {
  const Bitboard keep = ~bit(square);
  pieces.pawns &= keep;
  pieces.knights &= keep;
  pieces.bishops_queens &= keep;
  pieces.rooks_queens &= keep;
  pieces.king &= keep;
}

void put(Pieces& pieces, PieceType type, int square) {
  const Bitboard at = bit(square);
  const bool queen = type == PieceType::kQueen;
  if (type == PieceType::kPawn) pieces.pawns |= at;
  if (type == PieceType::kKnight) pieces.knights |= at;
  if (queen || type == PieceType::kBishop) pieces.bishops_queens |= at;
  if (queen || type == PieceType::kRook) pieces.rooks_queens |= at;
  if (type == PieceType::kKing) pieces.king |= at;
}

std::optional<PieceType> type_on(const Pieces& pieces, int square) {
  const Bitboard at = bit(square);
  if ((pieces.king & at) != 0) return PieceType::kKing;
  if ((pieces.bishops_queens & pieces.rooks_queens & at) != 0) return PieceType::kQueen;
  if ((pieces.rooks_queens & at) != 0) return PieceType::kRook;
  if ((pieces.bishops_queens & at) != 0) return PieceType::kBishop;
  if ((pieces.knights & at) != 0) return PieceType::kKnight;
  if ((pieces.pawns & at) != 0) return PieceType::kPawn;
  return std::nullopt;
}

/// Returns whether a program can play `move` on `before` with this fault.
bool applies(Fault fault, const Board& before, Move move) {
  const bool castling = move.kind() == MoveKind::kCastling;
  const bool captures = !castling && (before.of(~before.side_to_move).all() & bit(move.to())) != 0;
  switch (fault) {
    case Fault::kRookStays:
    case Fault::kRookTwice:
    case Fault::kKingStays:
      return castling;
    case Fault::kPawnStays:
      return move.is_promotion();
    case Fault::kQueenAlways:
      return move.is_promotion() && move.kind() != MoveKind::kPromoteQueen;
    case Fault::kVictimStays:
    case Fault::kWrongVictim:
      return move.kind() == MoveKind::kEnPassant;
    case Fault::kCapturedStays:
      return captures;
    case Fault::kMoverTwice:
      return !castling && (before.of(before.side_to_move).king & bit(move.from())) == 0;
    default:
      return true;
  }
}

/// Moves the pieces of `move` on `board` with this fault, and changes the side to move. `board` may
/// already differ from the true position.
void play(Board& board, Move move, Fault fault) {
  const Color us = board.side_to_move;
  Pieces& own = board.of(us);
  Pieces& theirs = board.of(~us);
  const int from = index(move.from());
  const int to = index(move.to());
  const int up = us == Color::kWhite ? 8 : -8;
  board.side_to_move = ~us;
  if (fault == Fault::kNotPlayed) return;
  if (move.kind() == MoveKind::kCastling) {
    const CastlingPath path = us == Color::kWhite ? castling_path<Color::kWhite>(from, to)
                                                  : castling_path<Color::kBlack>(from, to);
    const bool rook_leaves = fault != Fault::kRookStays && fault != Fault::kRookTwice;
    if (fault != Fault::kKingStays) clear(own, from);
    if (rook_leaves) clear(own, to);
    if (fault != Fault::kKingStays) put(own, PieceType::kKing, path.king_to);
    if (fault != Fault::kRookStays) put(own, PieceType::kRook, path.rook_to);
    return;
  }
  const std::optional<PieceType> type = type_on(own, from);
  if (!type) return;
  if (fault != Fault::kCapturedStays) clear(theirs, to);
  if (fault != Fault::kMoverTwice) clear(own, from);
  clear(own, to);
  const bool promotes = move.is_promotion() && fault != Fault::kPawnStays;
  put(own,
      !promotes                      ? *type
      : fault == Fault::kQueenAlways ? PieceType::kQueen
                                     : move.promoted_to(),
      to);
  if (move.kind() == MoveKind::kEnPassant && fault != Fault::kVictimStays)
    clear(theirs, fault == Fault::kWrongVictim ? to + up : to - up);
}

/// Copies the en passant square from `right`. Also copies each castling right whose rook square has
/// a rook or queen of the same side on `board`.
void keep_rights(Board& board, const Board& right) {
  board.castling = right.castling;
  board.en_passant = right.en_passant;
  for (const Color color : {Color::kWhite, Color::kBlack})
    board.castling &= ~back_rank(color) | board.of(color).rooks_queens;
}

Misplay named(Fault fault, const Position& before, Move move, CastlingNotation notation) {
  const std::string text = to_uci(move, notation);
  const std::string from = to_string(move.from());
  const std::string to = to_string(move.to());
  const auto after = [&](std::string_view what) { return fmt::format("after {} {}", text, what); };
  const int victim = index(move.to()) + (before.side_to_move() == Color::kWhite ? -8 : 8);
  switch (fault) {
    case Fault::kRookStays:
      return {Cause::kCastlingRookStays, after("the rook is still on " + to)};
    case Fault::kRookTwice:
      return {Cause::kCastlingRookStays,
              after("a rook is still on " + to + ", and another one stands beside the king")};
    case Fault::kKingStays:
      return {Cause::kMovePlayedWrong, after("the king is still on " + from)};
    case Fault::kPawnStays:
      return {Cause::kPromotedStaysPawn, after("the promoted piece is still a pawn")};
    case Fault::kQueenAlways:
      return {Cause::kPromotedToQueen, after("the promoted piece is a queen")};
    case Fault::kVictimStays:
      return {Cause::kEnPassantVictimStays,
              after("the captured pawn is still on " + to_string(square_at(victim)))};
    case Fault::kWrongVictim:
      return {Cause::kEnPassantVictimStays,
              after("the captured pawn is still on " + to_string(square_at(victim)) +
                    ", and the square beyond " + to + " is cleared")};
    case Fault::kCapturedStays:
      return {Cause::kCapturedStays,
              after("the captured piece is still used as if it stood on " + to)};
    case Fault::kMoverTwice:
      return {Cause::kMoverStays, after("the piece is still on " + from)};
    default:
      return {Cause::kMovePlayedWrong, after("the pieces stand as before")};
  }
}

/// Returns the board after `move` is played with `fault`; the true board if the move cannot have
/// this fault. For castling rights and the en passant square, see keep_rights().
Board board_after(const Position& before, Move move, Fault fault) {
  const Board right = before.after_unchecked(move).board();
  if (!applies(fault, before.board(), move)) return right;
  Board wrong = before.board();
  play(wrong, move, fault);
  keep_rights(wrong, right);
  return wrong;
}

/// Returns the number of paths of `depth` plies after `move`, if each move that can have the fault
/// is played with this fault. If `depth` is above 0 and `move` captures the king, returns 0.
std::uint64_t count_behind(const Position& before, Move move, int depth, Fault fault) {
  if (depth == 0) return 1;
  const bool captures_king = (before.board().of(~before.side_to_move()).king & bit(move.to())) != 0;
  if (captures_king) return 0;
  const Position position = position_unchecked(board_after(before, move, fault));
  const MoveList moves = legal_moves(position);
  if (depth == 1) return moves.size();
  std::uint64_t sum = 0;
  for (const Move next : moves) sum += count_behind(position, next, depth - 1, fault);
  return sum;
}

/// Returns the ways in which a program can play move `ply` of `line` wrong and all later moves
/// right.
std::vector<Misplay> misplays(const Line& line, std::size_t ply) {
  const std::vector<Position> past = line.positions();
  const Move wrong = line.moves()[ply];
  std::vector<Misplay> all;
  for (const Fault fault : kFaults) {
    if (!applies(fault, past[ply].board(), wrong)) continue;
    Misplay misplay = named(fault, past[ply], wrong, line.notation());
    misplay.board = past[ply].board();
    play(misplay.board, wrong, fault);
    for (std::size_t i = ply + 1; i < line.moves().size(); ++i)
      play(misplay.board, line.moves()[i], Fault::kNone);
    const Board& end = line.here().board();
    keep_rights(misplay.board, end);
    const bool kings = popcount(misplay.board.of(Color::kWhite).king) == 1 &&
                       popcount(misplay.board.of(Color::kBlack).king) == 1;
    if (kings && misplay.board != end) all.push_back(std::move(misplay));
  }
  return all;
}

}  // namespace

void play_pieces(Board& board, Move move) { play(board, move, Fault::kNone); }

std::optional<Misplay> misplay_that_lists(const Line& line, std::size_t ply,
                                          const std::set<std::string>& listed) {
  constexpr std::size_t kTimes = 3;
  const auto differences = [&](const Position& position) {
    const std::set<std::string> legal = legal_texts(position, line.notation());
    std::vector<std::string> different;
    std::ranges::set_symmetric_difference(legal, listed, std::back_inserter(different));
    return different.size();
  };
  const std::size_t in_truth = differences(line.here());
  std::optional<Misplay> best;
  std::size_t fewest = in_truth;
  for (Misplay& misplay : misplays(line, ply)) {
    const std::size_t here = differences(position_unchecked(misplay.board));
    if (kTimes * here >= in_truth || here >= fewest) continue;
    fewest = here;
    best = std::move(misplay);
  }
  return best;
}

std::optional<Misplay> misplay_that_counts(const Line& line, Depth depth,
                                           const Comparison::Row& row,
                                           const Comparison& divide_here) {
  constexpr int kDeepest = 4;
  if (depth.plies() < 2 || depth.plies() > kDeepest || !row.could_be.empty()) return std::nullopt;
  const auto wrong = std::ranges::count(divide_here.rows, false, &Comparison::Row::agrees);
  const Position& here = line.here();
  const auto makes = [&](Fault fault, const Comparison::Row& of) {
    return of.engine == NodeCount(count_behind(here, of.move, depth.plies() - 1, fault));
  };
  for (const Fault fault : kFaults) {
    if (!applies(fault, here.board(), row.move) || !makes(fault, row)) continue;
    Misplay found = named(fault, here, row.move, line.notation());
    // These faults apply to many kinds of moves. So they can explain a single wrong count by
    // chance.
    const bool any_move = found.cause == Cause::kCapturedStays ||
                          found.cause == Cause::kMoverStays ||
                          (found.cause == Cause::kMovePlayedWrong && fault != Fault::kKingStays);
    if (any_move && wrong == 1) continue;
    const auto makes_row = [&](const Comparison::Row& of) { return makes(fault, of); };
    if (std::ranges::all_of(divide_here.rows, makes_row)) return found;
  }
  return std::nullopt;
}

bool names_state(Cause cause) {
  constexpr std::array kOfState{Cause::kCastlingRightAfterCapture,
                                Cause::kCastlingRightAfterMove,
                                Cause::kCastlingWithoutRook,
                                Cause::kCastlingWithoutRight,
                                Cause::kCastlingRightLost,
                                Cause::kCastlingRightMisread,
                                Cause::kEnPassantTooLate,
                                Cause::kEnPassantWithoutDoublePush,
                                Cause::kEnPassantMissed,
                                Cause::kEnPassantEvasionMissed,
                                Cause::kEnPassantBlockMissed,
                                Cause::kEnPassantPinnedMissed,
                                Cause::kStopsAtDraw};
  return std::ranges::count(kOfState, cause) != 0;
}

}  // namespace manyply
