#include "tools/report/question.h"

#include <gmock/gmock.h>

namespace manyply {
namespace {

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

}  // namespace
}  // namespace manyply
