#include "tools/diagnose/keys/played_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/bitboard.h"

namespace manyply {
namespace {

constexpr std::size_t kMostSetUps = 50'000;
/// Explanations are looked for among many sets of numbers; where there is none so often, there is
/// none.
constexpr std::size_t kMostUnexplained = 300;

constexpr std::size_t at_class(MoveClass kind) { return static_cast<std::size_t>(kind); }

struct FenForm {
  std::string fen;
  std::optional<Square> en_passant;
};

/// The FENs that may be told of a position: a passed square that nobody can use may be left out.
std::vector<FenForm> forms_of(const KeyPosition& position) {
  std::vector<FenForm> forms{{position.fen(), position.passed}};
  if (position.passed && position.passed_kind() != PassedSquare::kUsable)
    forms.push_back({position.fen(false), {}});
  return forms;
}

}  // namespace

std::vector<KeyQuestion> PlayedKeys::questions_of(const std::vector<KeyLine>& lines) {
  std::vector<KeyQuestion> questions;
  for (const KeyLine& line : lines) {
    const std::vector<KeyPosition> positions = line.positions();
    for (std::size_t ply = 0; ply <= line.moves.size(); ++ply) {
      questions.push_back(line.question(ply));
      if (ply == 0) continue;
      for (const FenForm& form : forms_of(positions[ply])) questions.push_back({form.fen, {}});
    }
  }
  return questions;
}

std::optional<Error> PlayedKeys::compare(const std::vector<KeyLine>& lines) {
  if (auto error = answers_.ask(questions_of(lines))) return error;
  for (const KeyLine& line : lines) compare(line);
  return std::nullopt;
}

void PlayedKeys::compare(const KeyLine& line) {
  const std::vector<KeyPosition> positions = line.positions();
  std::optional<ZobristKey> last = answers_.key(line.question(0));
  for (std::size_t ply = 1; ply <= line.moves.size(); ++ply) {
    const auto key = answers_.key(line.question(ply));
    if (!key) return;
    const KeyPosition& after = positions[ply];
    const std::vector<FenForm> forms = forms_of(after);
    const bool complete = std::ranges::all_of(
        forms, [&](const FenForm& form) { return answers_.key({form.fen, {}}).has_value(); });
    if (set_ups_.size() < kMostSetUps) set_ups_.emplace(forms[0].fen, after);
    const std::vector<Reference> references = references_of(after);
    const auto same = std::ranges::find(references, *key, &Reference::key);
    const bool right = same != references.end();
    // Where both FENs have one key, and it is that, nothing is told of the square.
    const bool tells = references.size() == forms.size() || (right && same->en_passant);
    if (right && tells) {
      KeyHabits::Passed& habit = passed_[static_cast<std::size_t>(after.passed_kind())];
      ++(same->en_passant ? habit.with : habit.without);
    }
    // A list that was pasted may have one of the two FENs, and the other would have been right.
    if (!right && !complete) return;
    ++compared_;
    if (last == key) ++not_played_;
    last = key;
    for (const MoveClass kind : classes_of(positions[ply - 1], line.moves[ply - 1], after)) {
      ++moves_[at_class(kind)].asked;
      moves_[at_class(kind)].wrong += right ? 0U : 1U;
    }
    if (right) continue;
    ++wrong_;
    return judge(line, ply, positions[ply - 1], after, *key);
  }
}

std::vector<PlayedKeys::Reference> PlayedKeys::references_of(const KeyPosition& after) const {
  std::vector<Reference> all;
  for (const FenForm& form : forms_of(after)) {
    const KeyQuestion told{form.fen, {}};
    if (const auto key = answers_.key(told)) all.push_back({told, *key, form.en_passant});
  }
  if (!after.passed || after.passed_kind() == PassedSquare::kUsable || all.size() < 2) return all;
  // Programs may be stricter with FENs than with moves: then the square is in the key of no FEN.
  if (all[0].key != all[1].key) return all;
  all.erase(all.begin());
  const auto number =
      table_.number(KeyFeature::en_passant(*after.passed), after.position.side_to_move());
  if (number) all.push_back({all[0].told, all[0].key ^ *number, after.passed});
  return all;
}

void PlayedKeys::judge(const KeyLine& line, std::size_t ply, const KeyPosition& before,
                       const KeyPosition& after, const ZobristKey& key) {
  const Move move = line.moves[ply - 1];
  std::optional<WrongKey> best;
  std::optional<KeyPair> best_pair;
  for (const auto& [told, expected, en_passant] : references_of(after)) {
    const KeyPair pair{line.question(ply), told, key, *answers_.key(told)};
    if (!best_pair) best_pair = pair;
    if (unexplained_count_ >= kMostUnexplained && cases_.empty()) break;
    auto found = explain_wrong_key(table_, before, move, after, en_passant, key ^ expected);
    if (!found || (best && best->numbers <= found->numbers)) continue;
    best = std::move(found);
    best_pair = pair;
  }
  Case found{{},
             *best_pair,
             to_uci(move, line.start.notation),
             best_pair->first_key ^ best_pair->second_key,
             0,
             1};
  found.weight = static_cast<std::size_t>(popcount(after.position.board().occupied())) + 8 * ply;
  if (best) return note(*best, std::move(found));
  const std::vector<MoveClass> classes = classes_of(before, move, after);
  if (move.is_promotion())
    note_promotion({before.position.side_to_move(), move.promoted_to()}, move.to(), classes, found);
  note_unexplained(classes, found);
}

void PlayedKeys::note(const WrongKey& wrong, Case found) {
  // One with nothing else wrong beside it shows best what is meant.
  found.weight += 1000 * (wrong.parts.size() - 1);
  for (const WrongKey::Part& part : wrong.parts) {
    found.part = part;
    auto& cases = wrong.is_ambiguous ? ambiguous_ : cases_;
    const auto [known, is_new] = cases.emplace(part.fault, found);
    if (is_new) continue;
    const std::size_t count = known->second.count + 1;
    if (found.weight < known->second.weight) known->second = found;
    known->second.count = count;
  }
}

/// A pawn on the last rank has no number that positions tell. But where one stands in the key, it
/// is the same whatever it was to become.
void PlayedKeys::note_promotion(Piece promoted, Square to, const std::vector<MoveClass>& classes,
                                const Case& found) {
  const auto number = table_.number(KeyFeature::piece(promoted, to));
  if (!number) return;
  Promotions& there = promotions_[{to, found.wrong ^ *number}];
  if (there.kinds.empty()) {
    there.first = found;
    there.first.part.fault = KeyFlaw::kPromotionAsPawn;
    there.first.part.missing = {name_of_feature(KeyFeature::piece(promoted, to))};
    there.first.part.too_much = {
        name_of_feature(KeyFeature::piece({promoted.color, PieceType::kPawn}, to))};
  }
  if (std::ranges::count(there.kinds, promoted.type) == 0) there.kinds.push_back(promoted.type);
  there.classes.push_back(classes);
}

void PlayedKeys::explain_promotions() {
  for (auto& [unused, there] : promotions_) {
    if (there.kinds.size() < 2) continue;
    for (const auto& classes : there.classes) {
      for (const MoveClass kind : classes) {
        auto& left = unexplained_[at_class(kind)];
        if (left && --left->count == 0) left.reset();
      }
    }
    unexplained_count_ -= std::min(unexplained_count_, there.classes.size());
    const auto [known, is_new] = cases_.emplace(KeyFlaw::kPromotionAsPawn, there.first);
    if (is_new) {
      known->second.count = there.classes.size();
    } else {
      known->second.count += there.classes.size();
    }
  }
}

void PlayedKeys::note_unexplained(const std::vector<MoveClass>& classes, const Case& found) {
  ++unexplained_count_;
  ++unexplained_values_[found.wrong];
  for (const MoveClass kind : classes) {
    std::optional<Case>& known = unexplained_[at_class(kind)];
    const std::size_t count = known ? known->count + 1 : 1;
    if (!known || found.weight < known->weight) known = found;
    known->count = count;
  }
}

std::size_t PlayedKeys::right_moves() const { return compared_ - wrong_; }

void PlayedKeys::tell(const Case& found, KeyReport& report) {
  const std::vector<KeyQuestion> questions{found.pair.first, found.pair.second};
  const Result<bool> stands = answers_.stands(questions);
  if (!stands) {
    error_ = stands.error();
    return;
  }
  if (!*stands) {
    report.undecided.push_back("the program gives another key when it is asked again for " +
                               to_string(found.pair.first));
    return;
  }
  KeyFinding finding{found.part.fault,   found.move,   found.part.too_much,
                     found.part.missing, {found.pair}, found.count};
  report.findings.push_back(std::move(finding));
}

std::optional<Error> PlayedKeys::conclude(KeyReport& report) {
  report.moves = moves_;
  report.habits.passed = passed_;
  if (compared_ > 0 && 10 * not_played_ > 9 * compared_ && wrong_ > 0) {
    report.undecided.emplace_back(
        "after moves it shows the key of the position before them: it does not play the moves that "
        "it is told, so that only positions that are set up were looked at");
    return error_;
  }
  explain_promotions();
  if (cases_.empty()) cases_ = ambiguous_;
  for (const auto& [fault, found] : cases_) tell(found, report);
  tell_not_set_up(report);
  if (unexplained_count_ > 0) tell_unexplained(report);
  return error_;
}

/// What is not in the keys of positions that are set up, and is after moves, has no number that
/// explains a wrong key.
void PlayedKeys::tell_not_set_up(KeyReport& report) {
  if (unexplained_count_ == 0) return;
  struct Row {
    KeyFlaw ignored;
    KeyFlaw not_set_up;
    std::vector<MoveClass> classes;
  };
  const std::vector<Row> rows{{KeyFlaw::kEnPassantIgnored,
                               KeyFlaw::kEnPassantNotSetUp,
                               {MoveClass::kCapturablePush, MoveClass::kDoublePush}},
                              {KeyFlaw::kCastlingIgnored,
                               KeyFlaw::kCastlingNotSetUp,
                               {MoveClass::kKingLosesRights, MoveClass::kRookLosesRight,
                                MoveClass::kRookCaptured, MoveClass::kCastling}},
                              {KeyFlaw::kSideIgnored, KeyFlaw::kSideNotSetUp, {MoveClass::kQuiet}}};
  for (const auto& [ignored, not_set_up, classes] : rows) {
    const auto known = std::ranges::find(report.findings, ignored, &KeyFinding::fault);
    if (known == report.findings.end()) continue;
    for (const MoveClass kind : classes) {
      const std::optional<Case> found = unexplained_[at_class(kind)];
      if (!found) continue;
      report.findings.erase(known);
      Case told = *found;
      told.part.fault = not_set_up;
      tell(told, report);
      // Moves that are wrong for that reason are in one of the classes; a side is in all of them.
      const bool all = not_set_up == KeyFlaw::kSideNotSetUp && unexplained_values_.size() <= 2;
      std::size_t explained = 0;
      for (const MoveClass other : classes) {
        auto& count = unexplained_[at_class(other)];
        explained += count ? count->count : 0;
        count.reset();
      }
      unexplained_count_ -= all ? unexplained_count_ : std::min(unexplained_count_, explained);
      break;
    }
  }
}

void PlayedKeys::tell_unexplained(KeyReport& report) {
  // The kind of move that is wrong most often; of equal ones the rarest, which says most.
  const Case* worst = nullptr;
  std::size_t worst_kind = 0;
  double worst_share = 0;
  for (std::size_t kind = 0; kind < kMoveClasses; ++kind) {
    if (!unexplained_[kind]) continue;
    const double share =
        static_cast<double>(unexplained_[kind]->count) / static_cast<double>(moves_[kind].asked);
    const bool rarer = worst != nullptr && moves_[kind].asked < moves_[worst_kind].asked;
    if (worst == nullptr || share > worst_share || (share == worst_share && rarer)) {
      worst = &*unexplained_[kind];
      worst_kind = kind;
      worst_share = share;
    }
  }
  if (worst == nullptr) return;
  const std::string where = fmt::format(
      "after {} the key is not that of the position set up, in {} of {} cases; in {} of {} moves "
      "of "
      "all kinds it is",
      name_of(static_cast<MoveClass>(worst_kind)), worst->count, moves_[worst_kind].asked,
      right_moves(), compared_);
  if (report.habits.remembers) {
    report.undecided.push_back(
        "keys contain something of the moves before, which no FEN tells: even after knights have "
        "gone out and come back they are not those of the position set up. So " +
        where);
    return;
  }
  constexpr double kEach = 0.999;
  const auto right = static_cast<double>(right_moves());
  // What a whole kind of moves gets wrong and others do not is a fault, whatever keys consist of.
  // Anything else may be something that no FEN tells; so may what double steps leave behind that
  // nobody can use.
  const bool one_kind =
      worst_share >= kEach && worst->count >= 4 && right >= 0.5 * static_cast<double>(compared_) &&
      worst_kind != at_class(MoveClass::kQuiet) && worst_kind != at_class(MoveClass::kDoublePush);
  const bool clocks = report.habits.clock_from && *report.habits.clock_from < 30;
  if (!one_kind || clocks) {
    report.undecided.push_back(fmt::format(
        "{}, and the difference is none of its numbers: for instance {}, {:016x}, and {}, {:016x}",
        where, to_string(worst->pair.first), worst->pair.first_key.low,
        to_string(worst->pair.second), worst->pair.second_key.low));
    return;
  }
  Case told = *worst;
  told.part.fault = KeyFlaw::kUnexplained;
  const std::size_t before = report.findings.size();
  tell(told, report);
  if (report.findings.size() > before) report.findings.back().detail += ": " + where;
}

}  // namespace manyply
