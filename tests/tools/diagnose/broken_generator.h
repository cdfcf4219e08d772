// Generators with one deliberate error each.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/support/oracle.h"

namespace manyply::oracle {

using Moves = std::vector<Move>;

constexpr int kUp = 10;
constexpr Square at(int file, int rank) { return 21 + kUp * rank + file; }
constexpr bool is_white(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_black(char c) { return c >= 'a' && c <= 'z'; }
constexpr char lower(char c) { return is_white(c) ? static_cast<char>(c - 'A' + 'a') : c; }
inline char own(const Position& position, char kind) {
  return position.white_to_move ? static_cast<char>(kind - 'a' + 'A') : kind;
}
inline bool is_own(const Position& position, Square square) {
  return position.white_to_move ? is_white(position[square]) : is_black(position[square]);
}
inline char kind_at(const Position& position, Square square) { return lower(position[square]); }
inline bool is_castling(const Position& p, const Move& move) {
  return kind_at(p, move.from) == 'k' && kind_at(p, move.to) == 'r' && is_own(p, move.to);
}

/// A generator with one error. A bug replaces some of these functions.
struct Generator {
  std::function<Moves(const Position&)> moves = [](const Position& p) { return legal_moves(p); };
  std::function<Position(const Position&, const Move&)> play =
      [](const Position& p, const Move& m) { return after(p, m); };
  std::function<std::string(const Position&, const Move&)> text =
      [](const Position& p, const Move& m) { return uci(p, m); };
  /// Returns the position as the engine reads it from a FEN.
  std::function<Position(const Position&, const std::string& fen)> read =
      [](const Position& p, const std::string&) { return p; };
  bool counts_dead_ends = false;
  int spoils_from = 0;  ///< from this depth on, the count of the first move is wrong
};

/// Returns all generators by the name of the bug; `none` has no bug.
std::map<std::string, Generator> all_bugs();

}  // namespace manyply::oracle
