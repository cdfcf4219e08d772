// Formats two comparisons: of one count by three methods, and of a count with the user's value.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/epd.h"
#include "core/line.h"
#include "parallel/jobs/job.h"
#include "tools/report/answer.h"

// Formats the comparison of one count by three methods.

namespace manyply {

/// Reports of one count by three methods.
struct MethodReports {
  Report hashed;
  Report unhashed;
  Report configurations;  ///< not shown if the count needed no matrix
};

/// Returns whether all three totals agree with each other and with the published value. The counts
/// of each root move must also agree.
[[nodiscard]] bool agree(const MethodReports& reports);

/// Returns the document: one member per method, "speed_up" (time unhashed / hashed) and "agrees".
[[nodiscard]] nlohmann::ordered_json compare_document(const MethodReports& reports,
                                                      const Line& root, Depth depth);

/// Returns one row per method, followed by the speed-up, the table, the published value and the
/// verdict. Throws the JSON library's exceptions if the document is invalid.
[[nodiscard]] std::string compare_text(const nlohmann::ordered_json& document);

// Adds details to a divide: the position after each move, and the replies to each move.

/// The details that the user asked for.
struct DivideDetails {
  int plies = 1;      ///< 2: with the count of each reply
  bool fens = false;  ///< the FEN after each move

  /// Returns whether any details are requested.
  [[nodiscard]] bool any() const { return plies > 1 || fens; }
};

/// Returns the document of a count at depth 1 or more.
using CountedDocument = std::function<Result<std::string>(const Line&)>;

/// Returns `document`, which belongs to `line`, with details of each move. Each row of the divide
/// gets the requested members: "fen", and "divide" with the replies that `count` returns for the
/// position after the move. Errors: those of `count`; kInternal if the replies do not add up to the
/// count of the move.
Result<std::string> detailed(const std::string& document, const Line& line,
                             const DivideDetails& details, const CountedDocument& count);

// Explains a wrong count. It may be the right count of another position or depth, or the right
// count without some kind of moves. Hints are not proofs, because numbers may be equal by chance.

/// The user's value. It may be negative, because an overflowed signed counter prints a negative
/// number.
struct ExpectedValue {
  NodeCount size;
  bool is_negative = false;
};
/// Returns the value in decimal digits, with a sign if negative.
[[nodiscard]] std::string to_string(const ExpectedValue& value);

/// A possible explanation of a wrong value.
struct ValueHint {
  std::string name;  ///< identifier for programs: "every-ply", "without-en-passant"
  std::string text;  ///< "counts every ply, not only the last: 48 + 2039 = 2087"
};

/// Returns explanations of `value`; empty if none is found. `value` differs from `ours`, which is
/// the count of `question`. Tries all explanations that are quick to check or take no longer than
/// the count did. Uses `resources`, and allocates their table at most once. `suites` contain more
/// positions with known counts. Errors: those of answer().
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

// These throw the JSON library's exceptions if the document is invalid.

/// Returns "match: perft(3) = 8902", or "mismatch: perft(3) = 8902, expected 8903" and a line for
/// each hint.
[[nodiscard]] std::string check_text(const nlohmann::ordered_json& document);
/// Returns a header and one row: depth,expected,nodes,verdict,hint.
[[nodiscard]] std::string check_csv(const nlohmann::ordered_json& document);

}  // namespace manyply
