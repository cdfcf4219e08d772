#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tools/text/divide_reading.h"

namespace manyply {
namespace {

constexpr std::size_t kMostTables = 64;  // one for each depth

/// Returns the lines from number `first` to before `last`.
PrintedLines part_of(const PrintedLines& printed, std::size_t first, std::size_t last) {
  PrintedLines part{.asked = printed.asked, .depth = printed.depth};
  const auto inside = [&](std::size_t at) { return at >= first && at < last; };
  for (const PrintedRow& row : printed.rows) {
    if (inside(row.at)) part.rows.push_back(row);
  }
  for (const OtherLine& other : printed.others) {
    if (inside(other.at)) part.others.push_back(other);
  }
  for (const PrintedTotal& total : printed.totals) {
    if (!inside(total.first) && !inside(total.last)) continue;
    PrintedTotal& here = part.totals.emplace_back(total);
    if (!inside(here.first)) here.first = here.last;
    if (!inside(here.last)) here.last = here.first;
  }
  return part;
}

bool is_whole(const PrintedLines& table) {
  const EngineAnswer answer = read_together(table);
  return answer.total_is_certain && !answer.rows.empty() && !answer.contradicts_itself();
}

class Tables {
 public:
  explicit Tables(const PrintedLines& printed)
      : printed_(printed), rows_(printed.rows), bare_(bare_promotions(printed.asked)) {
    std::vector<std::size_t> gaps;
    for (std::size_t i = 1; i < rows_.size(); ++i) gaps.push_back(gap(i));
    std::ranges::nth_element(gaps, gaps.begin() + std::ssize(gaps) / 2);
    usual_gap_ = gaps[gaps.size() / 2];
  }

  /// Returns the numbers of the lines where tables begin, except the first.
  std::vector<std::size_t> cuts() {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < rows_.size() && cuts_.size() < kMostTables; ++i) {
      if (i > begin_ && has_total_before(i) && ++tried <= kMostTables &&
          is_whole(part_of(printed_, line_of_table(), rows_[i].at))) {
        cut(i);
      } else if (repeats(i) && begins_list(i)) {
        cut(first_of_list(i));
      }
      seen_.emplace(rows_[i].meaning.move, i);
    }
    return std::move(cuts_);
  }

 private:
  /// Returns the number of lines from the previous row to this one.
  [[nodiscard]] std::size_t gap(std::size_t i) const { return rows_[i].at - rows_[i - 1].at; }
  [[nodiscard]] bool is_apart(std::size_t i) const { return gap(i) > usual_gap_; }
  [[nodiscard]] std::size_t line_of_table() const { return begin_ == 0 ? 0 : rows_[begin_].at; }

  void cut(std::size_t i) {
    cuts_.push_back(rows_[i].at);
    begin_ = i;
    std::erase_if(seen_, [i](const auto& of) { return of.second < i; });
  }

  [[nodiscard]] bool has_total_before(std::size_t i) const {
    const auto between = [&](std::size_t at) { return at > rows_[i - 1].at && at < rows_[i].at; };
    return std::ranges::any_of(printed_.totals, [&](const PrintedTotal& total) {
      return total.sure && (between(total.first) || between(total.last));
    });
  }

  /// Returns whether the row's move is already in the table. Promotions without a piece may be
  /// listed four times, and rows of one line belong to one table.
  [[nodiscard]] bool repeats(std::size_t i) const {
    const std::string& move = rows_[i].meaning.move;
    const auto before = seen_.find(move);
    return before != seen_.end() && !move.empty() && !bare_.contains(move) &&
           rows_[before->second].at != rows_[i].at;
  }

  /// Returns whether a row whose move is already in the table begins another list. It does if most
  /// of the following moves are also in the table, or if it is the only following row, stands apart
  /// and has another count. Otherwise its move is listed twice.
  [[nodiscard]] bool begins_list(std::size_t i) const {
    std::set<std::string_view> moves;
    std::size_t repeated = 0;
    for (std::size_t next = i; next < rows_.size(); ++next) {
      if (shape_of(rows_[next]) != shape_of(rows_[i])) break;
      const std::string& move = rows_[next].meaning.move;
      if (!bare_.contains(move) && !moves.insert(move).second) break;
      repeated += seen_.contains(move) ? 1 : 0;
    }
    const bool is_remark = shape_of(rows_[i]) != shape_of(rows_[begin_]);
    if (repeated < 2)
      return moves.size() == 1 && is_apart(i) && !is_remark && says_something_else(i);
    const bool is_long = 2 * repeated >= seen_.size();
    return 2 * repeated >= moves.size() && (is_long || (is_apart(i) && !is_remark));
  }

  /// Returns whether the row has another count than the table's row for the same move.
  [[nodiscard]] bool says_something_else(std::size_t i) const {
    const PrintedRow& before = rows_[seen_.at(rows_[i].meaning.move)];
    return before.counts.front().number != rows_[i].counts.front().number;
  }

  /// Returns the first row of the list to which row `i` belongs. The list may begin with moves that
  /// the previous list lacks. It then begins after a gap between the rows, if the table has only
  /// one gap.
  [[nodiscard]] std::size_t first_of_list(std::size_t i) const {
    if (is_apart(i)) return i;
    std::size_t first = i;
    for (std::size_t row = begin_ + 1; row < i; ++row) {
      if (!is_apart(row)) continue;
      if (first != i) return i;
      first = row;
    }
    std::set<std::string_view> later;
    for (std::size_t row = i; row < rows_.size(); ++row) later.insert(rows_[row].meaning.move);
    for (std::size_t row = first; row < i; ++row) {
      if (later.contains(rows_[row].meaning.move)) return i;
    }
    return first;
  }

  /// Returns the side of the move on which the count is, and whether the row is an `info` line.
  static std::pair<int, bool> shape_of(const PrintedRow& row) {
    return {row.counts.front().place / place::kFirstBefore, row.is_info};
  }

  const PrintedLines& printed_;
  const std::vector<PrintedRow>& rows_;
  std::set<std::string> bare_;
  std::size_t usual_gap_ = 1;
  std::size_t begin_ = 0;                         ///< the first row of the present table
  std::map<std::string_view, std::size_t> seen_;  ///< its moves, and the row of each
  std::vector<std::size_t> cuts_;
};

}  // namespace

PrintedLines lines_from(const PrintedLines& printed, std::size_t first) {
  return part_of(printed, first, SIZE_MAX);
}

std::vector<PrintedLines> tables_of(const PrintedLines& printed) {
  if (printed.rows.size() < 2 || is_whole(printed)) return {printed};
  const std::vector<std::size_t> cuts = Tables(printed).cuts();
  if (cuts.empty() || cuts.size() >= kMostTables) return {printed};
  std::vector<PrintedLines> tables;
  std::size_t first = 0;
  for (const std::size_t line : cuts) {
    tables.push_back(part_of(printed, first, line));
    first = line;
  }
  tables.push_back(part_of(printed, first, SIZE_MAX));
  return tables;
}

}  // namespace manyply
