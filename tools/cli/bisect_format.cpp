#include "tools/cli/bisect_format.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/cli/rows.h"
#include "tools/report/board_diagram.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMovesPerLine = 12;

/// Formats a row with moves, "e2e4 e7e5 ...", wrapped.
std::string words(std::string_view name, const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); i += kMovesPerLine) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last =
        all.begin() + static_cast<std::ptrdiff_t>(std::min(i + kMovesPerLine, all.size()));
    text += report_row(i == 0 ? name : "", fmt::format("{}", fmt::join(first, last, " ")));
  }
  return text;
}

std::vector<std::string> texts(const std::vector<Move>& moves, CastlingNotation notation) {
  std::vector<std::string> all;
  for (const Move move : moves) all.push_back(to_uci(move, notation));
  return all;
}

/// Says whether the engine is right if it receives the position as a FEN, and which move it played
/// wrong; empty if that was not tested.
std::string culprit_text(const Difference& difference, int columns) {
  const auto& line = difference.line;
  if (!difference.right_as_fen) return "";
  if (!*difference.right_as_fen) return report_row("as FEN", "the engine is also wrong");
  std::string text = "the engine is right, so it plays a move wrong";
  if (difference.culprit) {
    const std::size_t ply = *difference.culprit;
    text += fmt::format(": {} (move {})", to_uci(line.moves()[ply], line.notation()), ply + 1);
  }
  return report_sentence("as FEN", text, columns);
}

/// Quotes the first lines, and says how many more there are.
std::string unread_text(const std::vector<UnreadLine>& lines, int columns) {
  constexpr std::size_t kMostLines = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
    text += report_sentence(i == 0 ? "unread" : "", to_string(lines[i]), columns);
  if (lines.size() > kMostLines)
    text += report_row("", fmt::format("and {} more", lines.size() - kMostLines));
  return text;
}

}  // namespace

std::string difference_text(const Difference& difference, int columns) {
  const Line& line = difference.line;
  std::string text;
  if (!line.moves().empty()) text += words("after", line.uci_moves());
  text += report_row("fen", line.fen_here());
  text += '\n' + board_diagram(line.here()) + '\n';
  if (const std::string why = unreachable_reason(line.here()); !why.empty())
    text += report_sentence("note", "this position cannot occur in a game: " + why, columns);
  if (!difference.missed.empty())
    text += words("missed", texts(difference.missed, line.notation()));
  if (!difference.invented.empty()) text += words("invented", difference.invented);
  for (const CountDifference& wrong : difference.counts) {
    text += report_row("wrong", fmt::format("{}: the engine counts {}, expected {}, at depth {}",
                                            wrong.move, wrong.engine.to_string(),
                                            wrong.ours.to_string(), difference.depth.plies()));
  }
  if (difference.our_total != NodeCount(0)) {
    text += report_row(
        "wrong",
        fmt::format(
            "perft({}): the engine counts {}, expected {}", difference.depth.plies(),
            difference.engine_total ? difference.engine_total->to_string() : "something else",
            difference.our_total.to_string()));
  }
  text += culprit_text(difference, columns);
  for (const Finding& finding : difference.findings) {
    text += report_sentence("cause", rule_of(finding.cause), columns);
    std::string detail = finding.detail;
    if (!finding.moves.empty())
      detail = fmt::format("{}: {}", finding.moves.front(), finding.detail);
    text += report_sentence("", detail, columns);
    if (finding.moves.size() > 1 && difference.findings.size() > 1)
      text += words("", finding.moves);
  }
  return text;
}

std::string not_understood_text(const NotUnderstood& question, int columns) {
  std::string text;
  if (!question.line.moves().empty()) {
    text += words("after", question.line.uci_moves());
    text += report_row("fen", question.line.fen_here());
  }
  text += unread_text(question.lines, columns);
  return text +
         report_sentence("",
                         fmt::format("in the answer to depth {}; no conclusion is drawn from it",
                                     question.depth.plies()),
                         columns);
}

Json not_understood_json(const NotUnderstood& question) {
  return {{"moves", question.line.uci_moves()},
          {"fen", question.line.fen_here()},
          {"depth", question.depth.plies()},
          {"lines", unread_json(question.lines)}};
}

std::string passed_over_text(const std::vector<UnreadLine>& lines, int columns) {
  if (lines.empty()) return "";
  return unread_text(lines, columns) +
         report_sentence("", "not understood, so only the engine's totals were compared", columns);
}

Json unread_json(const std::vector<UnreadLine>& lines) {
  Json json = Json::array();
  for (const UnreadLine& line : lines) json.push_back({{"text", line.text}, {"why", line.why}});
  return json;
}

Json finding_json(const Finding& finding) {
  return {{"name", name_of(finding.cause)},
          {"rule", rule_of(finding.cause)},
          {"detail", finding.detail},
          {"moves", finding.moves}};
}

Json difference_json(const Difference& difference) {
  const Line& line = difference.line;
  Json json{
      {"moves", line.uci_moves()},         {"fen", line.fen_here()},
      {"depth", difference.depth.plies()}, {"missed", texts(difference.missed, line.notation())},
      {"invented", difference.invented},   {"counts", Json::array()}};
  for (const CountDifference& wrong : difference.counts) {
    json["counts"].push_back({{"move", wrong.move},
                              {"ours", wrong.ours.to_string()},
                              {"engine", wrong.engine.to_string()}});
  }
  if (difference.our_total != NodeCount(0)) {
    json["total"] = {{"ours", difference.our_total.to_string()},
                     {"engine", difference.engine_total ? Json(difference.engine_total->to_string())
                                                        : Json(nullptr)}};
  }
  if (difference.right_as_fen) json["right_as_fen"] = *difference.right_as_fen;
  if (difference.culprit)
    json["culprit"] = {{"move", to_uci(line.moves()[*difference.culprit], line.notation())},
                       {"place", *difference.culprit + 1}};
  if (const std::string why = unreachable_reason(line.here()); !why.empty())
    json["unreachable"] = why;
  json["causes"] = Json::array();
  for (const Finding& finding : difference.findings)
    json["causes"].push_back(finding_json(finding));
  return json;
}

}  // namespace manyply
