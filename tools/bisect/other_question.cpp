#include "tools/bisect/other_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/movegen.h"
#include "tools/bisect/comparison.h"
#include "tools/bisect/engine_output.h"

namespace manyply {
namespace {

using Entries = std::vector<DivideEntry>;

/// Fewer rows may have the counts of another question by chance.
constexpr std::size_t kFewRows = 3;
/// A list of moves is that of another position if it has so many differences from ours at least: a
/// right that is kept too long makes one or two, and then the list may be that of a position
/// before.
constexpr std::size_t kFewDifferences = 4;
/// Counts beyond which nothing deeper is counted to explain them.
constexpr double kMostLeaves = 2e7;

NodeCount total_of(const Entries& entries) {
  NodeCount sum;
  for (const DivideEntry& entry : entries) sum += entry.nodes;
  return sum;
}

/// Of how many moves the answer has the counts of `wanted`; nothing if its moves are others.
std::optional<std::size_t> matches(const Line& line, const Entries& wanted,
                                   const EngineAnswer& theirs) {
  std::size_t best = 0;
  for (const EngineAnswer& reading : readings_of(theirs, line, wanted)) {
    const Comparison compared = compare(line, wanted, reading);
    if (!compared.same_moves()) return std::nullopt;
    const auto right = std::ranges::count_if(
        compared.rows, [](const Comparison::Row& row) { return row.engine == row.ours; });
    best = std::max(best, static_cast<std::size_t>(right));
  }
  return best;
}

/// Whether the answer is that to the question with the answer `wanted`, a few moves aside that are
/// wrong besides.
bool is_answer(const Line& line, const Entries& wanted, const EngineAnswer& theirs) {
  const auto right = matches(line, wanted, theirs);
  return right && *right > 0 && 2 * *right >= wanted.size();
}

/// Our divide, each count with those of the plies before it; `ply` is the first that is counted.
class EveryPly {
 public:
  EveryPly(const Line& line, Depth depth, const OurDivide& divide) {
    for (int plies = 1; plies <= depth.plies(); ++plies) {
      const Result<Entries> entries = divide(line, Depth(plies));
      if (!entries) return;
      totals_.push_back(total_of(*entries));
      if (sums_.empty()) {
        sums_ = *entries;
      } else {
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i].nodes += (*entries)[i].nodes;
      }
    }
    known_ = true;
  }

  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] const Entries& rows() const { return sums_; }
  /// With the root, or without it.
  [[nodiscard]] NodeCount total(bool with_root) const {
    NodeCount sum = with_root ? NodeCount(1) : NodeCount(0);
    for (const NodeCount total : totals_) sum += total;
    return sum;
  }
  /// "48 + 2039 = 2087".
  [[nodiscard]] std::string text(bool with_root) const {
    std::string text = with_root ? "1" : "";
    for (const NodeCount total : totals_) text += (text.empty() ? "" : " + ") + total.to_string();
    return text + " = " + total(with_root).to_string();
  }

 private:
  bool known_ = false;
  std::vector<NodeCount> totals_;  ///< of depth 1 and on
  Entries sums_;
};

std::string of_moves(std::size_t right, std::size_t all) {
  return right == all ? "" : fmt::format(", behind {} of {} moves", right, all);
}

/// `sums`: "48 + 2039 = 2087".
Finding every_ply(const std::string& sums) {
  return {Cause::kCountsEveryPly, "counts every ply, not the last: " + sums, {}};
}

/// The rows are right, the total is that of all plies. At depth 1 that is none or one more, which
/// may have any reason.
std::optional<Finding> total_of_every_ply(const AskedQuestion& asked, const EngineAnswer& theirs,
                                          const OurDivide& divide) {
  if (!theirs.contradicts_itself() || asked.depth.plies() < 2) return std::nullopt;
  if (matches(asked.line, asked.ours, theirs) != asked.ours.size()) return std::nullopt;
  const EveryPly plies(asked.line, asked.depth, divide);
  for (const bool with_root : {false, true}) {
    if (!plies.known() || theirs.total != plies.total(with_root)) continue;
    Finding finding = every_ply(plies.text(with_root));
    finding.detail = "the rows are right, but the total " + finding.detail;
    return finding;
  }
  return std::nullopt;
}

/// What the rows add up to if each counts all plies; nothing if they do not.
std::optional<std::string> sums_of_every_ply(const AskedQuestion& asked, const EngineAnswer& theirs,
                                             const OurDivide& divide) {
  if (asked.depth.plies() < 2 || theirs.rows.empty()) return std::nullopt;
  const auto right = matches(asked.line, asked.ours, theirs);
  if (!right || 2 * *right >= asked.ours.size()) return std::nullopt;
  const EveryPly plies(asked.line, asked.depth, divide);
  if (!plies.known()) return std::nullopt;
  const std::size_t fitting = matches(asked.line, plies.rows(), theirs).value_or(0);
  // One more behind most moves may be an illegal move that most of them allow.
  const std::size_t least =
      asked.depth.plies() == 2 ? asked.ours.size() : (asked.ours.size() + 1) / 2;
  if (fitting < least) return std::nullopt;
  return plies.text(false) + of_moves(fitting, asked.ours.size());
}

std::string called(int asked, int right) {
  return fmt::format("what it calls depth {} is our depth {}", asked, right);
}

/// The depth of which the answer has the counts: one more or less than was asked for.
std::optional<Finding> rows_of_other_depth(const AskedQuestion& asked, const EngineAnswer& theirs,
                                           const OurDivide& divide) {
  const auto sum = theirs.sum();
  const auto right = matches(asked.line, asked.ours, theirs);
  if (!sum || !right || 2 * *right >= asked.ours.size()) return std::nullopt;
  const double ours = total_of(asked.ours).approximate();
  const double their = sum->approximate();
  const int way = their >= 2 * ours ? 1 : 2 * their <= ours ? -1 : 0;
  const int other = asked.depth.plies() + way;
  if (way == 0 || other < 1 || ours > kMostLeaves) return std::nullopt;
  const Result<Entries> there = divide(asked.line, Depth(other));
  if (!there || !is_answer(asked.line, *there, theirs)) return std::nullopt;
  return Finding{Cause::kAnotherDepth,
                 called(asked.depth.plies(), other) +
                     of_moves(*matches(asked.line, *there, theirs), there->size()),
                 {}};
}

// ---------------------------------------------------------------- other positions

std::optional<Line> line_of(const Setup& setup, const Line& like) {
  const Result<Position> position = Position::from_setup(setup);
  if (!position) return std::nullopt;
  return Line({*position, like.notation()}, to_fen(*position, like.notation()), std::nullopt);
}

std::optional<Line> of_other_side(const Line& line) {
  const Result<Setup> here = parse_fen(line.fen_here());
  if (!here) return std::nullopt;
  Setup setup = *here;
  setup.side_to_move = ~setup.side_to_move;
  setup.en_passant.reset();
  return line_of(setup, line);
}

std::set<std::string> legal_texts(const Line& line) {
  std::set<std::string> texts;
  for (const Move move : legal_moves(line.here())) texts.insert(to_uci(move, line.notation()));
  return texts;
}

/// Whether the moves are exactly those of `other`, and not nearly those of `line`.
bool has_moves_of(const Line& other, const Line& line, const EngineAnswer& theirs) {
  const std::set<std::string> there = legal_texts(other);
  const std::set<std::string> here = legal_texts(line);
  std::vector<std::string> differences;
  std::ranges::set_symmetric_difference(there, here, std::back_inserter(differences));
  if (differences.size() < kFewDifferences) return false;
  EngineOutputParser parser(other.named());
  for (const std::string& text : theirs.lines) parser.feed(text);
  const EngineAnswer answer = parser.answer();
  if (!answer.unread.empty() || answer.rows.size() < kFewRows) return false;
  Entries any_counts;
  for (const Move move : legal_moves(other.here())) any_counts.push_back({move, NodeCount(1)});
  return compare(other, any_counts, answer).same_moves();
}

/// Where the side that is not to move is in check, there is no such position.
bool are_all_of_other_side(const Line& line, const EngineAnswer& theirs) {
  const auto of_other = [&](const EngineRow& row) {
    const auto square = square_at(row.move[0] - 'a', row.move[1] - '1');
    const auto piece = line.here().piece_on(square);
    return piece && piece->color != line.here().side_to_move();
  };
  return theirs.unread.empty() && theirs.rows.size() >= kFewRows &&
         std::ranges::all_of(theirs.rows, of_other);
}

// ---------------------------------------------------------------- asking once more

using Found = Result<std::optional<Finding>>;

bool agrees(const Line& line, const Entries& wanted, const EngineAnswer& theirs) {
  return theirs.unread.empty() && is_answer(line, wanted, theirs);
}

/// An illegal move behind every move makes each count greater by one, as counting every ply does:
/// then the positions behind them are not counted rightly.
Result<bool> counts_every_ply_behind(const AskedQuestion& asked, const EngineAnswer& theirs,
                                     const OurDivide& divide, AskedProgram& program) {
  const Comparison compared =
      compare(asked.line, EveryPly(asked.line, asked.depth, divide).rows(), theirs);
  const auto fits = [&](const Comparison::Row& row) {
    return row.engine == row.ours && row.ours != NodeCount(1);  // with replies
  };
  const auto first = std::ranges::find_if(compared.rows, fits);
  if (first == compared.rows.end()) return false;
  const Line next = asked.line.after(first->move);
  const Depth less(asked.depth.plies() - 1);
  const EveryPly plies(next, less, divide);
  if (!plies.known()) return false;
  const Result<EngineAnswer> behind = program.divide(next, less);
  if (!behind) return behind.error();
  return agrees(next, plies.rows(), *behind);
}

/// Whether the program counts every ply of the start position, too: what one position shows may be
/// a wrong move, and have the same counts by chance.
template <typename Counted>
Result<bool> does_so_at_start(const AskedQuestion& asked, const OurDivide& divide,
                              AskedProgram& program, Counted counted) {
  const Line start;
  const Depth depth(asked.line.here() == start.here() && asked.depth.plies() == 2 ? 3 : 2);
  const Result<Entries> ours = divide(start, depth);
  if (!ours) return false;
  const Result<EngineAnswer> theirs = program.divide(start, depth);
  if (!theirs) return theirs.error();
  return theirs->unread.empty() && counted({start, depth, *ours}, *theirs);
}

/// Whether the answer to `asked` plies is that to `right` plies, here and at the start.
Result<bool> answers(const Line& line, int asked, int right, const OurDivide& divide,
                     AskedProgram& program) {
  for (const Line& at : {line, Line()}) {
    const Result<Entries> wanted = divide(at, Depth(right));
    if (!wanted) return false;
    const Result<EngineAnswer> theirs = program.divide(at, Depth(asked));
    if (!theirs) return theirs.error();
    if (!agrees(at, *wanted, *theirs)) return false;
  }
  return true;
}

/// Only depth 1 is looked at: whoever is right there does not count depth otherwise.
Found depth_called_one(const AskedQuestion& asked, const EngineAnswer& theirs,
                       const OurDivide& divide, AskedProgram& program) {
  if (asked.depth.plies() != 1 || asked.ours.empty()) return std::optional<Finding>();
  std::optional<Finding> finding = rows_of_other_depth(asked, theirs, divide);
  const bool nothing = std::ranges::all_of(
      theirs.rows, [](const EngineRow& row) { return row.nodes == NodeCount(0); });
  if (!finding && !nothing) return finding;
  const Result<bool> sure = answers(asked.line, 2, finding ? 3 : 1, divide, program);
  if (!sure) return sure.error();
  if (!*sure) return std::optional<Finding>();
  return finding ? finding : std::optional(Finding{Cause::kAnotherDepth, called(1, 0), {}});
}

/// What a total may be.
struct TotalTheory {
  Finding finding;
  /// What the program would count.
  std::function<std::optional<NodeCount>(const Line&, int plies)> count;
  /// Where it has to do so, too: one number may be right by chance, and small ones often are.
  std::vector<std::pair<Line, int>> elsewhere;
};

class TotalTheories {
 public:
  TotalTheories(const Line& line, Depth depth, const OurDivide& divide)
      : line_(line), plies_(depth.plies()), divide_(divide) {}

  /// Which refer to this object.
  [[nodiscard]] std::vector<TotalTheory> run() const {
    std::vector<TotalTheory> theories;
    const Line start;
    for (const bool with_root : {false, true}) {
      const EveryPly here(line_, Depth(plies_), divide_);
      const auto count = [this, with_root](const Line& line, int plies) {
        const EveryPly every(line, Depth(plies), divide_);
        return every.known() ? std::optional(every.total(with_root)) : std::nullopt;
      };
      if (here.known())
        theories.push_back({every_ply(here.text(with_root)), count, {{start, 2}, {start, 3}}});
    }
    for (const int shift : {1, -1}) {  // who is right at depth 1 does not count depth otherwise
      const auto count = [this, shift](const Line& line, int plies) {
        return our_count(line, plies + shift);
      };
      if (plies_ == 1) {
        theories.push_back({{Cause::kAnotherDepth, called(1, 1 + shift), {}},
                            count,
                            {{start, 2}, {start, 3}, {line_, 2}}});
      }
    }
    const std::vector<std::pair<Line, int>> others{
        {line_, plies_ + 1}, {of("kiwipete"), 1}, {of("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - -"), 1}};
    theories.push_back({{Cause::kFenNotTaken, "these are the counts of the start position", {}},
                        [this](const Line&, int plies) { return our_count(Line(), plies); },
                        others});
    theories.push_back({{Cause::kSideNotTaken, "these are the counts of the other side", {}},
                        [this](const Line& line, int plies) {
                          const std::optional<Line> flipped = of_other_side(line);
                          return flipped ? our_count(*flipped, plies) : std::nullopt;
                        },
                        others});
    return theories;
  }

 private:
  static Line of(std::string_view fen) { return *parse_line(fen, "", std::nullopt); }
  [[nodiscard]] std::optional<NodeCount> our_count(const Line& line, int plies) const {
    if (plies == 0) return NodeCount(1);
    const Result<Entries> entries = divide_(line, Depth(plies));
    return entries ? std::optional(total_of(*entries)) : std::nullopt;
  }

  const Line& line_;
  int plies_;
  const OurDivide& divide_;
};

/// Whether the program counts as the theory has it, wherever it is asked.
Result<bool> holds(const TotalTheory& theory, const Line& line, int plies, bool is_known,
                   AskedProgram& program) {
  std::vector<std::pair<Line, int>> questions = theory.elsewhere;
  if (!is_known) questions.insert(questions.begin(), {line, plies});
  for (const auto& [at, depth] : questions) {
    const std::optional<NodeCount> count = theory.count(at, depth);
    if (!count) return false;
    const Result<AskedProgram::Verdict> verdict = program.check(at, Depth(depth), *count);
    if (!verdict) return verdict.error();
    if (!verdict->agrees) return false;
  }
  return true;
}

}  // namespace

std::optional<Finding> position_answered(const Line& line, const EngineAnswer& theirs,
                                         const std::optional<Line>& before) {
  if (theirs.lines.empty()) return std::nullopt;
  const std::optional<Line> flipped = of_other_side(line);
  if (flipped ? has_moves_of(*flipped, line, theirs) : are_all_of_other_side(line, theirs))
    return Finding{Cause::kSideNotTaken, "these are the moves of the other side", {}};
  const std::vector<Position> past = line.positions();
  for (std::size_t ply = 0; ply < line.moves().size(); ++ply) {
    const Line there({past[ply], line.notation()}, to_fen(past[ply], line.notation()),
                     std::nullopt);
    if (!has_moves_of(there, line, theirs)) continue;
    return Finding{Cause::kMovesNotPlayed,
                   fmt::format("these are the moves of the position before {}, move {} of the line",
                               line.uci_moves()[ply], ply + 1),
                   {}};
  }
  if (has_moves_of(Line(), line, theirs))
    return Finding{Cause::kFenNotTaken, "these are the moves of the start position", {}};
  if (before && has_moves_of(*before, line, theirs)) {
    return Finding{Cause::kAnotherPosition,
                   "these are the moves of the position asked before, " + before->fen_here(),
                   {}};
  }
  return std::nullopt;
}

OtherQuestion question_answered(const AskedQuestion& asked, const EngineAnswer& theirs,
                                const OurDivide& divide, const std::optional<Line>& before) {
  OtherQuestion other;
  other.finding = position_answered(asked.line, theirs, before);
  if (other.finding || !theirs.unread.empty()) return other;
  other.finding = total_of_every_ply(asked, theirs, divide);
  if (other.finding || theirs.contradicts_itself()) return other;
  const bool enough_rows = theirs.rows.size() >= kFewRows;
  if (const auto sums = sums_of_every_ply(asked, theirs, divide)) {
    // With one ply behind each move, one illegal move there would look the same.
    if (asked.depth.plies() > 2 && enough_rows) {
      other.finding = every_ply(*sums);
    } else {
      other.hint =
          "each count is what it would be if every ply were counted, not the last alone: " + *sums;
    }
  } else if (enough_rows) {
    other.finding = rows_of_other_depth(asked, theirs, divide);
  }
  return other;
}

Found question_answered(const AskedQuestion& asked, const EngineAnswer& theirs,
                        const OurDivide& divide, AskedProgram& program) {
  if (auto finding = position_answered(asked.line, theirs, program.asked_before())) return finding;
  if (!theirs.unread.empty()) return std::optional<Finding>();
  const auto counts_total = [&](const AskedQuestion& question, const EngineAnswer& answer) {
    return total_of_every_ply(question, answer, divide).has_value();
  };
  const auto counts_rows = [&](const AskedQuestion& question, const EngineAnswer& answer) {
    return sums_of_every_ply(question, answer, divide).has_value();
  };
  std::optional<Finding> plies = total_of_every_ply(asked, theirs, divide);
  Result<bool> sure = false;
  if (plies) {
    sure = does_so_at_start(asked, divide, program, counts_total);
  } else if (theirs.contradicts_itself()) {
    return plies;
  } else if (const auto sums = sums_of_every_ply(asked, theirs, divide)) {
    plies = every_ply(*sums);
    sure = counts_every_ply_behind(asked, theirs, divide, program);
    if (sure && *sure) sure = does_so_at_start(asked, divide, program, counts_rows);
  }
  if (!sure) return sure.error();
  if (plies) return *sure ? plies : std::nullopt;
  return depth_called_one(asked, theirs, divide, program);
}

Found question_of_total(const Line& line, Depth depth, NodeCount ours,
                        std::optional<NodeCount> total, const OurDivide& divide,
                        AskedProgram& program) {
  if (ours.approximate() > kMostLeaves || depth.plies() < 1) return std::optional<Finding>();
  const TotalTheories theories(line, depth, divide);
  for (TotalTheory& theory : theories.run()) {
    const std::optional<NodeCount> here = theory.count(line, depth.plies());
    if (!here || *here == ours || (total && *total != *here)) continue;
    const Result<bool> sure = holds(theory, line, depth.plies(), total.has_value(), program);
    if (!sure) return sure.error();
    if (*sure) return std::optional(std::move(theory.finding));
  }
  return std::optional<Finding>();
}

std::optional<Line> with_double_step_played(const Line& line) {
  if (!line.moves().empty() || !line.passed()) return std::nullopt;
  const Result<Setup> here = parse_fen(line.start_fen());
  if (!here) return std::nullopt;
  Setup setup = *here;
  setup.side_to_move = ~setup.side_to_move;
  setup.en_passant.reset();
  const int ahead = setup.side_to_move == Color::kWhite ? 1 : -1;
  const auto beside = [&](int ranks) {
    return square_at(file_of(*line.passed()), rank_of(*line.passed()) + ranks);
  };
  const auto piece_at = [&](Square square) -> std::optional<Piece>& {
    return setup.pieces[static_cast<std::size_t>(index(square))];
  };
  std::swap(piece_at(beside(ahead)), piece_at(beside(-ahead)));
  const std::optional<Line> before = line_of(setup, line);
  if (!before) return std::nullopt;
  const Result<Move> step = parse_uci(
      before->here(), to_string(beside(-ahead)) + to_string(beside(ahead)), line.notation());
  return step ? std::optional(before->after(*step)) : std::nullopt;
}

}  // namespace manyply
