#include "tools/question/estimate_format.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/question/json_text.h"
#include "tools/question/numbers.h"

namespace manyply {
namespace {

/// Student's interval holds for means of many samples whose spread is moderate. Where the mean is
/// not known within a half, few samples carry all of it, and the next one may change it by orders.
bool reliable(const EstimateReport& report) {
  return report.high - report.estimate <= report.estimate / 2;
}

std::string format_text(const EstimateView& view, const std::optional<NodeCount>& known) {
  const auto& [report, root, depth, seed] = view;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10} {}\n", name, value);
  };
  line("position", to_fen(root.here(), root.notation()));
  line("depth", std::to_string(depth.plies()));
  if (report.exact) {
    line("nodes", fmt::format("{:.0f}, exact: so few plies are counted", report.estimate));
  } else {
    line("estimate", fmt::format("{:.6e} leaves", report.estimate));
    line("99 %",
         fmt::format("{:.6e} to {:.6e}, the estimate -+ {:.3g} %", report.low, report.high,
                     report.estimate > 0 ? 50 * (report.high - report.low) / report.estimate : 0));
    if (!reliable(report)) {
      line("warning",
           "the samples differ too much to rely on this interval: take more (--samples)");
    }
    line("samples", fmt::format("{}, seed {}; one is off by {:.3g} % (standard deviation)",
                                report.samples, seed, 100 * report.sample_deviation));
  }
  if (known) {
    line("published", known->to_string() + (judge_estimate(report, known) == KnownVerdict::kMatch
                                                ? ", inside the interval"
                                                : ", outside the interval"));
  }
  line("seconds", fmt::format("{:.3f}", report.seconds));
  line("visited/s",
       si(report.seconds > 0 ? static_cast<double>(report.visited) / report.seconds : 0));
  line("threads", std::to_string(report.threads));
  line("kernel", report.kernel);
  return text;
}

std::string format_json(const EstimateView& view, const std::optional<NodeCount>& known) {
  const auto& [report, root, depth, seed] = view;
  nlohmann::ordered_json json;
  json["fen"] = to_fen(root.here(), root.notation());
  json["depth"] = depth.plies();
  json["estimate"] = report.estimate;
  json["confidence"] = 0.99;
  json["low"] = report.low;
  json["high"] = report.high;
  json["standard_error"] = report.standard_error;
  json["reliable"] = reliable(report);
  json["exact"] = report.exact;
  json["samples"] = report.samples;
  json["seed"] = seed;
  json["published"] = known ? nlohmann::ordered_json(known->to_string()) : nlohmann::ordered_json();
  json["seconds"] = report.seconds;
  json["visited"] = report.visited;
  json["threads"] = report.threads;
  json["kernel"] = report.kernel;
  return json_line(json);
}

}  // namespace

std::string format_estimate(const EstimateView& view, Format format) {
  const auto known = known_value(view.root.here(), view.depth);
  return format == Format::kJson ? format_json(view, known) : format_text(view, known);
}

Result<std::string> estimate_text(std::string_view text, const Line& root) try {
  const auto json = read_json(text);
  EstimateReport report;
  report.estimate = json.at("estimate").get<double>();
  report.low = json.at("low").get<double>();
  report.high = json.at("high").get<double>();
  report.standard_error = json.at("standard_error").get<double>();
  report.exact = json.at("exact").get<bool>();
  report.samples = json.at("samples").get<std::uint64_t>();
  if (report.estimate > 0) {
    report.sample_deviation =
        report.standard_error * std::sqrt(static_cast<double>(report.samples)) / report.estimate;
  }
  report.seconds = json.at("seconds").get<double>();
  report.visited = json.at("visited").get<std::uint64_t>();
  report.threads = json.at("threads").get<int>();
  report.kernel = json.at("kernel").get<std::string>();
  const Depth depth(json.at("depth").get<int>());
  return format_estimate({report, root, depth, json.at("seed").get<std::uint64_t>()},
                         Format::kText);
} catch (const std::exception&) {
  return Error{ErrorCode::kInvalidInput, "report", 0, "is not what an estimate leaves"};
}

KnownVerdict judge_estimate(const EstimateReport& report,
                            const std::optional<NodeCount>& published) {
  if (!published) return KnownVerdict::kUnknown;
  const double value = published->approximate();
  return value >= report.low && value <= report.high ? KnownVerdict::kMatch
                                                     : KnownVerdict::kMismatch;
}

}  // namespace manyply
