#include "tools/diagnose/other_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/position.h"
#include "core/position_text.h"
#include "tools/text/engine_output_parser.h"

namespace manyply {
namespace {

/// If an answer has fewer rows than this, its moves may equal those of another position by chance.
constexpr std::size_t kFewListed = 3;
/// An answer may list the moves of another position without naming this position. Such an answer is
/// reported only if the legal moves of both positions differ in at least this number of moves. A
/// smaller difference may have another cause: the program has only kept a castling right too long,
/// and so lists the moves of an earlier position.
constexpr std::size_t kFewDifferences = 4;

/// Reads all lines of the answer again, as if the question had been about the position at the end
/// of `other`.
EngineAnswer read_as_of(const Line& other, const EngineAnswer& theirs) {
  EngineOutputParser parser(other.named());
  for (const std::string& text : theirs.lines) parser.feed(text);
  return parser.answer();
}

/// Returns whether three conditions are met: the answer lists exactly the legal moves at the end of
/// `other`; these differ in at least `differences` moves from the legal moves at the end of `line`;
/// and the answer has at least kFewListed rows.
bool has_moves_of(const Line& other, const Line& line, const EngineAnswer& theirs,
                  std::size_t differences = kFewDifferences) {
  const std::set<std::string> there = legal_texts(other);
  const std::set<std::string> here = legal_texts(line);
  std::vector<std::string> different;
  std::ranges::set_symmetric_difference(there, here, std::back_inserter(different));
  if (different.size() < differences) return false;
  const EngineAnswer answer = read_as_of(other, theirs);
  if (!answer.unread.empty() || answer.rows.size() < kFewListed) return false;
  std::vector<DivideEntry> any_counts;
  for (const Move move : legal_moves(other.here())) any_counts.push_back({move, NodeCount(1)});
  return compare(other, any_counts, answer).same_moves();
}

/// Returns whether all moves of the answer start from pieces of the other side. This test is for
/// positions in which the side to move is in check. With the other side to move, such a position is
/// illegal, so its legal moves cannot be compared.
bool are_all_of_other_side(const Line& line, const EngineAnswer& theirs) {
  const auto of_other = [&](const EngineRow& row) {
    const auto square = square_at(row.move[0] - 'a', row.move[1] - '1');
    const auto piece = line.here().piece_on(square);
    return piece && piece->color != line.here().side_to_move();
  };
  return theirs.unread.empty() && theirs.rows.size() >= kFewListed &&
         std::ranges::all_of(theirs.rows, of_other);
}

/// Returns the position in a line of text; nullopt if the line has no position. The line contains a
/// FEN or is the UCI command `position`.
std::optional<Line> line_told(std::string_view text) {
  constexpr std::string_view kCommand = "position";
  if (!has_ranks(text)) {
    if (!to_lower(text).starts_with(kCommand)) return std::nullopt;
    text.remove_prefix(kCommand.size());
    text.remove_prefix(std::min(text.find_first_not_of(": \t"), text.size()));
  } else {
    // The first slash is in the word with which the FEN begins. Remove the text that precedes this
    // word, such as `Fen:`.
    const std::size_t slash = text.find('/');
    const std::size_t before = text.find_last_of(" \t:=\"'`,;", slash);
    text.remove_prefix(before == std::string_view::npos ? 0 : before + 1);
    text = text.substr(0, text.find_first_of("\"'`,;|\r"));
  }
  const PositionText found = position_text(text);
  for (const std::string_view fen : {std::string_view(found.fen), epd_position(found.fen)}) {
    Result<Line> line = parse_line(fen, found.moves, std::nullopt);
    if (line) return *std::move(line);
  }
  return std::nullopt;
}

std::optional<Finding> of_known_position(const Line& line, const EngineAnswer& theirs) {
  // All lines are read again for each position that is tried here. So texts of more than kLongest
  // bytes are not examined.
  constexpr std::size_t kLongest = std::size_t{32} << 10;
  std::size_t length = 0;
  for (const std::string& text : theirs.lines) length += text.size();
  if (length > kLongest) return std::nullopt;
  for (const auto& [name, fen] : position_names()) {
    if (!has_moves_of(*parse_line(fen, "", std::nullopt), line, theirs)) continue;
    return Finding{Cause::kAnotherPosition, fmt::format("these are the moves of {}", name)};
  }
  for (const Move move : legal_moves(line.here())) {
    const Line next = line.after(move);
    if (!has_moves_of(next, line, theirs)) continue;
    return Finding{Cause::kAnotherPosition,
                   fmt::format("these are the moves of the position after {}, one move further",
                               next.uci_moves().back())};
  }
  return std::nullopt;
}

/// Returns whether all rows are legal moves at the end of `line`. Some legal moves may be missing.
bool are_legal(const Line& line, const std::vector<EngineRow>& rows) {
  const std::set<std::string> legal = legal_texts(line);
  return std::ranges::all_of(rows, [&](const EngineRow& row) { return legal.contains(row.move); });
}

/// Returns the position at the end of `line` with the other side to move; nullopt if this position
/// is illegal.
std::optional<Line> of_other_side(const Line& line) {
  const Result<Setup> here = parse_fen(line.fen_here());
  if (!here) return std::nullopt;
  Setup setup = *here;
  setup.side_to_move = ~setup.side_to_move;
  setup.en_passant.reset();
  return line_of(setup, line.notation());
}

/// Returns the positions that lines of the answer mention, such as `Fen: …` or `position … moves
/// …`: at most 8, each once.
std::vector<Line> positions_told(const EngineAnswer& theirs) {
  constexpr std::size_t kMost = 8;
  std::vector<Line> told;
  for (const std::string& text : theirs.lines) {
    auto line = line_told(text);
    const auto is_same = [&](const Line& other) { return other.here() == line->here(); };
    if (line && std::ranges::none_of(told, is_same)) told.push_back(*std::move(line));
    if (told.size() == kMost) break;
  }
  return told;
}

}  // namespace

std::optional<Line> line_of(const Setup& setup, CastlingNotation notation) {
  const Result<Position> position = Position::from_setup(setup);
  if (!position) return std::nullopt;
  return Line({*position, notation}, to_fen(*position, notation), std::nullopt);
}

std::optional<Finding> position_answered(const Line& line, const EngineAnswer& theirs,
                                         const std::optional<Line>& before) {
  if (theirs.lines.empty()) return std::nullopt;
  for (const Line& told : positions_told(theirs)) {
    if (!has_moves_of(told, line, theirs, 1)) continue;
    return Finding{Cause::kAnotherPosition,
                   "these are the moves of the position that the output names, " + told.fen_here()};
  }
  const std::optional<Line> flipped = of_other_side(line);
  if (flipped ? has_moves_of(*flipped, line, theirs) : are_all_of_other_side(line, theirs))
    return Finding{Cause::kSideNotTaken, "these are the moves of the other side"};
  const std::vector<Position> past = line.positions();
  for (std::size_t ply = 0; ply < line.moves().size(); ++ply) {
    const Line there({past[ply], line.notation()}, to_fen(past[ply], line.notation()),
                     std::nullopt);
    if (!has_moves_of(there, line, theirs)) continue;
    return Finding{
        Cause::kMovesNotPlayed,
        fmt::format("these are the moves of the position that precedes {}, move {} of the line",
                    line.uci_moves()[ply], ply + 1)};
  }
  if (has_moves_of(Line(), line, theirs))
    return Finding{Cause::kFenNotTaken, "these are the moves of the start position"};
  if (before && has_moves_of(*before, line, theirs)) {
    return Finding{
        Cause::kAnotherPosition,
        "these are the moves of the position in the previous question, " + before->fen_here()};
  }
  if (theirs.unread.empty() && are_legal(line, theirs.rows)) return std::nullopt;
  return of_known_position(line, theirs);
}

std::optional<Finding> looks_like_another_position(const Line& line, const Comparison& compared,
                                                   const EngineAnswer& theirs) {
  if (compared.invented.empty()) return std::nullopt;
  for (const Line& told : positions_told(theirs)) {
    if (told.here() == line.here()) continue;
    const std::vector<EngineRow> rows = read_as_of(told, theirs).rows;
    if (rows.empty() || !are_legal(told, rows)) continue;
    return Finding{Cause::kAnotherPosition,
                   "its moves are legal in the position that the output names, " + told.fen_here()};
  }
  constexpr std::size_t kFewInvented = 2;
  constexpr std::size_t kFew = 4;  // at most a quarter of the counts may agree
  const auto agreeing =
      static_cast<std::size_t>(std::ranges::count_if(compared.rows, &Comparison::Row::agrees));
  const auto legal = static_cast<std::size_t>(std::ranges::count_if(
      compared.rows, [](const Comparison::Row& row) { return row.engine.has_value(); }));
  const std::size_t listed = legal + compared.invented.size();
  if (compared.invented.size() < kFewInvented || kFew * agreeing > listed) return std::nullopt;
  // Even a program that breaks rules moves only pieces of the side to move. So a move from an empty
  // square, or of an enemy piece, is a sign of another position.
  const auto foreign = std::ranges::count_if(compared.invented, [&](const std::string& move) {
    const Cause cause = judge_invented(line, move).cause;
    return cause == Cause::kNoPieceThere || cause == Cause::kWrongSide;
  });
  if (kFew * static_cast<std::size_t>(foreign) < compared.invented.size()) return std::nullopt;
  return Finding{Cause::kAnotherPosition,
                 fmt::format("{} of its {} moves {} with ours: it looks like the divide of another "
                             "position",
                             agreeing == 0 ? "none" : std::to_string(agreeing), listed,
                             agreeing == 1 ? "agrees" : "agree")};
}

namespace {

using Entries = std::vector<DivideEntry>;

/// If an answer has fewer rows than this, its counts may equal those of another question by chance.
constexpr std::size_t kFewRows = 3;
/// Limit on the leaves at the requested depth. Above this limit, a divide is not compared with
/// divides of greater depths, and a total is not compared with the totals of other questions.
constexpr double kMostLeaves = 2e7;

/// Returns the number of moves that have the same count in the answer and in `wanted`. Returns
/// nullopt if the two lists have different moves.
std::optional<std::size_t> matches(const Line& line, const Entries& wanted,
                                   const EngineAnswer& theirs) {
  const Comparison compared = compare(line, wanted, theirs);
  if (!compared.same_moves()) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::count_if(compared.rows, &Comparison::Row::agrees));
}

/// Returns whether `theirs` has the moves of `wanted` and the same count for at least half of these
/// moves. At least one count must agree.
bool is_answer(const Line& line, const Entries& wanted, const EngineAnswer& theirs) {
  const auto right = matches(line, wanted, theirs);
  return right && *right > 0 && 2 * *right >= wanted.size();
}

/// The divide that a program prints if it counts every ply: each count is the sum of our counts at
/// depths 1 to `depth`.
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

  /// Returns whether our divides could be counted. If not, the other functions must not be called.
  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] const Entries& rows() const { return sums_; }
  /// Returns the total of all plies. If `with_root`, adds 1 for the root.
  [[nodiscard]] NodeCount total(bool with_root) const {
    NodeCount sum = with_root ? NodeCount(1) : NodeCount(0);
    for (const NodeCount total : totals_) sum += total;
    return sum;
  }
  /// Returns the sum as text: "48 + 2039 = 2087".
  [[nodiscard]] std::string text(bool with_root) const {
    std::string text = with_root ? "1" : "";
    for (const NodeCount total : totals_) text += (text.empty() ? "" : " + ") + total.to_string();
    return text + " = " + total(with_root).to_string();
  }

 private:
  bool known_ = false;
  std::vector<NodeCount> totals_;  ///< our totals at depths 1, 2, …
  Entries sums_;
};

std::string of_moves(std::size_t right, std::size_t all) {
  return right == all ? "" : fmt::format(", for {} of {} moves", right, all);
}

/// Returns a finding with the cause kCountsEveryPly. `sums` is a text such as "48 + 2039 = 2087".
Finding every_ply(const std::string& sums) {
  return {Cause::kCountsEveryPly, "counts every ply, not only the last: " + sums};
}

/// Returns a finding if the rows are right, but the total is the sum of all plies. Returns nullopt
/// at depth 1. There, this sum exceeds the right total by at most 1 (the root), and such a small
/// difference may have other reasons.
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

/// Checks whether the program's counts are sums over all plies, instead of counts of the last ply.
/// This is so if all rows have such sums (depth 2), or at least half of the rows (greater depths).
/// If so, returns our totals of the plies as text: "48 + 2039 = 2087". Otherwise returns nullopt.
std::optional<std::string> sums_of_every_ply(const AskedQuestion& asked, const EngineAnswer& theirs,
                                             const OurDivide& divide) {
  if (asked.depth.plies() < 2 || theirs.rows.empty()) return std::nullopt;
  const auto right = matches(asked.line, asked.ours, theirs);
  if (!right || 2 * *right >= asked.ours.size()) return std::nullopt;
  const EveryPly plies(asked.line, asked.depth, divide);
  if (!plies.known()) return std::nullopt;
  const std::size_t fitting = matches(asked.line, plies.rows(), theirs).value_or(0);
  // At depth 2, a program that counts every ply gives counts that are too great by one. A program
  // that lists one illegal reply to most moves gives such counts for these moves, too. So accept
  // the explanation "every ply" only if it fits all rows, not only most of them.
  const std::size_t least =
      asked.depth.plies() == 2 ? asked.ours.size() : (asked.ours.size() + 1) / 2;
  if (fitting < least) return std::nullopt;
  return plies.text(false) + of_moves(fitting, asked.ours.size());
}

std::string called(int asked, int right) {
  return fmt::format("what it calls depth {} is our depth {}", asked, right);
}

/// Returns the depth of the counts in the answer. Returns nullopt if this depth is the requested
/// one or is unknown.
std::optional<int> depth_of_rows(const AskedQuestion& asked, const EngineAnswer& theirs,
                                 const OurDivide& divide) {
  const auto sum = theirs.sum();
  const auto right = matches(asked.line, asked.ours, theirs);
  if (!sum || !right || 2 * *right >= asked.ours.size()) return std::nullopt;
  const double ours = total_of(asked.ours).approximate();
  const double their = sum->approximate();
  const auto is_of = [&](int plies) {
    const Result<Entries> there = divide(asked.line, Depth(plies));
    return there && is_answer(asked.line, *there, theirs);
  };
  const int plies = asked.depth.plies();
  for (int less = plies - 1; less >= 1 && 2 * their <= ours; --less) {
    if (is_of(less)) return less;
  }
  // If the question was for depth 1, try depths 2 and 3, because they are counted quickly.
  const int most = plies + (plies == 1 ? 2 : 1);
  for (int more = plies + 1; more <= most && 2 * ours <= their && ours <= kMostLeaves; ++more) {
    if (is_of(more)) return more;
  }
  return std::nullopt;
}

std::optional<Finding> rows_of_other_depth(const AskedQuestion& asked, const EngineAnswer& theirs,
                                           const OurDivide& divide) {
  const std::optional<int> other = depth_of_rows(asked, theirs, divide);
  if (!other) return std::nullopt;
  const Result<Entries> there = divide(asked.line, Depth(*other));
  if (!there) return std::nullopt;
  return Finding{Cause::kAnotherDepth,
                 called(asked.depth.plies(), *other) +
                     of_moves(*matches(asked.line, *there, theirs), there->size())};
}

// ---------------------------------------------------------------- further questions to the program

using Found = Result<std::optional<Finding>>;

bool agrees(const Line& line, const Entries& wanted, const EngineAnswer& theirs) {
  return theirs.unread.empty() && is_answer(line, wanted, theirs);
}

/// Asks the program about the position after a move. Returns whether the program counts every ply
/// in this answer, too. If not, the counts in `theirs` may have another cause: one illegal reply to
/// each move also makes each count greater by one.
Result<bool> counts_every_ply_behind(const AskedQuestion& asked, const EngineAnswer& theirs,
                                     const OurDivide& divide, AskedProgram& program) {
  const Comparison compared =
      compare(asked.line, EveryPly(asked.line, asked.depth, divide).rows(), theirs);
  const auto fits = [&](const Comparison::Row& row) {
    return row.agrees() && row.ours != NodeCount(1);  // the move has replies
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

/// Asks the program about the start position. Returns whether this answer, too, passes the test
/// `counted`. One position is not enough for the test, because a wrong move may give the same
/// counts in that position by chance.
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

/// Asks the program for the divide of `asked` plies at the end of `line` and in the start position.
/// Returns whether both answers fit our divides of `right` plies.
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

/// Finds out whether the program numbers depths differently from us. Examines only answers for
/// depth 1, because a program that is right at depth 1 numbers depths as we do.
Found depth_called_one(const AskedQuestion& asked, const EngineAnswer& theirs,
                       const OurDivide& divide, AskedProgram& program) {
  if (asked.depth.plies() != 1 || asked.ours.empty()) return std::optional<Finding>();
  const std::optional<int> other = depth_of_rows(asked, theirs, divide);
  const bool nothing = std::ranges::all_of(
      theirs.rows, [](const EngineRow& row) { return row.nodes == NodeCount(0); });
  if (!other && !nothing) return std::optional<Finding>();
  const int right = other.value_or(0);
  const Result<bool> sure = answers(asked.line, 2, right + 1, divide, program);
  if (!sure) return sure.error();
  if (!*sure) return std::optional<Finding>();
  return std::optional(Finding{Cause::kAnotherDepth, called(1, right)});
}

Finding ignores_depth(int plies) {
  return {Cause::kAnotherDepth, fmt::format("counts {} {}, whatever depth it is asked for", plies,
                                            plies == 1 ? "ply" : "plies")};
}

/// Returns the smallest depth that is neither `one` nor `other`.
int third_depth(int one, int other) {
  for (int plies = 1;; ++plies) {
    if (plies != one && plies != other) return plies;
  }
}

/// Finds out whether the program always counts to the same depth.
Found depth_ignored(const AskedQuestion& asked, const EngineAnswer& theirs, const OurDivide& divide,
                    AskedProgram& program) {
  const std::optional<int> plies = depth_of_rows(asked, theirs, divide);
  if (!plies) return std::optional<Finding>();
  const int third = third_depth(*plies, asked.depth.plies());
  const Result<bool> sure = answers(asked.line, third, *plies, divide, program);
  if (!sure) return sure.error();
  return *sure ? std::optional(ignores_depth(*plies)) : std::nullopt;
}

/// Another question that the program may have answered with its total.
struct TotalTheory {
  Finding finding;
  /// Returns the number that the program would count if the theory were true.
  std::function<std::optional<NodeCount>(const Line&, int plies)> count;
  /// Positions and depths at which the theory must also be true, because one number may fit by
  /// chance.
  std::vector<std::pair<Line, int>> elsewhere;
};

/// Returns other questions that a program may have answered when it was asked for `plies` plies at
/// the end of `line`. The result refers to `divide`, so `divide` must outlive the result.
std::vector<TotalTheory> total_theories(const Line& line, int plies, const OurDivide& divide) {
  const auto our_count = [&divide](const Line& at, int depth) -> std::optional<NodeCount> {
    if (depth == 0) return NodeCount(1);
    const Result<Entries> entries = divide(at, Depth(depth));
    return entries ? std::optional(total_of(*entries)) : std::nullopt;
  };
  const auto of = [](std::string_view fen) { return *parse_line(fen, "", std::nullopt); };
  std::vector<TotalTheory> theories;
  const Line start;
  for (const bool with_root : {false, true}) {
    const EveryPly here(line, Depth(plies), divide);
    const auto count = [&divide, with_root](const Line& at, int depth) {
      const EveryPly every(at, Depth(depth), divide);
      return every.known() ? std::optional(every.total(with_root)) : std::nullopt;
    };
    if (here.known())
      theories.push_back({every_ply(here.text(with_root)), count, {{start, 2}, {start, 3}}});
  }
  for (const int shift : {1, -1}) {  // see depth_called_one()
    const auto count = [our_count, shift](const Line& at, int depth) {
      return our_count(at, depth + shift);
    };
    if (plies == 1) {
      theories.push_back({{Cause::kAnotherDepth, called(1, 1 + shift)},
                          count,
                          {{start, 2}, {start, 3}, {line, 2}}});
    }
  }
  for (int always = 1; always <= std::max(plies, 3); ++always) {
    if (always == plies) continue;
    const auto count = [our_count, always](const Line& at, int) { return our_count(at, always); };
    const int third = third_depth(always, plies);
    theories.push_back({ignores_depth(always), count, {{start, third}, {line, third}}});
  }
  const std::vector<std::pair<Line, int>> others{
      {line, plies + 1}, {of("kiwipete"), 1}, {of("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - -"), 1}};
  theories.push_back({{Cause::kFenNotTaken, "these are the counts of the start position"},
                      [our_count](const Line&, int depth) { return our_count(Line(), depth); },
                      others});
  theories.push_back({{Cause::kSideNotTaken, "these are the counts of the other side"},
                      [our_count](const Line& at, int depth) {
                        const std::optional<Line> flipped = of_other_side(at);
                        return flipped ? our_count(*flipped, depth) : std::nullopt;
                      },
                      others});
  return theories;
}

/// Asks the program the questions in `theory.elsewhere`. Returns whether the theory predicts all
/// totals of the program. `is_known` says whether the program has printed its total for the end of
/// `line`. If not, asks the program about the end of `line`, too.
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

NodeCount total_of(const std::vector<DivideEntry>& divide) {
  NodeCount sum;
  for (const DivideEntry& entry : divide) sum += entry.nodes;
  return sum;
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
    // At depth 2, the cause is not certain: a program that lists one illegal reply to each move
    // gives the same counts as a program that counts every ply.
    if (asked.depth.plies() > 2 && enough_rows) {
      other.finding = every_ply(*sums);
    } else {
      other.hint =
          "each count is what it would be if every ply were counted, not only the last: " + *sums;
    }
  } else if (enough_rows) {
    other.finding = rows_of_other_depth(asked, theirs, divide);
  }
  return other;
}

Found question_answered(const AskedQuestion& asked, const EngineAnswer& theirs,
                        const OurDivide& divide, AskedProgram& program) {
  // A program that gets positions as FENs plays no moves.
  const Line told = program.plays_moves() ? asked.line : asked.line.as_fen();
  if (auto finding = position_answered(told, theirs, program.asked_before())) return finding;
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
  Found called_one = depth_called_one(asked, theirs, divide, program);
  if (!called_one || *called_one) return called_one;
  return depth_ignored(asked, theirs, divide, program);
}

Found question_of_total(const Line& line, Depth depth, NodeCount ours,
                        std::optional<NodeCount> total, const OurDivide& divide,
                        AskedProgram& program) {
  if (ours.approximate() > kMostLeaves || depth.plies() < 1) return std::optional<Finding>();
  for (TotalTheory& theory : total_theories(line, depth.plies(), divide)) {
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
  const std::optional<Line> before = line_of(setup, line.notation());
  if (!before) return std::nullopt;
  const Result<Move> step = parse_uci(
      before->here(), to_string(beside(-ahead)) + to_string(beside(ahead)), line.notation());
  return step ? std::optional(before->after(*step)) : std::nullopt;
}

}  // namespace manyply
