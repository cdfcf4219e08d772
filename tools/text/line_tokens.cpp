#include "tools/text/line_tokens.h"

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

}  // namespace manyply
