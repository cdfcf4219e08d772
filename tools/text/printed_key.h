// Which of the numbers that a program prints is its key.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "hash/zobrist.h"

namespace manyply {

/// A number that may be a key, as it stands in a line: "8F8F01D4562F59FB", "0x…", decimal,
/// negative.
struct PrintedKeyNumber {
  std::string label;   ///< the words beside it, small: "key", "info string hash"
  std::string digits;  ///< without prefix, suffix and separators
  bool marked_hex = false;
  bool negative = false;
};

/// All of a line, from left to right; small numbers, too.
[[nodiscard]] std::vector<PrintedKeyNumber> key_numbers_of(std::string_view line);

/// Where in a program's answers the key stands, and how it is written. A value.
struct KeyReading {
  std::string label;
  std::size_t ordinal = 0;  ///< among the numbers of an answer with that label
  bool hex = false;
  int bits = 64;

  /// The key in the lines of one answer.
  [[nodiscard]] std::optional<ZobristKey> read(std::span<const std::string> lines) const;
  [[nodiscard]] std::optional<ZobristKey> value(const PrintedKeyNumber& number) const;
};

/// How keys are written of which these are some: their base and their width.
[[nodiscard]] KeyReading how_written(std::span<const PrintedKeyNumber> numbers);

/// A program's answer about the position of that number.
struct ShownPosition {
  int position;
  std::vector<std::string> lines;
};

/// What may be the key in all of the answers: a number in each of them that is another one for
/// nearly each position, and the same for the same position. First those that are called a key;
/// without those that are the same number twice.
[[nodiscard]] std::vector<KeyReading> readings_of(std::span<const ShownPosition> answers);

/// The one of them that is meant: whose label contains `label`, if that is not empty. kInvalidInput
/// where there are several, or none with that label; kUnavailable where there is none at all.
Result<KeyReading> chosen_reading(std::span<const ShownPosition> answers, std::string_view label);

}  // namespace manyply
