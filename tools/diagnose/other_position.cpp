#include "tools/diagnose/other_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/ascii.h"
#include "core/movegen.h"
#include "core/position_text.h"
#include "tools/diagnose/judge.h"
#include "tools/text/engine_output.h"

namespace manyply {
namespace {

/// Fewer rows can have the moves of another position by chance.
constexpr std::size_t kFewListed = 3;
/// Lists of moves are of different positions if they have at least this many differences. A right
/// that is kept too long makes one or two, and the list may then equal that of a position before.
constexpr std::size_t kFewDifferences = 4;

/// Returns whether the moves are exactly those of `other`, with enough `differences` from `line`'s.
bool has_moves_of(const Line& other, const Line& line, const EngineAnswer& theirs,
                  std::size_t differences = kFewDifferences) {
  const std::set<std::string> there = legal_texts(other);
  const std::set<std::string> here = legal_texts(line);
  std::vector<std::string> different;
  std::ranges::set_symmetric_difference(there, here, std::back_inserter(different));
  if (different.size() < differences) return false;
  EngineOutputParser parser(other.named());
  for (const std::string& text : theirs.lines) parser.feed(text);
  const EngineAnswer answer = parser.answer();
  if (!answer.unread.empty() || answer.rows.size() < kFewListed) return false;
  std::vector<DivideEntry> any_counts;
  for (const Move move : legal_moves(other.here())) any_counts.push_back({move, NodeCount(1)});
  return compare(other, any_counts, answer).same_moves();
}

/// Returns whether all moves are the other side's. For checks, when flipping sides is illegal.
bool are_all_of_other_side(const Line& line, const EngineAnswer& theirs) {
  const auto of_other = [&](const EngineRow& row) {
    const auto square = square_at(row.move[0] - 'a', row.move[1] - '1');
    const auto piece = line.here().piece_on(square);
    return piece && piece->color != line.here().side_to_move();
  };
  return theirs.unread.empty() && theirs.rows.size() >= kFewListed &&
         std::ranges::all_of(theirs.rows, of_other);
}

/// Returns the position in a line of text that has a FEN or is UCI's `position`; else nullopt.
std::optional<Line> line_told(std::string_view text) {
  constexpr std::string_view kCommand = "position";
  if (!has_ranks(text)) {
    if (!to_lower(text).starts_with(kCommand)) return std::nullopt;
    text.remove_prefix(kCommand.size());
    text.remove_prefix(std::min(text.find_first_not_of(": \t"), text.size()));
  } else {
    // Keep the text from the word with the ranks on; the text before it is a name.
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

Finding about(Cause cause, std::string detail) { return {cause, std::move(detail), {}}; }

std::optional<Finding> of_known_position(const Line& line, const EngineAnswer& theirs) {
  // For each of these positions, all lines are read once more.
  constexpr std::size_t kLongest = std::size_t{32} << 10;
  std::size_t length = 0;
  for (const std::string& text : theirs.lines) length += text.size();
  if (length > kLongest) return std::nullopt;
  for (const auto& [name, fen] : position_names()) {
    if (!has_moves_of(*parse_line(fen, "", std::nullopt), line, theirs)) continue;
    return about(Cause::kAnotherPosition, fmt::format("these are the moves of {}", name));
  }
  for (const Move move : legal_moves(line.here())) {
    const Line next = line.after(move);
    if (!has_moves_of(next, line, theirs)) continue;
    return about(Cause::kAnotherPosition,
                 fmt::format("these are the moves of the position after {}, one move further",
                             next.uci_moves().back()));
  }
  return std::nullopt;
}

/// Returns whether all rows are moves of `other`, which may have more.
bool are_legal_in(const Line& other, const EngineAnswer& theirs) {
  EngineOutputParser parser(other.named());
  for (const std::string& text : theirs.lines) parser.feed(text);
  const EngineAnswer answer = parser.answer();
  const std::set<std::string> legal = legal_texts(other);
  return !answer.rows.empty() && std::ranges::all_of(answer.rows, [&](const EngineRow& row) {
    return legal.contains(row.move);
  });
}

/// Returns whether all lines were read and all rows are moves of `line`, which may have more.
bool are_moves_of(const Line& line, const EngineAnswer& theirs) {
  const std::set<std::string> legal = legal_texts(line);
  return theirs.unread.empty() && std::ranges::all_of(theirs.rows, [&](const EngineRow& row) {
           return legal.contains(row.move);
         });
}

}  // namespace

std::optional<Line> line_of(const Setup& setup, CastlingNotation notation) {
  const Result<Position> position = Position::from_setup(setup);
  if (!position) return std::nullopt;
  return Line({*position, notation}, to_fen(*position, notation), std::nullopt);
}

std::optional<Line> of_other_side(const Line& line) {
  const Result<Setup> here = parse_fen(line.fen_here());
  if (!here) return std::nullopt;
  Setup setup = *here;
  setup.side_to_move = ~setup.side_to_move;
  setup.en_passant.reset();
  return line_of(setup, line.notation());
}

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

std::optional<Finding> position_answered(const Line& line, const EngineAnswer& theirs,
                                         const std::optional<Line>& before) {
  if (theirs.lines.empty()) return std::nullopt;
  for (const Line& told : positions_told(theirs)) {
    if (!has_moves_of(told, line, theirs, 1)) continue;
    return about(Cause::kAnotherPosition,
                 "these are the moves of the position that it names itself, " + told.fen_here());
  }
  const std::optional<Line> flipped = of_other_side(line);
  if (flipped ? has_moves_of(*flipped, line, theirs) : are_all_of_other_side(line, theirs))
    return about(Cause::kSideNotTaken, "these are the moves of the other side");
  const std::vector<Position> past = line.positions();
  for (std::size_t ply = 0; ply < line.moves().size(); ++ply) {
    const Line there({past[ply], line.notation()}, to_fen(past[ply], line.notation()),
                     std::nullopt);
    if (!has_moves_of(there, line, theirs)) continue;
    return about(Cause::kMovesNotPlayed,
                 fmt::format("these are the moves of the position before {}, move {} of the line",
                             line.uci_moves()[ply], ply + 1));
  }
  if (has_moves_of(Line(), line, theirs))
    return about(Cause::kFenNotTaken, "these are the moves of the start position");
  if (before && has_moves_of(*before, line, theirs)) {
    return about(Cause::kAnotherPosition,
                 "these are the moves of the position asked before, " + before->fen_here());
  }
  return are_moves_of(line, theirs) ? std::nullopt : of_known_position(line, theirs);
}

std::optional<Finding> looks_like_another_position(const Line& line, const Comparison& compared,
                                                   const EngineAnswer& theirs) {
  if (compared.invented.empty()) return std::nullopt;
  for (const Line& told : positions_told(theirs)) {
    if (told.here() == line.here() || !are_legal_in(told, theirs)) continue;
    return about(Cause::kAnotherPosition,
                 "its moves are of the position that it names itself, " + told.fen_here());
  }
  constexpr std::size_t kFewInvented = 2;
  constexpr std::size_t kFew = 4;  // a quarter is few
  const auto agreeing = static_cast<std::size_t>(std::ranges::count_if(
      compared.rows, [](const Comparison::Row& row) { return row.engine == row.ours; }));
  const auto legal = static_cast<std::size_t>(std::ranges::count_if(
      compared.rows, [](const Comparison::Row& row) { return row.engine.has_value(); }));
  const std::size_t listed = legal + compared.invented.size();
  if (compared.invented.size() < kFewInvented || kFew * agreeing > listed) return std::nullopt;
  // A program that ignores a check or moves a piece wrongly still moves pieces that stand here.
  const auto foreign = std::ranges::count_if(compared.invented, [&](const std::string& move) {
    const Cause cause = judge_invented(line, move).cause;
    return cause == Cause::kNoPieceThere || cause == Cause::kWrongSide;
  });
  if (kFew * static_cast<std::size_t>(foreign) < compared.invented.size()) return std::nullopt;
  return about(Cause::kAnotherPosition,
               fmt::format("{} of its {} moves {} with ours: it looks like the divide of another "
                           "position",
                           agreeing == 0 ? "none" : std::to_string(agreeing), listed,
                           agreeing == 1 ? "agrees" : "agree"));
}

}  // namespace manyply
