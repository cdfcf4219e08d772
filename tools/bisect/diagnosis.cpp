#include "tools/bisect/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

#include "core/castling.h"
#include "core/geometry.h"
#include "core/movegen.h"

namespace manyply {
namespace {

struct CauseText {
  Cause cause;
  std::string_view name;
  std::string_view rule;
};

constexpr std::array kCauses{
    CauseText{Cause::kCastlingThroughAttack, "castling-through-attack",
              "castling, though the king passes over an attacked square"},
    CauseText{Cause::kCastlingIntoAttack, "castling-into-attack",
              "castling, though the king arrives on an attacked square"},
    CauseText{Cause::kCastlingOutOfCheck, "castling-out-of-check",
              "castling, though the king is in check"},
    CauseText{Cause::kCastlingThroughMen, "castling-through-men",
              "castling, though a man stands in the way of king or rook"},
    CauseText{Cause::kCastlingUncoversKing, "castling-uncovers-king",
              "castling, though the rook's leaving opens a line onto the king"},
    CauseText{Cause::kCastlingRightAfterCapture, "castling-right-after-capture",
              "a castling right is kept after its rook was captured"},
    CauseText{Cause::kCastlingRightAfterMove, "castling-right-after-move",
              "a castling right is kept after king or rook has moved"},
    CauseText{Cause::kCastlingWithoutRook, "castling-without-rook",
              "castling with a rook that is gone"},
    CauseText{Cause::kCastlingWithoutRight, "castling-without-right",
              "castling without having the right"},
    CauseText{Cause::kCastlingRightLost, "castling-right-lost",
              "a castling right is lost too early"},
    CauseText{Cause::kCastlingMissedRookAttacked, "castling-missed-rook-attacked",
              "castling is refused because of an attack beside the king's way: the rook may be "
              "attacked, and pass over attacked squares"},
    CauseText{Cause::kCastlingMissed, "castling-missed", "castling is missing"},
    CauseText{
        Cause::kEnPassantOpensRank, "en-passant-opens-rank",
        "en passant takes two pawns off the king's rank at once and discovers check along it"},
    CauseText{Cause::kEnPassantOpensLine, "en-passant-opens-line",
              "en passant, though it discovers check on the own king"},
    CauseText{Cause::kEnPassantTooLate, "en-passant-too-late",
              "en passant, though the double step was not the last move: the square is kept too "
              "long"},
    CauseText{Cause::kEnPassantWithoutDoublePush, "en-passant-without-double-push",
              "en passant, though no pawn has just made a double step over that square"},
    CauseText{Cause::kEnPassantEvasionMissed, "en-passant-evasion-missed",
              "in check, the en passant capture that ends the check is missing"},
    CauseText{Cause::kEnPassantMissed, "en-passant-missed", "an en passant capture is missing"},
    CauseText{Cause::kPromotionWithoutPiece, "promotion-without-piece",
              "a promotion is one move where it should be four: each piece is a move of its own"},
    CauseText{Cause::kUnderpromotionMissed, "underpromotion-missed",
              "promotions to some pieces are missing: queen, rook, bishop and knight are each a "
              "move"},
    CauseText{Cause::kPromotionMissed, "promotion-missed",
              "a pawn's move onto the last rank is missing"},
    CauseText{Cause::kPromotionWrong, "promotion-wrong",
              "a promotion away from the last rank, or to a man that is none of queen, rook, "
              "bishop, knight"},
    CauseText{Cause::kPinnedLeavesLine, "pinned-leaves-line",
              "a pinned man leaves the line of its pin"},
    CauseText{Cause::kPinnedMissed, "pinned-missed",
              "a pinned man may move along the line of its pin, but does not"},
    CauseText{Cause::kKingAlongRay, "king-along-ray",
              "the king steps back along the line of a checking man, in whose way it was itself"},
    CauseText{Cause::kKingCapturesProtected, "king-captures-protected",
              "the king captures a protected man"},
    CauseText{Cause::kKingIntoAttack, "king-into-attack", "the king steps onto an attacked square"},
    CauseText{Cause::kKingsAdjacent, "kings-adjacent", "the king steps next to the other king"},
    CauseText{Cause::kCheckIgnored, "check-ignored",
              "in check, a move that neither captures the checking man nor blocks its line"},
    CauseText{Cause::kDoubleCheckIgnored, "double-check-ignored",
              "in double check, another man than the king moves"},
    CauseText{Cause::kEvasionMissed, "evasion-missed", "in check, a move that ends it is missing"},
    CauseText{Cause::kCapturesOwn, "captures-own", "a man captures one of its own side"},
    CauseText{Cause::kCapturesKing, "captures-king", "a man captures the king"},
    CauseText{Cause::kWrapsAround, "wraps-around",
              "a man leaves the board and comes back on the "
              "other side"},
    CauseText{Cause::kJumps, "jumps", "a sliding man jumps over another man"},
    CauseText{Cause::kImpossible, "impossible", "a man moves as no such man can"},
    CauseText{Cause::kWrongSide, "wrong-side", "a man moves whose side is not to move"},
    CauseText{Cause::kNoManThere, "no-man-there",
              "a move from an empty square: the engine's board is another one"},
    CauseText{Cause::kDoublePushWrongRank, "double-push-wrong-rank",
              "a pawn's double step from another rank than its first"},
    CauseText{Cause::kDoublePushOverMan, "double-push-over-man",
              "a pawn's double step over or onto a man"},
    CauseText{Cause::kDoublePushMissed, "double-push-missed", "a pawn's double step is missing"},
    CauseText{Cause::kPawnCapturesAhead, "pawn-captures-ahead", "a pawn captures straight ahead"},
    CauseText{Cause::kPawnSlantsWithoutCapture, "pawn-slants-without-capture",
              "a pawn moves diagonally without capturing"},
    CauseText{Cause::kKingMoveMissed, "king-move-missed", "a legal move of the king is missing"},
    CauseText{Cause::kMoveMissed, "move-missed", "a legal move is missing"},
    CauseText{Cause::kNoMovesCounted, "no-moves-counted",
              "a position without a legal move is counted: stalemate and checkmate end a path "
              "early, which then does not count"},
    CauseText{Cause::kStopsAtDraw, "stops-at-draw",
              "the search stops at a draw: perft knows no draws"},
    CauseText{Cause::kStopsEarly, "stops-early", "no move is found where there are some"},
    CauseText{Cause::kListedTwice, "listed-twice", "a move is generated twice"},
    CauseText{Cause::kCountAtDepthOne, "count-at-depth-one",
              "a move counts as another number than one at depth 1"},
    CauseText{
        Cause::kBulkCount, "bulk-count",
        "moves are listed rightly, but counted wrong as a last ply: there they may be counted "
        "without being listed"},
    CauseText{
        Cause::kUndoDamage, "undo-damage",
        "the count behind a move is wrong, but right when the position after it is asked for: "
        "taking moves back may damage the position, a hash table may answer for another one, or a "
        "last ply that is not listed may be counted wrong"},
    CauseText{Cause::kMoveListWrong, "move-list-wrong",
              "the moves of this position; the engine tells none, so look at its list"},
    CauseText{
        Cause::kPlayedWrong, "played-wrong",
        "each position after one move is counted rightly when it is asked for, but all of them "
        "together are not: a move is played wrong (a castling right or an en passant square "
        "left behind) or taken back wrong, or a last ply that is not listed is counted wrong"},
    CauseText{Cause::kUnknown, "unknown", "no rule known to this program explains it"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    if (static_cast<std::size_t>(kCauses[i].cause) != i) return false;
  }
  return kCauses.size() == static_cast<std::size_t>(Cause::kUnknown) + 1;
}
static_assert(in_order());

constexpr std::size_t at(int square) { return static_cast<std::size_t>(square); }

/// Men of `by` that attack `square` when the board is occupied as told, `gone` excepted.
Bitboard attackers(const Board& board, int square, Color by, Bitboard occupied, Bitboard gone = 0) {
  const Men& men = board.of(by);
  const Bitboard target = bit(square);
  const Bitboard pawns = by == Color::kWhite ? pawn_attacks<Color::kBlack>(target)
                                             : pawn_attacks<Color::kWhite>(target);
  return ((pawns & men.pawns) | (kKnightAttacks[at(square)] & men.knights) |
          (kKingAttacks[at(square)] & men.king) |
          (bishop_attacks_by_walking(square, occupied) & men.diagonal) |
          (rook_attacks_by_walking(square, occupied) & men.orthogonal)) &
         ~gone;
}

/// A move as an engine wrote it.
struct Written {
  int from;
  int to;
  char promotion;  ///< 0 without
};

Written read(std::string_view text) {
  const auto square = [&](std::size_t i) { return (text[i] - 'a') + 8 * (text[i + 1] - '1'); };
  return {square(0), square(2), text.size() > 4 ? text[4] : '\0'};
}

/// The same question for every invented move: what is wrong with it?
class Judge {
 public:
  explicit Judge(const Line& line)
      : line_(line),
        position_(line.here()),
        board_(position_.board()),
        us_(board_.side_to_move),
        them_(~us_),
        occupied_(board_.occupied()),
        king_(lowest(board_.of(us_).king)),
        checkers_(position_.checkers()) {}

  struct Verdict {
    Cause cause;
    std::string detail;
  };

  [[nodiscard]] Verdict invented(const std::string& text) const {
    const Written move = read(text);
    const auto piece = position_.piece_on(square_at(move.from));
    if (!piece) return {Cause::kNoManThere, to_string(square_at(move.from)) + " is empty"};
    if (piece->color != us_) return {Cause::kWrongSide, man(move.from) + " is not to move"};
    if (is_castling(*piece, move)) return castling(move);
    const auto target = position_.piece_on(square_at(move.to));
    if (target && target->color == us_) return {Cause::kCapturesOwn, "it captures " + man(move.to)};
    if (auto verdict = motion(*piece, move)) return *verdict;
    if (target && target->type == PieceType::kKing)
      return {Cause::kCapturesKing, "it captures " + man(move.to)};
    if (auto verdict = promotion(*piece, move)) return *verdict;
    return piece->type == PieceType::kKing ? king_step(move) : leaves_check(*piece, move);
  }

  [[nodiscard]] Verdict missed(Move move, bool right_as_fen) const {
    const Square from = move.from();
    const PieceType type = position_.piece_on(from)->type;
    switch (move.kind()) {
      case MoveKind::kCastling:
        return missed_castling(move, right_as_fen);
      case MoveKind::kEnPassant:
        if (checkers_ != 0) return {Cause::kEnPassantEvasionMissed, checked_by()};
        return {Cause::kEnPassantMissed,
                right_as_fen ? "it is found when the en passant square is given in a FEN: the "
                               "double step does not set it"
                             : "it captures " + man(captured_en_passant(index(move.to())))};
      default:
        break;
    }
    if (type != PieceType::kKing && pinners(index(from)) != 0)
      return {Cause::kPinnedMissed, pinned_text(index(from))};
    if (checkers_ != 0) {
      const std::string how = type == PieceType::kKing            ? "the king may step away"
                              : (bit(move.to()) & checkers_) != 0 ? "it captures the checking man"
                                                                  : "it blocks the line";
      return {Cause::kEvasionMissed, checked_by() + "; " + how};
    }
    if (type == PieceType::kKing)
      return {Cause::kKingMoveMissed, to_string(move.to()) + " is not attacked"};
    if (move.kind() == MoveKind::kDoublePush) return {Cause::kDoublePushMissed, "its way is free"};
    const bool captures = (bit(move.to()) & occupied_) != 0;
    return {Cause::kMoveMissed, captures
                                    ? man(index(from)) + " may capture " + man(index(move.to()))
                                    : man(index(from)) + " may go to " + to_string(move.to())};
  }

 private:
  [[nodiscard]] std::string man(int square) const { return man_on(position_, square_at(square)); }
  [[nodiscard]] std::string men(Bitboard set) const {
    std::string text;
    while (set != 0) text += (text.empty() ? "" : " and ") + man(pop_lowest(set));
    return text;
  }
  [[nodiscard]] std::string attacked(int square, Bitboard by) const {
    return to_string(square_at(square)) + " is attacked by " + men(by);
  }
  [[nodiscard]] std::string checked_by() const { return "check is given by " + men(checkers_); }
  [[nodiscard]] int forward_step() const { return us_ == Color::kWhite ? 8 : -8; }
  [[nodiscard]] int captured_en_passant(int to) const { return to - forward_step(); }

  /// Sliders that would see the king if the man on `square` were not there.
  [[nodiscard]] Bitboard pinners(int square) const {
    return attackers(board_, king_, them_, occupied_ & ~bit(square)) & ~checkers_;
  }
  [[nodiscard]] std::string pinned_text(int square) const {
    return man(square) + " is pinned by " + men(pinners(square));
  }

  [[nodiscard]] bool is_castling(Piece piece, const Written& move) const {
    if (piece.type != PieceType::kKing || move.from / 8 != move.to / 8 || move.promotion != 0)
      return false;
    return std::abs(move.to - move.from) >= 2 || (bit(move.to) & board_.of(us_).orthogonal) != 0;
  }

  /// Where the rook of a written castling move stands, or ought to stand.
  [[nodiscard]] int rook_of(const Written& move) const {
    if (line_.notation() == CastlingNotation::kChess960) return move.to;
    const bool king_side = move.to > move.from;
    const int corner = (move.from & 56) + (king_side ? 7 : 0);
    const Bitboard beyond =
        board_.castling & back_rank(us_) & (king_side ? ~(bit(move.from) - 1) : bit(move.from) - 1);
    return beyond != 0 ? lowest(beyond) : corner;
  }

  [[nodiscard]] Verdict castling(const Written& move) const {
    const int rook = rook_of(move);
    const std::string rook_name = to_string(square_at(rook));
    const Bitboard own_rights = board_.castling & back_rank(us_);
    if ((own_rights & bit(rook)) == 0) return castling_without_right(rook, rook_name);
    const CastlingPath path = us_ == Color::kWhite ? castling_path<Color::kWhite>(king_, rook)
                                                   : castling_path<Color::kBlack>(king_, rook);
    if (const Bitboard blocking = path.empty & occupied_; blocking != 0)
      return {Cause::kCastlingThroughMen, men(blocking) + " stands in the way"};
    if (checkers_ != 0) return {Cause::kCastlingOutOfCheck, checked_by()};
    const Bitboard without_king = occupied_ & ~bit(king_);
    if (const Bitboard by = attackers(board_, path.king_to, them_, without_king); by != 0)
      return {Cause::kCastlingIntoAttack, attacked(path.king_to, by)};
    for (Bitboard way = path.safe; way != 0;) {
      const int square = pop_lowest(way);
      if (const Bitboard by = attackers(board_, square, them_, without_king); by != 0)
        return {Cause::kCastlingThroughAttack, attacked(square, by)};
    }
    const Bitboard arrived = (without_king & ~bit(rook)) | bit(path.rook_to);
    if (const Bitboard by = attackers(board_, path.king_to, them_, arrived); by != 0)
      return {Cause::kCastlingUncoversKing, "then " + men(by) + " gives check"};
    return {Cause::kUnknown, "castling is legal here"};
  }

  [[nodiscard]] Verdict castling_without_right(int rook, const std::string& rook_name) const {
    const Bitboard own_rooks = board_.of(us_).orthogonal & ~board_.of(us_).diagonal;
    const bool rook_there = (own_rooks & bit(rook)) != 0;
    std::string how;
    Cause cause = Cause::kCastlingWithoutRight;
    const std::vector<Position> past = line_.positions();
    for (std::size_t ply = line_.moves().size(); ply-- > 0;) {
      if ((past[ply].board().castling & bit(rook)) == 0) continue;
      const Move lost = line_.moves()[ply];
      how = to_uci(lost, line_.notation());
      const bool captured = past[ply].side_to_move() == them_;
      cause = captured ? Cause::kCastlingRightAfterCapture : Cause::kCastlingRightAfterMove;
      if (captured) {
        how += " captured the rook on " + rook_name;
      } else if (index(lost.from()) == rook) {
        how += " moved the rook away from " + rook_name;
      } else {
        how += " moved the king";
      }
      how += ", move " + std::to_string(ply + 1) + " of the line";
      break;
    }
    if (!rook_there) {
      const std::string gone = "no rook stands on " + rook_name;
      return {Cause::kCastlingWithoutRook, how.empty() ? gone : gone + ": " + how};
    }
    return {cause, how.empty() ? "the position gives no right to castle with " + man(rook) : how};
  }

  [[nodiscard]] Verdict missed_castling(Move move, bool right_as_fen) const {
    if (right_as_fen)
      return {Cause::kCastlingRightLost,
              "it is found when the position is given as a FEN: a move before has taken the right"};
    const int rook = index(move.to());
    const CastlingPath path = us_ == Color::kWhite ? castling_path<Color::kWhite>(king_, rook)
                                                   : castling_path<Color::kBlack>(king_, rook);
    for (Bitboard beside = (path.empty | bit(rook)) & ~path.safe; beside != 0;) {
      const int square = pop_lowest(beside);
      if (const Bitboard by = attackers(board_, square, them_, occupied_); by != 0)
        return {Cause::kCastlingMissedRookAttacked, attacked(square, by)};
    }
    return {Cause::kCastlingMissed, "king and " + man(rook) +
                                        " have not moved, nothing stands in "
                                        "the way, and the king's way is not attacked"};
  }

  /// What the man cannot do wherever the kings stand.
  [[nodiscard]] std::optional<Verdict> motion(Piece piece, const Written& move) const {
    if (piece.type == PieceType::kPawn) return pawn_motion(move);
    const auto reach = [&](Bitboard occupied) -> Bitboard {
      const Bitboard diagonal = bishop_attacks_by_walking(move.from, occupied);
      const Bitboard orthogonal = rook_attacks_by_walking(move.from, occupied);
      switch (piece.type) {
        case PieceType::kKnight:
          return kKnightAttacks[at(move.from)];
        case PieceType::kBishop:
          return diagonal;
        case PieceType::kRook:
          return orthogonal;
        case PieceType::kQueen:
          return diagonal | orthogonal;
        default:
          return kKingAttacks[at(move.from)];
      }
    };
    if ((reach(occupied_) & bit(move.to)) != 0) return std::nullopt;
    if ((reach(0) & bit(move.to)) != 0) {
      const Bitboard between = kBetween[at(move.from)][at(move.to)] & occupied_;
      return Verdict{Cause::kJumps, men(between) + " stands between"};
    }
    return impossible(piece.type, move);
  }

  [[nodiscard]] Verdict impossible(PieceType type, const Written& move) const {
    // Squares in a row of 64: a step over the edge has the right difference but the wrong files.
    const int step = std::abs(move.to - move.from);
    const int files = std::abs(move.to % 8 - move.from % 8);
    const bool knight = step == 6 || step == 10 || step == 15 || step == 17;
    const bool king = step == 1 || step == 7 || step == 9;
    const bool pawn = step == 7 || step == 9;
    const bool wraps = files >= 5 && (type == PieceType::kKnight ? knight
                                      : type == PieceType::kKing ? king
                                      : type == PieceType::kPawn ? pawn
                                                                 : true);
    const std::string text =
        man(move.from) + " cannot reach " + to_string(square_at(move.to)) + " in one move";
    return {wraps ? Cause::kWrapsAround : Cause::kImpossible, text};
  }

  [[nodiscard]] std::optional<Verdict> pawn_motion(const Written& move) const {
    const int ahead = move.from + forward_step();
    const bool target_occupied = (occupied_ & bit(move.to)) != 0;
    const int home = us_ == Color::kWhite ? 1 : 6;
    if (move.to == ahead) {
      if (!target_occupied) return std::nullopt;
      return Verdict{Cause::kPawnCapturesAhead, "it captures " + man(move.to)};
    }
    if (move.to == ahead + forward_step()) {
      if (move.from / 8 != home)
        return Verdict{Cause::kDoublePushWrongRank, man(move.from) + " has moved already"};
      if (const Bitboard way = occupied_ & (bit(ahead) | bit(move.to)); way != 0)
        return Verdict{Cause::kDoublePushOverMan, men(way) + " stands in the way"};
      return std::nullopt;
    }
    const bool slant = std::abs(move.to - ahead) == 1 && move.to / 8 == ahead / 8;
    if (!slant) return impossible(PieceType::kPawn, move);
    if (target_occupied) return std::nullopt;
    return en_passant(move);
  }

  [[nodiscard]] Verdict en_passant(const Written& move) const {
    const int victim = captured_en_passant(move.to);
    const std::string square = to_string(square_at(move.to));
    if (line_.passed() == square_at(move.to)) {
      const Bitboard after = (occupied_ & ~bit(move.from) & ~bit(victim)) | bit(move.to);
      const Bitboard by = attackers(board_, king_, them_, after, bit(victim));
      if ((by & checkers_) != 0) return {Cause::kCheckIgnored, checked_by()};
      const std::string then = "then " + men(by) + " gives check";
      const bool rank = king_ / 8 == move.from / 8 && by != 0 && lowest(by) / 8 == king_ / 8;
      if (rank) return {Cause::kEnPassantOpensRank, then};
      if (by != 0 && pinners(move.from) != 0)
        return {Cause::kPinnedLeavesLine, pinned_text(move.from)};
      return {Cause::kEnPassantOpensLine, then};
    }
    for (std::size_t ply = line_.moves().size(); ply-- > 0;) {
      if (line_.passed_at(ply) != square_at(move.to)) continue;
      const std::size_t age = line_.moves().size() - ply + 1;
      return {Cause::kEnPassantTooLate,
              fmt::format("the pawn passed {} {} plies ago", square, age)};
    }
    const Bitboard enemy_pawns = board_.of(them_).pawns;
    const bool pawn_there = victim >= 0 && victim < kSquares && (enemy_pawns & bit(victim)) != 0;
    if (!pawn_there) return {Cause::kPawnSlantsWithoutCapture, square + " is empty"};
    return {Cause::kEnPassantWithoutDoublePush,
            line_.moves().empty()
                ? "the position names no en passant square " + square
                : "the last move was " + to_uci(line_.moves().back(), line_.notation())};
  }

  [[nodiscard]] std::optional<Verdict> promotion(Piece piece, const Written& move) const {
    const int last = us_ == Color::kWhite ? 7 : 0;
    const bool promotes = piece.type == PieceType::kPawn && move.to / 8 == last;
    if (!promotes) {
      if (move.promotion == 0) return std::nullopt;
      return Verdict{Cause::kPromotionWrong, man(move.from) + " does not promote there"};
    }
    if (move.promotion == 0)
      return Verdict{Cause::kPromotionWithoutPiece, "the move says not to which piece"};
    if (std::string_view("qrbn").find(move.promotion) == std::string_view::npos)
      return Verdict{Cause::kPromotionWrong,
                     std::string("no pawn becomes '") + move.promotion + "'"};
    return std::nullopt;
  }

  [[nodiscard]] Verdict king_step(const Written& move) const {
    const Bitboard captured = occupied_ & bit(move.to);
    const Bitboard seen = attackers(board_, move.to, them_, occupied_);
    if (seen == 0) {
      const Bitboard behind = attackers(board_, move.to, them_, occupied_ & ~bit(king_));
      if (behind != 0) return {Cause::kKingAlongRay, attacked(move.to, behind)};
      return {Cause::kUnknown, "the king may go there"};
    }
    if (seen == board_.of(them_).king && captured == 0)
      return {Cause::kKingsAdjacent, man(lowest(seen)) + " stands next to it"};
    if (captured != 0)
      return {Cause::kKingCapturesProtected, man(move.to) + " is protected by " + men(seen)};
    return {Cause::kKingIntoAttack, attacked(move.to, seen)};
  }

  [[nodiscard]] Verdict leaves_check(Piece, const Written& move) const {
    const Bitboard captured = occupied_ & bit(move.to);
    const Bitboard after = (occupied_ & ~bit(move.from)) | bit(move.to);
    const Bitboard by = attackers(board_, king_, them_, after, captured);
    if (by == 0) return {Cause::kUnknown, "the move is legal here"};
    if (several(checkers_)) return {Cause::kDoubleCheckIgnored, checked_by()};
    if ((by & checkers_) != 0) return {Cause::kCheckIgnored, checked_by()};
    return {Cause::kPinnedLeavesLine, pinned_text(move.from)};
  }

  const Line& line_;
  const Position& position_;
  const Board& board_;
  Color us_;
  Color them_;
  Bitboard occupied_;
  int king_;
  Bitboard checkers_;
};

void add(std::vector<Finding>& findings, Judge::Verdict verdict, const std::string& move) {
  auto found = std::ranges::find(findings, verdict.cause, &Finding::cause);
  if (found == findings.end()) {
    findings.push_back({verdict.cause, std::move(verdict.detail), {}});
    found = findings.end() - 1;
  }
  found->moves.push_back(move);
}

/// Promotions of one pawn to one square belong together.
std::optional<Judge::Verdict> missed_promotion(Move move, const Line& line,
                                               const Observation& observation) {
  if (!move.is_promotion()) return std::nullopt;
  const std::string bare = to_uci(move, line.notation()).substr(0, 4);
  if (std::ranges::count(observation.invented, bare) != 0)
    return Judge::Verdict{Cause::kPromotionWithoutPiece, "the move says not to which piece"};
  const auto missing = std::ranges::count_if(observation.missed, [&](Move other) {
    return other.is_promotion() && other.from() == move.from() && other.to() == move.to();
  });
  const std::string of_four = std::to_string(missing) + " of the 4 pieces are missing for " + bare;
  if (missing < 4) return Judge::Verdict{Cause::kUnderpromotionMissed, of_four};
  return Judge::Verdict{Cause::kPromotionMissed, of_four};
}

}  // namespace

std::string_view name_of(Cause cause) { return kCauses[static_cast<std::size_t>(cause)].name; }
std::string_view rule_of(Cause cause) { return kCauses[static_cast<std::size_t>(cause)].rule; }

std::string man_on(const Position& position, Square square) {
  constexpr std::array<std::string_view, 6> kNames{"pawn", "knight", "bishop",
                                                   "rook", "queen",  "king"};
  const auto piece = position.piece_on(square);
  if (!piece) return to_string(square);
  return "the " + std::string(kNames[static_cast<std::size_t>(piece->type)]) + " on " +
         to_string(square);
}

std::string draw_reason(const Line& line) {
  const std::vector<Position> past = line.positions();
  if (std::ranges::count(past, line.here()) > 1) return "the position stood on the board before";
  const auto few = [&](Color color) {
    const Men& men = line.here().board().of(color);
    return men.pawns == 0 && men.orthogonal == 0 && popcount(men.all()) <= 2;
  };
  if (few(Color::kWhite) && few(Color::kBlack)) return "there are too few men for a checkmate";
  return "";
}

std::vector<Finding> diagnose(const Line& line, const Observation& observation) {
  const Judge judge(line);
  std::vector<Finding> findings;
  for (const std::string& text : observation.invented) add(findings, judge.invented(text), text);
  if (observation.lists_nothing && !observation.missed.empty()) {
    const std::string draw = draw_reason(line);
    Finding finding{draw.empty() ? Cause::kStopsEarly : Cause::kStopsAtDraw,
                    draw.empty() ? "the engine lists no move at all" : draw,
                    {}};
    for (const Move move : observation.missed)
      finding.moves.push_back(to_uci(move, line.notation()));
    findings.push_back(std::move(finding));
  } else {
    for (const Move move : observation.missed) {
      auto verdict = missed_promotion(move, line, observation);
      if (!verdict) verdict = judge.missed(move, observation.right_as_fen.value_or(false));
      add(findings, *std::move(verdict), to_uci(move, line.notation()));
    }
  }
  for (const std::string& text : observation.repeated)
    add(findings, {Cause::kListedTwice, text + " stands more than once in the engine's list"},
        text);
  for (const CountDifference& row : observation.counts) {
    const bool over = row.ours == NodeCount(0);
    add(findings,
        over ? Judge::Verdict{Cause::kNoMovesCounted,
                              "after " + row.move +
                                  " there is no legal move, yet the engine counts " +
                                  row.engine.to_string()}
             : Judge::Verdict{Cause::kCountAtDepthOne,
                              row.move + " counts as " + row.engine.to_string()},
        row.move);
  }
  // What explains most of the differences comes first.
  std::ranges::stable_sort(findings, std::greater(),
                           [](const Finding& finding) { return finding.moves.size(); });
  return findings;
}

}  // namespace manyply
