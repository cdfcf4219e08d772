// Tests a separate program that answers questions for keys, in several styles and with failures.
#include <gmock/gmock.h>

#include "tests/tools/diagnose/keys/planted_keys.h"
#include "tools/diagnose/keys/printed_keys.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// Short times, so that waits for silence are short.
constexpr EnginePatience kShortPatience{.handshake = milliseconds(20),
                                        .learning = milliseconds(20)};

KeyProgramSpec hashing_spec(const std::string& arguments) {
  KeyProgramSpec spec;
  spec.command = std::string("'") + MANYPLY_HASHING_ENGINE "' " + arguments;
  spec.timeout_seconds = 600;
  return spec;
}

Result<std::unique_ptr<KeyProgram>> opened_program(const KeyProgramSpec& spec) {
  std::string errors;
  return KeyProgram::open(spec, {}, errors, kShortPatience);
}

/// Hundreds of keys of the program must equal the keys that this process computes.
void expect_keys_of(const KeyProgramSpec& spec, std::size_t repetitions = 100) {
  SCOPED_TRACE(spec.command);
  const auto program = opened_program(spec);
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  std::vector<KeyQuestion> questions;
  for (std::size_t i = 0; i < repetitions; ++i) {
    questions.push_back({"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4 e7e5"});
    questions.push_back({"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 " + std::to_string(1 + i), ""});
    questions.push_back({"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1"});
  }
  const auto keys = (*program)->keys(questions);
  ASSERT_TRUE(keys.ok()) << keys.error().to_string();
  const PlantedKeys planted;
  for (std::size_t i = 0; i < questions.size(); ++i)
    ASSERT_EQ(keys->at(i), (ZobristKey{planted.key(questions[i].fen, questions[i].moves), 0})) << i;
}

TEST(KeyProgram, IsUnderstoodInEveryStyle) {
  for (const char* style : {"hex", "0x", "decimal", "signed", "print", "plain"})
    expect_keys_of(hashing_spec(std::string("none polyglot ") + style));
}

TEST(KeyProgram, IsAskedAsItIsTold) {
  KeyProgramSpec spec = hashing_spec("none polyglot print");
  spec.ask = "print";
  expect_keys_of(spec);
  spec.ask = R"(position fen {fen} moves {moves}\nprint)";
  expect_keys_of(spec, 1);
  spec = hashing_spec("none polyglot two");
  spec.label = "Pawn";
  const auto program = opened_program(spec);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ((*program)->reading().label, "pawn key");
}

// The answer to the greeting then comes after questions, and their answers after later questions.
TEST(KeyProgram, MayTakeItsTimeToStart) {
  for (const char* style : {"late", "plain-late", "later"})
    expect_keys_of(hashing_spec(std::string("none polyglot ") + style), 10);
}

TEST(KeyProgram, IsRunAnewForEachPosition) {
  expect_keys_of(hashing_spec("none polyglot once {fen} {moves}"), 1);
  expect_keys_of(hashing_spec("none polyglot once '{fen}' \"{moves}\""), 1);
  const auto program = opened_program(hashing_spec("none polyglot once {fen}"));
  ASSERT_TRUE(program.ok());
  EXPECT_FALSE((*program)->plays_moves());
}

std::string why_refused(const KeyProgramSpec& spec) {
  const auto program = opened_program(spec);
  EXPECT_FALSE(program.ok());
  return program.ok() ? "" : program.error().message;
}

TEST(KeyProgram, WithoutAKeyIsRefused) {
  EXPECT_THAT(why_refused(hashing_spec("none polyglot none")), HasSubstr("--ask"));
  EXPECT_THAT(why_refused(hashing_spec("none polyglot two")), HasSubstr("choose one with --label"));
  KeyProgramSpec missing;
  missing.command = "/no/such/program";
  EXPECT_THAT(why_refused(missing), HasSubstr("could not be started"));
}

TEST(KeyProgram, ThatEndsSaysAtWhichQuestion) {
  const auto program = opened_program(hashing_spec("none polyglot crash"));
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  const std::vector<KeyQuestion> questions(1000, {"4k3/8/8/8/8/8/8/4K3 w - - 0 1", ""});
  const auto keys = (*program)->keys(questions);
  ASSERT_FALSE(keys.ok());
  EXPECT_EQ(keys.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(keys.error().message, HasSubstr("was killed by signal 6"));
  EXPECT_THAT(keys.error().message, HasSubstr("asked: position fen 4k3"));
}

TEST(KeyProgram, IsGivenUpWhenAStopIsRequested) {
  std::stop_source stop;
  std::string errors;
  const auto program =
      KeyProgram::open(hashing_spec("none polyglot hex"), stop.get_token(), errors, kShortPatience);
  ASSERT_TRUE(program.ok());
  stop.request_stop();
  const std::vector<KeyQuestion> questions(100, {"4k3/8/8/8/8/8/8/4K3 w - - 0 1", ""});
  const auto keys = (*program)->keys(questions);
  ASSERT_FALSE(keys.ok());
  EXPECT_EQ(keys.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace manyply
