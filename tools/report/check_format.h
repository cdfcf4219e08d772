// Formats the comparison of a count with a value that the user has.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/node_count.h"
#include "core/line.h"
#include "tools/report/value_hints.h"

namespace manyply {

/// The user's value and our count.
struct CheckedValue {
  ExpectedValue expected;
  NodeCount nodes;
  std::vector<ValueHint> hints;  ///< possible explanations of `expected` if it is wrong

  /// Returns whether the values are equal.
  [[nodiscard]] bool agrees() const { return !expected.is_negative && nodes == expected.size; }
};

/// Returns the document: position, depth, both values, verdict ("match" or "mismatch") and hints.
[[nodiscard]] std::string check_document(const CheckedValue& checked, const Line& root,
                                         Depth depth);

// These throw the JSON library's exceptions if the document is invalid.

/// Returns "match: perft(3) = 8902", or "mismatch: perft(3) = 8902, expected 8903" and a line for
/// each hint.
[[nodiscard]] std::string check_text(const nlohmann::ordered_json& document);
/// Returns a header and one row: depth,expected,nodes,verdict,hint.
[[nodiscard]] std::string check_csv(const nlohmann::ordered_json& document);

}  // namespace manyply
