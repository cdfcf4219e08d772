// Positions as people have them in hand: out of a UCI log, an EPD file, source code, an address.
#pragma once

#include <string>
#include <string_view>

namespace manyply {

/// A position and the moves from there, freed of what stands around them; neither is validated.
struct PositionText {
  std::string fen;     ///< or a name
  std::string moves;   ///< as Line::play takes them
  int fen_column = 1;  ///< in the text that was taken apart, in characters
  int moves_column = 1;
  /// The values that the text left out: "White to move, no castling, no en passant".
  std::string assumed = {};
  std::string aside = {};    ///< operations of EPD behind it, which say nothing of the position
  std::string refusal = {};  ///< why it is certain that no position of chess stands there
};

/// Takes a FEN or a name; `position fen … moves …`, `fen …`, `startpos moves …`, with or without
/// these words, and the last such line of a UCI log or of what Stockfish prints after `d`; a line
/// of EPD; all of these in quotes or back-ticks, with `;` or `,` behind them, or as a string of
/// source code or JSON (`"fen": "…",`, `char* fen = "…";`); FENs with underscores for blanks, and
/// addresses of Lichess and Chess.com with a FEN or moves in them; a game in PGN, of which the
/// position is the last one, or its
/// `[FEN "…"]` alone; a FEN that ends behind its placement, side to move or castling rights; moves
/// alone, from the start position. Other text stays as it is.
[[nodiscard]] PositionText position_text(std::string_view text);

/// Returns the position in a line of EPD, up to its first `;`: four fields, and clocks if present.
[[nodiscard]] std::string_view epd_position(std::string_view text);

/// Whether `text` contains at least some ranks of a board, such as `8/8/8/4K3`.
[[nodiscard]] bool has_ranks(std::string_view text);

}  // namespace manyply
