// Tests questions, and answers in every mode.
#include "tools/report/question.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tools/report/answer.h"

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

// The document has a rounded rate, and no other number is computed from it.
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

}  // namespace
}  // namespace manyply
