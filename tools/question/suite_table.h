// Tables inside suites: rows of fields, each a position with its counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/epd.h"
#include "core/text_span.h"

namespace manyply {

/// What the fields of a column say.
struct Column {
  enum class Kind : std::uint8_t {
    kUnread,  ///< a name, a remark: nothing that is compared
    kFen,
    kDepth,  ///< of the row's nodes
    kNodes,  ///< at the row's depth
    kCount,  ///< nodes at the depth that the head says
  };
  Kind kind = Kind::kUnread;
  Depth depth;       ///< of a kCount
  std::string name;  ///< "fen", "depth", "nodes", "D3"; of a kUnread as it is written
};

/// How the rows of a table are read.
struct RowShape {
  char separator = ',';
  std::vector<Column> columns;

  /// "CSV: fen, depth, nodes", "CSV: fen, D1, D2; not read: 'name'".
  [[nodiscard]] std::string words() const;
};

/// `FEN,20,400`, of rows without a head: counts from depth 1 on.
[[nodiscard]] RowShape counts_from_depth_1(char separator);
/// `FEN,3,8902`
[[nodiscard]] RowShape depth_and_nodes(char separator);

/// What stands between the fields of `line`, which has no comment, if it is a row of a table:
/// `FEN,20`, `FEN;20`, `FEN|20`, or with a tab. Nothing if it is none: `FEN ;D1 20`.
[[nodiscard]] std::optional<char> separator_of(std::string_view line);

/// What `line`, which has no comment, says of the rows below it; nothing if it is no head, which
/// has a column "fen", "epd" or "position". An error if there are no counts among the others, or
/// ones that contradict each other.
Result<std::optional<RowShape>> parse_head(std::string_view line);

/// The row `line`, which has no comment. Fields may be quoted, and a last one that is empty is
/// none. An error names a field of the FEN, "depth", "count", or "field", with its column.
Result<EpdRecord> parse_row(std::string_view line, const RowShape& shape);

/// A row without a head: a position, and numbers of which nobody says what they are.
struct BareRow {
  struct Number {
    NodeCount value;
    int column;
  };
  Position root;
  std::vector<Number> numbers;  ///< at least one
};
/// Errors as of parse_row().
Result<BareRow> parse_bare_row(std::string_view line, char separator);

}  // namespace manyply
