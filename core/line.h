// A position and the moves that led there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"

namespace manyply {

/// A line of play: where it starts, its moves, and where they lead. A value.
class Line {
 public:
  /// The start position of chess, and no move.
  Line();
  /// `fen` describes `start` in output: the position as the user wrote it, or its canonical
  /// FEN. `passed` is the square that the move before it, a pawn's double step, passed over.
  Line(const NamedPosition& start, std::string fen, std::optional<Square> passed);

  /// The position at the end, and how its castling moves are written.
  [[nodiscard]] const NamedPosition& named() const { return end_; }
  [[nodiscard]] const Position& here() const { return end_.position; }
  [[nodiscard]] CastlingNotation notation() const { return end_.notation; }
  [[nodiscard]] const std::string& start_fen() const { return fen_; }
  [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }
  /// Every position of it, played through again: that before move `ply` at `ply`, here() at the
  /// end.
  [[nodiscard]] std::vector<Position> positions() const;
  /// The square that the last move, a pawn's double step, passed over. Unlike the en passant square
  /// of a Position it may be useless: the order of Stockfish's move list depends on it all the
  /// same.
  [[nodiscard]] std::optional<Square> passed() const { return passed_at(moves_.size()); }
  /// The same before move `ply`.
  [[nodiscard]] std::optional<Square> passed_at(std::size_t ply) const;

  /// Precondition: `move` is legal here.
  void play(Move move);
  /// Plays `moves`, in UCI or as parse_san() reads them, numbered or not. The error names the first
  /// one that cannot be played, its place among them and its column; the line then ends before it.
  [[nodiscard]] std::optional<Error> play(std::string_view moves);
  /// The line with `move` at its end; precondition as of play().
  [[nodiscard]] Line after(Move move) const;
  /// This position as a FEN without moves. Its counters are right; the passed square always stands
  /// in it.
  [[nodiscard]] Line as_fen() const { return from(moves_.size()); }
  /// The position before move `ply` as a FEN, and the moves from there on.
  [[nodiscard]] Line from(std::size_t ply) const;
  /// The canonical FEN of this position, but with its counters: those of the start FEN, counted on
  /// by the moves.
  [[nodiscard]] std::string fen() const;
  /// Half-moves since the last capture or pawn move; the start FEN's counter if there was no such
  /// move.
  [[nodiscard]] int halfmove_clock() const { return clock_at(moves_.size()); }
  [[nodiscard]] std::string fen_here() const { return as_fen().start_fen(); }
  [[nodiscard]] std::vector<std::string> uci_moves() const;

 private:
  [[nodiscard]] int clock_at(std::size_t ply) const;
  /// The canonical FEN of `position`, which stands before move `ply`, with its counters.
  [[nodiscard]] std::string fen_at(std::size_t ply, const Position& position) const;

  Position start_;
  std::string fen_;
  std::optional<Square> passed_;  // at the start
  std::vector<Move> moves_;
  NamedPosition end_;
};

/// The line that `fen` (which position_text() takes apart; it may have moves, too) and `moves` (as
/// Line::play takes them) describe.
/// Without `notation` castling is written as the FEN needs it. The FEN is kept as the user
/// wrote it, except that names are replaced and missing clocks added. Errors are those of
/// parse_position and Line::play.
Result<Line> parse_line(std::string_view fen, std::string_view moves,
                        std::optional<CastlingNotation> notation);

}  // namespace manyply
