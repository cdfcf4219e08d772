// A divide that tells more of each move than its count: the position behind it, the replies to it.
#pragma once

#include <functional>
#include <string>

#include "core/line.h"
#include "core/result.h"

namespace manyply {

struct DivideDetails {
  int plies = 1;      ///< 2: the count behind each reply, too
  bool fens = false;  ///< the position behind each move, as a FEN

  [[nodiscard]] bool any() const { return plies > 1 || fens; }
};

/// The document of a count of depth 1 or more.
using CountedDocument = std::function<Result<std::string>(const Line&)>;

/// `document`, which is that of `line`, with a member "fen" in each row of its divide, and with a
/// member "divide", the rows of what `count` answers for the position there. Errors: those of
/// `count`; kInternal where its rows do not add up to the count that stands there already.
Result<std::string> detailed(const std::string& document, const Line& line,
                             const DivideDetails& details, const CountedDocument& count);

}  // namespace manyply
