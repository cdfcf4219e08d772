#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/position_text.h"
#include "tools/text/line_tokens.h"
#include "tools/text/suite_row.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

Error head_error(int column, std::string why) {
  return {ErrorCode::kInvalidInput, "head", column, std::move(why)};
}

constexpr std::string_view kFenNames =
    " fen epd position pos fenstring startfen initialfen root stellung ";
constexpr std::string_view kDepthNames = " depth d ply plies depths tiefe ";
constexpr std::string_view kNodesNames =
    " nodes perft count counts leaves leafnodes nodecount result values results expected "
    "expectednodes nodecounts perfts knoten ";
constexpr std::string_view kNameNames = " name id title label description ";
/// Names that may precede a depth, with or without a space: "D1", "Perft 1", "nodes(1)".
constexpr std::string_view kCountNames = " d depth perft nodes ply p n ";

/// Returns an error if the columns of a heading are unusable.
std::optional<Error> judge_head(const std::vector<TextSpan>& fields,
                                const std::vector<Column>& columns) {
  const auto first = [&](Column::Kind kind) {
    return static_cast<std::size_t>(std::ranges::find(columns, kind, &Column::kind) -
                                    columns.begin());
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto same = [&](const Column& other) {
      return other.kind == columns[i].kind && other.name == columns[i].name;
    };
    const auto before = std::span(columns).first(i);
    const bool is_compared =
        columns[i].kind != Column::Kind::kUnread && columns[i].kind != Column::Kind::kName;
    if (is_compared && std::ranges::any_of(before, same))
      return head_error(fields[i].column, fmt::format("'{}' is given twice", columns[i].name));
  }
  const std::size_t none = columns.size();
  const std::size_t depth = first(Column::Kind::kDepth);
  const std::size_t nodes = first(Column::Kind::kNodes);
  const std::size_t counts = first(Column::Kind::kCount);
  const bool pair = depth != none && nodes != none;
  if (pair && counts != none)
    return head_error(
        fields[counts].column,
        "the header has columns 'depth' and 'nodes', but also columns for single depths");
  if (pair || (counts != none && depth == none && nodes == none)) return std::nullopt;
  const std::size_t alone = std::min(depth, nodes);
  if (alone == none) {
    return head_error(fields.front().column,
                      "no column of counts; expected 'depth' and 'nodes', or 'D1', 'D2' and so on");
  }
  return head_error(fields[alone].column, depth != none ? "'depth' requires a column 'nodes'"
                                                        : "'nodes' requires a column 'depth'");
}

TableHead head_of(const LineFields& split) {
  TableHead head{split.separator, {}};
  for (const TextSpan& field : split.fields) head.columns.push_back(column_named(field.text));
  // If a table has a column "FEN", its column "Position" contains the names of the positions.
  const bool has_fens = std::ranges::any_of(
      split.fields, [](const TextSpan& field) { return squeezed_name(field.text) == "fen"; });
  for (std::size_t i = 0; i < head.columns.size(); ++i) {
    const std::string_view written = split.fields[i].text;
    const std::string name = squeezed_name(written);
    if (has_fens && (name == "position" || name == "pos"))
      head.columns[i] = {Column::Kind::kName, {}, std::string(written)};
  }
  return head;
}

}  // namespace

std::string squeezed_name(std::string_view name) {
  std::string letters = to_lower(name);
  std::erase_if(letters, [](char c) {
    return std::string_view(" _-()[]*`.:=>").find(c) != std::string_view::npos;
  });
  return letters;
}

bool is_count_name(std::string_view squeezed) {
  return squeezed.empty() || is_among(squeezed, kCountNames);
}

Column column_named(std::string_view written) {
  const std::string name = squeezed_name(written);
  if (is_among(name, kFenNames)) return {Column::Kind::kFen, {}, "fen"};
  if (is_among(name, kDepthNames)) return {Column::Kind::kDepth, {}, "depth"};
  if (is_among(name, kNodesNames)) return {Column::Kind::kNodes, {}, "nodes"};
  if (name == "tags") return {Column::Kind::kTags, {}, "tags"};
  if (is_among(name, kNameNames)) return {Column::Kind::kName, {}, std::string(written)};
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const Result<Depth> depth = Depth::parse(std::string_view(name).substr(digits));
  if (depth && is_count_name(std::string_view(name).substr(0, digits)))
    return {Column::Kind::kCount, *depth, fmt::format("D{}", depth->plies())};
  return {Column::Kind::kUnread, {}, std::string(written)};
}

std::string table_name(char separator) {
  if (separator == ',') return "CSV";
  if (separator == '\t') return "TSV";
  if (separator == ' ') return "table with two spaces";
  return fmt::format("table with '{}'", separator);
}

std::string TableHead::words() const {
  std::string unread;
  std::string read;
  for (const Column& column : columns) {
    std::string& list = column.kind == Column::Kind::kUnread ? unread : read;
    list += (list.empty() ? "" : ", ") +
            (column.kind == Column::Kind::kUnread ? quote(column.name) : column.name);
  }
  return table_name(separator) + ": " + read + (unread.empty() ? "" : "; not read: " + unread);
}

Result<std::optional<TableHead>> parse_head(TextSpan line) {
  if (has_ranks(line.text)) return std::optional<TableHead>();
  const Result<LineFields> split = split_line(line);
  if (!split || split->separator == 0) return std::optional<TableHead>();
  TableHead head = head_of(*split);
  if (std::ranges::count(head.columns, Column::Kind::kFen, &Column::kind) == 0)
    return std::optional<TableHead>();
  if (auto error = judge_head(split->fields, head.columns)) return *std::move(error);
  return std::optional(std::move(head));
}

std::optional<TableHead> parse_counts_head(TextSpan line) {
  const Result<LineFields> split = split_line(line);
  if (!split || split->separator == 0) return std::nullopt;
  TableHead head = head_of(*split);
  const auto number_of = [&](Column::Kind kind) {
    return std::ranges::count(head.columns, kind, &Column::kind);
  };
  const bool is_one = number_of(Column::Kind::kDepth) == 1 &&
                      number_of(Column::Kind::kNodes) == 1 &&
                      number_of(Column::Kind::kFen) + number_of(Column::Kind::kCount) == 0;
  return is_one ? std::optional(std::move(head)) : std::nullopt;
}

}  // namespace manyply
