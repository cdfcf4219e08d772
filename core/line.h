// A position and the moves that led to it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"

namespace manyply {

/// A line of play. It has a start position, moves, and the position at the end. A value type.
class Line {
 public:
  /// Makes a line that starts at the start position of chess and has no moves.
  Line();
  /// `fen` is the text for `start` in all output: the position as the user wrote it, or its
  /// canonical FEN. If the move just before `start` was a double step of a pawn, `passed` is the
  /// square that the pawn passed over.
  Line(const NamedPosition& start, std::string fen, std::optional<Square> passed);

  /// Returns the position at the end and the notation for its castling moves.
  [[nodiscard]] const NamedPosition& named() const { return end_; }
  [[nodiscard]] const Position& here() const { return end_.position; }
  [[nodiscard]] CastlingNotation notation() const { return end_.notation; }
  [[nodiscard]] const std::string& start_fen() const { return fen_; }
  [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }
  /// Returns the position before each move, and then the position at the end. Replays the whole
  /// line.
  [[nodiscard]] std::vector<Position> positions() const;
  /// If the last move was a double step of a pawn, returns the square that the pawn passed over;
  /// nullopt otherwise. Unlike Position's en passant square, passed() does not depend on whether a
  /// capture is legal. The order of Stockfish's move list depends on passed().
  [[nodiscard]] std::optional<Square> passed() const { return passed_at(moves_.size()); }
  /// Like passed(), for the position after `ply` moves. For ply = 0, returns the square that the
  /// constructor received. Precondition: ply <= moves().size().
  [[nodiscard]] std::optional<Square> passed_at(std::size_t ply) const;

  /// Appends a move. Precondition: `move` is legal in here().
  void play(Move move);
  /// Plays `moves`, which may have move numbers, comments and variations (see mainline()). Each
  /// move may be in UCI notation or in any notation of parse_san(). Returns nullopt if all moves
  /// were played. If a move cannot be played, returns an error with the number (from 1) and the
  /// column of this move in `moves`. The line then ends before this move.
  [[nodiscard]] std::optional<Error> play(std::string_view moves);
  /// Returns a copy of the line with `move` appended. Precondition: `move` is legal in here().
  [[nodiscard]] Line after(Move move) const;
  /// Returns a line without moves that starts at the end of this line. The FEN of the new line has
  /// correct counters. Its en passant field always contains passed(), even if no capture is legal
  /// there. If this line has no moves, returns a copy of this line.
  [[nodiscard]] Line as_fen() const { return from(moves_.size()); }
  /// Returns a line that starts after the first `ply` moves and has the remaining moves. Its FEN
  /// has the form that as_fen() describes. Precondition: ply <= moves().size().
  [[nodiscard]] Line from(std::size_t ply) const;
  /// Returns the canonical FEN of the position at the end. Its counters continue the counters of
  /// the start FEN.
  [[nodiscard]] std::string fen() const;
  /// Returns the number of half-moves since the last capture or pawn move. If the line has no such
  /// move, returns the start FEN's counter plus the number of moves in the line.
  [[nodiscard]] int halfmove_clock() const { return clock_at(moves_.size()); }
  /// Like fen(), but the en passant field always contains passed(), even if no capture is legal
  /// there. If the line has no moves, returns start_fen().
  [[nodiscard]] std::string fen_here() const { return as_fen().start_fen(); }
  [[nodiscard]] std::vector<std::string> uci_moves() const;

 private:
  [[nodiscard]] int clock_at(std::size_t ply) const;
  /// Returns the canonical FEN of `position`, with the counters after `ply` moves of the line.
  /// Precondition: `position` is the position after these moves.
  [[nodiscard]] std::string fen_at(std::size_t ply, const Position& position) const;

  Position start_;
  std::string fen_;
  std::optional<Square> passed_;  // the value of passed_at(0)
  std::vector<Move> moves_;
  NamedPosition end_;
};

/// Parses a line. `fen` may be any text that position_text() understands, including moves. `moves`
/// may be any text that Line::play() understands. If `notation` is empty, the FEN decides how
/// castling is written.
///
/// Keeps the FEN that position_text() finds, but replaces a name by its FEN, separates the fields
/// by one blank each, and adds missing clocks. Errors: those of parse_position() and Line::play();
/// kInvalidInput if position_text() rejects the text. Columns are counted in `fen` (see
/// PositionText), or in `moves` if a move of `moves` cannot be played.
Result<Line> parse_line(std::string_view fen, std::string_view moves,
                        std::optional<CastlingNotation> notation);

}  // namespace manyply
