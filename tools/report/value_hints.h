// Explains a wrong count: it may be the right answer to another question, or to the same question
// without some kind of moves. Hints are not proofs, because numbers may be equal by chance.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/epd.h"
#include "tools/report/answer.h"

namespace manyply {

/// The user's value. An overflowed signed counter prints a negative one.
struct ExpectedValue {
  NodeCount size;
  bool is_negative = false;
};
/// Returns the value in decimal digits, with a sign if negative.
[[nodiscard]] std::string to_string(const ExpectedValue& value);

/// A possible explanation of a wrong value.
struct ValueHint {
  std::string name;  ///< identifier for programs: "every-ply", "without-en-passant"
  std::string text;  ///< "counts every ply, not the last: 48 + 2039 = 2087"
};

/// Returns explanations of `value`, which differs from `ours`, the count of `question`; empty if
/// none is found. Tries everything that is short or takes no longer than the count did. Uses
/// `resources`, and allocates its table at most once. `suites` are further positions with known
/// counts. Errors: those of answer().
Result<std::vector<ValueHint>> explain_value(const Question& question, NodeCount ours,
                                             const ExpectedValue& value, const Resources& resources,
                                             std::span<const EpdRecord> suites);

}  // namespace manyply
