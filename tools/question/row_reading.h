// What the numbers of rows mean that have no head: `FEN,20,400` or `FEN,3,8902`?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "tools/question/suite_table.h"

namespace manyply {

enum class RowReading : std::uint8_t {
  kCounts,         ///< of depth 1, 2, …
  kDepthAndNodes,  ///< one depth, and the nodes there
};

/// Why no reading is certain.
struct Undecided {
  std::size_t row;  ///< its place among those that were given
  Error error;      ///< with the column of its first number
};

/// How all of `rows`, which are those of one table, are to be read. Each number is compared with
/// what is counted here, where that is cheap; else with how fast the position's tree grows. A
/// reading is certain if no row speaks for the other one, and if more rows are confirmed than
/// refuted by it: a few counts of a suite may be wrong, and that is for whoever compares them to
/// say. Does not depend on time or on the machine.
std::variant<RowReading, Undecided> reading_of(std::span<const BareRow> rows);

}  // namespace manyply
