// What printed lines say together: which of the numbers in a row is its count, which the total,
// and which lines would have to be understood before anything may be concluded.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/text/depth_table.h"
#include "tools/text/engine_answer.h"
#include "tools/text/printed_row.h"
#include "tools/text/printed_total.h"

namespace manyply {

/// A line without a row.
struct OtherLine {
  std::string line;
  std::string why;
  std::vector<std::string> moves{};   ///< that are mentioned
  std::optional<NodeCount> number{};  ///< if there is one alone
  bool has_move = false;
  bool has_number = false;
  bool is_list = false;  ///< moves, and nothing else but numbers before them that number lines
  bool is_info = false;
  bool matters = false;  ///< whatever else has been read
  std::size_t at = 0;    ///< number of the line
};

/// What was read line by line.
struct PrintedLines {
  NamedPosition asked;           ///< the position that they are about
  std::optional<Depth> depth{};  ///< how deep was asked, if that is known
  std::vector<PrintedRow> rows{};
  std::vector<PrintedTotal> totals{};
  std::vector<OtherLine> others{};
  DepthTable depths{};
};

/// Without the lines themselves and the remarks among them. A list of moves alone is a divide of
/// depth 1.
[[nodiscard]] EngineAnswer read_together(const PrintedLines& printed);

/// "e7e8", of each promotion that is legal.
[[nodiscard]] std::set<std::string> bare_promotions(const NamedPosition& where);

}  // namespace manyply
