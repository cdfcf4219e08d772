#include "tools/cli/diagnosis_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "hash/key_audit.h"
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

/// Says whether the engine is also wrong when it gets the position as a FEN instead of as moves. If
/// the engine is right with the FEN, it plays one of the moves wrong. Names this move if it is
/// known. Returns an empty text if the engine did not get a FEN.
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

/// Formats the number of rows that agree. If `shows_them` is true, a table of the rows that differ
/// comes first.
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
/// If `behind_cause` is true, the report already names a cause, and the counts of other moves
/// differ, too. The next step then examines one of these moves.
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

namespace {

std::string_view name_of_linearity(KeyLinearity linearity) {
  static constexpr std::array<std::string_view, 6> kNames{
      "unknown", "xor", "xor-beside-en-passant", "xor-per-side", "sum", "not-linear"};
  return kNames.at(static_cast<std::size_t>(linearity));
}

std::string_view name_of_verdict(KeyReport::Verdict verdict) {
  static constexpr std::array<std::string_view, 3> kNames{"sound", "wrong", "cannot tell"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

/// Says how keys are composed, and how many positions confirm this.
std::string scheme_text(const KeyReport& report) {
  const KeyTable& table = report.table;
  const std::string how =
      fmt::format("the keys of {} positions follow from other keys", table.confirmed());
  switch (table.linearity()) {
    case KeyLinearity::kUnknown:
      return "unknown: too few positions have a key";
    case KeyLinearity::kXor:
      return "XOR of numbers: " + how;
    case KeyLinearity::kXorBesideEnPassant:
      return "XOR of numbers, except if a pawn can be captured en passant: " + how;
    case KeyLinearity::kXorPerSide:
      return "XOR of numbers, different ones for each side to move: " + how;
    case KeyLinearity::kSum:
      return "arithmetic sums of numbers: this check can compute the numbers only if keys are "
             "their XOR";
    case KeyLinearity::kNone:
      break;
  }
  return fmt::format(
      "not linear: the keys of {} positions do not follow from other keys, so the numbers cannot "
      "be recovered",
      table.contradicting());
}

/// Returns whether every bit of the number for the side to move is 1. Such a number flips every bit
/// of a key.
bool is_complement(const KeyReport& report) {
  const auto side = std::ranges::find(report.numbers.numbers, std::size_t{KeyFeature::kSide},
                                      &KeyNumber::feature);
  if (side == report.numbers.numbers.end()) return false;
  return popcount(side->value.low) + popcount(side->value.high) == report.bits;
}

std::string rights_scheme(const KeyReport& report) {
  return report.numbers.four_rights ? "four numbers" : "a number for each set of rights";
}

/// Says when the key contains the en passant square. Returns an empty text if no compared position
/// has the square in its key.
std::string passed_text(const KeyReport& report) {
  const auto& passed = report.habits.passed;
  const auto& alone = passed[static_cast<std::size_t>(PassedSquare::kAlone)];
  const auto& pinned = passed[static_cast<std::size_t>(PassedSquare::kPinned)];
  const auto& usable = passed[static_cast<std::size_t>(PassedSquare::kUsable)];
  const std::string by = !report.table.is_linear()       ? ""
                         : report.numbers.passed_by_file ? ", by file"
                                                         : ", by square";
  if (alone.with > 0)
    return (alone.without > 0 ? "sometimes in the key without a possible capture"
                              : "in the key after each double step") +
           by;
  if (pinned.with > 0)
    return "in the key if an enemy pawn attacks the square, even if that pawn is pinned" + by;
  if (usable.with > 0) return "in the key only if the capture is legal" + by;
  return "";
}

/// Says which clocks change the key. Empty if the key does not depend on clocks.
std::string clocks_text(const KeyHabits& habits) {
  std::string text;
  if (habits.clock_from)
    text = *habits.clock_from == 1
               ? "the half-move clock is in the key"
               : fmt::format("the half-move clock is in the key from {} on", *habits.clock_from);
  if (habits.counts_moves)
    text += std::string(text.empty() ? "" : "; ") + "the move number is in the key";
  return text;
}

/// Describes the quality of the recovered random numbers.
std::string numbers_text(const KeyReport& report) {
  const NumberAudit& numbers = report.numbers;
  std::string text = fmt::format(
      "{} recovered; {} of {} bits independent; {:.2g} pairs of 2^30 positions are expected to "
      "share a key",
      numbers.numbers.size(), numbers.rank, report.bits, numbers.collisions);
  if (numbers.worst_sigmas > WordAudit::kMaxSigmas)
    text += fmt::format(
        "; bit {} is set in far more or far fewer than half of the numbers ({:.1f} sigma)",
        numbers.worst_bit, numbers.worst_sigmas);
  if (!numbers.by_chance.empty())
    text += fmt::format(
        "; at least {} sets of numbers have the XOR 0, as expected of keys with few bits",
        numbers.by_chance.size());
  return text;
}

/// Says for each kind of moves how many were compared, how many led to a wrong key, and how many
/// the program did not play.
std::string moves_text(const KeyReport& report) {
  std::string text;
  for (std::size_t kind = 0; kind < kMoveClasses; ++kind) {
    const auto& [asked, wrong, not_played] = report.moves[kind];
    if (asked == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", asked, name_of(static_cast<MoveClass>(kind)));
    if (wrong > 0) text += fmt::format(" ({} wrong)", wrong);
    if (not_played > 0) text += fmt::format(" ({} not played)", not_played);
  }
  if (text.empty()) return "none were compared";
  const bool right = std::ranges::all_of(report.moves, [](const KeyReport::Count& count) {
    return count.wrong + count.not_played == 0;
  });
  return right ? text + ": the keys after all of them are right" : text;
}

/// Describes an unusual notation of moves; empty for UCI.
std::string spelling_text(const MoveSpelling& spelling) {
  static constexpr std::array kCastling{"e1g1", "e1h1", "O-O", "0-0"};
  static constexpr std::array kPromotions{"e7e8q", "e7e8Q", "e7e8=Q", "e7e8=q"};
  std::string text;
  if (spelling.castling != MoveSpelling::Castling::kKing)
    text = std::string("castling is ") + kCastling[static_cast<std::size_t>(spelling.castling)];
  if (spelling.promotion != MoveSpelling::Promotion::kSmall)
    text += std::string(text.empty() ? "a promotion is " : ", a promotion is ") +
            kPromotions[static_cast<std::size_t>(spelling.promotion)];
  return text;
}

/// Says which features are in the key but not in the position, and which are in the position but
/// not in the key.
std::string difference_of(const KeyFinding& finding) {
  std::string text;
  if (!finding.too_much.empty())
    text = fmt::format("too much: {}", fmt::join(finding.too_much, ", "));
  if (!finding.missing.empty())
    text +=
        fmt::format("{}missing: {}", text.empty() ? "" : "; ", fmt::join(finding.missing, ", "));
  return text;
}

/// Returns a key of `bits` bits in hexadecimal, such as "0x463b96181691fc9c".
std::string key_text(const ZobristKey& key, int bits) {
  const std::string all = fmt::format("{:016x}{:016x}", key.high, key.low);
  const auto digits = static_cast<std::size_t>((bits + 3) / 4);
  return "0x" + all.substr(all.size() - std::min(digits, all.size()));
}

/// Returns the broken rule, the detail, and pairs of positions that prove the fault.
std::string finding_text(const KeyFinding& finding, int bits, int columns) {
  std::string text = report_sentence("fault", rule_of(finding.fault), columns);
  const std::string difference = difference_of(finding);
  std::string detail = finding.detail;
  if (!difference.empty()) detail += (detail.empty() ? "" : ": ") + difference;
  if (finding.cases > 1) detail += fmt::format(" ({} cases)", finding.cases);
  if (!detail.empty()) text += report_sentence("", detail, columns);
  for (const KeyPair& pair : finding.proof) {
    const bool alike = pair.first_key == pair.second_key;
    text += text_line(alike ? "position" : "played", to_string(pair.first));
    text += text_line("", key_text(pair.first_key, bits));
    text += text_line(alike ? "another" : "set up", to_string(pair.second));
    text += text_line("", key_text(pair.second_key, bits) + (alike ? ", the same key" : ""));
    if (!alike) text += text_line("XOR", key_text(pair.first_key ^ pair.second_key, bits));
  }
  return text;
}

Json finding_json(const KeyFinding& finding, int bits) {
  Json object{{"name", name_of(finding.fault)}, {"rule", rule_of(finding.fault)},
              {"detail", finding.detail},       {"too_much", finding.too_much},
              {"missing", finding.missing},     {"cases", finding.cases},
              {"proof", Json::array()}};
  for (const KeyPair& pair : finding.proof) {
    object["proof"].push_back({{"fen", pair.first.fen},
                               {"moves", pair.first.moves},
                               {"key", key_text(pair.first_key, bits)},
                               {"other_fen", pair.second.fen},
                               {"other_moves", pair.second.moves},
                               {"other_key", key_text(pair.second_key, bits)}});
  }
  return object;
}

}  // namespace

std::string key_report_text(const KeyReport& report, int columns) {
  std::string text;
  const auto say = [&](std::string_view name, const std::string& what) {
    if (!what.empty()) text += report_sentence(name, what, columns);
  };
  say("scheme", scheme_text(report));
  if (report.habits.polyglot) say("", "Polyglot's keys: all nine published examples agree");
  if (report.habits.mirrored)
    say("", "a position and its mirror image with the other side to move have equal keys");
  if (is_complement(report)) say("", "the side to move flips every bit");
  if (report.table.is_linear()) say("castling", rights_scheme(report));
  say("en passant", passed_text(report));
  say("clocks", clocks_text(report.habits));
  if (report.table.is_linear()) say("numbers", numbers_text(report));
  say("spelling", spelling_text(report.habits.spelling));
  say("moves", moves_text(report));
  for (const KeyFinding& finding : report.findings)
    text += '\n' + finding_text(finding, report.bits, columns);
  for (const std::string& odd : report.undecided)
    text += '\n' + report_sentence("odd", odd, columns);
  const std::size_t faults = report.findings.size();
  return text + '\n' +
         text_line("verdict",
                   report.verdict() == KeyReport::Verdict::kWrong
                       ? fmt::format("WRONG: {} {}", faults, faults == 1 ? "fault" : "faults")
                       : std::string(name_of_verdict(report.verdict())));
}

Json key_report_json(const KeyReport& report) {
  const KeyHabits& habits = report.habits;
  const NumberAudit& numbers = report.numbers;
  Json passed = Json::object();
  for (const auto& [name, kind] :
       {std::pair("alone", PassedSquare::kAlone), std::pair("pinned", PassedSquare::kPinned),
        std::pair("usable", PassedSquare::kUsable)}) {
    const auto& [with, without] = habits.passed[static_cast<std::size_t>(kind)];
    passed[name] = {{"with_square", with}, {"without", without}};
  }
  Json moves = Json::array();
  for (std::size_t kind = 0; kind < kMoveClasses; ++kind) {
    moves.push_back({{"kind", name_of(static_cast<MoveClass>(kind))},
                     {"asked", report.moves[kind].asked},
                     {"wrong", report.moves[kind].wrong},
                     {"not_played", report.moves[kind].not_played}});
  }
  Json findings = Json::array();
  for (const KeyFinding& finding : report.findings)
    findings.push_back(finding_json(finding, report.bits));
  Json table = Json::object();
  for (const KeyNumber& number : numbers.numbers)
    table[number.name] = key_text(number.value, report.bits);
  return {{"verdict", name_of_verdict(report.verdict())},
          {"bits", report.bits},
          {"asked", report.asked},
          {"scheme",
           {{"linearity", name_of_linearity(report.table.linearity())},
            {"confirmed", report.table.confirmed()},
            {"contradicting", report.table.contradicting()},
            {"polyglot", habits.polyglot},
            {"mirrored", habits.mirrored},
            {"side_is_complement", is_complement(report)},
            {"castling_by_four_numbers", numbers.four_rights},
            {"en_passant_by_file", numbers.passed_by_file},
            {"en_passant_after_moves", std::move(passed)},
            {"clock_from", habits.clock_from ? Json(*habits.clock_from) : Json(nullptr)},
            {"spelling", spelling_text(habits.spelling)},
            {"move_number", habits.counts_moves},
            {"remembers_moves", habits.remembers}}},
          {"audit",
           {{"numbers", numbers.numbers.size()},
            {"rank", numbers.rank},
            {"changing_bits", numbers.changing_bits},
            {"worst_bit", numbers.worst_bit},
            {"worst_sigmas", numbers.worst_sigmas},
            {"expected_collisions_at_2_30", numbers.collisions},
            {"dependent_by_chance", numbers.by_chance.size()}}},
          {"moves", std::move(moves)},
          {"findings", std::move(findings)},
          {"undecided", report.undecided},
          {"numbers", std::move(table)}};
}

}  // namespace manyply
