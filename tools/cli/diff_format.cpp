#include "tools/cli/diff_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/framework/printable.h"
#include "tools/cli/rows.h"
#include "tools/report/document.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

bool is_same(const Json& row) { return row.at("same").get<bool>(); }

/// Returns "ours" or "theirs" of a row; "-" if it is absent.
std::string count_of(const Json& row, const char* whose) {
  const Json& count = row.at(whose);
  return count.is_null() ? "-" : count.get<std::string>();
}

/// Says how a row differs. Precondition: it does.
std::string_view kind_of(const Json& row, bool incomplete) {
  if (row.at("theirs").is_null())
    return incomplete ? "not in the paste" : "your program misses this move";
  if (row.at("ours").is_null()) return "not a legal move here";
  return row.at("ours") == row.at("theirs") ? "listed twice" : "counts differ";
}

/// Formats the rows that differ (if `shows_them`), and the number of rows that agree.
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
  return text + fmt::format("{} of {} moves are the same\n\n", same, document.at("rows").size());
}

/// Explains a total that is not the sum of its rows: a truncated paste.
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

/// Formats the next step, with the commands for the user's program and for this one.
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
         report_row("", fmt::format("position fen {} moves {}", line.start_fen(), moves)) +
         report_row("", fmt::format("go perft {}", depth)) +
         report_row("then", fmt::format("perft diff {} --fen {} --moves {}", depth,
                                        for_shell(line.start_fen()), for_shell(moves)));
}

/// Returns whether a move is missing or extra, in which case it matters how the program received
/// the position.
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
  // If the paste is about another position, the missing moves are many and mean nothing.
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
          fmt::format("If the count of {} was different one move earlier, your program does one of "
                      "these: it updates the position after {} differently from setting it up "
                      "(castling rights, en passant square), does not undo moves completely, stops "
                      "at draws, or its table confuses positions.",
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
    text += report_row("found", other ? "an answer to another question"
                                      : "the mistake is in the moves of this position");
    text += causes_text(causes, columns);
    if (!other && !line.moves().empty() && differs_in_moves(document)) {
      text += report_sentence("as FEN",
                              "One more question shows where to look. Ask your program about the "
                              "FEN without moves:",
                              columns) +
              report_row("", "position fen " + line.fen_here()) + report_row("", "go perft 1") +
              report_sentence("", "and repeat this command with --as-fen right or --as-fen wrong",
                              columns);
    }
  }
  if (!next.is_null()) text += next_text(next, line, !causes.empty(), columns);
  return text;
}

}  // namespace manyply
