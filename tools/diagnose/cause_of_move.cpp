#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "core/fen.h"
#include "core/geometry.h"
#include "core/position.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/diagnose/other_question.h"
#include "tools/text/moves_in_line.h"

namespace manyply {
namespace {

constexpr std::size_t at(int square) { return static_cast<std::size_t>(square); }

/// Returns the pieces of `by` that attack `square`, except those on `gone`. `occupied` are the
/// occupied squares.
Bitboard attackers(const Board& board, int square, Color by, Bitboard occupied, Bitboard gone = 0) {
  const Pieces& pieces = board.of(by);
  const Bitboard target = bit(square);
  const Bitboard pawns = by == Color::kWhite ? pawn_attacks<Color::kBlack>(target)
                                             : pawn_attacks<Color::kWhite>(target);
  return ((pawns & pieces.pawns) | (kKnightAttacks[at(square)] & pieces.knights) |
          (kKingAttacks[at(square)] & pieces.king) |
          (bishop_attacks_by_walking(square, occupied) & pieces.bishops_queens) |
          (rook_attacks_by_walking(square, occupied) & pieces.rooks_queens)) &
         ~gone;
}

/// Returns the piece in words: "the bishop on b5".
std::string piece_on(const Position& position, Square square) {
  constexpr std::array<std::string_view, 6> kNames{"pawn", "knight", "bishop",
                                                   "rook", "queen",  "king"};
  const auto piece = position.piece_on(square);
  if (!piece) return to_string(square);
  return "the " + std::string(kNames[static_cast<std::size_t>(piece->type)]) + " on " +
         to_string(square);
}

/// A move as an engine wrote it.
struct Written {
  int from;
  int to;
  char promotion;  ///< 0 if the move is no promotion
};

Written read(std::string_view text) {
  const auto square = [&](std::size_t i) { return (text[i] - 'a') + 8 * (text[i + 1] - '1'); };
  return {square(0), square(2), text.size() > 4 ? text[4] : '\0'};
}

/// Judges the moves at the end of one line.
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

  [[nodiscard]] Verdict invented(const std::string& text) const {
    const Written move = read(text);
    const auto piece = position_.piece_on(square_at(move.from));
    if (!piece) return {Cause::kNoPieceThere, to_string(square_at(move.from)) + " is empty"};
    if (piece->color != us_) return {Cause::kWrongSide, name_of(move.from) + " is not to move"};
    if (move.from == move.to) return {Cause::kNullMove, name_of(move.from) + " stays where it is"};
    const bool both_kings =
        piece->type == PieceType::kKing && move.to == lowest(board_.of(them_).king);
    if (both_kings && (kKingAttacks[at(move.from)] & bit(move.to)) == 0)
      return {Cause::kNullMove, "it takes " + name_of(move.to) + " from afar"};
    if (is_castling(*piece, move)) return castling(move);
    const auto target = position_.piece_on(square_at(move.to));
    if (target && target->color == us_)
      return {Cause::kCapturesOwn, "it captures " + name_of(move.to)};
    if (auto verdict = motion(*piece, move)) return *verdict;
    if (target && target->type == PieceType::kKing)
      return {Cause::kCapturesKing, "it captures " + name_of(move.to)};
    if (auto verdict = promotion(*piece, move)) return *verdict;
    return piece->type == PieceType::kKing ? king_step(move) : leaves_check(move);
  }

  [[nodiscard]] Verdict missed(Move move, bool right_as_fen) const {
    const Square from = move.from();
    const PieceType type = position_.piece_on(from)->type;
    switch (move.kind()) {
      case MoveKind::kCastling:
        return missed_castling(move, right_as_fen);
      case MoveKind::kEnPassant:
        if (checkers_ != 0) {
          const bool captures = (bit(captured_en_passant(index(move.to()))) & checkers_) != 0;
          return {captures ? Cause::kEnPassantEvasionMissed : Cause::kEnPassantBlockMissed,
                  check_ends_by(captures)};
        }
        if (pinners(index(from)) != 0 && !right_as_fen)
          return {Cause::kEnPassantPinnedMissed, pinned_text(index(from))};
        return {Cause::kEnPassantMissed,
                right_as_fen ? "it is found if a FEN gives the en passant square, so the double "
                               "step does not set this square"
                             : "it captures " + name_of(captured_en_passant(index(move.to())))};
      default:
        break;
    }
    const bool captures = (bit(move.to()) & occupied_) != 0;
    if (type != PieceType::kKing && pinners(index(from)) != 0) {
      const Cause cause =
          type == PieceType::kPawn && captures ? Cause::kPinnedPawnMissed : Cause::kPinnedMissed;
      return {cause, pinned_text(index(from))};
    }
    if (checkers_ != 0) {
      return {Cause::kEvasionMissed, type == PieceType::kKing
                                         ? checked_by() + "; the king may step away"
                                         : check_ends_by((bit(move.to()) & checkers_) != 0)};
    }
    if (type == PieceType::kKing)
      return {Cause::kKingMoveMissed, to_string(move.to()) + " is not attacked"};
    if (move.kind() == MoveKind::kDoublePush) return {Cause::kDoublePushMissed, "its way is free"};
    return {Cause::kMoveMissed,
            captures ? name_of(index(from)) + " may capture " + name_of(index(move.to()))
                     : name_of(index(from)) + " may go to " + to_string(move.to())};
  }

  /// Returns the enemy pieces that attack the castling rook or a square that the rook passes.
  /// Ignores squares that the king also passes or reaches.
  [[nodiscard]] Bitboard attackers_beside(Move castling) const {
    const int rook = index(castling.to());
    const CastlingPath path = us_ == Color::kWhite ? castling_path<Color::kWhite>(king_, rook)
                                                   : castling_path<Color::kBlack>(king_, rook);
    Bitboard all = 0;
    for (Bitboard beside = (path.empty | bit(rook)) & ~path.safe; beside != 0;)
      all |= attackers(board_, pop_lowest(beside), them_, occupied_);
    return all;
  }
  /// Returns the pieces that give check, and the pieces that pin the moving piece.
  [[nodiscard]] Bitboard restraining(Move move) const {
    const int from = index(move.from());
    return from == king_ ? checkers_ : checkers_ | pinners(from);
  }
  [[nodiscard]] std::string pieces(Bitboard set) const {
    std::string text;
    while (set != 0) {
      const std::string name = name_of(pop_lowest(set));
      text += (text.empty() ? "" : set == 0 ? " and " : ", ") + name;
    }
    return text;
  }

 private:
  [[nodiscard]] std::string name_of(int square) const {
    return piece_on(position_, square_at(square));
  }
  [[nodiscard]] std::string stand(Bitboard set) const {
    return pieces(set) + (popcount(set) == 1 ? " stands" : " stand");
  }
  [[nodiscard]] std::string attacked(int square, Bitboard by) const {
    return to_string(square_at(square)) + " is attacked by " + pieces(by);
  }
  [[nodiscard]] std::string checked_by() const { return "check is given by " + pieces(checkers_); }
  [[nodiscard]] std::string check_ends_by(bool capture) const {
    return checked_by() +
           (capture ? "; the move captures the checking piece" : "; the move blocks the line");
  }
  [[nodiscard]] int forward_step() const { return us_ == Color::kWhite ? 8 : -8; }
  [[nodiscard]] int captured_en_passant(int to) const { return to - forward_step(); }

  /// Returns the sliders that do not attack the king now, but would attack it if the piece on
  /// `square` were removed.
  [[nodiscard]] Bitboard pinners(int square) const {
    return attackers(board_, king_, them_, occupied_ & ~bit(square)) & ~checkers_;
  }
  [[nodiscard]] std::string pinned_text(int square) const {
    return name_of(square) + " is pinned by " + pieces(pinners(square));
  }

  [[nodiscard]] Bitboard own_rooks() const {
    return board_.of(us_).rooks_queens & ~board_.of(us_).bishops_queens;
  }
  /// Returns the rook squares of all castling rights that one side has or had in the line. This
  /// side is the side to move at the end of the line.
  [[nodiscard]] Bitboard rights_so_far() const {
    Bitboard rights = 0;
    for (const Position& position : line_.positions()) rights |= position.board().castling;
    return rights & back_rank(us_);
  }
  /// Returns the squares with a greater index than the king's square. If the king moves to the
  /// queen's side, returns those with a smaller index. The result includes squares of other ranks,
  /// so callers intersect it with squares of the back rank.
  [[nodiscard]] Bitboard beyond_king(const Written& move) const {
    return move.to > move.from ? ~(bit(move.from) - 1) & ~bit(move.from) : bit(move.from) - 1;
  }

  /// Returns whether `move` may be meant as castling. There are two cases. First: the king captures
  /// its own rook. Second: the king moves to a square that may mean castling, from its home square
  /// or towards a rook that once had a castling right.
  [[nodiscard]] bool is_castling(Piece piece, const Written& move) const {
    const bool on_back_rank = ((bit(move.from) | bit(move.to)) & ~back_rank(us_)) == 0;
    if (piece.type != PieceType::kKing || !on_back_rank || move.promotion != 0) return false;
    if ((own_rooks() & bit(move.to)) != 0) return true;
    if (std::abs(move.to - move.from) < 2) return false;
    const int file = move.to % 8;
    const bool to_castled = file == 6 || file == 2;
    const bool towards_right = (rights_so_far() & beyond_king(move)) != 0;
    if (line_.notation() == CastlingNotation::kChess960)
      return (rights_so_far() & bit(move.to)) != 0 || (to_castled && towards_right);
    constexpr int kKingHome = 4;
    if (move.from % 8 == kKingHome) return to_castled || file == 7 || file == 0;
    return std::abs(move.to - move.from) == 2 && towards_right;
  }

  /// Returns the square where the rook of a castling move stands or should stand.
  [[nodiscard]] int rook_of(const Written& move) const {
    const bool chess960 = line_.notation() == CastlingNotation::kChess960;
    if (chess960 && ((own_rooks() | rights_so_far()) & bit(move.to)) != 0) return move.to;
    const int corner = (move.from & 56) + (move.to > move.from ? 7 : 0);
    const Bitboard rights = chess960 ? rights_so_far() : board_.castling & back_rank(us_);
    if (const Bitboard beyond = rights & beyond_king(move); beyond != 0) return lowest(beyond);
    return corner;
  }

  [[nodiscard]] Verdict castling(const Written& move) const {
    const int rook = rook_of(move);
    const std::string rook_name = to_string(square_at(rook));
    const Bitboard own_rights = board_.castling & back_rank(us_);
    if ((own_rights & bit(rook)) == 0) return castling_without_right(rook, rook_name);
    const CastlingPath path = us_ == Color::kWhite ? castling_path<Color::kWhite>(king_, rook)
                                                   : castling_path<Color::kBlack>(king_, rook);
    if (const Bitboard blocking = path.empty & occupied_; blocking != 0)
      return {Cause::kCastlingThroughPieces, stand(blocking) + " in the way"};
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
      return {Cause::kCastlingUncoversKing, "then check is given by " + pieces(by)};
    return {Cause::kUnknown, "castling is legal here"};
  }

  [[nodiscard]] Verdict castling_without_right(int rook, const std::string& rook_name) const {
    const bool rook_there = (own_rooks() & bit(rook)) != 0;
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
    return {cause,
            how.empty() ? "the position gives no right to castle with " + name_of(rook) : how};
  }

  [[nodiscard]] Verdict missed_castling(Move move, bool right_as_fen) const {
    if (right_as_fen)
      return {
          Cause::kCastlingRightLost,
          "it is found when the position is given as a FEN: an earlier move has removed the right"};
    std::string why =
        "king and " + name_of(index(move.to())) +
        " have not moved, nothing stands in the way, and the king's way is not attacked";
    if (const Bitboard by = attackers_beside(move); by != 0)
      why += fmt::format("; an attack on the rook or its way (here by {}) does not forbid castling",
                         pieces(by));
    return {Cause::kCastlingMissed, why};
  }

  /// Returns a verdict if the piece cannot move between the squares of `move`, even if checks and
  /// pins are ignored. Otherwise returns nullopt.
  [[nodiscard]] std::optional<Verdict> motion(Piece piece, const Written& move) const {
    if (piece.type == PieceType::kPawn) return pawn_motion(move);
    const auto reaches = [&](Bitboard occupied) {
      return (reach(piece.type, square_at(move.from), occupied) & bit(move.to)) != 0;
    };
    if (reaches(occupied_)) return std::nullopt;
    if (reaches(0)) {
      const Bitboard between = kBetween[at(move.from)][at(move.to)] & occupied_;
      return Verdict{Cause::kJumps, stand(between) + " between"};
    }
    return impossible(piece.type, move);
  }

  [[nodiscard]] Verdict impossible(PieceType type, const Written& move) const {
    // A generator that ignores the board's edges may move a king from h1 (square 7) to a2 (square
    // 8), for example. The square numbers differ by 1, as in a legal step, but the files by 7.
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
        name_of(move.from) + " cannot reach " + to_string(square_at(move.to)) + " in one move";
    return {wraps ? Cause::kWrapsAround : Cause::kImpossible, text};
  }

  [[nodiscard]] std::optional<Verdict> pawn_motion(const Written& move) const {
    const int ahead = move.from + forward_step();
    const bool target_occupied = (occupied_ & bit(move.to)) != 0;
    const int home = us_ == Color::kWhite ? 1 : 6;
    if (move.to == ahead) {
      if (!target_occupied) return std::nullopt;
      return Verdict{Cause::kPawnCapturesAhead, "it captures " + name_of(move.to)};
    }
    if (move.to == ahead + forward_step()) {
      if (move.from / 8 != home)
        return Verdict{Cause::kDoublePushWrongRank, name_of(move.from) + " has moved already"};
      if (const Bitboard way = occupied_ & (bit(ahead) | bit(move.to)); way != 0)
        return Verdict{Cause::kDoublePushOverPiece, stand(way) + " in the way"};
      return std::nullopt;
    }
    const bool diagonal = std::abs(move.to - ahead) == 1 && move.to / 8 == ahead / 8;
    if (!diagonal) return impossible(PieceType::kPawn, move);
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
      const std::string then = "then check is given by " + pieces(by);
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
    if (!pawn_there) return {Cause::kPawnMovesDiagonallyWithoutCapture, square + " is empty"};
    return {Cause::kEnPassantWithoutDoublePush,
            line_.moves().empty()
                ? "the position has no en passant square " + square
                : "the last move was " + to_uci(line_.moves().back(), line_.notation())};
  }

  [[nodiscard]] std::optional<Verdict> promotion(Piece piece, const Written& move) const {
    const int last = us_ == Color::kWhite ? 7 : 0;
    const bool promotes = piece.type == PieceType::kPawn && move.to / 8 == last;
    if (!promotes) {
      if (move.promotion == 0) return std::nullopt;
      return Verdict{Cause::kPromotionWrong, name_of(move.from) + " does not promote there"};
    }
    if (move.promotion == 0)
      return Verdict{Cause::kPromotionWithoutPiece, "the move does not name the piece"};
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
      return {Cause::kKingsAdjacent, name_of(lowest(seen)) + " stands next to it"};
    if (captured != 0)
      return {Cause::kKingCapturesProtected, name_of(move.to) + " is protected by " + pieces(seen)};
    return {Cause::kKingIntoAttack, attacked(move.to, seen)};
  }

  [[nodiscard]] Verdict leaves_check(const Written& move) const {
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

/// Returns the position at the end of `line` without the pieces on `gone`. If `instead` is set,
/// replaces these pieces by enemy pieces of this type. Returns nullopt if `gone` is empty or
/// contains the enemy king, or if the new position or `move` is illegal.
std::optional<Line> line_without(const Line& line, Bitboard gone, std::optional<PieceType> instead,
                                 Move move) {
  const Position& here = line.here();
  const Color them = ~here.side_to_move();
  if (gone == 0 || (gone & here.board().of(them).king) != 0) return std::nullopt;
  const Result<Setup> read = parse_fen(line.fen_here());
  if (!read) return std::nullopt;
  Setup setup = *read;
  setup.castling_rooks &= ~gone;
  setup.en_passant.reset();
  while (gone != 0) {
    std::optional<Piece>& piece = setup.pieces[at(pop_lowest(gone))];
    piece.reset();
    if (instead) piece = Piece{them, *instead};
  }
  std::optional<Line> without = line_of(setup, line.notation());
  if (!without || std::ranges::count(legal_moves(without->here()), move) == 0) return std::nullopt;
  return without;
}

}  // namespace

Verdict judge_invented(const Line& line, const std::string& move) {
  return Judge(line).invented(move);
}

Verdict judge_missed(const Line& line, Move move, bool right_as_fen) {
  return Judge(line).missed(move, right_as_fen);
}

std::optional<Relieved> without_attack_beside(const Line& line, Move castling) {
  const Judge judge(line);
  const Bitboard by = judge.attackers_beside(castling);
  std::optional<Line> without = line_without(line, by, std::nullopt, castling);
  if (!without) return std::nullopt;
  return Relieved{judge.pieces(by), *std::move(without)};
}

std::optional<Relieved> without_check_and_pin(const Line& line, Move missed) {
  using enum PieceType;
  const Judge judge(line);
  const Bitboard by = judge.restraining(missed);
  const Board& board = line.here().board();
  const Bitboard kings = board.of(Color::kWhite).king | board.of(Color::kBlack).king;
  const Bitboard others = board.occupied() & ~kings & ~bit(missed.from());
  const std::array<std::pair<Bitboard, std::optional<PieceType>>, 5> attempts{
      {{by, std::nullopt}, {by, kKnight}, {by, kBishop}, {by, kRook}, {others, std::nullopt}}};
  for (const auto& [gone, instead] : attempts) {
    std::optional<Line> without = line_without(line, gone, instead, missed);
    if (!without || without->here().in_check()) continue;
    if (Judge(*without).restraining(missed) == 0) {
      std::string pieces = gone == by ? judge.pieces(by) : "the other pieces";
      return Relieved{std::move(pieces), *std::move(without)};
    }
  }
  return std::nullopt;
}

}  // namespace manyply
