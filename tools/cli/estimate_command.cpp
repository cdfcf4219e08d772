#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"

namespace manyply {
namespace {

struct EstimateOptions : Question, Limits, Showing {
  EstimateOptions() { mode = CountMode::kEstimate; }
};

int run_estimate(const EstimateOptions& options, Io& io) {
  return answer_and_print(options, {.limits = options}, options, io);
}

constexpr Flag<EstimateOptions> kSamples{
    "--samples", "K", "random walks, at least 100 (default: 10000)",
    [](EstimateOptions& options, const std::string& text) {
      return store(parse_amount(text, Question::kMinSamples, Question::kMaxSamples),
                   options.samples, "--samples");
    }};
constexpr Flag<EstimateOptions> kSeed{
    "--seed", "S", "seed of the random walks: the same seed, the same estimate (default: 1)",
    [](EstimateOptions& options, const std::string& text) {
      return store(parse_number(text, 0, UINT64_MAX), options.seed, "--seed");
    }};

}  // namespace

Command estimate_command() {
  using namespace flags;
  return make_command<EstimateOptions>(
      {.name = "estimate",
       .summary = "Estimate counts that are out of reach",
       .about = R"(
Random walks, each weighted by the inverse of its probability (Knuth 1975), children chosen in
proportion to their counts two plies deep, and the last four plies counted exactly. The estimate is
unbiased; the true count lies inside the interval in about 99 of 100 cases. Seed and number of
samples decide the result, threads do not.)",
       .examples = R"(
perft estimate 16
perft estimate 20 --samples 1000000 --seed 7 --format json)"},
      {kDepth, kPosition, kSamples, kSeed, kThreads, kKernel, kReportFormat, kProgress},
      run_estimate);
}

}  // namespace manyply
