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
    "--samples", "K", "number of random walks, at least 100 (default: 10000)",
    [](EstimateOptions& options, const std::string& text) {
      return store(parse_amount(text, Question::kMinSamples, Question::kMaxSamples),
                   options.samples, "--samples");
    }};
constexpr Flag<EstimateOptions> kSeed{
    "--seed", "S", "seed for the random walks; the same seed gives the same estimate (default: 1)",
    [](EstimateOptions& options, const std::string& text) {
      return store(parse_number(text, 0, UINT64_MAX), options.seed, "--seed");
    }};

}  // namespace

Command estimate_command() {
  using namespace flags;
  return make_command<EstimateOptions>(
      {.name = "estimate",
       .summary = "Estimate counts that are too large to compute",
       .about = R"(
Takes random walks, each weighted by the inverse of its probability (Knuth 1975). Moves are chosen
in proportion to their counts two plies deep, and the last four plies are counted exactly. The
estimate is unbiased; in about 99 of 100 cases the interval contains the true count. The result
depends on seed and number of samples, not on threads.)",
       .examples = R"(
perft estimate 16
perft estimate 20 --samples 1000000 --seed 7 --format json)"},
      {kDepth, kPosition, kSamples, kSeed, kThreads, kKernel, kReportFormat, kProgress},
      run_estimate);
}

}  // namespace manyply
