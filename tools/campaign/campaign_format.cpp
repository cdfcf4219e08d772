#include "tools/campaign/campaign_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/memory.h"
#include "core/known_values.h"
#include "core/signature.h"
#include "tools/report/document.h"
#include "tools/report/mode_formats.h"
#include "tools/report/question.h"
#include "tools/text/json_text.h"
#include "tools/text/numbers.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Returns "119060324", with " = perft(6)" after it if a published value is known.
std::string as_published(NodeCount paths, const std::optional<NodeCount>& known, int plies) {
  const std::string digits = paths.to_string();
  return known ? fmt::format("{} = perft({})", digits, plies) : digits;
}

std::string share(double part, double whole) {
  return fmt::format("{:.1f} %", whole > 0 ? 100 * part / whole : 0);
}

std::size_t verified_ranges(const NewCampaign& campaign) {
  return static_cast<std::size_t>(std::ranges::count(campaign.verified, true));
}

/// Returns a number and a noun: "1 range", "2 ranges", "2 batches".
std::string counted(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : thing.ends_with("ch") ? "es" : "s");
}

/// Returns `document` as one line of JSON, or as text for all other formats.
std::string shown(const Json& document, Format format, std::string (*text)(const Json&)) {
  return format == Format::kJson ? json_line(document) : text(document);
}

/// Returns one sentence for each thing that the user must do for the campaign to proceed.
std::vector<std::string> advice(const CampaignStatus& status) {
  std::vector<std::string> lines;
  if (status.campaign.state == CampaignState::kRunning && status.workers_seen == 0)
    lines.push_back("nobody counts: 'perft campaign work " + status.campaign.name + "' does");
  if (status.campaign.state == CampaignState::kRunning && status.ranges_for_another > 0) {
    constexpr std::array<std::string_view, 3> kWhere{"", " on another host",
                                                     " with another kernel"};
    lines.push_back(fmt::format(
        "{} {} to be counted by another worker than those that counted them before: start one "
        "more{}",
        status.ranges_for_another, status.ranges_for_another == 1 ? "range is" : "ranges are",
        kWhere.at(static_cast<std::size_t>(status.verify_other))));
  }
  return lines;
}

Json json_of(const CampaignStatus::Pass& pass) {
  return {{"ranges", pass.ranges},
          {"ranges_done", pass.ranges_done},
          {"ranges_leased", pass.ranges_leased},
          {"batches", pass.batches},
          {"batches_done", pass.batches_done}};
}

/// Returns the estimated share of the work that is done in both passes, from 0 to 1.
double share_done(const CampaignStatus& status) {
  double weight = 0;
  double done = 0;
  for (const CampaignStatus::Pass& pass : status.passes) {
    weight += pass.weight;
    done += pass.weight_done;
  }
  return weight > 0 ? done / weight : 0;
}

/// Extrapolates the work of the last minute to the remaining work of both passes. Returns nullopt
/// if nothing was committed in that minute.
std::optional<double> seconds_left(const CampaignStatus& status) {
  if (status.weight_last_minute <= 0) return std::nullopt;
  double left = 0;
  for (const CampaignStatus::Pass& pass : status.passes) left += pass.weight - pass.weight_done;
  return 60 * left / status.weight_last_minute;
}

/// The caller fills in "disputes", which is empty here.
Json json_of(const CampaignStatus& status) {
  const Campaign& campaign = status.campaign;
  const std::optional<double> left = seconds_left(status);
  return {{"name", campaign.name},
          {"fen", campaign.fen},
          {"depth", campaign.depth.plies()},
          {"state", to_string(campaign.state)},
          {"share_done", share_done(status)},
          {"pass0", json_of(status.passes[0])},
          {"pass1", json_of(status.passes[1])},
          {"leaves_per_second", rate_json(status.leaves_last_minute / 60)},
          {"seconds_left", left ? Json(*left) : Json()},
          {"lease_seconds", campaign.lease_seconds},
          {"workers",
           {{"seen", status.workers_seen},
            {"gone", status.workers_gone},
            {"refused", status.workers_refused}}},
          {"disputes", Json::array()},
          {"advice", advice(status)}};
}

Json json_of(const CampaignDispute& dispute) {
  return {{"range", dispute.range},
          {"batch", dispute.batch},
          {"unit", dispute.unit},
          {"counts", {dispute.count0, dispute.count1}},
          {"workers", {dispute.worker0, dispute.worker1}}};
}

/// Each value is a share of the cell's work in pass 0, rounded to three decimals. Pass 1 has the
/// same unit, so "to_verify" is 1 if the whole cell is counted twice.
Json json_of(const std::vector<CampaignCell>& cells) {
  const auto shares = [&](const auto& part) {
    Json all = Json::array();
    for (const CampaignCell& cell : cells) {
      const double whole = cell.planned[0];
      all.push_back(whole > 0 ? std::round(1000 * part(cell) / whole) / 1000 : 0);
    }
    return all;
  };
  return {{"done", shares([](const CampaignCell& cell) { return cell.done[0]; })},
          {"counting", shares([](const CampaignCell& cell) { return cell.leased[0]; })},
          {"to_verify", shares([](const CampaignCell& cell) { return cell.planned[1]; })},
          {"verified", shares([](const CampaignCell& cell) { return cell.done[1]; })},
          {"verifying", shares([](const CampaignCell& cell) { return cell.leased[1]; })}};
}

/// Returns leaves per second in equal steps, at most kMostSteps: from the first batch to the last,
/// or to now while the campaign runs.
Json json_of(const CampaignHistory& history, CampaignState state) {
  constexpr std::int64_t kMostSteps = 120;
  Json rates = Json::array();
  std::int64_t slots = 1;  // per step
  if (!history.leaves.empty()) {
    const std::int64_t first = history.leaves.begin()->first;
    // The current interval is incomplete and would look like a drop in speed, so it is left out.
    // max(): the database's clock may have been set back.
    const std::int64_t end = state == CampaignState::kRunning ? std::max(history.now, first)
                                                              : history.leaves.rbegin()->first + 1;
    slots = (end - first + kMostSteps - 1) / kMostSteps;
    slots = std::max<std::int64_t>(slots, 1);
    std::vector<double> leaves(static_cast<std::size_t>((end - first) / slots), 0.0);
    for (const auto& [slot, brought] : history.leaves) {
      const auto step = static_cast<std::size_t>((slot - first) / slots);
      if (step < leaves.size()) leaves[step] += brought;
    }
    const double seconds = static_cast<double>(slots) * CampaignHistory::kSlotSeconds;
    for (const double brought : leaves) rates.push_back(rate_json(brought / seconds));
  }
  return {{"step_seconds", slots * CampaignHistory::kSlotSeconds}, {"leaves_per_second", rates}};
}

Json json_of(const CampaignWorker& worker) {
  return {{"id", worker.id},
          {"host", worker.host},
          {"label", worker.label},
          {"version", worker.version},
          {"kernel", worker.kernel},
          {"threads", worker.threads},
          {"hash_bytes", worker.hash_bytes},
          {"key_bits", worker.key_bits},
          {"key_seed", std::to_string(worker.key_seed)},
          {"state", worker.state},
          {"refused", worker.refused ? Json(*worker.refused) : Json()},
          {"seconds_since_seen", worker.seconds_since_seen},
          {"batches", worker.batches},
          {"visited", worker.visited}};
}

/// Returns "worker 7 on node3: avx2, 8 threads, keys of 48 bits, version 1.2".
std::string described(const Json& worker) {
  const std::uint64_t bits = whole_in(worker, "key_bits");
  return fmt::format(
      "worker {} on {}: {}, {}, {}, version {}", whole_in(worker, "id"), text_in(worker, "host"),
      text_in(worker, "kernel"), counted(whole_in(worker, "threads"), "thread"),
      bits == 0 ? "no table" : fmt::format("keys of {} bits", bits), text_in(worker, "version"));
}

/// Returns rows as aligned columns. Precondition: all rows have the same number of cells, at least
/// one row.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += fmt::format("{:<{}}", row[i], widths[i] + 2);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

/// Returns ascending numbers as spans: "0-3, 7".
std::string spans(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += text.empty() ? "" : ", ";
    text += std::to_string(numbers[i]);
    if (last > i) text += '-' + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

Json json_of(const ExaminedDispute& examined, const CampaignPlan& plan) {
  const CampaignDispute& dispute = examined.dispute;
  return {{"range", dispute.range},
          {"batch", dispute.batch},
          {"unit", dispute.unit},
          {"fen", examined.unit ? Json(to_fen(*examined.unit, plan.root.notation)) : Json()},
          {"depth", plan.depth.plies() - plan.units.ply()},
          {"counts", {dispute.count0, dispute.count1}},
          {"workers", {dispute.worker0, dispute.worker1}},
          {"nodes", examined.unit ? Json(examined.nodes.to_string()) : Json()},
          {"wrong", examined.wrong}};
}

/// Precondition: `wrong` has a report and a unit.
Json verification(const WrongWorker& wrong, const CampaignPlan& plan) {
  const NamedPosition unit{*wrong.unit, plan.root.notation};
  const Depth depth(plan.depth.plies() - plan.units.ply());
  return read_json(verify_document(*wrong.report, question_of(unit, depth).line, depth));
}

// The following functions format documents as text.

/// Returns "3 of 6 ranges, 7 of 12 batches"; counts both passes.
std::string progress_of(const Json& status) {
  const Json& first = status.at("pass0");
  const Json& second = status.at("pass1");
  const auto both = [&](const char* name) {
    return whole_in(first, name) + whole_in(second, name);
  };
  return fmt::format("{} of {}, {} of {} batches", both("ranges_done"),
                     counted(both("ranges"), "range"), both("batches_done"), both("batches"));
}

/// Returns "; about 3 min left", or an empty string if the time is unknown.
std::string time_left(const Json& status) {
  if (status.at("seconds_left").is_null()) return "";
  return "; about " + duration(real_in(status, "seconds_left")) + " left";
}

std::string disputed_text(const Json& dispute) {
  const auto batch = whole_in(dispute, "batch");
  const auto range = whole_in(dispute, "range");
  const auto by = dispute.at("workers").get<std::array<std::int64_t, 2>>();
  const auto unit = dispute.at("unit").get<std::int64_t>();
  if (unit < 0)
    return fmt::format("batch {} of range {}: workers {} and {} have added it up differently",
                       batch, range, by[0], by[1]);
  const auto counts = dispute.at("counts").get<std::array<std::string, 2>>();
  return fmt::format("unit {} (batch {} of range {}): worker {} counted {}, worker {} {}", unit,
                     batch, range, by[0], counts[0], by[1], counts[1]);
}

std::string status_text(const Json& status) {
  const Json& workers = status.at("workers");
  const std::uint64_t refused = whole_in(workers, "refused");
  std::string text =
      text_line("state", fmt::format("{}; {}; {} of the estimated work", text_in(status, "state"),
                                     progress_of(status), share(real_in(status, "share_done"), 1)));
  text += text_line(
      "rate", fmt::format("{} leaves/s over the last minute{} ({} seen, {} gone{})",
                          si(real_in(status, "leaves_per_second")), time_left(status),
                          counted(whole_in(workers, "seen"), "worker"), whole_in(workers, "gone"),
                          refused > 0 ? fmt::format(", {} refused", refused) : ""));
  const Json& second = status.at("pass1");
  const Json& disputes = status.at("disputes");
  if (const std::uint64_t ranges = whole_in(second, "ranges"); ranges > 0) {
    text += text_line("verified",
                      fmt::format("{} of {}{}", whole_in(second, "ranges_done"),
                                  counted(ranges, "range"), disputes.empty() ? ", all equal" : ""));
  }
  for (const Json& dispute : disputes) text += text_line("disputed", disputed_text(dispute));
  for (const Json& hint : status.at("advice")) text += text_line("note", hint.get<std::string>());
  return text;
}

std::string watched_text(const Json& status) {
  return fmt::format("{}; {}; {} leaves/s{}; {}\n", share(real_in(status, "share_done"), 1),
                     progress_of(status), si(real_in(status, "leaves_per_second")),
                     time_left(status), counted(whole_in(status.at("workers"), "seen"), "worker"));
}

std::string workers_text(const Json& document) {
  std::vector<std::vector<std::string>> rows{
      {"id", "host", "kernel", "threads", "tables", "keys", "state", "batches", "label"}};
  std::string reasons;
  for (const Json& worker : document.at("workers")) {
    std::string state = text_in(worker, "state");
    if (state == "gone") state += " for " + duration(real_in(worker, "seconds_since_seen"));
    const auto number = [&worker](const char* name) {
      return std::to_string(whole_in(worker, name));
    };
    const bool keyed = whole_in(worker, "key_bits") > 0;
    rows.push_back({number("id"), text_in(worker, "host"), text_in(worker, "kernel"),
                    number("threads"), format_bytes(whole_in(worker, "hash_bytes")),
                    keyed ? number("key_bits") + " bits" : "none", state, number("batches"),
                    text_in(worker, "label")});
    if (!worker.at("refused").is_null())
      reasons += text_line("refused",
                           fmt::format("worker {}: {}", number("id"), text_in(worker, "refused")));
  }
  return table(rows) + reasons;
}

std::string suspect_text(const Json& worker) {
  std::array<std::vector<std::int64_t>, 2> ranges;  // by pass
  std::size_t verified = 0;
  const Json& brought = worker.at("brought");
  for (const Json& batch : brought) {
    auto& numbers = ranges.at(whole_in(batch, "pass"));
    const auto range = batch.at("range").get<std::int64_t>();
    if (numbers.empty() || numbers.back() != range) numbers.push_back(range);
    verified += batch.at("verified").get<bool>() ? 1 : 0;
  }
  std::string text = text_line("suspect", described(worker));
  text += text_line("brought", fmt::format("{}, {} of them counted by another worker, too",
                                           counted(brought.size(), "batch"), verified));
  for (std::size_t pass = 0; pass < ranges.size(); ++pass) {
    if (ranges[pass].empty()) continue;
    text += text_line(
        "", fmt::format("of pass {}: {} {}", pass, ranges[pass].size() == 1 ? "range" : "ranges",
                        spans(ranges[pass])));
  }
  if (worker.at("withdrawn").is_null())
    return text + text_line("note", "--yes has all of it counted again, and lets it count no more");
  return text + text_line("put aside", counted(whole_in(worker, "withdrawn"), "batch") +
                                           ", to be counted again by others");
}

/// Returns a dispute with our own count of its unit. disputed_text() shows it before that count.
std::string judged_text(const Json& dispute) {
  const auto by = dispute.at("workers").get<std::array<std::int64_t, 2>>();
  const auto batch = whole_in(dispute, "batch");
  const auto range = whole_in(dispute, "range");
  if (dispute.at("fen").is_null())
    return text_line("disputed",
                     fmt::format("the sums of batch {} of range {}, by workers {} and {}", batch,
                                 range, by[0], by[1]));
  const auto counts = dispute.at("counts").get<std::array<std::string, 2>>();
  return text_line("disputed", fmt::format("unit {} (batch {} of range {}), {} plies deep: {}",
                                           whole_in(dispute, "unit"), batch, range,
                                           whole_in(dispute, "depth"), text_in(dispute, "fen"))) +
         text_line("counted",
                   fmt::format("{} by worker {}, {} by worker {}; {} without a table", counts[0],
                               by[0], counts[1], by[1], text_in(dispute, "nodes")));
}

std::string explained_text(const Json& document) {
  std::string text;
  for (const Json& dispute : document.at("disputes")) text += judged_text(dispute);
  for (const Json& wrong : document.at("wrong")) {
    text += text_line("wrong", described(wrong));
    text += text_line("because", text_in(wrong, "cause"));
    const Json& verification = wrong.at("verification");
    if (!verification.is_null()) text += '\n' + verify_text(verification, {}) + '\n';
  }
  for (const Json& batch : document.at("damaged")) {
    text += text_line("damaged", fmt::format("batch {} of range {}, pass {}, of worker {}, {}",
                                             whole_in(batch, "batch"), whole_in(batch, "range"),
                                             whole_in(batch, "pass"), whole_in(batch, "worker"),
                                             text_in(batch, "what")));
  }
  if (text.empty()) return text_line("nothing", "is disputed or damaged");
  if (const std::uint64_t withdrawn = whole_in(document, "withdrawn"); withdrawn > 0)
    text += text_line("put aside", counted(withdrawn, "batch") + ", to be counted again");
  return text + text_line("state", text_in(document, "state"));
}

/// Formats the document of result_output().
std::string result_text(const Json& document, bool with_divide) {
  std::string text;
  if (with_divide) {
    for (const Json& row : document.at("divide"))
      text += text_in(row, "move") + ": " + text_in(row, "nodes") + '\n';
    text += '\n';
  }
  text += text_line("position", text_in(document, "fen"));
  text += text_line("depth", std::to_string(whole_in(document, "depth")));
  text += text_line("nodes", with_groups(text_in(document, "nodes")));
  text += text_line("known", known_in(document));
  const std::uint64_t batches = whole_in(document, "batches");
  const std::uint64_t verified = whole_in(document, "batches_verified");
  text += text_line(
      "counted", fmt::format("{}, each unit once; {}", counted(batches, "batch"),
                             verified == 0 ? "none of them a second time"
                                           : fmt::format("{} of them by two workers with two key "
                                                         "sets: equal",
                                                         verified)));
  const std::uint64_t unended = whole_in(document, "workers_unended");
  text += text_line(
      "expected",
      fmt::format("{:.2g} false matches{}", real_in(document, "expected_false_matches"),
                  unended > 0
                      ? fmt::format(", without those of {} that did not live to tell", unended)
                      : ""));
  std::string kernels;
  for (const auto& [kernel, workers] : document.at("kernels").items()) {
    kernels +=
        (kernels.empty() ? "" : ", ") + fmt::format("{} {}", kernel, workers.get<std::uint64_t>());
  }
  return text +
         text_line("workers", fmt::format("{}: {}; version {}", whole_in(document, "workers"),
                                          kernels, text_in(document, "version")));
}

}  // namespace

std::string created_output(const NewCampaign& campaign, const SplitCheck& check, Format format) {
  std::uint64_t units = 0;
  for (const PlannedRange& range : campaign.ranges) units += range.units;
  const std::size_t verified = verified_ranges(campaign);
  if (format == Format::kJson) {
    return json_line(Json{{"name", campaign.name},
                          {"fen", campaign.fen},
                          {"depth", campaign.depth.plies()},
                          {"split_ply", campaign.split_ply},
                          {"units", units},
                          {"paths", check.paths.to_string()},
                          {"ranges", campaign.ranges.size()},
                          {"verified_ranges", verified},
                          {"signature", std::to_string(kSignature)}});
  }
  const int ply = campaign.split_ply;
  std::string text =
      text_line("split", fmt::format("ply {}, {} units; paths to them {}, perft(2) below them {}{}",
                                     ply, units, as_published(check.paths, check.known, ply),
                                     as_published(check.deeper, check.known_deeper, ply + 2),
                                     check.known && check.known_deeper ? ": both published" : ""));
  std::uint32_t most = 0;
  for (const PlannedRange& range : campaign.ranges) most = std::max(most, range.batches);
  text += text_line(
      "ranges",
      fmt::format("{} of at most {} {}; {}", campaign.ranges.size(), most,
                  most == 1 ? "batch" : "batches",
                  verified == 0 ? "none of them will be counted a second time"
                  : verified == campaign.ranges.size()
                      ? "all of them will be counted a second time"
                      : fmt::format("{} of them will be counted a second time", verified)));
  return text + text_line("signature", std::to_string(kSignature));
}

std::string started_text(const WorkStart& start) {
  const NewWorker& as = start.as;
  return text_line(
      "worker",
      fmt::format("{} on {}: {}, {} {}, {}, version {}, signature {} after {:.1f} s", start.worker,
                  as.host, as.kernel, as.threads, as.threads == 1 ? "thread" : "threads",
                  as.hash_bytes > 0 ? "tables " + format_bytes(as.hash_bytes) : "no tables",
                  as.version, as.signature, start.signature_seconds));
}

std::string ended_output(const WorkStart& start, const WorkEnd& end, Format format) {
  if (format == Format::kJson) {
    return json_line(Json{{"campaign", start.campaign.name},
                          {"worker", start.worker},
                          {"batches", end.batches},
                          {"state", to_string(end.state)}});
  }
  return text_line("brought", fmt::format("{}; the campaign is {}", counted(end.batches, "batch"),
                                          to_string(end.state)));
}

std::string names_output(const std::vector<std::string>& names, Format format) {
  if (format == Format::kJson) return json_line(Json{{"campaigns", names}});
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return text;
}

std::string status_output(const CampaignStatus& status,
                          const std::vector<CampaignDispute>& disputes, Format format) {
  Json json = json_of(status);
  for (const CampaignDispute& dispute : disputes) json["disputes"].push_back(json_of(dispute));
  return shown(json, format, status_text);
}

std::string watched_output(const CampaignStatus& status, Format format) {
  return shown(json_of(status), format, watched_text);
}

CampaignView campaign_view(const CampaignStatus& status,
                           const std::vector<CampaignDispute>& disputes,
                           const std::vector<CampaignCell>& cells, const CampaignHistory& history,
                           const std::vector<CampaignWorker>& workers) {
  constexpr std::size_t kMostDisputes = 100;
  constexpr std::size_t kMostWorkers = 500;
  Json json = json_of(status);
  for (std::size_t i = 0; i < std::min(disputes.size(), kMostDisputes); ++i)
    json["disputes"].push_back(json_of(disputes[i]));
  Json crew = Json::array();
  for (std::size_t i = workers.size() - std::min(workers.size(), kMostWorkers); i < workers.size();
       ++i) {
    crew.push_back(json_of(workers[i]));
    crew.back().erase("key_seed");  // secret: someone who knows it could find colliding positions
                                    // for later counts
  }
  return {.name = status.campaign.name,
          .status = json_text(json),
          .strip = json_text(json_of(cells)),
          .rate = json_text(json_of(history, status.campaign.state)),
          .workers = json_text(crew)};
}

std::string workers_output(const std::vector<CampaignWorker>& workers, Format format) {
  Json all = Json::array();
  for (const CampaignWorker& worker : workers) all.push_back(json_of(worker));
  return shown(Json{{"workers", std::move(all)}}, format, workers_text);
}

std::string suspect_output(const CampaignWorker& worker, const std::vector<CampaignBatch>& batches,
                           std::optional<std::int64_t> withdrawn, Format format) {
  Json json = json_of(worker);
  json["brought"] = Json::array();
  for (const CampaignBatch& batch : batches) {
    json["brought"].push_back({{"pass", batch.range.pass},
                               {"range", batch.range.number},
                               {"batch", batch.number},
                               {"verified", batch.verified}});
  }
  json["withdrawn"] = withdrawn ? Json(*withdrawn) : Json();
  return shown(json, format, suspect_text);
}

std::string explained_output(const Campaign& campaign, const CampaignPlan& plan,
                             const CampaignExplanation& explanation, std::int64_t withdrawn,
                             Format format) {
  Json json{{"name", campaign.name},     {"state", to_string(campaign.state)},
            {"disputes", Json::array()}, {"wrong", Json::array()},
            {"damaged", Json::array()},  {"withdrawn", withdrawn}};
  for (const ExaminedDispute& examined : explanation.disputes)
    json["disputes"].push_back(json_of(examined, plan));
  for (const WrongWorker& wrong : explanation.wrong) {
    Json one = json_of(wrong.worker);
    one["cause"] = wrong.cause;
    one["again"] = wrong.again ? Json(wrong.again->to_string()) : Json();
    one["verification"] = wrong.report ? verification(wrong, plan) : Json();
    json["wrong"].push_back(std::move(one));
  }
  for (const DamagedBatch& batch : explanation.damaged) {
    json["damaged"].push_back({{"pass", batch.range.pass},
                               {"range", batch.range.number},
                               {"batch", batch.number},
                               {"worker", batch.worker},
                               {"what", batch.what}});
  }
  return shown(json, format, explained_text);
}

std::string result_output(const CampaignResult& result, const Position& root, bool with_divide,
                          Format format) {
  const Campaign& campaign = result.campaign;
  const std::optional<NodeCount> known = known_value(root, campaign.depth);
  const KnownVerdict verdict = compare_with_known(known, result.nodes);
  std::vector<std::pair<std::string, NodeCount>> divide = result.divide;
  std::ranges::sort(divide);
  Json json{{"name", campaign.name},
            {"fen", campaign.fen},
            {"depth", campaign.depth.plies()},
            {"nodes", result.nodes.to_string()},
            {"known", to_string(verdict)},
            {"batches", result.batches},
            {"batches_verified", result.batches_verified},
            {"expected_false_matches", result.false_matches},
            {"workers", result.workers},
            {"workers_unended", result.workers_unended},
            {"kernels", Json::object()},
            {"version", campaign.version},
            {"divide", Json::array()}};
  for (const auto& [kernel, workers] : result.kernels) json["kernels"][kernel] = workers;
  for (const auto& [move, nodes] : divide)
    json["divide"].push_back({{"move", move}, {"nodes", nodes.to_string()}});
  return format == Format::kJson ? json_line(json) : result_text(json, with_divide);
}

}  // namespace manyply
