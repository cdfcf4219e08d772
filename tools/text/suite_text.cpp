#include "tools/text/suite_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/text.h"
#include "core/position_text.h"
#include "tools/text/numbers.h"

namespace manyply {

bool SuiteValueBuilder::begin_list(int line, int column) {
  if (open_.size() == kDeepestSuiteValue || left_ == 0) return false;
  --left_;
  open_.push_back({.line = line, .column = column, .name = std::move(name_), .is_list = true});
  name_.clear();
  return true;
}

void SuiteValueBuilder::end_list() {
  SuiteValue value = std::move(open_.back());
  open_.pop_back();
  add(std::move(value));
}

void SuiteValueBuilder::end_cut_list() {
  open_.back().is_cut = true;
  end_list();
}

bool SuiteValueBuilder::scalar(std::string text, int line, int column) {
  if (left_ == 0) return false;
  --left_;
  SuiteValue value = SuiteValue::scalar(std::move(text), line, column);
  value.name = std::move(name_);
  name_.clear();
  add(std::move(value));
  return true;
}

bool SuiteValueBuilder::cut_scalar(std::string text, int line, int column) {
  if (!scalar(std::move(text), line, column)) return false;
  (open_.empty() ? top_ : open_.back()).items.back().is_cut = true;
  return true;
}

bool SuiteValueBuilder::number(const std::string& text, int line, int column) {
  const std::optional<std::string> whole = whole_digits(text);
  if (!scalar(whole.value_or(text), line, column)) return false;
  SuiteValue& value = (open_.empty() ? top_ : open_.back()).items.back();
  value.is_fraction = !whole && is_decimal(text);
  return true;
}

void SuiteValueBuilder::add(SuiteValue value) {
  (open_.empty() ? top_ : open_.back()).items.push_back(std::move(value));
}

void SuitePlace::move_to(std::string_view text, std::size_t to) {
  for (; offset < std::min(to, text.size()); ++offset) {
    const bool is_end = text[offset] == '\n';
    line += is_end ? 1 : 0;
    column = is_end ? 1 : column + 1;
  }
}

// ---------------------------------------------------------------- encodings

namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

std::string from_utf16(std::string_view bytes, bool little_endian) {
  std::string text;
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const auto one = static_cast<unsigned char>(bytes[at]);
    const auto two = static_cast<unsigned char>(bytes[at + 1]);
    return little_endian ? one | std::uint32_t{two} << 8 : two | std::uint32_t{one} << 8;
  };
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    if (code >= 0xD800 && code < 0xE000) {
      const std::uint32_t low = at + 3 < bytes.size() ? unit(at + 2) : 0;
      const bool is_pair = code < 0xDC00 && low >= 0xDC00 && low < 0xE000;
      code = is_pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : kReplacement;
      if (is_pair) at += 2;
    }
    append_utf8(text, code);
  }
  return text;
}

}  // namespace

std::string decoded_suite(std::string_view bytes) {
  std::string text;
  if (bytes.starts_with("\xFF\xFE")) {
    text = from_utf16(bytes.substr(2), true);
  } else if (bytes.starts_with("\xFE\xFF")) {
    text = from_utf16(bytes.substr(2), false);
  } else {
    text = bytes;
  }
  std::ranges::replace(text, '\0', ' ');
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] != '\n')) text[at] = '\n';
  }
  return with_plain_blanks(text);
}

// ---------------------------------------------------------------- source code

namespace {

/// Reads the values of source code in one pass.
class CodeReader {
 public:
  CodeReader(std::string_view text, std::size_t most) : text_(text), values_(most) {}

  std::optional<SuiteValue> read(std::size_t& left) {
    while (at_ < text_.size() && values_.left() > 0) step();
    left = values_.left();
    if (left == 0) return std::nullopt;
    for (; depth_ > 0; --depth_) values_.end_cut_list();
    return std::move(values_).take();
  }

 private:
  [[nodiscard]] char here(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] char before() const { return at_ > 0 ? text_[at_ - 1] : '\n'; }
  [[nodiscard]] int column() const { return static_cast<int>(at_ - line_begin_) + 1; }
  [[nodiscard]] static bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

  void advance(std::size_t count = 1) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_begin_ = at_ + 1;
    }
  }
  void skip_to(std::string_view mark) {
    const std::size_t end = text_.find(mark, at_);
    advance(end == std::string_view::npos ? text_.size() - at_ : end + mark.size() - at_);
  }
  [[nodiscard]] bool comment() const {
    const bool apart = kSpace.find(before()) != std::string_view::npos;
    return (here() == '/' && here(1) == '/' && before() != ':') ||
           (here() == '#' && apart && here(1) != '[') ||
           (here() == '-' && here(1) == '-' && apart && here(2) == ' ');
  }

  void step() {
    const char c = here();
    if (comment()) {
      skip_to("\n");
    } else if (c == '/' && here(1) == '*') {
      skip_to("*/");
    } else if (c == '"' || c == '`' || c == '\'') {
      quoted(c);
    } else if (const std::size_t ranks = bare_ranks(); ranks > 0) {
      (void)values_.cut_scalar(std::string(text_.substr(at_, ranks)), line_, column());
      pending_.clear();
      advance(ranks);
    } else if (is_digit(c) || (c == '-' && is_digit(here(1)) && !is_word(before()))) {
      number();
    } else if (is_letter(c) || c == '_') {
      word();
    } else if (std::string_view("([{").find(c) != std::string_view::npos) {
      open();
    } else if (std::string_view(")]}").find(c) != std::string_view::npos) {
      pending_.clear();
      advance();
      if (too_deep_ > 0) {
        --too_deep_;
      } else if (depth_ > 0) {
        close();
      }
    } else {
      mark(c);
    }
  }

  /// Returns the length of the ranks of a board at the current place if they are not in quotes;
  /// otherwise 0. Without quotes, it is unclear which numbers belong to the position.
  [[nodiscard]] std::size_t bare_ranks() const {
    if (is_word(before()) || before() == '/') return 0;
    const std::size_t end = text_.find_first_not_of("pnbrqkPNBRQK12345678/", at_);
    const std::string_view run = text_.substr(at_, std::min(end, text_.size()) - at_);
    return has_ranks(run) ? run.size() : 0;
  }

  void open() {
    if (here() == '[' && here(1) == ']') return advance(2);  // []uint64{20, 400}
    ++(too_deep_ == 0 && values_.begin_list(line_, column()) ? depth_ : too_deep_);
    pending_.clear();
    advance();
  }
  void close() {
    values_.end_list();
    --depth_;
  }
  /// Returns whether a list is open. Numbers outside of lists are ignored, because only lists
  /// connect numbers with positions. EPD files have many such numbers.
  [[nodiscard]] bool is_inside() const { return depth_ > 0; }

  /// Handles punctuation. The word or string to the left of an assignment is the name of the value
  /// to the right.
  void mark(char c) {
    const bool comparison = c == '=' && (here(1) == '=' || before() == '=' || before() == '!');
    const bool path = c == ':' && (here(1) == ':' || before() == ':');
    const bool arrow = here(1) == '>' && (c == '=' || (c == '-' && is_key_));
    if ((c == ':' && !path) || (c == '=' && !comparison) || arrow) {
      if (!pending_.empty()) values_.name(std::move(pending_));
    } else if (c == ',' || c == ';') {
      values_.name({});
    }
    if (kSpace.find(c) == std::string_view::npos) pending_.clear();
    if (kSpace.find(c) == std::string_view::npos) is_key_ = false;
    advance(arrow ? 2 : 1);
  }

  void word() {
    std::size_t length = 1;
    while (is_word(here(length)) || (here(length) == '-' && is_letter(here(length + 1)))) ++length;
    if (is_key_ && text_.substr(at_, length) == "to") values_.name(std::move(pending_));
    is_key_ = false;
    pending_ = text_.substr(at_, length);
    advance(length);
  }

  /// Reads a number such as `197_281u64` or `197'281`. Any other text that begins with a digit or a
  /// sign is stored as text. Such text is later refused as a count.
  void number() {
    const int line = line_;
    const int column = this->column();
    std::string text;
    if (here() == '-') {  // stored, so that a negative count is refused
      text = "-";
      advance();
    }
    const auto is_exponent = [&] {  // 2.039e+3
      return (here() == '+' || here() == '-') && to_lower(before()) == 'e' && is_digit(here(1)) &&
             text.find('.') != std::string::npos;
    };
    while (is_word(here()) || (here() == '.' && is_digit(here(1))) || is_exponent() ||
           (here() == '\'' && is_digit(before()) && is_digit(here(1)))) {
      text += here();
      advance();
    }
    const std::size_t digits = std::min(text.find_first_not_of("0123456789_'"), text.size());
    const std::string_view suffix = std::string_view(text).substr(digits);
    constexpr std::array<std::string_view, 15> kSuffixes{"",    "u",   "l",   "n",   "ul",
                                                         "ll",  "ull", "lu",  "u8",  "u16",
                                                         "u32", "u64", "i32", "i64", "usize"};
    if (std::ranges::count(kSuffixes, to_lower(suffix)) > 0 || to_lower(suffix) == "u128")
      text.resize(digits);
    std::erase(text, '_');
    std::erase(text, '\'');
    if (is_assignment_next()) {
      pending_ = text;  // {1: 20}
      is_key_ = true;
    } else {
      if (is_inside()) (void)values_.number(text, line, column);
      pending_.clear();
    }
  }

  [[nodiscard]] bool is_assignment_next() const {
    const std::size_t next = text_.find_first_not_of(kSpace, at_);
    if (next == std::string_view::npos) return false;
    const std::string_view rest = text_.substr(next);
    return (rest.starts_with(":") && !rest.starts_with("::")) || rest.starts_with("=>") ||
           rest.starts_with("->") || rest.starts_with("to ") ||  // "FEN" to listOf(20, 400)
           (rest.starts_with("=") && !rest.starts_with("=="));
  }

  void quoted(char quote) {
    const std::size_t start = at_;
    const bool is_triple = here(1) == quote && here(2) == quote;
    // The quotes of Rust lifetimes and the apostrophes in words do not begin strings. A single
    // letter directly before a quote is the prefix of a string.
    const bool prefixed = is_letter(before()) && (at_ < 2 || !is_word(text_[at_ - 2]));
    const bool is_mark = before() == '<' || before() == '&' || (is_word(before()) && !prefixed);
    if (quote == '\'' && is_mark) return mark(quote);
    std::string text;
    std::size_t end = at_ + (is_triple ? 3 : 1);
    bool closed = false;
    const std::size_t begin = end;
    for (; end < text_.size() && !closed; ++end) {
      const char c = text_[end];
      if (is_triple ? text_.substr(end, 3) == std::string(3, quote) : c == quote) {
        closed = true;
        break;
      }
      if (c == '\n' && !is_triple && quote != '`') break;
      if (c == '\\' && end + 1 < text_.size()) ++end;
      text += text_[end];
    }
    if (!closed) return mark(quote);
    const int line = line_;
    const int column = this->column() + static_cast<int>(begin - start);
    advance(end + (is_triple ? 3 : 1) - start);
    if (is_assignment_next()) {
      pending_ = text;
      is_key_ = true;
    } else {
      if (is_inside() || text.find('\n') != std::string::npos || has_ranks(text))
        (void)values_.scalar(std::move(text), line, column);
      pending_.clear();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t line_begin_ = 0;
  std::size_t depth_ = 0;
  std::size_t too_deep_ =
      0;                 ///< open brackets beyond the limit; their values belong to the last list
  std::string pending_;  ///< a word that may be the name of the next value
  bool is_key_ = false;  ///< `pending_` is a string or a number
  SuiteValueBuilder values_;
};

}  // namespace

std::optional<SuiteValue> read_code_values(std::string_view text, std::size_t& left) {
  return CodeReader(text, left).read(left);
}

// ---------------------------------------------------------------- lines

std::string_view without_comment(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(kSpace), line.size());
  if (line.substr(begin).starts_with("--") && !line.substr(begin).starts_with("---")) return {};
  if (line.substr(begin).starts_with('|')) return line;  // | # | Position |
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '`') && line.find(c, i + 1) != std::string_view::npos) {
      quote = c;
    } else {
      const bool apart = i == 0 || kSpace.find(line[i - 1]) != std::string_view::npos;
      if (c == '#' || (apart && line.substr(i).starts_with("//"))) return line.substr(0, i);
    }
  }
  return line;
}

std::size_t closing_quote(std::string_view text, std::size_t open) {
  const std::string twice(2, text[open]);
  std::size_t close = text.find(text[open], open + 1);
  while (text.substr(std::min(close, text.size())).starts_with(twice))
    close = text.find(text[open], close + 2);
  return close;
}

namespace {

Error field_error(TextSpan place, std::string why) {
  return {ErrorCode::kInvalidInput, "field", place.column, std::move(why)};
}

/// Returns the index of the first `separator` that is not in a string, such as "a; b" in `id "a;
/// b"`.
std::size_t field_end(std::string_view text, char separator) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == separator) return at;
    const bool opens =
        text[at] == '"' && at > 0 && kSpace.find(text[at - 1]) != std::string_view::npos;
    const std::size_t close = opens ? closing_quote(text, at) : std::string_view::npos;
    if (close != std::string_view::npos) at = close;
  }
  return text.size();
}

/// Cuts and returns the text before the first separator. The separator ' ' stands for two spaces.
TextSpan cut_at(TextSpan& rest, char separator) {
  if (separator != ' ') {
    const std::size_t end = field_end(rest.text, separator);
    const TextSpan part = rest.from(0, end).trimmed();
    rest = rest.from(std::min(end + 1, rest.text.size()));
    return part;
  }
  rest = rest.trimmed();
  const std::size_t end = std::min(rest.text.find("  "), rest.text.size());
  const TextSpan part = rest.from(0, end).trimmed();
  rest = rest.from(end).trimmed();
  return part;
}

/// Cuts the next field from `rest`, and returns it without its quotes.
Result<TextSpan> next_field(TextSpan& rest, char separator) {
  const std::size_t begin = std::min(rest.text.find_first_not_of(" \r\n"), rest.text.size());
  const char quote = begin < rest.text.size() ? rest.text[begin] : '\0';
  if (quote != '"' && quote != '`') return cut_at(rest, separator);
  const std::size_t end = closing_quote(rest.text, begin);
  if (end == std::string_view::npos) return field_error(rest.from(begin), "a quote is not closed");
  const TextSpan field = rest.from(begin + 1, end - begin - 1).trimmed();
  rest = rest.from(end + 1);
  const TextSpan behind = cut_at(rest, separator);
  if (!behind.text.empty())
    return field_error(behind, "expected the next field, found " + manyply::quote(behind.text));
  return field;
}

}  // namespace

std::string without_doubled_quotes(std::string_view field) {
  std::string text;
  for (std::size_t at = 0; at < field.size(); ++at) {
    text += field[at];
    if (field.substr(at).starts_with("\"\"")) ++at;
  }
  return text;
}

Result<LineFields> split_line(TextSpan line, char separator) {
  LineFields split{separator, {}};
  TextSpan rest = line;
  if (separator == '|') {
    rest = rest.trimmed();
    if (rest.text.starts_with('|')) rest = rest.from(1);
  }
  while (!rest.trimmed().text.empty()) {
    const Result<TextSpan> field = next_field(rest, separator);
    if (!field) return field.error();
    split.fields.push_back(*field);
  }
  return split;
}

Result<LineFields> split_line(TextSpan line) {
  std::optional<Error> error;
  std::optional<TextSpan> alone;  // a single field, without its quotes
  for (const char separator : {'|', ';', '\t', ',', ' '}) {
    TextSpan rest = line.trimmed();
    const std::size_t end =
        separator == ' ' ? rest.text.find("  ") : field_end(rest.text, separator);
    if (end >= rest.text.size()) continue;
    if (separator == ' ' && !has_ranks(rest.text.substr(0, end))) continue;
    Result<LineFields> split = split_line(line, separator);
    if (!split) {
      if (!error) error = split.error();
      continue;
    }
    const auto filled = std::ranges::count_if(
        split->fields, [](const TextSpan& field) { return !field.text.empty(); });
    if (filled >= 2) return split;
    if (filled == 1) alone = split->fields.front();
  }
  if (alone && !alone->text.empty()) return LineFields{0, {*alone}};
  if (error) return *std::move(error);
  return LineFields{0, {line.trimmed()}};
}

std::optional<FoundFen> find_fen(std::string_view text, std::size_t from) {
  constexpr std::string_view kBoard = "pnbrqkPNBRQK12345678/";
  constexpr std::string_view kBlank = " \t";
  const auto field_at = [&](std::size_t at, std::string_view letters) {
    const std::size_t end = std::min(text.find_first_not_of(letters, at), text.size());
    const bool closed = end == text.size() || !(is_digit(text[end]) || is_letter(text[end]));
    return closed ? text.substr(at, end - at) : std::string_view();
  };
  for (std::size_t at = from; (at = text.find_first_of(kBoard, at)) < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of(kBoard, at), text.size());
    const std::string_view placement = text.substr(at, end - at);
    const std::size_t side = std::min(text.find_first_not_of(kBlank, end), text.size());
    if (std::ranges::count(placement, '/') == 7 && side > end && side < text.size() &&
        !field_at(side, "wb").empty() && field_at(side, "wb").size() == 1) {
      FoundFen fen{at, side + 1, side + 1};
      for (const std::string_view letters :
           {std::string_view("KQkqABCDEFGHabcdefgh-"), std::string_view("abcdefgh36-"),
            std::string_view("0123456789"), std::string_view("0123456789")}) {
        const std::size_t next = std::min(text.find_first_not_of(kBlank, fen.end), text.size());
        const std::string_view field =
            next > fen.end ? field_at(next, letters) : std::string_view();
        if (field.empty()) break;
        fen.end = next + field.size();
      }
      return fen;
    }
    at = end;
  }
  return std::nullopt;
}

}  // namespace manyply
