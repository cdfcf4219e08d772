// Moves in algebraic notation: written as the PGN standard has it (SAN), and read as people and
// programs write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/position.h"

namespace manyply {

/// SAN as in the PGN standard, 8.2.3: "Nbd7", "exd6", "e8=Q+", "O-O-O#". Precondition: `move` is
/// legal in `position`.
[[nodiscard]] std::string to_san(const Position& position, Move move);

/// The contents of a move in algebraic notation, short or long: "Nf3", "exd6 e.p.", "e8=Q+",
/// "O-O", "Ng1-f3", "e2e4". Which move that is, if any, depends on the position.
struct WrittenMove {
  enum class Castling : std::uint8_t { kNone, kKingSide, kQueenSide };

  Castling castling = Castling::kNone;  ///< if not kNone, nothing below counts
  std::optional<PieceType> piece{};     ///< of the piece that moves; a long text may name none
  /// "bxc3": by a pawn of the b-file, or by a bishop, if the writer uses no capitals.
  bool or_bishop = false;
  std::optional<int> from_file{};  ///< from 0
  std::optional<int> from_rank{};
  Square to = Square::kA1;
  char promotion = '\0';  ///< a small letter, of a long text any; 0 without

  /// Whether the text names both squares, which identifies one move in every position.
  [[nodiscard]] bool is_long() const { return from_file && from_rank; }
  /// Precondition: is_long().
  [[nodiscard]] Square from() const { return square_at(*from_file, *from_rank); }
};

/// The move at the beginning of `text`, which is shortened by it and by its check marks and
/// comments ("+", "#", "!?", "e.p."); nothing, and no change, if none stands there or other letters
/// or digits follow. A square alone is a pawn's move if its letter is small. "x" and "-" may stand
/// before the target; castling may be O-O, o-o or 0-0; a promotion e8=Q, e8Q, e8(Q), e8/Q,
/// e8=queen.
[[nodiscard]] std::optional<WrittenMove> read_written_move(std::string_view& text);

/// The legal moves that `written` may mean, in legal_moves() order. Castling is also meant by the
/// king's way to where it arrives, or to the rook's square: only then may a long text mean two.
[[nodiscard]] std::vector<Move> legal_moves_meant(const Position& position,
                                                  const WrittenMove& written);

/// The legal move of `position` that `text` means, in any of the ways that read_written_move()
/// knows. A king's step comes before castling that is written alike. Errors: kInvalidInput if the
/// text is no move or means several; kIllegal if it means none that is legal here.
[[nodiscard]] Result<Move> parse_san(const Position& position, std::string_view text);

}  // namespace manyply
