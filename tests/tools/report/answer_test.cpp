// Tests the table of modes, and formats as functions of the document.
#include "tools/report/answer.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace manyply {
namespace {

using ::testing::HasSubstr;

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
