// Formats the results of a suite as text, JSON, CSV or JUnit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text/suite.h"

namespace manyply {

/// One count of a suite, and the expected count. The two numbers may be equal.
struct SuiteDifference {
  int line = 0;
  std::string fen;
  Depth depth;
  NodeCount expected;
  NodeCount nodes;
};

/// The results of a suite.
struct SuiteReport {
  std::string file;  ///< name of the suite
  std::size_t positions = 0;
  std::size_t matches = 0;  ///< number of counts that match
  std::size_t skipped = 0;  ///< number of counts that exceeded the user's limits
  std::vector<SuiteDifference> differences = {};  ///< in the order of the suite
  double seconds = 0;
  RefusedLines refused = {};
  std::vector<std::string> read_as = {};  ///< Suite::read_as
};

/// Returns "1 line refused".
[[nodiscard]] std::string refused_text(std::size_t count);

/// Returns the document of one comparison. The document of a suite contains only those comparisons
/// whose two counts differ.
[[nodiscard]] nlohmann::ordered_json compared_document(const SuiteDifference& counted);

/// Return the two halves of a line: "line 2, depth 3" and ": expected 8902, counted 8903  FEN". On
/// a terminal, the caller colours the first half.
[[nodiscard]] std::string place_text(const nlohmann::ordered_json& compared);
[[nodiscard]] std::string counts_text(const nlohmann::ordered_json& compared);
/// Returns a row such as "2,3,8902,8903,mismatch". Its header is
/// "line,depth,expected,nodes,verdict".
[[nodiscard]] std::string compared_csv(const nlohmann::ordered_json& compared);
[[nodiscard]] std::string refused_csv(const nlohmann::ordered_json& refusal);

/// Returns the members "refused" (number of lines) and "refusals" (lines with reasons). Every
/// document of a suite has these members.
[[nodiscard]] nlohmann::ordered_json refused_json(const RefusedLines& refused);

/// Returns the document of a suite's results.
[[nodiscard]] nlohmann::ordered_json suite_document(const SuiteReport& report);

// These functions format the document of a suite. They throw if the document is invalid.

/// Returns a text that says how the columns of the suite were interpreted, which of its lines were
/// refused and which counts differ. The text ends with summary_text().
[[nodiscard]] std::string suite_text(const nlohmann::ordered_json& document);
/// Returns "my.epd: 2 positions, 5 counts match, 0 differ, 0 skipped, 0.1 s". Adds the number of
/// refused lines if there are any.
[[nodiscard]] std::string summary_text(const nlohmann::ordered_json& document);
/// Returns a text for each refused line whose reason was stored, such as "line 2 refused:
/// placement: …". If other lines were refused, one more text counts them: "and 7 lines refused".
[[nodiscard]] std::vector<std::string> refusal_texts(const nlohmann::ordered_json& document);
/// Returns JUnit's XML for a suite of `lines`, with one test case per position, and the test cases
/// of refused_junit(). Precondition: no counts were skipped.
[[nodiscard]] std::string suite_junit(const nlohmann::ordered_json& document,
                                      const std::vector<SuiteLine>& lines);

/// Escapes `text` for an attribute or element of XML. Precondition: no control characters.
[[nodiscard]] std::string xml_text(std::string_view text);

/// refused_junit() returns JUnit test cases with errors: one for each refused line whose reason was
/// stored, and one for all other refused lines. refused_cases() returns the number of test cases.
[[nodiscard]] std::string refused_junit(const RefusedLines& refused, std::string_view suite);
[[nodiscard]] std::size_t refused_cases(const RefusedLines& refused);
/// Returns the attributes of JUnit's <testsuite> and <testsuites>.
[[nodiscard]] std::string junit_totals(std::size_t tests, std::size_t failures, std::size_t errors,
                                       std::size_t skipped, double seconds);

// Writes suites for other programs as EPD, JSON or CSV. Each position is a document, and each
// format is generated from this document: {"fen": …, "counts": {"1": "20"}, "name": …, "tags":
// […]}.

enum class SuiteForm : std::uint8_t { kEpd, kJson, kCsv };
inline constexpr std::array<std::string_view, 3> kSuiteFormNames{"epd", "json", "csv"};

/// Returns the document of a line. The name of a named position is replaced by its FEN.
[[nodiscard]] nlohmann::ordered_json position_document(const SuiteLine& line);

/// Writes positions one at a time. Call head() first, then row() for each position, then end().
class SuiteWriter {
 public:
  /// `depths` are the depths of all counts, ascending. They are the columns of CSV. `tags` are the
  /// tags of all positions.
  SuiteWriter(SuiteForm form, std::vector<Depth> depths, std::vector<std::string> tags = {});
  /// Takes depths and tags from a complete suite. If a line has a name, CSV also has a column of
  /// names.
  SuiteWriter(SuiteForm form, const std::vector<SuiteLine>& lines);

  /// Returns the text before the first row: the header of CSV, the "[" of JSON, or the
  /// abbreviations of tags in EPD, if there are any.
  [[nodiscard]] std::string head() const;
  /// Returns a position as one row. In JSON, the row begins with the comma after the previous row.
  [[nodiscard]] std::string row(const nlohmann::ordered_json& position);
  /// Returns the text after the last row.
  [[nodiscard]] std::string end() const;

 private:
  [[nodiscard]] std::string tags_in_epd(const nlohmann::ordered_json& position) const;

  SuiteForm form_;
  std::vector<Depth> depths_;
  std::vector<std::string> tags_;
  bool has_names_ = false;
  bool first_ = true;
};

/// Returns `text` as a CSV field, quoted if necessary.
[[nodiscard]] std::string csv_field(const std::string& text);

/// Returns the complete suite.
[[nodiscard]] std::string written_suite(SuiteForm form, const std::vector<SuiteLine>& lines);

}  // namespace manyply
