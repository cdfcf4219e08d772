// Generators with one deliberate error each, based on the oracle.
#include "tests/tools/diagnose/broken_generator.h"

#include <algorithm>

namespace manyply::oracle {
namespace {

bool is_enemy(const Position& position, Square square) {
  return position[square] != kEmpty && position[square] != kBorder && !is_own(position, square);
}
bool attacked(const Position& position, Square square) {
  return attacks(position, !position.white_to_move, square);
}
Square king(const Position& position) {
  const auto found = std::ranges::find(position.board, own(position, 'k'));
  return static_cast<Square>(found - position.board.begin());
}
int home(const Position& position) { return position.white_to_move ? 0 : 7; }
bool has(const Moves& moves, const Move& move) { return std::ranges::count(moves, move) != 0; }

bool takes_king(const Position& position, const Move& move) {
  return kind_at(position, move.to) == 'k' && is_enemy(position, move.to);
}

/// Generates the legal moves, and illegal candidates for which `also` returns true.
Generator admitting(std::function<bool(const Position&, const Move&)> also) {
  Generator generator;
  generator.moves = [also](const Position& p) {
    Moves moves = legal_moves(p);
    for (const Move& move : candidate_moves(p)) {
      if (!has(moves, move) && !takes_king(p, move) && also(p, move)) moves.push_back(move);
    }
    return moves;
  };
  return generator;
}

/// Generates the legal moves except those for which `refused` returns true.
Generator refusing(std::function<bool(const Position&, const Move&)> refused) {
  Generator generator;
  generator.moves = [refused](const Position& p) {
    Moves moves = legal_moves(p);
    std::erase_if(moves, [&](const Move& move) { return refused(p, move); });
    return moves;
  };
  return generator;
}

/// A move of a piece of `kind` ends all castling rights of its side.
Generator losing_rights_with(char kind) {
  Generator generator;
  generator.play = [kind](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (kind_at(p, move.from) == kind) {
      for (std::size_t i = p.white_to_move ? 0 : 2; i < (p.white_to_move ? 2u : 4u); ++i)
        next.castling_rooks[i] = kNoSquare;
    }
    return next;
  };
  return generator;
}

bool is_en_passant(const Position& p, const Move& move) {
  return kind_at(p, move.from) == 'p' && move.to == p.en_passant;
}

/// Generates the legal moves, and standard castling with the rook of each right for which `allowed`
/// returns true.
Generator castling_if(std::function<bool(const Position&, Square rook, int side)> allowed) {
  Generator generator;
  generator.moves = [allowed](const Position& p) {
    Moves moves = legal_moves(p);
    const Square from = king(p);
    for (std::size_t i = p.white_to_move ? 0 : 2; i < (p.white_to_move ? 2u : 4u); ++i) {
      const Square rook = p.castling_rooks[i];
      if (rook == kNoSquare || p[rook] != own(p, 'r') || has(moves, {from, rook, 0})) continue;
      if (from == at(4, home(p)) && allowed(p, rook, rook > from ? 1 : -1))
        moves.push_back({from, rook, 0});
    }
    return moves;
  };
  return generator;
}

bool free_between(const Position& p, Square a, Square b) {
  for (Square square = std::min(a, b) + 1; square < std::max(a, b); ++square) {
    if (p[square] != kEmpty) return false;
  }
  return true;
}

/// Keeps the castling right of a rook that is captured.
Position keep_right_of_captured(const Position& p, const Move& move) {
  Position next = after(p, move);
  for (std::size_t i = 0; i < 4; ++i) {
    if (p.castling_rooks[i] == move.to && is_enemy(p, move.to))
      next.castling_rooks[i] = p.castling_rooks[i];
  }
  return next;
}

/// Ignores rights without a rook: the oracle would castle with any piece on the rook's square.
Moves moves_with_true_rooks(const Position& p) {
  Position honest = p;
  for (std::size_t i = 0; i < 4; ++i) {
    const Square rook = p.castling_rooks[i];
    if (rook != kNoSquare && p[rook] != (i < 2 ? 'R' : 'r')) honest.castling_rooks[i] = kNoSquare;
  }
  return legal_moves(honest);
}

bool leaves_king(const Position& p, Square from) {
  Position without = p;
  without[from] = kEmpty;
  return !in_check(p) && kind_at(p, from) != 'k' && attacked(without, king(p));
}

/// Returns whether the mover's king is safe after a move, which need not follow the rules.
bool is_safe(const Position& p, const Move& move) {
  Position next = after(p, move);
  next.white_to_move = p.white_to_move;
  return !in_check(next);
}

/// Generates the legal moves, and those moves of `more` after which the king is safe.
Generator adding(std::function<Moves(const Position&)> more) {
  Generator generator;
  generator.moves = [more](const Position& p) {
    Moves moves = legal_moves(p);
    for (const Move& move : more(p)) {
      if (kind_at(p, move.to) != 'k' && !has(moves, move) && is_safe(p, move))
        moves.push_back(move);
    }
    return moves;
  };
  return generator;
}

/// Returns the squares of the mover's pieces of one kind.
std::vector<Square> squares_of(const Position& p, char kind) {
  std::vector<Square> squares;
  for (Square square = at(0, 0); square <= at(7, 7); ++square) {
    if (p[square] == own(p, kind)) squares.push_back(square);
  }
  return squares;
}

/// Returns the number of pieces that give check.
int checks(const Position& p) {
  int number = 0;
  for (Square square = at(0, 0); square <= at(7, 7); ++square) {
    if (!is_enemy(p, square)) continue;
    Position alone = p;  // all other pieces only block
    for (Square other = at(0, 0); other <= at(7, 7); ++other) {
      if (other != square && is_enemy(p, other)) alone[other] = own(p, 'n');
    }
    number += in_check(alone) ? 1 : 0;
  }
  return number;
}

constexpr int kDiagonals[]{kUp + 1, kUp - 1, -kUp + 1, -kUp - 1};

}  // namespace

std::map<std::string, Generator> all_bugs() {
  std::map<std::string, Generator> bugs;
  bugs["none"] = {};
  bugs["castling-through-attack"] = castling_if([](const Position& p, Square rook, int side) {
    const Square from = king(p);
    return free_between(p, from, rook) && !in_check(p) && !attacked(p, from + 2 * side);
  });
  bugs["castling-out-of-check"] = castling_if([](const Position& p, Square rook, int side) {
    const Square from = king(p);
    return free_between(p, from, rook) && in_check(p) && !attacked(p, from + side) &&
           !attacked(p, from + 2 * side);
  });
  bugs["castling-over-b1"] = castling_if([](const Position& p, Square, int side) {
    const Square from = king(p);
    return side < 0 && free_between(p, from, from - 3) && !in_check(p) && !attacked(p, from - 1) &&
           !attacked(p, from - 2);
  });
  bugs["castling-refused-b1"] = refusing([](const Position& p, const Move& move) {
    return is_castling(p, move) && move.to < move.from && attacked(p, at(1, home(p)));
  });
  bugs["castling-uncovers-king"] =
      admitting([](const Position& p, const Move& move) { return is_castling(p, move); });
  bugs["right-after-capture"].moves = moves_with_true_rooks;
  bugs["right-after-capture"].play = keep_right_of_captured;
  bugs["right-after-rook-move"].moves = moves_with_true_rooks;
  bugs["right-after-rook-move"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (kind_at(p, move.from) == 'r') {
      for (std::size_t i = 0; i < 4; ++i) {
        if (p.castling_rooks[i] == move.from || p.castling_rooks[i] == move.to)
          next.castling_rooks[i] = p.castling_rooks[i];
      }
    }
    return next;
  };
  bugs["castling-without-rook"].play = keep_right_of_captured;
  bugs["castling-without-rook"].moves = [](const Position& p) {
    Moves moves = moves_with_true_rooks(p);
    const Square from = king(p);
    for (std::size_t i = p.white_to_move ? 0 : 2; i < (p.white_to_move ? 2u : 4u); ++i) {
      const Square rook = p.castling_rooks[i];
      if (rook == kNoSquare || p[rook] == own(p, 'r') || from != at(4, home(p))) continue;
      const int side = rook > from ? 1 : -1;
      if (free_between(p, from, rook) && !in_check(p) && !attacked(p, from + side) &&
          !attacked(p, from + 2 * side))
        moves.push_back({from, from + 2 * side, 0});
    }
    return moves;
  };
  bugs["en-passant-unsafe"] =
      admitting([](const Position& p, const Move& move) { return is_en_passant(p, move); });
  bugs["en-passant-kept"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (next.en_passant == kNoSquare && p.en_passant != kNoSquare && p[p.en_passant] == kEmpty &&
        move.to != p.en_passant)
      next.en_passant = p.en_passant;
    return next;
  };
  bugs["en-passant-single-step"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (kind_at(p, move.from) == 'p' && std::abs(move.to - move.from) == kUp && move.promotion == 0)
      next.en_passant = move.from;
    return next;
  };
  bugs["en-passant-never"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    next.en_passant = kNoSquare;
    return next;
  };
  bugs["en-passant-not-in-check"] = refusing(
      [](const Position& p, const Move& move) { return is_en_passant(p, move) && in_check(p); });
  bugs["promotion-once"] = refusing(
      [](const Position&, const Move& m) { return m.promotion != 0 && m.promotion != 'q'; });
  bugs["promotion-once"].text = [](const Position& p, const Move& m) {
    return uci(p, m).substr(0, 4);
  };
  bugs["underpromotion-missing"] = refusing(
      [](const Position&, const Move& m) { return m.promotion != 0 && m.promotion != 'q'; });
  bugs["pinned-moves"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) != 'k' && !in_check(p) && !is_en_passant(p, move);
  });
  bugs["pinned-stuck"] =
      refusing([](const Position& p, const Move& move) { return leaves_king(p, move.from); });
  bugs["king-along-ray"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'k' && !is_castling(p, move) && !attacked(p, move.to);
  });
  bugs["king-captures-protected"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'k' && is_enemy(p, move.to);
  });
  bugs["kings-adjacent"] = admitting([](const Position& p, const Move& move) {
    if (kind_at(p, move.from) != 'k' || p[move.to] != kEmpty) return false;
    Position kingless = p;
    std::ranges::replace(kingless.board, own(p, 'k'), kEmpty);
    std::ranges::replace(kingless.board, p.white_to_move ? 'k' : 'K', kEmpty);
    return !attacked(kingless, move.to);
  });
  bugs["check-ignored"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'n' && in_check(p);
  });
  bugs["stalemate-counts"].counts_dead_ends = true;
  bugs["bare-kings-end"] = {};  // see count()
  bugs["double-step-over-piece"].moves = [](const Position& p) {
    Moves moves = legal_moves(p);
    const int up = p.white_to_move ? kUp : -kUp;
    for (int file = 0; file < 8; ++file) {
      const Square from = at(file, p.white_to_move ? 1 : 6);
      const Move move{from, from + 2 * up, 0};
      if (p[from] == own(p, 'p') && p[move.to] == kEmpty && p[from + up] != kEmpty &&
          !in_check(p) && !leaves_king(p, from))
        moves.push_back(move);
    }
    return moves;
  };
  bugs["knight-wraps"].moves = [](const Position& p) {
    Moves moves = legal_moves(p);
    for (int rank = 0; rank < 7; ++rank) {  // from the h-file around the edge of the board
      const Square from = at(7, rank);
      const Move move{from, at(1, rank + 1), 0};
      if (p[from] == own(p, 'n') && !is_own(p, move.to) && kind_at(p, move.to) != 'k' &&
          !in_check(p) && !leaves_king(p, from) && rank + 2 <= 7)
        moves.push_back({from, at(1, rank + 2), 0});
    }
    std::erase_if(moves, [&](const Move& m) {
      return !has(legal_moves(p), m) && (is_own(p, m.to) || kind_at(p, m.to) == 'k');
    });
    return moves;
  };
  bugs["castling-twice"].moves = [](const Position& p) {
    Moves moves = legal_moves(p);
    const Moves once = moves;
    std::ranges::copy_if(once, std::back_inserter(moves),
                         [&](const Move& move) { return is_castling(p, move); });
    return moves;
  };
  bugs["undo-damage"].spoils_from = 3;
  bugs["leaf-damage"].spoils_from = 2;
  bugs["promotion-bulk"] = {};  // see count()
  bugs["castling-rook-stays"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (!is_castling(p, move)) return next;
    next[move.to] = own(p, 'r');
    const int side = move.to > move.from ? 5 : 3;
    if (at(side, home(p)) != move.to) next[at(side, home(p))] = kEmpty;
    return next;
  };
  bugs["promoted-stays-pawn"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (move.promotion != 0) next[move.to] = own(p, 'p');
    return next;
  };
  bugs["promoted-to-queen"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (move.promotion != 0) next[move.to] = own(p, 'q');
    return next;
  };
  bugs["en-passant-victim-stays"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (is_en_passant(p, move)) {
      const Square victim = move.to + (p.white_to_move ? -kUp : kUp);
      next[victim] = p[victim];
    }
    return next;
  };
  bugs["promotion-capture-missing"] = refusing([](const Position& p, const Move& move) {
    return move.promotion != 0 && p[move.to] != kEmpty;
  });
  bugs["no-legality"] =
      admitting([](const Position& p, const Move& move) { return !is_castling(p, move); });
  bugs["fifty-moves-end"] = {};  // see count()
  bugs["double-step-missing"] = refusing([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'p' && std::abs(move.to - move.from) == 2 * kUp;
  });
  bugs["castling-never"] =
      refusing([](const Position& p, const Move& move) { return is_castling(p, move); });
  bugs["king-into-attack"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'k' && !is_castling(p, move);
  });
  bugs["pawn-captures-ahead"].moves = [](const Position& p) {
    Moves moves = legal_moves(p);
    const int up = p.white_to_move ? kUp : -kUp;
    for (Square from = at(0, 1); from <= at(7, 6); ++from) {
      const Square to = from + up;
      if (p[from] != own(p, 'p') || !is_enemy(p, to) || kind_at(p, to) == 'k') continue;
      const Move move{from, to, 0};
      Position next = after(p, move);
      next.white_to_move = p.white_to_move;
      if (to / kUp != 2 && to / kUp != 9 && !in_check(next)) moves.push_back(move);
    }
    return moves;
  };
  bugs["castling-long-never"] = refusing([](const Position& p, const Move& move) {
    return is_castling(p, move) && move.to < move.from;
  });
  bugs["en-passant-bulk"] = {};  // see count()
  bugs["right-lost"] = losing_rights_with('p');
  // Reads K, Q, k and q as the rook next to the king.
  bugs["right-of-inner-rook"].read = [](const Position& p, const std::string& fen) {
    Position read = p;
    const std::string letters = fen.substr(fen.find(' ') + 3);
    constexpr std::string_view kLetters = "KQkq";
    for (std::size_t i = 0; i < 4; ++i) {
      if (letters.substr(0, letters.find(' ')).find(kLetters[i]) == std::string::npos) continue;
      const char king = i < 2 ? 'K' : 'k';
      auto from = static_cast<Square>(std::ranges::find(p.board, king) - p.board.begin());
      const int step = i % 2 == 0 ? 1 : -1;
      while (p[from] != (i < 2 ? 'R' : 'r')) from += step;
      read.castling_rooks[i] = from;
    }
    return read;
  };
  bugs["right-lost-by-rook"] = losing_rights_with('r');
  bugs["two-bugs"] = refusing([](const Position& p, const Move& move) {
    return is_castling(p, move) || is_en_passant(p, move);
  });
  bugs["bishop-jumps"] = adding([](const Position& p) {
    Moves moves;
    for (const Square from : squares_of(p, 'b')) {
      for (const int step : kDiagonals) {
        Square to = from + step;
        while (p[to] == kEmpty) to += step;
        if (p[to] != own(p, 'p')) continue;
        for (to += step; p[to] == kEmpty; to += step) moves.push_back({from, to, 0});
        if (is_enemy(p, to)) moves.push_back({from, to, 0});
      }
    }
    return moves;
  });
  bugs["queen-captures-own"] = adding([](const Position& p) {
    Moves moves;
    for (const Square from : squares_of(p, 'q')) {
      for (const int step : {1, -1, kUp, -kUp}) {
        Square to = from + step;
        while (p[to] == kEmpty) to += step;
        if (is_own(p, to) && kind_at(p, to) != 'k') moves.push_back({from, to, 0});
      }
    }
    return moves;
  });
  bugs["double-check-blocked"] = admitting([](const Position& p, const Move& move) {
    if (kind_at(p, move.from) == 'k' || checks(p) < 2) return false;
    Position next = after(p, move);
    next.white_to_move = p.white_to_move;
    return checks(next) == 1;
  });
  bugs["pawn-slants"] = adding([](const Position& p) {
    Moves moves;
    const int up = p.white_to_move ? kUp : -kUp;
    for (const Square from : squares_of(p, 'p')) {
      for (const Square to : {from + up - 1, from + up + 1}) {
        const bool is_last = to / kUp == 2 || to / kUp == 9;
        if (p[to] == kEmpty && !is_last) moves.push_back({from, to, 0});
      }
    }
    return moves;
  });
  bugs["double-step-from-third"] = adding([](const Position& p) {
    Moves moves;
    const int up = p.white_to_move ? kUp : -kUp;
    for (const Square from : squares_of(p, 'p')) {
      const bool is_third = from / kUp == (p.white_to_move ? 4 : 7);
      if (is_third && p[from + up] == kEmpty && p[from + 2 * up] == kEmpty)
        moves.push_back({from, from + 2 * up, 0});
    }
    return moves;
  });
  bugs["promotes-to-king"].moves = [](const Position& p) {
    Moves moves = legal_moves(p);
    for (const Move& move : legal_moves(p)) {
      if (move.promotion == 'q') moves.push_back({move.from, move.to, 'k'});
    }
    return moves;
  };
  bugs["promotes-to-king"].play = [](const Position& p, const Move& move) {
    return after(p, {move.from, move.to, move.promotion == 'k' ? 'q' : move.promotion});
  };
  bugs["no-blocks"] = refusing([](const Position& p, const Move& move) {
    return in_check(p) && kind_at(p, move.from) != 'k' && p[move.to] == kEmpty &&
           !is_en_passant(p, move);
  });
  bugs["king-never-slants"] = refusing([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'k' && !is_castling(p, move) &&
           std::ranges::count(kDiagonals, move.to - move.from) != 0;
  });
  bugs["knight-never-back"] = refusing([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'n' &&
           move.to / kUp - move.from / kUp == (p.white_to_move ? -2 : 2);
  });
  bugs["castling-by-place"].moves = [](const Position& p) {
    Position entitled = p;
    for (std::size_t i = p.white_to_move ? 0 : 2; i < (p.white_to_move ? 2u : 4u); ++i) {
      const Square corner = at(i % 2 == 0 ? 7 : 0, home(p));
      if (king(p) == at(4, home(p)) && p[corner] == own(p, 'r'))
        entitled.castling_rooks[i] = corner;
    }
    return legal_moves(entitled);
  };
  bugs["mover-stays"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (kind_at(p, move.from) != 'k') next[move.from] = p[move.from];
    return next;
  };
  return bugs;
}

}  // namespace manyply::oracle
