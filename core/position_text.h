// Finds the position in pasted text, such as a UCI log, an EPD file, source code or a web address.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace manyply {

/// A position and moves that were found in a text. They are not validated. Columns are counted in
/// bytes from 1, after typographic characters, escapes and codes such as `%20` were replaced.
struct PositionText {
  std::string fen;     ///< a FEN or a name
  std::string moves;   ///< moves as for Line::play()
  int fen_column = 1;  ///< column of the FEN in the text
  int moves_column = 1;
  /// The values that are assumed because the text omits them: "White to move, no castling, no en
  /// passant".
  std::string assumed = {};
  std::string aside = {};    ///< EPD operations after the FEN, which do not describe the position
  std::string refusal = {};  ///< if not empty, the reason why the text is rejected; in this case,
                             ///< `fen_column` is the column of the rejected part
};

/// Recognises these texts:
///   - a FEN or a name;
///   - `position fen … moves …`, `fen …`, `startpos moves …`, and the same without the words
///     `position`, `fen` or `moves`;
///   - a UCI log (the last line that begins with `position` is used), or the output of Stockfish's
///     `d` (the line `Fen:` is used);
///   - a line of EPD;
///   - each text above in quotes or back-ticks, with a `;` or `,` after it, or as a string in
///     source code or JSON (`"fen": "…",`, `char* fen = "…";`);
///   - FENs with underscores instead of blanks;
///   - web addresses that contain a FEN or moves, such as those of Lichess and Chess.com;
///   - a game in PGN (the result is its start position with all moves), or only the tag `[FEN
///     "…"]`;
///   - a FEN that ends after the placement, side to move or castling rights (see
///     PositionText::assumed);
///   - moves without a position, if the first move is legal in the start position.
/// Rejects three kinds of texts (see PositionText::refusal): web addresses without a FEN or moves,
/// variants whose rules are not those of chess, and PGN with more than one game. Any other text is
/// returned as `fen`, so that parse_fen() reports the error.
[[nodiscard]] PositionText position_text(std::string_view text);

/// Returns the beginning of an EPD line, up to the end of the position: its four fields, and its
/// clocks if there are any.
[[nodiscard]] std::string_view epd_position(std::string_view text);

/// Returns whether `text` contains four or more consecutive ranks of a board, such as `8/8/8/4K3`.
[[nodiscard]] bool has_ranks(std::string_view text);

// Names of well-known positions.

/// A name and its FEN.
struct PositionName {
  std::string_view name;
  std::string_view fen;
};

/// Returns all names: "startpos", its short form "start", "kiwipete", and positions 3 to 6 of the
/// Chess Programming Wiki's perft results.
[[nodiscard]] std::span<const PositionName> position_names();

}  // namespace manyply
