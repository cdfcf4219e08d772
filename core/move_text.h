// Moves in algebraic notation. to_san() writes moves as the PGN standard requires (SAN). The other
// functions read the many forms that people and programs write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/position.h"

namespace manyply {

/// Returns SAN according to the PGN standard, section 8.2.3: "Nbd7", "exd6", "e8=Q+", "O-O-O#".
/// Precondition: `move` is legal in `position`.
[[nodiscard]] std::string to_san(const Position& position, Move move);

/// A parsed move in short or long algebraic notation: "Nf3", "exd6 e.p.", "e8=Q+", "O-O", "Ng1-f3",
/// "e2e4". The same text can mean different moves in different positions. In some positions, it
/// means no legal move.
struct WrittenMove {
  enum class Castling : std::uint8_t { kNone, kKingSide, kQueenSide };

  Castling castling = Castling::kNone;  ///< if not kNone, the other fields are unused
  std::optional<PieceType> piece{};     ///< the moving piece; may be empty if is_long()
  /// True for a text such as "bxc3". Its first letter is either the file of a pawn, or the letter
  /// of a bishop in lower case.
  bool or_bishop = false;
  std::optional<int> from_file{};  ///< 0 to 7
  std::optional<int> from_rank{};
  Square to = Square::kA1;
  char promotion = '\0';  ///< piece letter in lower case; any letter if is_long(); 0 if there
                          ///< is no promotion

  /// Returns whether the text names both the origin and the target. Such a text means at most one
  /// legal move in every position, unless it can mean both castling and a step of the king.
  [[nodiscard]] bool is_long() const { return from_file && from_rank; }
  /// Precondition: is_long().
  [[nodiscard]] Square from() const { return square_at(*from_file, *from_rank); }
};

/// Parses the move at the beginning of `text`. Removes it from `text`, together with check marks
/// and comments ("+", "#", "!?", "e.p."). If there is no move, or if letters or digits directly
/// follow the move, returns nullopt and leaves `text` unchanged.
///
/// A single square is a pawn's move only if its file is in lower case. After a piece letter or an
/// origin, "x" may stand before the target. A long move may have "-" or ":" instead of "x". In
/// short moves, a piece may have "-" ("N-f3"), and a pawn may have ":" ("e:d5"). Castling may be
/// written O-O, o-o or 0-0. A promotion may be written e8=Q, e8Q, e8(Q), e8/Q or e8=queen.
[[nodiscard]] std::optional<WrittenMove> read_written_move(std::string_view& text);

/// Returns the legal moves that `written` may mean, in legal_moves() order. Castling may also be
/// written as the king's move to its target ("Kg1", "e1g1") or to the rook's square ("e1h1"). So a
/// text can mean two moves: castling and a step of the king.
[[nodiscard]] std::vector<Move> legal_moves_meant(const Position& position,
                                                  const WrittenMove& written);

/// Returns the legal move of `position` that `text` means, in any notation of read_written_move().
/// If `text` can mean a king's step or castling, returns the step. Errors: kInvalidInput if the
/// text is not a move or is ambiguous; kIllegal if it does not mean a legal move.
[[nodiscard]] Result<Move> parse_san(const Position& position, std::string_view text);

// Functions for the moves of a game in PGN or similar text, as people and programs write them.

/// Returns `text` with blanks in place of everything that PGN allows besides the moves of the
/// main line. So the moves keep their columns. Blanks replace move numbers, commas, comments `{…}`
/// and `; …`, lines that begin with `%`, variations `(…)`, glyphs such as `$1`, `e.p.` as a
/// separate word, and the result at the end. Comments `{…` and variations that are not closed
/// remain.
[[nodiscard]] std::string mainline(std::string_view text);

/// Returns whether mainline(text) consists of one or more words that look like moves, and of
/// nothing else. Does not check whether these moves are legal.
[[nodiscard]] bool is_movetext(std::string_view text);

}  // namespace manyply
