#include "tools/question/unique_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "hash/memory.h"
#include "tools/question/json_text.h"
#include "tools/question/numbers.h"

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

std::string unique_text_row(const UniquePly& ply, const Position& root) {
  return fmt::format("{:>5} {:>14} {:>24}  {:>8} {:>11.3f} {:>8} {:>9}\n", ply.ply, ply.distinct,
                     ply.paths.to_string(), to_string(unique_verdict(ply, root)), ply.seconds,
                     ply.passes, ply.file_bytes == 0 ? "-" : format_bytes(ply.file_bytes));
}

std::string unique_csv_row(const UniquePly& ply) {
  return fmt::format("{},{},{}\n", ply.ply, ply.distinct, ply.paths.to_string());
}

std::string unique_json(std::span<const UniquePly> plies, const NamedPosition& root) {
  auto rows = nlohmann::ordered_json::array();
  for (const UniquePly& ply : plies) {
    rows.push_back({{"ply", ply.ply},
                    {"distinct", std::to_string(ply.distinct)},
                    {"paths", ply.paths.to_string()},
                    {"known", to_string(unique_verdict(ply, root.position))},
                    {"seconds", ply.seconds},
                    {"passes", ply.passes},
                    {"file_bytes", ply.file_bytes}});
  }
  return json_line({{"fen", to_fen(root.position, root.notation)}, {"plies", std::move(rows)}});
}

Result<std::vector<UniquePly>> parse_unique(std::string_view json) try {
  const auto whole = [](const nlohmann::ordered_json& digits) {
    return parse_number(digits.get<std::string>(), 0, UINT64_MAX).value();
  };
  std::vector<UniquePly> plies;
  const auto report = read_json(json);
  for (const auto& row : report.at("plies")) {
    plies.push_back({.ply = row.at("ply").get<int>(),
                     .distinct = whole(row.at("distinct")),
                     .paths = NodeCount::parse(row.at("paths").get<std::string>()).value(),
                     .passes = row.at("passes").get<std::uint64_t>(),
                     .file_bytes = row.at("file_bytes").get<std::uint64_t>(),
                     .seconds = row.at("seconds").get<double>()});
  }
  return plies;
} catch (const std::exception&) {
  return Error{ErrorCode::kInvalidInput, "report", 0, "is no list of plies"};
}

std::string unique_text(std::span<const UniquePly> plies, const Position& root) {
  std::string text(kUniqueTextHead);
  for (const UniquePly& ply : plies) text += unique_text_row(ply, root);
  return text;
}

std::string unique_csv(std::span<const UniquePly> plies) {
  std::string text(kUniqueCsvHead);
  for (const UniquePly& ply : plies) text += unique_csv_row(ply);
  return text;
}

}  // namespace manyply
