// JSON as values with their places. The library's reader of documents (json_text.h) tells no
// places, so this takes its events, and looks where it has read to.
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/question/suite_text.h"

namespace manyply {
namespace {

/// Reads characters, and leaves behind how far.
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
  explicit JsonEvents(std::string_view text)
      : read_to(text.data()), text_(text), counted_(text.data()), line_begin_(text.data()) {}

  bool null() { return word("null"); }
  bool boolean(bool value) { return word(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return number(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return number(std::to_string(value)); }
  /// Counts beyond 64 bits come here, too: their digits are what is kept.
  bool number_float(double /*value*/, const std::string& digits) { return number(digits); }
  bool string(std::string& value) {
    see(string_begin());
    values_.scalar(std::move(value), line_, column_);
    return true;
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
    see(read_to > text_.data() ? read_to - 1 : read_to);
    error_ = "is no JSON from here on";
    return false;
  }

  Result<SuiteValue> take() && {
    if (error_.empty()) return std::move(values_).take();
    return Error{ErrorCode::kInvalidInput, std::to_string(line_), column_, error_};
  }

  const char* read_to;

 private:
  /// Moves the place on to `at`.
  void see(const char* at) {
    for (; counted_ < at; ++counted_) {
      if (*counted_ != '\n') continue;
      ++line_;
      line_begin_ = counted_ + 1;
    }
    column_ = static_cast<int>(at - line_begin_) + 1;
  }
  /// Behind the quote that begins the string which ends before `read_to`.
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
    values_.scalar(text, line_, column_);
    return true;
  }
  bool number(const std::string& digits) {
    const char* at = read_to;  // a character further, unless the text ends
    while (at > text_.data() && (at == text_.data() + text_.size() || at[0] < '0' || at[0] > '9'))
      --at;
    while (at > text_.data() && at[-1] >= '0' && at[-1] <= '9') --at;
    see(std::max(at, counted_));
    values_.scalar(digits, line_, column_);
    return true;
  }
  bool begin() {
    see(read_to - 1);
    if (values_.begin_list(line_, column_)) return true;
    error_ = "is too deep: lists in lists in lists";
    return false;
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

Result<SuiteValue> read_json_values(std::string_view text) {
  JsonEvents events(text);
  nlohmann::json::sax_parse(WatchedIterator{std::to_address(text.begin()), &events.read_to},
                            WatchedIterator{std::to_address(text.end()), &events.read_to}, &events);
  return std::move(events).take();
}

}  // namespace manyply
