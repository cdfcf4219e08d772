// Checks keys with planted faults, and right keys of many kinds: the right fault must be reported,
// with a proof.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/fen.h"
#include "tests/tools/diagnose/keys/planted_faults.h"
#include "tests/tools/diagnose/keys/planted_keys.h"
#include "tools/cli/diagnosis_format.h"
#include "tools/diagnose/keys/key_check.h"
#include "tools/diagnose/keys/key_table.h"
#include "tools/diagnose/keys/printed_keys.h"

namespace manyply {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;

/// Answers questions from PlantedKeys directly, without a program.
class PlantedSource : public KeySource {
 public:
  explicit PlantedSource(std::string_view faults = "", std::string_view scheme = "polyglot")
      : planted(faults, scheme) {}

  Result<Keys> keys(std::span<const KeyQuestion> questions) override {
    Keys keys;
    for (const KeyQuestion& question : questions) {
      bool refused = false;
      const std::uint64_t key = planted.key(question.fen, question.moves, &refused);
      // A program that refuses a move may stay at the previous position.
      if (!refused || !planted.has("stays")) last_ = {key, 0};
      keys.push_back(last_);
    }
    return keys;
  }
  [[nodiscard]] int bits() const override { return 64; }

  const PlantedKeys planted;

 private:
  ZobristKey last_;
};

/// Enough questions to meet every kind of move. Only a few tests look for sets of numbers that
/// cancel each other, because that takes twenty times as long.
KeyCheckOptions few_questions(bool sums = false) {
  KeyCheckOptions options;
  options.budget.questions = 4500;
  options.sums = sums;
  return options;
}

KeyReport checked_keys(KeySource& source, const KeyCheckOptions& options = few_questions()) {
  return *check_keys(source, options);
}

KeyReport checked_keys(PlantedSource&& source, const KeyCheckOptions& options = few_questions()) {
  return checked_keys(source, options);
}

/// Returns the names of the findings in alphabetical order.
std::string fault_names(const KeyReport& report) {
  std::set<std::string> names;
  for (const KeyFinding& finding : report.findings) names.emplace(name_of(finding.fault));
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

/// Checks each proof with the oracle: both keys are those of the program, and they are equal for
/// different positions or different for the same position.
void expect_proved(const KeyFinding& finding, const PlantedKeys& planted) {
  const auto led_to = [&](const KeyQuestion& question) {
    oracle::Position position = oracle::parse(question.fen);
    std::istringstream words(question.moves);
    for (std::string word; words >> word;)
      position = oracle::after(position, planted.understood(position, word)->move);
    return oracle::identity(position);
  };
  ASSERT_FALSE(finding.proof.empty());
  for (const KeyPair& pair : finding.proof) {
    EXPECT_EQ(pair.first_key.low, planted.key(pair.first.fen, pair.first.moves));
    EXPECT_EQ(pair.second_key.low, planted.key(pair.second.fen, pair.second.moves));
    EXPECT_EQ(pair.first_key == pair.second_key, led_to(pair.first) != led_to(pair.second))
        << to_string(pair.first) << " and " << to_string(pair.second);
  }
}

std::string planted_name(const ::testing::TestParamInfo<PlantedFault>& info) {
  std::string name = std::string(info.param.fault) + '_' + info.param.scheme;
  std::ranges::replace(name, '-', '_');
  std::ranges::replace(name, '+', '_');
  return name;
}

class KeyFaults : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(KeyFaults, AreFoundAndNothingElseIs) {
  PlantedSource source(GetParam().fault, GetParam().scheme);
  const bool about_numbers =
      std::set<std::string_view>{"five", "short", "equal", "zero", "five+passed-not-set"}.contains(
          GetParam().fault);
  const KeyReport report = checked_keys(source, few_questions(about_numbers));
  EXPECT_EQ(report.verdict(), KeyReport::Verdict::kWrong);
  EXPECT_EQ(fault_names(report), GetParam().found) << key_report_text(report, 0);
  if (std::string_view(GetParam().fault).find("ignores-") == std::string_view::npos) {
    EXPECT_THAT(report.undecided, IsEmpty());
  }
  for (const KeyFinding& finding : report.findings) expect_proved(finding, source.planted);
}

INSTANTIATE_TEST_SUITE_P(Keys, KeyFaults, ::testing::ValuesIn(kPlantedFaults), planted_name);

class KeyBoards : public ::testing::TestWithParam<PlantedFault> {};

// If a program does not play a move, its key after the move proves nothing.
TEST_P(KeyBoards, AreAccusedOfNothing) {
  const KeyReport report = checked_keys(PlantedSource(GetParam().fault, GetParam().scheme));
  EXPECT_EQ(fault_names(report), "") << key_report_text(report, 0);
  const bool is_spelling = std::string_view(GetParam().fault).starts_with("writes-");
  EXPECT_EQ(report.verdict(),
            is_spelling ? KeyReport::Verdict::kSound : KeyReport::Verdict::kCannotTell)
      << key_report_text(report, 0);
}

INSTANTIATE_TEST_SUITE_P(Keys, KeyBoards, ::testing::ValuesIn(planted_boards()), planted_name);

class KeySchemes : public ::testing::TestWithParam<PlantedScheme> {};

TEST_P(KeySchemes, AreNamedAndAccusedOfNothing) {
  const bool about_numbers =
      std::set<std::string_view>{"polyglot", "sixteen", "complement", "queens", "narrow"}.contains(
          GetParam().scheme);
  const KeyReport report =
      checked_keys(PlantedSource("", GetParam().scheme), few_questions(about_numbers));
  EXPECT_THAT(report.findings, IsEmpty()) << key_report_text(report, 0);
  EXPECT_EQ(report.undecided.empty(), GetParam().can_tell) << key_report_text(report, 0);
  EXPECT_THAT(key_report_json(report).dump(),
              HasSubstr(std::string(R"("linearity":")") + GetParam().linearity + '"'));
}

INSTANTIATE_TEST_SUITE_P(Keys, KeySchemes, ::testing::ValuesIn(kPlantedSchemes),
                         [](const auto& info) {
                           std::string name = info.param.scheme;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

nlohmann::ordered_json scheme_of(const char* scheme) {
  return key_report_json(checked_keys(PlantedSource("", scheme)))["scheme"];
}

TEST(KeyCheck, SaysWhichRightSchemeItIs) {
  const auto passed_of = [](const nlohmann::ordered_json& scheme) {
    std::string kinds;
    for (const char* kind : {"alone", "pinned", "usable"}) {
      if (scheme["en_passant_after_moves"][kind]["with_square"] > 0)
        kinds += std::string(kind) + ' ';
    }
    return kinds + (scheme["en_passant_by_file"] ? "by file" : "by square");
  };
  const nlohmann::ordered_json polyglot = scheme_of("polyglot");
  EXPECT_EQ(passed_of(polyglot), "pinned usable by file");
  EXPECT_EQ(passed_of(scheme_of("always")), "alone pinned usable by square");
  EXPECT_EQ(passed_of(scheme_of("usable")), "usable by file");
  EXPECT_TRUE(polyglot["castling_by_four_numbers"]);
  EXPECT_FALSE(scheme_of("sixteen")["castling_by_four_numbers"]);
  EXPECT_FALSE(polyglot["side_is_complement"]);
  EXPECT_TRUE(scheme_of("complement")["side_is_complement"]);
  EXPECT_TRUE(polyglot["clock_from"].is_null());
  EXPECT_EQ(scheme_of("clock")["clock_from"], 14);
  EXPECT_FALSE(polyglot["mirrored"]);
  EXPECT_TRUE(scheme_of("mirror")["mirrored"]);
}

// Expects all numbers that keys can show. A king's numbers can be found only relative to its home
// square. Pawns have no numbers on the first and last rank.
TEST(KeyCheck, RecoversTheNumbersOfTheProgram) {
  PlantedSource source;
  const PlantedKeys& planted = source.planted;
  const KeyReport report = checked_keys(source, few_questions(true));
  std::map<std::string, std::uint64_t> expected;
  static constexpr std::string_view kLetters = "PNBRQKpnbrqk";
  static constexpr std::array kKinds{"pawn", "knight", "bishop", "rook", "queen", "king"};
  for (std::size_t piece = 0; piece < 12; ++piece) {
    for (std::size_t s = 0; s < 64; ++s) {
      const bool king = kLetters[piece % 6] == 'K';
      const std::size_t home = piece < 6 ? 4 : 60;
      if ((piece % 6 == 0 && (s < 8 || s >= 56)) || (king && s == home)) continue;
      std::string name = std::string(piece < 6 ? "white " : "black ") + kKinds[piece % 6] + ' ' +
                         static_cast<char>('a' + s % 8) + static_cast<char>('1' + s / 8);
      if (king) name += piece < 6 ? " ^ e1" : " ^ e8";
      expected[name] = planted.pieces[piece][s] ^ (king ? planted.pieces[piece][home] : 0);
    }
  }
  expected["black to move"] = planted.side;
  for (std::size_t i = 0; i < 4; ++i)
    expected[std::string("castling ") + "KQkq"[i]] = planted.rights[std::size_t{1} << i];
  for (std::size_t file = 0; file < 8; ++file)
    expected[std::string("en passant file ") + static_cast<char>('a' + file)] =
        planted.passed[file];
  std::map<std::string, std::uint64_t> recovered;
  for (const KeyNumber& number : report.numbers.numbers) recovered[number.name] = number.value.low;
  EXPECT_EQ(recovered, expected);
  EXPECT_EQ(recovered.size(), 747U);
  EXPECT_EQ(report.numbers.rank, 64);
  EXPECT_GT(report.table.confirmed(), 400U);
  EXPECT_EQ(report.table.contradicting(), 0U);
}

TEST(KeyCheck, TellsWhatIsTooMuchAndWhatIsMissing) {
  const KeyReport report = checked_keys(PlantedSource("rook-to-corner"));
  const KeyFinding& finding = report.findings.at(0);
  EXPECT_THAT(finding.too_much, ::testing::ElementsAre("white rook a1"));
  EXPECT_THAT(finding.missing, ::testing::ElementsAre("white rook d1"));
  EXPECT_EQ(to_string(finding.proof.at(0).first),
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1c1");
  EXPECT_EQ(to_string(finding.proof.at(0).second), "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1");
}

TEST(KeyCheck, NamesTheFiveThatCancel) {
  EXPECT_EQ(checked_keys(PlantedSource("five"), few_questions(true)).findings.at(0).detail,
            "these 5 numbers cancel each other: white knight b4, white rook d5, black pawn g5, "
            "black bishop f6, black "
            "queen h3");
}

// If keys are not linear, no numbers can be recovered. But faults in a whole kind of moves can be
// found.
TEST(KeyCheck, FindsTheKindOfMovesThatIsWrongWithoutNumbers) {
  const KeyReport report = checked_keys(PlantedSource("rook-left", "product"));
  EXPECT_EQ(fault_names(report), "unexplained-after-move");
  EXPECT_THAT(report.findings.at(0).detail, HasSubstr("after castling"));
}

// Positions that a program refuses must not be used as proofs.
class DeafToSome : public PlantedSource {
 public:
  Result<Keys> keys(std::span<const KeyQuestion> questions) override {
    Keys keys = *PlantedSource::keys(questions);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      // The program refuses positions without pawns, and shows the previous key.
      const bool refused = questions[i].fen.find_first_of("pP") > questions[i].fen.find(' ');
      if (refused) keys[i] = last_;
      last_ = keys[i];
    }
    return keys;
  }

 private:
  std::optional<ZobristKey> last_ = ZobristKey{};
};

TEST(KeyCheck, AProgramThatRefusesPositionsIsAccusedOfNothing) {
  EXPECT_THAT(checked_keys(DeafToSome()).findings, IsEmpty());
}

TEST(KeyCheck, AnswersThatChangeAreNoProof) {
  class Fickle : public PlantedSource {
   public:
    Fickle() : PlantedSource("rook-left") {}
    Result<Keys> keys(std::span<const KeyQuestion> questions) override {
      Keys keys = *PlantedSource::keys(questions);
      // The second time, other questions are asked in between.
      if (questions.size() == 4 && questions[0].moves.empty()) keys[1]->low ^= 1;
      return keys;
    }
  } source;
  const KeyReport report = checked_keys(source);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.verdict(), KeyReport::Verdict::kCannotTell);
}

// Among thousands of questions, one gets a wrong key: only at the first time, or each time.
class Unstable : public PlantedSource {
 public:
  Unstable(std::size_t which, bool always)
      : PlantedSource("equal+rook-left+capture-kept"), which_(which), always_(always) {}
  Result<Keys> keys(std::span<const KeyQuestion> questions) override {
    Keys keys = *PlantedSource::keys(questions);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (count_++ == which_) fickle_ = to_string(questions[i]);
      if (to_string(questions[i]) != fickle_ || (!always_ && count_ != which_ + 1)) continue;
      keys[i]->low ^= ++changes_ * 0x9e3779b97f4a7c15;
    }
    return keys;
  }

 private:
  const std::size_t which_;
  const bool always_;
  std::string fickle_ = "none";
  std::size_t count_ = 0;
  std::uint64_t changes_ = 0;
};

TEST(KeyCheck, OneUnstableAnswerHidesNoFault) {
  for (const std::size_t which : {0U, 5U, 400U, 1000U, 1380U, 1500U}) {
    for (const bool always : {false, true}) {
      const KeyReport report = checked_keys(Unstable(which, always));
      EXPECT_EQ(fault_names(report), "capture-kept castled-rook-left-behind equal-numbers")
          << which << '\n'
          << key_report_text(report, 0);
    }
  }
}

TEST(KeyCheck, SaysWhichMovesAreNotPlayedAndHowTheyAreWritten) {
  EXPECT_THAT(key_report_json(checked_keys(PlantedSource("ignores-castling"))).dump(),
              ::testing::ContainsRegex(
                  R"("kind":"castling","asked":([0-9]+),"wrong":0,"not_played":[1-9])"));
  const KeyReport report = checked_keys(PlantedSource("writes-e1h1"));
  EXPECT_EQ(report.habits.spelling.castling, MoveSpelling::Castling::kRook);
  EXPECT_EQ(report.moves[static_cast<std::size_t>(MoveClass::kCastling)].not_played, 0U);
  EXPECT_EQ(checked_keys(PlantedSource("writes-capitals")).habits.spelling.promotion,
            MoveSpelling::Promotion::kCapital);
}

TEST(KeyCheck, StopsWithTheError) {
  class Broken : public PlantedSource {
   public:
    Result<Keys> keys(std::span<const KeyQuestion> questions) override {
      if (++portions_ > 3) return Error{ErrorCode::kUnavailable, "engine", 0, "crashed"};
      return PlantedSource::keys(questions);
    }

   private:
    int portions_ = 0;
  } source;
  EXPECT_EQ(check_keys(source, few_questions()).error().message, "crashed");
}

TEST(KeyCheck, StopsWithTheErrorOfARepeatedQuestion) {
  // Fails once, when a question about the half-move clock is repeated.
  class FailsOnce : public PlantedSource {
   public:
    FailsOnce() : PlantedSource("", "clock") {}
    Result<Keys> keys(std::span<const KeyQuestion> questions) override {
      for (const KeyQuestion& question : questions) {
        const bool again = !asked_.insert(to_string(question)).second;
        const bool about_clock = question.fen.starts_with("r2q1rk1/ppp2ppp/2n2n2/3p4/3P4/");
        if (again && about_clock && !std::exchange(failed_, true))
          return Error{ErrorCode::kUnavailable, "engine", 0, "crashed"};
      }
      return PlantedSource::keys(questions);
    }

   private:
    std::set<std::string> asked_;
    bool failed_ = false;
  } source;
  EXPECT_EQ(check_keys(source, few_questions()).error().message, "crashed");
}

/// The source has only the keys that were published with Polyglot's books.
TEST(KeyCheck, KnowsPolyglotsKeys) {
  class Polyglot : public KeySource {
   public:
    Result<Keys> keys(std::span<const KeyQuestion> questions) override {
      Keys keys;
      for (const KeyQuestion& question : questions) {
        const auto found = published_.find(question.fen.substr(0, question.fen.find(" - ")));
        keys.push_back(question.moves.empty() && found != published_.end()
                           ? std::optional(ZobristKey{found->second, 0})
                           : std::nullopt);
      }
      return keys;
    }
    [[nodiscard]] int bits() const override { return 64; }
    [[nodiscard]] bool plays_moves() const override { return false; }

   private:
    // Published keys, by the part of the FEN before " - ", or by the whole FEN if it has no " - ".
    std::map<std::string, std::uint64_t> published_{
        {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq", 0x463b96181691fc9c},
        {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq", 0x823c9b50fd114196},
        {"rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq", 0x0756b94461c50fb0},
        {"rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq", 0x662fafb965db29d4},
        {"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a48b5a8e47ff78},
        {"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq", 0x652a607ca3f242c1},
        {"rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w -", 0x00fdd303c946bdd9},
        {"rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w", 0x00fdd303c946bdd9},
        {"rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c8123ea7b067637},
        {"rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq", 0x5c3f9b829b279560}};
  } source;
  EXPECT_TRUE(checked_keys(source).habits.polyglot);
  EXPECT_FALSE(checked_keys(PlantedSource()).habits.polyglot);
}

// Tests keys that are pasted as lines.

/// Returns lines with the questions to paste and their planted keys.
std::vector<std::string> answered(std::size_t count, const char* faults,
                                  const char* separator = " ; ") {
  const PlantedKeys planted(faults);
  std::vector<std::string> lines;
  for (const KeyQuestion& question : questions_to_paste(count)) {
    lines.push_back(fmt::format("{}{}{:016x}", to_string(question), separator,
                                planted.key(question.fen, question.moves)));
  }
  return lines;
}

KeyReport judged_lines(const std::vector<std::string>& lines) {
  const auto pasted = PastedKeys::read("keys.txt", fmt::format("{}", fmt::join(lines, "\n")));
  EXPECT_TRUE(pasted.ok()) << pasted.error().to_string();
  KeyCheckOptions options = few_questions();
  options.lines = (*pasted)->lines();
  options.positions = (*pasted)->positions();
  return *check_keys(**pasted, options);
}

TEST(PastedKeys, TellWhatAProgramTells) {
  for (const auto& [faults, names] :
       {std::pair("", ""), std::pair("rook-left", "castled-rook-left-behind"),
        std::pair("equal+passed-kept", "en-passant-kept equal-numbers"),
        std::pair("castling-ignored", "castling-ignored")}) {
    const KeyReport report = judged_lines(answered(4000, faults));
    EXPECT_EQ(fault_names(report), names);
    EXPECT_THAT(report.undecided, IsEmpty());
    EXPECT_EQ(report.table.linearity(), KeyLinearity::kXor);
  }
}

TEST(PastedKeys, AFewLinesAccuseNobody) {
  const KeyReport report = judged_lines(
      {"# mine", "", "startpos ; 0x0123456789abcdef",
       "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 = 0x8f8f01d4562f59fb",
       "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4, 0x8f8f01d4562f59fb",
       "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;"});
  EXPECT_EQ(report.verdict(), KeyReport::Verdict::kCannotTell);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.table.linearity(), KeyLinearity::kUnknown);
  EXPECT_EQ(report.moves[static_cast<std::size_t>(MoveClass::kDoublePush)].asked, 1U);
}

// The FEN after e2e4 may have "e3" or "-". The list has only the FEN with "e3", and the program's
// key after e2e4 is that of the other FEN.
TEST(PastedKeys, AnUnusableSquareIsNoFault) {
  const KeyReport report = judged_lines(
      {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 ; 0x8f8f01d4562f59fb",
       "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ; 0x0123456789abcdef",
       "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 ; 0x1122334455667788"});
  EXPECT_EQ(report.verdict(), KeyReport::Verdict::kCannotTell);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.moves[static_cast<std::size_t>(MoveClass::kDoublePush)].asked, 0U);
}

std::string refusal_of(const std::vector<std::string>& lines) {
  return PastedKeys::read("keys.txt", fmt::format("{}", fmt::join(lines, "\n")))
      .error()
      .to_string();
}

TEST(PastedKeys, WhatIsNotUnderstoodIsRefusedWithItsLine) {
  EXPECT_THAT(refusal_of({"startpos ; 123456789", "hello"}),
              HasSubstr("keys.txt:2: expected 'FEN ; KEY'"));
  EXPECT_THAT(refusal_of({"8/8/8/8/8/8/8/8 w - - 0 1 ; 12345"}), HasSubstr("keys.txt:1: "));
  EXPECT_THAT(refusal_of({"startpos moves e2e5 ; 12345"}), HasSubstr("keys.txt:1: "));
  EXPECT_THAT(refusal_of({"startpos ; 12345", "startpos ; 54321"}), HasSubstr("keys.txt:2: "));
  EXPECT_THAT(refusal_of({"# nothing"}), HasSubstr("keys.txt: no line has a position and its key"));
  EXPECT_THAT(refusal_of({"startpos ; 0xffffffffffffffffffffffffffffffffff"}),
              HasSubstr("keys.txt:1"));
}

FeatureSet feature_set(std::initializer_list<std::size_t> features) {
  FeatureSet set;
  for (const std::size_t feature : features) set.flip(feature);
  return set;
}

TEST(FeatureSet, IsAVectorOverTwoElements) {
  const FeatureSet a = feature_set({0, 63, 64, 800});
  EXPECT_TRUE(a.has(0) && a.has(63) && a.has(64) && a.has(800));
  EXPECT_FALSE(a.has(1) || a.has(65));
  EXPECT_EQ(a.first(), 0U);
  EXPECT_EQ(a.first(1), 63U);
  EXPECT_EQ(a.first(65), 800U);
  EXPECT_EQ(a.first(801), std::size_t{KeyFeature::kCount});
  EXPECT_TRUE((a ^ a).empty());
  EXPECT_EQ(a ^ feature_set({63}), feature_set({0, 64, 800}));
}

TEST(KeyEquations, TellWhatFollowsAndNothingElse) {
  KeyEquations equations;
  const ZobristKey a{5, 1};
  const ZobristKey b{9, 2};
  EXPECT_EQ(equations.add(feature_set({1, 2}), a), KeyEquations::Added::kNew);
  EXPECT_EQ(equations.add(feature_set({2, 3}), b), KeyEquations::Added::kNew);
  EXPECT_EQ(equations.value(feature_set({1, 3})), a ^ b);
  EXPECT_FALSE(equations.value(feature_set({1})));
  EXPECT_FALSE(equations.value(feature_set({1, 2, 3})));
  EXPECT_EQ(equations.add(feature_set({1, 3}), a ^ b), KeyEquations::Added::kAgrees);
  EXPECT_EQ(equations.add(feature_set({1, 3}), a), KeyEquations::Added::kContradicts);
  EXPECT_EQ(equations.value(feature_set({1, 3})), a ^ b) << "a contradiction is not kept";
  EXPECT_EQ(equations.add(feature_set({3}), {7, 0}), KeyEquations::Added::kNew);
  EXPECT_EQ(equations.value(feature_set({1})), (a ^ b ^ ZobristKey{7, 0}));
  EXPECT_EQ(equations.rank(), 3U);
  EXPECT_EQ(equations.value({}), ZobristKey{});
}

TEST(KeyEquations, SolveRandomOnesOfEveryFeature) {
  std::mt19937_64 random(3);
  std::array<ZobristKey, KeyFeature::kCount> numbers{};
  for (ZobristKey& number : numbers) number = {random(), random()};
  KeyEquations equations;
  for (std::size_t i = 0; i < 2 * KeyFeature::kCount; ++i) {
    FeatureSet features;
    ZobristKey key;
    for (std::size_t feature = 0; feature < KeyFeature::kCount; ++feature) {
      if (random() % 4 != 0) continue;
      features.flip(feature);
      key ^= numbers[feature];
    }
    ASSERT_NE(equations.add(features, key), KeyEquations::Added::kContradicts);
  }
  for (std::size_t feature = 0; feature < KeyFeature::kCount; ++feature)
    EXPECT_EQ(equations.value(feature_set({feature})), numbers[feature])
        << name_of_feature(feature);
}

TEST(KeyFeatures, AreThoseOfThePosition) {
  const auto position = parse_position("4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 1")->position;
  const auto features = features_of(position, Square::kD6);
  ASSERT_TRUE(features);
  std::string text;
  for (std::size_t at = features->first(); at < KeyFeature::kCount; at = features->first(at + 1))
    text += name_of_feature(at) + ", ";
  EXPECT_EQ(text,
            "white pawn e5, white rook a1, white rook h1, white king e1, black pawn d5, black king "
            "e8, castling KQ, en passant d6, the constant in every key, ");
  EXPECT_FALSE(features_of(parse_position("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1")->position, {}))
      << "a right that only Chess960 has";
}

// Tests a separate program that answers questions for keys, in several styles and with failures.

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
  EXPECT_EQ((*program)->reading().label, "pawn key");
}

// A program that starts slowly may receive several questions before it answers the greeting and the
// first question.
TEST(KeyProgram, MayTakeItsTimeToStart) {
  for (const char* style : {"late", "plain-late", "later"})
    expect_keys_of(hashing_spec(std::string("none polyglot ") + style), 10);
}

TEST(KeyProgram, IsRunAnewForEachPosition) {
  expect_keys_of(hashing_spec("none polyglot once {fen} {moves}"), 1);
  expect_keys_of(hashing_spec("none polyglot once '{fen}' \"{moves}\""), 1);
  const auto program = opened_program(hashing_spec("none polyglot once {fen}"));
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
  EXPECT_EQ((*program)->keys(questions).error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace manyply
