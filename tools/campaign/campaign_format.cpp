#include "tools/campaign/campaign_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/memory.h"
#include "core/known_values.h"
#include "tools/report/document_members.h"
#include "tools/report/mode_formats.h"
#include "tools/text/json_text.h"
#include "tools/text/number_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

std::string share(double part, double whole) {
  return fmt::format("{:.1f} %", whole > 0 ? 100 * part / whole : 0);
}

/// Returns a number and a noun: "1 part", "2 parts".
std::string counted(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/// Returns `document` as one line of JSON, or as text for all other formats.
std::string shown(const Json& document, Format format, std::string (*text)(const Json&)) {
  return format == Format::kJson ? json_line(document) : text(document);
}

/// Returns one sentence for each action that the user must take before a running campaign can
/// proceed.
std::vector<std::string> advice(const CampaignStatus& status) {
  std::vector<std::string> lines;
  if (status.campaign.state == CampaignState::kRunning && status.workers_seen == 0)
    lines.push_back("no worker is counting: 'perft campaign work " + status.campaign.name +
                    "' starts one");
  if (status.campaign.state == CampaignState::kRunning && status.parts_for_another > 0) {
    constexpr std::array<std::string_view, 3> kWhere{"", " on another host",
                                                     " with another kernel"};
    lines.push_back(fmt::format(
        "{} {} waiting for a second count by another worker: start one more{}",
        status.parts_for_another, status.parts_for_another == 1 ? "part is" : "parts are",
        kWhere.at(static_cast<std::size_t>(status.verify_other))));
  }
  return lines;
}

Json json_of(const CampaignStatus::Pass& pass) {
  return {
      {"parts", pass.parts}, {"parts_done", pass.parts_done}, {"parts_leased", pass.parts_leased}};
}

/// Returns the estimated finished share of the work of both passes together, from 0 to 1.
double share_done(const CampaignStatus& status) {
  double weight = 0;
  double done = 0;
  for (const CampaignStatus::Pass& pass : status.passes) {
    weight += pass.weight;
    done += pass.weight_done;
  }
  return weight > 0 ? done / weight : 0;
}

/// Estimates the work per second of the workers that hold a lease now. `done` is the work that all
/// workers have done so far, and status.seconds is the sum of their counting times. Assumes that
/// all workers are equally fast.
double per_second(const CampaignStatus& status, double done) {
  return status.seconds > 0 ? done / status.seconds * static_cast<double>(status.workers_counting)
                            : 0;
}

/// Returns the estimated number of seconds until both passes are done; nullopt if it is unknown.
/// Assumes that all workers are equally fast.
std::optional<double> seconds_left(const CampaignStatus& status) {
  double done = 0;
  double left = 0;
  for (const CampaignStatus::Pass& pass : status.passes) {
    done += pass.weight_done;
    left += pass.weight - pass.weight_done;
  }
  const double rate = per_second(status, done);
  return rate > 0 ? std::optional(left / rate) : std::nullopt;
}

/// Returns the state of a campaign. "disputes" is empty; the caller fills it in.
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
          {"leaves_per_second", rate_json(per_second(status, status.leaves))},
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
  return {{"part", dispute.part},
          {"counts", {dispute.nodes0, dispute.nodes1}},
          {"workers", {dispute.worker0, dispute.worker1}}};
}

/// Returns five arrays with one value for each cell. All values, including those of pass 1, are
/// shares of the cell's work in pass 0, rounded to three decimals. So "to_verify" is 1 if the whole
/// cell is counted twice.
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

/// Returns the leaves per second in equal steps of time, up to the last committed part. There are
/// at most kMostSteps steps, and each takes at least kLeastStep seconds. Spreads the leaves of a
/// part evenly over its counting time.
Json json_of(const std::vector<CountedPart>& history) {
  constexpr double kMostSteps = 120;
  constexpr double kLeastStep = 10;
  Json rates = Json::array();
  if (history.empty())
    return {{"step_seconds", static_cast<std::int64_t>(kLeastStep)}, {"leaves_per_second", rates}};
  const double begin = std::ranges::min(history, {}, &CountedPart::begin).begin;
  const double end = std::ranges::max(history, {}, &CountedPart::end).end;
  const double step =
      kLeastStep * std::max(1.0, std::ceil((end - begin) / kLeastStep / kMostSteps));
  for (double from = begin; from < end; from += step) {
    double leaves = 0;
    for (const CountedPart& part : history) {
      const double seconds = std::max(part.end - part.begin, 1e-3);
      const double within = std::min(part.end, from + step) - std::max(part.begin, from);
      leaves += part.leaves * std::clamp(within / seconds, 0.0, 1.0);
    }
    rates.push_back(rate_json(leaves / step));
  }
  return {{"step_seconds", static_cast<std::int64_t>(step)}, {"leaves_per_second", rates}};
}

Json json_of(const CampaignWorker& worker) {
  return {{"id", worker.id},
          {"host", worker.host},
          {"label", worker.label},
          {"version", worker.version},
          {"kernel", worker.kernel},
          {"threads", worker.threads},
          {"memory_bytes", worker.memory_bytes},
          {"state", worker.state},
          {"refused", worker.refused ? Json(*worker.refused) : Json()},
          {"seconds_since_seen", worker.seconds_since_seen},
          {"parts", worker.parts},
          {"seconds", worker.seconds}};
}

/// Returns "worker 7 on node3: avx2, 8 threads, version 1.2".
std::string described(const Json& worker) {
  return fmt::format("worker {} on {}: {}, {}, version {}", whole_in(worker, "id"),
                     text_in(worker, "host"), text_in(worker, "kernel"),
                     counted(whole_in(worker, "threads"), "thread"), text_in(worker, "version"));
}

/// Returns rows as aligned columns. Preconditions: there is at least one row, and all rows have the
/// same number of cells.
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

// These functions format documents as text.

/// Returns the progress of both passes together: "3 of 6 parts".
std::string progress_of(const Json& status) {
  const Json& first = status.at("pass0");
  const Json& second = status.at("pass1");
  const auto both = [&](const char* name) {
    return whole_in(first, name) + whole_in(second, name);
  };
  return fmt::format("{} of {}", both("parts_done"), counted(both("parts"), "part"));
}

/// Returns "; about 3 min left", or an empty string if the time is unknown.
std::string time_left(const Json& status) {
  if (status.at("seconds_left").is_null()) return "";
  return "; about " + duration(real_in(status, "seconds_left")) + " left";
}

std::string disputed_text(const Json& dispute) {
  const auto by = dispute.at("workers").get<std::array<std::int64_t, 2>>();
  const auto counts = dispute.at("counts").get<std::array<std::string, 2>>();
  return fmt::format("part {}: worker {} counted {}, worker {} counted {}",
                     whole_in(dispute, "part"), by[0], counts[0], by[1], counts[1]);
}

std::string status_text(const Json& status) {
  const Json& workers = status.at("workers");
  const std::uint64_t refused = whole_in(workers, "refused");
  std::string text =
      text_line("state", fmt::format("{}; {}; {} of the estimated work", text_in(status, "state"),
                                     progress_of(status), share(real_in(status, "share_done"), 1)));
  text += text_line(
      "rate", fmt::format("{} leaves/s{} ({} active, {} gone{})",
                          si(real_in(status, "leaves_per_second")), time_left(status),
                          counted(whole_in(workers, "seen"), "worker"), whole_in(workers, "gone"),
                          refused > 0 ? fmt::format(", {} refused", refused) : ""));
  const Json& second = status.at("pass1");
  const Json& disputes = status.at("disputes");
  if (const std::uint64_t parts = whole_in(second, "parts"); parts > 0) {
    text += text_line("verified",
                      fmt::format("{} of {}{}", whole_in(second, "parts_done"),
                                  counted(parts, "part"), disputes.empty() ? ", all equal" : ""));
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
      {"id", "host", "kernel", "threads", "memory", "state", "parts", "label"}};
  std::string reasons;
  for (const Json& worker : document.at("workers")) {
    std::string state = text_in(worker, "state");
    if (state == "gone") state += " for " + duration(real_in(worker, "seconds_since_seen"));
    const auto number = [&worker](const char* name) {
      return std::to_string(whole_in(worker, name));
    };
    rows.push_back({number("id"), text_in(worker, "host"), text_in(worker, "kernel"),
                    number("threads"), format_bytes(whole_in(worker, "memory_bytes")), state,
                    number("parts"), text_in(worker, "label")});
    if (!worker.at("refused").is_null())
      reasons += text_line("refused",
                           fmt::format("worker {}: {}", number("id"), text_in(worker, "refused")));
  }
  return table(rows) + reasons;
}

std::string suspect_text(const Json& worker) {
  std::array<std::vector<std::int64_t>, 2> parts;  // indexed by the pass
  std::size_t verified = 0;
  const Json& brought = worker.at("brought");
  for (const Json& part : brought) {
    parts.at(whole_in(part, "pass")).push_back(part.at("part").get<std::int64_t>());
    verified += part.at("verified").get<bool>() ? 1 : 0;
  }
  std::string text = text_line("suspect", described(worker));
  text += text_line("counted", fmt::format("{}, {} of them counted by another worker, too",
                                           counted(brought.size(), "part"), verified));
  for (std::size_t pass = 0; pass < parts.size(); ++pass) {
    if (parts[pass].empty()) continue;
    text +=
        text_line("", fmt::format("of pass {}: {} {}", pass,
                                  parts[pass].size() == 1 ? "part" : "parts", spans(parts[pass])));
  }
  if (worker.at("withdrawn").is_null())
    return text +
           text_line("note",
                     "with --yes, other workers count these parts again, and this worker gets "
                     "no more parts");
  return text + text_line("set aside", counted(whole_in(worker, "withdrawn"), "part") +
                                           ", which other workers will count again");
}

/// Returns a dispute as text, with this machine's count of the disputed part.
std::string judged_text(const Json& dispute) {
  return text_line("disputed", disputed_text(dispute)) +
         text_line("counted", text_in(dispute, "nodes") + " on this machine");
}

std::string explained_text(const Json& document) {
  std::string text;
  for (const Json& dispute : document.at("disputes")) text += judged_text(dispute);
  for (const Json& wrong : document.at("wrong")) {
    text += text_line("wrong", described(wrong));
    text += text_line("check", "the memory, processor and build of this worker");
  }
  for (const Json& part : document.at("damaged")) {
    text += text_line("damaged", fmt::format("part {}, pass {}, of worker {}, {}",
                                             whole_in(part, "part"), whole_in(part, "pass"),
                                             whole_in(part, "worker"), text_in(part, "what")));
  }
  if (text.empty()) return text_line("nothing", "is disputed or damaged");
  if (const std::uint64_t withdrawn = whole_in(document, "withdrawn"); withdrawn > 0)
    text += text_line("set aside", counted(withdrawn, "part") + ", which workers will count again");
  return text + text_line("state", text_in(document, "state"));
}

/// Formats the document of result_output().
std::string result_text(const Json& document) {
  std::string text = text_line("position", text_in(document, "fen"));
  text += text_line("depth", std::to_string(whole_in(document, "depth")));
  text += text_line("nodes", with_groups(text_in(document, "nodes")));
  text += text_line("known", known_in(document));
  const std::uint64_t verified = whole_in(document, "parts_verified");
  text += text_line(
      "counted",
      fmt::format("{}, each once; {}", counted(whole_in(document, "parts"), "part"),
                  verified == 0 ? "none of them a second time"
                                : fmt::format("{} of them by two workers: equal", verified)));
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

std::string created_output(const NewCampaign& campaign, double core_seconds, Format format) {
  const std::size_t parts = campaign.weights.size();
  const auto verified = static_cast<std::size_t>(std::ranges::count(campaign.verified, true));
  if (format == Format::kJson) {
    return json_line(Json{{"name", campaign.name},
                          {"fen", campaign.fen},
                          {"depth", campaign.depth.plies()},
                          {"parts", parts},
                          {"verified_parts", verified},
                          {"memory_bytes", campaign.memory_bytes},
                          {"core_seconds", core_seconds},
                          {"signature", std::to_string(kSignature)}});
  }
  std::string text =
      text_line("parts", fmt::format("{}; {} will be counted a second time", parts,
                                     verified == 0       ? "none"
                                     : verified == parts ? "all"
                                                         : std::to_string(verified)));
  text += text_line("memory",
                    fmt::format("about {} in each worker", format_bytes(campaign.memory_bytes)));
  text += text_line("time", fmt::format("about {} of one core", duration(core_seconds)));
  return text + text_line("signature", std::to_string(kSignature));
}

std::string started_text(const WorkStart& start) {
  const NewWorker& as = start.as;
  return text_line(
      "worker",
      fmt::format("{} on {}: {}, {} {}, {}, version {}, signature {} after {:.1f} s", start.worker,
                  as.host, as.kernel, as.threads, as.threads == 1 ? "thread" : "threads",
                  format_bytes(as.memory_bytes) + " of memory", as.version, as.signature,
                  start.signature_seconds));
}

std::string ended_output(const WorkStart& start, const WorkEnd& end, Format format) {
  if (format == Format::kJson) {
    return json_line(Json{{"campaign", start.campaign.name},
                          {"worker", start.worker},
                          {"parts", end.parts},
                          {"state", to_string(end.state)}});
  }
  return text_line("counted", fmt::format("{}; the campaign is {}", counted(end.parts, "part"),
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
                           const std::vector<CampaignCell>& cells,
                           const std::vector<CountedPart>& history,
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
  }
  return {.name = status.campaign.name,
          .status = json_text(json),
          .strip = json_text(json_of(cells)),
          .rate = json_text(json_of(history)),
          .workers = json_text(crew)};
}

std::string workers_output(const std::vector<CampaignWorker>& workers, Format format) {
  Json all = Json::array();
  for (const CampaignWorker& worker : workers) all.push_back(json_of(worker));
  return shown(Json{{"workers", std::move(all)}}, format, workers_text);
}

std::string suspect_output(const CampaignWorker& worker, const std::vector<StoredPart>& parts,
                           std::optional<std::int64_t> withdrawn, Format format) {
  Json json = json_of(worker);
  json["brought"] = Json::array();
  for (const StoredPart& part : parts) {
    json["brought"].push_back(
        {{"pass", part.key.pass}, {"part", part.key.number}, {"verified", part.verified}});
  }
  json["withdrawn"] = withdrawn ? Json(*withdrawn) : Json();
  return shown(json, format, suspect_text);
}

std::string explained_output(const Campaign& campaign, const CampaignExplanation& explanation,
                             std::int64_t withdrawn, Format format) {
  Json json{{"name", campaign.name},     {"state", to_string(campaign.state)},
            {"disputes", Json::array()}, {"wrong", Json::array()},
            {"damaged", Json::array()},  {"withdrawn", withdrawn}};
  for (const ExaminedDispute& examined : explanation.disputes) {
    Json one = json_of(examined.dispute);
    one["nodes"] = examined.nodes.to_string();
    one["wrong"] = examined.wrong;
    json["disputes"].push_back(std::move(one));
  }
  for (const CampaignWorker& wrong : explanation.wrong) json["wrong"].push_back(json_of(wrong));
  for (const DamagedPart& part : explanation.damaged) {
    json["damaged"].push_back({{"pass", part.key.pass},
                               {"part", part.key.number},
                               {"worker", part.worker},
                               {"what", part.what}});
  }
  return shown(json, format, explained_text);
}

std::string result_output(const CampaignResult& result, const Position& root, Format format) {
  const Campaign& campaign = result.campaign;
  const std::optional<NodeCount> known = known_value(root, campaign.depth);
  Json json{{"name", campaign.name},
            {"fen", campaign.fen},
            {"depth", campaign.depth.plies()},
            {"nodes", result.sum.nodes.to_string()},
            {"known", to_string(compare_with_known(known, result.sum.nodes))},
            {"parts", result.parts},
            {"parts_verified", result.parts_verified},
            {"rows", result.sum.rows},
            {"kernel_pairs", result.sum.kernel_pairs},
            {"lane_pairs", result.sum.lane_pairs},
            {"worker_seconds", result.seconds},
            {"workers", result.workers},
            {"kernels", Json::object()},
            {"version", campaign.version}};
  for (const auto& [kernel, workers] : result.kernels) json["kernels"][kernel] = workers;
  return shown(json, format, result_text);
}

}  // namespace manyply
