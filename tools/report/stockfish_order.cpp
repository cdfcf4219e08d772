// Stockfish generates pseudo-legal moves by piece type: pawns (see PseudoLegal::pawns), knights,
// bishops, rooks, queens, king steps, castling. Within a type, moves are ordered by origin, then
// target. In check it generates only king moves, captures of the checker and interpositions. It
// then walks the list once and replaces each illegal move by the last one of the list, which it
// examines next. This explains the jumps in its output when pieces are pinned.
#include "tools/report/stockfish_order.h"

#include <algorithm>

#include "core/castling.h"
#include "core/movegen.h"

namespace manyply {
namespace {

/// Generates pseudo-legal moves in Stockfish's order, for the side `Us`, which is to move.
template <Color Us>
class PseudoLegal {
 public:
  PseudoLegal(const Position& position, std::optional<Square> passed)
      : board_(position.board()),
        own_(board_.of(Us)),
        other_(board_.of(~Us)),
        checkers_(position.checkers()),
        passed_(passed) {}

  std::vector<Move> list() {
    const int king = lowest(own_.king);
    targets_ = ~own_.all();
    pawn_pushes_ = ~board_.occupied();
    pawn_captures_ = other_.all();
    if (checkers_ != 0) {
      const int checker = lowest(checkers_);
      const Bitboard between = kBetween[at(king)][at(checker)];
      targets_ = between | bit(checker);
      pawn_pushes_ &= between;
      pawn_captures_ = checkers_;
    }
    if (!several(checkers_)) {
      pawns();
      pieces(own_.knights, [](int from, Bitboard) { return kKnightAttacks[at(from)]; });
      pieces(own_.bishops_queens & ~own_.rooks_queens, bishop_attacks);
      pieces(own_.rooks_queens & ~own_.bishops_queens, rook_attacks);
      pieces(own_.bishops_queens & own_.rooks_queens, [](int from, Bitboard occupied) {
        return bishop_attacks(from, occupied) | rook_attacks(from, occupied);
      });
    }
    add_each(king, kKingAttacks[at(king)] & ~own_.all());
    if (checkers_ == 0) castling(king);
    return std::move(moves_);
  }

 private:
  // "Right" and "left" are from the view of the player of `Us`.
  static constexpr bool kWhite = Us == Color::kWhite;
  static constexpr int kUp = kWhite ? 8 : -8;
  static constexpr int kUpRight = kWhite ? 9 : -9;
  static constexpr int kUpLeft = kWhite ? 7 : -7;
  static Bitboard up(Bitboard set) { return forward<Us>(set); }
  static Bitboard up_right(Bitboard set) {
    return kWhite ? forward_east<Us>(set) : forward_west<Us>(set);
  }
  static Bitboard up_left(Bitboard set) {
    return kWhite ? forward_west<Us>(set) : forward_east<Us>(set);
  }

  static constexpr std::size_t at(int square) { return static_cast<std::size_t>(square); }
  static Bitboard bishop_attacks(int from, Bitboard occupied) {
    return bishop_attacks_by_walking(from, occupied);
  }
  static Bitboard rook_attacks(int from, Bitboard occupied) {
    return rook_attacks_by_walking(from, occupied);
  }

  void add(int from, int to, MoveKind kind) {
    moves_.emplace_back(square_at(from), square_at(to), kind);
  }
  /// Adds a move to each target, in ascending order of squares (a1, b1, …, h8).
  void add_each(int from, Bitboard targets) {
    while (targets != 0) add(from, pop_lowest(targets), MoveKind::kNormal);
  }

  template <typename Attacks>
  void pieces(Bitboard set, Attacks attacks) {
    while (set != 0) {
      const int from = pop_lowest(set);
      add_each(from, attacks(from, board_.occupied()) & targets_);
    }
  }

  void pawn_moves(Bitboard targets, int step, MoveKind kind) {
    while (targets != 0) {
      const int to = pop_lowest(targets);
      add(to - step, to, kind);
    }
  }
  void promotions(Bitboard targets, int step) {
    using enum MoveKind;
    while (targets != 0) {
      const int to = pop_lowest(targets);
      for (const MoveKind kind : {kPromoteQueen, kPromoteRook, kPromoteBishop, kPromoteKnight}) {
        add(to - step, to, kind);
      }
    }
  }

  /// Ordered by target square within each group: pushes, double pushes, promotions (right, left,
  /// ahead; each to queen, rook, bishop, knight), captures (right, left), en passant by origin.
  void pawns() {
    const Bitboard promoting = own_.pawns & relative_rank<Us>(6);
    const Bitboard others = own_.pawns & ~promoting;
    const Bitboard empty = ~board_.occupied();
    const Bitboard single = up(others) & empty;
    const Bitboard twice = up(single & relative_rank<Us>(2)) & empty;
    pawn_moves(single & pawn_pushes_, kUp, MoveKind::kNormal);
    pawn_moves(twice & pawn_pushes_, 2 * kUp, MoveKind::kDoublePush);
    promotions(up_right(promoting) & pawn_captures_, kUpRight);
    promotions(up_left(promoting) & pawn_captures_, kUpLeft);
    promotions(up(promoting) & pawn_pushes_, kUp);
    pawn_moves(up_right(others) & pawn_captures_, kUpRight, MoveKind::kNormal);
    pawn_moves(up_left(others) & pawn_captures_, kUpLeft, MoveKind::kNormal);
    en_passant(others);
  }

  void en_passant(Bitboard pawns) {
    if (!passed_) return;
    const Bitboard target = bit(*passed_);
    // A check that the double push discovered comes through its origin, so capturing cannot help.
    if (checkers_ != 0 && (targets_ & up(target)) != 0) return;
    Bitboard capturers = pawns & pawn_attacks<~Us>(target);
    while (capturers != 0) add(pop_lowest(capturers), index(*passed_), MoveKind::kEnPassant);
  }

  void castling(int king) {
    const Bitboard rooks = board_.castling & back_rank(Us);
    for (const bool king_side : {true, false}) {
      for (Bitboard rest = rooks; rest != 0;) {
        const int rook = pop_lowest(rest);
        const bool path_empty = (castling_path<Us>(king, rook).empty & board_.occupied()) == 0;
        if ((rook > king) == king_side && path_empty) add(king, rook, MoveKind::kCastling);
      }
    }
  }

  const Board& board_;
  const Pieces& own_;
  const Pieces& other_;
  Bitboard checkers_;
  std::optional<Square> passed_;
  Bitboard targets_ = 0;        // for knights and sliders
  Bitboard pawn_pushes_ = 0;    // squares that pawns may move to
  Bitboard pawn_captures_ = 0;  // pieces that pawns may capture
  std::vector<Move> moves_;
};

}  // namespace

std::vector<Move> stockfish_order(const Position& position, std::optional<Square> passed) {
  std::vector<Move> moves = position.side_to_move() == Color::kWhite
                                ? PseudoLegal<Color::kWhite>(position, passed).list()
                                : PseudoLegal<Color::kBlack>(position, passed).list();
  const MoveList legal = legal_moves(position);
  for (std::size_t i = 0; i < moves.size();) {
    if (std::ranges::find(legal, moves[i]) != legal.end()) {
      ++i;
    } else {
      moves[i] = moves.back();
      moves.pop_back();
    }
  }
  return moves;
}

}  // namespace manyply
