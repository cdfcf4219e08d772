// What came of counting a suite, as text, JSON, or for continuous integration.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text/suite.h"

namespace manyply {

/// A count, and what the suite expects.
struct SuiteDifference {
  int line = 0;
  std::string fen;
  Depth depth;
  NodeCount expected;
  NodeCount nodes;
};

/// What came of a suite.
struct SuiteReport {
  std::string file;  ///< its name
  std::size_t positions = 0;
  std::size_t matches = 0;  ///< counts
  std::size_t skipped = 0;
  std::vector<SuiteDifference> differences = {};  ///< in the order of the suite
  double seconds = 0;
  RefusedLines refused = {};
  std::vector<std::string> read_as = {};  ///< Suite::read_as
};

/// "1 line refused"
[[nodiscard]] std::string refused_text(std::size_t count);

/// A count that was compared, as a document; SuiteReport's has those that differ.
[[nodiscard]] nlohmann::ordered_json compared_document(const SuiteDifference& counted);

/// "line 2, depth 3", and ": expected 8902, counted 8903  FEN": parts of one line of text, whose
/// first is painted where there are colours.
[[nodiscard]] std::string place_text(const nlohmann::ordered_json& compared);
[[nodiscard]] std::string counts_text(const nlohmann::ordered_json& compared);
/// "2,3,8902,8903,mismatch", below the head "line,depth,expected,nodes,verdict".
[[nodiscard]] std::string compared_csv(const nlohmann::ordered_json& compared);
[[nodiscard]] std::string refused_csv(const nlohmann::ordered_json& refusal);

/// Of refused lines, what stands in each document on suites.
[[nodiscard]] nlohmann::ordered_json refused_json(const RefusedLines& refused);

[[nodiscard]] std::string suite_document(const SuiteReport& report);

// Forms of such a document. They throw where it is none.

/// The differences, below how tables were read and what was refused, and summary_text().
[[nodiscard]] std::string suite_text(const nlohmann::ordered_json& document);
/// "my.epd: 2 positions, 5 counts match, 0 differ, 0 skipped, 0.1 s"; where lines were refused, how
/// many.
[[nodiscard]] std::string summary_text(const nlohmann::ordered_json& document);
/// "line 2 refused: placement: …", "and 7 lines refused".
[[nodiscard]] std::vector<std::string> refusal_texts(const nlohmann::ordered_json& document);
/// For continuous integration, of a suite of `lines`, of whose counts none was skipped: a test case
/// for each position, and for each line that was refused.
[[nodiscard]] std::string suite_junit(const nlohmann::ordered_json& document,
                                      const std::vector<SuiteLine>& lines);

/// `text`, which has no control characters, inside an attribute or an element of XML.
[[nodiscard]] std::string xml_text(std::string_view text);
/// Test cases of JUnit, which have errors, and how many there are.
[[nodiscard]] std::string refused_junit(const RefusedLines& refused, std::string_view suite);
[[nodiscard]] std::size_t refused_cases(const RefusedLines& refused);
/// Attributes of JUnit's <testsuite> and <testsuites>.
[[nodiscard]] std::string junit_totals(std::size_t tests, std::size_t failures, std::size_t errors,
                                       std::size_t skipped, double seconds);

}  // namespace manyply
