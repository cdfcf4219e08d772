// Decides the meaning of unnamed numbers in a suite's rows: `FEN,20,400` (two counts) or
// `FEN,3,8902` (a depth and its count)?
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/text/suite_row.h"

namespace manyply {

/// One meaning that unnamed numbers may have.
struct RowReading {
  std::string_view words;  ///< "depth, nodes"
  /// Returns the counts that `numbers` state in this reading; nullopt if they cannot have this
  /// meaning.
  std::optional<std::vector<ToldCount>> (*read)(std::span<const BareNumber> numbers);
};

/// The reason why no reading is certain.
struct Undecided {
  std::size_t row;  ///< index into the rows that were passed
  Error error;      ///< has the column of the row's first number
};

/// Returns the reading that fits all of `rows`, whose numbers are unnamed. The function counts
/// small trees and compares each number with its own count; it compares larger numbers with the
/// growth of the position's tree. A reading is certain if no row fits another reading better, and
/// if it is confirmed by more rows than refute it. A minority of refuted rows is allowed because a
/// suite may contain wrong counts; the comparison of the suite reports those. The result depends
/// neither on time nor on the machine.
std::variant<const RowReading*, Undecided> reading_of(std::span<const SuiteRow* const> rows);

/// Returns whether the depths of `rows`, whose counts begin with depth 0, are one less than ours.
/// In such suites "depth 0" is our depth 1, and its count is not 1 in any row.
[[nodiscard]] bool begins_at_zero(std::span<const SuiteRow* const> rows);

}  // namespace manyply
