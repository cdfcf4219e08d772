#include "tools/text/engine_output_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/base/text.h"

namespace manyply {
namespace {

using Kind = Token::Kind;

// Limits for an engine that prints without end.
constexpr std::size_t kMaxRows = 4096;
constexpr std::size_t kMaxOthers = 1024;
constexpr std::size_t kMaxTotals = 64;
constexpr std::size_t kMaxRemarks = 8;
constexpr std::size_t kMaxLines = 4096;
constexpr int kMaxReadings = 1000;
constexpr std::size_t kLongestLine = 4096;  // length of a line after splitting

/// First words of lines that are never rows: UCI lines that are not part of a perft, and echoed
/// commands.
constexpr std::string_view kNeverRows =
    " bestmove id option uciok readyok position go setoption isready ucinewgame registration "
    "copyprotection fen ";
/// First words of messages about an unknown command.
constexpr std::string_view kComplaints = " usage error invalid illegal unknown unrecognized ";
/// Words that a list of moves may contain.
constexpr std::string_view kListWords = " moves move legal list of the and all ";
/// Words that occur in rows of moves, but never in the row of a total.
constexpr std::string_view kMoveWords = " castle castling kingside queenside ";

/// Returns the line up to its FEN. A FEN contains neither moves nor counts.
std::string before_fen(const std::string& line) {
  for (const TextSpan& word : words_in({line}, " ")) {
    if (std::ranges::count(word.text, '/') >= 6)
      return line.substr(0, static_cast<std::size_t>(word.column - 1));
  }
  return line;
}

/// Replaces the spaces between groups of digits by "'", and a decimal comma by a point. Returns
/// "1'234" for "1 234", and "2.01" for "2,01".
std::string as_number(std::string field) {
  constexpr std::size_t kGroup = 3;
  const std::size_t mark = field.find_first_not_of("0123456789");
  if (mark == std::string::npos || mark == 0) return field;
  if (field[mark] == ',') {
    const std::string_view behind = std::string_view(field).substr(mark + 1);
    if (!behind.empty() && behind.size() != kGroup && std::ranges::all_of(behind, is_digit))
      field[mark] = '.';
    return field;
  }
  std::string joined = field;
  std::ranges::replace(joined, ' ', '\'');
  if (mark > kGroup || field[mark] != ' ') return field;
  for (std::size_t at = mark; at < field.size(); at += kGroup + 1) {
    const std::string_view group = std::string_view(field).substr(at + 1, kGroup);
    const bool fits =
        field[at] == ' ' && group.size() == kGroup && std::ranges::all_of(group, is_digit);
    if (!fits) return field;
  }
  return joined;
}

/// Returns the line of a table with its numbers in the notation of tokens_of().
std::string with_plain_numbers(std::string line) {
  constexpr std::string_view kSeparators = "|;";
  if (line.find_first_of(kSeparators) == std::string::npos) return line;
  for (std::size_t begin = 0, end = 0; begin < line.size(); begin = end + 1) {
    end = std::min(line.find_first_of(kSeparators, begin), line.size());
    const TextSpan field = TextSpan{std::string_view(line).substr(begin, end - begin)}.trimmed();
    const auto at = static_cast<std::size_t>(field.text.data() - line.data());
    line.replace(at, field.text.size(), as_number(std::string(field.text)));
  }
  return line;
}

/// Returns whether the line has words, but no word for statistics.
bool says_something(const Tokens& tokens) {
  const auto is_word = [](const Token& token) { return token.is(Kind::kWord); };
  const auto is_noise = [](const Token& token) { return token.is_word(kOtherCounts); };
  return std::ranges::any_of(tokens, is_word) && std::ranges::none_of(tokens, is_noise);
}

/// Returns whether the line is a list of moves: "e2e4", "1. e2e4 2. d2d4", "Moves: e4 d4". At depth
/// 1, such a line may be the whole answer.
bool is_list_of_moves(const Tokens& tokens, const OtherLine& other) {
  if (other.moves.empty() || std::ranges::count(other.moves, "") != 0) return false;
  return std::ranges::all_of(tokens, [](const Token& token) {
    if (token.is(Kind::kWord)) return token.is_word(kListWords) || token.square.has_value();
    return !token.is(Kind::kNumber) || token.index;
  });
}

/// Returns whether the line is like "info currmovenumber 1 currmove e2e4 perft 20".
bool is_info_row(const Tokens& tokens) {
  const auto followed = [&](std::string_view word, Kind kind) {
    const auto fits = [&](const Token& name, const Token& next) {
      return name.is_word(word) && next.is(kind);
    };
    return std::ranges::adjacent_find(tokens, fits) != tokens.end();
  };
  return followed(" currmove ", Kind::kMove) && followed(" perft ", Kind::kNumber);
}

/// Fills `other`, the description of a line that is neither a row nor a total.
void describe(const Tokens& tokens, OtherLine& other) {
  const bool noise = !other.has_move && std::ranges::any_of(tokens, [](const Token& token) {
    return token.is_word(kOtherCounts);
  });
  const auto is_countable = [](const Token& t) { return t.is(Kind::kNumber) && !t.measure; };
  const auto countable = std::ranges::count_if(tokens, is_countable);
  if (countable == 1) other.number = std::ranges::find_if(tokens, is_countable)->number;
  // Whether the line is a rank of a printed board, with or without the number of the rank.
  const bool board = !other.has_move && std::ranges::all_of(tokens, [](const Token& token) {
    return token.is(Kind::kMark) || token.text.size() == 1;
  });
  other.has_number = !noise && !(board && tokens.size() > 3) && countable > 0;
}

/// Returns whether the numbers differ by less than a factor of 2. A wrong generator's counts are
/// near the right counts. Counts of other depths, and other numbers, are farther from the right
/// counts.
bool are_near(NodeCount one, NodeCount other) {
  const double first = one.approximate();
  const double second = other.approximate();
  return one == other || (first < 2 * second && second < 2 * first);
}

}  // namespace

std::string to_string(const UnreadLine& line) {
  if (line.text.empty()) return line.why;
  return quote(line.text) + (line.why.empty() ? "" : ", " + line.why);
}

std::optional<NodeCount> sum_of(const std::vector<NodeCount>& counts) {
  NodeCount sum;
  try {
    for (const NodeCount count : counts) sum += count;
  } catch (const CountOverflow&) {
    return std::nullopt;
  }
  return sum;
}

std::optional<NodeCount> EngineAnswer::sum() const {
  std::vector<NodeCount> counts;
  for (const EngineRow& row : rows) counts.push_back(row.nodes);
  return sum_of(counts);
}

bool EngineAnswer::contradicts_itself() const { return total && !rows.empty() && total != sum(); }

bool EngineAnswer::may_count(NodeCount nodes) const {
  if (total == nodes || (!rows.empty() && sum() == nodes)) return true;
  return std::ranges::count(other_totals, nodes, &OtherTotal::nodes) != 0;
}

bool are_alike(const std::vector<std::pair<NodeCount, NodeCount>>& counts) {
  const auto says_nothing = [](const auto& pair) {
    return pair.first == NodeCount(0) && pair.second == NodeCount(0);
  };
  const auto is_near = [&](const auto& pair) {
    return !says_nothing(pair) && are_near(pair.first, pair.second);
  };
  const auto telling = std::ssize(counts) - std::ranges::count_if(counts, says_nothing);
  return !counts.empty() && 2 * std::ranges::count_if(counts, is_near) >= telling;
}

bool are_alike(const std::vector<EngineRow>& one, const std::vector<EngineRow>& other) {
  std::map<std::string_view, NodeCount> counts;
  for (const EngineRow& row : one) counts[row.move] = row.nodes;
  std::vector<std::pair<NodeCount, NodeCount>> pairs;
  for (const EngineRow& row : other) {
    if (const auto same = counts.find(row.move); same != counts.end())
      pairs.emplace_back(row.nodes, same->second);
  }
  return are_alike(pairs);
}

std::vector<EngineAnswer> without_remarks(std::vector<EngineAnswer> tables) {
  const auto repeats = [](const EngineAnswer& few, const EngineAnswer& all) {
    return 2 * few.rows.size() < all.rows.size() &&
           std::ranges::all_of(
               few.rows,
               [&](const EngineRow& row) { return std::ranges::count(all.rows, row) != 0; });
  };
  std::vector<EngineAnswer> left;
  for (const EngineAnswer& table : tables) {
    if (std::ranges::none_of(tables, [&](const auto& all) { return repeats(table, all); }))
      left.push_back(table);
  }
  return left;
}

void settle_columns(EngineAnswer& answer) {
  const bool total_tells = answer.total_is_certain && !answer.contradicts_itself();
  const auto count_of = [](const std::vector<EngineRow>& rows, const EngineRow& row) {
    const auto same = std::ranges::find(rows, row.move, &EngineRow::move);
    return same == rows.end() ? "none" : same->nodes.to_string();
  };
  for (const auto& other : std::exchange(answer.other_columns, {})) {
    if (total_tells && !other.fits_total) continue;
    const std::vector<EngineRow>& rows = other.rows;
    std::vector<EngineRow> all = answer.rows;
    std::ranges::copy_if(rows, std::back_inserter(all), [&](const EngineRow& row) {
      return std::ranges::count(answer.rows, row.move, &EngineRow::move) == 0;
    });
    for (const EngineRow& row : all) {
      const std::string one = count_of(answer.rows, row);
      const std::string another = count_of(rows, row);
      if (one == another) continue;
      answer.unread.push_back(
          {row.line,
           fmt::format("it is ambiguous which number is the count: {} or {}", one, another)});
    }
  }
}

EngineOutputParser::EngineOutputParser(NamedPosition asked, std::optional<Depth> depth)
    : printed_{.asked = asked, .depth = depth} {}

bool EngineOutputParser::feed(std::string_view text) {
  ++texts_;
  if (lines_.size() < kMaxLines) lines_.emplace_back(text);
  bool says_something = false;
  for (const std::string& line : lines_apart(text))
    says_something |= feed_line(std::string_view(line).substr(0, kLongestLine));
  return says_something;
}

bool EngineOutputParser::feed_line(std::string_view text) {
  const std::string shown = plain(text);
  OtherLine other{.line = std::string(TextSpan{shown}.trimmed().text), .why = "", .at = ++fed_};
  const std::string line = with_plain_numbers(before_fen(other.line));
  Tokens tokens = tokens_of(line);
  // In a quoted mail each line begins with '>'.
  const auto is_quote = [](const Token& token) { return token.is_mark(">"); };
  tokens.erase(tokens.begin(), std::ranges::find_if_not(tokens, is_quote));
  const Heading* const heading = heading_of(line, tokens);
  if (tokens.empty() || tokens[0].is_word(kNeverRows)) return false;
  const bool complains = tokens[0].is_word(kComplaints);
  if (tokens[0].is_word(" info ")) {
    other.is_info = true;
    const bool is_string = token_at(tokens, 1).is_word(" string ");
    if (!is_string && !is_info_row(tokens)) {
      feed_total(tokens, nullptr, true, other);
      return false;
    }
    tokens.erase(tokens.begin(), tokens.begin() + (is_string ? 2 : 1));
  }
  const RowLine row{line, tokens, heading};
  if (!complains && feed_rows(row, other)) return true;
  const bool is_row =
      std::ranges::any_of(tokens, [](const Token& token) { return token.is_word(kMoveWords); });
  other.has_move |= is_row;
  other.is_list = is_list_of_moves(tokens, other);
  if (!other.has_move && !complains) {
    printed_.depths.take(line, tokens, other.at);
    has_total_ |= printed_.depth && printed_.depths.row_of(*printed_.depth);
  }
  const bool lists = other.is_list && printed_.depth && printed_.depth->plies() == 1;
  const Token* const in_column = heading == nullptr ? nullptr : heading->count_in(line, tokens);
  if (!complains && !is_row && feed_total(tokens, in_column, false, other)) return true;
  const bool remarks = complains || (!other.is_info && says_something(tokens));
  if (remarks && remarks_.size() < kMaxRemarks) remarks_.push_back({other.line, other.why});
  describe(tokens, other);
  std::vector<OtherLine>& others = printed_.others;
  if ((other.has_move || other.has_number || other.matters) && others.size() < kMaxOthers)
    others.push_back(std::move(other));
  return lists;
}

const Heading* EngineOutputParser::heading_of(std::string_view line, const Tokens& tokens) {
  const bool says_nothing =
      std::ranges::all_of(tokens, [](const Token& token) { return token.is(Kind::kMark); });
  if (says_nothing) return nullptr;
  const auto before = std::exchange(maybe_heading_, Heading::read(line));
  if (maybe_heading_ && maybe_heading_->is_sure()) heading_ = maybe_heading_;
  // The previous line becomes the heading if it applies to this line. Exception: if an older
  // heading also applies, and the previous line does not name the column of moves, keep the older
  // heading, because the previous line may be prose.
  const bool is_known = heading_ && heading_->binds(line, tokens);
  if (before && (before->names_moves() || !is_known) && before->binds(line, tokens))
    heading_ = before;
  return heading_ && heading_->binds(line, tokens) ? &*heading_ : nullptr;
}

bool EngineOutputParser::feed_rows(const RowLine& line, OtherLine& other) {
  const std::vector<MentionedMove> moves = moves_in(line.tokens, printed_.asked);
  other.has_move = resembles_move(line.tokens);
  for (const MentionedMove& move : moves) other.moves.push_back(move.meaning.move);
  if (moves.empty()) return false;
  std::vector<PrintedRow> rows = rows_of(line, moves);
  if (printed_.rows.size() + rows.size() > kMaxRows) rows.clear();
  for (PrintedRow& row : rows) {
    row.line = other.line;
    row.source = texts_;
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
    complete_ = table_begin_ == 0 ? is_whole(printed_) : is_whole(lines_of(printed_, table_begin_));
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
  if (printed_.rows.empty()) {
    return static_cast<std::size_t>(std::ranges::count_if(
        printed_.totals, [](const PrintedTotal& total) { return total.sure; }));
  }
  std::vector<std::size_t> sizes;
  for (const PrintedLines& table : tables_of(printed_)) sizes.push_back(table.rows.size());
  const std::size_t most = std::ranges::max(sizes);
  return static_cast<std::size_t>(
      std::ranges::count_if(sizes, [&](std::size_t size) { return 2 * size >= most; }));
}

std::vector<EngineAnswer> EngineOutputParser::answers() const {
  std::vector<EngineAnswer> answers;
  for (const PrintedLines& table : tables_of(printed_)) {
    answers.push_back(read_together(table));
    answers.back().remarks = remarks_;
    answers.back().lines = lines_;
    if (table.rows.empty()) continue;
    answers.back().first_line = table.rows.front().source;
    answers.back().last_line = table.rows.back().source;
  }
  return answers;
}

EngineAnswer EngineOutputParser::answer() const {
  std::vector<EngineAnswer> all = without_remarks(answers());
  EngineAnswer chosen = all.back();
  if (!chosen.total_is_certain) chosen = std::ranges::max(all, {}, &EngineAnswer::sum);
  for (const EngineAnswer& other : all) {
    const bool may_be_it = !chosen.total_is_certain || other.total_is_certain;
    if (may_be_it && other.rows != chosen.rows && are_alike(other.rows, chosen.rows))
      chosen.other_columns.push_back({.name = "", .rows = other.rows, .fits_total = true});
  }
  settle_columns(chosen);
  return chosen;
}

}  // namespace manyply
