// Positions with everything that a FEN says, lines of play, and the kinds of moves.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"

namespace manyply {

/// A question for a key: a position to set up, and moves in UCI with spaces between them.
struct KeyQuestion {
  std::string fen;
  std::string moves;

  friend auto operator<=>(const KeyQuestion&, const KeyQuestion&) = default;
};

/// Returns "FEN" or "FEN moves e2e4 e7e5".
[[nodiscard]] std::string to_string(const KeyQuestion& question);

/// The square behind a double step. Programs differ in which of these squares are in their keys.
enum class PassedSquare : std::uint8_t {
  kNone,
  kAlone,   ///< no pawn stands beside to capture
  kPinned,  ///< a pawn stands beside, and its capture is illegal
  kUsable,  ///< the capture is legal
};

/// A position with its clocks, because a program may have them in its keys. A value.
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
  /// Writes the passed square into the en passant field if `with_passed`, else "-".
  [[nodiscard]] std::string fen(bool with_passed) const;
  /// Writes the passed square whether a capture is possible or not, as the standard says.
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
  /// Returns the move in this spelling. Precondition: a move of standard chess.
  [[nodiscard]] std::string text(Move move, CastlingNotation notation) const;
};

/// A line of play from a position that is set up.
struct KeyLine {
  KeyPosition start;
  std::vector<Move> moves{};
  MoveSpelling spelling{};

  /// Returns the start position with the first `plies` moves.
  [[nodiscard]] KeyQuestion question(std::size_t plies) const;
  /// Returns the start position and the position after each move.
  [[nodiscard]] std::vector<KeyPosition> positions() const;
};

/// Kinds of moves for which programs have separate code.
enum class MoveClass : std::uint8_t {
  kQuiet,
  kDoublePush,      ///< without a capture en passant
  kCapturablePush,  ///< with a legal capture en passant
  kCapture,
  kEnPassant,
  kCastling,
  kPromotion,
  kCapturingPromotion,
  kKingLosesRights,  ///< a king's move other than castling
  kRookLosesRight,
  kRookCaptured,  ///< in its corner, with a right
  kUnderpromotion,
};
inline constexpr std::size_t kMoveClasses = 12;

/// Returns a plural, such as "en passant captures".
[[nodiscard]] std::string_view name_of(MoveClass kind);

/// Returns one of the first eight kinds, and then any of the others that apply.
[[nodiscard]] std::vector<MoveClass> classes_of(const KeyPosition& before, Move move,
                                                const KeyPosition& after);

}  // namespace manyply
