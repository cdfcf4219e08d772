#include "tools/report/mode_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>

#include "core/base/memory.h"
#include "tools/report/document_members.h"
#include "tools/text/json_text.h"
#include "tools/text/number_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Returns whether the confidence interval of an estimate is meaningful. If its upper end exceeds
/// the mean by more than half of the mean, a few large samples dominate the mean. Further samples
/// may then change the mean by orders of magnitude.
bool reliable(double estimate, double high) { return high - estimate <= estimate / 2; }

}  // namespace

KnownVerdict judge_estimate(const std::optional<NodeCount>& published, double low, double high) {
  if (!published) return KnownVerdict::kUnknown;
  const double value = published->approximate();
  return value >= low && value <= high ? KnownVerdict::kMatch : KnownVerdict::kMismatch;
}

std::string estimate_document(const EstimateReport& report, const Line& root, Depth depth,
                              std::uint64_t seed) {
  const std::optional<NodeCount> known = known_value(root.here(), depth);
  Json json;
  json["fen"] = root.fen();
  json["depth"] = depth.plies();
  json["estimate"] = report.estimate;
  json["confidence"] = 0.99;
  json["low"] = report.low;
  json["high"] = report.high;
  json["standard_error"] = report.standard_error;
  json["reliable"] = reliable(report.estimate, report.high);
  json["exact"] = report.exact;
  json["samples"] = report.samples;
  json["seed"] = seed;
  json["published"] = known ? Json(known->to_string()) : Json();
  json["seconds"] = report.seconds;
  json["visited"] = report.visited;
  json["threads"] = report.threads;
  json["kernel"] = report.kernel;
  return json_line(json);
}

std::string estimate_text(const Json& document, const Presentation&) {
  const double estimate = real_in(document, "estimate");
  const double low = real_in(document, "low");
  const double high = real_in(document, "high");
  std::string text = text_line("position", position_words(text_in(document, "fen")));
  text += text_line("depth", std::to_string(whole_in(document, "depth")));
  if (document.at("exact").get<bool>()) {
    text += text_line("nodes", fmt::format("{:.0f}, exact: this depth is counted", estimate));
  } else {
    text += text_line("estimate", fmt::format("{:.6e} leaves", estimate));
    text += text_line("99 %", fmt::format("{:.6e} to {:.6e}, the estimate -+ {:.3g} %", low, high,
                                          estimate > 0 ? 50 * (high - low) / estimate : 0));
    if (!reliable(estimate, high)) {
      text += text_line("warning",
                        "the samples differ too much for a reliable interval; increase --samples");
    }
    const std::uint64_t samples = whole_in(document, "samples");
    const double deviation = estimate > 0 ? real_in(document, "standard_error") *
                                                std::sqrt(static_cast<double>(samples)) / estimate
                                          : 0;
    text += text_line("samples",
                      fmt::format("{}, seed {}; one sample is off by {:.3g} % (standard deviation)",
                                  samples, whole_in(document, "seed"), 100 * deviation));
  }
  if (!document.at("published").is_null()) {
    const NodeCount published = count_in(document, "published");
    text += text_line("published", published.to_string() +
                                       (judge_estimate(published, low, high) == KnownVerdict::kMatch
                                            ? ", inside the interval"
                                            : ", outside the interval"));
  }
  const double seconds = real_in(document, "seconds");
  text += text_line("seconds", fmt::format("{:.3f}", seconds));
  text += text_line("visited/s", si(seconds > 0 ? real_in(document, "visited") / seconds : 0));
  text += text_line("threads", std::to_string(whole_in(document, "threads")));
  return text + text_line("kernel", text_in(document, "kernel"));
}

namespace {

/// Returns all statistics by name, and the sums "checks" and "mates".
Json counts_json(const StatisticTotals& totals) {
  Json json;
  for (std::size_t i = 0; i < kStatistics; ++i)
    json[std::string(kStatisticNames[i])] = totals.counts[i].to_string();
  json["checks"] = totals.checks().to_string();
  json["mates"] = totals.mates().to_string();
  return json;
}

// Members of the details, in the order of LastPlyTotals::counts.
constexpr std::array<const char*, kLastPlyKinds> kDetails{"double_steps", "castles_king_side",
                                                          "castles_queen_side", "stalemates"};

Json details_json(const LastPlyTotals& totals) {
  Json json;
  for (std::size_t i = 0; i < kDetails.size(); ++i)
    json[kDetails[i]] = totals.counts[i].to_string();
  return json;
}

/// Returns the rows sorted by move text.
Json divide_json(const StatisticsReport& report, const std::vector<LastPlyEntry>* details,
                 CastlingNotation notation) {
  std::vector<std::pair<std::string, std::size_t>> rows;
  for (std::size_t i = 0; i < report.divide.size(); ++i)
    rows.emplace_back(to_uci(report.divide[i].move, notation), i);
  std::ranges::sort(rows);
  Json json = Json::array();
  for (const auto& [move, i] : rows) {
    json.push_back({{"move", move}});
    json.back().update(counts_json(report.divide[i].totals));
    if (details != nullptr) json.back().update(details_json((*details)[i].totals));
  }
  return json;
}

/// Adds up the details of all root moves. Throws CountOverflow if a sum exceeds 128 bits.
LastPlyTotals sum_of(const std::vector<LastPlyEntry>& details) {
  LastPlyTotals sum;
  for (const LastPlyEntry& entry : details) {
    for (std::size_t i = 0; i < kLastPlyKinds; ++i) sum.counts[i] += entry.totals.counts[i];
  }
  return sum;
}

/// Returns a table of the root moves with the main kinds of moves. CSV and the document have all
/// kinds.
std::string divide_text(const Json& rows) {
  constexpr const char* kRow = "{:<6} {:>16} {:>14} {:>10} {:>12} {:>12} {:>12} {:>12}\n";
  std::string text = fmt::format(kRow, "move", "nodes", "captures", "e.p.", "castles", "promotions",
                                 "checks", "mates");
  for (const Json& row : rows) {
    const auto at = [&row](const char* name) { return text_in(row, name); };
    text += fmt::format(kRow, at("move"), at("nodes"), at("captures"), at("en_passants"),
                        at("castles"), at("promotions"), at("checks"), at("mates"));
  }
  return text + '\n';
}

/// A row of the text. The row shows the document's member `member`.
struct Row {
  std::string_view label;
  const char* member;
};
constexpr std::array<Row, 18> kRows{{{"captures", "captures"},
                                     {"  en passant", "en_passants"},
                                     {"double steps", "double_steps"},
                                     {"castles", "castles"},
                                     {"  king side", "castles_king_side"},
                                     {"  queen side", "castles_queen_side"},
                                     {"promotions", "promotions"},
                                     {"checks, no mate", "checks"},
                                     {"  direct", "direct_checks"},
                                     {"  discovered", "discovered_checks"},
                                     {"  both", "direct_discovered_checks"},
                                     {"  double discovered", "double_discovered_checks"},
                                     {"mates", "mates"},
                                     {"  direct", "direct_mates"},
                                     {"  discovered", "discovered_mates"},
                                     {"  both", "direct_discovered_mates"},
                                     {"  double discovered", "double_discovered_mates"},
                                     {"stalemates", "stalemates"}}};

}  // namespace

std::string statistics_document(const StatisticsReport& report, const Line& root, Depth depth,
                                const std::vector<LastPlyEntry>* details) {
  Json json;
  json["fen"] = root.fen();
  json["depth"] = depth.plies();
  json.update(counts_json(report.totals));
  if (details != nullptr) json.update(details_json(sum_of(*details)));
  json["known"] = to_string(report.known);
  json["seconds"] = report.seconds;
  json["setup_seconds"] = report.setup_seconds;
  json["visited"] = report.visited;
  json["units"] = report.units;
  json["resumed_units"] = report.resumed_units;
  json["resumed_leaves"] = report.resumed_leaves;
  json["threads"] = report.threads;
  json["kernel"] = report.kernel;
  json["hash_bytes"] = report.table_bytes;
  json["probes"] = report.probes;
  json["hits"] = report.hits;
  json["expected_false_matches"] = report.expected_false_matches;
  json["divide"] = divide_json(report, details, root.notation());
  return json_line(json);
}

std::string statistics_text(const Json& document, const Presentation& how) {
  std::string text = how.divide ? divide_text(document.at("divide")) : "";
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{:<20} {}\n", name, value);
  };
  line("position", position_words(text_in(document, "fen")));
  line("depth", std::to_string(whole_in(document, "depth")));
  line("nodes", with_groups(text_in(document, "nodes")));
  line("known", known_in(document));
  for (const auto& [label, member] : kRows) {
    if (document.contains(member)) line(label, with_groups(text_in(document, member)));
  }
  line("checks with mates",
       with_groups((count_in(document, "checks") + count_in(document, "mates")).to_string()));
  const double seconds = real_in(document, "seconds");
  line("seconds", fmt::format("{:.3f} counting, {:.3f} setting up", seconds,
                              real_in(document, "setup_seconds")));
  const auto rate = [seconds](double amount) { return si(seconds > 0 ? amount / seconds : 0); };
  const double resumed_leaves = real_in(document, "resumed_leaves");
  line("leaves/s", rate(count_in(document, "nodes").approximate() - resumed_leaves));
  line("visited/s", rate(real_in(document, "visited")));
  if (const std::uint64_t resumed = whole_in(document, "resumed_units"); resumed > 0) {
    line("resumed", fmt::format("{} of {} subtrees, {} leaves, from the checkpoint", resumed,
                                whole_in(document, "units"), si(resumed_leaves)));
  }
  line("threads", std::to_string(whole_in(document, "threads")));
  line("kernel", text_in(document, "kernel"));
  if (const std::uint64_t bytes = whole_in(document, "hash_bytes"); bytes > 0) {
    const double probes = real_in(document, "probes");
    line("hash", fmt::format("{}, {:.1f} % of {} probes found", format_bytes(bytes),
                             100 * real_in(document, "hits") / std::max(1.0, probes), si(probes)));
    line("expected",
         fmt::format("{:.2g} false matches", real_in(document, "expected_false_matches")));
  }
  return text;
}

std::string statistics_csv(const Json& document, const Presentation&) {
  std::string text = "move";
  for (const std::string_view name : kStatisticNames) text += ',' + std::string(name);
  text += ",checks,mates";
  const bool has_details = document.contains(kDetails.front());
  for (const char* name : kDetails) text += has_details ? std::string(",") + name : "";
  text += '\n';
  const auto row = [&](const std::string& move, const Json& counts) {
    text += move;
    for (const std::string_view name : kStatisticNames)
      text += ',' + text_in(counts, std::string(name).c_str());
    text += ',' + text_in(counts, "checks") + ',' + text_in(counts, "mates");
    for (const char* name : kDetails) text += has_details ? ',' + text_in(counts, name) : "";
    text += '\n';
  };
  for (const Json& counts : document.at("divide")) row(text_in(counts, "move"), counts);
  row("total", document);
  return text;
}

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

namespace {

Json row_of(const UniquePly& ply, const Position& root) {
  return {{"ply", ply.ply},
          {"distinct", std::to_string(ply.distinct)},
          {"paths", ply.paths.to_string()},
          {"known", to_string(unique_verdict(ply, root))},
          {"seconds", ply.seconds},
          {"passes", ply.passes},
          {"file_bytes", 0}};  // older versions used temporary files
}

/// Returns the text row of a ply. The row of ply 0 begins with the header of the table.
std::string text_row(const Json& row) {
  const std::uint64_t ply = whole_in(row, "ply");
  return (ply == 0
              ? "  ply       distinct                    paths     known     seconds   passes\n"
              : "") +
         fmt::format("{:>5} {:>14} {:>24}  {:>8} {:>11.3f} {:>8}\n", ply, text_in(row, "distinct"),
                     text_in(row, "paths"), text_in(row, "known"), real_in(row, "seconds"),
                     whole_in(row, "passes"));
}

std::string csv_row(const Json& row) {
  const std::uint64_t ply = whole_in(row, "ply");
  return fmt::format("{}{},{},{}\n", ply == 0 ? "ply,distinct,paths\n" : "", ply,
                     text_in(row, "distinct"), text_in(row, "paths"));
}

/// Returns the rows of all plies.
std::string of_all_plies(const Json& document, std::string (*write)(const Json& row)) {
  std::string text;
  for (const Json& row : document.at("plies")) text += write(row);
  return text;
}

}  // namespace

std::string unique_document(std::span<const UniquePly> plies, const NamedPosition& root) {
  Json rows = Json::array();
  for (const UniquePly& ply : plies) rows.push_back(row_of(ply, root.position));
  return json_line({{"fen", to_fen(root.position, root.notation)}, {"plies", std::move(rows)}});
}

Result<std::uint64_t> distinct_in(std::string_view document) try {
  const Json json = read_json(document);
  return parse_number(text_in(json.at("plies").back(), "distinct"), 0, UINT64_MAX);
} catch (const std::exception&) {
  return Error{ErrorCode::kInvalidInput, "report", 0,
               "lacks the list of plies that each report of mode unique has"};
}

std::string unique_text(const Json& document, const Presentation&) {
  return of_all_plies(document, text_row);
}

std::string unique_csv(const Json& document, const Presentation&) {
  return of_all_plies(document, csv_row);
}

std::string unique_text_row(const UniquePly& ply, const Position& root) {
  return text_row(row_of(ply, root));
}

std::string unique_csv_row(const UniquePly& ply, const Position& root) {
  return csv_row(row_of(ply, root));
}

}  // namespace manyply
