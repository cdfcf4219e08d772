#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "hash/key_audit.h"
#include "tools/cli/diagnosis_format.h"
#include "tools/report/document_members.h"

namespace manyply {
namespace {

using KeyJson = nlohmann::ordered_json;

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

/// Returns whether the side to move flips every bit of a key.
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

/// Says which numbers are wrongly in the key, and which numbers are missing.
std::string difference_of(const KeyFinding& finding) {
  std::string text;
  if (!finding.too_much.empty())
    text = fmt::format("too much: {}", fmt::join(finding.too_much, ", "));
  if (!finding.missing.empty())
    text +=
        fmt::format("{}missing: {}", text.empty() ? "" : "; ", fmt::join(finding.missing, ", "));
  return text;
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

KeyJson finding_json(const KeyFinding& finding, int bits) {
  KeyJson object{{"name", name_of(finding.fault)}, {"rule", rule_of(finding.fault)},
                 {"detail", finding.detail},       {"too_much", finding.too_much},
                 {"missing", finding.missing},     {"cases", finding.cases},
                 {"proof", KeyJson::array()}};
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

std::string key_text(const ZobristKey& key, int bits) {
  const std::string all = fmt::format("{:016x}{:016x}", key.high, key.low);
  const auto digits = static_cast<std::size_t>((bits + 3) / 4);
  return "0x" + all.substr(all.size() - std::min(digits, all.size()));
}

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

KeyJson key_report_json(const KeyReport& report) {
  const KeyHabits& habits = report.habits;
  const NumberAudit& numbers = report.numbers;
  KeyJson passed = KeyJson::object();
  for (const auto& [name, kind] :
       {std::pair("alone", PassedSquare::kAlone), std::pair("pinned", PassedSquare::kPinned),
        std::pair("usable", PassedSquare::kUsable)}) {
    const auto& [with, without] = habits.passed[static_cast<std::size_t>(kind)];
    passed[name] = {{"with_square", with}, {"without", without}};
  }
  KeyJson moves = KeyJson::array();
  for (std::size_t kind = 0; kind < kMoveClasses; ++kind) {
    moves.push_back({{"kind", name_of(static_cast<MoveClass>(kind))},
                     {"asked", report.moves[kind].asked},
                     {"wrong", report.moves[kind].wrong},
                     {"not_played", report.moves[kind].not_played}});
  }
  KeyJson findings = KeyJson::array();
  for (const KeyFinding& finding : report.findings)
    findings.push_back(finding_json(finding, report.bits));
  KeyJson table = KeyJson::object();
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
            {"clock_from", habits.clock_from ? KeyJson(*habits.clock_from) : KeyJson(nullptr)},
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
