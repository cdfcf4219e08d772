#include "tools/bisect/engine_output.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/ascii.h"
#include "core/movegen.h"
#include "core/quote.h"

namespace manyply {
namespace {

using Tokens = std::vector<Token>;
using Kind = Token::Kind;

// What is kept of an engine that prints without end.
constexpr std::size_t kMaxRows = 4096;
constexpr std::size_t kMaxOthers = 1024;
constexpr std::size_t kMaxTotals = 64;
constexpr int kMaxReadings = 1000;

// Where a count stands beside its move, the likeliest first.
constexpr int kLabelled = -50;      // behind or before a word for it, and on, as they come
constexpr int kOutside = 1;         // behind the brackets in which the move and numbers stand
constexpr int kFirstBehind = 2;     // and on
constexpr int kGrouped = 50;        // the first, with the groups of three digits in it or behind it
constexpr int kFirstBefore = 100;   // and on, away from the move
constexpr int kIndexBefore = 1000;  // "12." before the move

/// Lines of UCI that a perft does not consist of, and echoes of what was asked.
constexpr std::string_view kNeverRows =
    " bestmove id option uciok readyok position go setoption isready ucinewgame registration "
    "copyprotection fen ";
/// What a count is called.
constexpr std::string_view kCountWords =
    " n node nodes leaf leaves leafs count counts cnt path paths positions subnodes subtree "
    "children "
    "replies ";
/// What may stand between a move and its count without meaning anything else.
constexpr std::string_view kCommentWords =
    " ep en passant check ch mate checkmate capture castle castling kingside queenside short long "
    "side promotion promotes promoting double push quiet pawn knight bishop rook queen king to "
    "move from and is has gives q r b k promote none null nil true false ";
/// What stands in the row of a move and never in that of a total.
constexpr std::string_view kMoveWords = " castle castling kingside queenside ";
/// Statistics and such, in lines without moves.
constexpr std::string_view kOtherCounts =
    " time elapsed took ms seconds nps speed rate hash hashfull tt table hits depth ply captures "
    "capture checks checkmates mates stalemates promotions promos ep passant moves legal threads "
    "thread key version perft divide searching search start info per ";
constexpr std::string_view kTotalWords =
    " nodes node total leaf leaves leafs perft sum result count positions paths ";
constexpr std::string_view kTotalUnits = " nodes node leaf leaves leafs positions paths ";
/// What may stand between a total's name and the total.
constexpr std::string_view kTotalDetails =
    " nodes node leaf leaves leafs searched visited count counted number of paths positions is are "
    "was found for at generated total sum perft and the = ";
constexpr std::string_view kDepthWords = " depth ply plies level iteration ";
/// What a table's column of moves is called, and what stands there in the row of the total.
constexpr std::string_view kMoveColumns = " move moves uci san lan ";
constexpr std::string_view kTotalRows = " total totals sum all ";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

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

bool is_per_second(const Tokens& tokens, std::size_t behind) {
  return behind < tokens.size() && (tokens[behind].is_mark('/') || tokens[behind].is_word(" per "));
}

/// Whether the number at `at` has one of `units` behind it: "20 nodes", but not "depth=2 nodes=20"
/// or "depth 2 nodes 20", where that is the next number's name.
bool has_unit(const Tokens& tokens, std::size_t at, std::string_view units) {
  const std::size_t unit = at + 1;
  if (unit >= tokens.size() || !tokens[unit].is_word(units)) return false;
  if (is_per_second(tokens, unit + 1)) return false;
  const bool assigned =
      unit + 1 < tokens.size() && (tokens[unit + 1].is_mark('=') || tokens[unit + 1].is_mark(':'));
  const std::size_t next = unit + (assigned ? 2 : 1);
  const bool followed =
      next < tokens.size() && tokens[next].is(Kind::kNumber) && !tokens[next].measure;
  const bool has_name = at > 0 && tokens[at - 1].is_word(kOtherCounts);
  return !followed || !(assigned || has_name);
}

/// A table's line, taken apart; of spaces any number is one separator.
std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(separator), line.size());
    if (end > 0 || separator != ' ') fields.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return fields;
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

std::string why_no_count(const Token& number) {
  constexpr std::size_t kMostDigits = 24;
  std::string text(number.text.substr(0, kMostDigits));
  if (number.text.size() > kMostDigits) text += "...";
  return text + ' ' + std::string(number.fault);
}

/// The number at `at` with the groups of three digits that follow it between single spaces, or
/// with the one behind its point: "1 234 567", "1.234".
std::optional<NodeCount> grouped(const Tokens& tokens, std::size_t at) {
  constexpr std::size_t kGroup = 3;
  std::string digits(tokens[at].text);
  const std::size_t point = digits.find('.');
  if (point != std::string::npos) {
    const bool one_group = point > 0 && point <= kGroup && digits.size() == point + 1 + kGroup &&
                           digits[0] >= '1' && digits[0] <= '9';
    if (!one_group) return std::nullopt;
    digits.erase(point, 1);
  }
  if (point == std::string::npos && digits.size() > kGroup) return std::nullopt;
  for (std::size_t next = at + 1; point == std::string::npos && next < tokens.size(); ++next) {
    const std::string_view text = tokens[next].text;
    const bool follows = tokens[next].is(Kind::kNumber) && text.size() == kGroup &&
                         tokens[next - 1].text.end() + 1 == text.begin();
    if (!follows) break;
    digits += text;
  }
  const Result<NodeCount> number = NodeCount::parse(digits);
  const bool has_groups = digits != tokens[at].text;
  return has_groups && number ? std::optional(*number) : std::nullopt;
}

}  // namespace

std::string to_string(const UnreadLine& line) {
  return quote(line.text) + (line.why.empty() ? "" : ", " + line.why);
}

std::optional<NodeCount> EngineAnswer::sum() const {
  std::vector<NodeCount> counts;
  for (const EngineRow& row : rows) counts.push_back(row.nodes);
  return sum_of(counts);
}

bool EngineAnswer::contradicts_itself() const { return total && !rows.empty() && total != sum(); }

bool EngineAnswer::may_count(NodeCount nodes) const {
  if (total == nodes || (!rows.empty() && sum() == nodes)) return true;
  return std::ranges::count(other_totals, nodes, &OtherTotal::nodes) != 0 ||
         std::ranges::any_of(other_columns,
                             [&](const auto& column) { return sum_of(column) == nodes; });
}

// ---------------------------------------------------------------- one line

EngineOutputParser::EngineOutputParser(NamedPosition asked) : asked_(asked) {}

bool EngineOutputParser::feed(std::string_view text) {
  Other other{.line = trimmed(plain(text)), .why = "", .at = ++lines_};
  std::string line = before_fen(other.line);
  Tokens tokens = tokens_of(line);
  if (const auto heading = heading_of(line)) heading_ = heading;
  if (tokens.empty() || tokens[0].is_word(kNeverRows)) return false;
  if (tokens[0].is_word(" info ")) {
    other.is_info = true;
    if (tokens.size() < 2 || !tokens[1].is_word(" string ")) {
      feed_total(tokens, nullptr, true, other);
      return false;
    }
    tokens.erase(tokens.begin(), tokens.begin() + 2);
  }
  const Token* const in_column = in_count_column(line, tokens);
  if (feed_rows(other.line, tokens, in_column, other)) return true;
  const bool is_row =
      std::ranges::any_of(tokens, [](const Token& token) { return token.is_word(kMoveWords); });
  other.has_move |= is_row;
  if (!is_row && feed_total(tokens, in_column, false, other)) return true;
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
  if ((other.has_move || other.has_number || other.matters) && others_.size() < kMaxOthers)
    others_.push_back(std::move(other));
  return false;
}

/// A line of words alone, one field of it for moves and one for their counts.
std::optional<EngineOutputParser::Heading> EngineOutputParser::heading_of(std::string_view line) {
  const std::size_t mark = line.find_first_of("|;,");
  const char separator = mark == std::string_view::npos ? ' ' : line[mark];
  const std::vector<std::string_view> fields = fields_of(line, separator);
  std::optional<std::size_t> move;
  std::optional<std::size_t> count;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::size_t words = 0;
    std::size_t of_counts = 0;
    for (const Token& token : tokens_of(fields[i])) {
      if (token.is(Kind::kMove) || token.is(Kind::kNumber)) return std::nullopt;
      if (!token.is(Kind::kWord)) continue;
      ++words;
      of_counts += token.is_word(kCountWords) ? 1 : 0;
      if (!move && token.is_word(kMoveColumns)) move = i;
    }
    if (words == 0 || of_counts < words) continue;
    if (count) return std::nullopt;
    count = i;
  }
  if (!move || !count) return std::nullopt;
  return Heading{separator, fields.size(), *move, *count};
}

/// The number under the heading's word for it, in a row of a move or of the total; or null.
const Token* EngineOutputParser::in_count_column(std::string_view line,
                                                 const Tokens& tokens) const {
  if (!heading_) return nullptr;
  const std::vector<std::string_view> fields = fields_of(line, heading_->separator);
  if (fields.size() != heading_->fields) return nullptr;
  const auto stands_in = [&](const Token& token, std::size_t field) {
    return token.text.data() >= fields[field].data() &&
           token.text.data() < fields[field].data() + fields[field].size();
  };
  const bool is_row = std::ranges::any_of(tokens, [&](const Token& token) {
    return stands_in(token, heading_->move) && (token.is(Kind::kMove) || token.is_word(kTotalRows));
  });
  if (!is_row) return nullptr;
  const Token* found = nullptr;
  for (const Token& token : tokens) {
    if (!token.is(Kind::kNumber) || !stands_in(token, heading_->count)) continue;
    if (found != nullptr) return nullptr;
    found = &token;
  }
  return found;
}

namespace {

/// The numbers of `tokens` from `first` to before `last` that may count the move at `move` to
/// `move_end`: labelled ones, or such that nothing but marks and comments stands between.
class CountsBeside {
 public:
  CountsBeside(const Tokens& tokens, std::size_t first, std::size_t move, std::size_t move_end,
               std::size_t last)
      : tokens_(tokens) {
    look_behind(move_end + 1, last);
    look_before(first, move);
  }

  struct Found {
    int place;
    const Token* token;
    std::optional<NodeCount> merged{};
  };
  [[nodiscard]] std::vector<Found> take() {
    std::ranges::stable_sort(found_, {}, &Found::place);
    const auto headed = std::ranges::find(found_, first_, &Found::token);
    if (headed != found_.end()) std::rotate(found_.begin(), headed, headed + 1);
    return std::move(found_);
  }
  /// That a heading names this number stands above all else; it keeps its place.
  void put_first(const Token& number, bool is_behind) {
    first_ = &number;
    if (std::ranges::count(found_, first_, &Found::token) == 0)
      add({is_behind ? kFirstBehind : kFirstBefore, first_});
  }

 private:
  [[nodiscard]] bool has_count_unit(std::size_t at, std::size_t last) const {
    return at + 1 < last && has_unit(tokens_, at, kCountWords);
  }

  void look_behind(std::size_t at, std::size_t last) {
    bool adjacent = true;
    bool labelled = false;
    bool outside = false;
    int open = 0;
    int place = kFirstBehind;
    for (; at < last; ++at) {
      const Token& token = tokens_[at];
      if (token.is(Kind::kMark)) {
        open += opens(token) ? 1 : 0;
        if (!closes(token)) continue;
        // The end of what the move stands in: the words in there name no number behind it.
        if (open == 0) adjacent = outside = true;
        open = std::max(open - 1, 0);
      } else if (token.is(Kind::kWord)) {
        labelled = token.is_word(kCountWords) && !is_per_second(tokens_, at + 1);
        adjacent = adjacent && (labelled || token.is_word(kCommentWords));
      } else if (token.is(Kind::kNumber) && !token.measure) {
        const bool of_nodes = has_count_unit(at, last);
        if (labelled || of_nodes) {
          add_labelled(token);
        } else if (adjacent && (place == kFirstBehind || !token.index)) {
          if (place == kFirstBehind) {
            if (const auto merged = grouped(tokens_, at)) add({kGrouped, &token, merged});
          } else if (outside) {
            add({kOutside, &token});
          }
          add({place++, &token});
          outside = false;
        }
        labelled = false;
      }
    }
  }

  void look_before(std::size_t first, std::size_t move) {
    int place = kFirstBefore;
    for (std::size_t at = move; at-- > first;) {
      const Token& token = tokens_[at];
      if (token.is(Kind::kWord)) {
        if (!token.is_word(kCountWords) && !token.is_word(kCommentWords)) return;
        continue;
      }
      if (!token.is(Kind::kNumber) || token.measure) continue;
      std::size_t label = at;
      while (label > first && tokens_[label - 1].is(Kind::kMark)) --label;
      const bool named = label > first && tokens_[label - 1].is(Kind::kWord);
      const bool is_count = named && tokens_[label - 1].is_word(kCountWords);
      if (is_count || has_count_unit(at, move)) {
        add_labelled(token);
      } else if (named) {
        return;  // "depth 3 e2e4"
      } else {
        add({token.index ? kIndexBefore : place++, &token});
      }
    }
  }

  static bool opens(const Token& mark) {
    return mark.is_mark('(') || mark.is_mark('[') || mark.is_mark('{');
  }
  static bool closes(const Token& mark) {
    return mark.is_mark(')') || mark.is_mark(']') || mark.is_mark('}');
  }

  void add(Found found) { found_.push_back(found); }
  void add_labelled(const Token& token) {
    add({kLabelled + labelled_, &token});
    labelled_ = std::min(labelled_ + 1, -kLabelled);
  }

  const Tokens& tokens_;
  std::vector<Found> found_;
  const Token* first_ = nullptr;
  int labelled_ = 0;
};

bool is_labelled(int place) { return place < kOutside; }

}  // namespace

bool EngineOutputParser::feed_rows(const std::string& line, const Tokens& tokens,
                                   const Token* in_column, Other& other) {
  const std::vector<MentionedMove> moves = moves_in(tokens, asked_);
  other.has_move = resembles_move(tokens);
  for (const MentionedMove& move : moves) other.moves.push_back(move.meaning.move);
  if (moves.empty()) return false;

  // Each move with what stands behind it up to the next one, or each with what stands before it.
  const auto read = [&](bool behind) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const bool is_first = i == 0;
      const bool is_last = i + 1 == moves.size();
      const std::size_t first = is_first ? 0 : behind ? moves[i].first : moves[i - 1].last + 1;
      const std::size_t last = is_last  ? tokens.size()
                               : behind ? moves[i + 1].first
                                        : moves[i].last + 1;
      Row row{line, moves[i].meaning, {}, other.is_info, other.at};
      CountsBeside counts(tokens, first, moves[i].first, moves[i].last, last);
      if (in_column != nullptr && moves.size() == 1)
        counts.put_first(*in_column, in_column > &tokens[moves[i].last]);
      for (const auto& [place, token, merged] : counts.take()) {
        const bool wanted =
            moves.size() == 1 || is_labelled(place) || behind == (place < kFirstBefore);
        if (!wanted) continue;
        std::string why = token->fault.empty() || merged ? "" : why_no_count(*token);
        const bool pointed = token->fault.find("point") != std::string_view::npos;
        row.counts.push_back({place, merged ? merged : token->number, std::move(why), pointed});
      }
      if (row.counts.empty()) return std::vector<Row>();
      rows.push_back(std::move(row));
    }
    // `{"e2e4": 20, "d2d4": 21, "nodes": 41}`: what one of several has is the total.
    const auto has_label = [](const Row& row) { return is_labelled(row.counts.front().place); };
    if (!std::ranges::all_of(rows, has_label)) {
      for (Row& row : rows) {
        if (has_label(row) && row.counts.size() > 1) row.counts.erase(row.counts.begin());
      }
    }
    return rows;
  };
  std::vector<Row> rows = read(true);
  if (rows.empty() && moves.size() > 1) rows = read(false);
  if (rows_.size() + rows.size() > kMaxRows) rows.clear();
  std::ranges::move(rows, std::back_inserter(rows_));
  return !rows.empty();
}

namespace {

/// "perft(3) = 8902", "depth 3: 8902": the number that is told as the depth, if one is.
std::optional<NodeCount> depth_told(const Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool perft = tokens[i].is_word(" perft ");
    if (!perft && !tokens[i].is_word(kDepthWords)) continue;
    std::size_t at = i + 1;
    while (at < tokens.size() && tokens[at].is(Kind::kMark) && (!perft || tokens[at].is_mark('(')))
      ++at;
    if (at < tokens.size() && tokens[at].is(Kind::kNumber)) return tokens[at].number;
  }
  return std::nullopt;
}

/// Where the number stands behind a total's name at `name`, and whether only words that belong to
/// it are between.
std::optional<std::pair<std::size_t, bool>> number_behind(const Tokens& tokens, std::size_t name) {
  std::size_t at = name + 1;
  if (tokens[name].is_word(" perft ")) {  // "perft(5) = 4865609": the depth comes first
    while (at < tokens.size() && !tokens[at].is_mark(':') && !tokens[at].is_mark('=')) ++at;
    if (tokens[at - 1].is_word(kDepthWords)) --at;  // "perft depth=5 nodes=4865609"
  }
  bool sure = true;
  bool depth_comes = false;
  for (; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (token.is_word(" time per ") || token.is(Kind::kMove)) break;
    if (token.is(Kind::kWord)) {
      depth_comes = token.is_word(kDepthWords);
      sure = sure && (depth_comes || token.is_word(kTotalDetails));
    } else if (token.is(Kind::kNumber) && !std::exchange(depth_comes, false)) {
      return std::pair(at, sure);
    }
  }
  return std::nullopt;
}

}  // namespace

bool EngineOutputParser::feed_total(const Tokens& tokens, const Token* in_column, bool is_search,
                                    Other& other) {
  std::optional<Total> total;
  std::size_t place = 0;  // of its number
  const auto number_at = [&](std::size_t at, bool sure) {
    const Token& token = tokens[at];
    if (token.measure) return;
    sure = sure && !is_search && token.number;
    const std::optional<NodeCount> number = token.number ? token.number : grouped(tokens, at);
    if (!number) {
      other.why = why_no_count(token);
      other.matters = token.fault.starts_with("is negative");
    } else if (!total || (sure && !total->sure)) {
      total = Total{*number, sure, other.line, other.at, other.at, true};
      place = at;
    }
  };
  if (in_column != nullptr) {
    number_at(static_cast<std::size_t>(in_column - tokens.data()), true);
    if (!total) return false;
  }
  const auto is_plain = [](const Token& token) { return !token.is(Kind::kWord) && !token.move; };
  const bool no_words = std::ranges::all_of(tokens, is_plain);
  for (std::size_t i = 0; i < tokens.size() && !total; ++i) {
    if (!tokens[i].is(Kind::kNumber)) continue;
    if (no_words) {  // a number alone
      const auto numbers = std::ranges::count(tokens, Kind::kNumber, &Token::kind);
      if (numbers == 1 || grouped(tokens, i)) number_at(i, true);
      break;
    }
    if (has_unit(tokens, i, kTotalUnits)) number_at(i, true);
  }
  for (std::size_t i = 0; i < tokens.size() && !(total && total->sure); ++i) {
    if (!tokens[i].is_word(kTotalWords) || is_per_second(tokens, i + 1)) continue;
    if (const auto found = number_behind(tokens, i)) number_at(found->first, found->second);
  }
  if (!total) return false;
  has_total_ |= total->sure;
  total->depth = depth_told(tokens);
  if (in_column != nullptr) {
    keep_totals({*total});
  } else {
    keep_totals(readings_of(*total, tokens, place));
  }
  if (!rows_.empty() && ++readings_ <= kMaxReadings) {
    const EngineAnswer now = answer();
    complete_ = now.total_is_certain && !now.rows.empty() && !now.contradicts_itself();
  }
  return true;
}

/// The total, and what else it may be: other numbers behind it, without a name of their own.
std::vector<EngineOutputParser::Total> EngineOutputParser::readings_of(const Total& total,
                                                                       const Tokens& tokens,
                                                                       std::size_t place) {
  std::vector<Total> readings{total};
  const auto add = [&](NodeCount nodes, bool sure) {
    readings.push_back(total);
    readings.back().nodes = nodes;
    readings.back().sure = sure;
  };
  for (std::size_t at = place + 1; at < tokens.size() && !tokens[at].is(Kind::kWord); ++at) {
    const bool named = at + 1 < tokens.size() && tokens[at + 1].is(Kind::kWord);
    if (tokens[at].number && !tokens[at].measure && !named) add(*tokens[at].number, false);
  }
  if (const auto merged = grouped(tokens, place)) add(*merged, total.sure);
  for (Total& reading : readings) reading.alone = readings.size() == 1;
  return readings;
}

void EngineOutputParser::keep_totals(const std::vector<Total>& totals) {
  for (const Total& total : totals) {
    const auto known = std::ranges::find_if(totals_, [&](const Total& old) {
      return old.nodes == total.nodes && old.sure >= total.sure && old.alone >= total.alone &&
             old.depth == total.depth;
    });
    if (known != totals_.end()) {
      known->last = total.last;
      continue;
    }
    if (totals_.size() == kMaxTotals) totals_.erase(totals_.begin());
    totals_.push_back(total);
  }
}

// ---------------------------------------------------------------- all lines

namespace {

/// "Nf9: 20": a name of letters and digits, as moves have, a number, and nothing else.
bool is_shaped_as_row(std::string_view line) {
  constexpr std::size_t kLongestMove = 7;  // Qa1xb2+ without its sign, e7xd8=Q without its own
  const auto in_name = [](char c) { return is_letter(c) || is_digit(c); };
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(line, in_name) - line.begin());
  const std::string_view name = line.substr(0, end);
  if (name.size() < 2 || name.size() > kLongestMove || std::ranges::none_of(name, is_letter) ||
      std::ranges::none_of(name, is_digit))
    return false;
  const std::size_t count = line.find_first_not_of(" \t:=|-", end);
  return count != std::string_view::npos && count > end &&
         std::ranges::all_of(line.substr(count), is_digit);
}

}  // namespace

/// What the lines say together.
class EngineOutputParser::Reading {
 public:
  explicit Reading(const EngineOutputParser& parser) : parser_(parser), others_(parser.others_) {
    for (const Row& row : parser.rows_) rows_.push_back(&row);
    find_pointed_places();
    set_aside_other_shapes();
    refuse_numbered_lines();
    take_unreadable_rows();
    choose_column();
    find_repetitions();
    judge_others();
  }

  [[nodiscard]] EngineAnswer take() { return std::move(answer_); }

 private:
  void refuse(const Row& row, std::string why) { refused_.push_back({row.line, std::move(why)}); }

  /// Places where a number with a point in it stands in every row: a time or a share.
  void find_pointed_places() {
    std::set<int> whole;
    for (const Row* row : rows_) {
      for (const Count& count : row->counts)
        (count.pointed && !count.number ? pointed_ : whole).insert(count.place);
    }
    for (const int place : whole) pointed_.erase(place);
  }

  /// The number that is the likeliest to be the row's count.
  [[nodiscard]] const Count& likeliest(const Row& row) const {
    for (const Count& count : row.counts) {
      const bool doubtful = count.pointed && count.number;  // "1.234" may be a time
      if (!doubtful && !pointed_.contains(count.place)) return count;
    }
    return row.counts.front();
  }

  /// A table has one shape; what looks otherwise and repeats a move of it is a remark.
  void set_aside_other_shapes() {
    const auto shape = [this](const Row& row) {
      const int place = likeliest(row).place;
      const int side = is_labelled(place)     ? 0
                       : place < kFirstBefore ? 1
                       : place < kIndexBefore ? 2
                                              : 3;
      return 2 * side + (row.is_info ? 1 : 0);
    };
    std::map<int, int> times;
    for (const Row* row : rows_) ++times[shape(*row)];
    if (times.size() < 2) return;
    const int main =
        std::ranges::max_element(times, {}, [](const auto& of) { return of.second; })->first;
    std::set<std::string> listed;
    for (const Row* row : rows_) {
      if (shape(*row) == main) listed.insert(row->meaning.move);
    }
    std::erase_if(rows_, [&](const Row* row) {
      if (shape(*row) == main || !listed.contains(row->meaning.move)) return false;
      others_.push_back({.line = row->line,
                         .why = "",
                         .moves = {row->meaning.move},
                         .has_move = true,
                         .has_number = true,
                         .is_info = row->is_info,
                         .at = row->at});
      return true;
    });
  }

  /// "1 e2e4", "2 d2d4", …: nothing is counted there but lines.
  void refuse_numbered_lines() {
    if (rows_.empty()) return;
    const auto first = likeliest(*rows_[0]).number;
    if (!first || *first > NodeCount(1)) return;
    bool indexed = true;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Count& count = likeliest(*rows_[i]);
      const bool before = count.place >= kFirstBefore;
      if (!before || count.number != *first + NodeCount(i)) return;
      indexed = indexed && count.place == kIndexBefore;
    }
    if (rows_.size() < 2 && !indexed) return;
    for (const Row* row : rows_) refuse(*row, "has a number of its own, but no count");
    rows_.clear();
  }

  void take_unreadable_rows() {
    std::erase_if(rows_, [&](const Row* row) {
      if (!row->meaning.move.empty()) return false;
      refuse(*row, row->meaning.why_not);
      return true;
    });
  }

  static const Count* count_at(const Row& row, int place) {
    const auto found = std::ranges::find(row.counts, place, &Count::place);
    if (found != row.counts.end()) return &*found;
    return place == kGrouped ? count_at(row, kFirstBehind) : nullptr;
  }

  /// The numbers at `place` of every row, if they are all there.
  [[nodiscard]] std::optional<std::vector<NodeCount>> column(int place) const {
    std::vector<NodeCount> numbers;
    for (const Row* row : rows_) {
      const Count* count = count_at(*row, place);
      if (count == nullptr || !count->number) return std::nullopt;
      numbers.push_back(*count->number);
    }
    return numbers;
  }

  /// The columns that can be read: each row's likeliest count, then place by place.
  [[nodiscard]] std::vector<std::vector<NodeCount>> columns() const {
    std::vector<std::vector<NodeCount>> columns;
    std::vector<NodeCount> counts;
    std::set<int> places;
    for (const Row* row : rows_) {
      if (const Count& count = likeliest(*row); count.number) counts.push_back(*count.number);
      for (const Count& count : row->counts) places.insert(count.place);
    }
    if (counts.size() == rows_.size()) columns.push_back(counts);
    for (const int place : places) {
      auto numbers = column(place);
      if (numbers && std::ranges::count(columns, *numbers) == 0)
        columns.push_back(*std::move(numbers));
    }
    return columns;
  }

  void choose_column() {
    std::vector<std::vector<NodeCount>> all = columns();
    std::vector<const Total*> fitting;  // of each column
    for (const auto& column : all) fitting.push_back(total_of(column));
    const auto fit =
        std::ranges::find_if(fitting, [](const Total* total) { return total != nullptr; });
    if (fit != fitting.end()) {
      const Total& total = **fit;
      answer_.total = total.nodes;
      answer_.total_is_certain = total.sure;
      // Of several numbers one may well be that of the captures, and no row lost of those.
      if (total.sure && total.alone) fit_ = &total;
      std::vector<std::vector<NodeCount>> chosen{
          all[static_cast<std::size_t>(fit - fitting.begin())]};
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool possible = fit_ == nullptr || fitting[i] != nullptr;
        if (possible && all[i] != chosen[0]) chosen.push_back(all[i]);
      }
      all = std::move(chosen);
    } else {
      choose_total();
      refuse_rows_without_count(all);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i)
      answer_.rows.push_back({rows_[i]->meaning.move, all[0][i]});
    if (all.size() > 1) answer_.other_columns.assign(all.begin() + 1, all.end());
  }

  /// The surest total that the column adds up to, or null.
  [[nodiscard]] const Total* total_of(const std::vector<NodeCount>& column) const {
    const auto sum = rows_.empty() ? std::nullopt : sum_of(column);
    const auto rank = [](const Total& total) { return 2 * total.sure + total.alone; };
    const Total* best = nullptr;
    for (const Total& total : parser_.totals_) {
      const bool fits = sum == total.nodes && counts_all_rows(total);
      if (fits && (best == nullptr || rank(total) > rank(*best))) best = &total;
    }
    return best;
  }

  /// One among the rows is a sum so far. Precondition: there are rows.
  [[nodiscard]] bool counts_all_rows(const Total& total) const {
    return total.last > rows_.back()->at || total.first < rows_.front()->at;
  }

  /// Where no total tells: each row by itself, if some of them cannot be read at all.
  void refuse_rows_without_count(std::vector<std::vector<NodeCount>>& all) {
    const std::size_t before = rows_.size();
    std::erase_if(rows_, [&](const Row* row) {
      const Count& count = likeliest(*row);
      if (!count.number) refuse(*row, count.why_not);
      return !count.number;
    });
    if (rows_.size() == before && !all.empty()) return;
    spoilt_ |= rows_.size() != before;
    all = columns();
    if (all.empty()) all.emplace_back();
  }

  /// The last that is called so; a number that is none of paths only if nothing else is there.
  void choose_total() {
    const Total* chosen = nullptr;
    for (const Total& candidate : parser_.totals_) {
      const bool counts_rows = !rows_.empty() && candidate.nodes == NodeCount(rows_.size());
      if (candidate.sure && !counts_rows) chosen = &candidate;
    }
    if (chosen == nullptr && rows_.empty() && !parser_.totals_.empty())
      chosen = &parser_.totals_.back();
    if (chosen == nullptr) return;
    answer_.total = chosen->nodes;
    answer_.total_is_certain = chosen->sure;
    if (rows_.empty() && is_one_for_each_depth()) return;
    for (const Total& other : parser_.totals_) {
      if (other.nodes != chosen->nodes && (other.sure || !other.alone))
        answer_.other_totals.push_back({other.nodes, other.line});
    }
    if (!rows_.empty() && !answer_.other_totals.empty()) {
      answer_.other_totals.push_back({chosen->nodes, chosen->line});
      for (const auto& [nodes, line] : std::exchange(answer_.other_totals, {}))
        answer_.unread.push_back({line, nodes.to_string() + " is not what the rows add up to"});
    }
  }

  /// "perft 1: 20", "perft 2: 400", …: the last is what was asked for.
  [[nodiscard]] bool is_one_for_each_depth() const {
    std::set<NodeCount> depths;
    std::size_t sure = 0;
    for (const Total& total : parser_.totals_) {
      if (!total.sure) continue;
      ++sure;
      if (total.depth) depths.insert(*total.depth);
    }
    return depths.size() == sure;
  }

  void find_repetitions() {
    std::map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < answer_.rows.size(); ++i) places[answer_.rows[i].move].push_back(i);
    std::set<std::size_t> unclear;
    bool every = !places.empty();
    for (const auto& [move, where] : places) {
      every = every && where.size() > 1;
      const bool doubtful =
          std::ranges::any_of(where, [&](std::size_t i) { return rows_[i]->meaning.doubtful; });
      if (where.size() > 1 && doubtful && misses_moves())
        unclear.insert(where.begin(), where.end());
    }
    for (const std::size_t i : unclear) refuse(*rows_[i], "may be either of two moves");
    spoilt_ |= !unclear.empty();
    // Every move twice is two tables, unless the total counts each of them.
    if (every && fit_ == nullptr) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (places[answer_.rows[i].move][1] == i)
          refuse(*rows_[i], "stands there more than once, as every move does");
      }
    }
  }

  [[nodiscard]] std::set<std::string> listed_moves() const {
    std::set<std::string> listed;
    for (const EngineRow& row : answer_.rows) listed.insert(row.move);
    return listed;
  }
  [[nodiscard]] bool misses_moves() const {
    const std::set<std::string> listed = listed_moves();
    return std::ranges::any_of(legal_moves(parser_.asked_.position), [&](Move move) {
      return !listed.contains(to_uci(move, parser_.asked_.notation));
    });
  }

  /// Between two of them, or next to one.
  [[nodiscard]] bool stands_among_rows(const Other& other) const {
    return !rows_.empty() && other.at + 1 >= rows_.front()->at && other.at <= rows_.back()->at + 1;
  }

  void judge_others() {
    const std::set<std::string> listed = listed_moves();
    const bool mismatch = answer_.contradicts_itself();
    const bool says_something = !answer_.rows.empty() || !answer_.total;
    const bool invents = listed.size() > legal_moves(parser_.asked_.position).size();
    const bool accuses = says_something && (invents || misses_moves());
    for (Other& other : others_) {
      const bool mentions_only =
          !other.moves.empty() &&
          std::ranges::all_of(other.moves, [&](const auto& move) { return listed.contains(move); });
      bool matters = false;
      if (fit_ != nullptr) {
        const bool not_counted = fit_->last < other.at && fit_->first > rows_.front()->at;
        const bool may_be_row = other.has_move && other.has_number && !mentions_only;
        matters = accuses && not_counted && may_be_row && !other.is_info;
      } else if (mismatch) {
        matters = other.has_move || other.has_number;
      } else if (answer_.rows.empty() && other.has_move && !other.is_info) {
        matters = true;  // and its count may be anywhere
      } else if (other.has_move && !mentions_only) {
        matters = accuses || (other.has_number && !other.is_info);
      } else {
        const bool row_like = stands_among_rows(other) && is_shaped_as_row(other.line);
        matters = !other.has_move && other.has_number && (accuses || (row_like && !other.is_info));
      }
      // Whatever it is called, it is the total.
      const bool is_sum = !answer_.rows.empty() && !other.has_move && other.number;
      if (is_sum && answer_.may_count(*other.number)) matters = false;
      if (matters || other.matters) {
        answer_.unread.push_back({std::move(other.line), std::move(other.why)});
      } else if (answer_.rows.empty() && other.has_number && !other.is_info) {
        answer_.passed_over.push_back({std::move(other.line), std::move(other.why)});
      }
    }
    if (answer_.rows.empty()) {
      for (const auto& [nodes, line] : answer_.other_totals)
        answer_.passed_over.push_back({line, ""});
    }
    if (fit_ == nullptr || spoilt_) {
      answer_.unread.insert(answer_.unread.begin(), refused_.begin(), refused_.end());
    }
  }

  const EngineOutputParser& parser_;
  std::vector<const Row*> rows_;
  std::vector<Other> others_;
  std::vector<UnreadLine> refused_;
  std::set<int> pointed_;
  const Total* fit_ = nullptr;  ///< that the rows add up to for certain
  bool spoilt_ = false;         ///< a row's count is none
  EngineAnswer answer_;
};

EngineAnswer EngineOutputParser::answer() const { return Reading(*this).take(); }

}  // namespace manyply
