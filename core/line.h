// A position and the moves that led to it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"

namespace manyply {

/// A line of play: a start position, moves, and the position at the end. A value type.
class Line {
 public:
  /// Makes the start position of chess without moves.
  Line();
  /// `fen` is the text for `start` in output: the position as the user wrote it, or its canonical
  /// FEN. `passed` is the square that a pawn's double step just before `start` passed over.
  Line(const NamedPosition& start, std::string fen, std::optional<Square> passed);

  /// Returns the position at the end, with the notation for its castling moves.
  [[nodiscard]] const NamedPosition& named() const { return end_; }
  [[nodiscard]] const Position& here() const { return end_.position; }
  [[nodiscard]] CastlingNotation notation() const { return end_.notation; }
  [[nodiscard]] const std::string& start_fen() const { return fen_; }
  [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }
  /// Returns the position before each move and the one at the end. Replays the whole line.
  [[nodiscard]] std::vector<Position> positions() const;
  /// Returns the square that the last move passed over, if it was a pawn's double step. Unlike the
  /// en passant square of a Position, this square is returned even if no capture is legal there.
  /// The order of Stockfish's move list depends on it.
  [[nodiscard]] std::optional<Square> passed() const { return passed_at(moves_.size()); }
  /// Does the same for the position before move `ply`.
  [[nodiscard]] std::optional<Square> passed_at(std::size_t ply) const;

  /// Appends a move. Precondition: `move` is legal in here().
  void play(Move move);
  /// Plays `moves`, in UCI notation or as parse_san() reads them, with or without move numbers. On
  /// error, names the first move that cannot be played, with its number and column; the line then
  /// ends before that move.
  [[nodiscard]] std::optional<Error> play(std::string_view moves);
  /// Returns the line with `move` appended. Precondition as for play().
  [[nodiscard]] Line after(Move move) const;
  /// Returns a line that starts at the end of this one and has no moves. Its FEN has correct
  /// counters and always the passed square.
  [[nodiscard]] Line as_fen() const { return from(moves_.size()); }
  /// Returns the position before move `ply` as a FEN, with the moves from there on.
  [[nodiscard]] Line from(std::size_t ply) const;
  /// Returns the canonical FEN of the position at the end, with counters that continue those of the
  /// start FEN.
  [[nodiscard]] std::string fen() const;
  /// Returns the number of half-moves since the last capture or pawn move, continued from the start
  /// FEN.
  [[nodiscard]] int halfmove_clock() const { return clock_at(moves_.size()); }
  [[nodiscard]] std::string fen_here() const { return as_fen().start_fen(); }
  [[nodiscard]] std::vector<std::string> uci_moves() const;

 private:
  [[nodiscard]] int clock_at(std::size_t ply) const;
  /// Returns the canonical FEN of `position` with its counters. Precondition: `position` is the one
  /// before move `ply`.
  [[nodiscard]] std::string fen_at(std::size_t ply, const Position& position) const;

  Position start_;
  std::string fen_;
  std::optional<Square> passed_;  // at the start
  std::vector<Move> moves_;
  NamedPosition end_;
};

/// Parses a line. `fen` may be any text that position_text() understands, including moves; `moves`
/// are read as by Line::play(). If `notation` is empty, castling is written as the FEN requires.
/// Keeps the FEN as the user wrote it, except that it replaces names and adds missing clocks.
/// Errors: those of parse_position() and Line::play().
Result<Line> parse_line(std::string_view fen, std::string_view moves,
                        std::optional<CastlingNotation> notation);

}  // namespace manyply
