#include "tools/report/estimate_format.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/report/document.h"
#include "tools/text/json_text.h"
#include "tools/text/numbers.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Returns whether the interval is meaningful. Student's interval requires many samples with
/// moderate spread. If the mean is not known within a half, a few samples dominate it, and the next
/// one may change it by orders of magnitude.
bool reliable(double estimate, double high) { return high - estimate <= estimate / 2; }

/// Returns kMatch if `published` lies in the interval, else kMismatch; kUnknown if there is no
/// published value.
KnownVerdict judged_by(const std::optional<NodeCount>& published, double low, double high) {
  if (!published) return KnownVerdict::kUnknown;
  const double value = published->approximate();
  return value >= low && value <= high ? KnownVerdict::kMatch : KnownVerdict::kMismatch;
}

}  // namespace

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
    text +=
        text_line("samples", fmt::format("{}, seed {}; one is off by {:.3g} % (standard deviation)",
                                         samples, whole_in(document, "seed"), 100 * deviation));
  }
  if (!document.at("published").is_null()) {
    const NodeCount published = count_in(document, "published");
    text += text_line("published", published.to_string() +
                                       (judged_by(published, low, high) == KnownVerdict::kMatch
                                            ? ", inside the interval"
                                            : ", outside the interval"));
  }
  const double seconds = real_in(document, "seconds");
  text += text_line("seconds", fmt::format("{:.3f}", seconds));
  text += text_line("visited/s", si(seconds > 0 ? real_in(document, "visited") / seconds : 0));
  text += text_line("threads", std::to_string(whole_in(document, "threads")));
  return text + text_line("kernel", text_in(document, "kernel"));
}

KnownVerdict judge_estimate(const EstimateReport& report,
                            const std::optional<NodeCount>& published) {
  return judged_by(published, report.low, report.high);
}

}  // namespace manyply
