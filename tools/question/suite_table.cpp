#include "tools/question/suite_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/quote.h"

namespace manyply {
namespace {

using Kind = Column::Kind;

Error error_at(TextSpan place, const char* field, std::string why) {
  return {ErrorCode::kInvalidInput, field, place.column, std::move(why)};
}

/// The next field of `rest`, which is cut off; its quotes are no part of it.
Result<TextSpan> next_field(TextSpan& rest, char separator) {
  const std::size_t begin = std::min(rest.text.find_first_not_of(" \r\n"), rest.text.size());
  if (begin == rest.text.size() || rest.text[begin] != '"') return rest.cut(separator);
  std::size_t end = rest.text.find('"', begin + 1);
  while (rest.text.substr(std::min(end, rest.text.size())).starts_with("\"\""))
    end = rest.text.find('"', end + 2);  // a quote inside is written twice
  if (end == std::string_view::npos)
    return error_at(rest.from(begin), "field", "a quote is not closed");
  const TextSpan field = rest.from(begin + 1, end - begin - 1).trimmed();
  rest = rest.from(end + 1);
  const TextSpan behind = rest.cut(separator);
  if (!behind.text.empty())
    return error_at(behind, "field", "expected the next field, found " + quote(behind.text));
  return field;
}

Result<std::vector<TextSpan>> fields_of(std::string_view line, char separator) {
  std::vector<TextSpan> fields;
  for (TextSpan rest{line}; !rest.trimmed().text.empty();) {
    const Result<TextSpan> field = next_field(rest, separator);
    if (!field) return field.error();
    fields.push_back(*field);
  }
  return fields;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// "Perft(3)", "perft_3" and "Perft 3" are "perft3".
std::string squeezed(std::string_view name) {
  std::string letters = to_lower(name);
  std::erase_if(letters,
                [](char c) { return std::string_view(" _-()").find(c) != std::string_view::npos; });
  return letters;
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::count(names, name) > 0;
}

constexpr std::array<std::string_view, 3> kFenNames{"fen", "epd", "position"};
constexpr std::array<std::string_view, 5> kDepthNames{"depth", "d", "ply", "plies", "depths"};
constexpr std::array<std::string_view, 8> kNodesNames{
    "nodes", "perft", "count", "leaves", "leafnodes", "nodecount", "expected", "expectednodes"};
constexpr std::array<std::string_view, 6> kCountNames{"d", "depth", "perft", "nodes", "ply", "p"};

Column column_named(std::string_view written) {
  const std::string name = squeezed(written);
  if (is_one_of(kFenNames, name)) return {Kind::kFen, {}, "fen"};
  if (is_one_of(kDepthNames, name)) return {Kind::kDepth, {}, "depth"};
  if (is_one_of(kNodesNames, name)) return {Kind::kNodes, {}, "nodes"};
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const Result<Depth> depth = Depth::parse(std::string_view(name).substr(digits));
  if (depth && is_one_of(kCountNames, std::string_view(name).substr(0, digits)))
    return {Kind::kCount, *depth, fmt::format("D{}", depth->plies())};
  return {Kind::kUnread, {}, std::string(written)};
}

std::optional<Error> judge_head(const std::vector<TextSpan>& fields, const RowShape& shape) {
  const auto& columns = shape.columns;
  const auto first = [&](Kind kind) {
    return static_cast<std::size_t>(std::ranges::find(columns, kind, &Column::kind) -
                                    columns.begin());
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto same = [&](const Column& other) {
      return other.kind == columns[i].kind && other.name == columns[i].name;
    };
    const auto before = std::span(columns).first(i);
    if (columns[i].kind != Kind::kUnread && std::ranges::any_of(before, same))
      return error_at(fields[i], "head", fmt::format("'{}' is there twice", columns[i].name));
  }
  const std::size_t none = columns.size();
  const std::size_t depth = first(Kind::kDepth);
  const std::size_t nodes = first(Kind::kNodes);
  const std::size_t counts = first(Kind::kCount);
  const bool pair = depth != none && nodes != none;
  if (pair && counts != none)
    return error_at(fields[counts], "head", "has depth and nodes, and counts of their own depth");
  if (pair || (counts != none && depth == none && nodes == none)) return std::nullopt;
  const std::size_t alone = std::min(depth, nodes);
  if (alone == none) {
    return error_at(fields.front(), "head",
                    "no column of counts; known are 'depth' with 'nodes', or 'D1', 'D2' and so on");
  }
  return error_at(
      fields[alone], "head",
      depth != none ? "'depth' goes with a column 'nodes'" : "'nodes' goes with a column 'depth'");
}

Result<NodeCount> parse_nodes_field(TextSpan field) {
  const Result<NodeCount> nodes = NodeCount::parse(field.text);
  return nodes ? nodes : field.located(nodes.error());
}

Result<NamedPosition> parse_fen_field(TextSpan field) {
  Result<NamedPosition> root = parse_position(field.text);
  return root ? root : field.located(root.error());
}

Error no_counts(std::string_view line) {
  return {ErrorCode::kInvalidInput, "count", static_cast<int>(line.size()) + 1,
          "none given; expected ' ;D1 20' or the like after the FEN"};
}

}  // namespace

std::string RowShape::words() const {
  std::string text = separator == ','    ? "CSV: "
                     : separator == '\t' ? "TSV: "
                                         : fmt::format("table with '{}': ", separator);
  std::string unread;
  std::string read;
  for (const Column& column : columns) {
    std::string& list = column.kind == Kind::kUnread ? unread : read;
    list += (list.empty() ? "" : ", ") +
            (column.kind == Kind::kUnread ? quote(column.name) : column.name);
  }
  return text + read + (unread.empty() ? "" : "; not read: " + unread);
}

RowShape counts_from_depth_1(char separator) {
  RowShape shape{separator, {{Kind::kFen, {}, "fen"}}};
  for (int plies = 1; plies <= Depth::kMax; ++plies)
    shape.columns.push_back({Kind::kCount, Depth(plies), fmt::format("D{}", plies)});
  return shape;
}

RowShape depth_and_nodes(char separator) {
  return {separator,
          {{Kind::kFen, {}, "fen"}, {Kind::kDepth, {}, "depth"}, {Kind::kNodes, {}, "nodes"}}};
}

std::optional<char> separator_of(std::string_view line) {
  for (const char mark : {';', ',', '|', '\t'}) {
    TextSpan rest = TextSpan{line}.trimmed();
    if (rest.text.find(mark) == std::string_view::npos) continue;
    if (mark == ',' || mark == '|') return mark;
    rest.cut(mark);  // the other two stand in EPD, too: there no bare number follows
    return is_number(rest.cut(mark).text) ? std::optional(mark) : std::nullopt;
  }
  return std::nullopt;
}

Result<std::optional<RowShape>> parse_head(std::string_view line) {
  if (line.find('/') != std::string_view::npos) return std::optional<RowShape>();  // of a FEN
  for (const char separator : {',', ';', '|', '\t'}) {
    if (line.find(separator) == std::string_view::npos) continue;
    const Result<std::vector<TextSpan>> fields = fields_of(line, separator);
    if (!fields) continue;
    RowShape shape{separator, {}};
    for (const TextSpan& field : *fields) shape.columns.push_back(column_named(field.text));
    if (std::ranges::count(shape.columns, Kind::kFen, &Column::kind) == 0) continue;
    if (auto error = judge_head(*fields, shape)) return *std::move(error);
    return std::optional(std::move(shape));
  }
  return std::optional<RowShape>();
}

Result<EpdRecord> parse_row(std::string_view line, const RowShape& shape) {
  const Result<std::vector<TextSpan>> read = fields_of(line, shape.separator);
  if (!read) return read.error();
  std::vector<TextSpan> fields = *read;
  if (fields.size() > shape.columns.size()) {
    const TextSpan& first = fields[shape.columns.size()];
    return error_at(
        first, "field",
        fmt::format("{} is beyond the {} columns", quote(first.text), shape.columns.size()));
  }
  fields.resize(shape.columns.size(), TextSpan{{}, static_cast<int>(line.size()) + 1});

  EpdRecord record;
  std::optional<Depth> depth;
  std::optional<NodeCount> nodes;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const TextSpan& field = fields[i];
    const Column& column = shape.columns[i];
    if (column.kind == Kind::kFen) {
      const Result<NamedPosition> root = parse_fen_field(field);
      if (!root) return root.error();
      record.root = *root;
      record.fen = field.text;
    } else if (column.kind == Kind::kDepth) {
      const Result<Depth> parsed = Depth::parse(field.text);
      if (!parsed) return field.located(parsed.error());
      depth = *parsed;
    } else if (column.kind == Kind::kNodes ||
               (column.kind == Kind::kCount && !field.text.empty())) {
      const Result<NodeCount> parsed = parse_nodes_field(field);
      if (!parsed) return parsed.error();
      if (column.kind == Kind::kNodes) {
        nodes = *parsed;
      } else {
        record.counts.push_back({column.depth, *parsed});
      }
    }
  }
  if (depth && nodes) record.counts.push_back({*depth, *nodes});
  if (record.counts.empty()) return no_counts(line);
  return record;
}

Result<BareRow> parse_bare_row(std::string_view line, char separator) {
  const Result<std::vector<TextSpan>> read = fields_of(line, separator);
  if (!read) return read.error();
  const std::vector<TextSpan>& fields = *read;
  const Result<NamedPosition> root = parse_fen_field(fields.empty() ? TextSpan{} : fields.front());
  if (!root) return root.error();
  BareRow row{root->position, {}};
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (i > static_cast<std::size_t>(Depth::kMax)) {
      return error_at(fields[i], "depth",
                      fmt::format("more counts than depths: {} at most", Depth::kMax));
    }
    const Result<NodeCount> number = parse_nodes_field(fields[i]);
    if (!number) return number.error();
    row.numbers.push_back({*number, fields[i].column});
  }
  if (row.numbers.empty()) return no_counts(line);
  return row;
}

}  // namespace manyply
