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

/// Counts like a program with this fault: returns the number of paths of `depth` plies after
/// `move`. The program plays `move` and each later move with the fault, if the fault applies to
/// that move. If `depth` is above 0 and `move` captures the king, returns 0.
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
    // These faults apply to many kinds of moves. If only one count is wrong, such a fault may give
    // the same count by chance.
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

namespace {

/// The moves that wrongly end a castling right.
enum class Loss { kNone, kPawn, kRook, kCapturedRook, kOwnMove, kAnyMove };
/// How a program sets and keeps the en passant square.
enum class Passed {
  kRight,           ///< as the rules of chess say
  kNever,           ///< a double step sets no square
  kKept,            ///< the square stays, and a capture there needs no enemy pawn beside the captor
  kKeptWithVictim,  ///< the square stays, and a capture there needs an enemy pawn beside the captor
  kAnyStep,         ///< every step of a pawn sets the square behind it
};

/// The rules by which a program updates castling rights and the en passant square. The default
/// values are the rules of chess.
struct Rules {
  bool keeps_captured = false;    ///< does not end the right of a captured rook
  bool keeps_moved_rook = false;  ///< does not end the right of a rook that has moved
  bool keeps_moved_king = false;  ///< does not end the rights of a king that has moved
  bool needs_no_rook = false;     ///< allows castling although the rook is gone
  bool makes_rook = false;        ///< with `needs_no_rook`: a rook appears beside the king
  Loss loss = Loss::kNone;
  Passed passed = Passed::kRight;
};

/// The rules of a program that breaks some rules of chess. `text` describes the broken rules: it
/// completes the sentence "every count is what it would be if …".
struct BrokenRules {
  Cause cause;
  std::string_view text;
  Rules rules;
};

constexpr auto kBrokenRules = [] {
  using enum Cause;
  return std::to_array<BrokenRules>({
      {kCastlingRightAfterCapture,
       "a castling right stayed when its rook was captured",
       {.keeps_captured = true}},
      {kCastlingRightAfterMove,
       "a castling right stayed when its rook moved",
       {.keeps_moved_rook = true}},
      {kCastlingRightAfterMove,
       "castling rights stayed when the king moved",
       {.keeps_moved_king = true}},
      {kCastlingRightAfterMove,
       "castling rights stayed when king or rook moved",
       {.keeps_moved_rook = true, .keeps_moved_king = true}},
      {kCastlingRightAfterMove,
       "no castling right ever ended",
       {.keeps_captured = true, .keeps_moved_rook = true, .keeps_moved_king = true}},
      {kCastlingWithoutRook,
       "the king castled although its rook was captured",
       {.keeps_captured = true, .needs_no_rook = true}},
      {kCastlingWithoutRook,
       "castling put a rook on the board in place of a captured rook",
       {.keeps_captured = true, .needs_no_rook = true, .makes_rook = true}},
      {kCastlingWithoutRook,
       "the king castled although its rook had moved or was captured",
       {.keeps_captured = true, .keeps_moved_rook = true, .needs_no_rook = true}},
      {kCastlingRightLost, "a pawn's move ended the castling rights", {.loss = Loss::kPawn}},
      {kCastlingRightLost, "a rook's move ended both castling rights", {.loss = Loss::kRook}},
      {kCastlingRightLost,
       "the capture of a rook ended both castling rights",
       {.loss = Loss::kCapturedRook}},
      {kCastlingRightLost,
       "each move ended the castling rights of its side",
       {.loss = Loss::kOwnMove}},
      {kCastlingRightLost, "each move ended all castling rights", {.loss = Loss::kAnyMove}},
      {kEnPassantMissed, "a double step set no en passant square", {.passed = Passed::kNever}},
      {kEnPassantTooLate,
       "the en passant square stayed after the next move",
       {.passed = Passed::kKept}},
      {kEnPassantTooLate,
       "the en passant square stayed after the next move",
       {.passed = Passed::kKeptWithVictim}},
      {kEnPassantWithoutDoublePush,
       "every pawn's step set an en passant square",
       {.passed = Passed::kAnyStep}},
  });
}();

/// A board, and the castling rights and the en passant square that a program assumes for this
/// board.
struct State {
  Board board;                  ///< board without castling rights and en passant square
  Bitboard rights = 0;          ///< squares of the rooks that have castling rights
  std::array<int, 2> kings{};   ///< squares from which the kings may castle, by color
  std::optional<int> passed{};  ///< the en passant square
};

constexpr std::size_t at(Color color) { return static_cast<std::size_t>(color); }

State state_of(const Position& position, std::optional<Square> passed) {
  State state{.board = position.board(), .rights = position.board().castling};
  for (const Color color : {Color::kWhite, Color::kBlack})
    state.kings[at(color)] = lowest(state.board.of(color).king);
  if (passed) state.passed = index(*passed);
  state.board.castling = state.board.en_passant = 0;
  return state;
}

/// A move. It may be castling with a rook that is gone; legal_moves() never generates such a move.
struct StateMove {
  Move move;
  bool without_rook = false;
};

bool is_king_safe(Board board, Color us) {
  board.side_to_move = us;
  return position_unchecked(board).checkers() == 0;
}

/// Returns the castling rights of the side to move, as squares of the rooks. Returns no rights if
/// the king of this side is not on its home square.
Bitboard usable_rights(const State& state) {
  const Color us = state.board.side_to_move;
  const bool at_home = (state.board.of(us).king & bit(state.kings[at(us)])) != 0;
  return at_home ? state.rights & back_rank(us) : 0;
}

void add_castling_without_rook(const State& state, std::vector<StateMove>& moves) {
  const Color us = state.board.side_to_move;
  const Pieces& own = state.board.of(us);
  const int king = state.kings[at(us)];
  for (Bitboard rights = usable_rights(state) & ~(own.rooks_queens & ~own.bishops_queens);
       rights != 0;) {
    const int rook = pop_lowest(rights);
    const CastlingPath path = us == Color::kWhite ? castling_path<Color::kWhite>(king, rook)
                                                  : castling_path<Color::kBlack>(king, rook);
    if ((path.empty & state.board.occupied()) != 0) continue;
    bool safe = is_king_safe(state.board, us);
    for (Bitboard way = path.safe; safe && way != 0;) {
      Board there = state.board;
      there.of(us).king = bit(pop_lowest(way));
      safe = is_king_safe(there, us);
    }
    if (safe) moves.push_back({Move(square_at(king), square_at(rook), MoveKind::kCastling), true});
  }
}

void add_en_passant(const State& state, const Rules& rules, std::vector<StateMove>& moves) {
  const Color us = state.board.side_to_move;
  if (!state.passed || (state.board.occupied() & bit(*state.passed)) != 0) return;
  const int victim = *state.passed + (us == Color::kWhite ? -8 : 8);
  const bool has_victim =
      victim >= 0 && victim < kSquares && (state.board.of(~us).pawns & bit(victim)) != 0;
  if (!has_victim && rules.passed != Passed::kKept) return;
  const Bitboard target = bit(*state.passed);
  Bitboard captors = (us == Color::kWhite ? pawn_attacks<Color::kBlack>(target)
                                          : pawn_attacks<Color::kWhite>(target)) &
                     state.board.of(us).pawns;
  while (captors != 0) {
    const Move move(square_at(pop_lowest(captors)), square_at(*state.passed), MoveKind::kEnPassant);
    Board next = state.board;
    play(next, move, Fault::kNone);
    if (is_king_safe(next, us)) moves.push_back({move});
  }
}

std::vector<StateMove> moves_of(const State& state, const Rules& rules) {
  const Color us = state.board.side_to_move;
  const Pieces& own = state.board.of(us);
  Board board = state.board;
  board.castling = usable_rights(state) & own.rooks_queens & ~own.bishops_queens;
  std::vector<StateMove> moves;
  for (const Move move : legal_moves(position_unchecked(board))) moves.push_back({move});
  if (rules.needs_no_rook) add_castling_without_rook(state, moves);
  add_en_passant(state, rules, moves);
  return moves;
}

Bitboard rights_left(const State& before, const StateMove& played, const Rules& rules) {
  const Color us = before.board.side_to_move;
  const Move move = played.move;
  const Pieces& own = before.board.of(us);
  const Bitboard from = bit(move.from());
  const bool castles = move.kind() == MoveKind::kCastling;
  const bool is_king = (own.king & from) != 0;
  const bool is_rook = (own.rooks_queens & ~own.bishops_queens & from) != 0;
  Bitboard ended = 0;
  if (is_king && !rules.keeps_moved_king) ended |= back_rank(us);
  if (is_rook && !rules.keeps_moved_rook) ended |= from;
  const Bitboard captured = castles ? 0 : before.rights & back_rank(~us) & bit(move.to());
  if (!rules.keeps_captured) ended |= captured;
  const bool loses_own = (rules.loss == Loss::kPawn && (own.pawns & from) != 0) ||
                         (rules.loss == Loss::kRook && is_rook) || rules.loss == Loss::kOwnMove;
  if (loses_own) ended |= back_rank(us);
  if (rules.loss == Loss::kCapturedRook && captured != 0) ended |= back_rank(~us);
  if (rules.loss == Loss::kAnyMove) ended = before.rights;
  return before.rights & ~ended;
}

std::optional<int> passed_after(const State& before, Move move, const Board& next,
                                const Rules& rules) {
  const Color us = before.board.side_to_move;
  const bool is_pawn = (before.board.of(us).pawns & bit(move.from())) != 0;
  const int from = index(move.from());
  const int to = index(move.to());
  const bool steps = is_pawn && from % 8 == to % 8 && !move.is_promotion();
  if (rules.passed == Passed::kAnyStep && steps) return to + (us == Color::kWhite ? -8 : 8);
  if (move.kind() == MoveKind::kDoublePush && rules.passed != Passed::kNever)
    return (from + to) / 2;
  const bool keeps = rules.passed == Passed::kKept || rules.passed == Passed::kKeptWithVictim;
  if (keeps && before.passed && (next.occupied() & bit(*before.passed)) == 0) return before.passed;
  return std::nullopt;
}

State after(const State& before, const StateMove& played, const Rules& rules) {
  const Color us = before.board.side_to_move;
  State next = before;
  if (played.without_rook) {
    const bool king_side = index(played.move.to()) > index(played.move.from());
    const int rank = index(played.move.from()) & 56;
    Pieces& own = next.board.of(us);
    own.king = bit(rank + (king_side ? 6 : 2));
    if (rules.makes_rook) own.rooks_queens |= bit(rank + (king_side ? 5 : 3));
    next.board.side_to_move = ~us;
  } else {
    play(next.board, played.move, Fault::kNone);
  }
  next.rights = rights_left(before, played, rules);
  next.passed = passed_after(before, played.move, next.board, rules);
  return next;
}

std::uint64_t count(const State& state, int depth, const Rules& rules) {
  if (depth == 0) return 1;
  const std::vector<StateMove> moves = moves_of(state, rules);
  if (depth == 1) return moves.size();
  std::uint64_t sum = 0;
  for (const StateMove& move : moves) sum += count(after(state, move, rules), depth - 1, rules);
  return sum;
}

bool explains_all(const State& state, const Rules& rules, Depth depth, const Comparison& divide) {
  return std::ranges::all_of(divide.rows, [&](const Comparison::Row& row) {
    return row.engine ==
           NodeCount(count(after(state, {row.move}, rules), depth.plies() - 1, rules));
  });
}

/// The square of a rook that has a castling right, and the square of another rook to which a
/// program may assign this right.
struct OtherRook {
  int meant;
  int taken;
};

std::vector<OtherRook> other_rooks(const Position& position) {
  const Board& board = position.board();
  std::vector<OtherRook> others;
  for (Bitboard rights = board.castling; rights != 0;) {
    const int meant = pop_lowest(rights);
    const Color color =
        (back_rank(Color::kWhite) & bit(meant)) != 0 ? Color::kWhite : Color::kBlack;
    const Pieces& own = board.of(color);
    const int king = lowest(own.king);
    Bitboard rooks = own.rooks_queens & ~own.bishops_queens & back_rank(color) & ~board.castling;
    while (rooks != 0) {
      const int rook = pop_lowest(rooks);
      if ((rook > king) == (meant > king)) others.push_back({meant, rook});
    }
  }
  return others;
}

std::string misread_text(const OtherRook& other) {
  return fmt::format("the castling right of the rook on {} is read as a right of the rook on {}",
                     to_string(square_at(other.meant)), to_string(square_at(other.taken)));
}

/// Returns the state at the end of `line` for a program that misreads the first position of `line`:
/// it gives the castling right of the rook on `other.meant` to the rook on `other.taken`.
State state_with(const OtherRook& other, const Line& line) {
  const std::vector<Position> past = line.positions();
  State state = state_of(past.front(), line.passed_at(0));
  state.rights = (state.rights & ~bit(other.meant)) | bit(other.taken);
  for (const Move move : line.moves()) state = after(state, {move}, Rules());
  return state;
}

}  // namespace

std::optional<Finding> state_fault_that_counts(const Line& line, Depth depth,
                                               const Comparison& divide) {
  constexpr double kMostPaths = 3e6;
  double paths = 0;
  for (const Comparison::Row& row : divide.rows) {
    if (!row.could_be.empty()) return std::nullopt;
    paths += row.ours.approximate();
  }
  if (paths > kMostPaths || depth.plies() < 2) return std::nullopt;
  std::vector<std::string> wrong;
  for (const Comparison::Row& row : divide.rows) {
    if (!row.agrees()) wrong.push_back(to_uci(row.move, line.notation()));
  }
  for (const OtherRook& other : other_rooks(line.here())) {
    if (explains_all(state_with(other, line.as_fen()), Rules(), depth, divide))
      return Finding{Cause::kCastlingRightMisread, misread_text(other), wrong};
  }
  const State here = state_of(line.here(), line.passed());
  for (const auto& [cause, text, rules] : kBrokenRules) {
    if (explains_all(here, rules, depth, divide))
      return Finding{cause, fmt::format("every count is what it would be if {}", text), wrong};
  }
  return std::nullopt;
}

std::optional<Finding> misread_right(const Line& line, const std::set<std::string>& listed) {
  const std::set<std::string> legal = legal_texts(line);
  if (legal == listed) return std::nullopt;
  for (const OtherRook& other : other_rooks(line.positions().front())) {
    std::set<std::string> moves;
    for (const StateMove& move : moves_of(state_with(other, line), Rules()))
      moves.insert(to_uci(move.move, line.notation()));
    if (moves != listed) continue;
    Finding finding{Cause::kCastlingRightMisread, misread_text(other)};
    std::ranges::set_symmetric_difference(legal, listed, std::back_inserter(finding.moves));
    return finding;
  }
  return std::nullopt;
}

}  // namespace manyply
