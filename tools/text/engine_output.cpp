#include "tools/text/engine_output.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/text_span.h"
#include "tools/text/joined_lines.h"
#include "tools/text/printed_number.h"

namespace manyply {
namespace {

using Tokens = std::vector<Token>;
using Kind = Token::Kind;

// What is kept of an engine that prints without end.
constexpr std::size_t kMaxRows = 4096;
constexpr std::size_t kMaxOthers = 1024;
constexpr std::size_t kMaxTotals = 64;
constexpr std::size_t kMaxRemarks = 8;
constexpr std::size_t kMaxLines = 4096;
constexpr int kMaxReadings = 1000;
constexpr std::size_t kLongestLine = 4096;  // once it was taken apart

/// Lines of UCI that a perft does not consist of, and echoes of what was asked.
constexpr std::string_view kNeverRows =
    " bestmove id option uciok readyok position go setoption isready ucinewgame registration "
    "copyprotection fen ";
/// What programs begin with that were asked in a way which they do not know.
constexpr std::string_view kComplaints = " usage error invalid illegal unknown unrecognized ";
/// What may stand in a list of moves.
constexpr std::string_view kListWords = " moves move legal list of the and all ";
/// What stands in the row of a move and never in that of a total.
constexpr std::string_view kMoveWords = " castle castling kingside queenside ";

/// The line as far as a FEN: what stands in that is neither move nor count.
std::string before_fen(const std::string& line) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    if (std::count(line.begin() + static_cast<std::ptrdiff_t>(at),
                   line.begin() + static_cast<std::ptrdiff_t>(end), '/') >= 6)
      return line.substr(0, at);
    at = end + 1;
  }
  return line;
}

/// Whether the line has a word, and none for statistics.
bool says_something(const Tokens& tokens) {
  const auto is_word = [](const Token& token) { return token.is(Kind::kWord); };
  const auto is_noise = [](const Token& token) { return token.is_word(kOtherCounts); };
  return std::ranges::any_of(tokens, is_word) && std::ranges::none_of(tokens, is_noise);
}

/// "e2e4", "1. e2e4 2. d2d4", "Moves: e4 d4": at depth 1 that may be the whole answer.
bool is_list_of_moves(const Tokens& tokens, const OtherLine& other) {
  if (other.moves.empty() || std::ranges::count(other.moves, "") != 0) return false;
  return std::ranges::all_of(tokens, [](const Token& token) {
    if (token.is(Kind::kWord)) return token.is_word(kListWords) || token.square.has_value();
    return !token.is(Kind::kNumber) || token.index;
  });
}

/// The counts of `table` in the order of the moves of `like`; nothing if its moves are others.
std::optional<std::vector<NodeCount>> column_like(const EngineAnswer& like,
                                                  const EngineAnswer& table) {
  std::vector<NodeCount> column;
  for (const EngineRow& row : like.rows) {
    const auto same = std::ranges::find(table.rows, row.move, &EngineRow::move);
    if (same == table.rows.end()) return std::nullopt;
    column.push_back(same->nodes);
  }
  return column;
}

/// Puts what a line without a row and without a total has of them into `other`.
void describe(const Tokens& tokens, OtherLine& other) {
  const bool noise = !other.has_move && std::ranges::any_of(tokens, [](const Token& token) {
    return token.is_word(kOtherCounts);
  });
  const auto is_countable = [](const Token& t) { return t.is(Kind::kNumber) && !t.measure; };
  const auto countable = std::ranges::count_if(tokens, is_countable);
  if (countable == 1) other.number = std::ranges::find_if(tokens, is_countable)->number;
  // A rank of a board, with or without its number.
  const bool board = !other.has_move && std::ranges::all_of(tokens, [](const Token& token) {
    return token.is(Kind::kMark) || token.text.size() == 1;
  });
  other.has_number = !noise && !(board && tokens.size() > 3) && countable > 0;
}

}  // namespace

EngineOutputParser::EngineOutputParser(NamedPosition asked, std::optional<Depth> depth)
    : printed_{.asked = asked, .depth = depth} {}

bool EngineOutputParser::feed(std::string_view text) {
  if (lines_.size() < kMaxLines) lines_.emplace_back(text);
  bool says_something = false;
  for (const std::string& line : lines_apart(text))
    says_something |= feed_line(std::string_view(line).substr(0, kLongestLine));
  return says_something;
}

bool EngineOutputParser::feed_line(std::string_view text) {
  const std::string shown = plain(text);
  OtherLine other{.line = std::string(TextSpan{shown}.trimmed().text), .why = "", .at = ++fed_};
  std::string line = before_fen(other.line);
  Tokens tokens = tokens_of(line);
  if (const auto heading = Heading::read(line)) heading_ = heading;
  if (tokens.empty() || tokens[0].is_word(kNeverRows)) return false;
  const bool complains = tokens[0].is_word(kComplaints);
  if (tokens[0].is_word(" info ")) {
    other.is_info = true;
    if (tokens.size() < 2 || !tokens[1].is_word(" string ")) {
      feed_total(tokens, nullptr, true, other);
      return false;
    }
    tokens.erase(tokens.begin(), tokens.begin() + 2);
  }
  const Token* const in_column = heading_ ? heading_->count_in(line, tokens) : nullptr;
  if (!complains && feed_rows(other.line, tokens, in_column, other)) return true;
  const bool is_row =
      std::ranges::any_of(tokens, [](const Token& token) { return token.is_word(kMoveWords); });
  other.has_move |= is_row;
  other.is_list = is_list_of_moves(tokens, other);
  if (!other.has_move && !complains) {
    printed_.depths.take(line, tokens, other.at);
    has_total_ |= printed_.depth && printed_.depths.row_of(*printed_.depth);
  }
  const bool lists = other.is_list && printed_.depth && printed_.depth->plies() == 1;
  if (!complains && !is_row && feed_total(tokens, in_column, false, other)) return true;
  const bool remarks = complains || (!other.is_info && says_something(tokens));
  if (remarks && remarks_.size() < kMaxRemarks) remarks_.push_back({other.line, other.why});
  describe(tokens, other);
  std::vector<OtherLine>& others = printed_.others;
  if ((other.has_move || other.has_number || other.matters) && others.size() < kMaxOthers)
    others.push_back(std::move(other));
  return lists;
}

bool EngineOutputParser::feed_rows(const std::string& line, const Tokens& tokens,
                                   const Token* in_column, OtherLine& other) {
  const std::vector<MentionedMove> moves = moves_in(tokens, printed_.asked);
  other.has_move = resembles_move(tokens);
  for (const MentionedMove& move : moves) other.moves.push_back(move.meaning.move);
  if (moves.empty()) return false;
  std::vector<PrintedRow> rows = rows_of(tokens, moves, in_column);
  if (printed_.rows.size() + rows.size() > kMaxRows) rows.clear();
  for (PrintedRow& row : rows) {
    row.line = line;
    row.is_info = other.is_info;
    row.at = other.at;
  }
  if (rows.empty()) return false;
  std::ranges::move(rows, std::back_inserter(printed_.rows));
  if (std::exchange(complete_, false)) table_begin_ = other.at;
  return true;
}

bool EngineOutputParser::feed_total(const Tokens& tokens, const Token* in_column, bool is_search,
                                    OtherLine& other) {
  TotalsOfLine found = totals_of(tokens, in_column, is_search);
  if (found.refused != nullptr) {
    other.why = why_no_count(*found.refused);
    other.matters = found.refused->fault.starts_with("is negative");
  }
  if (found.readings.empty()) return false;
  for (PrintedTotal& total : found.readings) {
    total.line = other.line;
    total.first = total.last = other.at;
  }
  has_total_ |= found.readings.front().sure;
  keep_totals(found.readings);
  if (!printed_.rows.empty() && ++readings_ <= kMaxReadings) {
    const EngineAnswer now = table_begin_ == 0 ? read_together(printed_)
                                               : read_together(lines_from(printed_, table_begin_));
    complete_ = now.total_is_certain && !now.rows.empty() && !now.contradicts_itself();
  }
  return true;
}

void EngineOutputParser::keep_totals(const std::vector<PrintedTotal>& totals) {
  std::vector<PrintedTotal>& kept = printed_.totals;
  for (const PrintedTotal& total : totals) {
    const auto known = std::ranges::find_if(kept, [&](const PrintedTotal& old) {
      return old.nodes == total.nodes && old.sure >= total.sure && old.alone >= total.alone &&
             old.depth == total.depth;
    });
    if (known != kept.end()) {
      known->last = total.last;
      continue;
    }
    if (kept.size() == kMaxTotals) kept.erase(kept.begin());
    kept.push_back(total);
  }
}

std::size_t EngineOutputParser::tables() const {
  if (!printed_.rows.empty()) return tables_of(printed_).size();
  return static_cast<std::size_t>(
      std::ranges::count_if(printed_.totals, [](const PrintedTotal& total) { return total.sure; }));
}

std::vector<EngineAnswer> EngineOutputParser::answers() const {
  std::vector<EngineAnswer> answers;
  for (const PrintedLines& table : tables_of(printed_)) {
    answers.push_back(read_together(table));
    answers.back().remarks = remarks_;
    answers.back().lines = lines_;
  }
  return answers;
}

EngineAnswer EngineOutputParser::answer() const {
  std::vector<EngineAnswer> all = answers();
  EngineAnswer& last = all.back();
  // Of tables of the same moves that no total tells apart, any may be that of the counts.
  for (std::size_t i = 0; i + 1 < all.size() && !last.total_is_certain; ++i) {
    if (auto column = column_like(last, all[i])) last.other_columns.push_back(*std::move(column));
  }
  return std::move(last);
}

}  // namespace manyply
