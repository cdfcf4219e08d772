#include "tools/cli/diagnosis_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/framework/io.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/report/document_members.h"

namespace manyply {

std::string position_rows(const Line& line) {
  std::string rows = text_line("position", line.start_fen());
  if (!line.moves().empty())
    rows += text_line("moves", fmt::format("{}", fmt::join(line.uci_moves(), " ")));
  return rows;
}

std::string report_sentence(std::string_view name, std::string_view text, int columns) {
  constexpr std::size_t kIndent = 11;
  constexpr std::size_t kLeast = 20;  // on narrower terminals, the terminal itself wraps the text
  const std::size_t room =
      columns == 0 ? std::string_view::npos
                   : std::max(static_cast<std::size_t>(columns), kIndent + kLeast) - kIndent;
  std::string lines;
  while (text.size() > room) {
    std::size_t end = text.rfind(' ', room);
    if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    lines += text_line(lines.empty() ? name : "", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return text.empty() ? lines : lines + text_line(lines.empty() ? name : "", text);
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMovesPerLine = 12;

/// Formats a row with moves, "e2e4 e7e5 ...", wrapped after kMovesPerLine moves.
std::string words(std::string_view name, const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); i += kMovesPerLine) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last =
        all.begin() + static_cast<std::ptrdiff_t>(std::min(i + kMovesPerLine, all.size()));
    text += text_line(i == 0 ? name : "", fmt::format("{}", fmt::join(first, last, " ")));
  }
  return text;
}

std::vector<std::string> texts(const std::vector<Move>& moves, CastlingNotation notation) {
  std::vector<std::string> all;
  for (const Move move : moves) all.push_back(to_uci(move, notation));
  return all;
}

/// Says whether the engine is also wrong when it gets the position as a FEN. If it is then right,
/// names the move that it played wrong, if known. Returns an empty text if it did not get a FEN.
std::string culprit_text(const Difference& difference, int columns) {
  const auto& line = difference.line;
  if (!difference.right_as_fen) return "";
  if (!*difference.right_as_fen) return text_line("as FEN", "the engine is also wrong");
  std::string text = "the engine is right, but it plays a move wrong";
  if (difference.culprit) {
    const std::size_t ply = *difference.culprit;
    text += fmt::format(": {} (move {})", to_uci(line.moves()[ply], line.notation()), ply + 1);
  }
  return report_sentence("as FEN", text, columns);
}

/// Quotes the first lines, and gives the number of remaining lines.
std::string unread_text(const std::vector<UnreadLine>& lines, int columns) {
  constexpr std::size_t kMostLines = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
    text += report_sentence(i == 0 ? "unread" : "", to_string(lines[i]), columns);
  if (lines.size() > kMostLines)
    text += text_line("", fmt::format("and {} more", lines.size() - kMostLines));
  return text;
}

}  // namespace

std::string difference_text(const Difference& difference, int columns) {
  const Line& line = difference.line;
  std::string text;
  if (!line.moves().empty()) text += words("after", line.uci_moves());
  text += text_line("fen", line.fen_here());
  text += '\n' + board_diagram(line.here()) + '\n';
  if (const std::string why = unreachable_reason(line.here()); !why.empty())
    text += report_sentence("note", "this position cannot occur in a game: " + why, columns);
  if (!difference.missed.empty())
    text += words("missed", texts(difference.missed, line.notation()));
  if (!difference.invented.empty()) text += words("invented", difference.invented);
  for (const CountDifference& wrong : difference.counts) {
    text += text_line("wrong", fmt::format("{}: the engine counts {}, expected {}, at depth {}",
                                           wrong.move, wrong.engine.to_string(),
                                           wrong.ours.to_string(), difference.depth.plies()));
  }
  if (difference.our_total != NodeCount(0)) {
    text += text_line(
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
    text += text_line("fen", question.line.fen_here());
  }
  text += unread_text(question.lines, columns);
  return text +
         report_sentence("",
                         fmt::format("in the answer to depth {}; this answer allows no conclusion",
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

namespace {

bool is_same(const Json& row) { return row.at("same").get<bool>(); }

/// Returns the count "ours" or "theirs" of a row; "-" if the row lacks it.
std::string count_of(const Json& row, const char* whose) {
  const Json& count = row.at(whose);
  return count.is_null() ? "-" : count.get<std::string>();
}

/// Says how the counts of a row differ. Precondition: the counts differ.
std::string_view kind_of(const Json& row, bool incomplete) {
  if (row.at("theirs").is_null())
    return incomplete ? "not in the paste" : "your program misses this move";
  if (row.at("ours").is_null()) return "not a legal move here";
  return row.at("ours") == row.at("theirs") ? "listed twice" : "counts differ";
}

/// Formats the number of rows that agree. If `shows_them`, also formats the rows that differ.
std::string rows_text(const Json& document, bool shows_them) {
  std::string text =
      shows_them ? fmt::format("{:<7} {:>20} {:>20}  {}\n", "Move", "Manyply", "Yours", "Verdict")
                 : "";
  const bool incomplete = document.at("incomplete").get<bool>();
  std::size_t same = 0;
  for (const Json& row : document.at("rows")) {
    same += is_same(row) ? 1 : 0;
    if (is_same(row) || !shows_them) continue;
    text += fmt::format("{:<7} {:>20} {:>20}  {}\n", text_in(row, "move"), count_of(row, "ours"),
                        count_of(row, "theirs"), kind_of(row, incomplete));
  }
  return text + fmt::format("{} of {} moves agree\n\n", same, document.at("rows").size());
}

/// Returns a warning that lines may have been lost, if the pasted total is not the sum of the rows.
/// Returns an empty text if it is the sum, or if there is no total.
std::string cut_text(const Json& document, int columns) {
  const Json& total = document.at("pasted_total");
  const Json& sum = document.at("pasted_sum");
  if (total.is_null() || total == sum) return "";
  return report_sentence(
      "total",
      fmt::format("The rows add up to {}, but the pasted total is {}. If lines were lost while "
                  "copying, paste again.",
                  sum.is_null() ? "0" : sum.get<std::string>(), total.get<std::string>()),
      columns);
}

/// Returns the broken rules, each with an example.
std::string causes_text(const Json& causes, int columns) {
  std::string text;
  for (const Json& cause : causes) {
    text += report_sentence("cause", text_in(cause, "rule"), columns);
    const Json& moves = cause.at("moves");
    std::string detail = text_in(cause, "detail");
    if (!moves.empty()) detail = fmt::format("{}: {}", moves.front().get<std::string>(), detail);
    text += report_sentence("", detail, columns);
  }
  return text;
}

/// Formats the next step: first the commands for the user's program, then the command for `perft`.
/// `behind_cause` says that a cause has been found and that the next step examines another move.
std::string next_text(const Json& next, const Line& line, bool behind_cause, int columns) {
  const std::string move = text_in(next, "move");
  const auto depth = next.at("depth").get<int>();
  const std::string moves = fmt::format("{}{}{}", fmt::join(line.uci_moves(), " "),
                                        line.moves().empty() ? "" : " ", move);
  const std::string what =
      behind_cause
          ? fmt::format("Counts of other moves differ, too: continue with {}", move)
          : fmt::format("The difference is in the positions after {}. Now ask for depth {}.", move,
                        depth);
  return report_sentence("next", what, columns) +
         text_line("", fmt::format("position fen {} moves {}", line.start_fen(), moves)) +
         text_line("", fmt::format("go perft {}", depth)) +
         text_line("then", fmt::format("perft diff {} --fen {} --moves {}", depth,
                                       for_shell(line.start_fen()), for_shell(moves)));
}

/// Returns whether a move is missing or extra. If so, the program may generate moves wrongly, or
/// may have played an earlier move wrong.
bool differs_in_moves(const Json& document) {
  return std::ranges::any_of(document.at("rows"), [](const Json& row) {
    return row.at("theirs").is_null() || row.at("ours").is_null();
  });
}

}  // namespace

bool is_incomplete(const Json& document) {
  return document.at("incomplete").get<bool>() && document.at("causes").empty() &&
         document.at("next").is_null();
}

std::string agreement_text(const Json& document, Depth depth) {
  return fmt::format("All {} moves agree at depth {}.", document.at("rows").size(), depth.plies());
}

std::string diff_text(const Json& document, const Line& line, Depth depth, int columns) {
  const bool agrees = document.at("agrees").get<bool>();
  const Json& causes = document.at("causes");
  const Json& next = document.at("next");
  // If the pasted divide belongs to another position, many moves are missing. Listing them is
  // useless.
  const bool other = !causes.empty() && causes.front().at("moves").empty();
  std::string text = agrees ? "" : rows_text(document, !other);
  text += cut_text(document, columns);
  for (const Json& note : document.at("notes"))
    text += report_sentence("note", note.get<std::string>(), columns);
  if (agrees) {
    text += report_sentence("found", agreement_text(document, depth), columns);
    if (!line.moves().empty()) {
      const std::string last = line.uci_moves().back();
      text += report_sentence(
          "",
          fmt::format("If the count of {} was different one move earlier, your program has one of "
                      "these faults: its position after {} differs from that of the FEN "
                      "(castling rights, en passant square), it does not undo moves completely, "
                      "it stops at draws, or its table confuses positions.",
                      last, last),
          columns);
    }
    return text;
  }
  if (causes.empty() && next.is_null()) {
    return text + report_sentence("found", "This paste allows no conclusion", columns) +
           report_sentence("", "Paste the complete output of your program again.", columns);
  }
  if (!causes.empty()) {
    text += text_line("found", other ? "your program counted something else"
                                     : "the mistake is in the moves of this position");
    text += causes_text(causes, columns);
    if (!other && !line.moves().empty() && differs_in_moves(document)) {
      text += report_sentence("as FEN",
                              "Does your program make moves wrongly, or generate them wrongly? "
                              "Give it this position as a FEN, without moves:",
                              columns) +
              text_line("", "position fen " + line.fen_here()) + text_line("", "go perft 1") +
              report_sentence("", "and repeat this command with --as-fen right or --as-fen wrong",
                              columns);
    }
  }
  if (!next.is_null()) text += next_text(next, line, !causes.empty(), columns);
  return text;
}

}  // namespace manyply
