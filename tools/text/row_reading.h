// What the numbers of rows mean that have no names: `FEN,20,400` or `FEN,3,8902`?
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/text/suite_row.h"

namespace manyply {

/// A way to read bare numbers.
struct RowReading {
  std::string_view words;  ///< "depth, nodes"
  /// What `numbers` say by it; nothing if they cannot be meant so.
  std::optional<std::vector<ToldCount>> (*read)(std::span<const BareNumber> numbers);
};

/// Why no reading is certain.
struct Undecided {
  std::size_t row;  ///< its place among those that were given
  Error error;      ///< with the column of its first number
};

/// How all of `rows`, whose numbers are bare, are to be read. Each number is compared with what is
/// counted here, where that is cheap; else with how fast the position's tree grows. A reading is
/// certain if no row speaks for another one, and if more rows are confirmed than refuted by it: a
/// few counts of a suite may be wrong, and that is for whoever compares them to say. Does not
/// depend on time or on the machine.
std::variant<const RowReading*, Undecided> reading_of(std::span<const SuiteRow* const> rows);

/// Whether the depths of `rows`, whose counts begin with depth 0, are one less than ours: what they
/// call depth 0 is our depth 1, and in no row one path.
[[nodiscard]] bool begins_at_zero(std::span<const SuiteRow* const> rows);

}  // namespace manyply
