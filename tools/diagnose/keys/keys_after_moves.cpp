#include <fmt/format.h>

#include <algorithm>

#include "core/bitboard.h"
#include "core/position.h"
#include "tools/diagnose/keys/key_check.h"

namespace manyply {
namespace {

constexpr std::size_t kMostSetUps = 50'000;
constexpr std::size_t kMostRiddles = 20'000;
/// The search for the fault of a wrong key is slow. If all of the first kMostSearches searches
/// fail, further wrong keys are not examined in this way.
constexpr std::size_t kMostSearches = 300;
/// Number of cases stored for each fault. Before a case is reported, its question is repeated. If
/// the program's answer has changed, the next case is tried.
constexpr std::size_t kKeptCases = 5;
/// A conclusion needs at least this many similar cases. Fewer cases may be similar by chance.
constexpr std::size_t kLeastAlike = 4;
constexpr double kNearlyAll = 0.9;

constexpr std::size_t at_class(MoveClass kind) { return static_cast<std::size_t>(kind); }

struct FenForm {
  std::string fen;
  std::optional<Square> en_passant;
};

/// Returns the FENs of a position. If no capture on the passed square is legal, there are two FENs:
/// with and without this square.
std::vector<FenForm> forms_of(const KeyPosition& position) {
  std::vector<FenForm> forms{{position.fen(), position.passed}};
  if (position.passed && position.passed_kind() != PassedSquare::kUsable)
    forms.push_back({position.fen(false), {}});
  return forms;
}

bool is_quiet(const KeyPosition& before, Move move) {
  return move.kind() == MoveKind::kNormal && !before.position.piece_on(move.to());
}
bool keeps_rights(const KeyPosition& before, Move move) {
  return before.position.board().castling == before.after(move).position.board().castling;
}

bool is_castled_rook(KeyFlaw flaw) {
  return flaw == KeyFlaw::kCastledRookLeftBehind || flaw == KeyFlaw::kCastledRookNotPut ||
         flaw == KeyFlaw::kCastledRookNotMoved || flaw == KeyFlaw::kCastledRookWrongSquare;
}
bool is_promotion(KeyFlaw flaw) {
  return flaw == KeyFlaw::kPromotionAsPawn || flaw == KeyFlaw::kPromotionWrongPiece;
}

std::string last_move_of(const KeyLine& line) {
  return line.spelling.text(line.moves.back(), line.start.notation);
}
KeyQuestion whole(const KeyLine& line) { return line.question(line.moves.size()); }

}  // namespace

// ------------------------------------------------------------ comparing

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
  std::vector<std::optional<ZobristKey>> earlier{answers_.key(line.question(0))};
  for (std::size_t ply = 1; ply <= line.moves.size(); ++ply) {
    const auto key = answers_.key(line.question(ply));
    if (!key) return;
    const KeyPosition& before = positions[ply - 1];
    const KeyPosition& after = positions[ply];
    const std::vector<FenForm> forms = forms_of(after);
    const bool complete = std::ranges::all_of(
        forms, [&](const FenForm& form) { return answers_.key({form.fen, {}}).has_value(); });
    if (set_ups_.size() < kMostSetUps) set_ups_.emplace(forms[0].fen, after);
    const std::vector<Reference> references = references_of(after);
    const auto same = std::ranges::find(references, *key, &Reference::key);
    const bool right = same != references.end();
    // If the FENs with and without the en passant square have the same key and the square's number
    // is unknown, the key after the move does not show whether the square is in the key.
    const bool tells = references.size() == forms.size() || (right && same->en_passant);
    if (right && tells) {
      KeyHabits::Passed& habit = passed_[static_cast<std::size_t>(after.passed_kind())];
      ++(same->en_passant ? habit.with : habit.without);
    }
    // A pasted list may contain only one of the two FENs. The key of the missing FEN may be the
    // right one.
    if (!right && !complete) return;
    ++compared_;
    about_passed_ += before.passed || after.passed ? 1U : 0U;
    last_rights_ += before.position.board().castling != 0 && after.position.board().castling == 0;
    // A program that rejects a move may stay at the previous position, or return to the position of
    // the FEN.
    const bool unchanged = std::ranges::count(earlier, key) != 0;
    for (const MoveClass kind : classes_of(before, line.moves[ply - 1], after)) {
      ++moves_[at_class(kind)].asked;
      moves_[at_class(kind)].wrong += right || unchanged ? 0U : 1U;
    }
    earlier.push_back(key);
    if (right) continue;
    wrong_ += unchanged ? 0U : 1U;
    return judge(line, positions, ply, unchanged);
  }
}

std::vector<PlayedKeys::Reference> PlayedKeys::references_of(const KeyPosition& after) const {
  std::vector<Reference> all;
  for (const FenForm& form : forms_of(after)) {
    const KeyQuestion told{form.fen, {}};
    if (const auto key = answers_.key(told)) all.push_back({told, *key, form.en_passant});
  }
  if (!after.passed || after.passed_kind() == PassedSquare::kUsable || all.size() < 2) return all;
  // A program may ignore the en passant square of a FEN, but XOR the square's number into the key
  // after a double step. So accept two keys after this move: the key of the FEN, and the XOR of the
  // key of the FEN and the number.
  if (all[0].key != all[1].key) return all;
  all.erase(all.begin());
  const auto number =
      table_.number(KeyFeature::en_passant(*after.passed), after.position.side_to_move());
  if (number) all.push_back({all[0].told, all[0].key ^ *number, after.passed});
  return all;
}

bool PlayedKeys::Riddle::is(MoveClass kind) const { return std::ranges::count(classes, kind) != 0; }

void PlayedKeys::judge(const KeyLine& line, const std::vector<KeyPosition>& positions,
                       std::size_t ply, bool is_unchanged) {
  const KeyPosition& before = positions[ply - 1];
  const KeyPosition& after = positions[ply];
  const Move move = line.moves[ply - 1];
  const std::vector<Reference> references = references_of(after);
  KeyLine played = line;
  played.moves.resize(ply);
  const KeyQuestion question = whole(played);
  const ZobristKey key = *answers_.key(question);
  const auto pair_with = [&](const Reference& reference) {
    return KeyPair{question, reference.told, key, *answers_.key(reference.told)};
  };
  KeyPair pair = pair_with(references.front());
  std::optional<WrongKey> best;
  if (!is_unchanged && (unexplained_.size() < kMostSearches || !cases_.empty())) {
    for (const Reference& reference : references) {
      auto found =
          explain_wrong_key(table_, before, move, after, reference.en_passant, key ^ reference.key);
      if (!found || (best && best->numbers <= found->numbers)) continue;
      best = std::move(found);
      pair = pair_with(reference);
    }
  }
  Case found{{}, std::move(played), pair, pair.first_key ^ pair.second_key, 0};
  found.weight = static_cast<std::size_t>(popcount(after.position.board().occupied())) + 8 * ply;
  if (best) return note(*best, found);
  Riddles& riddles = is_unchanged ? unplayed_ : unexplained_;
  if (riddles.size() >= kMostRiddles) return;
  riddles.push_back(
      {std::move(found), classes_of(before, move, after), before.passed || after.passed,
       before.position.board().castling != 0 && after.position.board().castling == 0});
}

void PlayedKeys::Cases::add(const Case& found) {
  ++count;
  const auto at = std::ranges::upper_bound(lightest, found.weight, {}, &Case::weight);
  if (at == lightest.end() && lightest.size() >= kKeptCases) return;
  lightest.insert(at, found);
  if (lightest.size() > kKeptCases) lightest.pop_back();
}

void PlayedKeys::note(const WrongKey& wrong, const Case& found) {
  for (const WrongKey::Part& part : wrong.parts) {
    Case one = found;
    one.part = part;
    // A case with only one fault shows the fault best. So cases with several faults get a greater
    // weight, and are shown later.
    one.weight += 1000 * (wrong.parts.size() - 1);
    (wrong.is_ambiguous ? ambiguous_ : cases_)[part.fault].add(one);
  }
}

// ------------------------------------------------------------ the program's board

/// Returns the line of `found`, extended by one or two moves that are possible only on the right
/// board; nullopt if there are no such moves. The last move is one of these: a move of the piece
/// that has just moved, a move of the castled rook, a move onto the square of the captured pawn, or
/// an en passant capture.
std::optional<KeyLine> PlayedKeys::longer_line(const Case& found) {
  const std::vector<KeyPosition> positions = found.line.positions();
  const KeyPosition& before = positions[positions.size() - 2];
  const KeyPosition& after = positions.back();
  const Move move = found.line.moves.back();
  KeyLine longer = found.line;
  Square from = move.to();
  if (move.kind() == MoveKind::kCastling)
    from = square_at(file_of(move.to()) > file_of(move.from()) ? 5 : 3, rank_of(move.to()));
  const MoveList replies = legal_moves(after.position);
  if (move.kind() == MoveKind::kDoublePush && after.passed_kind() == PassedSquare::kUsable) {
    for (const Move reply : replies) {
      if (reply.kind() != MoveKind::kEnPassant) continue;
      longer.moves.push_back(reply);
      return longer;
    }
    return std::nullopt;
  }
  const bool white = before.position.side_to_move() == Color::kWhite;
  std::optional<Square> onto;
  if (move.kind() == MoveKind::kEnPassant) onto = square_at(index(move.to()) + (white ? -8 : 8));
  for (const Move reply : replies) {
    if (!is_quiet(after, reply)) continue;
    if (onto && reply.to() == *onto) {
      longer.moves.push_back(reply);
      return longer;
    }
  }
  // Prefer a reply that changes no castling right.
  for (const bool changes_rights : {false, true}) {
    for (const Move reply : replies) {
      const auto mover = after.position.piece_on(reply.from());
      if (!is_quiet(after, reply) || mover->type == PieceType::kPawn ||
          keeps_rights(after, reply) == changes_rights)
        continue;
      const KeyPosition next = after.after(reply);
      for (const Move second : legal_moves(next.position)) {
        if (!is_quiet(next, second) || (onto ? second.to() != *onto : second.from() != from))
          continue;
        longer.moves.push_back(reply);
        longer.moves.push_back(second);
        return longer;
      }
    }
  }
  return std::nullopt;
}

/// Returns whether `difference` shows that the program's board is wrong in one of two ways: the
/// pawn captured en passant is still on the board, or the promoted piece is not the chosen one.
/// `difference` is the XOR of the program's key and the right key of `last`.
bool PlayedKeys::shows_another_board(const Case& found, const KeyPosition& last,
                                     const ZobristKey& difference) const {
  const Move move = found.line.moves.back();
  if (move.kind() == MoveKind::kEnPassant) return difference == ZobristKey{};
  if (!move.is_promotion()) return false;
  const KeyPosition before = found.line.positions()[found.line.moves.size() - 1];
  const Color color = before.position.side_to_move();
  for (int s = 0; s < kSquares; ++s) {
    if (last.position.piece_on(square_at(s)) != Piece{color, move.promoted_to()}) continue;
    for (int type = 0; type < index(PieceType::kKing); ++type) {
      const FeatureSet both{KeyFeature::piece({color, move.promoted_to()}, square_at(s)),
                            KeyFeature::piece({color, static_cast<PieceType>(type)}, square_at(s))};
      const auto value = table_.value(both, last.position.side_to_move());
      if (static_cast<PieceType>(type) != move.promoted_to() && s != index(move.to()) &&
          value == difference)
        return true;
    }
  }
  return false;
}

/// Returns a case with the same kind of move in another position. There, a further move shows
/// whether the program's board is right: after an en passant capture, a rook can move onto the
/// square of the captured pawn; after a promotion to a knight, the new piece has moves that no
/// other piece has. Returns nullopt for other kinds of moves, and if the key in that position is
/// right or unknown.
std::optional<PlayedKeys::Case> PlayedKeys::clear_case(const Case& found) {
  struct Example {
    const char* fen;
    std::vector<const char*> moves;
  };
  const Move move = found.line.moves.back();
  const bool white = found.line.positions().back().position.side_to_move() == Color::kBlack;
  Example example;
  if (move.kind() == MoveKind::kEnPassant) {
    example = white ? Example{"4k3/3p4/8/4P3/8/8/8/3RK3 b - - 0 1", {"d7d5", "e5d6"}}
                    : Example{"3rk3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", {"d2d4", "e4d3"}};
  } else if (move.is_promotion()) {
    example = white ? Example{"8/2P5/7k/8/8/8/6K1/8 w - - 0 1", {"c7c8n"}}
                    : Example{"8/6k1/8/8/8/7K/2p5/8 b - - 0 1", {"c2c1n"}};
  } else {
    return std::nullopt;
  }
  KeyPosition here = *KeyPosition::parse(example.fen);
  Case probe{found.part, {here, {}, found.line.spelling}, {}, {}, 0};
  for (const char* text : example.moves) {
    probe.line.moves.push_back(*parse_uci(here.position, text, here.notation));
    here = here.after(probe.line.moves.back());
  }
  const std::vector<KeyQuestion> questions{whole(probe.line), here.set_up()};
  if (!error_) error_ = answers_.ask(questions);
  const auto key = answers_.key(questions[0]);
  const auto expected = answers_.key(questions[1]);
  if (error_ || !key || !expected || key == expected) return std::nullopt;
  probe.wrong = *key ^ *expected;
  return probe;
}

/// Plays further moves to find out whether the program's board is wrong, or only its key. If the
/// XOR of wrong key and right key is the same number before and after the further moves, the board
/// is right. If the program rejects a further move, the board is wrong.
PlayedKeys::Board PlayedKeys::board_after(const Case& found) {
  if (!answers_.source().answers_anything()) return Board::kUnknown;
  const std::optional<KeyLine> longer = longer_line(found);
  if (!longer) return Board::kUnknown;
  const KeyPosition last = longer->positions().back();
  std::vector<KeyQuestion> questions;
  for (std::size_t ply = 0; ply <= longer->moves.size(); ++ply)
    questions.push_back(longer->question(ply));
  std::vector<KeyQuestion> all = questions;
  for (const FenForm& form : forms_of(last)) all.push_back({form.fen, {}});
  if (!error_) error_ = answers_.ask(all);
  if (error_) return Board::kUnknown;
  const auto key = answers_.key(questions.back());
  if (!key) return Board::kUnknown;
  const Result<Standing> standing = answers_.stands(std::span(questions).last(1));
  if (!standing) error_ = standing.error();
  if (!standing) return Board::kUnknown;
  if (*standing == Standing::kRefused) return Board::kWrong;
  for (std::size_t ply = 0; ply + 1 < questions.size(); ++ply) {
    if (answers_.key(questions[ply]) == key) return Board::kWrong;
  }
  for (const Reference& reference : references_of(last)) {
    const ZobristKey difference = *key ^ reference.key;
    if (difference == found.wrong) return Board::kRight;
    if (shows_another_board(found, last, difference)) return Board::kWrong;
  }
  return Board::kUnknown;
}

/// Returns board_after(found). If this is kUnknown, tests the same kind of move in another position
/// (see clear_case()). Returns kRight if the keys come from a fixed list, because then no further
/// moves can be played.
PlayedKeys::Board PlayedKeys::board_of(const Case& found) {
  if (!answers_.source().answers_anything()) return Board::kRight;
  const Board board = board_after(found);
  if (board != Board::kUnknown) return board;
  const std::optional<Case> clear = clear_case(found);
  return clear ? board_after(*clear) : board;
}

// ------------------------------------------------------------ wrong keys without a known fault

/// Moves each wrong key for which `is_solved` returns true from `riddles` to `cases[flaw]`.
void PlayedKeys::solve(std::map<KeyFlaw, Cases>& cases, Riddles& riddles, KeyFlaw flaw,
                       const std::function<bool(const Riddle&)>& is_solved) {
  std::erase_if(riddles, [&](const Riddle& riddle) {
    if (!is_solved(riddle)) return false;
    Case found = riddle.found;
    if (found.part.fault != flaw) found.part = {flaw, {}, {}};
    cases[flaw].add(found);
    return true;
  });
}

std::array<std::size_t, kMoveClasses> PlayedKeys::counts_of(const Riddles& riddles) const {
  std::array<std::size_t, kMoveClasses> counts{};
  for (const Riddle& riddle : riddles) {
    for (const MoveClass kind : riddle.classes) ++counts[at_class(kind)];
  }
  return counts;
}

/// Examines moves after which the program's key was unchanged. If the program played such a move on
/// its board, the unchanged key is a fault.
void PlayedKeys::settle_unplayed() {
  for (std::size_t kind = 0; kind < kMoveClasses; ++kind) {
    const auto of_kind = [&](const Riddle& riddle) {
      return riddle.is(static_cast<MoveClass>(kind));
    };
    Cases some;
    for (const Riddle& riddle : unplayed_) {
      if (of_kind(riddle)) some.add(riddle.found);
    }
    if (some.count < kLeastAlike) continue;
    std::size_t right = 0;
    for (const Case& found : some.lightest) right += board_after(found) == Board::kRight ? 1U : 0U;
    if (2 * right <= some.lightest.size()) continue;
    for (const Riddle& riddle : unplayed_) {
      if (!of_kind(riddle)) continue;
      for (const MoveClass one : riddle.classes) ++moves_[at_class(one)].wrong;
      ++wrong_;
    }
    solve(cases_, unplayed_, KeyFlaw::kNotUpdated, of_kind);
  }
}

/// Finds moves that the program rejects. After such a move, the program may show the key of the
/// previous question.
void PlayedKeys::settle_refused() {
  for (std::size_t kind = 0; kind < kMoveClasses; ++kind) {
    const auto of_kind = [&](const Riddle& riddle) {
      return riddle.is(static_cast<MoveClass>(kind));
    };
    Cases some;
    for (const Riddle& riddle : unexplained_) {
      if (of_kind(riddle)) some.add(riddle.found);
    }
    if (some.count == 0) continue;
    std::size_t refused = 0;
    for (const Case& found : some.lightest) {
      const Result<Standing> standing = answers_.stands(std::vector{found.pair.first});
      if (!standing) {
        error_ = standing.error();
        return;
      }
      refused += *standing == Standing::kRefused ? 1U : 0U;
    }
    if (2 * refused <= some.lightest.size()) continue;
    for (const Riddle& riddle : unexplained_) {
      if (!of_kind(riddle)) continue;
      unplayed_.push_back(riddle);
      for (const MoveClass one : riddle.classes) --moves_[at_class(one)].wrong;
      --wrong_;
    }
    std::erase_if(unexplained_, of_kind);
  }
}

/// Finds promotions after which the key contains a pawn. The number for a pawn on the last rank is
/// unknown, because no position shows this number. But promotions to two different pieces on one
/// square reveal it: both wrong keys contain one and the same unknown number.
void PlayedKeys::solve_promotions() {
  const auto place_of =
      [&](const Riddle& riddle) -> std::optional<std::pair<std::pair<Square, ZobristKey>, Piece>> {
    const Move move = riddle.found.line.moves.back();
    if (!move.is_promotion()) return std::nullopt;
    const Color color = rank_of(move.to()) == 7 ? Color::kWhite : Color::kBlack;
    const Piece piece{color, move.promoted_to()};
    const auto number = table_.number(KeyFeature::piece(piece, move.to()));
    if (!number) return std::nullopt;
    return std::pair(std::pair(move.to(), riddle.found.wrong ^ *number), piece);
  };
  std::map<std::pair<Square, ZobristKey>, std::vector<PieceType>> kinds_at;
  for (const Riddle& riddle : unexplained_) {
    const auto place = place_of(riddle);
    if (!place) continue;
    auto& kinds = kinds_at[place->first];
    if (std::ranges::count(kinds, place->second.type) == 0) kinds.push_back(place->second.type);
  }
  for (Riddle& riddle : unexplained_) {
    const auto place = place_of(riddle);
    if (!place || kinds_at[place->first].size() < 2) continue;
    const auto [square, piece] = std::pair(place->first.first, place->second);
    riddle.found.part.fault = KeyFlaw::kPromotionAsPawn;
    riddle.found.part.missing = {name_of_feature(KeyFeature::piece(piece, square))};
    riddle.found.part.too_much = {
        name_of_feature(KeyFeature::piece({piece.color, PieceType::kPawn}, square))};
  }
  solve(cases_, unexplained_, KeyFlaw::kPromotionAsPawn,
        [](const Riddle& riddle) { return riddle.found.part.fault == KeyFlaw::kPromotionAsPawn; });
}

/// Finds features, such as castling rights, that the program includes in the key after a move but
/// not in the key of a FEN. The numbers of such features are unknown, so explain_wrong_key() cannot
/// explain the keys after moves.
void PlayedKeys::solve_set_ups(KeyReport& report) {
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
    // kSideNotSetUp means that the keys of FENs lack the side to move. Each move changes the side,
    // so keys are then wrong after moves of all kinds.
    const bool everywhere = not_set_up == KeyFlaw::kSideNotSetUp;
    std::map<ZobristKey, std::size_t> values;
    for (const Riddle& riddle : unexplained_) ++values[riddle.found.wrong];
    std::map<KeyFlaw, Cases> solved;
    solve(solved, unexplained_, not_set_up, [&](const Riddle& riddle) {
      return (everywhere && values.size() <= 2) ||
             std::ranges::any_of(classes, [&](MoveClass kind) { return riddle.is(kind); });
    });
    if (solved.empty()) continue;
    report.findings.erase(known);
    tell(solved.begin()->second, report);
  }
}

/// Finds a single unknown number that explains many wrong keys. The moves after which this number
/// occurs show what the number stands for.
void PlayedKeys::solve_one_number(KeyReport& report) {
  if (!table_.is_linear() || report.habits.remembers) return;
  std::map<ZobristKey, std::size_t> values;
  for (const Riddle& riddle : unexplained_) ++values[riddle.found.wrong];
  for (const auto& [value, count] : values) {
    if (count < kLeastAlike) continue;
    std::size_t passed = 0;
    std::size_t last_right = 0;
    for (const Riddle& riddle : unexplained_) {
      if (riddle.found.wrong != value) continue;
      passed += riddle.about_passed ? 1U : 0U;
      last_right += riddle.last_right ? 1U : 0U;
    }
    const double nearly_all = kNearlyAll * static_cast<double>(count);
    const bool is_right = static_cast<double>(last_right) >= nearly_all;
    const bool is_passed = static_cast<double>(passed) >= nearly_all;
    if (!is_right && !is_passed) continue;
    const KeyFlaw flaw = is_right ? KeyFlaw::kLastRightNumber : KeyFlaw::kNoSquareNumber;
    std::map<KeyFlaw, Cases> solved;
    solve(solved, unexplained_, flaw,
          [&](const Riddle& riddle) { return riddle.found.wrong == value; });
    const std::size_t before = report.findings.size();
    tell(solved.begin()->second, report);
    if (report.findings.size() > before)
      report.findings.back().detail +=
          fmt::format(": the same difference after {} of {} moves {}", count,
                      is_right ? last_rights_ : about_passed_,
                      is_right ? "that take the last castling right"
                               : "with an en passant square before or after them");
  }
}

// ------------------------------------------------------------ the report

void PlayedKeys::tell(const Cases& cases, KeyReport& report) {
  std::size_t changed = 0;
  for (const Case& found : cases.lightest) {
    const Result<Standing> stands =
        answers_.stands(std::vector{found.pair.first, found.pair.second});
    if (!stands) error_ = stands.error();
    if (error_) return;
    changed += *stands == Standing::kChanged ? 1U : 0U;
    if (*stands != Standing::kSame) continue;
    const KeyFlaw flaw = found.part.fault;
    const bool is_move_of_two = is_castled_rook(flaw) || is_promotion(flaw) ||
                                flaw == KeyFlaw::kEnPassantPawnKept ||
                                flaw == KeyFlaw::kEnPassantPawnWrongSquare;
    if (is_move_of_two || flaw == KeyFlaw::kEnPassantNotSet || flaw == KeyFlaw::kUnexplained) {
      const Board board = board_of(found);
      // If the program has a second fault, board_of() may return kUnknown although the program's
      // board is right. So treat kUnknown as a wrong board only if the program has a single fault.
      const bool needs_proof = is_move_of_two && table_.is_linear() && cases_.size() == 1;
      if (board == Board::kWrong || (needs_proof && board == Board::kUnknown)) {
        const KeyPosition before = found.line.positions()[found.line.moves.size() - 1];
        report.undecided.push_back(fmt::format(
            "the program plays this kind of move wrong: after {} its board is wrong, so the key "
            "after this kind of move is not checked",
            to_string(found.pair.first)));
        for (const MoveClass kind :
             classes_of(before, found.line.moves.back(), found.line.positions().back()))
          moves_[at_class(kind)].not_played += cases.count;
        return;
      }
    }
    KeyFinding finding{
        flaw,       last_move_of(found.line), found.part.too_much, found.part.missing, {found.pair},
        cases.count};
    report.findings.push_back(std::move(finding));
    return;
  }
  if (cases.lightest.empty()) return;
  report.undecided.push_back(
      fmt::format("when asked again, the program gives {} for {}",
                  changed > 0 ? "another key" : "the key of the previous question",
                  to_string(cases.lightest.front().pair.first)));
}

std::optional<Error> PlayedKeys::conclude(KeyReport& report) {
  report.habits.passed = passed_;
  if (compared_ > 0 && 10 * unplayed_.size() > 9 * compared_) {
    for (const Riddle& riddle : unplayed_) {
      for (const MoveClass kind : riddle.classes) ++moves_[at_class(kind)].not_played;
    }
    report.moves = moves_;
    report.undecided.emplace_back(
        "the program does not play moves: after a move it shows the key of the previous position; "
        "only keys of positions given as FENs were checked");
    return error_;
  }
  settle_unplayed();
  settle_refused();
  solve_promotions();
  if (cases_.empty()) cases_ = ambiguous_;
  for (const auto& [fault, cases] : cases_) tell(cases, report);
  solve_set_ups(report);
  solve_one_number(report);
  if (!unexplained_.empty()) tell_riddles(report);
  tell_unknown_to_board(report);
  tell_unplayed(report);
  report.moves = moves_;
  return error_;
}

void PlayedKeys::tell_riddles(KeyReport& report) {
  // Choose the kind of move with the greatest fraction of wrong keys. If several kinds have this
  // fraction, choose the rarest of them.
  const auto counts = counts_of(unexplained_);
  std::optional<std::size_t> worst;
  double worst_share = 0;
  for (std::size_t kind = 0; kind < kMoveClasses; ++kind) {
    if (counts[kind] == 0) continue;
    const double share =
        static_cast<double>(counts[kind]) / static_cast<double>(moves_[kind].asked);
    const bool rarer = worst && moves_[kind].asked < moves_[*worst].asked;
    if (!worst || share > worst_share || (share == worst_share && rarer)) {
      worst = kind;
      worst_share = share;
    }
  }
  const std::size_t right = compared_ - wrong_ - unplayed_.size();
  const auto of_kind = [&](const Riddle& riddle) {
    return riddle.is(static_cast<MoveClass>(*worst));
  };
  std::map<KeyFlaw, Cases> solved;
  solve(solved, unexplained_, KeyFlaw::kUnexplained, of_kind);
  const Cases& cases = solved.begin()->second;
  const std::string where = fmt::format(
      "after {}, the key is wrong in {} of {} cases: the key differs from that of the same "
      "position given as a FEN; {} of {} moves of all kinds have the right key",
      name_of(static_cast<MoveClass>(*worst)), cases.count, moves_[*worst].asked, right, compared_);
  if (report.habits.remembers) {
    report.undecided.push_back(
        "keys depend on earlier moves, which no FEN contains: after knights go out and come back, "
        "the key differs from that of the same position given as a FEN; " +
        where);
    return;
  }
  constexpr double kEach = 0.999;
  // Report a fault if one kind of move nearly always gives a wrong key, and at least half of all
  // keys are right. Do not report two kinds: quiet moves, and double steps after which no en
  // passant capture is legal. A key after these may contain something that no FEN contains.
  const bool one_kind = worst_share >= kEach && cases.count >= kLeastAlike &&
                        2 * right >= compared_ && *worst != at_class(MoveClass::kQuiet) &&
                        *worst != at_class(MoveClass::kDoublePush);
  const bool clocks = report.habits.clock_from && *report.habits.clock_from < 30;
  if (!one_kind || clocks) {
    const KeyPair& pair = cases.lightest.front().pair;
    report.undecided.push_back(
        fmt::format("{}, and the program's numbers do not explain the difference: for instance, "
                    "{} has the key {:016x}, and {} has the key {:016x}",
                    where, to_string(pair.first), pair.first_key.low, to_string(pair.second),
                    pair.second_key.low));
    return;
  }
  const std::size_t before = report.findings.size();
  tell(cases, report);
  if (report.findings.size() > before) report.findings.back().detail += ": " + where;
}

/// A program that does not play castling needs no castling rights in its keys. Likewise, a program
/// that does not play en passant captures needs no en passant squares. If the keys of
/// such a program ignore them, the report says "undecided" and does not call this a fault.
void PlayedKeys::tell_unknown_to_board(KeyReport& report) {
  const auto counts = counts_of(unplayed_);
  for (const auto& [flaw, kind, what] :
       {std::tuple(KeyFlaw::kEnPassantIgnored, MoveClass::kEnPassant, "en passant captures"),
        std::tuple(KeyFlaw::kCastlingIgnored, MoveClass::kCastling, "castling")}) {
    const auto known = std::ranges::find(report.findings, flaw, &KeyFinding::fault);
    const std::size_t asked = moves_[at_class(kind)].asked;
    if (known == report.findings.end() || asked == 0 || counts[at_class(kind)] < asked) continue;
    report.findings.erase(known);
    report.undecided.push_back(
        fmt::format("keys ignore {0}, and the program does not play {0}, either", what));
  }
}

void PlayedKeys::tell_unplayed(KeyReport& report) {
  for (const Riddle& riddle : unplayed_) {
    for (const MoveClass kind : riddle.classes) ++moves_[at_class(kind)].not_played;
  }
  Riddles left = unplayed_;
  while (!left.empty()) {
    // Choose the kind of move with the greatest fraction of rejections. If several kinds have this
    // fraction, choose the one with the most rejections.
    const auto counts = counts_of(left);
    std::size_t most = 0;
    double share = 0;
    for (std::size_t kind = 0; kind < kMoveClasses; ++kind) {
      if (counts[kind] == 0) continue;
      const double here =
          static_cast<double>(counts[kind]) / static_cast<double>(moves_[kind].asked);
      if (here < share || (here == share && counts[kind] <= counts[most])) continue;
      share = here;
      most = kind;
    }
    const auto kind = static_cast<MoveClass>(most);
    Cases cases;
    for (const Riddle& riddle : left) {
      if (riddle.is(kind)) cases.add(riddle.found);
    }
    std::erase_if(left, [&](const Riddle& riddle) { return riddle.is(kind); });
    report.undecided.push_back(fmt::format(
        "the program does not play this kind of move: after {} of {} {} the key is that of the "
        "previous position, for instance {}",
        cases.count, moves_[most].asked, name_of(kind),
        to_string(cases.lightest.front().pair.first)));
  }
}

}  // namespace manyply
