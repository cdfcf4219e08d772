// Helpers for tests of pastes that can be read in several ways.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/counting.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/diagnose/pasted_readings.h"

namespace manyply::pastes {

inline Result<std::vector<DivideEntry>> counted(const Line& line, Depth depth) {
  return divide(line.here(), depth);
}

inline Line at(std::string_view fen, std::string_view moves = "") {
  return *parse_line(fen, moves, std::nullopt);
}
inline const Line& kiwipete() {
  static const Line line = at("kiwipete");
  return line;
}

/// Returns the document of a comparison; {"refused": reason} if the paste is refused.
inline nlohmann::json diff(const std::string& pasted, int depth = 3,
                           const Line& line = kiwipete()) {
  const auto divides = parse_pasted_divides(pasted, line, Depth(depth), counted);
  if (!divides) return {{"refused", divides.error().message}};
  const auto ours = counted(line, Depth(depth));
  return nlohmann::json::parse(
      diff_of_paste(line, Depth(depth), *ours, *divides, std::nullopt, counted));
}

/// Returns "column 'mine' differs, column 'stockfish' agrees"; only "agrees" for a single reading.
inline std::string readings_of(const nlohmann::json& answer) {
  if (answer.contains("refused")) return answer["refused"].get<std::string>();
  const auto verdict = [](const nlohmann::json& of) {
    return of.at("agrees").get<bool>() ? "agrees" : "differs";
  };
  if (!answer.contains("readings")) return verdict(answer);
  std::string text;
  for (const nlohmann::json& reading : answer["readings"]) {
    text +=
        (text.empty() ? "" : ", ") + reading["name"].get<std::string>() + ' ' + verdict(reading);
  }
  return text;
}

/// Returns "a1d1 1884 1885": the moves in which readings differ.
inline std::string disputed(const nlohmann::json& answer) {
  std::string text;
  for (const nlohmann::json& row : answer.value("disputed", nlohmann::json::array())) {
    text += (text.empty() ? "" : ", ") + row["move"].get<std::string>();
    for (const nlohmann::json& count : row["counts"])
      text += ' ' + (count.is_null() ? "-" : count.get<std::string>());
  }
  return text;
}

/// Returns a row of text for a move and our count after it.
using Row = std::function<std::string(const std::string& move, std::uint64_t nodes)>;

inline std::string printed(const Row& row, int depth = 3, const Line& line = kiwipete()) {
  std::string text;
  for (const auto& [move, nodes] : *divide(line.here(), Depth(depth)))
    text += row(to_uci(move, line.notation()), std::stoull(nodes.to_string()));
  return text;
}

/// Returns `nodes`, or `wrong` if the move is `at`.
inline std::string but(const std::string& move, std::uint64_t nodes, std::string_view at,
                       const char* wrong) {
  return move == at ? wrong : std::to_string(nodes);
}

inline std::string list_but(std::string_view at, const char* wrong, int depth = 3) {
  return printed([&](const auto& move,
                     auto nodes) { return move + ": " + but(move, nodes, at, wrong) + '\n'; },
                 depth);
}

}  // namespace manyply::pastes
