// Reads TOML and INI into values with their places. Tables become lists. The text inside a table is
// read as source code, because TOML's strings, numbers and arrays look like it.
#include <algorithm>
#include <optional>

#include "core/base/ascii.h"
#include "core/base/text_span.h"
#include "core/position_text.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

/// The heading of a table: `[tests.start]`, `[[test]]`.
struct TableName {
  std::string path;
  bool is_element = false;  ///< of an array of tables
};

std::optional<TableName> table_name_in(std::string_view line) {
  line = TextSpan{line.substr(0, line.find(" #"))}.trimmed().text;
  const std::size_t brackets = line.starts_with("[[") && line.ends_with("]]") ? 2 : 1;
  if (!line.starts_with('[') || !line.ends_with(']') || line.size() <= 2 * brackets)
    return std::nullopt;
  const std::string_view path = line.substr(brackets, line.size() - 2 * brackets);
  const bool is_name = std::ranges::all_of(path, [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view(" ._-\"'").find(c) != std::string_view::npos;
  });
  if (!is_name || !std::ranges::any_of(path, is_letter)) return std::nullopt;
  return TableName{std::string(path), brackets == 2};
}

/// Returns the key and the value of `key = value`; nullopt for other lines.
std::optional<std::pair<TextSpan, TextSpan>> assignment_in(TextSpan line) {
  TextSpan value = line;
  const TextSpan key = value.cut('=');
  const bool is_key = !key.text.empty() && std::ranges::all_of(key.text, [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view("._-\"' ").find(c) != std::string_view::npos;
  });
  value = value.trimmed();
  if (!is_key || value.text.empty() || value.text.starts_with('=')) return std::nullopt;
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
      // INI strings have no quotes, and source code would read an unquoted FEN as many numbers.
      const bool is_bare =
          assignment && !std::ranges::any_of(assignment->second.text, is_quote) &&
          (has_ranks(assignment->second.text) || is_letter(assignment->second.text.front()));
      if (is_bare && open_ <= 0) {
        end_code();
        SuiteValue value = SuiteValue::scalar(std::string(assignment->second.text), number,
                                              assignment->second.column);
        value.name = without_quotes(assignment->first.text);
        here_->items.push_back(std::move(value));
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

  /// Reads the code gathered so far into the current table. The reader ignores values outside of
  /// brackets, so brackets are added.
  void end_code() {
    if (code_.find_first_not_of(kSpace) != std::string::npos) {
      std::optional<SuiteValue> values = read_code_values("(\n" + code_ + ")", left_);
      if (values && !values->items.empty()) {
        std::vector<SuiteValue> items = std::move(values->items.front().items);
        for (std::size_t i = 1; i < values->items.size(); ++i) {  // one closing bracket too many
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

  /// Opens the table with this path. Each name of the path is a list in the list before it. The
  /// last list there is reused if it has the same name.
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
  int open_ = 0;  ///< open brackets in `code_`: an array may span several lines
};

}  // namespace

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

std::optional<SuiteValue> read_toml_values(std::string_view text) {
  return TomlReader(text).read();
}

}  // namespace manyply
