// Writes suites for other programs as EPD, JSON or CSV. Each position is a document, {"fen": …,
// "counts": {"1": "20"}, "name": …, "tags": […]}, and each format is generated from it.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/text/suite.h"

namespace manyply {

enum class SuiteForm : std::uint8_t { kEpd, kJson, kCsv };
inline constexpr std::array<std::string_view, 3> kSuiteFormNames{"epd", "json", "csv"};

/// Returns the document of a line, with named positions replaced by their FEN.
[[nodiscard]] nlohmann::ordered_json position_document(const SuiteLine& line);

/// Writes positions one at a time: call head(), row() for each, then end().
class SuiteWriter {
 public:
  /// `depths` are those of all counts, ascending; they are the columns of CSV. `tags` are those of
  /// all positions.
  SuiteWriter(SuiteForm form, std::vector<Depth> depths, std::vector<std::string> tags = {});
  /// Takes depths and tags from a complete suite.
  SuiteWriter(SuiteForm form, const std::vector<SuiteLine>& lines);

  /// Returns what precedes the first row: a CSV header, the abbreviations of tags, "[" or nothing.
  [[nodiscard]] std::string head() const;
  /// Returns a position as one row, in JSON with the comma after the row before.
  [[nodiscard]] std::string row(const nlohmann::ordered_json& position);
  /// Returns what follows the last row.
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
