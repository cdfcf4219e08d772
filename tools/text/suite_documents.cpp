// Reads JSON, TOML, INI and HTML into values or lines with their places.
//
// The JSON library does not report lines and columns. So the code for JSON uses the library's SAX
// parser, and an iterator that notes how far the parser has read.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/position_text.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

/// An iterator that notes how far the parser has read.
struct WatchedIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** read_to;

  reference operator*() const { return *at; }
  WatchedIterator& operator++() {
    *read_to = ++at;
    return *this;
  }
  bool operator==(const WatchedIterator& other) const { return at == other.at; }
  bool operator!=(const WatchedIterator& other) const { return at != other.at; }
};

class JsonEvents {
 public:
  /// Reads the text that begins at `place`. The document may have at most `most` values.
  JsonEvents(std::string_view text, const SuitePlace& place, std::size_t most)
      : read_to(text.data() + place.offset), text_(text), place_(place), values_(most) {}

  bool null() { return word("null"); }
  bool boolean(bool value) { return word(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return number(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return number(std::to_string(value)); }
  /// Also receives integers beyond 64 bits, with all their digits.
  bool number_float(double /*value*/, const std::string& digits) { return number(digits); }
  bool string(std::string& value) {
    see(string_begin());
    return counted(values_.scalar(std::move(value), place_));
  }
  static bool binary(std::vector<std::uint8_t>& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return begin(); }
  bool start_array(std::size_t /*size*/) { return begin(); }
  bool key(std::string& name) {
    values_.name(std::move(name));
    return true;
  }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t /*offset*/, const std::string& /*token*/,
                   const nlohmann::json::exception& /*why*/) {
    see(std::max(read_to - 1, text_.data()));
    if (error_.empty()) error_ = "is not valid JSON from here on";
    return false;
  }

  [[nodiscard]] std::size_t left() const { return values_.left(); }
  Result<SuiteValue> take() && {
    if (error_.empty()) return std::move(std::move(values_).take().items.at(0));
    return Error{ErrorCode::kInvalidInput, std::to_string(place_.line), place_.column, error_};
  }

  const char* read_to;

 private:
  void see(const char* at) { place_.move_to(text_, static_cast<std::size_t>(at - text_.data())); }
  /// Returns the first character of the string that the parser has just read, after the opening
  /// quote. Precondition: `read_to` is directly after the closing quote.
  [[nodiscard]] const char* string_begin() const {
    const char* at = read_to - 1;
    const auto is_escaped = [&](const char* quote) {
      const char* slash = quote;
      while (slash > text_.data() && slash[-1] == '\\') --slash;
      return (quote - slash) % 2 != 0;
    };
    do --at;
    while (at > text_.data() && (*at != '"' || is_escaped(at)));
    return at + 1;
  }
  bool word(const char* text) {
    see(read_to);
    return counted(values_.scalar(text, place_));
  }
  bool number(const std::string& digits) {
    constexpr std::string_view kOfNumbers = "0123456789.eE+-";
    const auto is_of_it = [&](const char* at) {
      return at < text_.data() + text_.size() && kOfNumbers.find(*at) != std::string_view::npos;
    };
    // After a value, the parser has already read the next character, except at the end of the text.
    const char* at = read_to;
    while (at > text_.data() && !is_of_it(at)) --at;
    while (at > text_.data() && is_of_it(at - 1)) --at;
    see(at);
    return counted(values_.number(digits, place_));
  }
  bool begin() {
    see(read_to - 1);
    if (values_.begin_list(place_)) return true;
    if (values_.left() > 0) error_ = "is nested too deeply";
    return counted(values_.left() > 0);
  }
  bool counted(bool taken) {
    if (!taken && error_.empty()) error_ = kTooManySuiteValues;
    return taken && error_.empty();
  }
  bool end() {
    values_.end_list();
    return true;
  }

  std::string_view text_;
  SuitePlace place_;  ///< the last place that was used
  std::string error_;
  SuiteValueBuilder values_;
};

}  // namespace

Result<SuiteValue> read_json_value(std::string_view text, SuitePlace& place, std::size_t& left) {
  JsonEvents events(text, place, left);
  constexpr bool kToTheEnd = false;
  nlohmann::ordered_json::sax_parse(
      WatchedIterator{std::to_address(text.begin()) + place.offset, &events.read_to},
      WatchedIterator{std::to_address(text.end()), &events.read_to}, &events,
      nlohmann::ordered_json::input_format_t::json, kToTheEnd);
  place.move_to(text, static_cast<std::size_t>(events.read_to - text.data()));
  left = events.left();
  return std::move(events).take();
}

MendedJson mended_json(std::string_view text) {
  MendedJson mended{std::string(text), {}};
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      if (mended.text[at] != '\n') mended.text[at] = ' ';
    }
  };
  bool comments = false;
  bool commas = false;
  std::size_t comma = std::string_view::npos;  // place of a comma that only blanks follow so far
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '/' && (next == '/' || next == '*')) {
      const std::string_view mark = next == '/' ? "\n" : "*/";
      const std::size_t end = std::min(text.find(mark, at + 2), text.size() - mark.size());
      comments = true;
      blank(at, end + mark.size());
      at = end + mark.size() - 1;
    } else if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      comma = std::string_view::npos;
    } else if ((c == ']' || c == '}') && comma != std::string_view::npos) {
      commas = true;
      blank(comma, comma + 1);
      comma = std::string_view::npos;
    } else if (c == ',') {
      comma = at;
    } else if (kSpace.find(c) == std::string_view::npos) {
      comma = std::string_view::npos;
    }
  }
  if (comments) mended.words = " with comments";
  if (commas) mended.words += comments ? " and trailing commas" : " with trailing commas";
  return mended;
}

// Reads TOML and INI into values with their places. Tables become lists. The text inside a table is
// read as source code, because strings, numbers and arrays have the same form in TOML.

namespace {

/// The heading of a table: `[tests.start]`, `[[test]]`.
struct TableName {
  std::string path;
  bool is_element = false;  ///< an element of an array of tables
};

/// Returns whether `text` may be the key of a value, or the dotted name of a table.
bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view(" ._-\"'").find(c) != std::string::npos;
  });
}

std::optional<TableName> table_name_in(std::string_view line) {
  line = TextSpan{line.substr(0, line.find(" #"))}.trimmed().text;
  const std::size_t brackets = line.starts_with("[[") && line.ends_with("]]") ? 2 : 1;
  if (!line.starts_with('[') || !line.ends_with(']') || line.size() <= 2 * brackets)
    return std::nullopt;
  const std::string_view path = line.substr(brackets, line.size() - 2 * brackets);
  if (!is_key(path) || !std::ranges::any_of(path, is_letter)) return std::nullopt;
  return TableName{std::string(path), brackets == 2};
}

/// Returns the key and the value of `key = value`; nullopt for other lines.
std::optional<std::pair<TextSpan, TextSpan>> assignment_in(TextSpan line) {
  TextSpan value = line;
  const TextSpan key = value.cut('=');
  value = value.trimmed();
  if (!is_key(key.text) || value.text.empty() || value.text.starts_with('=')) return std::nullopt;
  return std::pair(key, value);
}

std::string without_quotes(std::string_view key) {
  std::string name(key);
  std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
  return name;
}

/// Calls visit(line, number) for each line of `text` until visit returns false.
template <typename Visit>
void for_lines(std::string_view text, const Visit& visit) {
  for (int number = 1; !text.empty(); ++number) {
    if (!visit(cut_line(text), number)) return;
  }
}

/// Adds `lines` to the line number of each value.
void move_down(std::vector<SuiteValue>& values, int lines) {
  for (SuiteValue& value : values) {
    value.line += lines;
    move_down(value.items, lines);
  }
}

/// Reads a text in one pass, table by table.
class TomlReader {
 public:
  explicit TomlReader(std::string_view text) : text_(text), left_(most_suite_values(text.size())) {}

  /// Returns nullopt if there are too many values.
  std::optional<SuiteValue> read() {
    for_lines(text_, [&](std::string_view line, int number) {
      if (left_ == 0) return false;
      if (const auto name = table_name_in(line)) {
        end_code();
        begin_table(*name, number);
        return true;
      }
      const auto assignment = assignment_in({line});
      // Strings of INI have no quotes. So a value without quotes that is a FEN or begins with a
      // letter is stored as one text. The reader of code would split a FEN into many numbers.
      const bool is_bare =
          assignment && !std::ranges::any_of(assignment->second.text, is_quote) &&
          (has_ranks(assignment->second.text) || is_letter(assignment->second.text.front()));
      if (is_bare && open_ <= 0) {
        end_code();
        here_->items.push_back(
            SuiteValue::of(assignment->second, number, without_quotes(assignment->first.text)));
        --left_;
        return true;
      }
      if (code_.empty()) code_line_ = number;
      code_ += line;
      code_ += '\n';
      for (const char c : line) open_ += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
      return true;
    });
    end_code();
    return left_ > 0 ? std::optional(std::move(top_)) : std::nullopt;
  }

 private:
  static bool is_quote(char c) { return c == '"' || c == '\''; }

  /// Reads the code gathered so far into the current table. Adds brackets around the code, because
  /// read_code_values() ignores most values outside of brackets.
  void end_code() {
    if (code_.find_first_not_of(kSpace) != std::string::npos) {
      std::optional<SuiteValue> values = read_code_values("(\n" + code_ + ")", left_);
      if (values && !values->items.empty()) {
        std::vector<SuiteValue> items = std::move(values->items.front().items);
        for (std::size_t i = 1; i < values->items.size(); ++i) {  // values after an extra bracket
          items.push_back(std::move(values->items[i]));
          items.back().is_cut = true;
        }
        move_down(items, code_line_ - 2);
        std::ranges::move(items, std::back_inserter(here_->items));
      }
    }
    code_.clear();
    open_ = 0;
  }

  /// Opens the table with this path. For `[a.b]`, this is a list "b" inside a list "a". Opens the
  /// last element of the outer list if this element is a list with the right name. Otherwise, adds
  /// a new list and opens it. The last name in `[[a.b]]` always adds a new list.
  void begin_table(const TableName& name, int number) {
    here_ = &top_;
    for (TextSpan rest{name.path}; !rest.text.empty() && left_ > 0;) {
      const std::string part = without_quotes(rest.cut('.').text);
      const bool is_new = name.is_element && rest.text.empty();
      std::vector<SuiteValue>& items = here_->items;
      if (is_new || items.empty() || !items.back().is_list || items.back().name != part) {
        items.push_back({.line = number, .column = 1, .name = part, .is_list = true});
        --left_;
      }
      here_ = &items.back();
    }
  }

  std::string_view text_;
  std::size_t left_;
  SuiteValue top_{.is_list = true};
  SuiteValue* here_ = &top_;
  std::string code_;
  int code_line_ = 1;
  int open_ = 0;  ///< number of open brackets in `code_`; above 0 within an array of several lines
};

bool looks_like_toml(std::string_view text) {
  bool is_table = false;
  bool is_toml = false;
  for_lines(text, [&](std::string_view line, int) {
    const TextSpan said = TextSpan{line}.trimmed();
    if (said.text.empty() || said.text.starts_with('#') || said.text.starts_with(';')) return true;
    if (table_name_in(said.text)) return is_table = true;
    const bool is_assignment = assignment_in(said).has_value();
    is_toml =
        is_table && is_assignment;  // the attribute [Test] of C# is not followed by an assignment
    return is_assignment && !is_toml;
  });
  return is_toml;
}

}  // namespace

std::optional<SuiteValue> read_toml_values(std::string_view text) {
  return looks_like_toml(text) ? TomlReader(text).read() : std::nullopt;
}

// Reads the tables of web pages as a browser would show them.

namespace {

/// Returns the name of the tag at the start of `text`, such as "td" or "/td"; empty if there is no
/// tag.
std::string tag_name(std::string_view text) {
  if (!text.starts_with('<')) return {};
  const std::size_t begin = text.substr(1).starts_with('/') ? 2 : 1;
  std::size_t end = begin;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
  return end > begin ? to_lower(text.substr(1, end - 1)) : std::string();
}

struct Entity {
  std::string_view name;
  char shown;
};
constexpr std::array<Entity, 10> kEntities{{{"&nbsp;", ' '},
                                            {"&#160;", ' '},
                                            {"&thinsp;", ' '},
                                            {"&amp;", '&'},
                                            {"&lt;", '<'},
                                            {"&gt;", '>'},
                                            {"&quot;", '"'},
                                            {"&#34;", '"'},
                                            {"&#39;", '\''},
                                            {"&apos;", '\''}}};

/// Reads a page in one pass.
class HtmlReader {
 public:
  explicit HtmlReader(std::string_view text) : text_(text) {}

  std::vector<ShownLine> read() {
    while (place_.offset < text_.size()) step();
    end_line();
    return std::move(lines_);
  }

 private:
  void step() {
    const std::string_view rest = text_.substr(place_.offset);
    const std::string tag = tag_name(rest);
    if (rest.starts_with("<!--")) return skip(rest.find("-->"), 3);
    if (!tag.empty()) {
      take_tag(tag);
      return skip(rest.find('>'), 1);
    }
    if (rest.front() == '&') {
      for (const auto& [name, shown] : kEntities) {
        if (!rest.starts_with(name)) continue;
        show(shown);
        return skip(0, name.size());
      }
    }
    if (rest.front() == '\n' && !in_row_) end_line();
    show(rest.front() == '\n' || rest.front() == '\t' ? ' ' : rest.front());
    skip(0, 1);
  }

  void take_tag(const std::string& tag) {
    if (tag == "tr") {
      end_line();
      in_row_ = true;
      cells_ = 0;
    } else if (tag == "/tr" || tag == "/table") {
      in_row_ = is_row_ = in_row_ && cells_ > 0;
      end_line();
      in_row_ = false;
    } else if (tag == "td" || tag == "th") {
      if (cells_++ > 0) line_ += '\t';
    } else if (!in_row_ && (tag == "br" || tag == "p" || tag == "/p" || tag == "div" ||
                            tag == "li" || tag == "pre" || tag == "/pre")) {
      end_line();
    }
  }

  void show(char c) {
    if (line_.empty()) begin_ = place_.line;
    // In a cell, "|" and ";" are ordinary text. They become spaces, because the reader of lines
    // would split the cell at them.
    line_ += in_row_ && (c == '|' || c == ';') ? ' ' : c;
  }
  void end_line() {
    if (is_row_ || has_ranks(line_)) lines_.push_back({line_, begin_});
    line_.clear();
    is_row_ = false;
  }
  void skip(std::size_t to, std::size_t more) {
    const bool is_last = to == std::string_view::npos;
    place_.move_to(text_, is_last ? text_.size() : place_.offset + to + more);
  }

  std::string_view text_;
  SuitePlace place_;
  int begin_ = 1;  ///< line number at which `line_` begins
  std::string line_;
  bool in_row_ = false;
  bool is_row_ = false;
  int cells_ = 0;
  std::vector<ShownLine> lines_;
};

bool looks_like_html(std::string_view text) {
  if (!TextSpan{text}.trimmed().text.starts_with('<')) return false;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string tag = tag_name(text.substr(at, 4));
    if (tag == "td" || tag == "th") return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<ShownLine>> read_html_lines(std::string_view text) {
  return looks_like_html(text) ? std::optional(HtmlReader(text).read()) : std::nullopt;
}

}  // namespace manyply
