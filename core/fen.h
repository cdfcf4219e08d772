// Reads and writes Forsyth-Edwards Notation: FEN, X-FEN and Shredder-FEN. Reads EPD.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/position.h"

namespace manyply {

/// Parses a FEN with 4 to 6 fields. The two clocks are optional. If they are present, they must be
/// valid numbers, but their values are not used. Castling letters are KQkq or files of rooks. In
/// X-FEN, KQkq mean the outermost rooks, and files mean inner rooks. In Shredder-FEN, all letters
/// are files. Returns the first error (kInvalidInput) with its field and column. Checks only one
/// rule of legality: KQkq need a king and a rook on the back rank. Position::from_setup() checks
/// the other rules.
Result<Setup> parse_fen(std::string_view fen);

/// A position, and the notation for its castling moves.
struct NamedPosition {
  Position position;
  CastlingNotation notation = CastlingNotation::kStandard;
};

/// Parses and validates a FEN or a name from position_text.h. The notation is Chess960 in three
/// cases: a king with a castling right is not on the e-file; a rook with a castling right is not on
/// the a- or h-file; or a right is written as a file letter. Errors: those of parse_fen() and
/// Position::from_setup().
Result<NamedPosition> parse_position(std::string_view text);

// parse_position() calls fen_of(), parse_fen() and named_position(), in this order. Callers that
// need the Setup call these three functions themselves.

/// If `text` is a name, returns its FEN. Otherwise returns `text` without trailing line breaks.
[[nodiscard]] std::string_view fen_of(std::string_view text);
/// Returns the position that `setup` describes, and its notation. Returns an error if the position
/// is illegal.
Result<NamedPosition> named_position(const Setup& setup);

/// Returns the canonical FEN, with clocks "0 1", and with an en passant square only if a capture
/// there is legal. If `notation` is kStandard and every king and rook with a castling right is on
/// its standard square, writes the rights as KQkq. Otherwise writes the files of the rooks.
[[nodiscard]] std::string to_fen(const Position& position,
                                 CastlingNotation notation = CastlingNotation::kStandard);

inline constexpr std::string_view kStartFen =
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
inline constexpr std::string_view kKiwipeteFen =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

// EPD lines with perft counts, in the format of test suites: `FEN ;D1 20 ;D2 400`.

/// The number of nodes that an EPD line states for a depth.
struct EpdCount {
  Depth depth;
  NodeCount nodes;
};

/// A position and its counts.
struct EpdRecord {
  NamedPosition root;
  std::string fen;               ///< FEN or name as written, without surrounding spaces
  std::vector<EpdCount> counts;  ///< in the order written; never empty; each depth once
};

/// Parses one line. The text before the first `;` is a FEN of 4 to 6 fields or a name. After each
/// `;` there is a count (`D3 8902`, `d3 8902`). Additional spaces are allowed. `#` starts a
/// comment.
///
/// Returns nullopt for an empty line or a comment. If the line has errors, returns the first one
/// with its column in the line. The error's field is "depth", "count" or a field that
/// parse_position() reports.
Result<std::optional<EpdRecord>> parse_epd_line(std::string_view line);

}  // namespace manyply
