#include <algorithm>

#include "core/base/text.h"
#include "tools/text/divide_reading.h"

namespace manyply {
namespace {

using Kind = Token::Kind;

/// Words between a move and a depth that follows the move.
constexpr std::string_view kPrepositions = " at in for of to after with ";
constexpr std::string_view kMovesWords = " moves ";
constexpr std::string_view kMoveColumns = " move moves uci san lan ";

/// Returns the mark between the fields of a line; a space if the fields are words.
char separator_of(std::string_view line) {
  const std::size_t mark = line.find_first_of("|;,");
  return mark == std::string_view::npos ? ' ' : line[mark];
}

/// Returns the fields of a table's line. Several spaces are one separator.
std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  const bool ends_empty = separator != ' ' && line.ends_with(separator);
  while (!line.empty()) {
    const std::string_view field = cut_until(line, separator);
    if (!field.empty() || separator != ' ') fields.push_back(field);
  }
  if (ends_empty) fields.push_back(line);
  return fields;
}

/// Finds the numbers that may be the count of a move. The move has the tokens `move` to `move_end`.
/// The numbers are in `tokens`, from index `first` to `last` - 1.
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
    // A number after unknown words may be the count only if there are other numbers, and all of
    // them precede the move.
    const bool only_before = std::ranges::all_of(
        found_, [](const Found& found) { return found.place >= place::kFirstBefore; });
    if (only_before && !found_.empty() && far_behind_ != nullptr)
      add({place::kFarBehind, far_behind_});
    std::ranges::stable_sort(found_, {}, &Found::place);
    const auto headed = std::ranges::find(found_, first_, &Found::token);
    if (headed != found_.end()) std::rotate(found_.begin(), headed, headed + 1);
    return std::move(found_);
  }
  /// Returns the numbers after the move that are probably not counts.
  [[nodiscard]] const std::vector<const Token*>& asides() const { return asides_; }
  /// Makes `number` the likeliest count, because the heading names its column as counts. If the
  /// number was found before, it keeps its `place`. `is_behind`: the number follows the move.
  void put_first(const Token& number, bool is_behind) {
    first_ = &number;
    if (std::ranges::count(found_, first_, &Found::token) == 0)
      add({is_behind ? place::kFirstBehind : place::kFirstBefore, first_});
  }

 private:
  void look_behind(std::size_t at, std::size_t last) {
    bool adjacent = true;
    bool labelled = false;
    bool of_moves = false;
    bool of_something_else = false;
    bool outside = false;
    int open = 0;
    int next_place = place::kFirstBehind;
    for (; at < last; ++at) {
      const Token& token = tokens_[at];
      if (token.is(Kind::kMark)) {
        open += token.is_mark("([{") ? 1 : 0;
        if (!token.is_mark(")]}")) continue;
        // If `open` is 0, the bracket was opened before the move, as in `(e2e4 best) 20`. The words
        // in this bracket do not name the numbers after it.
        if (open == 0) adjacent = outside = true;
        open = std::max(open - 1, 0);
      } else if (token.is(Kind::kWord)) {
        labelled = token.is_word(kCountWords) && !is_per_second(tokens_, at + 1);
        of_moves = token.is_word(kMovesWords);
        of_something_else = token.is_word(kOtherCounts) && !of_moves;
        adjacent = adjacent && (labelled || of_moves || token.is_word(kCommentWords) ||
                                says_how_deep(at, last));
      } else if (token.is(Kind::kNumber) && !token.measure) {
        const Deepness depth = deepness_of(tokens_, at);
        if (labelled || (depth == Deepness::kNo && has_unit_before(at, last, kCountWords))) {
          add_labelled(token);
        } else if (depth == Deepness::kYes) {
          // "perft 20" is a count if there is no other number.
          if (token_at(tokens_, at - 1).is_word(" perft ")) add({place::kPerft, &token});
        } else if (of_moves || has_unit_before(at, last, kMovesWords)) {
          add({place::kOfMoves, &token});
        } else if (adjacent && (next_place == place::kFirstBehind || !token.index)) {
          if (next_place == place::kFirstBehind) {
            if (const auto merged = grouped(tokens_, at)) add({place::kGrouped, &token, merged});
          } else if (outside) {
            add({place::kOutside, &token});
          }
          add({next_place++, &token});
          outside = false;
        } else if (!of_something_else && token.number) {
          if (far_behind_ == nullptr) far_behind_ = &token;
          asides_.push_back(&token);
        }
        labelled = of_moves = of_something_else = false;
      }
    }
  }

  void look_before(std::size_t first, std::size_t move) {
    int next_place = place::kFirstBefore;
    // In "29 N e1 c2", the letter N is the piece, not a word for counts.
    const bool has_knight = move > first && tokens_[move - 1].is_word(" n ");
    const std::size_t end = has_knight ? move - 1 : move;
    for (std::size_t at = end; at-- > first;) {
      const Token& token = tokens_[at];
      if (token.is(Kind::kWord)) {
        const bool known = token.is_word(kCountWords) || token.is_word(kCommentWords) ||
                           token.is_word(kMovesWords) || token.is_word(kDepthWords);
        if (!known) return;
        continue;
      }
      if (!token.is(Kind::kNumber) || token.measure) continue;
      if (deepness_of(tokens_, at) == Deepness::kYes) continue;  // "depth 3 e2e4"
      std::size_t label = at;
      while (label > first && tokens_[label - 1].is(Kind::kMark)) --label;
      const bool named = label > first && tokens_[label - 1].is(Kind::kWord);
      const bool is_count = named && tokens_[label - 1].is_word(kCountWords);
      if (is_count || has_unit_before(at, end, kCountWords)) {
        add_labelled(token);
      } else if (named) {
        return;
      } else {
        add({token.index ? place::kIndexBefore : next_place++, &token});
      }
    }
  }

  [[nodiscard]] bool has_unit_before(std::size_t at, std::size_t last,
                                     std::string_view units) const {
    return at + 1 < last && has_unit(tokens_, at, units);
  }

  /// Returns whether the word at `at` belongs to a depth: "at depth 2", "for 2 plies", "perft(2)".
  [[nodiscard]] bool says_how_deep(std::size_t at, std::size_t last) const {
    const Token& token = tokens_[at];
    std::size_t next = at + 1;
    while (token_at(tokens_, next).is(Kind::kMark)) ++next;
    const bool before = next < last && deepness_of(tokens_, next) == Deepness::kYes;
    if (token.is_word(kPrepositions))
      return before || (next < last && tokens_[next].is_word(kDepthWords));
    if (!token.is_word(kDepthWords) && !token.is_word(" perft ")) return false;
    return before || deepness_of(tokens_, at - 1) != Deepness::kNo;
  }

  void add(Found found) { found_.push_back(found); }
  void add_labelled(const Token& token) {
    add({place::kLabelled + labelled_, &token});
    labelled_ = std::min(labelled_ + 1, -place::kLabelled);
  }

  const Tokens& tokens_;
  std::vector<Found> found_;
  std::vector<const Token*> asides_;
  const Token* far_behind_ = nullptr;  ///< the first number after unknown words
  const Token* first_ = nullptr;
  int labelled_ = 0;
};

/// Returns the word beside the number at `at` that is the number's name: "mine: 20", "20 captures".
/// The word may also describe the move: "ep: 20". Single letters are not names, because they may be
/// pieces.
std::string_view name_beside(const Tokens& tokens, std::size_t at) {
  const auto is_name = [](const Token& token) {
    return token.is(Kind::kWord) && token.text.size() > 1;
  };
  std::size_t before = at - 1;
  while (token_at(tokens, before).is(Kind::kMark)) --before;
  if (is_name(token_at(tokens, before))) return tokens[before].text;
  if (!is_name(token_at(tokens, at + 1))) return "";
  std::size_t next = at + 2;
  while (token_at(tokens, next).is(Kind::kMark)) ++next;
  return token_at(tokens, next).is(Kind::kNumber) ? "" : tokens[at + 1].text;
}

bool stands_in(const Token& token, std::string_view field) {
  return token.text.data() >= field.data() && token.text.data() < field.data() + field.size();
}

/// Returns the index of the field that contains `token`; the number of fields if no field does.
std::size_t place_among(const std::vector<std::string_view>& fields, const Token& token) {
  const auto field =
      std::ranges::find_if(fields, [&](std::string_view of) { return stands_in(token, of); });
  return static_cast<std::size_t>(field - fields.begin());
}

PrintedCount count_of(int at, const Token& token, const std::optional<NodeCount>& merged) {
  std::string why = token.fault.empty() || merged ? "" : why_no_count(token);
  const bool pointed = token.fault.find("point") != std::string_view::npos;
  return {at, merged ? merged : token.number, std::move(why), pointed};
}

/// Sets `offset`, `field` and `head` of `count`. `token` has the number of `count`, and `of` is the
/// line of this number. Precondition: the line has one move. `fields` are the fields of the line.
void set_place(PrintedCount& count, const Token& token, const RowLine& of,
               const std::vector<std::string_view>& fields) {
  count.offset = static_cast<std::size_t>(token.text.data() - of.line.data());
  count.field = place_among(fields, token);
  if (of.heading != nullptr) count.head = of.heading->name_above(of.line, token);
  const auto at = static_cast<std::size_t>(&token - of.tokens.data());
  if (count.head.empty()) count.head = name_beside(of.tokens, at);
}

/// Combines each move with its numbers. If `behind`, the numbers of a move stand between this move
/// and the next move. Otherwise, they stand between the previous move and this move. If the line
/// has only one move, all numbers of the line belong to this move.
std::vector<PrintedRow> read_beside(const RowLine& line, const std::vector<MentionedMove>& moves,
                                    bool behind) {
  const Tokens& tokens = line.tokens;
  const Token* const in_column =
      line.heading == nullptr ? nullptr : line.heading->count_in(line.line, tokens);
  const bool is_only = moves.size() == 1;
  std::vector<std::string_view> fields;  // of a line with one move
  if (is_only) fields = fields_of(line.line, separator_of(line.line));
  std::vector<PrintedRow> rows;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const bool is_first = i == 0;
    const bool is_last = i + 1 == moves.size();
    const std::size_t first = is_first ? 0 : behind ? moves[i].first : moves[i - 1].last + 1;
    const std::size_t last = is_last  ? tokens.size()
                             : behind ? moves[i + 1].first
                                      : moves[i].last + 1;
    PrintedRow row{.line = "", .meaning = moves[i].meaning, .counts = {}};
    CountsBeside counts(tokens, first, moves[i].first, moves[i].last, last);
    if (in_column != nullptr && is_only)
      counts.put_first(*in_column, in_column > &tokens[moves[i].last]);
    for (const auto& [at, token, merged] : counts.take()) {
      const bool wanted = is_only || is_labelled(at) || behind == (at < place::kFirstBefore);
      if (!wanted) continue;
      row.counts.push_back(count_of(at, *token, merged));
      if (is_only) set_place(row.counts.back(), *token, line, fields);
    }
    for (std::size_t aside = 0; is_only && aside < counts.asides().size(); ++aside) {
      const Token& token = *counts.asides()[aside];
      PrintedCount number = count_of(static_cast<int>(aside), token, std::nullopt);
      set_place(number, token, line, fields);
      if (std::ranges::count(row.counts, number.offset, &PrintedCount::offset) == 0)
        row.asides.push_back(std::move(number));
    }
    if (is_only) row.fields = fields.size();
    if (row.counts.empty()) return {};
    rows.push_back(std::move(row));
  }
  // In `{"e2e4": 20, "d2d4": 21, "nodes": 41}`, only the row of d2d4 has a number with a word for
  // counts. This number, 41, is the total and not the count of d2d4.
  const auto has_label = [](const PrintedRow& row) {
    return is_labelled(row.counts.front().place);
  };
  if (!std::ranges::all_of(rows, has_label)) {
    for (PrintedRow& row : rows) {
      if (has_label(row) && row.counts.size() > 1) row.counts.erase(row.counts.begin());
    }
  }
  return rows;
}

}  // namespace

bool PrintedRow::is_doubtful() const {
  const auto numbers_lines = [](int at) { return at >= place::kIndexBefore; };
  return std::ranges::all_of(counts, numbers_lines, &PrintedCount::place) ||
         std::ranges::count(counts, place::kFarBehind, &PrintedCount::place) != 0;
}

std::optional<Heading> Heading::read(std::string_view line) {
  Heading heading;
  heading.separator_ = separator_of(line);
  std::size_t named = 0;
  std::size_t of_counts = 0;
  for (const std::string_view field : fields_of(line, heading.separator_)) {
    const Tokens tokens = tokens_of(field);
    const std::size_t place = heading.names_.size();
    std::size_t words = 0;
    std::size_t count_words = 0;
    for (const Token& token : tokens) {
      const bool in_name = heading.separator_ != ' ' && words > 0;
      if (token.is(Kind::kMove) || (token.is(Kind::kNumber) && !in_name)) return std::nullopt;
      if (!token.is(Kind::kWord)) continue;
      ++words;
      count_words += token.is_word(kCountWords) ? 1 : 0;
      if (!heading.move_ && token.is_word(kMoveColumns)) heading.move_ = place;
    }
    const auto is_in_name = [](char c) { return is_letter(c) || is_digit(c); };
    const auto first = std::ranges::find_if(field, is_in_name);
    const auto last = std::find_if(field.rbegin(), field.rend(), is_in_name).base();
    const bool has_name = words > 0 || field.find_first_of("#%") != std::string_view::npos;
    heading.names_.emplace_back(words > 0 ? std::string(first, last) : has_name ? "#" : "");
    named += has_name ? 1 : 0;
    if (words == 0 || count_words < words) continue;
    heading.count_ = place;
    ++of_counts;
  }
  if (named < 2) return std::nullopt;
  if (of_counts != 1) heading.count_.reset();
  heading.begins_behind_moves_ = !heading.move_ && heading.separator_ == ' ';
  return heading;
}

bool Heading::binds(std::string_view line, const Tokens& tokens) const {
  const std::vector<std::string_view> fields = fields_of(line, separator_);
  const std::size_t wanted = names_.size() + (begins_behind_moves_ ? 1 : 0);
  // If only the heading or only the line ends with a separator, ignore this separator.
  const bool fits = fields.size() == wanted ||
                    (fields.size() == wanted + 1 && fields.back().empty()) ||
                    (fields.size() + 1 == wanted && names_.back().empty());
  if (!fits) return false;
  return std::ranges::any_of(tokens, [&](const Token& token) {
    if (!token.is(Kind::kMove) && !token.is_word(kTotalRows)) return false;
    return move_ ? stands_in(token, fields[*move_])
                 : !begins_behind_moves_ || stands_in(token, fields[0]);
  });
}

const Token* Heading::count_in(std::string_view line, const Tokens& tokens) const {
  if (!is_sure() || !binds(line, tokens)) return nullptr;
  const std::string_view field = fields_of(line, separator_)[*count_];
  const Token* found = nullptr;
  for (const Token& token : tokens) {
    if (!token.is(Kind::kNumber) || !stands_in(token, field)) continue;
    if (found != nullptr) return nullptr;
    found = &token;
  }
  return found;
}

std::string Heading::name_above(std::string_view line, const Token& token) const {
  const std::size_t field = place_among(fields_of(line, separator_), token);
  const std::size_t before = begins_behind_moves_ ? 1 : 0;
  return field < before || field - before >= names_.size() ? "" : names_[field - before];
}

std::vector<PrintedRow> rows_of(const RowLine& line, const std::vector<MentionedMove>& moves) {
  std::vector<PrintedRow> rows = read_beside(line, moves, true);
  if (rows.empty() && moves.size() > 1) rows = read_beside(line, moves, false);
  return rows;
}

}  // namespace manyply
