// Positions nobody would think of: Chess960 starts and pieces thrown on the board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace manyply {

/// Takes every decision of a random position or game: a number below `bound`, which is at least 1.
using Chooser = std::function<std::size_t(std::size_t bound)>;

/// The same decisions on every machine. Not for two threads at once.
[[nodiscard]] Chooser choose_by_seed(std::uint64_t seed);

/// One decision per byte, so that a fuzzer can steer; 0 when the bytes, which must outlive the
/// chooser, are used up.
[[nodiscard]] Chooser choose_by_bytes(std::span<const std::uint8_t> bytes);

/// FEN of Chess960 start position `number`, 0 to 959 (518 is the start position of chess).
[[nodiscard]] std::string chess960_start(int number);

/// FEN of one king and 0 to 15 other pieces a side, thrown on the board: many sliders, pawns about
/// to promote, castling rights and en passant squares of any kind. Every field is well-formed; the
/// position is often illegal, because a king can be captured.
[[nodiscard]] std::string piece_soup(const Chooser& choose);

}  // namespace manyply
