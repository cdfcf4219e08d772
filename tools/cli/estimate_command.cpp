#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/known_values.h"
#include "parallel/estimate.h"
#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/numbers.h"
#include "tools/cli/progress_display.h"

namespace manyply {
namespace {

std::string text_of(const EstimateReport& report, const Options& options, const Root& root,
                    const std::optional<NodeCount>& known) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10} {}\n", name, value);
  };
  line("position", to_fen(root.named.position, root.named.notation));
  line("depth", std::to_string(options.depth.plies()));
  if (report.exact) {
    line("nodes", fmt::format("{:.0f}, exact: so few plies are counted", report.estimate));
  } else {
    line("estimate", fmt::format("{:.6e} leaves", report.estimate));
    line("99 %",
         fmt::format("{:.6e} to {:.6e}, the estimate -+ {:.3g} %", report.low, report.high,
                     report.estimate > 0 ? 50 * (report.high - report.low) / report.estimate : 0));
    line("samples", fmt::format("{}, seed {}; one is off by {:.3g} % (standard deviation)",
                                report.samples, options.seed, 100 * report.sample_deviation));
  }
  if (known) {
    const double value = known->approximate();
    line("published", known->to_string() + (value >= report.low && value <= report.high
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

std::string json_of(const EstimateReport& report, const Options& options, const Root& root,
                    const std::optional<NodeCount>& known) {
  nlohmann::ordered_json json;
  json["fen"] = to_fen(root.named.position, root.named.notation);
  json["depth"] = options.depth.plies();
  json["estimate"] = report.estimate;
  json["confidence"] = 0.99;
  json["low"] = report.low;
  json["high"] = report.high;
  json["standard_error"] = report.standard_error;
  json["exact"] = report.exact;
  json["samples"] = report.samples;
  json["seed"] = options.seed;
  json["published"] = known ? nlohmann::ordered_json(known->to_string()) : nlohmann::ordered_json();
  json["seconds"] = report.seconds;
  json["visited"] = report.visited;
  json["threads"] = report.threads;
  json["kernel"] = report.kernel;
  return json.dump() + '\n';
}

}  // namespace

int run_estimate(const Options& options, Io& io) {
  const Result<Root> root = root_of(options);
  if (!root) return fail(io, root.error());
  const EstimateSpec spec{.root = root->named,
                          .depth = options.depth,
                          .samples = options.samples,
                          .seed = options.seed,
                          .threads = options.threads,
                          .kernel = options.kernel};
  const Result<EstimateReport> report = [&] {
    Progress progress;
    const ProgressDisplay display(progress, options.progress, io, "");
    return estimate_nodes(spec, io.stop, &progress);
  }();
  if (!report) return fail(io, report.error());
  const auto known = known_value(root->named.position, options.depth);
  io.out << (options.format == Format::kJson ? json_of(*report, options, *root, known)
                                             : text_of(*report, options, *root, known));
  return kExitOk;
}

}  // namespace manyply
