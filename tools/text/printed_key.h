// Finds the key among the numbers that a program prints.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "hash/zobrist.h"

namespace manyply {

/// A printed number that may be a key: "8F8F01D4562F59FB", "0x…", decimal, or negative.
struct PrintedKeyNumber {
  std::string label;   ///< the words beside the number, in small letters: "key", "info string hash"
  std::string digits;  ///< digits without prefix, suffix and separators
  bool marked_hex = false;
  bool negative = false;
};

/// Returns all numbers of a line from left to right, including small ones.
[[nodiscard]] std::vector<PrintedKeyNumber> key_numbers_of(std::string_view line);

/// Says where a program's answers contain the key, and how the key is written.
struct KeyReading {
  std::string label;
  std::size_t ordinal = 0;  ///< index among the numbers with this label in an answer
  bool hex = false;
  int bits = 64;

  /// Returns the key in the lines of one answer; nullopt if the lines do not contain the key.
  [[nodiscard]] std::optional<ZobristKey> read(std::span<const std::string> lines) const;
  /// Returns the value of `number`; nullopt if it exceeds 128 bits or has digits of another base.
  [[nodiscard]] std::optional<ZobristKey> value(const PrintedKeyNumber& number) const;
};

/// Returns the base and the width of keys, derived from some printed keys.
[[nodiscard]] KeyReading how_written(std::span<const PrintedKeyNumber> numbers);

/// A program's answer for a position.
struct ShownPosition {
  int position;  ///< number of the position
  std::vector<std::string> lines;
};

/// Returns the readings that can be the key. They meet all of these conditions. First: each answer
/// has a number with the reading's label and ordinal. Second: the number differs between most
/// positions. Third: equal positions always have equal numbers. Fourth: the label contains a word
/// for keys, or at least one number is large. Readings whose label contains a word for keys come
/// first. If two readings give equal numbers in all answers, only the first of them is returned.
[[nodiscard]] std::vector<KeyReading> readings_of(std::span<const ShownPosition> answers);

/// Returns the only reading whose label contains `label`. If `label` is empty, returns the only
/// reading whose label contains a word for keys; if no label has such a word, the only reading.
/// Error kInvalidInput: several readings fit, or no label contains `label`. Error kUnavailable:
/// none of the printed numbers can be the key.
Result<KeyReading> chosen_reading(std::span<const ShownPosition> answers, std::string_view label);

}  // namespace manyply
