// Suites written, so that other programs can read them: EPD, JSON, CSV. Each position is a
// document, {"fen": …, "counts": {"1": "20"}, "name": …, "tags": […]}, and each form is a function
// of that.
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

/// Names stand for their FEN.
[[nodiscard]] nlohmann::ordered_json position_document(const SuiteLine& line);

/// Writes positions one after the other: head(), row() of each, end().
class SuiteWriter {
 public:
  /// `depths` of all counts, ascending, which are CSV's columns; `tags` of all positions.
  SuiteWriter(SuiteForm form, std::vector<Depth> depths, std::vector<std::string> tags = {});
  /// Of a suite that is there.
  SuiteWriter(SuiteForm form, const std::vector<SuiteLine>& lines);

  [[nodiscard]] std::string head() const;
  [[nodiscard]] std::string row(const nlohmann::ordered_json& position);
  [[nodiscard]] std::string end() const;

 private:
  [[nodiscard]] std::string tags_in_epd(const nlohmann::ordered_json& position) const;

  SuiteForm form_;
  std::vector<Depth> depths_;
  std::vector<std::string> tags_;
  bool has_names_ = false;
  bool first_ = true;
};

/// `text` as a field of CSV: in quotes where it has to be.
[[nodiscard]] std::string csv_field(const std::string& text);

/// All of it.
[[nodiscard]] std::string written_suite(SuiteForm form, const std::vector<SuiteLine>& lines);

}  // namespace manyply
