#include "tools/text/suite_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/position_text.h"
#include "tools/text/line_tokens.h"
#include "tools/text/number_text.h"

namespace manyply {

bool SuiteValueBuilder::begin_list(const SuitePlace& place) {
  // Deeper lists could overflow the stack of a recursive reader. Real suites have less nesting.
  constexpr std::size_t kDeepest = 60;
  if (open_.size() == kDeepest || left_ == 0) return false;
  --left_;
  open_.push_back({.line = place.line,
                   .column = place.column,
                   .name = std::exchange(name_, {}),
                   .is_list = true});
  return true;
}

void SuiteValueBuilder::end_list() {
  SuiteValue value = std::move(open_.back());
  open_.pop_back();
  items().push_back(std::move(value));
}

bool SuiteValueBuilder::scalar(std::string text, const SuitePlace& place, bool is_cut) {
  if (left_ == 0) return false;
  --left_;
  items().push_back({.line = place.line,
                     .column = place.column,
                     .name = std::exchange(name_, {}),
                     .text = std::move(text),
                     .is_cut = is_cut});
  return true;
}

bool SuiteValueBuilder::number(const std::string& text, const SuitePlace& place) {
  const std::optional<std::string> whole = whole_digits(text);
  if (!scalar(whole.value_or(text), place)) return false;
  items().back().is_fraction = !whole && is_decimal(text);
  return true;
}

SuiteValue SuiteValueBuilder::take() && {
  while (!open_.empty()) {
    open_.back().is_cut = true;
    end_list();
  }
  return std::move(top_);
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
  const bool little_endian = bytes.starts_with("\xFF\xFE");
  const bool is_utf16 = little_endian || bytes.starts_with("\xFE\xFF");
  std::string text = is_utf16 ? from_utf16(bytes.substr(2), little_endian) : std::string(bytes);
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
    return left > 0 ? std::optional(std::move(values_).take()) : std::nullopt;
  }

 private:
  [[nodiscard]] char here(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] char before() const { return at_ > 0 ? text_[at_ - 1] : '\n'; }
  [[nodiscard]] static bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

  [[nodiscard]] const SuitePlace& place() {
    place_.move_to(text_, at_);
    return place_;
  }
  void advance(std::size_t count = 1) { at_ = std::min(at_ + count, text_.size()); }
  void skip_behind(std::string_view mark) {
    at_ = std::min(text_.find(mark, at_), text_.size());
    advance(mark.size());
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
      skip_behind("\n");
    } else if (c == '/' && here(1) == '*') {
      skip_behind("*/");
    } else if (c == '"' || c == '`' || c == '\'') {
      quoted(c);
    } else if (const std::size_t ranks = bare_ranks(); ranks > 0) {
      (void)values_.scalar(std::string(text_.substr(at_, ranks)), place(), true);
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
      } else if (values_.has_open_list()) {
        values_.end_list();
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
    if (too_deep_ > 0 || !values_.begin_list(place())) ++too_deep_;
    pending_.clear();
    advance();
  }

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
    const SuitePlace begin = place();
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
    if (is_among(suffix, " u l n ul ll ull lu u8 u16 u32 u64 u128 i32 i64 usize "))
      text.resize(digits);
    std::erase(text, '_');
    std::erase(text, '\'');
    // Numbers outside of lists are ignored, because only lists connect numbers with positions. EPD
    // files have many such numbers.
    if (!take_key(text) && values_.has_open_list()) (void)values_.number(text, begin);
  }

  /// If `text` is the name of the next value, as in {1: 20}, stores `text` and returns true.
  bool take_key(const std::string& text) {
    const bool is_key = is_assignment_next();
    pending_ = is_key ? text : "";
    is_key_ = is_key_ || is_key;
    return is_key;
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
    const bool is_triple = here(1) == quote && here(2) == quote;
    // The quotes of Rust lifetimes and the apostrophes in words do not begin strings. A single
    // letter directly before a quote is the prefix of a string.
    const bool prefixed = is_letter(before()) && (at_ < 2 || !is_word(text_[at_ - 2]));
    const bool is_mark = before() == '<' || before() == '&' || (is_word(before()) && !prefixed);
    if (quote == '\'' && is_mark) return mark(quote);
    const std::string quotes(is_triple ? 3 : 1, quote);
    std::string text;
    std::size_t end = at_ + quotes.size();
    for (; end < text_.size() && !text_.substr(end).starts_with(quotes); ++end) {
      if (text_[end] == '\n' && !is_triple && quote != '`') return mark(quote);
      if (text_[end] == '\\' && end + 1 < text_.size()) ++end;
      text += text_[end];
    }
    if (end >= text_.size()) return mark(quote);
    SuitePlace string = place();
    string.column += static_cast<int>(quotes.size());
    at_ = end + quotes.size();
    if (!take_key(text) &&
        (values_.has_open_list() || text.find('\n') != std::string::npos || has_ranks(text)))
      (void)values_.scalar(std::move(text), string);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  SuitePlace place_;  ///< see place()
  /// Lists can be nested only to a limited depth. This is the number of brackets beyond the limit
  /// that are not yet closed. Values in these brackets are added to the innermost list.
  std::size_t too_deep_ = 0;
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

/// Returns the index of the first `separator` outside of strings; text.size() without one. For
/// example, the ';' in `id "a; b"` is inside a string. The separator ' ' stands for two spaces.
std::size_t field_end(std::string_view text, char separator) {
  if (separator == ' ') return std::min(text.find("  "), text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == separator) return at;
    const bool opens =
        text[at] == '"' && at > 0 && kSpace.find(text[at - 1]) != std::string_view::npos;
    const std::size_t close = opens ? closing_quote(text, at) : std::string_view::npos;
    if (close != std::string_view::npos) at = close;
  }
  return text.size();
}

/// Cuts and returns the text before the first separator.
TextSpan cut_at(TextSpan& rest, char separator) {
  if (separator == ' ') rest = rest.trimmed();
  const std::size_t end = field_end(rest.text, separator);
  const TextSpan part = rest.from(0, end).trimmed();
  rest = rest.from(std::min(end + 1, rest.text.size()));
  if (separator == ' ') rest = rest.trimmed();
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
    const std::string_view text = line.trimmed().text;
    const std::size_t end = field_end(text, separator);
    if (end == text.size() || (separator == ' ' && !has_ranks(text.substr(0, end)))) continue;
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
        field_at(side, "wb").size() == 1) {
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
