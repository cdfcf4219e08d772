#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/line.h"
#include "core/position_text.h"
#include "tools/text/json_text.h"
#include "tools/text/number_text.h"
#include "tools/text/suite_reader.h"

namespace manyply {
namespace {

Error error_at(int column, const char* field, std::string why) {
  return {ErrorCode::kInvalidInput, field, column, std::move(why)};
}

Error fraction_error(const TextSpan& number) {
  return error_at(number.column, "count", quote(number.text) + " is not a whole number");
}

/// EPD opcodes that have a letter and a digit but are not counts: comments (c0) and variations
/// (v0).
constexpr std::string_view kNumberedOperations = "cv";

/// Characters that may stand between a depth and its count: `(1)`, ` = `, `: `.
constexpr std::string_view kDepthMarks = " \t=:()[]->";

/// Returns the only value of a list with one unnamed value, as in `String::from("…")`; otherwise
/// `value`.
const SuiteValue& unpacked(const SuiteValue& value) {
  const SuiteValue* inner = &value;
  while (inner->is_list && inner->items.size() == 1 && inner->items[0].name.empty())
    inner = inner->items.data();
  return *inner;
}

/// Returns the depths and counts in `perft 1 20 2 400`. `first` is the first depth, and `rest` is
/// the text after it. Returns nullopt if `rest` has another form, or if the depths do not ascend.
/// So a count in groups of digits, as in `perft 5 4 865 609`, is usually not read as pairs.
std::optional<std::vector<std::pair<Depth, TextSpan>>> pairs_of(Depth first, TextSpan rest) {
  const std::vector<TextSpan> words = words_in(rest);
  std::vector<std::pair<Depth, TextSpan>> pairs;
  Depth depth = first;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    pairs.emplace_back(depth, words[i]);
    if (i + 1 == words.size()) break;
    const Result<Depth> next = Depth::parse(words[i + 1].text);
    if (!next || *next <= depth || i + 2 == words.size()) return std::nullopt;
    depth = *next;
  }
  return pairs;
}

/// Returns a name in the form that every suite format allows: valid UTF-8, no line ends, single
/// spaces.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : valid_utf8(text)) {
    const bool is_blank = static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
    if (!is_blank) line += c;
    if (is_blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

/// Returns a tag as one word. Spaces separate tags, unless the tags are a list.
std::string tag_text(std::string_view text) {
  std::string tag = in_one_line(text);
  std::ranges::replace(tag, ' ', '-');
  return tag;
}

/// Returns the end of the string at the start of `operand`. Returns the whole length if there is no
/// string.
std::size_t string_end(std::string_view operand) {
  if (!operand.starts_with('"')) return operand.size();
  const std::size_t close = closing_quote(operand, 0);
  return close == std::string_view::npos ? operand.size() : close + 1;
}

/// Returns the operand of an EPD operation: its string without quotes, or its words if they are not
/// a string.
std::string operand_text(std::string_view operand) {
  const bool quoted = operand.size() >= 2 && operand.front() == '"' && operand.back() == '"';
  return quoted ? without_doubled_quotes(operand.substr(1, operand.size() - 2))
                : std::string(operand);
}

}  // namespace

bool names_position(std::string_view text) {
  const auto cut_word = [&] {
    const std::string_view word = text.substr(0, text.find_first_of(" \t,"));
    text = TextSpan{text.substr(word.size())}.trimmed().text;
    return word;
  };
  std::string_view word = cut_word();
  for (const std::string_view keyword : {"position", "epd", "fen"}) {
    if (equal_ignoring_case(word, keyword)) word = cut_word();
  }
  return fen_of(word) != word;
}

void RowGatherer::call(std::string_view name) {
  if (name_.empty()) name_ = in_one_line(name);
}

std::optional<Error> RowGatherer::take_name(std::string_view text, const std::string& field) {
  const std::string name = in_one_line(text);
  if (name.empty()) return std::nullopt;
  if (!name_.empty()) return leave_out(quote(field));
  name_ = name;
  return std::nullopt;
}

void RowGatherer::take_tags(std::string_view text) {
  for (TextSpan rest = TextSpan{text}.trimmed(); !rest.text.empty(); rest = rest.trimmed())
    tags_.push_back(tag_text(rest.cut(' ').text));
}

std::optional<Error> RowGatherer::tell(Depth depth, NodeCount nodes, int column) {
  if (std::ranges::count(told_, depth, &ToldCount::depth) > 0)
    return error_at(column, "depth", fmt::format("D{} is given twice", depth.plies()));
  told_.push_back({depth, nodes, column});
  return std::nullopt;
}

std::optional<Error> RowGatherer::take_depth(const TextSpan& text) {
  const Result<Depth> depth =
      Depth::parse(whole_digits(text.text).value_or(std::string(text.text)));
  if (!depth) return text.located(depth.error());
  if (depth_) return error_at(text.column, "depth", "is given twice");
  depth_ = *depth;
  depth_column_ = text.column;
  return std::nullopt;
}

std::optional<Error> RowGatherer::take_nodes(const TextSpan& text) {
  const Result<NodeCount> nodes = parse_grouped(text.text);
  if (!nodes) return text.located(nodes.error());
  if (nodes_) return error_at(text.column, "count", "is given twice");
  nodes_ = *nodes;
  nodes_column_ = text.column;
  return std::nullopt;
}

std::optional<Error> RowGatherer::leave_out(const std::string& name) {
  if (std::ranges::count(unread_, name) == 0) unread_.push_back(name);
  return std::nullopt;
}

std::optional<Error> RowGatherer::take(const TextSpan& field, const Column& column) {
  switch (column.kind) {
    case Column::Kind::kUnread:
      return std::nullopt;
    case Column::Kind::kFen:
      position_ = field.text;
      column_ = field.column;
      return std::nullopt;
    case Column::Kind::kDepth:
      return take_depth(field);
    case Column::Kind::kNodes:
      return take_nodes(field);
    case Column::Kind::kTags:
      return take_tags(without_doubled_quotes(field.text)), std::nullopt;
    case Column::Kind::kName:
      return take_name(without_doubled_quotes(field.text), column.name);
    case Column::Kind::kCount:
      break;
  }
  if (field.text.empty()) return std::nullopt;
  const Result<NodeCount> nodes = parse_grouped(field.text);
  return nodes ? tell(column.depth, *nodes, field.column) : field.located(nodes.error());
}

std::optional<Error> RowGatherer::take_position(const TextSpan& field) {
  const TextSpan trimmed = field.trimmed();
  const Result<LineFields> split = split_line(trimmed, ';');
  if (!split) return split.error();
  TextSpan first = split->fields.empty() ? trimmed : split->fields.front();
  if (has_position() && !is_name_)
    return error_at(trimmed.column, "position",
                    "is a second position in the same row: " + quote(trimmed.text));
  const std::string_view fen = epd_position(first.text);
  const TextSpan behind = first.from(fen.size()).trimmed();
  // Text after the FEN is an EPD operation, unless it begins with a digit or "moves".
  if (has_ranks(fen) && !behind.text.empty() && !is_digit(behind.text.front()) &&
      behind.text.find("moves") != 0) {
    if (auto error = take_operation(behind)) return error;
    first = first.from(0, fen.size());
  }
  position_ = first.text;
  column_ = first.column;
  is_name_ = !has_ranks(first.text);
  for (std::size_t i = 1; i < split->fields.size(); ++i) {
    if (auto error = take_operation(split->fields[i])) return error;
  }
  return std::nullopt;
}

std::optional<Error> RowGatherer::take_operation(const TextSpan& field) {
  if (field.text.empty()) return std::nullopt;
  const std::size_t gap = std::min(field.text.find_first_of(kSpace), field.text.size());
  const std::string_view code = field.text.substr(0, gap);
  const std::string_view operand = field.from(gap).trimmed().text;
  const Column as = column_named(code);
  if (as.kind == Column::Kind::kName || as.kind == Column::Kind::kTags) {
    const std::size_t end = string_end(operand);
    if (end < operand.size()) {  // a ';' is missing, and a count may be lost
      const auto begin = static_cast<std::size_t>(operand.data() - field.text.data());
      const TextSpan behind = field.from(begin + end).trimmed();
      return error_at(behind.column, "operation", "expected ';', found " + quote(behind.text));
    }
  }
  if (as.kind == Column::Kind::kName) return take_name(operand_text(operand), std::string(code));
  if (as.kind == Column::Kind::kTags) return take_tags(operand_text(operand)), std::nullopt;
  bool found = false;
  if (auto error = take_counts_in(field, found)) return error;
  if (found) return std::nullopt;
  const std::size_t letters = std::min(code.find_first_of("0123456789"), code.size());
  const bool is_numbered = letters > 0 && letters < code.size() &&
                           code.find_first_not_of("0123456789", letters) == std::string_view::npos;
  const bool is_known = letters == 1 && kNumberedOperations.find(code[0]) != std::string_view::npos;
  if (is_numbered && !is_known && (operand.empty() || is_digit(operand.front()))) {
    return error_at(field.column, "depth",
                    "expected a count such as 'D3 8902', found " + quote(code));
  }
  return std::nullopt;  // other operations: bm, hmvc
}

/// Reads counts: `D1 20`, `perft(1) = 20`, `1: 20`, `perft 1 20 2 400`, `depth 1 nodes 20`, `20`,
/// `nodes = 20`. Sets `found` to whether `text` has one of these forms.
std::optional<Error> RowGatherer::take_counts_in(const TextSpan& text, bool& found) {
  found = true;
  const std::size_t first = std::min(text.text.find_first_of(kSpace), text.text.size());
  const bool is_pair = !is_cell_ && Depth::parse(text.text.substr(0, first)).ok() &&
                       first < text.text.size();  // "2 400"
  if (const Result<NodeCount> number = parse_grouped(text.text); number && !is_pair) {
    bare_.push_back({*number, text.column});
    return std::nullopt;
  }
  const std::size_t digits = std::min(text.text.find_first_of("0123456789"), text.text.size());
  const std::string name = squeezed_name(text.text.substr(0, digits));
  const std::size_t end =
      std::min(text.text.find_first_not_of("0123456789", digits), text.text.size());
  TextSpan rest = text.from(end);
  const std::size_t value = std::min(rest.text.find_first_not_of(kDepthMarks), rest.text.size());
  const bool parted = value > 0;
  // In `D2 -400` the sign makes the number negative. In `D2 - 400` and `D2->400` the sign is a
  // separator.
  const bool is_negative =
      value > 1 && rest.text.substr(0, value).ends_with('-') && rest.text[value - 2] != '-';
  const TextSpan signed_number = rest.from(is_negative ? value - 1 : value);
  rest = rest.from(value).trimmed();
  for (const std::string_view word : {"nodes", "leaves"}) {
    if (to_lower(rest.text).starts_with(word)) {
      rest = rest.from(word.size());
      rest = rest.from(std::min(rest.text.find_first_not_of(kDepthMarks), rest.text.size()));
    }
    if (to_lower(rest.text).ends_with(word))
      rest = rest.from(0, rest.text.size() - word.size()).trimmed();
  }
  const bool is_count = is_count_name(name);
  const TextSpan number = text.from(digits, end - digits);
  const Column column = column_named(text.text.substr(0, digits));
  const TextSpan behind_name = text.from(digits).trimmed();
  if (column.kind == Column::Kind::kNodes && name != "perft" && parse_grouped(behind_name.text))
    return take_nodes(behind_name);
  if (rest.text.empty() && !name.empty()) {
    if (column.kind == Column::Kind::kDepth && digits > name.size()) return take_depth(number);
    if (is_count && digits < end) {
      return error_at(text.column + static_cast<int>(text.text.size()), "count",
                      "no count after " + quote(text.text));
    }
  }
  found = is_count && digits < text.text.size() && (parted || rest.text.empty());
  if (!found) return std::nullopt;
  const Result<Depth> depth = Depth::parse(number.text);
  if (!depth) return number.located(depth.error());
  if (is_negative)
    return error_at(signed_number.column, "count", quote(signed_number.text) + " is negative");
  if (name != "d") opcode_ = name.empty() ? "only by depth" : "'" + name + "'";
  const auto pairs = pairs_of(*depth, rest);
  if (pairs && pairs->size() > 1) {
    for (const auto& [plies, count] : *pairs) {
      const Result<NodeCount> nodes = NodeCount::parse(count.text);
      if (!nodes) return count.located(nodes.error());
      if (auto error = tell(plies, *nodes, count.column)) return error;
    }
    return std::nullopt;
  }
  const Result<NodeCount> nodes = parse_grouped(rest.text);
  return nodes ? tell(*depth, *nodes, text.column) : rest.located(nodes.error());
}

std::optional<Error> RowGatherer::take_text(const SuiteValue& value) {
  const TextSpan text = TextSpan{value.text, value.column}.trimmed();
  if (has_ranks(text.text)) return take_position(text);
  if (value.is_fraction) return fraction_error(text);
  bool found = false;
  if (!text.text.empty() && fen_of(text.text) == text.text) {
    if (auto error = take_counts_in(text, found)) return error;
  }
  if (found) return std::nullopt;
  if (names_position(text.text)) {
    if (!has_position()) return take_position(text);
    return leave_out("remarks");
  }
  if (!text.text.empty() && is_digit(text.text.front()))
    return text.located(parse_grouped(text.text).error());
  if (first_text_.empty() && !has_counts()) {
    first_text_ = text.text;
    first_column_ = text.column;
  }
  return text.text.empty() ? std::nullopt : leave_out("remarks");
}

std::optional<Error> RowGatherer::take(const SuiteValue& field) {
  const SuiteValue& value = unpacked(field);
  const TextSpan text = TextSpan{value.text, value.column}.trimmed();
  const bool is_named = value.is_list && names_position(field.name) && !has_position();
  if (!field.name.empty() && (has_ranks(field.name) || is_named)) {
    if (auto error = take_position({field.name, field.column})) return error;
    return value.is_list ? take_list(value, {}) : take_text(value);
  }
  if (field.name.empty()) return value.is_list ? take_list(value, {}) : take_text(value);
  const Column column = column_named(field.name);
  if (column.kind == Column::Kind::kTags) {
    for (const SuiteValue& tag : field.items) {
      if (std::string name = tag_text(tag.text); !name.empty()) tags_.push_back(std::move(name));
    }
    if (!field.is_list) take_tags(text.text);
    return std::nullopt;
  }
  if (column.kind == Column::Kind::kName && !value.is_list)
    return take_name(value.text, field.name);
  if (value.is_list) return take_list(value, column);
  if (column.kind == Column::Kind::kFen) return take_position(text);
  if (value.is_fraction && column.kind != Column::Kind::kUnread) return fraction_error(text);
  if (column.kind != Column::Kind::kUnread) return take(text, column);
  if (has_ranks(text.text) && !has_position()) return take_position(text);
  return leave_out(quote(field.name));
}

/// Reads lists of counts: `[20, 400]`, `{"1": 20}`, `[[1, 20], [2, 400]]`, `[{"depth": 1, "nodes":
/// 20}]`.
std::optional<Error> RowGatherer::take_list(const SuiteValue& list, const Column& column) {
  const std::string name = column.name.empty() ? "lists" : quote(column.name);
  if (column.kind == Column::Kind::kFen)
    return error_at(list.column, "position", "is a list; expected one FEN");
  const bool of_counts = column.kind != Column::Kind::kUnread || column.name.empty();
  RowGatherer inner(form_, line_);
  std::size_t others = 0;
  std::size_t counts = 0;
  for (const SuiteValue& packed : list.items) {
    const SuiteValue& item = unpacked(packed);
    const Column as = column_named(packed.name);
    if (item.is_list) {
      RowGatherer pair(form_, line_);
      const bool flat = std::ranges::none_of(item.items, &SuiteValue::is_list);
      std::optional<Error> error;
      for (const SuiteValue& field : item.items) {
        if (flat && !error) error = pair.take(field);
      }
      if (!flat || error || pair.has_position()) {
        ++others;
        continue;
      }
      if (!pair.depth_ && !pair.nodes_ && pair.bare_.size() == 2) {
        const Result<Depth> depth = Depth::parse(pair.bare_[0].value.to_string());
        if (!depth) return error_at(pair.bare_[0].column, "depth", depth.error().message);
        pair.depth_ = *depth;
        pair.nodes_ = pair.bare_[1].value;
      }
      if (!pair.depth_ || !pair.nodes_) {
        ++others;
        continue;
      }
      ++counts;
      if (auto twice = inner.tell(*pair.depth_, *pair.nodes_, item.column)) return twice;
      continue;
    }
    const bool named = !packed.name.empty();
    const bool is_other =
        as.kind == Column::Kind::kUnread || (!of_counts && as.kind != Column::Kind::kCount);
    if (named && is_other) {
      ++others;
      continue;
    }
    ++counts;
    if (!named && !of_counts) return leave_out(name);
    if (auto error = inner.take(packed)) return error;
  }
  // A list that also has other named values is not read as counts, because a name such as "d4" in
  // this list may be a move.
  const bool mixed = others > 0 && std::ranges::any_of(list.items, [](const SuiteValue& item) {
                       return !item.name.empty() && !item.is_list;
                     });
  if (counts == 0 || mixed || inner.has_position()) return leave_out(name);
  return take_counts_of(inner);
}

std::optional<Error> RowGatherer::take_counts_of(const RowGatherer& below) {
  if (!below.opcode_.empty()) opcode_ = below.opcode_;
  for (const ToldCount& count : below.told_) {
    if (auto error = tell(count.depth, count.nodes, count.column)) return error;
  }
  bare_.insert(bare_.end(), below.bare_.begin(), below.bare_.end());
  if (below.nodes_ && depth_ && !below.depth_ && !nodes_) {  // "Nodes 20" in a line after "Depth 1"
    const Depth depth = *std::exchange(depth_, std::nullopt);
    return tell(depth, *below.nodes_, below.nodes_column_);
  }
  if (below.depth_ && below.nodes_) return tell(*below.depth_, *below.nodes_, below.depth_column_);
  if (below.depth_) depth_ = below.depth_, depth_column_ = below.depth_column_;
  if (below.nodes_) nodes_ = below.nodes_, nodes_column_ = below.nodes_column_;
  return std::nullopt;
}

// ---------------------------------------------------------------- the row

Result<SuiteRow> RowGatherer::row(int end) && {
  if (!has_position()) {
    position_ = first_text_.empty() && has_ranks(name_) ? name_ : first_text_;
    column_ = std::max(first_column_, 1);
  }
  const TextSpan text{position_, column_};
  const PositionText written = position_text(position_);
  if (!written.assumed.empty()) {
    // Refuse a FEN with missing fields. A wrong guess of these fields would change the counts, and
    // the user would blame the program under test.
    return text.located(
        {ErrorCode::kInvalidInput, "FEN", 1,
         "is incomplete; state every field in a suite; these values would be assumed: " +
             written.assumed});
  }
  const Result<Line> line = parse_line(position_, "", std::nullopt);
  if (!line) return text.located(line.error());
  SuiteRow row;
  row.line = line_;
  row.root = line->named();
  row.fen = written.moves.empty() ? written.fen : line->fen_here();

  std::string counted = "counts by depth";
  if (!depth_ != !nodes_ && bare_.size() == 1) {  // only one of the two numbers has a name
    if (!nodes_) nodes_ = bare_.front().value;
    if (!depth_) {
      const Result<Depth> depth = Depth::parse(bare_.front().value.to_string());
      if (!depth) return error_at(bare_.front().column, "depth", depth.error().message);
      depth_ = *depth;
    }
    bare_.clear();
  }
  if (depth_ && nodes_) {
    if (auto error = tell(*depth_, *nodes_, depth_column_)) return *std::move(error);
    counted = "depth, nodes";
  } else if (depth_) {
    return error_at(depth_column_, "count", "a depth without nodes");
  } else if (nodes_) {
    return error_at(nodes_column_, "depth", "nodes without a depth");
  }
  if (!told_.empty() && !bare_.empty()) {
    return error_at(bare_.front().column, "count",
                    fmt::format("{} has no depth, unlike the other counts of the row",
                                bare_.front().value.to_string()));
  }
  if (told_.empty() && bare_.empty())
    return error_at(end, "count",
                    "no count given; expected a count such as ' ;D1 20' after the FEN");
  row.tags = std::move(tags_);
  row.name = std::move(name_);
  row.told = std::move(told_);
  row.bare = std::move(bare_);
  for (const std::string& name : unread_) row.unread += (row.unread.empty() ? "" : ", ") + name;
  if (!words_.empty()) {
    row.words = words_;
    row.unread.clear();
  } else if (!row.bare.empty()) {
    row.words = (form_.empty() ? "EPD" : form_) + ": fen";
  } else if (!form_.empty()) {
    row.words = form_ + ": fen, " + counted;
  } else if (!opcode_.empty()) {
    row.words = "EPD with counts named " + opcode_;
  }
  return row;
}

}  // namespace manyply
