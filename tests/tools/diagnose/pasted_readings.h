// Helpers for tests of pastes that can be read in several ways.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/counting.h"
#include "tests/tools/diagnose/fake_program.h"
#include "tools/diagnose/divide_diff.h"

namespace manyply::pastes {

inline const Line& kiwipete() {
  static const Line line = parsed_line("kiwipete");
  return line;
}

/// Returns the document of a comparison; {"refused": reason} if the paste is refused.
inline nlohmann::json diff(const std::string& pasted, int depth = 3,
                           const Line& line = kiwipete()) {
  const auto divides = parse_pasted_divides(pasted, line, Depth(depth), our_divide);
  if (!divides) return {{"refused", divides.error().message}};
  const auto ours = our_divide(line, Depth(depth));
  return nlohmann::json::parse(
      diff_of_paste(line, Depth(depth), *ours, *divides, std::nullopt, our_divide));
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

/// Returns a row of text: `form` with our move and count for "$move" and "$nodes". "{a1d1=1884}" is
/// 1884 for a1d1, otherwise our count. "{a1d1?text}" is text for a1d1, otherwise nothing.
inline Row row(const std::string& form) {
  return [form](const std::string& move, std::uint64_t nodes) {
    const std::string count = std::to_string(nodes);
    std::string text;
    for (std::size_t at = 0; at < form.size();) {
      std::size_t end = at + 1;
      if (form.compare(at, 5, "$move") == 0) {
        text += move;
        end = at + 5;
      } else if (form.compare(at, 6, "$nodes") == 0) {
        text += count;
        end = at + 6;
      } else if (form[at] == '{') {
        const bool here = form.compare(at + 1, 4, move) == 0;
        end = form.find('}', at) + 1;
        text += here ? form.substr(at + 6, end - at - 7) : form[at + 5] == '=' ? count : "";
      } else {
        text += form[at];
      }
      at = end;
    }
    return text;
  };
}
inline std::string printed(const std::string& form, int depth = 3, const Line& line = kiwipete()) {
  return printed(row(form), depth, line);
}

inline std::string list_but(const std::string& at, const std::string& wrong, int depth = 3) {
  return printed("$move: {" + at + '=' + wrong + "}\n", depth);
}

}  // namespace manyply::pastes
