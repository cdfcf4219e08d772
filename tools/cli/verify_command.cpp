#include <array>

#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"

namespace manyply {
namespace {

struct VerifyCommandOptions : Question, Limits, Showing {
  VerifyCommandOptions() { mode = CountMode::kVerify; }
  VerifyOptions verify;
  std::optional<std::uint64_t> sample_seed;
};

int run_verify(const VerifyCommandOptions& options, Io& io) {
  if (options.sample_seed && !options.verify.sample)
    return fail(io, bad_input("--sample-seed", "requires --sample"));
  Resources resources{.limits = options, .verify = options.verify};
  resources.verify.sample_seed = options.sample_seed.value_or(options.verify.sample_seed);
  return answer_and_print(options, resources, options, io);
}

constexpr std::array<Flag<VerifyCommandOptions>, 4> kVerifying{{
    {"--sample", "K", "recount only K random subtrees (default: all)",
     [](VerifyCommandOptions& options, const std::string& text) {
       return store(parse_amount(text, 1, UINT64_MAX), options.verify.sample, "--sample");
     }},
    {"--sample-seed", "N",
     "seed for --sample; with the same seed, larger samples include smaller ones (default: 1)",
     [](VerifyCommandOptions& options, const std::string& text) {
       return store(parse_number(text, 0, UINT64_MAX), options.sample_seed, "--sample-seed");
     }},
    {"--reseed", nullptr, "also count with other keys (needs memory for two tables)",
     [](VerifyCommandOptions& options, const std::string&) {
       return options.verify.reseed = true, accepted();
     }},
    {"--key-checks", "N",
     "number of incremental keys to compare with keys from scratch, in random subtrees (default: "
     "20000000)",
     [](VerifyCommandOptions& options, const std::string& text) {
       return store(parse_amount(text, 0, UINT64_MAX), options.verify.key_checks, "--key-checks");
     }},
}};

}  // namespace

Command verify_command() {
  using namespace flags;
  return make_command<VerifyCommandOptions>(
      {.name = "verify",
       .summary = "Count hashed and unhashed, and explain any difference",
       .about = R"(
Counts with a table, then every subtree again without one, and compares all counts. Also compares
incremental keys with keys from scratch. The third opinion is a count by configurations, which has
neither keys nor subtrees. A difference is traced to its cause: a wrong incremental key, two
positions with one key, a corrupted table entry, kernels that disagree, or a position that is
counted wrong by configurations. If the total is known to be wrong or the third opinion differs, a
sample grows until it contains a difference. Exit code: 0 if all agree, 1 if not, 2 on an error, 130
on Ctrl-C.)",
       .examples = R"(
perft verify 7
perft verify 9 --sample 1000 --reseed
perft verify 6 --key-bits 24    # weak keys: watch it fail)"},
      {kDepth, kPosition, kVerifying, kCounting, kReportFormat, kProgress}, run_verify);
}

}  // namespace manyply
