#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "hash/key_audit.h"
#include "tools/cli/commands.h"
#include "tools/command/flags.h"
#include "tools/question/json_text.h"

namespace manyply {
namespace {

struct ZobristOptions : Question, Means, Showing {
  std::vector<int> collision_bits{24, 28, 32, 36, 40};
  std::uint64_t max_positions = 2'000'000;
};

bool passed(const WordAudit& words, const CollisionAudit& collisions) {
  return words.passed() && std::ranges::all_of(collisions.counts, &CollisionCount::within_bounds);
}

std::string text_of(std::uint64_t seed, const WordAudit& words, const CollisionAudit& collisions) {
  std::string text = fmt::format(
      "seed       {}\n"
      "words      {} of 128 bits, {} of them derived (queen = bishop ^ rook)\n"
      "depend     {} sets of up to {} words XOR to zero, {} of them equal pairs; 0 allowed\n"
      "rank       {} over GF(2), of {}\n"
      "distance   at least {} bits, between {} and {}; {} or more expected\n"
      "balance    at most {:.1f} sigma: bit {} is set in {} of {} words; up to {:.0f} allowed\n",
      seed, words.words, words.derived, words.dependences.size(), WordAudit::kLargestSubset,
      words.duplicates, words.rank, words.expected_rank, words.min_distance, words.nearest[0],
      words.nearest[1], words.least_allowed_distance, words.worst_sigmas, words.worst_bit,
      words.worst_bit_ones, words.words - words.derived, WordAudit::kMaxSigmas);
  for (const auto& names : words.dependences)
    text += fmt::format("           {}\n", fmt::join(names, " ^ "));
  text += fmt::format(
      "positions  {} distinct ones from {} random games; clustering {:.1f}\n\n"
      "{:>4} {:>12} {:>14} {:>14} {:>14}  {}\n",
      collisions.positions, collisions.games, collisions.clustering, "bits", "collisions",
      "expected", "at least", "at most", "verdict");
  for (const CollisionCount& count : collisions.counts) {
    text += fmt::format("{:>4} {:>12} {:>14.2f} {:>14.1f} {:>14.1f}  {}\n", count.bits,
                        count.measured, count.expected, count.least, count.most,
                        count.within_bounds() ? "as predicted" : "OUT OF BOUNDS");
  }
  return text +
         "\nA collision is a pair of different positions with one key; n (n - 1) / 2 / 2^bits are\n"
         "expected. Bounds are 5 sigma, sigma^2 = clustering * expected, and 5 * clustering more "
         "at\n"
         "the upper end: pairs that differ in the same features collide together, 'clustering' of\n"
         "them on average.\n\n" +
         (passed(words, collisions) ? "verdict    sound\n" : "verdict    NOT SOUND\n");
}

nlohmann::ordered_json json_of(std::uint64_t seed, const WordAudit& words,
                               const CollisionAudit& collisions) {
  using Json = nlohmann::ordered_json;
  Json counts = Json::array();
  for (const CollisionCount& count : collisions.counts) {
    counts.push_back({{"bits", count.bits},
                      {"measured", count.measured},
                      {"expected", count.expected},
                      {"least", count.least},
                      {"most", count.most},
                      {"within_bounds", count.within_bounds()}});
  }
  return {{"key_seed", std::to_string(seed)},
          {"sound", passed(words, collisions)},
          {"words",
           {{"words", words.words},
            {"derived", words.derived},
            {"duplicates", words.duplicates},
            {"largest_subset", WordAudit::kLargestSubset},
            {"dependences", words.dependences},
            {"rank", words.rank},
            {"expected_rank", words.expected_rank},
            {"min_distance", words.min_distance},
            {"nearest", words.nearest},
            {"least_allowed_distance", words.least_allowed_distance},
            {"worst_bit", words.worst_bit},
            {"worst_bit_ones", words.worst_bit_ones},
            {"worst_sigmas", words.worst_sigmas},
            {"max_sigmas", WordAudit::kMaxSigmas}}},
          {"collisions",
           {{"positions", collisions.positions},
            {"games", collisions.games},
            {"clustering", collisions.clustering},
            {"by_bits", std::move(counts)}}}};
}

int run_zobrist(const ZobristOptions& options, Io& io) {
  const Result<Question> question = judged(options);
  if (!question) return fail(io, question.error());
  const std::uint64_t seed = options.key_seed.value_or(KeySpec::kDefaultSeed);
  const Result<CollisionAudit> collisions = measure_collisions(
      question->line.here(), seed, options.collision_bits, options.max_positions, io.stop);
  if (!collisions) return fail(io, collisions.error());
  const WordAudit words = audit_words(words_of(KeySet({seed, KeySpec::kMaxBits})));
  if (io.stop.stop_requested()) return fail(io, cancelled());
  io.out << (options.format == Format::kJson ? json_line(json_of(seed, words, *collisions))
                                             : text_of(seed, words, *collisions));
  return passed(words, *collisions) ? kExitOk : kExitMismatch;
}

/// "24,28": widths of keys that collide often enough to count.
Result<std::vector<int>> parse_widths(std::string_view text) {
  std::vector<int> widths;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto width = parse_number(text.substr(at, end - at), KeySpec::kMinBits, 64);
    if (!width) return width.error();
    widths.push_back(static_cast<int>(*width));
    at = end + 1;
  }
  return widths;
}

constexpr Flag<ZobristOptions> kCollisionBits{
    "--key-bits", "B,B", "widths of keys to measure collisions for (default: 24,28,32,36,40)",
    [](ZobristOptions& options, const std::string& text) {
      return store(parse_widths(text), options.collision_bits, "--key-bits");
    }};
constexpr Flag<ZobristOptions> kPositions{
    "--positions", "N", "measure among N distinct positions of random games (default: 2000000)",
    [](ZobristOptions& options, const std::string& text) {
      return store(parse_amount(text, 2, UINT64_MAX), options.max_positions, "--positions");
    }};

}  // namespace

Command zobrist_command() {
  using namespace flags;
  return make_command<ZobristOptions>(
      {.name = "zobrist",
       .summary = "Audit the table's keys",
       .about = R"(
Looks for words that depend on each other, and counts real collisions of short keys among distinct
positions, told apart by fingerprints, against what theory predicts. Exit code: 0 if everything is
within its bounds, 1 if not, 2 on an error, 130 on Ctrl-C. A million positions take 200 MB.)",
       .examples = R"(
perft zobrist
perft zobrist --key-bits 32,40 --positions 10000000)"},
      {kPosition, kKeySeed, kCollisionBits, kPositions, kReportFormat}, run_zobrist);
}

}  // namespace manyply
