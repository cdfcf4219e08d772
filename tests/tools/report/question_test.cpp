// Tests questions, the jobs that they specify, answers in every mode, and hints at wrong values.
#include "tools/report/question.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tools/report/answer.h"
#include "tools/report/value_check.h"

namespace manyply {
namespace {

using testing::HasSubstr;

std::string judgement_on(const Question& question, const QuestionRules& by = {}) {
  const Result<Question> result = validated(question, by);
  return result ? "none" : result.error().to_string();
}

TEST(Question, IsJudgedOnceAndKeepsItsTexts) {
  const Question question =
      *validated({.fen = "kiwipete", .moves = "e1g1 a6b5", .depth = Depth(3)});
  EXPECT_EQ(question.fen, "kiwipete");
  EXPECT_EQ(question.moves, "e1g1 a6b5");
  EXPECT_EQ(question.line.moves().size(), 2u);
  EXPECT_EQ(question.line.start_fen(), kKiwipeteFen);
  EXPECT_EQ(question.line.notation(), CastlingNotation::kStandard);
  EXPECT_EQ(to_fen(question.line.here()),
            "r3k2r/p1ppqpb1/1n2pnp1/1b1PN3/1p2P3/2N2Q1p/PPPBBPPP/R4RK1 w kq - 0 1");
  EXPECT_EQ(judgement_on({.fen = "4k3/8/8/8/8/8/8/R3K3 w K - 0 1"}),
            "castling: no rook on h1 (column 24)");
  EXPECT_EQ(judgement_on({.moves = "e2e4 e2e4"}),
            "moves: move 2, 'e2e4' is not legal here (column 6)");
}

TEST(Question, CastlingIsWrittenAsAskedElseAsTheRulesSayElseAsTheFenNeeds) {
  constexpr const char* kShredder = "4k3/8/8/8/8/8/8/1R2K3 w B - 0 1";
  const auto notation = [](const Question& question, const QuestionRules& by) {
    return validated(question, by)->line.notation();
  };
  constexpr auto kStandard = CastlingNotation::kStandard;
  constexpr auto kChess960 = CastlingNotation::kChess960;
  EXPECT_EQ(notation({}, {}), kStandard);
  EXPECT_EQ(notation({.fen = kShredder}, {}), kChess960);
  EXPECT_EQ(notation({.fen = kShredder}, {.notation = kStandard}), kStandard);
  EXPECT_EQ(notation({.chess960 = true}, {.notation = kStandard}), kChess960);
}

TEST(Question, AnEstimateHasSamplesAndASeedAndNothingElseHas) {
  const Question usual = *validated({.mode = CountMode::kEstimate});
  EXPECT_EQ(usual.samples, kUsualSamples);
  EXPECT_EQ(usual.seed, Question::kUsualSeed);
  const Question plain = *validated({});
  EXPECT_EQ(plain.samples, std::nullopt);
  EXPECT_EQ(plain.seed, std::nullopt);
  EXPECT_EQ(judgement_on({.samples = 200}), "samples: is allowed only in mode estimate");
  EXPECT_EQ(judgement_on({.mode = CountMode::kVerify, .seed = 2}),
            "seed: is allowed only in mode estimate");
  EXPECT_EQ(judgement_on({.mode = CountMode::kEstimate, .samples = 99}, {.max_samples = 500}),
            "samples: must be a whole number from 100 to 500");
  EXPECT_EQ(judgement_on({.mode = CountMode::kEstimate, .seed = 8}, {.max_seed = 7}),
            "seed: must be a whole number from 0 to 7");
  EXPECT_EQ(judgement_on({.mode = CountMode::kEstimate, .samples = 500, .seed = 7},
                         {.max_samples = 500, .max_seed = 7}),
            "none");
}

TEST(Question, ModesHaveNames) {
  for (const CountMode mode :
       {CountMode::kHashed, CountMode::kUnhashed, CountMode::kVerify, CountMode::kStatistics,
        CountMode::kEstimate, CountMode::kUnique, CountMode::kCount, CountMode::kConfigurations})
    EXPECT_EQ(*parse_count_mode(to_string(mode)), mode);
  EXPECT_EQ(parse_count_mode("fast").error().to_string(),
            "mode: 'fast' is not one of hashed, unhashed, verify, stats, estimate, unique, "
            "count, configurations");
}

TEST(Question, CanBeAskedOfAnyPosition) {
  const NamedPosition root = *parse_position("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1");
  const Question question = question_of(root, Depth(4));
  EXPECT_EQ(question.depth, Depth(4));
  EXPECT_EQ(question.line.here(), root.position);
  EXPECT_EQ(question.line.notation(), root.notation);
  EXPECT_EQ(validated(question)->line.here(), root.position);
}

// Tests the table of modes, and formats as functions of the document.

Question asked(CountMode mode, int depth, std::string fen = "kiwipete") {
  Question question{.fen = std::move(fen), .depth = Depth(depth), .mode = mode};
  if (mode == CountMode::kEstimate) question.samples = 200;
  return validated(question).value();
}

Resources resources() {
  Resources with{.count_options = {.threads = 2}};
  with.count_options.table_bytes = std::uint64_t{1} << 20;
  return with;
}

TEST(Modes, StandInTheOrderOfTheirNumbers) {
  ASSERT_EQ(modes().size(), kCountModeNames.size());
  for (std::size_t i = 0; i < modes().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(modes()[i].mode), i);
    EXPECT_EQ(&info(modes()[i].mode), &modes()[i]);
    EXPECT_EQ(modes()[i].forms.front().format, Format::kText);
  }
}

// Published: perft(3) of Kiwipete.
TEST(Answer, HasTheTotalWhateverTheMode) {
  for (const Mode& mode : modes()) {
    const auto found = answer(asked(mode.mode, 3), resources());
    ASSERT_TRUE(found.ok()) << found.error().to_string();
    EXPECT_EQ(found->nodes, NodeCount(97'862)) << to_string(mode.mode);
    EXPECT_FALSE(found->estimate);
    EXPECT_FALSE(is_wrong(found->verdict)) << found->verdict;
    EXPECT_EQ(std::ranges::count(found->document, '\n'), 1);
    EXPECT_TRUE(nlohmann::json::accept(found->document));
    EXPECT_EQ(written(mode.mode, Format::kJson, found->document).value(), found->document);
    for (const Form& form : mode.forms) {
      const auto text = written(mode.mode, form.format, found->document);
      ASSERT_TRUE(text.ok()) << text.error().to_string();
      EXPECT_THAT(*text, HasSubstr("97862")) << to_string(form.format);
    }
  }
  const auto estimated = answer(asked(CountMode::kEstimate, 6), resources());
  EXPECT_FALSE(estimated->nodes);
  EXPECT_NEAR(*estimated->estimate, 8031647685.0, 8031647685.0 / 5);
  EXPECT_EQ(answer(asked(CountMode::kUnique, 3, "startpos"), resources())->distinct, 5362U);
}

TEST(Answer, FormsThatAModeHasNotAreNamed) {
  const auto why = [](CountMode mode, Format format) {
    return written(mode, format, "{}").error();
  };
  EXPECT_EQ(why(CountMode::kVerify, Format::kCsv).message,
            "a job of mode verify supports only json");
  EXPECT_EQ(why(CountMode::kUnique, Format::kEpd).message,
            "a job of mode unique supports only json and csv");
  EXPECT_EQ(why(CountMode::kUnique, Format::kEpd).code, ErrorCode::kInvalidInput);
  EXPECT_EQ(why(CountMode::kHashed, Format::kJUnit).code, ErrorCode::kInvalidInput);
}

TEST(Answer, WhatIsNoDocumentIsAnError) {
  for (const char* text : {"", "{", "[]", "7", "{}", R"({"fen":1,"divide":[],"plies":[7]})"}) {
    for (const Mode& mode : modes()) {
      for (const Form& form : mode.forms) {
        const auto shown = written(mode.mode, form.format, text);
        ASSERT_FALSE(shown.ok()) << text << ' ' << *shown;
        EXPECT_EQ(shown.error().code, ErrorCode::kInternal);
      }
    }
  }
}

// The number of resumed leaves is not computed from the document's rate, because that is rounded.
TEST(Answer, WhatWasResumedIsTold) {
  const auto found = answer(asked(CountMode::kHashed, 3), resources());
  auto document = nlohmann::ordered_json::parse(found->document);
  EXPECT_FALSE(document.contains("resumed_leaves"));
  document["resumed_units"] = 5;
  document["resumed_leaves"] = 1234.0;
  document["seconds"] = 1e6;
  EXPECT_THAT(written(CountMode::kHashed, Format::kText, document.dump()).value(),
              HasSubstr("\nresumed    5 of 48 subtrees, 1.23 k leaves, from the checkpoint\n"));
}

TEST(Answer, TableThatVerifyIsAboutCannotBeOff) {
  Resources none = resources();
  none.count_options.table_bytes = 0;
  EXPECT_EQ(answer(asked(CountMode::kVerify, 3), none).error().field, "hash");
}

std::string contradiction_in(const CountOptions& count_options) {
  const Result<JobSpec> spec = job_spec(*validated({.depth = Depth(5)}), count_options);
  return spec ? "none" : spec.error().to_string();
}

TEST(Spec, SaysWhatIsAskedAndWithWhat) {
  const Question question = *validated({.fen = "kiwipete", .moves = "e1g1", .depth = Depth(5)});
  const CountOptions count_options{.threads = 3,
                                   .kernel = find_kernel("portable").value(),
                                   .table_bytes = std::uint64_t{1} << 20,
                                   .key_seed = 7,
                                   .key_bits = 24,
                                   .pin_workers = true,
                                   .interleave_tables = true};
  const JobSpec job = *job_spec(question, count_options);
  EXPECT_EQ(job.root.position, question.line.here());
  EXPECT_EQ(job.depth, Depth(5));
  EXPECT_EQ(job.threads, 3);
  EXPECT_EQ(job.kernel->name, "portable");
  ASSERT_TRUE(job.hash);
  EXPECT_EQ(job.hash->bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(job.hash->keys.seed, 7u);
  EXPECT_EQ(job.hash->keys.bits, 24);
  EXPECT_TRUE(job.placement.pin_workers && job.placement.interleave_tables);

  const StatisticsSpec statistics = *statistics_spec(question, count_options);
  EXPECT_EQ(statistics.root.position, question.line.here());
  EXPECT_EQ(statistics.depth, Depth(5));
  EXPECT_EQ(statistics.threads, 3);
  ASSERT_TRUE(statistics.hash);
  EXPECT_EQ(statistics.hash->bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(statistics.hash->keys.bits, 24);
  EXPECT_EQ(statistics.placement, job.placement);

  const UniqueSpec unique = unique_spec(question, count_options);
  EXPECT_EQ(unique.root.position, question.line.here());
  EXPECT_EQ(unique.memory_bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(unique.threads, 3);
}

TEST(Spec, AnEstimateHasItsSamples) {
  const Question question =
      *validated({.depth = Depth(9), .mode = CountMode::kEstimate, .samples = 300, .seed = 4});
  const EstimateSpec spec = estimate_spec(question, {.threads = 2});
  EXPECT_EQ(spec.samples, 300u);
  EXPECT_EQ(spec.seed, 4u);
  EXPECT_EQ(spec.threads, 2);
  EXPECT_EQ(spec.depth, Depth(9));
  const EstimateSpec usual = estimate_spec(*validated({.mode = CountMode::kEstimate}), {});
  EXPECT_EQ(usual.samples, EstimateSpec{}.samples);
  EXPECT_EQ(usual.seed, EstimateSpec{}.seed);
}

TEST(Spec, WithoutATableIfEitherIsAgainstIt) {
  const Question unhashed = *validated({.mode = CountMode::kUnhashed});
  EXPECT_FALSE(job_spec(unhashed, {.key_seed = 3})->hash);
  EXPECT_FALSE(job_spec(*validated({}), {.table_bytes = 0})->hash);
  EXPECT_FALSE(statistics_spec(*validated({}), {.table_bytes = 0})->hash);
  const JobSpec usual = *job_spec(*validated({}), {});
  ASSERT_TRUE(usual.hash);
  EXPECT_EQ(usual.hash->bytes, 0u) << "what the count can use";
  EXPECT_EQ(usual.hash->keys.bits, KeySpec::kMaxBits);
}

TEST(Spec, ChoosesTheMethod) {
  const auto method = [](CountMode mode, const CountOptions& count_options) {
    return job_spec(*validated({.depth = Depth(5), .mode = mode}), count_options)->method;
  };
  EXPECT_EQ(method(CountMode::kCount, {}), Method::kAuto);
  EXPECT_EQ(method(CountMode::kCount, {.method = Method::kHashed}), Method::kHashed);
  EXPECT_EQ(method(CountMode::kCount, {.method = Method::kConfigurations}),
            Method::kConfigurations);
  EXPECT_EQ(method(CountMode::kCount,
                   {.method = Method::kConfigurations, .table_bytes = std::uint64_t{1} << 20}),
            Method::kConfigurations);
  // If any option of the table is set, a table is used.
  for (const CountOptions& count_options :
       {CountOptions{.table_bytes = std::uint64_t{1} << 20}, CountOptions{.key_seed = 3},
        CountOptions{.key_bits = 9}, CountOptions{.interleave_tables = true}})
    EXPECT_EQ(method(CountMode::kCount, count_options), Method::kHashed);
  // A mode that names a method uses it. Options of the table do not change that.
  EXPECT_EQ(method(CountMode::kConfigurations, {.key_seed = 3}), Method::kConfigurations);
  for (const CountMode mode : {CountMode::kHashed, CountMode::kUnhashed, CountMode::kVerify})
    EXPECT_EQ(method(mode, {}), Method::kHashed);
}

TEST(Spec, MeansThatContradictEachOtherAreRefused) {
  EXPECT_EQ(contradiction_in({}), "none");
  EXPECT_EQ(contradiction_in({.table_bytes = 0, .key_seed = 1}),
            "key-seed: has no effect without a table");
  EXPECT_EQ(contradiction_in({.table_bytes = 0, .key_bits = 24}),
            "key-bits: has no effect without a table");
  EXPECT_EQ(contradiction_in({.table_bytes = 0, .interleave_tables = true}),
            "interleave: has no effect without a table");
  EXPECT_EQ(contradiction_in({.table_bytes = kMinHashBytes - 1}), "hash: must be at least 64K");
  EXPECT_EQ(contradiction_in({.table_bytes = kMinHashBytes}), "none");
}

// Wrong values that are published for positions, and their explanations. Statistics of the last ply
// are those of the Chess Programming Wiki.

struct WrongValue {
  const char* fen;
  int depth;
  std::uint64_t ours;
  std::uint64_t value;
  const char* hints;  ///< "name: text; …"
};

std::string hints_for(const WrongValue& of) {
  const Question question = validated({.fen = of.fen, .depth = Depth(of.depth)}).value();
  Resources resources{.count_options = {.threads = 1}};
  const auto hints =
      explain_value(question, NodeCount(of.ours), {NodeCount(of.value)}, resources, {});
  if (!hints) return hints.error().to_string();
  std::string text;
  for (const auto& [name, what] : *hints) text += (text.empty() ? "" : "; ") + name + ": " + what;
  return text;
}

constexpr const char* kPosition4 =
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";

TEST(ValueHints, NameWhatTheValueIs) {
  for (const WrongValue& wrong : {
           WrongValue{"kiwipete", 2, 2039, 2087,
                      "every-ply: counts every ply, not only the last: 48 + 2039 = 2087"},
           {"kiwipete", 2, 2039, 2088,
            "every-ply: counts every ply, not only the last: 1 + 48 + 2039 = 2088"},
           {"kiwipete", 3, 97862, 2039, "another-depth: is the count of depth 2"},
           {"kiwipete", 2, 2039, 97862, "another-depth: is the count of depth 3"},
           {"startpos", 7, 3195901860, 1048418212,
            "modulo: is the count modulo 2^31: a counter of 31 or 32 bits has overflowed"},
           {"startpos", 8, 84998978956, 3394600332,
            "modulo: is the count modulo 2^32: a counter of 32 bits has overflowed"},
           {"startpos", 5, 4865609, 4865351,
            "without-en-passant: is the count without the 258 en passant captures of the last "
            "ply"},
           {"kiwipete", 1, 48, 46,
            "without-castling: is the count without the 2 castling moves of the last ply"},
           {kPosition4, 2, 264, 216,
            "without-promotions: is the count without the 48 promotions of the last ply"},
           {kPosition4, 2, 264, 228,
            "promotion-once: is the count if each of the 12 promotions of the last ply counts as "
            "one move, not four"},
           {"startpos", 3, 8902, 8868,
            "without-captures: is the count without the 34 captures of the last ply"},
           {"startpos", 4, 197281, 197273,
            "without-mates: is the count without the 8 mates of the last ply"},
           {"startpos", 4, 197281, 196812,
            "without-checks-and-mates: is the count without the 469 checks and mates of the last "
            "ply"},
           {"kiwipete", 3, 97862, 17102,
            "only-captures: is the number of the captures in the last ply"},
           {"startpos", 4, 197281, 72078,
            "distinct-positions: is the number of distinct positions; perft counts paths, and "
            "several may lead to one position"},
           {"kiwipete", 3, 97862, 8902,
            "another-position: is the count of another position at depth 3: startpos"},
           {"startpos", 3, 8902, 97862,
            "another-position: is the count of another position at depth 3: kiwipete"},
       }) {
    EXPECT_EQ(hints_for(wrong), wrong.hints) << wrong.fen << ' ' << wrong.value;
  }
}

/// Returns the hint for the value `-size`, as if the right count of the start position were `ours`.
std::string hints_for_negative(std::uint64_t ours, std::uint64_t size) {
  const Question question = validated({.fen = "startpos", .depth = Depth(7)}).value();
  const auto hints = explain_value(question, NodeCount(ours), {NodeCount(size), true},
                                   {.count_options = {.threads = 1}}, {});
  EXPECT_EQ(hints->size(), 1U);
  return hints->front().name + ": " + hints->front().text;
}

TEST(ValueHints, KnowSignedCountersThatOverflowed) {
  EXPECT_EQ(hints_for_negative(3195901860, (std::uint64_t{1} << 32) - 3195901860),
            "modulo: is the count modulo 2^32, with a sign: a signed counter of 32 bits has "
            "overflowed");
  EXPECT_EQ(hints_for_negative(10'000'000'000'000'000'000U, 8'446'744'073'709'551'616U),
            "modulo: is the count modulo 2^64, with a sign: a signed counter of 64 bits has "
            "overflowed");
  EXPECT_EQ(hints_for_negative(3195901860, 5),
            "negative: is negative, which is impossible for a count");
}

TEST(ValueHints, SayNothingOfNumbersThatAreNothing) {
  EXPECT_EQ(hints_for({"startpos", 3, 8902, 8903, ""}), "");
  EXPECT_EQ(hints_for({"startpos", 3, 8902, 8901, ""}), "");
  EXPECT_EQ(hints_for({"startpos", 3, 8902, 0, ""}), "");
  EXPECT_EQ(hints_for({"startpos", 1, 20, 6, ""}), "")
      << "the count of some position at depth 1, and of no use";
}

TEST(ValueHints, LookIntoTheSuitesThatAreGiven) {
  const Question question = validated({.fen = "startpos", .depth = Depth(2)}).value();
  const std::vector<EpdRecord> suite{
      **parse_epd_line("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66 ;D3 1197")};
  const auto hints = explain_value(question, NodeCount(400), {NodeCount(66)},
                                   {.count_options = {.threads = 1}}, suite);
  ASSERT_EQ(hints->size(), 1U);
  EXPECT_EQ(hints->front().text,
            "is the count of another position at depth 2: 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
}

}  // namespace
}  // namespace manyply
