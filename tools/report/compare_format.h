// Formats two kinds of comparisons. One compares three methods that make the same count. The other
// compares our count with the user's value.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/node_count.h"
#include "core/line.h"
#include "parallel/jobs/job.h"
#include "tools/report/value_hints.h"

// Formats the comparison of one count by three methods.

namespace manyply {

/// Reports of one count by three methods.
struct MethodReports {
  Report hashed;
  Report unhashed;
  Report configurations;  ///< not shown if the count needed no matrix
};

/// Returns whether all three totals agree with each other, and with the published value if there is
/// one. The counts of each root move must also agree.
[[nodiscard]] bool agree(const MethodReports& reports);

/// Returns the document: position, depth, "agrees", "speed_up" (time unhashed / hashed), and one
/// member per method.
[[nodiscard]] nlohmann::ordered_json compare_document(const MethodReports& reports,
                                                      const Line& root, Depth depth);

/// Returns one row per method, followed by the speed-up, the table, the comparison with the
/// published value, and the verdict. Throws the JSON library's exceptions if the document is
/// invalid.
[[nodiscard]] std::string compare_text(const nlohmann::ordered_json& document);

// Formats the comparison of a count with the user's value.

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
