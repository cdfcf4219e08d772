// Finds the rows of a suite in nested values from JSON, YAML, TOML or source code.
#include <algorithm>

#include "core/position_text.h"
#include "tools/text/number_text.h"
#include "tools/text/suite_reader.h"

namespace manyply {
namespace {

/// Returns the meaning of the value's name; kUnread if it has no name.
Column::Kind kind_of(const SuiteValue& value) {
  return value.name.empty() ? Column::Kind::kUnread : column_named(value.name).kind;
}

bool is_called_fen(const SuiteValue& item) { return kind_of(item) == Column::Kind::kFen; }

/// Returns whether `list` directly contains a position, or a value with a name for positions.
bool is_row(const SuiteValue& list) {
  return std::ranges::any_of(list.items, [](const SuiteValue& item) {
    const bool is_called = is_called_fen(item);
    const bool is_wrapped = item.is_list && item.items.size() == 1 && !item.items[0].is_list &&
                            item.items[0].name.empty() && has_ranks(item.items[0].text);
    return (!item.is_list && (has_ranks(item.text) || (is_called && !item.text.empty()))) ||
           (is_wrapped && is_called);
  });
}

std::size_t positions_in(const SuiteValue& list) {
  std::size_t count = 0;
  for (const SuiteValue& item : list.items) {
    count += has_ranks(item.name) ? 1 : 0;
    count += item.is_list ? positions_in(item) : has_ranks(item.text) && !item.is_cut ? 1 : 0;
  }
  return count;
}

bool is_number(const SuiteValue& value) {
  return !value.is_list && !value.text.empty() && is_digit(value.text.front()) &&
         !has_ranks(value.text);
}

/// Returns whether `value` is a list and has a name for counts or depths.
bool is_list_of_counts(const SuiteValue& value) {
  const Column::Kind kind = kind_of(value);
  return value.is_list && (kind == Column::Kind::kNodes || kind == Column::Kind::kDepth);
}

/// Returns whether `list` is a row like `{"fen": …, "nodes": …}`.
bool is_row_with_counts(const SuiteValue& list) {
  return is_row(list) && std::ranges::any_of(list.items, [](const SuiteValue& item) {
           const Column::Kind kind = kind_of(item);
           return kind == Column::Kind::kNodes || kind == Column::Kind::kDepth ||
                  kind == Column::Kind::kCount;
         });
}

/// Returns the number in a cast such as `@as(u64, 2812)` or `int64(20)`; null if there is none. A
/// cast is read as a list with one number.
const SuiteValue* number_cast_in(const SuiteValue& item) {
  if (!item.is_list || !item.name.empty()) return nullptr;
  const auto numbers = std::ranges::count_if(item.items, is_number);
  const bool other_lists = std::ranges::any_of(item.items, &SuiteValue::is_list);
  const auto number = std::ranges::find_if(item.items, is_number);
  return numbers == 1 && !other_lists ? &*number : nullptr;
}

/// Handles a list inside a list, such as `expect(2812, perft("FEN", 3))`. Gives the name "depth" to
/// the number beside the FEN, and the name "nodes" to the other number. Gives no names if there are
/// more numbers, if the depth exceeds kDeepestCall, or if the nodes do not exceed the depth.
void name_call(const SuiteValue& outer, SuiteValue& flat) {
  constexpr std::uint64_t kDeepestCall = 15;
  const auto inner = std::ranges::find_if(
      outer.items, [](const SuiteValue& item) { return item.is_list && positions_in(item) > 0; });
  if (inner == outer.items.end() || std::ranges::count_if(flat.items, is_number) != 2) return;
  const auto beside = std::ranges::find_if(inner->items, is_number);
  if (beside == inner->items.end() || std::ranges::count_if(inner->items, is_number) != 1) return;
  const auto value = [](const SuiteValue& number) {
    const Result<NodeCount> parsed = parse_grouped(number.text);
    return parsed ? parsed->approximate() : 0;
  };
  const auto is_depth = [&](const SuiteValue& item) {
    return item.line == beside->line && item.column == beside->column;
  };
  for (const SuiteValue& item : flat.items) {
    if (!is_number(item)) continue;
    if (is_depth(item) ? value(item) > kDeepestCall : value(item) <= value(*beside)) return;
  }
  for (SuiteValue& item : flat.items) {
    if (is_number(item) && item.name.empty()) item.name = is_depth(item) ? "depth" : "nodes";
  }
}

/// Returns whether `list` directly contains a number with a name for counts. Such a list is an
/// entry of a suite.
bool has_named_counts(const SuiteValue& list) {
  return std::ranges::any_of(list.items, [](const SuiteValue& item) {
    return is_number(item) && kind_of(item) == Column::Kind::kNodes;
  });
}

/// Returns whether `value` is one or several lines of EPD, or a row of a table. A value with a name
/// is never a row of a table.
bool is_line(const SuiteValue& value) {
  const std::string_view marks = value.name.empty() ? ";\n,|" : ";\n";
  return value.text.find_first_of(marks) != std::string::npos;
}

}  // namespace

void SuiteReader::refuse_cut(const SuiteValue& value) {
  refuse(value.line,
         {ErrorCode::kInvalidInput, value.is_list ? "list" : "position", value.column,
          value.is_list ? "the list is not closed" : "is outside of quotes or brackets"});
}

/// Refuses FENs that are outside of quotes or brackets, because it is unclear which counts belong
/// to such a FEN.
void SuiteReader::refuse_strays(const SuiteValue& list) {
  for (const SuiteValue& item : list.items) {
    if (item.is_list) {
      refuse_strays(item);
    } else if (item.is_cut && has_ranks(item.text)) {
      refuse_cut(item);
    }
  }
}

void SuiteReader::take_row(const SuiteValue& list, const std::string& form, std::string_view name) {
  const auto place = std::ranges::find_if(list.items, [](const SuiteValue& item) {
    return !item.is_list && (has_ranks(item.text) || is_called_fen(item));
  });
  const SuiteValue& at = place != list.items.end() ? *place : list;
  if (list.is_cut) return refuse_cut(list);
  const auto cut = std::ranges::find(list.items, true, &SuiteValue::is_cut);
  if (cut != list.items.end() && !cut->is_list) return;  // refuse_strays() has refused this FEN
  RowGatherer row(form, at.line);
  const bool is_named = std::ranges::any_of(list.items, is_called_fen);
  for (const SuiteValue& item : list.items) {
    // Skip other positions of the row, as in {"fen": …, "after": …}.
    const bool is_name = kind_of(item) == Column::Kind::kName;
    if (is_named && !is_called_fen(item) && !is_name && !item.is_list && has_ranks(item.text))
      continue;
    // If a row's closing bracket is missing, the following rows are nested in this row.
    const bool is_other = item.is_list && positions_in(item) > 0 && place != list.items.end() &&
                          (item.name.empty() || is_row_with_counts(item));
    if (is_other) {
      take_rows(item, form);
      continue;
    }
    if (auto error = row.take(item)) return refuse(std::max(item.line, 1), *std::move(error));
  }
  row.call(name);
  add(at.column, std::move(row), {});
}

/// Returns whether `item` is a named position with its counts: `"startpos": {"1": 20}`.
bool SuiteReader::is_named_position(const SuiteValue& item) {
  return item.is_list && !item.name.empty() && names_position(item.name) && positions_in(item) == 0;
}

/// Takes a list of EPD lines, or a map. Each element of a map is a position with counts, or a name
/// with a row: `{"FEN": [20, 400], "startpos": [20, 400], "three": {"fen": "FEN", "1": 14}}`.
void SuiteReader::take_map(const SuiteValue& list, const std::string& form) {
  for (const SuiteValue& item : list.items) {
    if (item.is_list && !has_ranks(item.name) && positions_in(item) > 0) {
      take_rows(item, form, item.name);
      continue;
    }
    if (!has_ranks(item.name) && !is_named_position(item) &&
        (item.is_list || !has_ranks(item.text)))
      continue;
    if (item.is_cut) {
      if (item.is_list) refuse_cut(item);
      continue;
    }
    if (!item.is_list && item.name.empty() && is_line(item)) {
      take_lines(item.text, item.line, item.column);
      continue;
    }
    RowGatherer row(form, item.line);
    if (auto error = row.take(item)) {
      refuse(item.line, *std::move(error));
    } else {
      add(item.column, std::move(row), {});
    }
  }
}

std::size_t SuiteReader::take_rows(const SuiteValue& list, const std::string& form,
                                   std::string_view name) {
  const auto is_key = [](const SuiteValue& item) { return has_ranks(item.name); };
  const auto is_text = [](const SuiteValue& item) { return !item.is_list && has_ranks(item.text); };
  const auto is_whole = [&](const SuiteValue& item) { return is_text(item) && is_line(item); };
  const auto texts = std::ranges::count_if(list.items, is_text);
  const bool is_named = std::ranges::count_if(list.items, is_called_fen) == 1;
  if (std::ranges::any_of(list.items, is_key) ||
      std::ranges::any_of(list.items, is_named_position) || (texts > 1 && !is_named) ||
      (texts == 1 && std::ranges::any_of(list.items, is_whole))) {
    take_map(list, form);
    return 1;
  }
  if (is_row(list)) {
    take_row(list, form, name);
    return 1;
  }
  // In assert_eq!(perft("FEN", 3), 8902) and {"start": {"fen": …}, "expected": […]}, the counts
  // belong to the position in the inner list.
  const bool has_number = std::ranges::any_of(list.items, [](const SuiteValue& item) {
    return is_number(item) || is_list_of_counts(item) || number_cast_in(item) != nullptr;
  });
  if (has_number && positions_in(list) == 1) {
    SuiteValue flat{
        .line = list.line, .column = list.column, .is_list = true, .is_cut = list.is_cut};
    const auto flatten = [&](const SuiteValue& from, const auto& self) -> void {
      for (const SuiteValue& item : from.items) {
        if (item.is_list && positions_in(item) > 0) {
          self(item, self);
        } else if (const SuiteValue* const number = number_cast_in(item)) {
          flat.items.push_back(*number);
        } else {
          flat.items.push_back(item);
        }
      }
    };
    flatten(list, flatten);
    name_call(list, flat);
    take_row(flat, form, name);
    return 1;
  }
  std::size_t rows = 0;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const SuiteValue& item = list.items[i];
    if (!item.is_list) continue;
    // A name that adjacent rows share, such as [[test]] of TOML, is not the name of a position.
    const std::string_view called = item.name;
    const bool shared = (i > 0 && list.items[i - 1].name == called) ||
                        (i + 1 < list.items.size() && list.items[i + 1].name == called);
    rows += take_rows(item, form, shared ? std::string_view() : called);
  }
  if (rows == 0) return 0;
  for (const SuiteValue& item : list.items) {
    if (item.is_list && positions_in(item) == 0 && !is_row(item) && has_named_counts(item) &&
        !is_named_position(item))
      refuse(item.line, {ErrorCode::kInvalidInput, "position", item.column,
                         "this entry has counts but no FEN; write the FEN instead of a constant"});
  }
  return rows;
}

std::optional<Error> SuiteReader::take_json_values(std::string_view text,
                                                   const std::string& words) {
  SuitePlace place;
  std::size_t left = most_suite_values(text.size());
  std::vector<SuiteValue> values;
  for (;;) {
    const std::size_t next =
        std::min(text.find_first_not_of(" \t\r\n,", place.offset), text.size());
    place.move_to(text, next);
    if (next == text.size()) break;
    Result<SuiteValue> value = text[next] == '[' || text[next] == '{'
                                   ? read_json_value(text, place, left)
                                   : Error{ErrorCode::kInvalidInput, std::to_string(place.line),
                                           place.column, "is not valid JSON from here on"};
    if (value) {
      values.push_back(std::move(value).value());
      continue;
    }
    if (values.empty()) return value.error();
    // In JSON Lines, each line is a document of its own. So refuse only this line, and continue
    // with the next line.
    const int line = std::stoi(value.error().field);
    refuse(line, {ErrorCode::kInvalidInput, "JSON", value.error().column, value.error().message});
    for (std::size_t end = place.offset; place.line <= line && end < text.size();)
      place.move_to(text, end = std::min(text.find('\n', end), text.size() - 1) + 1);
  }
  const std::string form = (values.size() > 1 ? "JSON Lines" : "JSON") + words;
  for (const SuiteValue& value : values) take_rows(value, form);
  return std::nullopt;
}

bool SuiteReader::take_json(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  if (begin == text.size() || std::string_view("[{/").find(text[begin]) == std::string_view::npos)
    return false;
  const MendedJson mended = mended_json(text);
  const std::size_t first = std::min(mended.text.find_first_not_of(kSpace), text.size());
  if (first == text.size() || (mended.text[first] != '[' && mended.text[first] != '{'))
    return false;
  std::optional<Error> error = take_json_values(text, "");
  if (!error || !take_json_values(mended.text, mended.words) || take_code(text)) return true;
  if (begin != first) return false;  // the brackets may belong to another format
  const int line = std::stoi(error->field);
  error->field = "JSON";
  failure_ = in_suite(*std::move(error), name_, line);
  return true;
}

bool SuiteReader::take_html(const std::string& text) {
  const std::optional<std::vector<ShownLine>> lines = read_html_lines(text);
  if (!lines) return false;
  for (const ShownLine& line : *lines) {
    if (!failure_) take_line({line.text}, line.number);
  }
  close();
  return true;
}

bool SuiteReader::take_toml(const std::string& text) {
  const std::optional<SuiteValue> values = read_toml_values(text);
  if (!values || positions_in(*values) == 0) return false;
  refuse_strays(*values);
  take_rows(*values, "TOML");
  return true;
}

bool SuiteReader::take_yaml(const std::string& text) {
  if (!looks_like_yaml(text)) return false;
  const Result<SuiteValue> values = read_yaml_values(text);
  if (values && positions_in(*values) > 0) {
    take_rows(*values, "YAML");
    if (!rows_.empty()) return true;
    refused_ = {};  // The text is not YAML. Lines below a title only look like YAML.
    return false;
  }
  if (values || values.error().code != ErrorCode::kUnavailable) return false;
  Error error = values.error();
  const int line = std::stoi(error.field);
  error.field.clear();
  failure_ = in_suite(error, name_, line);
  return true;
}

bool SuiteReader::take_code(const std::string& text) {
  if (text.find_first_of("([{") == std::string::npos && text.find("'''") == std::string::npos &&
      text.find("\"\"\"") == std::string::npos)
    return false;
  std::size_t left = most_suite_values(text.size());
  const std::optional<SuiteValue> values = read_code_values(text, left);
  if (!values) return false;
  bool found = false;
  for (const SuiteValue& value : values->items) {
    const bool is_text = !value.is_list && value.text.find('\n') != std::string::npos;
    found = found || (value.is_list ? positions_in(value) > 0 : is_text && has_ranks(value.text));
  }
  if (!found) return false;
  refuse_strays(*values);
  for (const SuiteValue& value : values->items) {
    if (value.is_list) {
      take_rows(value, "source code", value.name);
    } else if (value.text.find('\n') != std::string::npos) {
      take_lines(value.text, value.line, value.column);
    } else if (has_ranks(value.text) && !value.is_cut) {
      refuse(value.line, {ErrorCode::kInvalidInput, "position", value.column,
                          "is not in the same brackets as its counts"});
    }
  }
  return true;
}

}  // namespace manyply
