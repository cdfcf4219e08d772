#include "tools/report/check_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/known_values.h"
#include "core/position_text.h"
#include "tools/report/count_format.h"
#include "tools/report/document_members.h"
#include "tools/text/json_text.h"
#include "tools/text/numbers.h"

namespace manyply {

using Json = nlohmann::ordered_json;

Json check_document(const CheckedValue& checked, const Line& root, Depth depth) {
  Json json;
  json["fen"] = root.fen();
  json["depth"] = depth.plies();
  json["expected"] = to_string(checked.expected);
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

namespace {

using Json = nlohmann::ordered_json;

/// Returns a method's member of the document.
Json method_json(const Report& report) {
  Json json{
      {"nodes", report.nodes.to_string()},
      {"known", to_string(report.known)},
      {"seconds", report.seconds},
      {"setup_seconds", report.setup_seconds},
      {"visited", report.visited},
      {"leaves_per_second", report.leaves_per_second()},
      {"visited_per_second", report.visited_per_second()},
  };
  add_hash_json(report, json);
  return json;
}

constexpr const char* kMethodRow = "{:<14} {:>24} {:>11} {:>10} {:>10} {:>9}\n";

/// Returns a row of the table. The hit rate is "-" if the method used no hash table.
std::string method_row(const char* name, const Json& method) {
  const Json& table = method.at("table");
  const std::uint64_t probes = table.is_null() ? 0 : whole_in(table, "probes");
  const std::string hit_rate =
      probes == 0 ? "-" : fmt::format("{:.1f} %", 100 * real_in(table, "hit_rate"));
  return fmt::format(kMethodRow, name, text_in(method, "nodes"),
                     fmt::format("{:.3f}", real_in(method, "seconds")),
                     si(real_in(method, "leaves_per_second")),
                     si(real_in(method, "visited_per_second")), hit_rate);
}

}  // namespace

bool agree(const MethodReports& reports) {
  // The unhashed count is the reference, because it cannot have false matches.
  const Report& sure = reports.unhashed;
  const auto same = [&](const Report& other) {
    return other.nodes == sure.nodes && other.divide == sure.divide;
  };
  return same(reports.hashed) && same(reports.configurations) &&
         sure.known != KnownVerdict::kMismatch;
}

Json compare_document(const MethodReports& reports, const Line& root, Depth depth) {
  const auto& [hashed, unhashed, configurations] = reports;
  Json json;
  json["fen"] = root.fen();
  json["depth"] = depth.plies();
  json["agrees"] = agree(reports);
  json["speed_up"] = hashed.seconds > 0 ? unhashed.seconds / hashed.seconds : 0;
  json["threads"] = hashed.threads;
  json["kernel"] = hashed.kernel;
  json["hashed"] = method_json(hashed);
  json["unhashed"] = method_json(unhashed);
  json["configurations"] = nullptr;
  if (configurations.matrix) json["configurations"] = method_json(configurations);
  return json;
}

std::string compare_text(const Json& document) {
  const Json& hashed = document.at("hashed");
  const Json& unhashed = document.at("unhashed");
  const Json& configurations = document.at("configurations");
  std::string text =
      fmt::format(kMethodRow, "", "nodes", "seconds", "leaves/s", "visited/s", "hit rate") +
      method_row("hashed", hashed) + method_row("unhashed", unhashed);
  if (!configurations.is_null()) text += method_row("configurations", configurations);
  if (hashed.at("table").is_null()) {
    text += "\nspeed-up   none: the depth is too small for a table, so neither count used one\n";
  } else {
    text += fmt::format(
        "\nspeed-up   {:.2f}, with {} threads, kernel {}\n"
        "hash       {}, set up in {:.3f} s before\n"
        "expected   {:.2g} false matches\n",
        real_in(document, "speed_up"), whole_in(document, "threads"), text_in(document, "kernel"),
        format_bytes(whole_in(hashed, "hash_bytes")), real_in(hashed, "setup_seconds"),
        real_in(hashed, "expected_false_matches"));
  }
  const KnownVerdict known = known_verdict(text_in(unhashed, "known"));
  text += text_line(
      "known",
      known_text(known, known == KnownVerdict::kMismatch ? published_for(document) : std::nullopt));
  return text + text_line("verdict", document.at("agrees").get<bool>()
                                         ? "agree"
                                         : "DO NOT AGREE: run 'perft verify' to find the cause");
}

namespace {

using Json = nlohmann::ordered_json;

/// Adds the details to each row of a divide of `line`, recursively if details.plies is 2.
std::optional<Error> add_details(Json& rows, const Line& line, const DivideDetails& details,
                                 const CountedDocument& count) {
  for (Json& row : rows) {
    const std::string move = text_in(row, "move");
    const Result<Move> played = parse_uci(line.here(), move, line.notation());
    if (!played) return played.error();
    const Line next = line.after(*played);
    if (details.fens) row["fen"] = next.fen_here();
    if (details.plies < 2) continue;
    const Result<std::string> behind = count(next);
    if (!behind) return behind.error();
    Json replies = read_json(*behind).at("divide");
    NodeCount sum;
    for (const Json& reply : replies) sum += count_in(reply, "nodes");
    if (sum != count_in(row, "nodes")) {
      return Error{ErrorCode::kInternal, "divide", 0,
                   fmt::format("{} has {} paths, but its replies add up to {}", move,
                               text_in(row, "nodes"), sum.to_string())};
    }
    if (auto error = add_details(replies, next, {.plies = 1, .fens = details.fens}, count))
      return error;
    row["divide"] = std::move(replies);
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> detailed(const std::string& document, const Line& line,
                             const DivideDetails& details, const CountedDocument& count) {
  Json json = read_json(document);
  if (auto error = add_details(json.at("divide"), line, details, count)) return *std::move(error);
  return json_line(json);
}

namespace {

/// Some explanations take longer to test than the count: one ply more, statistics, and distinct
/// positions. They are tested only if the count has at most this number of leaves.
constexpr double kShortDeeper = 3e7;
constexpr double kShortStatistics = 2e9;
constexpr double kShortDistinct = 2e6;
/// A value below these limits may equal the count of another position by chance, so that count is
/// no explanation. The first limit is for other depths, the second for this depth.
constexpr NodeCount kTellingAnywhere{1000};
constexpr NodeCount kTellingHere{40};

/// Tries one explanation after another. Tries kinds of moves, distinct positions and other
/// positions only if no earlier explanation fits.
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

  /// Tries all explanations. Errors: those of answer(). Throws CountOverflow.
  Result<std::vector<ValueHint>> run() {
    if (is_negative_) return look_at_sign(), std::move(hints_);
    look_at_overflow();
    for (const auto look : {&ValueExplanation::look_at_depths, &ValueExplanation::look_at_kinds,
                            &ValueExplanation::look_at_distinct}) {
      if (auto error = (this->*look)()) return *std::move(error);
    }
    look_elsewhere();
    return std::move(hints_);
  }

 private:
  void hint(std::string name, std::string text) {
    hints_.push_back({std::move(name), std::move(text)});
  }

  /// Tries the value of a signed counter of 32 or 64 bits after an overflow.
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

  /// Returns the published count at this depth. If none is published, counts.
  Result<NodeCount> count_at(int plies) {
    Question other = question_;
    other.depth = Depth(plies);
    other.mode = CountMode::kCount;
    if (const auto known = known_value(other.line.here(), other.depth)) return *known;
    const Result<Answer> found = answer(other, resources_);
    if (!found) return found.error();
    return found->nodes.value_or(0);
  }

  /// Tries other depths, and the sum of all plies with and without the root. Tries one ply more
  /// only if the count is published or takes little time.
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
    const char* members[2];  ///< the count is the sum of these members
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

  /// For each kind of moves in the last ply, tries our count without these moves, and the number of
  /// these moves.
  std::optional<Error> look_at_kinds() {
    const bool possible = value_ < ours_ && question_.depth.plies() >= 1;
    if (!hints_.empty() || !possible || ours_.approximate() > kShortStatistics) return std::nullopt;
    Question statistics = question_;
    statistics.mode = CountMode::kStatistics;
    const Result<Answer> found = answer(statistics, resources_);
    if (!found) return found.error();
    const nlohmann::ordered_json document = read_json(found->document);
    for (const Kind& kind : kKinds) {
      NodeCount count = count_in(document, kind.members[0]);
      if (kind.members[1] != nullptr) {
        const NodeCount other = count_in(document, kind.members[1]);
        // If one of the two kinds does not occur, the sum is the count of the other kind, which is
        // tried separately.
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
    // Try a program that counts a promotion once for each pawn and square, not four times.
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

  /// Tries the number of distinct positions.
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

  /// Returns "kiwipete", or the FEN.
  static std::string name_of(const EpdRecord& record) {
    for (const PositionName& known : position_names()) {
      const Result<NamedPosition> position = parse_position(known.fen);
      if (position && position->position == record.root.position) return std::string(known.name);
    }
    return record.fen;
  }

  /// Tries published counts of other positions, then the suites. Ignores small numbers, see
  /// kTellingHere and kTellingAnywhere.
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

std::string to_string(const ExpectedValue& value) {
  return (value.is_negative ? "-" : "") + value.size.to_string();
}

Result<std::vector<ValueHint>> explain_value(const Question& question, NodeCount ours,
                                             const ExpectedValue& value, const Resources& resources,
                                             std::span<const EpdRecord> suites) {
  try {
    return ValueExplanation(question, ours, value, resources, suites).run();
  } catch (const CountOverflow&) {  // the sum of all plies overflows, so it is not the user's value
    return std::vector<ValueHint>();
  }
}

}  // namespace manyply
