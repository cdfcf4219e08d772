#include "tools/text/pasted_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/ascii.h"
#include "core/base/text_span.h"
#include "core/position_text.h"
#include "core/san.h"
#include "tools/text/count_columns.h"
#include "tools/text/json_text.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// JSON values nested deeper than this are ignored; a divide has no such depth.
constexpr int kDeepest = 20;

bool is_move(std::string_view text) { return read_written_move(text).has_value() && text.empty(); }

/// Turns a JSON document into lines of text.
class JsonLines {
 public:
  std::vector<std::string> run(const Json& document) && {
    add("", document, 0);
    return std::move(lines_);
  }

 private:
  static std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : json_text(value);
  }
  static std::string named(const std::string& name, const Json& value) {
    return name.empty() ? text_of(value) : fmt::format("{}: {}", name, text_of(value));
  }

  void add(const std::string& name, const Json& value, int depth) {
    if (depth > kDeepest) return;
    if (value.is_object()) {
      add_object(name, value, depth);
    } else if (value.is_array()) {
      add_array(name, value, depth);
    } else {
      lines_.push_back(named(name, value));
    }
  }

  void add_object(const std::string& name, const Json& object, int depth) {
    const auto is_told_by = [](const Json& member) {
      return member.is_string() && is_move(member.get_ref<const std::string&>());
    };
    const bool is_row = is_move(name) || std::ranges::any_of(object, is_told_by);
    if (is_row) return has_columns(object) ? add_table_row(name, object) : add_row(name, object);
    if (!object.empty()) add_head(name);
    for (const auto& [key, member] : object.items()) add(key, member, depth + 1);
  }

  /// Adds one line with the scalar members of a move's object, and leaves out its position and its
  /// replies.
  void add_row(const std::string& name, const Json& object) {
    std::string line = name;
    for (const auto& [key, member] : object.items()) {
      if (!is_cell(member)) continue;
      line += (line.empty() ? "" : " ") + named(key, member);
    }
    lines_.push_back(std::move(line));
  }

  static bool is_cell(const Json& member) {
    return !member.is_structured() && !has_ranks(text_of(member));
  }

  /// Returns whether several numbers have unknown names, so that only a table's head separates
  /// them.
  static bool has_columns(const Json& object) {
    std::size_t columns = 0;
    for (const auto& [key, member] : object.items())
      columns += member.is_number() && may_name_counts(key) ? 1 : 0;
    return columns > 1;
  }

  /// Adds the members as a row of a table, after the table's head if it is new.
  void add_table_row(const std::string& name, const Json& object) {
    std::string head = name.empty() ? "" : "move";
    std::string line = name;
    for (const auto& [key, member] : object.items()) {
      if (!is_cell(member)) continue;
      head += (head.empty() ? "" : "|") + key;
      line += (line.empty() ? "" : "|") + text_of(member);
    }
    if (std::exchange(head_, head) != head) lines_.push_back(head);
    lines_.push_back(std::move(line));
  }

  /// Adds `["e2e4", 20]` as one row, but each value of `["e2e4", "d2d4"]` as its own line.
  void add_array(const std::string& name, const Json& array, int depth) {
    const auto is_number = [](const Json& value) { return value.is_number(); };
    const auto is_scalar = [](const Json& value) { return !value.is_structured(); };
    if (std::ranges::any_of(array, is_number) && std::ranges::all_of(array, is_scalar)) {
      std::string line = name;
      for (const Json& value : array) line += (line.empty() ? "" : " ") + text_of(value);
      lines_.push_back(std::move(line));
      return;
    }
    if (!std::ranges::all_of(array, is_scalar)) add_head(name);
    for (const Json& value : array) add(value.is_structured() ? "" : name, value, depth + 1);
  }

  /// Adds the name of the following rows.
  void add_head(const std::string& name) {
    if (std::ranges::any_of(name, is_letter) && !is_move(name)) lines_.push_back(name);
  }

  std::vector<std::string> lines_;
  std::string head_;  ///< of the last row of a table
};

std::optional<std::vector<std::string>> lines_of_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
    return std::nullopt;
  const Json document = read_json(text);
  if (document.is_discarded()) return std::nullopt;
  return JsonLines().run(document);
}

/// Returns whether `c` is a control character that terminals do not use. Colours begin with ESC;
/// progress bars are drawn with BS.
bool is_no_text(char c) {
  constexpr std::string_view kAllowed = "\t\n\v\f\r\b\a\x1a\x1b";
  return (c >= 0 && c < ' ' && c != '\0' && kAllowed.find(c) == std::string_view::npos) ||
         c == '\x7f';
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

}  // namespace

Result<std::vector<std::string>> pasted_lines(std::string_view bytes) {
  std::string text = decoded_suite(bytes);
  if (const auto bad = std::ranges::find_if(text, is_no_text); bad != text.end()) {
    return Error{
        ErrorCode::kInvalidInput, "divide", 0,
        fmt::format("is not text: byte \\x{:02X} in line {}", static_cast<unsigned char>(*bad),
                    std::ranges::count(text.begin(), bad, '\n') + 1)};
  }
  if (auto lines = lines_of_json(text)) return *std::move(lines);
  replace_all(text, "\r\n", "\n");
  std::ranges::replace(text, '\r', '\n');
  replace_all(text, "\\r\\n", "\n");
  replace_all(text, "\\n", "\n");
  std::vector<std::string> lines;
  for (std::string_view rest = text; !rest.empty();) lines.emplace_back(cut_line(rest));
  return lines;
}

}  // namespace manyply
