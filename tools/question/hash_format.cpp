#include "tools/question/hash_format.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/question/numbers.h"

namespace manyply {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string row(const std::string& depth, const HashStats::PerDepth& at) {
  return fmt::format("{:<7} {:>15} {:>15} {:>8.1f} % {:>15} {:>15}\n", depth, at.probes, at.hits,
                     percent(at.hits, at.probes), at.stores, at.replacements);
}

/// Calls visit(depth, counters) for depths that were probed.
template <typename Visit>
void for_depths(const HashStats& stats, const Visit& visit) {
  for (std::size_t depth = 0; depth < stats.by_depth.size(); ++depth) {
    if (stats.by_depth[depth].probes != 0) visit(static_cast<int>(depth), stats.by_depth[depth]);
  }
}

nlohmann::ordered_json json_of(const HashStats::PerDepth& at) {
  return {{"probes", at.probes},
          {"hits", at.hits},
          {"hit_rate", percent(at.hits, at.probes) / 100},
          {"stores", at.stores},
          {"replacements", at.replacements}};
}

}  // namespace

std::string hash_text(const Report& report) {
  const HashReport& hash = *report.hash;
  const int windows = hash.plan.windows_of(report.threads);
  const std::string these_windows = windows == 1 ? "one window of"
                                    : windows == report.threads
                                        ? "a window for each thread of"
                                        : fmt::format("{} windows of", windows);
  std::string text = fmt::format(
      "hash       {}: deep table {}, {} stripes; {} {}\n"
      "keys       seed {}, {} bits; a match has compared {:.1f} of them, {:.1f} at depth 2\n"
      "expected   {:.2g} false matches{}\n"
      "fill       {:.1f} % of the deep table\n"
      "counted    {} positions by the two-ply kernel\n\n",
      format_bytes(hash.bytes), format_bytes(hash.plan.deep_bytes), hash.stripes, these_windows,
      format_bytes(hash.plan.window_bytes),
      hash.secret_seed ? "secret" : std::to_string(hash.keys.seed), hash.keys.bits,
      hash.effective_deep_bits, hash.effective_window_bits, hash.expected_false_matches,
      report.resumed_units > 0 ? ", in the subtrees counted now" : "", 100 * hash.deep_fill,
      hash.stats.kernel_calls);
  text += fmt::format("{:<7} {:>15} {:>15} {:>10} {:>15} {:>15}\n", "depth", "probes", "hits",
                      "hit rate", "stores", "replacements");
  for_depths(hash.stats, [&](int depth, const HashStats::PerDepth& at) {
    text += row(std::to_string(depth), at);
  });
  return text + row("all", hash.stats.total());
}

void add_hash_json(const Report& report, nlohmann::ordered_json& json) {
  if (!report.hash) {  // nothing was hashed, so nothing can have matched falsely
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
  nlohmann::ordered_json table{
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
  table["by_depth"] = nlohmann::ordered_json::array();
  for_depths(hash.stats, [&](int depth, const HashStats::PerDepth& at) {
    nlohmann::ordered_json entry{{"depth", depth}};
    entry.update(json_of(at));
    table["by_depth"].push_back(std::move(entry));
  });
  json["table"] = std::move(table);
}

std::optional<HashReport> parse_hash_json(const nlohmann::ordered_json& json) {
  const auto& table = json.at("table");
  if (table.is_null()) return std::nullopt;
  HashReport hash;
  hash.bytes = json.at("hash_bytes").get<std::uint64_t>();
  hash.secret_seed = json.at("key_seed").is_null();
  if (!hash.secret_seed) hash.keys.seed = std::stoull(json["key_seed"].get<std::string>());
  hash.keys.bits = json.at("key_bits").get<int>();
  hash.expected_false_matches = json.at("expected_false_matches").get<double>();
  hash.plan.deep_bytes = table.at("deep_bytes").get<std::uint64_t>();
  hash.plan.wide_entries = table.at("wide_bytes").get<std::uint64_t>() / WideTable::kEntryBytes;
  hash.plan.window_bytes = table.at("window_bytes").get<std::uint64_t>();
  hash.plan.windows = table.at("windows").get<int>();
  hash.stripes = table.at("stripes").get<std::size_t>();
  hash.effective_deep_bits = table.at("deep_key_bits").get<double>();
  hash.effective_window_bits = table.at("window_key_bits").get<double>();
  hash.deep_fill = table.at("deep_fill").get<double>();
  hash.reused = table.at("reused").get<bool>();
  hash.stats.kernel_calls = table.at("kernel_calls").get<std::uint64_t>();
  for (const auto& row : table.at("by_depth")) {
    HashStats::PerDepth& at = hash.stats.by_depth.at(row.at("depth").get<std::size_t>());
    at.probes = row.at("probes").get<std::uint64_t>();
    at.hits = row.at("hits").get<std::uint64_t>();
    at.stores = row.at("stores").get<std::uint64_t>();
    at.replacements = row.at("replacements").get<std::uint64_t>();
  }
  return hash;
}

}  // namespace manyply
