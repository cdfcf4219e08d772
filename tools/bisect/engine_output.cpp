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
constexpr int kLabelled = 0;        // behind or before a word for it
constexpr int kFirstBehind = 1;     // and on, as they come
constexpr int kGrouped = 50;        // the first, with the groups of three that follow it
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
    "move "
    "from and is has gives q r b k promote ";
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

/// The number at `at` with the groups of three digits that follow it between single spaces.
std::optional<NodeCount> grouped(const Tokens& tokens, std::size_t at) {
  std::string digits(tokens[at].text);
  if (digits.size() > 3) return std::nullopt;
  for (std::size_t next = at + 1; next < tokens.size(); ++next) {
    const std::string_view text = tokens[next].text;
    const bool follows = tokens[next].is(Kind::kNumber) && text.size() == 3 &&
                         tokens[next - 1].text.end() + 1 == text.begin();
    if (!follows) break;
    digits += text;
  }
  const Result<NodeCount> number = NodeCount::parse(digits);
  const bool has_groups = digits.size() > tokens[at].text.size();
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

// ---------------------------------------------------------------- one line

/// A move in a line, and where it stands.
struct EngineOutputParser::Mention {
  MoveMeaning meaning;
  bool is_long;
  Square to;
  std::size_t first;  ///< token
  std::size_t last;
};

EngineOutputParser::EngineOutputParser(NamedPosition asked) : asked_(asked) {}

bool EngineOutputParser::feed(std::string_view text) {
  Other other{.line = trimmed(plain(text)), .why = ""};
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
  if (feed_total(tokens, in_column, false, other)) return true;
  const bool noise = !other.has_move && std::ranges::any_of(tokens, [](const Token& token) {
    return token.is_word(kOtherCounts);
  });
  const auto is_countable = [](const Token& t) { return t.is(Kind::kNumber) && !t.measure; };
  const auto countable = std::ranges::count_if(tokens, is_countable);
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

/// Moves as far as they are known, each once though it may be told twice in a row, as in
/// `Nf3 (g1f3): 20` and `"uci": "e2e4", "san": "e4"`.
std::vector<EngineOutputParser::Mention> EngineOutputParser::mentions(const Tokens& tokens) const {
  std::vector<Mention> found;
  const auto is_bare = [&](std::size_t at) {
    if (at >= tokens.size() || !tokens[at].is(Kind::kMove)) return false;
    const WrittenMove& move = *tokens[at].move;
    return move.castling == WrittenMove::Castling::kNone && move.piece == PieceType::kPawn &&
           !move.from_file && move.promotion == '\0';
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is(Kind::kMove)) continue;
    WrittenMove written = *tokens[i].move;
    std::size_t last = i;
    // "g1 to f3", "g1 -> f3": two squares, if that is a move.
    std::size_t next = i + 1;
    while (next < tokens.size() && (tokens[next].is(Kind::kMark) || tokens[next].is_word(" to ")))
      ++next;
    WrittenMove pair = written;
    if (is_bare(i) && is_bare(next)) {
      pair = *tokens[next].move;
      pair.piece.reset();
      pair.from_file = file_of(written.to);
      pair.from_rank = rank_of(written.to);
    }
    // "a7a8 = Q", "a7a8 (queen)".
    const std::size_t behind = pair.is_long() && !written.is_long() ? next : i;
    const bool may_promote = pair.castling == WrittenMove::Castling::kNone &&
                             pair.promotion == '\0' &&
                             (rank_of(pair.to) == 7 || rank_of(pair.to) == 0);
    std::size_t word = behind + 1;
    bool marked = false;
    for (; word < tokens.size(); ++word) {
      const bool comma = behind != i && tokens[word].is_mark(',');
      const bool says_so = tokens[word].is_word(" promote promotes promoting promotion to ");
      if (!comma && !says_so && !tokens[word].is_mark('=') && !tokens[word].is_mark('(')) break;
      marked = true;
    }
    std::size_t promoted = behind;
    if (may_promote && word < tokens.size() && tokens[word].is(Kind::kWord)) {
      const Token& token = tokens[word];
      const bool letter = token.text.size() == 1 && (marked || is_capital(token.text[0]));
      if (token.is_word(" queen rook bishop ") || (letter && token.is_word(" q r b n "))) {
        pair.promotion = to_lower(token.text[0]);
        promoted = word;
      } else if (token.is_word(" knight ")) {
        pair.promotion = 'n';
        promoted = word;
      }
    }
    MoveMeaning meaning = meaning_of(written, asked_);
    if (pair.is_long() != written.is_long() || promoted != behind) {
      MoveMeaning better = meaning_of(pair, asked_);
      if (better.legal || (promoted != behind && !better.move.empty())) {
        meaning = std::move(better);
        last = std::max(behind, promoted);
        written = pair;
      }
    }
    const bool again = !found.empty() &&
                       std::none_of(tokens.begin() + static_cast<std::ptrdiff_t>(found.back().last),
                                    tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                    [](const Token& token) { return token.is(Kind::kNumber); });
    const bool long_tells = again && written.is_long() != found.back().is_long &&
                            written.to == found.back().to &&
                            !(found.back().meaning.legal && meaning.legal);
    if (again && found.back().meaning.move == meaning.move && !meaning.move.empty()) {
      found.back().last = last;
    } else if (long_tells) {
      if (written.is_long()) found.back().meaning = std::move(meaning);
      found.back().is_long = true;
      found.back().last = last;
    } else {
      found.push_back({std::move(meaning), written.is_long(), written.to, i, last});
    }
    i = last;
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
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool has_count_unit(std::size_t at, std::size_t last) const {
    return at + 1 < last && has_unit(tokens_, at, kCountWords);
  }

  void look_behind(std::size_t at, std::size_t last) {
    bool adjacent = true;
    bool labelled = false;
    int place = kFirstBehind;
    for (; at < last; ++at) {
      const Token& token = tokens_[at];
      if (token.is(Kind::kWord)) {
        labelled = token.is_word(kCountWords) && !is_per_second(tokens_, at + 1);
        adjacent = adjacent && (labelled || token.is_word(kCommentWords));
      } else if (token.is(Kind::kNumber) && !token.measure) {
        const bool of_nodes = has_count_unit(at, last);
        if (labelled || of_nodes) {
          add({kLabelled, &token});
        } else if (adjacent && (place == kFirstBehind || !token.index)) {
          if (place == kFirstBehind) {
            if (const auto merged = grouped(tokens_, at)) add({kGrouped, &token, merged});
          }
          add({place++, &token});
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
        add({kLabelled, &token});
      } else if (named) {
        return;  // "depth 3 e2e4"
      } else {
        add({token.index ? kIndexBefore : place++, &token});
      }
    }
  }

  void add(Found found) {
    if (found.place != kLabelled || std::ranges::count(found_, kLabelled, &Found::place) == 0)
      found_.push_back(found);
  }

  const Tokens& tokens_;
  std::vector<Found> found_;
};

}  // namespace

bool EngineOutputParser::feed_rows(const std::string& line, const Tokens& tokens,
                                   const Token* in_column, Other& other) {
  const std::vector<Mention> moves = mentions(tokens);
  other.has_move = !moves.empty() || resembles_move(tokens);
  for (const Mention& mention : moves) other.moves.push_back(mention.meaning.move);
  if (moves.empty()) return false;

  const auto count_of = [](int place, const Token& token, std::optional<NodeCount> merged) {
    std::string why = token.fault.empty() ? "" : why_no_count(token);
    const bool pointed = token.fault.find("point") != std::string_view::npos;
    return Count{place, merged ? merged : token.number, std::move(why), pointed};
  };
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
      Row row{line, moves[i].meaning, {}, other.is_info};
      for (const auto& [place, token, merged] :
           CountsBeside(tokens, first, moves[i].first, moves[i].last, last).take()) {
        const bool wanted =
            moves.size() == 1 || place == kLabelled || behind == (place < kFirstBefore);
        if (wanted) row.counts.push_back(count_of(place, *token, merged));
      }
      if (in_column != nullptr && moves.size() == 1) {
        std::erase_if(row.counts, [&](const Count& count) {
          return count.place == kLabelled || !in_column->number;
        });
        row.counts.insert(row.counts.begin(), count_of(kLabelled, *in_column, std::nullopt));
      }
      // Beside other numbers, one with a point in it is a time or a share.
      const auto is_count = [](const Count& count) { return count.number || !count.pointed; };
      if (std::ranges::any_of(row.counts, is_count))
        std::erase_if(row.counts, std::not_fn(is_count));
      if (row.counts.empty()) return std::vector<Row>();
      rows.push_back(std::move(row));
    }
    // `{"e2e4": 20, "d2d4": 21, "nodes": 41}`: what one of several has is the total.
    const auto is_labelled = [](const Row& row) { return row.counts.front().place == kLabelled; };
    if (!std::ranges::all_of(rows, is_labelled)) {
      for (Row& row : rows) {
        if (is_labelled(row) && row.counts.size() > 1) row.counts.erase(row.counts.begin());
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

bool EngineOutputParser::feed_total(const Tokens& tokens, const Token* in_column, bool is_search,
                                    Other& other) {
  std::optional<Total> total;
  const auto number_at = [&](std::size_t at, bool sure) {
    const Token& token = tokens[at];
    if (token.measure) return;
    if (!token.number) {
      other.why = why_no_count(token);
      other.matters = token.fault.starts_with("is negative");
    } else if (!total || (sure && !is_search && !total->sure)) {
      total = Total{*token.number, sure && !is_search};
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
      if (const auto merged = grouped(tokens, i)) total = Total{*merged, true};
      const auto numbers = std::ranges::count(tokens, Kind::kNumber, &Token::kind);
      if (numbers == 1) number_at(i, true);
      break;
    }
    if (has_unit(tokens, i, kTotalUnits)) number_at(i, true);
  }
  for (std::size_t i = 0; i < tokens.size() && !(total && total->sure); ++i) {
    if (!tokens[i].is_word(kTotalWords) || is_per_second(tokens, i + 1)) continue;
    std::size_t at = i + 1;
    if (tokens[i].is_word(" perft ")) {  // "perft(5) = 4865609": the depth comes first
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
        number_at(at, sure);
        break;
      }
    }
  }
  if (!total) return false;
  const bool known = std::ranges::any_of(totals_, [&](const Total& old) {
    return old.nodes == total->nodes && old.sure >= total->sure;
  });
  has_total_ |= total->sure;
  if (!known) {
    if (totals_.size() == kMaxTotals) totals_.erase(totals_.begin());
    totals_.push_back(*total);
  }
  if (!rows_.empty() && ++readings_ <= kMaxReadings) {
    const EngineAnswer now = answer();
    complete_ = now.total && !now.rows.empty() && !now.contradicts_itself();
  }
  return true;
}

// ---------------------------------------------------------------- all lines

/// What the lines say together.
class EngineOutputParser::Reading {
 public:
  explicit Reading(const EngineOutputParser& parser) : parser_(parser), others_(parser.others_) {
    for (const Row& row : parser.rows_) rows_.push_back(&row);
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

  /// A table has one shape; what looks otherwise and repeats a move of it is a remark.
  void set_aside_other_shapes() {
    const auto shape = [](const Row& row) {
      const int place = row.counts.front().place;
      const int side = place == kLabelled     ? 0
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
                         .is_info = row->is_info});
      return true;
    });
  }

  /// "1 e2e4", "2 d2d4", …: nothing is counted there but lines.
  void refuse_numbered_lines() {
    if (rows_.empty()) return;
    const auto first = rows_[0]->counts.front().number;
    if (!first || *first > NodeCount(1)) return;
    bool indexed = true;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Count& count = rows_[i]->counts.front();
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

  void choose_column() {
    std::vector<std::vector<NodeCount>> columns;
    std::set<int> places;
    for (const Row* row : rows_) {
      for (const Count& count : row->counts) places.insert(count.place);
    }
    // Each row's likeliest, if they all can be read.
    std::vector<NodeCount> likeliest;
    for (const Row* row : rows_) {
      if (row->counts.front().number) likeliest.push_back(*row->counts.front().number);
    }
    const bool readable = likeliest.size() == rows_.size();
    if (readable) columns.push_back(likeliest);
    for (const int place : places) {
      auto numbers = column(place);
      if (numbers && std::ranges::count(columns, *numbers) == 0)
        columns.push_back(*std::move(numbers));
    }
    std::optional<NodeCount> total;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < columns.size() && !fits_; ++i) {
      const auto sum = sum_of(columns[i]);
      for (const Total& candidate : parser_.totals_) {
        if (rows_.empty() || sum != candidate.nodes) continue;
        fits_ = true;
        total = candidate.nodes;
        chosen = i;
      }
    }
    if (!fits_) total = likeliest_total();
    answer_.total = total;
    if (!fits_ && !readable) {  // each row by itself, and some of them not at all
      std::erase_if(rows_, [&](const Row* row) {
        if (row->counts.front().number) return false;
        refuse(*row, row->counts.front().why_not);
        spoilt_ = true;
        return true;
      });
      columns.assign(1, likeliest);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i)
      answer_.rows.push_back({rows_[i]->meaning.move, columns[chosen][i]});
    if (!total && columns.size() > 1)
      answer_.other_columns.assign(columns.begin() + 1, columns.end());
  }

  /// The last that is called so; a number that is none of paths only if nothing else is there.
  [[nodiscard]] std::optional<NodeCount> likeliest_total() const {
    std::optional<NodeCount> total;
    for (const Total& candidate : parser_.totals_) {
      const bool counts_rows = !rows_.empty() && candidate.nodes == NodeCount(rows_.size());
      if (candidate.sure && !counts_rows) total = candidate.nodes;
    }
    if (!total && rows_.empty() && !parser_.totals_.empty()) total = parser_.totals_.back().nodes;
    return total;
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
    if (every && !fits_) {
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
      if (fits_) {
        matters = false;
      } else if (mismatch) {
        matters = other.has_move || other.has_number;
      } else if (answer_.rows.empty() && other.has_move && !other.is_info) {
        matters = true;  // and its count may be anywhere
      } else if (other.has_move && !mentions_only) {
        matters = accuses || (other.has_number && !other.is_info);
      } else {
        matters = accuses && other.has_number && !other.has_move;
      }
      if (matters || other.matters)
        answer_.unread.push_back({std::move(other.line), std::move(other.why)});
    }
    if (!fits_ || spoilt_) {
      answer_.unread.insert(answer_.unread.begin(), refused_.begin(), refused_.end());
    }
  }

  const EngineOutputParser& parser_;
  std::vector<const Row*> rows_;
  std::vector<Other> others_;
  std::vector<UnreadLine> refused_;
  bool fits_ = false;    ///< rows and total
  bool spoilt_ = false;  ///< a row's count is none
  EngineAnswer answer_;
};

EngineAnswer EngineOutputParser::answer() const { return Reading(*this).take(); }

}  // namespace manyply
