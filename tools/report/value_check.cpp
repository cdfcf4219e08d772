#include "tools/report/value_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/known_values.h"
#include "core/position_text.h"
#include "tools/report/document_members.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Three tests take longer than the count: those of the next depth, of kinds of moves, and of
/// distinct positions. Each has a limit below, and runs only if our count is at most this limit.
/// But if the count of the next depth or of distinct positions is published, its test has no limit.
constexpr double kShortDeeper = 3e7;
constexpr double kShortStatistics = 2e9;
constexpr double kShortDistinct = 2e6;
/// Small numbers are often equal by chance. So small counts of other positions explain nothing. A
/// count at the same depth must be at least kTellingHere, and a count at another depth at least
/// kTellingAnywhere. A number of moves of one kind, such as captures, must exceed kTellingHere.
constexpr NodeCount kTellingAnywhere{1000};
constexpr NodeCount kTellingHere{40};

/// Tests the possible explanations of a wrong count in turn. Tests kinds of moves, distinct
/// positions and other positions only if no earlier explanation fits.
class ValueExplanation {
 public:
  ValueExplanation(const Question& question, NodeCount ours, const ExpectedValue& value,
                   const Resources& resources, std::span<const EpdRecord> suites)
      : question_(question),
        ours_(ours),
        value_(value.size),
        is_negative_(value.is_negative),
        resources_(resources),
        suites_(suites) {
    resources_.divide = false;
    resources_.one_of_many = true;
  }

  /// Returns the explanations that fit. Errors: those of answer().
  Result<std::vector<ValueHint>> run() {
    if (is_negative_) return look_at_sign(), std::move(hints_);
    look_at_overflow();
    for (const auto look : {&ValueExplanation::look_at_depths, &ValueExplanation::look_at_kinds,
                            &ValueExplanation::look_at_distinct}) {
      try {
        if (auto error = (this->*look)()) return *std::move(error);
      } catch (const CountOverflow&) {
        continue;  // the sum overflows, so it is not the user's value
      }
    }
    look_elsewhere();
    return std::move(hints_);
  }

 private:
  void hint(std::string name, std::string text) {
    hints_.push_back({std::move(name), std::move(text)});
  }

  /// Tests whether a signed counter of 32 or 64 bits would overflow and show our count as the
  /// negative value.
  void look_at_sign() {
    for (const int bits : {32, 64}) {
      const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      const bool fits = value_.high() == 0 && value_.low() != 0 && value_.low() <= mask / 2 + 1;
      if (!fits || ((ours_.low() ^ (0 - value_.low())) & mask) != 0) continue;
      return hint("modulo",
                  fmt::format("is the count modulo 2^{}, with a sign: a signed counter of {} bits "
                              "has overflowed",
                              bits, bits));
    }
    hint("negative", "is negative, which is impossible for a count");
  }

  /// Tries our count modulo 2^31, 2^32 and 2^64.
  void look_at_overflow() {
    for (const int bits : {31, 32, 64}) {
      const NodeCount rest = bits == 64 ? NodeCount(ours_.low())
                                        : NodeCount(ours_.low() & ((std::uint64_t{1} << bits) - 1));
      if (rest == ours_ || rest != value_) continue;
      hint("modulo", fmt::format("is the count modulo 2^{}: a counter of {} bits has overflowed",
                                 bits, bits == 31 ? "31 or 32" : std::to_string(bits)));
      return;
    }
  }

  /// Returns the published count at depth `plies`. If no count is published, counts the leaves.
  Result<NodeCount> count_at(int plies) {
    Question other = question_;
    other.depth = Depth(plies);
    other.mode = CountMode::kCount;
    if (const auto known = known_value(other.line.here(), other.depth)) return *known;
    const Result<Answer> found = answer(other, resources_);
    if (!found) return found.error();
    return found->nodes.value_or(0);
  }

  /// Tests two explanations: the value is the count of another depth, or the value is the sum of
  /// the counts of all plies (with or without 1 for the root). Tests the next depth only if its
  /// count is published or takes little time.
  std::optional<Error> look_at_depths() {
    const int depth = question_.depth.plies();
    NodeCount sum;
    std::string sums;
    for (int plies = 0; plies <= depth; ++plies) {
      const Result<NodeCount> count = plies < depth ? count_at(plies) : ours_;
      if (!count) return count.error();
      if (plies < depth && *count == value_) {
        hint("another-depth", fmt::format("is the count of depth {}", plies));
        return std::nullopt;
      }
      if (plies == 0) continue;
      sum += *count;
      sums += (sums.empty() ? "" : " + ") + count->to_string();
    }
    for (const bool root : {false, true}) {
      const NodeCount all = root ? sum + NodeCount(1) : sum;
      if (depth < 2 || all != value_) continue;
      hint("every-ply", fmt::format("counts every ply, not only the last: {}{} = {}",
                                    root ? "1 + " : "", sums, all.to_string()));
      return std::nullopt;
    }
    const Depth deeper(std::min(depth + 1, Depth::kMax));
    const bool is_short = ours_.approximate() <= kShortDeeper ||
                          known_value(question_.line.here(), deeper).has_value();
    if (value_ < ours_ || deeper == question_.depth || !is_short) return std::nullopt;
    const Result<NodeCount> next = count_at(deeper.plies());
    if (!next) return next.error();
    if (*next == value_)
      hint("another-depth", fmt::format("is the count of depth {}", deeper.plies()));
    return std::nullopt;
  }

  struct Kind {
    const char* name;
    const char* members[2];  ///< the number of moves of this kind is the sum of these members
    const char* words;
  };
  static constexpr std::array kKinds{
      Kind{"en-passant", {"en_passants", nullptr}, "en passant captures"},
      Kind{"castling", {"castles", nullptr}, "castling moves"},
      Kind{"promotions", {"promotions", nullptr}, "promotions"},
      Kind{"captures", {"captures", nullptr}, "captures"},
      Kind{"mates", {"mates", nullptr}, "mates"},
      Kind{"checks", {"checks", nullptr}, "checks without mates"},
      Kind{"checks-and-mates", {"checks", "mates"}, "checks and mates"},
      Kind{"en-passant-and-castling",
           {"en_passants", "castles"},
           "en passant captures and castling moves"}};

  /// For each kind of moves in the last ply, such as captures, tests two explanations of the value:
  /// our count without the moves of this kind, and the number of the moves of this kind.
  std::optional<Error> look_at_kinds() {
    const bool possible = value_ < ours_ && question_.depth.plies() >= 1;
    if (!hints_.empty() || !possible || ours_.approximate() > kShortStatistics) return std::nullopt;
    Question statistics = question_;
    statistics.mode = CountMode::kStatistics;
    const Result<Answer> found = answer(statistics, resources_);
    if (!found) return found.error();
    const Json document = read_json(found->document);
    for (const Kind& kind : kKinds) {
      NodeCount count = count_in(document, kind.members[0]);
      if (kind.members[1] != nullptr) {
        const NodeCount other = count_in(document, kind.members[1]);
        // Skip this sum of two kinds, such as checks and mates, if one of the kinds has no moves.
        // The sum then equals the number of the other kind, which has its own entry in kKinds.
        if (other == NodeCount(0)) continue;
        count += count == NodeCount(0) ? NodeCount(0) : other;
      }
      if (count == NodeCount(0)) continue;
      if (value_ + count == ours_) {
        hint(std::string("without-") + kind.name,
             fmt::format("is the count without the {} {} of the last ply", count.to_string(),
                         kind.words));
      } else if (value_ == count && count > kTellingHere) {
        hint(std::string("only-") + kind.name,
             fmt::format("is the number of the {} in the last ply", kind.words));
      }
    }
    // Test whether the user's program counts the four promotions of a pawn to one square as one
    // move.
    const NodeCount promotions = count_in(document, "promotions");
    const NodeCount lost{promotions.low() / 4 * 3};
    if (promotions != NodeCount(0) && promotions.high() == 0 && value_ + lost == ours_) {
      hint("promotion-once",
           fmt::format("is the count if each of the {} promotions of the last ply counts as one "
                       "move, not four",
                       promotions.low() / 4));
    }
    return std::nullopt;
  }

  /// Tests whether the value is the number of distinct positions of the last ply.
  std::optional<Error> look_at_distinct() {
    if (!hints_.empty() || value_ >= ours_) return std::nullopt;
    std::optional<NodeCount> distinct = known_distinct(question_.line.here(), question_.depth);
    if (!distinct && ours_.approximate() <= kShortDistinct) {
      Question unique = question_;
      unique.mode = CountMode::kUnique;
      const Result<Answer> found = answer(unique, resources_);
      if (!found) return found.error();
      if (found->distinct) distinct = NodeCount(*found->distinct);
    }
    if (distinct == value_) {
      hint("distinct-positions",
           "is the number of distinct positions; perft counts paths, and several may lead to one "
           "position");
    }
    return std::nullopt;
  }

  /// Returns the name of the position, for example "kiwipete". If it has no name, returns the FEN.
  static std::string name_of(const EpdRecord& record) {
    for (const PositionName& known : position_names()) {
      const Result<NamedPosition> position = parse_position(known.fen);
      if (position && position->position == record.root.position) return std::string(known.name);
    }
    return record.fen;
  }

  /// Searches for the value among the published counts of other positions, then in the suites.
  /// Ignores small values, see kTellingHere and kTellingAnywhere.
  void look_elsewhere() {
    const auto look_in = [&](std::span<const EpdRecord> records) {
      for (const EpdRecord& record : records) {
        if (record.root.position == question_.line.here()) continue;
        for (const EpdCount& count : record.counts) {
          const bool here = count.depth == question_.depth;
          if (count.nodes != value_ || value_ < (here ? kTellingHere : kTellingAnywhere)) continue;
          hint("another-position", fmt::format("is the count of another position at depth {}: {}",
                                               count.depth.plies(), name_of(record)));
          return true;
        }
      }
      return false;
    };
    if (hints_.empty() && !look_in(published_positions())) look_in(suites_);
  }

  const Question& question_;
  const NodeCount ours_;
  const NodeCount value_;
  const bool is_negative_;
  Resources resources_;
  std::span<const EpdRecord> suites_;
  std::vector<ValueHint> hints_;
};

}  // namespace

Result<std::vector<ValueHint>> explain_value(const Question& question, NodeCount ours,
                                             const ExpectedValue& value, const Resources& resources,
                                             std::span<const EpdRecord> suites) {
  return ValueExplanation(question, ours, value, resources, suites).run();
}

Json check_document(const CheckedValue& checked, const Line& root, Depth depth) {
  Json json;
  json["fen"] = root.fen();
  json["depth"] = depth.plies();
  json["expected"] = (checked.expected.is_negative ? "-" : "") + checked.expected.size.to_string();
  json["nodes"] = checked.nodes.to_string();
  json["verdict"] = checked.agrees() ? "match" : "mismatch";
  json["hints"] = Json::array();
  for (const auto& [name, text] : checked.hints)
    json["hints"].push_back({{"name", name}, {"text", text}});
  return json;
}

std::string check_text(const Json& document) {
  const std::string& expected = text_in(document, "expected");
  const std::string& nodes = text_in(document, "nodes");
  const std::string count = fmt::format("{}: perft({}) = {}", text_in(document, "verdict"),
                                        whole_in(document, "depth"), nodes);
  if (nodes == expected) return count + '\n';
  std::string text = fmt::format("{}, expected {}\n", count, expected);
  for (const Json& hint : document.at("hints"))
    text += fmt::format("hint: {} {}\n", expected, text_in(hint, "text"));
  return text;
}

// Hints contain commas but no quotes. So one pair of quotes around all hints suffices.
std::string check_csv(const Json& document) {
  std::string hints;
  for (const Json& hint : document.at("hints"))
    hints += (hints.empty() ? "" : "; ") + text_in(hint, "text");
  return fmt::format("depth,expected,nodes,verdict,hint\n{},{},{},{},{}\n",
                     whole_in(document, "depth"), text_in(document, "expected"),
                     text_in(document, "nodes"), text_in(document, "verdict"),
                     hints.empty() ? "" : "\"" + hints + "\"");
}

}  // namespace manyply
