// What printed lines say together: which of the numbers in a row is its count, which the total,
// and which lines would have to be understood before anything may be concluded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/bisect/engine_answer.h"
#include "tools/bisect/printed_row.h"
#include "tools/bisect/printed_total.h"

namespace manyply {

/// A line without a row.
struct OtherLine {
  std::string line;
  std::string why;
  std::vector<std::string> moves{};   ///< that are mentioned
  std::optional<NodeCount> number{};  ///< if there is one alone
  bool has_move = false;
  bool has_number = false;
  bool is_info = false;
  bool matters = false;  ///< whatever else has been read
  std::size_t at = 0;    ///< number of the line
};

/// What was read line by line.
struct PrintedLines {
  NamedPosition asked;  ///< the position that they are about
  std::vector<PrintedRow> rows{};
  std::vector<PrintedTotal> totals{};
  std::vector<OtherLine> others{};
};

/// Without the lines themselves and the remarks among them.
[[nodiscard]] EngineAnswer read_together(const PrintedLines& printed);

}  // namespace manyply
