// What a wrong count may be: the right answer to another question, or to this one but for a kind of
// moves. Hints, no proof: numbers may be equal by chance.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/epd.h"
#include "tools/report/answer.h"

namespace manyply {

/// A value as somebody has it; a signed counter that has overflowed prints a negative one.
struct ExpectedValue {
  NodeCount size;
  bool is_negative = false;
};
[[nodiscard]] std::string to_string(const ExpectedValue& value);

struct ValueHint {
  std::string name;  ///< for programs: "every-ply", "without-en-passant"
  std::string text;  ///< "counts every ply, not the last: 48 + 2039 = 2087"
};

/// What explains `value`, which is not `ours`, the count of `question`; nothing where nothing does.
/// Looks at all that takes no longer than the count did, or is short: with `resources`, whose table
/// is not asked for more than once. `suites` are positions with counts besides the published ones.
/// Errors: those of answer().
Result<std::vector<ValueHint>> explain_value(const Question& question, NodeCount ours,
                                             const ExpectedValue& value, const Resources& resources,
                                             std::span<const EpdRecord> suites);

}  // namespace manyply
