#include "tools/text/tokens_and_totals.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/text.h"

namespace manyply {
namespace {

using Kind = Token::Kind;

/// Returns the ASCII character that replaces the Unicode character `code`; a space if no other
/// character fits.
char meaning(char32_t code, bool between_digits) {
  if (code >= 0x2654 && code <= 0x265F) return "KQRBNP"[(code - 0x2654) % 6];
  if ((code >= 0x2010 && code <= 0x2015) || code == 0x2212) return '-';
  if (code == 0x2019 || code == 0x02BC) return '\'';
  if (code == 0x00D7) return 'x';
  if (code >= 0x2190 && code <= 0x21FF) return '>';  // arrows
  if (code == 0x2020) return '+';
  if (code == 0x2021) return '#';
  const bool thin = code == 0x00A0 || code == 0x2007 || code == 0x2009 || code == 0x202F;
  return thin && between_digits ? '\'' : ' ';
}

/// Returns the length of the terminal control sequence at the beginning of `text`.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return 1;
  const bool command = text[1] == ']';  // ends with a bell or with ESC and a backslash
  if (text[1] != '[' && !command) return 2;
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (command && text[i] == '\x1b') return std::min(i + 2, text.size());
    if (command ? text[i] == '\a' : text[i] >= '@' && text[i] <= '~') return i + 1;
  }
  return text.size();
}

constexpr std::string_view kTimeUnits =
    " ms msec msecs millisecond milliseconds s sec secs second seconds us usec microseconds ns min "
    "mins minutes nps knps mnps kn mn kb mb gb kib mib gib cp hz mhz ghz % ";
constexpr std::string_view kCountUnits = " n node nodes leaf leaves leafs path paths ";
/// Marks between a name and its value.
constexpr std::string_view kAssigns = "=:";

std::optional<Square> square_named(std::string_view word) {
  if (word.size() != 2) return std::nullopt;
  const int file = to_lower(word[0]) - 'a';
  const int rank = word[1] - '1';
  const bool on_board = file >= 0 && file < 8 && rank >= 0 && rank < 8;
  return on_board ? std::optional(square_at(file, rank)) : std::nullopt;
}

class Scanner {
 public:
  explicit Scanner(std::string_view line) : line_(line) {}

  Tokens run() {
    while (at_ < line_.size()) {
      if (line_[at_] == ' ') {
        ++at_;
      } else if (!scan_move() && !scan_number() && !scan_word()) {
        add(Kind::kMark, 1);
      }
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) classify(i);
    return std::move(tokens_);
  }

 private:
  Token& add(Kind kind, std::size_t length) {
    tokens_.push_back({kind, line_.substr(at_, length)});
    at_ += length;
    return tokens_.back();
  }
  [[nodiscard]] char at(std::size_t place) const {
    return place < line_.size() ? line_[place] : '\0';
  }

  bool scan_move() {
    std::string_view rest = line_.substr(at_);
    const auto move = read_written_move(rest);
    if (!move) return false;
    Token& token = add(Kind::kMove, line_.size() - at_ - rest.size());
    token.move = move;
    token.square = square_named(token.text);
    return true;
  }

  bool scan_word() {
    std::size_t length = 0;
    while (is_letter(at(at_ + length)) || is_digit(at(at_ + length))) ++length;
    if (length == 0) return false;
    Token& token = add(Kind::kWord, length);
    token.square = square_named(token.text);
    return true;
  }

  /// Returns whether one of `marks` is at `place` and exactly three digits follow it.
  [[nodiscard]] bool is_group(std::size_t place, std::string_view marks) const {
    return marks.find(at(place)) != std::string_view::npos && is_digit(at(place + 1)) &&
           is_digit(at(place + 2)) && is_digit(at(place + 3)) && !is_digit(at(place + 4));
  }

  bool scan_number() {
    const char before = at_ == 0 ? ' ' : line_[at_ - 1];
    const bool sign = (at(at_) == '-' || at(at_) == '+') && is_digit(at(at_ + 1)) &&
                      !is_letter(before) && !is_digit(before) && before != '-' && before != ')';
    const bool negative = sign && at(at_) == '-';
    std::size_t end = at_ + (sign ? 1 : 0);
    if (!is_digit(at(end))) return false;
    std::string digits;
    while (is_digit(at(end))) digits += at(end++);
    // If a comma precedes the number, commas separate fields, not groups of digits.
    const std::string_view groups = before == ',' ? "'_" : ",'_";
    const bool dotted = is_group(end, ".") && is_group(end + 4, ".");
    if (digits.size() <= 3) {
      while (is_group(end, groups) || (dotted && is_group(end, "."))) {
        digits += line_.substr(end + 1, 3);
        end += 4;
      }
    }
    // A large negative number is an overflowed counter. A small negative number is the score of a
    // move.
    constexpr std::size_t kScoreDigits = 5;
    std::string_view fault = !negative                      ? ""
                             : digits.size() > kScoreDigits ? "is negative: the engine's counter "
                                                              "has overflowed"
                                                            : "is negative, so it is not a count";
    if (at(end) == '.' && is_digit(at(end + 1))) {
      while (at(end) == '.' || is_digit(at(end))) ++end;
      fault = "contains a decimal point";
    }
    std::size_t suffix = end;
    while (is_letter(at(suffix)) || is_digit(at(suffix))) ++suffix;
    const std::string_view unit = line_.substr(end, suffix - end);
    if (!unit.empty() && !is_among(unit, kTimeUnits) && !is_among(unit, kCountUnits)) {
      fault = "is not a decimal number";
      end = suffix;
    }
    Token& token = add(Kind::kNumber, end - at_);
    const Result<NodeCount> number = NodeCount::parse(digits);
    if (!number && fault.empty()) fault = "exceeds 128 bits";
    token.fault = fault;
    if (fault.empty()) token.number = *number;
    return true;
  }

  /// Classifies a number by its neighbours.
  void classify(std::size_t i) {
    Token& token = tokens_[i];
    if (!token.is(Kind::kNumber)) return;
    const Token& before = token_at(tokens_, i - 1);
    const Token& next = token_at(tokens_, i + 1);
    const Token& second = token_at(tokens_, i + 2);
    // In "nodes 8902 nps 100000", "nps" belongs to the second number.
    const bool name = next.is_word(" nps knps mnps cp ") &&
                      (second.is(Kind::kNumber) || second.is_mark(kAssigns));
    const bool unit = next.is_word(kTimeUnits) && !name;
    token.measure = unit || next.is_mark("%/") || before.is_mark("/") || is_of_clock(i);
    token.index = next.is_mark(".)") || before.is_mark("#");
  }

  /// Returns whether the number is part of a clock time: "14:02", "18:22:00.012".
  [[nodiscard]] bool is_of_clock(std::size_t i) const {
    const auto is_pair = [&](std::size_t hour) {
      if (hour + 2 >= tokens_.size() || !tokens_[hour + 1].is_mark(":")) return false;
      const std::string_view hours = tokens_[hour].text;
      const std::string_view minutes = tokens_[hour + 2].text.substr(0, 2);
      const bool adjacent = tokens_[hour + 1].text.begin() == hours.end() &&
                            minutes.begin() == tokens_[hour + 1].text.end();
      return adjacent && hours.size() == 2 && minutes.size() == 2 && hours < "60" &&
             minutes < "60" && is_digit(hours[0]) && is_digit(minutes[0]) && is_digit(minutes[1]) &&
             (tokens_[hour + 2].text.size() == 2 || tokens_[hour + 2].text[2] == '.');
    };
    return is_pair(i) || (i >= 2 && is_pair(i - 2));
  }

  std::string_view line_;
  std::size_t at_ = 0;
  Tokens tokens_;
};

}  // namespace

bool is_among(std::string_view word, std::string_view words) {
  return words.find(" " + to_lower(word) + " ") != std::string_view::npos;
}

std::string plain(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    std::size_t length = 1;
    if (c == '\x1b') {
      length = escape_length(text.substr(i));
    } else if (c >= ' ' && c <= '~') {
      clean += c;
    } else if (static_cast<unsigned char>(c) < 0x80) {
      clean += ' ';
    } else {
      const Utf8Character character = first_character(text.substr(i));
      length = std::max<std::size_t>(character.bytes, 1);
      const bool between = !clean.empty() && is_digit(clean.back()) && i + length < text.size() &&
                           is_digit(text[i + length]);
      clean += meaning(character.code, between);
    }
    i += length;
  }
  return clean;
}

Tokens tokens_of(std::string_view line) { return Scanner(line).run(); }

const Token& token_at(const Tokens& tokens, std::size_t at) {
  static const Token kNoToken{};
  return at < tokens.size() ? tokens[at] : kNoToken;
}

bool has_kind(const Tokens& tokens, std::size_t first, std::size_t last, Kind kind) {
  return std::ranges::count(std::span(tokens).subspan(first, last - first), kind, &Token::kind) > 0;
}

namespace {

/// Units that follow the number of a depth.
constexpr std::string_view kDepthUnits = " ply plies halfmove halfmoves ";

/// Returns whether a word for depths precedes the number, with only marks between them: "perft(3)",
/// "perft 3", "depth: 3". Returns false if the word is the unit of an earlier number, as in "3
/// plies: 8902". Also returns false for "perft: 8902", because this number is a total.
bool has_depth_name(const Tokens& tokens, std::size_t at) {
  std::size_t name = at - 1;
  bool assigned = false;
  for (; token_at(tokens, name).is_mark("=:(["); --name)
    assigned = assigned || tokens[name].is_mark(kAssigns);
  if (token_at(tokens, name).is_word(" perft ")) return !assigned;
  return token_at(tokens, name).is_word(kDepthWords) &&
         deepness_of(tokens, name - 1) == Deepness::kNo;
}

/// Returns whether the number is an argument, such as 3 in "nodes(3) = 8902".
bool is_argument(const Tokens& tokens, std::size_t at) {
  const Token& before = token_at(tokens, at - 1);
  const Token& behind = token_at(tokens, at + 1);
  const bool enclosed =
      (before.is_mark("(") && behind.is_mark(")")) || (before.is_mark("[") && behind.is_mark("]"));
  return enclosed && token_at(tokens, at - 2).is_word(kCountWords) &&
         token_at(tokens, at + 2).is_mark(kAssigns);
}

}  // namespace

bool is_per_second(const Tokens& tokens, std::size_t behind) {
  return token_at(tokens, behind).is_mark("/") || token_at(tokens, behind).is_word(" per ");
}

bool has_unit(const Tokens& tokens, std::size_t at, std::string_view units) {
  if (!token_at(tokens, at + 1).is_word(units)) return false;
  std::size_t behind = at + 2;
  while (token_at(tokens, behind).is_word(kCountWords)) ++behind;
  if (is_per_second(tokens, behind)) return false;
  const bool assigned = token_at(tokens, behind).is_mark(kAssigns);
  const Token& next = token_at(tokens, behind + (assigned ? 1 : 0));
  const bool followed = next.is(Kind::kNumber) && !next.measure;
  const bool has_name = token_at(tokens, at - 1).is_word(kOtherCounts);
  return !followed || !(assigned || has_name);
}

Deepness deepness_of(const Tokens& tokens, std::size_t at) {
  if (!token_at(tokens, at).number) return Deepness::kNo;
  if (has_depth_name(tokens, at) || is_argument(tokens, at)) return Deepness::kYes;
  const Token& before = token_at(tokens, at - 1);
  const Token& unit = token_at(tokens, at + 1);
  // In "nodes: 20 ply: 2", the number 20 is the value of "nodes", so "ply" is not its unit.
  if (!unit.is_word(kDepthUnits) || before.is_mark(kAssigns)) return Deepness::kNo;
  const bool marked = token_at(tokens, at + 2).is_mark(kAssigns);
  const bool followed = token_at(tokens, at + (marked ? 3 : 2)).is(Kind::kNumber);
  const bool named = before.is_word(kCountWords);
  if (followed && named && !marked && unit.is_word(" ply ")) return Deepness::kNo;
  if (followed && (named || !marked)) return Deepness::kMaybe;
  return named ? Deepness::kNo : Deepness::kYes;
}

std::optional<NodeCount> depth_told(const Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (deepness_of(tokens, i) == Deepness::kYes) return tokens[i].number;
  }
  return std::nullopt;
}

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

std::string why_no_count(const Token& number) {
  constexpr std::size_t kMostDigits = 24;
  std::string text(number.text.substr(0, kMostDigits));
  if (number.text.size() > kMostDigits) text += "...";
  return text + ' ' + std::string(number.fault);
}

namespace {

/// Returns the index of the counts among the columns after the depth: 0 in the heading `Depth Nodes
/// Time (s)`. Returns nullopt if the line is not such a heading.
std::optional<std::size_t> column_of_counts(std::string_view line, const Tokens& tokens) {
  std::optional<std::size_t> depth;
  std::optional<std::size_t> count;
  std::size_t column = 0;
  int open = 0;
  bool field_has_word = false;
  const bool has_fields = line.find('|') != std::string_view::npos;
  for (const Token& token : tokens) {
    if (token.is(Kind::kNumber) || token.is(Kind::kMove)) return std::nullopt;
    if (token.is_mark("([")) ++open;
    if (token.is_mark(")]")) --open;
    if (has_fields && token.is_mark("|")) {
      column += field_has_word ? 1 : 0;
      field_has_word = false;
    }
    if (!token.is(Kind::kWord) || open > 0) continue;
    if (token.is_word(kDepthWords) || token.is_word(" d ")) {
      if (!depth) depth = column;
    } else if (token.is_word(kCountWords) && !count) {
      count = column;
    }
    field_has_word = true;
    column += has_fields ? 0 : 1;
  }
  if (depth != 0U || !count || *count == 0) return std::nullopt;
  return *count - 1;
}

/// Returns the numbers of a line. Returns an empty list if the line has a move, or if a word
/// precedes its second number.
std::vector<const Token*> numbers_of(const Tokens& tokens) {
  std::vector<const Token*> numbers;
  for (const Token& token : tokens) {
    if (token.is(Kind::kMove)) return {};
    if (token.is(Kind::kWord) && numbers.size() < 2) return {};
    if (token.is(Kind::kNumber)) numbers.push_back(&token);
  }
  return numbers;
}

}  // namespace

void DepthTable::take(std::string_view line, const Tokens& tokens, std::size_t at) {
  if (const auto column = column_of_counts(line, tokens)) {
    column_ = column;
    rows_.clear();
    return;
  }
  const std::vector<const Token*> numbers = numbers_of(tokens);
  if (numbers.size() < 2 || !numbers.front()->number) return;
  const NodeCount depth = *numbers.front()->number;
  const bool goes_on =
      !rows_.empty() && depth == NodeCount(static_cast<std::uint64_t>(first_) + rows_.size());
  if (!goes_on) {
    rows_.clear();
    if (depth > NodeCount(1)) return;
    first_ = depth == NodeCount(0) ? 0 : 1;
  }
  Row row{std::string(line), at, {}, column_};
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const bool counts = numbers[i]->number && !numbers[i]->measure;
    row.numbers.push_back(counts ? numbers[i]->number : std::nullopt);
  }
  if (row.column && *row.column >= row.numbers.size()) row.column.reset();
  rows_.push_back(std::move(row));
}

std::optional<DepthTable::Row> DepthTable::row_of(Depth depth) const {
  const int place = depth.plies() - first_;
  if (place < 0 || static_cast<std::size_t>(place) >= rows_.size()) return std::nullopt;
  const Row& row = rows_[static_cast<std::size_t>(place)];
  return row.numbers[row.column.value_or(0)] ? std::optional(row) : std::nullopt;
}

bool DepthTable::has_line(std::size_t at) const {
  return std::ranges::count(rows_, at, &Row::at) != 0;
}

namespace {

constexpr std::string_view kTotalWords =
    " nodes node total leaf leaves leafs perft sum result count positions paths ";
constexpr std::string_view kTotalUnits = " nodes node leaf leaves leafs positions paths ";
/// Words that may stand between a total's name and the total.
constexpr std::string_view kTotalDetails =
    " nodes node leaf leaves leafs searched visited count counted number of paths positions is are "
    "was found for at in after to generated total sum perft and the = ";

class TotalFinder {
 public:
  TotalFinder(const Tokens& tokens, bool is_search) : tokens_(tokens), is_search_(is_search) {}

  TotalsOfLine run(const Token* in_column) {
    if (in_column != nullptr) {
      take(static_cast<std::size_t>(in_column - tokens_.data()), true);
      if (total_) found_.readings.push_back(*total_);
      return std::move(found_);
    }
    look_for_numbers();
    look_for_names();
    if (!total_) look_behind_depth();
    if (!total_) return std::move(found_);
    total_->depth = depth_told(tokens_);
    add_readings();
    return std::move(found_);
  }

 private:
  void take(std::size_t at, bool sure) {
    const Token& token = tokens_[at];
    if (token.measure) return;
    sure = sure && !is_search_ && token.number;
    const std::optional<NodeCount> number = token.number ? token.number : grouped(tokens_, at);
    if (!number) {
      found_.refused = &token;
    } else if (!total_ || (sure && !total_->sure)) {
      total_ = PrintedTotal{.nodes = *number, .sure = sure};
      place_ = at;
    }
  }

  /// Takes the only number of a line without words ("400"), or a number with a unit ("400 nodes").
  void look_for_numbers() {
    const auto is_plain = [](const Token& token) { return !token.is(Kind::kWord) && !token.move; };
    const bool no_words = std::ranges::all_of(tokens_, is_plain);
    for (std::size_t i = 0; i < tokens_.size() && !total_; ++i) {
      if (!tokens_[i].is(Kind::kNumber)) continue;
      if (no_words) {
        const auto numbers = std::ranges::count(tokens_, Kind::kNumber, &Token::kind);
        if (numbers == 1 || grouped(tokens_, i)) take(i, true);
        return;
      }
      if (has_unit(tokens_, i, kTotalUnits) && deepness_of(tokens_, i) != Deepness::kYes)
        take(i, true);
    }
  }

  void look_for_names() {
    for (std::size_t i = 0; i < tokens_.size() && !(total_ && total_->sure); ++i) {
      if (!tokens_[i].is_word(kTotalWords) || is_per_second(tokens_, i + 1)) continue;
      if (const auto found = number_behind(i)) take(found->first, found->second);
    }
  }

  /// Looks for a number after a depth: "Depth 3: 8902", "3 plies = 8902".
  void look_behind_depth() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (deepness_of(tokens_, i) != Deepness::kYes) continue;
      std::size_t at = i + 1;
      while (token_at(tokens_, at).is(Kind::kMark) || token_at(tokens_, at).is_word(kDepthUnits))
        ++at;
      const bool assigned = tokens_[at - 1].is_mark(kAssigns);
      if (assigned && token_at(tokens_, at).is(Kind::kNumber)) take(at, true);
      return;
    }
  }

  /// Returns two values: the index of the number after the word at `name`, which names a total, and
  /// whether this number is certainly the total. It is certain if only depths and words of
  /// kTotalDetails stand between the name and the number.
  [[nodiscard]] std::optional<std::pair<std::size_t, bool>> number_behind(std::size_t name) const {
    std::size_t at = name + 1;
    bool must_be_sure = false;
    if (tokens_[name].is_word(" perft ")) {  // "perft(5) = 4865609": skip the depth
      while (at < tokens_.size() && !tokens_[at].is_mark(kAssigns)) ++at;
      if (tokens_[at - 1].is_word(kDepthWords)) --at;  // "perft depth=5 nodes=4865609"
      if (at == tokens_.size()) {                      // "perft 5 4865609"
        at = name + 1;
        must_be_sure = true;
      }
    }
    bool sure = true;
    for (; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      if (token.is_word(" time per ") || token.is(Kind::kMove)) break;
      if (token.is(Kind::kWord)) {
        sure = sure && (token.is_word(kDepthWords) || token.is_word(kDepthUnits) ||
                        token.is_word(kTotalDetails));
      } else if (token.is(Kind::kNumber) && deepness_of(tokens_, at) != Deepness::kYes) {
        if (must_be_sure && !sure) break;
        return std::pair(at, sure);
      }
    }
    return std::nullopt;
  }

  /// Adds the total and its other possible values: later numbers without a name, and the number
  /// that grouped() joins from groups of digits.
  void add_readings() {
    std::vector<PrintedTotal>& readings = found_.readings;
    readings.push_back(*total_);
    const auto add = [&](NodeCount nodes, bool sure) {
      readings.push_back(*total_);
      readings.back().nodes = nodes;
      readings.back().sure = sure;
    };
    const bool may_be_depth = deepness_of(tokens_, place_) == Deepness::kMaybe;
    for (std::size_t at = place_ + 1; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      if (token.is(Kind::kWord)) {
        if (may_be_depth && (token.is_word(kDepthWords) || token.is_word(kDepthUnits))) continue;
        break;
      }
      const bool named = token_at(tokens_, at + 1).is(Kind::kWord);
      if (token.number && !token.measure && !named) add(*token.number, may_be_depth);
    }
    if (const auto merged = grouped(tokens_, place_)) add(*merged, total_->sure);
    for (PrintedTotal& reading : readings) reading.alone = readings.size() == 1;
  }

  const Tokens& tokens_;
  bool is_search_;
  TotalsOfLine found_;
  std::optional<PrintedTotal> total_;
  std::size_t place_ = 0;  ///< index of the total's number
};

}  // namespace

TotalsOfLine totals_of(const Tokens& tokens, const Token* in_column, bool is_search) {
  return TotalFinder(tokens, is_search).run(in_column);
}

}  // namespace manyply
