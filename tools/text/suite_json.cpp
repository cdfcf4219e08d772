// Reads JSON into values with their places. The library's document parser (json_text.h) reports no
// places, so this code uses the library's SAX parser and watches how far it has read.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/ascii.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

/// Iterator that records how far the parser has read.
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
  /// Reads from `place` on. The document may have at most `most` values.
  JsonEvents(std::string_view text, const SuitePlace& place, std::size_t most)
      : read_to(text.data() + place.offset),
        text_(text),
        counted_(read_to),
        line_begin_(read_to - (place.column - 1)),
        line_(place.line),
        values_(most) {}

  bool null() { return word("null"); }
  bool boolean(bool value) { return word(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return number(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return number(std::to_string(value)); }
  /// Integers beyond 64 bits come here too; their digits are kept.
  bool number_float(double /*value*/, const std::string& digits) { return number(digits); }
  bool string(std::string& value) {
    see(string_begin());
    return counted(values_.scalar(std::move(value), line_, column_));
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
    see(std::max(read_to - 1, counted_));
    if (error_.empty()) error_ = "is not valid JSON from here on";
    return false;
  }

  [[nodiscard]] std::size_t left() const { return values_.left(); }
  Result<SuiteValue> take() && {
    if (error_.empty()) return std::move(std::move(values_).take().items.at(0));
    return Error{ErrorCode::kInvalidInput, std::to_string(line_), column_, error_};
  }

  const char* read_to;

 private:
  /// Updates line and column to the position `at`.
  void see(const char* at) {
    for (; counted_ < at; ++counted_) {
      if (*counted_ != '\n') continue;
      ++line_;
      line_begin_ = counted_ + 1;
    }
    column_ = static_cast<int>(at - line_begin_) + 1;
  }
  /// Returns the start of the string that ends before `read_to`, after its opening quote.
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
    return counted(values_.scalar(text, line_, column_));
  }
  bool number(const std::string& digits) {
    constexpr std::string_view kOfNumbers = "0123456789.eE+-";
    const auto is_of_it = [&](const char* at) {
      return at < text_.data() + text_.size() && kOfNumbers.find(*at) != std::string_view::npos;
    };
    const char* at = read_to;  // one character too far, unless the text ends
    while (at > text_.data() && !is_of_it(at)) --at;
    while (at > text_.data() && is_of_it(at - 1)) --at;
    see(std::max(at, counted_));
    return counted(values_.number(digits, line_, column_));
  }
  bool begin() {
    see(read_to - 1);
    if (values_.begin_list(line_, column_)) return true;
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
  const char* counted_;
  const char* line_begin_;
  int line_ = 1;
  int column_ = 1;
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
  std::size_t comma = std::string_view::npos;  // only blanks have followed it
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

}  // namespace manyply
