// Checks a count that the user expects, and explains it if it is wrong. A wrong count may be the
// right count of another position or depth, or the right count without some kind of moves. Hints
// are not proofs, because numbers may be equal by chance.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/fen.h"
#include "core/line.h"
#include "tools/report/answer.h"

namespace manyply {

/// The user's value. It may be negative, because an overflowed signed counter prints a negative
/// number.
struct ExpectedValue {
  NodeCount size;
  bool is_negative = false;
};

/// A possible explanation of a wrong value.
struct ValueHint {
  std::string name;  ///< identifier for programs: "every-ply", "without-en-passant"
  std::string text;  ///< "counts every ply, not only the last: 48 + 2039 = 2087"
};

/// Returns explanations of `value`; empty if none is found. `ours` is the count of `question`, and
/// differs from `value`. If `ours` is large, skips explanations that are slow to check. Uses
/// `resources` to count. `suites` contain more positions with known counts. Errors: those of
/// answer().
Result<std::vector<ValueHint>> explain_value(const Question& question, NodeCount ours,
                                             const ExpectedValue& value, const Resources& resources,
                                             std::span<const EpdRecord> suites);

/// The user's value and our count.
struct CheckedValue {
  ExpectedValue expected;
  NodeCount nodes;
  std::vector<ValueHint> hints;  ///< possible explanations of `expected` if it is wrong

  /// Returns whether the values are equal.
  [[nodiscard]] bool agrees() const { return !expected.is_negative && nodes == expected.size; }
};

/// Returns the document: position, depth, both values, verdict ("match" or "mismatch") and hints.
[[nodiscard]] nlohmann::ordered_json check_document(const CheckedValue& checked, const Line& root,
                                                    Depth depth);

// These functions throw the JSON library's exceptions if the document is invalid.

/// Returns "match: perft(3) = 8902", or "mismatch: perft(3) = 8902, expected 8903" and a line for
/// each hint.
[[nodiscard]] std::string check_text(const nlohmann::ordered_json& document);
/// Returns a header and one row: depth,expected,nodes,verdict,hint.
[[nodiscard]] std::string check_csv(const nlohmann::ordered_json& document);

}  // namespace manyply
