#include "tools/report/hash_format.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/report/document.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Returns `part` in percent of `whole`; 0 if `whole` is 0.
double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Returns a row of the table by depth.
std::string row(const std::string& depth, const Json& at) {
  const std::uint64_t probes = whole_in(at, "probes");
  const std::uint64_t hits = whole_in(at, "hits");
  return fmt::format("{:<7} {:>15} {:>15} {:>8.1f} % {:>15} {:>15}\n", depth, probes, hits,
                     percent(hits, probes), whole_in(at, "stores"), whole_in(at, "replacements"));
}

/// Calls visit(depth, counters) for each depth that was probed.
template <typename Visit>
void for_depths(const HashStats& stats, const Visit& visit) {
  for (std::size_t depth = 0; depth < stats.by_depth.size(); ++depth) {
    if (stats.by_depth[depth].probes != 0) visit(static_cast<int>(depth), stats.by_depth[depth]);
  }
}

/// Rates in documents are from 0 to 1.
Json json_of(const HashStats::PerDepth& at) {
  return {{"probes", at.probes},
          {"hits", at.hits},
          {"hit_rate", percent(at.hits, at.probes) / 100},
          {"stores", at.stores},
          {"replacements", at.replacements}};
}

}  // namespace

std::string hash_text(const Json& document) {
  const Json& table = document.at("table");
  const std::uint64_t windows = whole_in(table, "windows");
  const std::string these_windows = windows == 1 ? "one window of"
                                    : windows == whole_in(document, "threads")
                                        ? "a window for each thread of"
                                        : fmt::format("{} windows of", windows);
  const Json& seed = document.at("key_seed");
  std::string text = fmt::format(
      "hash       {}: deep table {}, {} stripes; {} {}\n"
      "keys       seed {}, {} bits; a match has compared {:.1f} of them, {:.1f} at depth 2\n"
      "expected   {:.2g} false matches{}\n"
      "fill       {:.1f} % of the deep table\n"
      "counted    {} positions by the two-ply kernel\n\n",
      format_bytes(whole_in(document, "hash_bytes")), format_bytes(whole_in(table, "deep_bytes")),
      whole_in(table, "stripes"), these_windows, format_bytes(whole_in(table, "window_bytes")),
      seed.is_null() ? "secret" : seed.get<std::string>(), whole_in(document, "key_bits"),
      real_in(table, "deep_key_bits"), real_in(table, "window_key_bits"),
      real_in(document, "expected_false_matches"),
      whole_in(document, "resumed_units") > 0 ? ", in the subtrees counted now" : "",
      100 * real_in(table, "deep_fill"), whole_in(table, "kernel_calls"));
  text += fmt::format("{:<7} {:>15} {:>15} {:>10} {:>15} {:>15}\n", "depth", "probes", "hits",
                      "hit rate", "stores", "replacements");
  for (const Json& at : table.at("by_depth"))
    text += row(std::to_string(whole_in(at, "depth")), at);
  return text + row("all", table);
}

void add_hash_json(const Report& report, Json& json) {
  if (!report.hash) {  // without hashing there are no false matches
    json["hash_bytes"] = 0;
    json["key_seed"] = nullptr;
    json["key_bits"] = nullptr;
    json["expected_false_matches"] = 0;
    json["table"] = nullptr;
    return;
  }
  const HashReport& hash = *report.hash;
  json["hash_bytes"] = hash.bytes;
  json["key_seed"] = nullptr;
  if (!hash.secret_seed) json["key_seed"] = std::to_string(hash.keys.seed);  // may exceed 2^53
  json["key_bits"] = hash.keys.bits;
  json["expected_false_matches"] = hash.expected_false_matches;
  Json table{
      {"deep_bytes", hash.plan.deep_bytes},
      {"wide_bytes", hash.plan.wide_entries * WideTable::kEntryBytes},
      {"window_bytes", hash.plan.window_bytes},
      {"windows", hash.plan.windows_of(report.threads)},
      {"stripes", hash.stripes},
      {"deep_key_bits", hash.effective_deep_bits},
      {"window_key_bits", hash.effective_window_bits},
      {"deep_fill", hash.deep_fill},
      {"reused", hash.reused},
      {"kernel_calls", hash.stats.kernel_calls},
  };
  table.update(json_of(hash.stats.total()));
  table["by_depth"] = Json::array();
  for_depths(hash.stats, [&](int depth, const HashStats::PerDepth& at) {
    Json entry{{"depth", depth}};
    entry.update(json_of(at));
    table["by_depth"].push_back(std::move(entry));
  });
  json["table"] = std::move(table);
}

}  // namespace manyply
