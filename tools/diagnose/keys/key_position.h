// Positions as keys are asked for: with all that a FEN says, and that a key may contain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "tools/diagnose/keys/key_source.h"

namespace manyply {

/// What a double step of the last move leaves behind. Programs differ in which of them they keep.
enum class PassedSquare : std::uint8_t {
  kNone,
  kAlone,   ///< no pawn stands where it could capture
  kPinned,  ///< one does, and the capture is illegal
  kUsable,  ///< the capture is legal
};

/// A value. Programs may mix clocks into their keys, so that each position is told with its own.
struct KeyPosition {
  Position position;
  CastlingNotation notation = CastlingNotation::kStandard;
  std::optional<Square> passed{};  ///< by the last move, a pawn's double step
  int clock = 0;                   ///< half-moves since the last capture or pawn move
  int number = 1;                  ///< of the full move

  /// Reads all six fields.
  static Result<KeyPosition> parse(std::string_view fen);

  /// Precondition: the move is legal.
  [[nodiscard]] KeyPosition after(Move move) const;
  [[nodiscard]] PassedSquare passed_kind() const;
  /// With the passed square as the en passant field, or with "-".
  [[nodiscard]] std::string fen(bool with_passed) const;
  /// As the rules write it: with the square that was passed, whoever could capture there.
  [[nodiscard]] std::string fen() const { return fen(true); }
  [[nodiscard]] KeyQuestion set_up() const { return {fen(), {}}; }
};

/// How a program wants moves written.
struct MoveSpelling {
  enum class Castling : std::uint8_t { kKing, kRook, kLetters, kDigits };  ///< e1g1 e1h1 O-O 0-0
  enum class Promotion : std::uint8_t { kSmall, kCapital, kEquals, kEqualsSmall };  ///< q Q =Q =q

  Castling castling = Castling::kKing;
  Promotion promotion = Promotion::kSmall;

  friend bool operator==(const MoveSpelling&, const MoveSpelling&) = default;
  /// The move, legal in standard chess, in this spelling.
  [[nodiscard]] std::string text(Move move, CastlingNotation notation) const;
};

/// A line of play from a position that is set up.
struct KeyLine {
  KeyPosition start;
  std::vector<Move> moves{};
  MoveSpelling spelling{};

  /// start's FEN and the first `plies` moves.
  [[nodiscard]] KeyQuestion question(std::size_t plies) const;
  [[nodiscard]] std::vector<KeyPosition> positions() const;
};

}  // namespace manyply
