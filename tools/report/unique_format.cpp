#include "tools/report/unique_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "core/base/memory.h"
#include "tools/report/document.h"
#include "tools/text/json_text.h"
#include "tools/text/numbers.h"

namespace manyply {

KnownVerdict unique_verdict(const UniquePly& ply, const Position& root) {
  const KnownVerdict paths = compare_with_known(known_value(root, Depth(ply.ply)), ply.paths);
  const KnownVerdict distinct =
      compare_with_known(known_distinct(root, Depth(ply.ply)), ply.distinct);
  if (paths == distinct) return paths;
  const bool mismatch = paths == KnownVerdict::kMismatch || distinct == KnownVerdict::kMismatch;
  return mismatch ? KnownVerdict::kMismatch : KnownVerdict::kUnknown;
}

KnownVerdict unique_verdict(std::span<const UniquePly> plies, const Position& root) {
  const auto differs = [&](const UniquePly& ply) {
    return unique_verdict(ply, root) == KnownVerdict::kMismatch;
  };
  if (std::ranges::any_of(plies, differs)) return KnownVerdict::kMismatch;
  return plies.empty() ? KnownVerdict::kUnknown : unique_verdict(plies.back(), root);
}

namespace {

using Json = nlohmann::ordered_json;

Json row_of(const UniquePly& ply, const Position& root) {
  return {{"ply", ply.ply},
          {"distinct", std::to_string(ply.distinct)},
          {"paths", ply.paths.to_string()},
          {"known", to_string(unique_verdict(ply, root))},
          {"seconds", ply.seconds},
          {"passes", ply.passes},
          {"file_bytes", ply.file_bytes}};
}

/// Returns a row; that of ply 0 includes the header.
std::string text_row(const Json& row) {
  const std::uint64_t ply = whole_in(row, "ply");
  const std::uint64_t file_bytes = whole_in(row, "file_bytes");
  return (ply == 0 ? "  ply       distinct                    paths     known     seconds   passes"
                     "   on disk\n"
                   : "") +
         fmt::format("{:>5} {:>14} {:>24}  {:>8} {:>11.3f} {:>8} {:>9}\n", ply,
                     text_in(row, "distinct"), text_in(row, "paths"), text_in(row, "known"),
                     real_in(row, "seconds"), whole_in(row, "passes"),
                     file_bytes == 0 ? "-" : format_bytes(file_bytes));
}

std::string csv_row(const Json& row) {
  const std::uint64_t ply = whole_in(row, "ply");
  return fmt::format("{}{},{},{}\n", ply == 0 ? "ply,distinct,paths\n" : "", ply,
                     text_in(row, "distinct"), text_in(row, "paths"));
}

/// Returns the rows of all plies.
std::string of_all_plies(const Json& document, std::string (*write)(const Json& row)) {
  std::string text;
  for (const Json& row : document.at("plies")) text += write(row);
  return text;
}

}  // namespace

std::string unique_document(std::span<const UniquePly> plies, const NamedPosition& root) {
  Json rows = Json::array();
  for (const UniquePly& ply : plies) rows.push_back(row_of(ply, root.position));
  return json_line({{"fen", to_fen(root.position, root.notation)}, {"plies", std::move(rows)}});
}

Result<std::uint64_t> distinct_in(std::string_view document) try {
  const Json json = read_json(document);
  return parse_number(text_in(json.at("plies").back(), "distinct"), 0, UINT64_MAX);
} catch (const std::exception&) {
  return Error{ErrorCode::kInvalidInput, "report", 0, "is no list of plies"};
}

std::string unique_text(const Json& document, const Presentation&) {
  return of_all_plies(document, text_row);
}

std::string unique_csv(const Json& document, const Presentation&) {
  return of_all_plies(document, csv_row);
}

std::string unique_text_row(const UniquePly& ply, const Position& root) {
  return text_row(row_of(ply, root));
}

std::string unique_csv_row(const UniquePly& ply, const Position& root) {
  return csv_row(row_of(ply, root));
}

}  // namespace manyply
