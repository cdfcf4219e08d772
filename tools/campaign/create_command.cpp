#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "tools/campaign/campaign_commands.h"
#include "tools/campaign/campaign_flags.h"
#include "tools/campaign/campaign_format.h"
#include "tools/campaign/campaign_plan.h"
#include "tools/campaign/campaign_store.h"
#include "tools/cli/framework/flags.h"

namespace manyply {
namespace {

struct CreateOptions : NameOptions, Question, Limits, Showing, DatabaseOptions {
  double verify = 0;
  VerifyOther verify_other = VerifyOther::kWorker;
  std::uint64_t expected_workers = 1;
  std::optional<std::uint64_t> ranges;
  bool deep = false;
  std::optional<std::uint64_t> most_units;
  std::uint64_t lease_seconds = 120;
};

constexpr std::uint64_t kRangesPerWorker = 20;
constexpr std::uint64_t kMostRanges = 100'000;
/// Positions that a worker with eight cores visits in a minute, at 5 million per second and core.
constexpr double kVisitedOfARange = 2.4e9;
/// Counting in ranges visits two to six times as many positions as counting in one go, depending on
/// the depth (bench/results/any-machine/notes.md).
constexpr double kLossOfCuts = 4;
/// Units per range if units are split again. A worker then has a million positions below them in
/// memory, of about 200 bytes each, and as many for its next range.
constexpr std::size_t kUnitsSplitAgain = 2'000;
/// Number of neighbouring ranges that are verified together; claim() in schema.sql uses the same
/// number. A range verified on its own would be counted with empty tables.
constexpr std::size_t kVerifiedTogether = 16;

/// Returns the smallest number of ranges that keeps all expected workers busy.
std::size_t fewest_ranges(const CreateOptions& options) {
  return options.ranges.value_or(
      std::min(kRangesPerWorker * options.expected_workers, kMostRanges));
}

/// Returns the number of ranges: the user's choice, else one for each minute of work, at least
/// kRangesPerWorker for each worker. If units are split again, memory may require more.
std::size_t ranges_for(const CreateOptions& options, const JobUnits& units, double visited) {
  if (options.ranges) return *options.ranges;
  const bool split_again = options.depth.plies() - units.ply() > kGoodUnitDepth;
  const std::size_t by_memory =
      split_again ? std::min<std::size_t>(units.size() / kUnitsSplitAgain, kMostRanges) : 0;
  const double by_time =
      std::min(visited * kLossOfCuts / kVisitedOfARange, static_cast<double>(kMostRanges));
  return std::max({static_cast<std::size_t>(by_time), by_memory, fewest_ranges(options)});
}

PlannedUnits units_for(const CreateOptions& options) {
  const std::uint64_t most = options.deep ? kMostPackedUnits : kMostPlannedUnits;
  return {.enough = enough_units_for(fewest_ranges(options)),
          .most = options.most_units.value_or(most),
          .storage = options.deep ? UnitStorage::kPacked : UnitStorage::kByRootMove};
}

/// Chooses whole runs of kVerifiedTogether neighbours, at random, so that a worker cannot predict
/// which of its counts are verified. Returns one flag per range. `share` is from 0 to 1 and rounded
/// up to whole runs.
std::vector<bool> chosen_for_verification(std::size_t ranges, double share) {
  std::vector<std::size_t> runs((ranges + kVerifiedTogether - 1) / kVerifiedTogether);
  for (std::size_t run = 0; run < runs.size(); ++run) runs[run] = run;
  std::random_device random;
  std::ranges::shuffle(runs, random);
  runs.resize(static_cast<std::size_t>(std::ceil(share * static_cast<double>(runs.size()))));
  std::vector<bool> chosen(ranges);
  for (const std::size_t run : runs) {
    for (std::size_t i = run * kVerifiedTogether;
         i < std::min(ranges, (run + 1) * kVerifiedTogether); ++i)
      chosen[i] = true;
  }
  return chosen;
}

int run_create(const CreateOptions& options, Io& io) {
  const Result<Question> question = validated(options);
  if (!question) return fail(io, question.error());
  if (options.most_units.value_or(0) > kMostPlannedUnits && !options.deep)
    return fail(
        io, bad_input("--most-units", fmt::format("more than {} need --deep", kMostPlannedUnits)));
  if (options.depth.plies() < kMinPlannedDepth)
    return fail(io, bad_input("depth", "a campaign is for depths of 4 and more"));
  const Result<Workforce> by = Workforce::of(options.threads, options.kernel, {}, io.stop);
  if (!by) return fail(io, renamed(by.error(), "--threads"));
  const Position& root = question->line.here();

  // Connect before the split, which may take minutes: a wrong address fails at once.
  CampaignStore store(options.database);
  if (auto error = store.connect(io.stop)) return fail(io, *error);
  Result<JobUnits> units = units_for_ranges(root, options.depth, units_for(options), *by);
  if (!units) return fail(io, units.error());
  if (units->size() == 0)
    return fail(io, bad_input("depth", "no path is so long: there is nothing to count"));
  const CampaignPlan plan{
      {root, question->line.notation()}, options.depth, std::move(units).value()};
  const Result<SplitCheck> check = check_split(plan.units, root, *by);
  if (!check) return fail(io, check.error());
  if (!check->agrees()) {
    return fail(io, {ErrorCode::kInternal, "split", 0,
                     "its paths are not those that are published; 'perft signature' tells more"});
  }
  const Result<UnitWeights> weights = unit_weights(plan.units, options.depth, *by);
  if (!weights) return fail(io, weights.error());

  NewCampaign campaign = new_campaign(options.name, plan);
  campaign.version = MANYPLY_VERSION;
  campaign.lease_seconds = static_cast<double>(options.lease_seconds);
  campaign.verify = options.verify;
  campaign.verify_other = options.verify_other;
  campaign.ranges = cut_into_ranges(
      plan.units, *weights,
      ranges_for(options, plan.units, expected_visited(*check, plan.units.ply(), options.depth)));
  campaign.verified = chosen_for_verification(campaign.ranges.size(), options.verify);
  if (auto error = store.create(campaign, io.stop)) return fail(io, *error);
  io.out << created_output(campaign, *check, options.format);
  return kExitOk;
}

/// Accepts "all", or a percentage from "0%" to "100%".
std::optional<Error> take_verify(CreateOptions& options, const std::string& text) {
  if (text == "all") return options.verify = 1, accepted();
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, percent);
  const bool good =
      error == std::errc() && std::string_view(rest, end) == "%" && percent >= 0 && percent <= 100;
  if (!good) return bad_input("--verify", "'" + text + "' is no share such as 2% or all");
  return options.verify = percent / 100, accepted();
}

constexpr std::array<Choice<VerifyOther>, 3> kOthers{{
    {"worker", VerifyOther::kWorker},
    {"host", VerifyOther::kHost},
    {"kernel", VerifyOther::kKernel},
}};

constexpr std::array<Flag<CreateOptions>, 7> kCreating{{
    {"--verify", "SHARE",
     "count this share a second time, by other workers with other keys: 2%, or all (default: 0%)",
     take_verify},
    {"--verify-other", "WHAT",
     "what must be another one the second time: worker, host or kernel (default: worker)",
     [](CreateOptions& options, const std::string& text) {
       return store(choose(kOthers, text), options.verify_other, "--verify-other");
     },
     names_of<kOthers>()},
    {"--workers", "N", "how many workers there will be, about (default: 1)",
     [](CreateOptions& options, const std::string& text) {
       return store(parse_number(text, 1, kMostRanges), options.expected_workers, "--workers");
     }},
    {"--ranges", "N", "cut it into so many ranges (default: a minute each, 20 for each worker)",
     [](CreateOptions& options, const std::string& text) {
       return store(parse_number(text, 1, kMostRanges), options.ranges, "--ranges");
     }},
    {"--deep", nullptr, "split it into more units, of 40 bytes each: a total, and no divide",
     [](CreateOptions& options, const std::string&) { return options.deep = true, accepted(); }},
    {"--most-units", "N",
     "split it into no more units, of 112 bytes and more in each worker (default: 10000000, with "
     "--deep 100000000)",
     [](CreateOptions& options, const std::string& text) {
       return store(parse_number(text, 1, kMostPackedUnits), options.most_units, "--most-units");
     }},
    {"--lease", "SECONDS",
     "a worker that is not heard of for so long has lost its range (default: 120)",
     [](CreateOptions& options, const std::string& text) {
       return store(parse_number(text, 1, 86'400), options.lease_seconds, "--lease");
     }},
}};

}  // namespace

Command campaign_create_command() {
  using namespace flags;
  return make_command<CreateOptions>(
      {.name = "campaign create",
       .summary = "Make a campaign: split a count, and cut it into ranges",
       .about = R"(
Splits the count into distinct positions, compares their number of paths with published values, and
cuts them into ranges that workers take one after the other. Needs the role manyply_owner.)",
       .examples = R"(
perft campaign create eleven 11 --verify 2% --workers 4
perft campaign create twelve 12 --deep --verify all --workers 20
perft campaign create kiwi 9 --fen kiwipete --verify all)"},
      {kCampaignName, kDepth, kPosition, kCreating, kThreads, kKernel, kDatabase, kReportFormat},
      run_create);
}

}  // namespace manyply
