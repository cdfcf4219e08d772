#include "tools/diagnose/keys/key_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace manyply {
namespace {

constexpr std::size_t kRandomPositions = 400;
constexpr std::size_t kLinesAtOnce = 64;

/// Positions and their Polyglot keys, as published with the book format.
struct PolyglotExample {
  const char* fen;
  std::uint64_t key;
};
constexpr PolyglotExample kPolyglotExamples[] = {
    {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b96181691fc9c},
    {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 0x823c9b50fd114196},
    {"rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", 0x0756b94461c50fb0},
    {"rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662fafb965db29d4},
    {"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a48b5a8e47ff78},
    {"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 1 3", 0x652a607ca3f242c1},
    {"rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 2 4", 0x00fdd303c946bdd9},
    {"rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c8123ea7b067637},
    {"rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 1 4", 0x5c3f9b829b279560}};

constexpr const char* kQuietMiddlegame =
    "r2q1rk1/ppp2ppp/2n2n2/3p4/3P4/2N2N2/PPP2PPP/R2Q1RK1 w - -";
constexpr const char* kKnightsTour = "c3b1 c6b8 b1c3 b8c6";

KeyQuestion with_clocks(int clock, int number) {
  return {fmt::format("{} {} {}", kQuietMiddlegame, clock, number), {}};
}

class KeyChecking {
 public:
  KeyChecking(KeySource& source, const KeyCheckOptions& options)
      : answers_(source, options.budget, options.on_asked), options_(options) {}

  Result<KeyReport> run() {
    report_.bits = answers_.source().bits();
    for (const auto step : {&KeyChecking::recover, &KeyChecking::learn_habits, &KeyChecking::audit,
                            &KeyChecking::play}) {
      if (auto error = (this->*step)()) return *std::move(error);
    }
    report_.asked = answers_.asked();
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool asks_anything() const { return answers_.source().answers_anything(); }

  static std::vector<KeyQuestion> set_ups(const std::vector<KeyPosition>& positions) {
    std::vector<KeyQuestion> questions;
    for (const KeyPosition& position : positions) questions.push_back(position.set_up());
    return questions;
  }

  std::optional<Error> recover() {
    std::vector<KeyPosition> positions = telling_positions();
    const std::vector<KeyPosition> random = random_positions(kRandomPositions);
    positions.insert(positions.end(), random.begin(), random.end());
    positions.insert(positions.end(), options_.positions.begin(), options_.positions.end());
    const std::vector<KeyQuestion> questions = set_ups(positions);
    if (auto error = answers_.ask(questions)) return error;
    report_.table = KeyTable::fit(answers_, positions);
    if (!is_plain(report_.table)) {
      // A single wrong answer can make linear keys look nonlinear. So ask all questions again
      // first.
      const Result<std::size_t> changed = answers_.ask_again(questions);
      if (!changed) return changed.error();
      if (*changed > 0)
        report_.undecided.push_back(
            fmt::format("when asked again, the engine gave another key for {} of {} positions",
                        *changed, questions.size()));
      report_.table = KeyTable::fit(answers_, positions);
    }
    const std::vector<KeyQuestion> first = set_ups(telling_positions());
    const std::set<KeyQuestion> telling(first.begin(), first.end());
    for (const KeyQuestion& question : telling) known_ += answers_.key(question) ? 1U : 0U;
    needed_ = telling.size();
    return report_.table.linearity() == KeyLinearity::kNone ? look_for_sums() : std::nullopt;
  }

  static bool is_plain(const KeyTable& table) {
    return table.linearity() == KeyLinearity::kXor ||
           (table.linearity() == KeyLinearity::kUnknown && table.contradicting() == 0);
  }

  /// Finds keys that are arithmetic sums. For such keys, key(both pieces) - key(first) -
  /// key(second) + key(none) is 0.
  std::optional<Error> look_for_sums() {
    constexpr int kTries = 12;
    std::vector<std::vector<KeyPosition>> squares;
    std::vector<KeyPosition> all;
    for (int i = 0; i < kTries; ++i) {
      const std::pair white{Piece{Color::kWhite, PieceType::kKing}, Square::kE1};
      const std::pair black{Piece{Color::kBlack, PieceType::kKing}, Square::kE8};
      const std::pair first{Piece{Color::kWhite, PieceType::kKnight}, square_at(i % 4, 2 + i % 3)};
      const std::pair second{Piece{Color::kBlack, PieceType::kPawn},
                             square_at(5 + i % 3, 3 + i % 2)};
      const auto none = sparse_position({white, black}, Color::kWhite);
      const auto one = sparse_position({white, black, first}, Color::kWhite);
      const auto other = sparse_position({white, black, second}, Color::kWhite);
      const auto both = sparse_position({white, black, first, second}, Color::kWhite);
      if (!none || !one || !other || !both) continue;
      squares.push_back({*none, *one, *other, *both});
      all.insert(all.end(), squares.back().begin(), squares.back().end());
    }
    if (auto error = answers_.ask(set_ups(all))) return error;
    std::size_t cancel = 0;
    for (const auto& four : squares) {
      std::array<std::uint64_t, 4> low{};
      bool known = true;
      for (std::size_t i = 0; i < 4; ++i) {
        const auto key = answers_.key(four[i].set_up());
        known = known && key;
        low.at(i) = key ? key->low : 0;
      }
      const int bits = std::min(report_.bits, 64);
      const std::uint64_t rest = (low[0] - low[1] - low[2] + low[3]) << (64 - bits);
      cancel += known && rest == 0 ? 1U : 0U;
    }
    if (!squares.empty() && cancel == squares.size())
      report_.table.set_linearity(KeyLinearity::kSum);
    return std::nullopt;
  }

  std::optional<Error> learn_habits() {
    constexpr int kMostClock = 100;
    constexpr int kNumber = 60;
    std::vector<KeyQuestion> questions;
    for (const auto& [fen, unused] : kPolyglotExamples) questions.push_back({fen, {}});
    for (int clock = 0; clock <= kMostClock; ++clock)
      questions.push_back(with_clocks(clock, kNumber));
    questions.push_back(with_clocks(0, kNumber + 1));
    questions.push_back(with_clocks(4, kNumber + 2));
    KeyQuestion toured = with_clocks(0, kNumber);
    toured.moves = kKnightsTour;
    if (answers_.source().plays_moves()) questions.push_back(toured);
    if (auto error = answers_.ask(questions)) return error;

    KeyHabits& habits = report_.habits;
    habits.polyglot = std::ranges::all_of(kPolyglotExamples, [&](const PolyglotExample& example) {
      return answers_.key({example.fen, {}}) == ZobristKey{example.key, 0};
    });
    const auto start = answers_.key(with_clocks(0, kNumber));
    if (!start) return std::nullopt;
    // Different keys prove nothing if the program's answers vary. So ask both questions again.
    const auto differs = [&](const KeyQuestion& question) -> Result<bool> {
      const auto key = answers_.key(question);
      if (!key || *key == *start) return false;
      const Result<Standing> stands =
          answers_.stands(std::vector{question, with_clocks(0, kNumber)});
      if (!stands) return stands.error();
      return *stands == Standing::kSame;
    };
    for (int clock = 1; clock <= kMostClock && !habits.clock_from; ++clock) {
      const Result<bool> changes = differs(with_clocks(clock, kNumber));
      if (!changes) return changes.error();
      if (*changes) habits.clock_from = clock;
    }
    const Result<bool> counts = differs(with_clocks(0, kNumber + 1));
    if (!counts) return counts.error();
    habits.counts_moves = *counts;
    const KeyQuestion told = with_clocks(4, kNumber + 2);
    if (answers_.key(toured) != answers_.key(told)) {
      const Result<Standing> stands = answers_.stands(std::vector{toured, told});
      if (!stands) return stands.error();
      if (*stands == Standing::kSame) learn_memory(answers_.key(toured), answers_.key(told));
    }
    if (auto error = learn_spelling()) return error;
    return learn_mirror();
  }

  /// `toured` and `told` are two keys of one position: after the moves kKnightsTour, and for a FEN.
  /// Wrongly played knight moves may change `toured` by numbers of knights or of the side to move.
  /// If the keys differ in another way, records that keys depend on something that no FEN contains.
  void learn_memory(std::optional<ZobristKey> toured, std::optional<ZobristKey> told) {
    if (!toured || !told || *toured == *told) return;
    const ZobristKey wrong = *toured ^ *told;
    std::vector<ZobristKey> sums{ZobristKey{}};
    const auto add = [&](std::size_t feature) {
      const auto number = report_.table.number(feature);
      if (!number) return;
      const std::size_t before = sums.size();
      for (std::size_t i = 0; i < before; ++i) sums.push_back(sums[i] ^ *number);
    };
    const Piece white{Color::kWhite, PieceType::kKnight};
    const Piece black{Color::kBlack, PieceType::kKnight};
    add(KeyFeature::kSide);
    for (const Square square : {Square::kC3, Square::kB1, Square::kC6, Square::kB8}) {
      add(KeyFeature::piece(white, square));
      add(KeyFeature::piece(black, square));
    }
    report_.habits.remembers = std::ranges::count(sums, wrong) == 0;
  }

  /// Chooses the first spelling of moves that gives right keys. If no spelling gives right keys,
  /// chooses the first spelling that the program does not refuse.
  std::optional<Error> learn_spelling() {
    if (!answers_.source().plays_moves() || !asks_anything()) return std::nullopt;
    MoveSpelling& spelling = report_.habits.spelling;
    using Castling = MoveSpelling::Castling;
    using Promotion = MoveSpelling::Promotion;
    std::vector<MoveSpelling> castling;
    for (const auto form :
         {Castling::kKing, Castling::kRook, Castling::kLetters, Castling::kDigits})
      castling.push_back({form, Promotion::kSmall});
    const auto castles =
        best_spelling(castling, {{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1"},
                                 {"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8"}});
    if (!castles) return castles.error();
    spelling.castling = castles->castling;
    std::vector<MoveSpelling> promotion;
    for (const auto form :
         {Promotion::kSmall, Promotion::kCapital, Promotion::kEquals, Promotion::kEqualsSmall})
      promotion.push_back({spelling.castling, form});
    const auto promotes = best_spelling(promotion, {{"8/2P3k1/8/8/8/8/6K1/8 w - - 0 1", "c7c8n"},
                                                    {"8/6k1/8/8/8/8/2p3K1/8 b - - 0 1", "c2c1q"}});
    if (!promotes) return promotes.error();
    spelling.promotion = promotes->promotion;
    return std::nullopt;
  }
  Result<MoveSpelling> best_spelling(const std::vector<MoveSpelling>& spellings,
                                     const std::vector<KeyQuestion>& moves) {
    std::optional<MoveSpelling> not_refused;
    for (const MoveSpelling& spelling : spellings) {
      bool right = true;
      bool refused = false;
      for (const auto& [fen, text] : moves) {
        const KeyPosition start = *KeyPosition::parse(fen);
        const Move move = *parse_uci(start.position, text, start.notation);
        const KeyLine line{start, {move}, spelling};
        const std::vector<KeyQuestion> questions{line.question(0), line.question(1),
                                                 start.after(move).set_up()};
        if (auto error = answers_.ask(questions)) return *error;
        const auto key = answers_.key(questions[1]);
        if (!key || key == answers_.key(questions[0])) {
          right = false;
          refused = true;
          continue;
        }
        const Result<Standing> standing = answers_.stands(std::span(questions).subspan(1, 1));
        if (!standing) return standing.error();
        refused = refused || *standing != Standing::kSame;
        right = right && !refused && key == answers_.key(questions[2]);
      }
      if (right) return spelling;
      if (!refused && !not_refused) not_refused = spelling;
    }
    return not_refused.value_or(spellings.front());
  }

  std::optional<Error> learn_mirror() {
    constexpr const char* kPairs[][2] = {
        {"4k3/2n5/8/8/3P4/8/8/R3K3 w - - 0 1", "r3k3/8/8/3p4/8/8/2N5/4K3 b - - 0 1"},
        {"6k1/5p2/8/8/8/2B5/8/4K3 w - - 0 1", "4k3/8/2b5/8/8/8/5P2/6K1 b - - 0 1"}};
    std::vector<KeyQuestion> questions;
    for (const auto& pair : kPairs) {
      for (const char* fen : pair) questions.push_back({fen, {}});
    }
    if (auto error = answers_.ask(questions)) return error;
    report_.habits.mirrored = std::ranges::all_of(kPairs, [&](const auto& pair) {
      const auto here = answers_.key({pair[0], {}});
      return here && here == answers_.key({pair[1], {}});
    });
    return std::nullopt;
  }

  std::optional<Error> audit() {
    Result<NumberAudit> numbers = audit_numbers(answers_, report_.table, options_.sums);
    if (!numbers) return numbers.error();
    report_.numbers = std::move(numbers).value();
    report_.findings = report_.numbers.findings;
    return std::nullopt;
  }

  std::optional<Error> play() {
    PlayedKeys played(answers_, report_.table);
    if (options_.lines) {
      if (auto error = played.compare(*options_.lines)) return error;
    } else if (answers_.source().plays_moves()) {
      KeyLines lines(options_.more);
      while (!answers_.is_spent()) {
        std::vector<KeyLine> some;
        while (some.size() < kLinesAtOnce) {
          some.push_back(lines.next());
          some.back().spelling = report_.habits.spelling;
        }
        if (auto error = played.compare(some)) return error;
      }
    }
    if (auto error = played.conclude(report_)) return error;
    if (auto error = compare_all(played.set_ups())) return error;
    if (report_.findings.empty()) ask_for_evidence();
    return std::nullopt;
  }

  /// If too few numbers or too few kinds of moves were checked, adds a reason to `undecided`.
  void ask_for_evidence() {
    if (10 * known_ < 9 * needed_ || report_.table.linearity() == KeyLinearity::kUnknown) {
      report_.undecided.push_back(fmt::format(
          "too few keys to tell: only {} of the {} positions that determine the numbers have a key",
          known_, needed_));
      return;
    }
    if (!answers_.source().plays_moves() || !report_.undecided.empty()) return;
    std::string missing;
    for (std::size_t kind = 0; kind < kMoveClasses; ++kind) {
      if (report_.moves[kind].asked > 0) continue;
      missing += missing.empty() ? "" : ", ";
      missing += name_of(static_cast<MoveClass>(kind));
    }
    if (!missing.empty())
      report_.undecided.push_back("too few keys to tell: no key was compared after " + missing);
  }

  /// Looks for two positions with equal keys. Does nothing if a finding or a habit already explains
  /// equal keys, or if there are so many positions that keys may be equal by chance.
  std::optional<Error> compare_all(const std::map<std::string, KeyPosition>& positions) {
    if (!report_.numbers.findings.empty() || report_.habits.mirrored) return std::nullopt;
    const auto n = static_cast<double>(positions.size());
    if (n * n / 2 * std::exp2(-report_.bits) > 1e-3) return std::nullopt;
    std::map<ZobristKey, const std::pair<const std::string, KeyPosition>*> seen;
    for (const auto& entry : positions) {
      const auto key = answers_.key({entry.first, {}});
      if (!key) continue;
      const auto [known, is_new] = seen.emplace(*key, &entry);
      if (is_new || known->second->second.position == entry.second.position) continue;
      const std::vector<KeyQuestion> questions{{known->second->first, {}}, {entry.first, {}}};
      const Result<Standing> stands = answers_.stands(questions);
      if (!stands) return stands.error();
      if (*stands != Standing::kSame) continue;
      KeyFinding finding{KeyFlaw::kOneKey, "", {}, {}, {{questions[0], questions[1], *key, *key}}};
      report_.findings.push_back(std::move(finding));
      return std::nullopt;
    }
    return std::nullopt;
  }

  KeyAnswers answers_;
  const KeyCheckOptions& options_;
  KeyReport report_;
  std::size_t known_ = 0;   ///< number of telling_positions() that have a key
  std::size_t needed_ = 0;  ///< number of telling_positions()
};

/// A source that records the questions and gives no answers.
class QuestionList : public KeySource {
 public:
  Result<Keys> keys(std::span<const KeyQuestion> questions) override {
    all.insert(all.end(), questions.begin(), questions.end());
    return Keys(questions.size());
  }
  [[nodiscard]] int bits() const override { return 64; }
  [[nodiscard]] bool answers_anything() const override { return false; }

  std::vector<KeyQuestion> all;
};

}  // namespace

Result<KeyReport> check_keys(KeySource& source, const KeyCheckOptions& options) {
  return KeyChecking(source, options).run();
}

std::vector<KeyQuestion> questions_to_paste(std::size_t count) {
  QuestionList list;
  KeyCheckOptions options;
  options.budget.questions = count;
  (void)check_keys(list, options);
  list.all.resize(std::min(count, list.all.size()));
  return std::move(list.all);
}

}  // namespace manyply
