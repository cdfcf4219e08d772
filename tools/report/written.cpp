// Converts documents to the output formats.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tools/report/answer.h"
#include "tools/report/mode_formats.h"
#include "tools/report/report_format.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

constexpr std::array<Form, 4> kCountForms{{{Format::kText, count_text},
                                           {Format::kCsv, divide_csv},
                                           {Format::kStockfish, divide_as_stockfish},
                                           {Format::kEpd, count_epd}}};
constexpr std::array<Form, 1> kVerifyForms{{{Format::kText, verify_text}}};
constexpr std::array<Form, 4> kStatisticsForms{{{Format::kText, statistics_text},
                                                {Format::kCsv, statistics_csv},
                                                {Format::kStockfish, divide_as_stockfish},
                                                {Format::kEpd, count_epd}}};
constexpr std::array<Form, 1> kEstimateForms{{{Format::kText, estimate_text}}};
constexpr std::array<Form, 2> kUniqueForms{
    {{Format::kText, unique_text}, {Format::kCsv, unique_csv}}};

}  // namespace

std::span<const Form> forms(CountMode mode) {
  switch (mode) {
    case CountMode::kVerify:
      return kVerifyForms;
    case CountMode::kStatistics:
      return kStatisticsForms;
    case CountMode::kEstimate:
      return kEstimateForms;
    case CountMode::kUnique:
      return kUniqueForms;
    case CountMode::kHashed:
    case CountMode::kUnhashed:
    case CountMode::kCount:
    case CountMode::kConfigurations:
      break;
  }
  return kCountForms;
}

Result<std::string> written(CountMode mode, Format format, const std::string& document,
                            const Presentation& how) try {
  if (format == Format::kJson) return document;
  const std::span<const Form> known = forms(mode);
  const auto form = std::ranges::find(known, format, &Form::format);
  if (form == known.end()) {
    std::string names = "json";
    for (const Form& other : known) {
      if (other.format != Format::kText) names += " and " + std::string(to_string(other.format));
    }
    return Error{ErrorCode::kInvalidInput, "format", 0,
                 fmt::format("a job of mode {} supports only {}", to_string(mode), names)};
  }
  return form->write(read_json(document), how);
} catch (const std::exception&) {
  return Error{ErrorCode::kInternal, "report", 0,
               fmt::format("is not what mode {} leaves", to_string(mode))};
}

}  // namespace manyply
