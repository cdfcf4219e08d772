// Names of suite fields in every form of file ("fen", "depth", "D3"), and headings of tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/types.h"

namespace manyply {

/// The meaning of a field or of a table's column.
struct Column {
  enum class Kind : std::uint8_t {
    kUnread,  ///< the field is not compared; it may be a remark
    kFen,
    kDepth,  ///< the depth of the row's nodes
    kNodes,  ///< the count at the row's depth
    kCount,  ///< the count at the depth in the column's name
    kTags,   ///< words, or a list of words
    kName,   ///< the position's name
  };
  Kind kind = Kind::kUnread;
  Depth depth;       ///< depth of a kCount column
  std::string name;  ///< "fen", "depth", "nodes", "D3"; as written for kUnread and kName
};
/// Returns `name` in small letters without spaces and marks: "Perft(3)", "perft_3", "**Perft 3**"
/// and "Perft 3" become "perft3".
[[nodiscard]] std::string squeezed_name(std::string_view name);
/// Returns whether a depth may follow this name: "d" in "D1", "perft" in "Perft 1". Also true for
/// the empty name, because a depth may have no name.
[[nodiscard]] bool is_count_name(std::string_view squeezed);
/// Returns the meaning of a field called `name`.
[[nodiscard]] Column column_named(std::string_view name);

/// The heading of a table.
struct TableHead {
  char separator = ',';
  std::vector<Column> columns;

  /// Describes the heading: "CSV: fen, depth, nodes", "CSV: fen, D1, D2; not read: 'name'".
  [[nodiscard]] std::string words() const;
};
/// Returns the heading in `line`; nullopt if the line is not a heading. A heading has a column for
/// positions and contains no position. Returns an error if the heading has no columns for counts,
/// or if these columns contradict each other.
Result<std::optional<TableHead>> parse_head(TextSpan line);
/// Returns the heading of a table with counts of the position above it: "Depth  Nodes  Captures".
[[nodiscard]] std::optional<TableHead> parse_counts_head(TextSpan line);

/// Returns the name of a table form: "CSV", "TSV", "table with ';'".
[[nodiscard]] std::string table_name(char separator);

}  // namespace manyply
