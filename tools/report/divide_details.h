// Adds details to a divide: the position after each move, and the replies to it.
#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/line.h"

namespace manyply {

/// The details that the user asked for.
struct DivideDetails {
  int plies = 1;      ///< 2: also the count of each reply
  bool fens = false;  ///< the FEN after each move

  /// Returns whether any details are requested.
  [[nodiscard]] bool any() const { return plies > 1 || fens; }
};

/// Returns the document of a count at depth 1 or more.
using CountedDocument = std::function<Result<std::string>(const Line&)>;

/// Returns `document`, which belongs to `line`, with a member "fen" in each row of its divide, and
/// a member "divide" with the rows that `count` returns for the position after the move. Errors:
/// those of `count`; kInternal if these rows do not add up to the row's count.
Result<std::string> detailed(const std::string& document, const Line& line,
                             const DivideDetails& details, const CountedDocument& count);

}  // namespace manyply
