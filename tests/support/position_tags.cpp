#include "tests/support/position_tags.h"

#include <algorithm>
#include <cstdlib>

namespace manyply::tags {
namespace {

using oracle::in_check;
using oracle::kEmpty;
using oracle::kNoSquare;
using oracle::Move;
using oracle::Position;
using oracle::Square;

constexpr int kUp = 10;
constexpr int file_of(Square square) { return square % 10 - 1; }
constexpr int rank_of(Square square) { return square / 10 - 2; }
constexpr Square square_at(int file, int rank) { return 21 + kUp * rank + file; }
constexpr bool is_white(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_piece(char c) { return is_white(c) || (c >= 'a' && c <= 'z'); }
constexpr char lower(char c) { return is_white(c) ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_own(const Position& p, Square square) {
  return is_piece(p[square]) && is_white(p[square]) == p.white_to_move;
}
bool is_enemy(const Position& p, Square square) {
  return is_piece(p[square]) && is_white(p[square]) != p.white_to_move;
}
char kind_at(const Position& p, Square square) { return lower(p[square]); }
int forward(const Position& p) { return p.white_to_move ? kUp : -kUp; }
/// Returns the rank, 0 to 7, as seen by the side to move.
int own_rank(const Position& p, Square square) {
  return p.white_to_move ? rank_of(square) : 7 - rank_of(square);
}
Square king_of(const Position& p, bool white) {
  return static_cast<Square>(std::ranges::find(p.board, white ? 'K' : 'k') - p.board.begin());
}
Square own_king(const Position& p) { return king_of(p, p.white_to_move); }
bool attacked(const Position& p, Square square) { return attacks(p, !p.white_to_move, square); }

bool is_castling(const Position& p, const Move& move) {
  return kind_at(p, move.from) == 'k' && is_own(p, move.to);
}
bool is_en_passant(const Position& p, const Move& move) {
  return kind_at(p, move.from) == 'p' && move.to == p.en_passant;
}
bool is_promotion(const Position&, const Move& move) { return move.promotion != 0; }
bool is_capture(const Position& p, const Move& move) {
  return is_enemy(p, move.to) || is_en_passant(p, move);
}
bool is_double_step(const Position& p, const Move& move) {
  return kind_at(p, move.from) == 'p' && std::abs(move.to - move.from) == 2 * kUp;
}
bool has(const Root& root, const Move& move) { return std::ranges::count(root.legal, move) != 0; }

template <typename Predicate>
bool any_move(const Root& root, Predicate holds) {
  return std::ranges::any_of(root.legal,
                             [&](const Move& move) { return holds(root.position, move); });
}
/// Returns whether any legal move that satisfies `of_move` leads to a position that satisfies
/// `of_child`.
template <typename OfMove, typename OfChild>
bool any_child(const Root& root, OfMove of_move, OfChild of_child) {
  return any_move(root, [&](const Position& p, const Move& move) {
    return of_move(p, move) && of_child(after(p, move));
  });
}
bool whatever(const Position&, const Move&) { return true; }
/// Returns whether a move that satisfies `holds` is illegal only because it exposes the king.
template <typename Predicate>
bool any_forbidden(const Root& root, Predicate holds) {
  return std::ranges::any_of(root.candidates, [&](const Move& move) {
    return !has(root, move) && holds(root.position, move);
  });
}

/// A castling right of the side to move: the squares of king and rook before and after castling.
struct Right {
  Square king;
  Square rook;
  Square king_to;
  Square rook_to;
};
bool is_free(const Position& p, const Right& right, Square from, Square to) {
  const auto [first, last] = std::minmax(from, to);
  for (Square square = first; square <= last; ++square) {
    if (square != right.king && square != right.rook && is_piece(p[square])) return false;
  }
  return true;
}
bool is_free(const Position& p, const Right& right) {
  return is_free(p, right, right.king, right.king_to) &&
         is_free(p, right, right.rook, right.rook_to);
}
bool crosses_attack(const Position& p, const Right& right) {
  const auto [first, last] = std::minmax(right.king, right.king_to);
  for (Square square = first; square <= last; ++square) {
    if (attacked(p, square)) return true;
  }
  return false;
}
template <typename Predicate>
bool any_right(const Root& root, Predicate holds) {
  const Position& p = root.position;
  for (std::size_t i = p.white_to_move ? 0 : 2; i < (p.white_to_move ? 2U : 4U); ++i) {
    if (p.castling_rooks[i] == kNoSquare) continue;
    const bool king_side = i % 2 == 0;
    const int rank = p.white_to_move ? 0 : 7;
    const Right right{own_king(p), p.castling_rooks[i], square_at(king_side ? 6 : 2, rank),
                      square_at(king_side ? 5 : 3, rank)};
    if (holds(p, right, has(root, {right.king, right.rook, 0}))) return true;
  }
  return false;
}
bool has_right(const Position& p) { return std::ranges::count(p.castling_rooks, kNoSquare) < 4; }
/// Returns whether the move ends a castling right, apart from the right of a rook that it captures.
bool ends_right(const Position& p, const Move& move) {
  const Position child = after(p, move);
  for (std::size_t i = 0; i < 4; ++i) {
    if (p.castling_rooks[i] != child.castling_rooks[i] && p.castling_rooks[i] != move.to)
      return true;
  }
  return false;
}

/// Returns whether `holds` is true for the square of any pinned piece. A piece is pinned if,
/// without it, more enemy pieces would attack its king.
template <typename Predicate>
bool any_pinned(const Root& root, Predicate holds) {
  const Position& p = root.position;
  const std::size_t now = checking_pieces(p).size();
  for (Square square = 21; square <= 98; ++square) {
    if (!is_own(p, square) || kind_at(p, square) == 'k') continue;
    Position without = p;
    without[square] = kEmpty;
    if (checking_pieces(without).size() > now && holds(square)) return true;
  }
  return false;
}

/// Returns whether an enemy pawn is beside `square`.
bool beside_pawn(const Position& p, Square square) {
  const auto is_pawn = [&](Square at) { return is_enemy(p, at) && kind_at(p, at) == 'p'; };
  return is_pawn(square - 1) || is_pawn(square + 1);
}

}  // namespace

std::vector<Square> checking_pieces(const Position& p) {
  std::vector<Square> found;
  for (Square square = 21; square <= 98; ++square) {
    if (!is_enemy(p, square)) continue;
    Position alone = p;
    for (Square other = 21; other <= 98; ++other) {
      // All other enemy pieces still block lines but attack nothing.
      if (other != square && is_enemy(p, other)) alone[other] = p.white_to_move ? 'P' : 'p';
    }
    if (in_check(alone)) found.push_back(square);
  }
  return found;
}

const std::vector<Tag>& all() {
  static const std::vector<Tag> tags{
      {"castling", "castling is legal",
       [](const Root& root) { return any_move(root, is_castling); }},
      {"castling-forbidden", "castling is forbidden, although no piece stands in the way",
       [](const Root& root) {
         return any_right(root, [](const Position& p, const Right& right, bool legal) {
           return !legal && is_free(p, right);
         });
       }},
      {"castling-in-check", "castling is forbidden in check, although no piece stands in the way",
       [](const Root& root) {
         return any_right(root, [](const Position& p, const Right& right, bool) {
           return is_free(p, right) && in_check(p);
         });
       }},
      {"castling-through-attack",
       "castling would move the king over an attacked square to a safe one",
       [](const Root& root) {
         return any_right(root, [](const Position& p, const Right& right, bool) {
           return is_free(p, right) && !in_check(p) && !attacked(p, right.king_to) &&
                  crosses_attack(p, right);
         });
       }},
      {"castling-rook-attacked",
       "castling is legal, although a square of the rook's path is attacked",
       [](const Root& root) {
         return any_right(root, [](const Position& p, const Right& right, bool legal) {
           const auto [first, last] = std::minmax(right.rook, right.rook_to);
           for (Square square = first; legal && square <= last; ++square) {
             if (attacked(p, square)) return true;
           }
           return false;
         });
       }},
      {"castling-blocked",
       "a piece blocks the castling rook's path, but the king's path is free and safe",
       [](const Root& root) {
         return any_right(root, [](const Position& p, const Right& right, bool) {
           return !is_free(p, right) && is_free(p, right, right.king, right.king_to) &&
                  !crosses_attack(p, right);
         });
       }},
      {"castling-uncovers", "castling would expose the king to a piece behind the rook",
       [](const Root& root) {
         return any_right(root, [](const Position& p, const Right& right, bool legal) {
           return !legal && is_free(p, right) && !crosses_attack(p, right);
         });
       }},
      {"castling-check", "castling gives check",
       [](const Root& root) { return any_child(root, is_castling, in_check); }},
      {"right-lost", "a move of the king or of a rook ends a right to castle",
       [](const Root& root) {
         return any_move(root, [](const Position& p, const Move& move) {
           return !is_castling(p, move) && ends_right(p, move);
         });
       }},
      {"rook-captured", "a rook that could castle can be captured",
       [](const Root& root) {
         return any_move(root, [](const Position& p, const Move& move) {
           return is_enemy(p, move.to) && std::ranges::count(p.castling_rooks, move.to) != 0;
         });
       }},
      {"chess960", "a castling right that exists only in Chess960",
       [](const Root& root) { return root.position.chess960 && has_right(root.position); }},
      {"en-passant", "an en passant capture is legal",
       [](const Root& root) { return any_move(root, is_en_passant); }},
      {"en-passant-forbidden", "an en passant capture would leave the king in check",
       [](const Root& root) { return any_forbidden(root, is_en_passant); }},
      {"en-passant-evasion", "an en passant capture ends a check",
       [](const Root& root) { return in_check(root.position) && any_move(root, is_en_passant); }},
      {"en-passant-check", "an en passant capture gives check",
       [](const Root& root) { return any_child(root, is_en_passant, in_check); }},
      {"en-passant-discovery", "an en passant capture gives check by a piece other than the pawn",
       [](const Root& root) {
         return any_child(root, is_en_passant, [&](const Position& child) {
           const std::vector<Square> givers = checking_pieces(child);
           return std::ranges::any_of(
               givers, [&](Square square) { return square != root.position.en_passant; });
         });
       }},
      {"en-passant-offered", "a double step can be captured en passant",
       [](const Root& root) {
         return any_child(root, is_double_step, [](const Position& child) {
           return any_move(Root(child), is_en_passant);
         });
       }},
      {"single-step", "a pawn makes a single step and is then beside an enemy pawn",
       [](const Root& root) {
         return any_move(root, [](const Position& p, const Move& move) {
           return kind_at(p, move.from) == 'p' && move.to == move.from + forward(p) &&
                  beside_pawn(p, move.to);
         });
       }},
      {"double-step-blocked",
       "a piece directly before a pawn blocks its double step to an empty square",
       [](const Root& root) {
         const Position& p = root.position;
         for (Square square = 31; square <= 88; ++square) {
           if (is_own(p, square) && kind_at(p, square) == 'p' && own_rank(p, square) == 1 &&
               is_piece(p[square + forward(p)]) && p[square + 2 * forward(p)] == kEmpty)
             return true;
         }
         return false;
       }},
      {"promotion", "a pawn promotes",
       [](const Root& root) { return any_move(root, is_promotion); }},
      {"promotion-capture", "a pawn promotes by a capture",
       [](const Root& root) {
         return any_move(root, [](const Position& p, const Move& move) {
           return move.promotion != 0 && is_capture(p, move);
         });
       }},
      {"promotion-check", "a promotion gives check",
       [](const Root& root) { return any_child(root, is_promotion, in_check); }},
      {"pinned", "a piece is pinned",
       [](const Root& root) { return any_pinned(root, [](Square) { return true; }); }},
      {"pinned-moves", "a pinned piece may move along the line",
       [](const Root& root) {
         return any_pinned(root, [&](Square square) {
           return std::ranges::count(root.legal, square, &Move::from) != 0;
         });
       }},
      {"check", "the side to move is in check and has a legal move",
       [](const Root& root) { return in_check(root.position) && !root.legal.empty(); }},
      {"double-check", "the side to move is in check by two pieces and has a legal move",
       [](const Root& root) {
         return !root.legal.empty() && checking_pieces(root.position).size() > 1;
       }},
      {"gives-check", "a move gives check",
       [](const Root& root) { return any_child(root, whatever, in_check); }},
      {"gives-discovered-check", "a move gives check by a piece that did not move",
       [](const Root& root) {
         return any_move(root, [](const Position& p, const Move& move) {
           const Position child = after(p, move);
           if (!in_check(child)) return false;
           const std::vector<Square> givers = checking_pieces(child);
           return std::ranges::any_of(givers, [&](Square giver) {
             // A rook that castled has moved, even if it ends on its old square.
             return child[giver] == p[giver] &&
                    !(is_castling(p, move) && kind_at(child, giver) == 'r' &&
                      file_of(giver) == (move.to > move.from ? 5 : 3) &&
                      rank_of(giver) == rank_of(move.from));
           });
         });
       }},
      {"gives-double-check", "a move gives check by two pieces",
       [](const Root& root) {
         return any_child(root, whatever,
                          [](const Position& child) { return checking_pieces(child).size() > 1; });
       }},
      {"mates", "a move mates",
       [](const Root& root) {
         return any_child(root, whatever, [](const Position& child) {
           return in_check(child) && legal_moves(child).empty();
         });
       }},
      {"stalemates", "a move stalemates",
       [](const Root& root) {
         return any_child(root, whatever, [](const Position& child) {
           return !in_check(child) && legal_moves(child).empty();
         });
       }},
      {"king-along-line", "the king may not move away from a checking slider along its line",
       [](const Root& root) {
         return any_forbidden(root, [](const Position& p, const Move& move) {
           return kind_at(p, move.from) == 'k' && !is_castling(p, move) && !attacked(p, move.to);
         });
       }},
      {"king-protected", "the king may not capture a piece that is protected",
       [](const Root& root) {
         return any_forbidden(root, [](const Position& p, const Move& move) {
           return kind_at(p, move.from) == 'k' && is_enemy(p, move.to);
         });
       }},
      {"king-near-king", "only the other king keeps the king from a square",
       [](const Root& root) {
         return any_forbidden(root, [](const Position& p, const Move& move) {
           Position kingless = p;
           kingless[own_king(p)] = kEmpty;
           kingless[king_of(p, !p.white_to_move)] = kEmpty;
           return kind_at(p, move.from) == 'k' && !is_piece(p[move.to]) &&
                  !attacked(kingless, move.to);
         });
       }},
      {"knight-at-edge", "a knight of the side to move stands on the a-file or the h-file",
       [](const Root& root) {
         const Position& p = root.position;
         for (Square square = 21; square <= 98; ++square) {
           if (is_own(p, square) && kind_at(p, square) == 'n' && file_of(square) % 7 == 0)
             return true;
         }
         return false;
       }},
      {"bare-kings", "only the kings are on the board, or a capture leaves only the kings",
       [](const Root& root) {
         const auto is_bare = [](const Position& p) {
           return std::ranges::count_if(p.board, is_piece) == 2;
         };
         return is_bare(root.position) || any_child(root, is_capture, is_bare);
       }},
      {"crowded", "24 pieces or more are on the board",
       [](const Root& root) { return std::ranges::count_if(root.position.board, is_piece) >= 24; }},
  };
  return tags;
}

std::vector<std::string_view> of(const Position& position) {
  const Root root(position);
  std::vector<std::string_view> names;
  for (const Tag& tag : all()) {
    if (tag.holds(root)) names.push_back(tag.name);
  }
  return names;
}

}  // namespace manyply::tags
