// What an engine has answered to a question for a divide, as far as it was understood.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/node_count.h"

namespace manyply {

/// A root move and the paths behind it. Legal moves are written as to_uci() writes them in the
/// notation of the position asked about; others as the engine means them, small: "e1g1", "a7a8".
struct EngineRow {
  std::string move;
  NodeCount nodes;
  std::string line{};  ///< as printed
};

/// A line that may be a row, or the total, and was not understood.
struct UnreadLine {
  std::string text;  ///< as printed
  std::string why;   ///< "-20 is negative: …"; empty if there is nothing to say
};

/// `'e1g1 castles: 20'`, `'e2e4: 0x14': 0x14 is no decimal number`: fit for one line of a terminal.
[[nodiscard]] std::string to_string(const UnreadLine& line);

struct EngineAnswer {
  /// A number that may be the total, and the line in which it stands.
  struct OtherTotal {
    NodeCount nodes;
    std::string line;
  };

  std::vector<EngineRow> rows{};  ///< as printed, a move may stand there twice
  std::optional<NodeCount> total{};
  bool total_is_certain = false;  ///< it is called so, or stands there alone
  bool ended = true;              ///< false: nothing but silence says that the answer is complete
  /// What else the rows' counts may be: other columns. Where the rows add up to a total that is
  /// certain, only those that do so, too.
  std::vector<std::vector<NodeCount>> other_columns{};
  /// What else the total may be, where no rows tell.
  std::vector<OtherTotal> other_totals{};
  /// Not empty: the answer is not understood, and nothing may be concluded from it.
  std::vector<UnreadLine> unread{};
  /// Lines with numbers that were not understood, beside a total without any rows: it may be
  /// right or wrong, but which moves stand behind it was not read.
  std::vector<UnreadLine> passed_over{};
  /// The first lines that say something, but nothing of a divide: "usage: …".
  std::vector<UnreadLine> remarks{};
  /// All lines, for whoever thinks that they are about another position.
  std::vector<std::string> lines{};

  /// The rows' sum; nothing if it does not fit 128 bits.
  [[nodiscard]] std::optional<NodeCount> sum() const;
  /// Whether a total stands there that is not the rows'.
  [[nodiscard]] bool contradicts_itself() const;
  /// Whether `nodes` are what is counted there, in one of the ways in which it can be read.
  [[nodiscard]] bool may_count(NodeCount nodes) const;
};

/// Nothing if it does not fit 128 bits.
[[nodiscard]] std::optional<NodeCount> sum_of(const std::vector<NodeCount>& counts);

}  // namespace manyply
