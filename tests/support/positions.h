// Positions by their FEN, and unusual random positions: Chess960 start positions and random
// placements of pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/fen.h"

namespace manyply {

/// Precondition: parse_position() accepts `fen`.
inline Position position_at(std::string_view fen) { return parse_position(fen).value().position; }
inline Board board_at(std::string_view fen) { return position_at(fen).board(); }

/// A function that makes all decisions of a random position or game. Returns a number from 0 to
/// bound - 1. Precondition: bound >= 1.
using Chooser = std::function<std::size_t(std::size_t bound)>;

/// Returns a chooser that makes the same decisions on every machine. Only one thread at a time may
/// call it.
[[nodiscard]] Chooser choose_by_seed(std::uint64_t seed);

/// Returns a chooser that makes one decision per byte, so that a fuzzer can control the decisions.
/// After the last byte it returns 0. `bytes` must outlive the chooser.
[[nodiscard]] Chooser choose_by_bytes(std::span<const std::uint8_t> bytes);

/// Returns the FEN of Chess960 start position `number`, 0 to 959 (518 is the start position of
/// chess).
[[nodiscard]] std::string chess960_start(int number);

/// Returns the FEN of a random placement of one king and 0 to 15 other pieces per side, with many
/// sliders, pawns near promotion, and random castling rights and en passant squares. Every field is
/// well-formed. The position is often illegal, because a king can be captured.
[[nodiscard]] std::string piece_soup(const Chooser& choose);

}  // namespace manyply
