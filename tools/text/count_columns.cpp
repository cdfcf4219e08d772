#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "tools/text/divide_reading.h"

namespace manyply {
namespace {

/// Heads of columns that are not counts, in addition to kOtherCounts.
constexpr std::string_view kOtherHeads =
    " msec msecs s sec secs us ns milliseconds microseconds percent pct perc share ratio kns knps "
    "mnps zobrist id idx index nr no row line currmovenumber so far diff delta difference error "
    "caps castles castle ep eps enpassant proms chk chks mate pawns quiet d hits misses cached ";

enum class HeadRole { kNone, kCount, kOther, kName };

HeadRole role_of(std::string_view head) {
  if (head.empty()) return HeadRole::kNone;
  if (head == "#") return HeadRole::kOther;
  if (depth_in_head(head)) return HeadRole::kName;
  const Tokens tokens = tokens_of(head);
  const auto is_other = [](const Token& token) {
    return (token.is_word(kOtherCounts) && !token.is_word(" perft divide moves search ")) ||
           token.is_word(kOtherHeads) || token.is_mark("%/");
  };
  if (std::ranges::any_of(tokens, is_other)) return HeadRole::kOther;
  const auto is_count = [](const Token& token) { return token.is_word(kCountWords); };
  return std::ranges::any_of(tokens, is_count) ? HeadRole::kCount : HeadRole::kName;
}

bool is_called_count(const CountColumn& column) { return role_of(column.head) == HeadRole::kCount; }

/// Returns the numbers of the rows in which both columns have a number.
std::vector<std::pair<NodeCount, NodeCount>> in_common(const CountColumn& one,
                                                       const CountColumn& other) {
  std::vector<std::pair<NodeCount, NodeCount>> pairs;
  for (std::size_t i = 0; i < one.numbers.size(); ++i) {
    if (one.numbers[i] && other.numbers[i]) pairs.emplace_back(*one.numbers[i], *other.numbers[i]);
  }
  return pairs;
}

bool is_constant(const CountColumn& column) {
  return std::ranges::adjacent_find(column.numbers, std::not_equal_to()) == column.numbers.end();
}

std::ptrdiff_t zeros_in(const CountColumn& column) {
  return std::ranges::count(column.numbers, std::optional<NodeCount>(NodeCount(0)));
}

bool is_mostly_nothing(const CountColumn& column) {
  return 2 * zeros_in(column) > std::ssize(column.numbers);
}

/// Returns whether the column contains row numbers: 1, 2, 3, …. A column with few numbers must
/// begin with 0 or 1. A column with more numbers may begin with any number. Some rows may have no
/// number. If the column is to the left of the moves, numbers may be skipped, because rows may be
/// missing.
bool numbers_rows(const CountColumn& column) {
  constexpr std::size_t kFewest = 3;
  constexpr NodeCount kMostMoves = 256;
  std::vector<std::pair<std::size_t, NodeCount>> numbers;
  for (std::size_t i = 0; i < column.numbers.size(); ++i) {
    if (column.numbers[i]) numbers.emplace_back(i, *column.numbers[i]);
  }
  const bool is_before = column.place >= place::kFirstBefore;
  if (numbers.empty() || numbers.back().second > kMostMoves) return false;
  const bool begins = numbers[0].second <= NodeCount(1);
  const std::size_t fewest = is_before ? (begins ? 1 : kFewest) : (begins ? kFewest : 2 * kFewest);
  if (numbers.size() < fewest) return false;
  const auto breaks_off = [&](const auto& one, const auto& next) {
    const NodeCount expected = one.second + NodeCount(next.first - one.first);
    return is_before ? next.second < expected : next.second != expected;
  };
  return std::ranges::adjacent_find(numbers, breaks_off) == numbers.end();
}

/// Returns whether the column is a running total of `counted`.
bool sums_up(const CountColumn& column, const CountColumn& counted) {
  if (column.numbers.size() < 3 || !column.is_complete() || !counted.is_complete() ||
      is_mostly_nothing(counted))
    return false;
  try {
    for (std::size_t i = 1; i < column.numbers.size(); ++i) {
      if (column.numbers[i] != *column.numbers[i - 1] + *counted.numbers[i]) return false;
    }
  } catch (const CountOverflow&) {
    return false;
  }
  return true;
}

/// Returns whether `column` shows `counted` as percentages. For example, 25 means that the number
/// of this row in `counted` is a quarter of the sum of `counted`.
bool is_share_of(const CountColumn& column, const CountColumn& counted) {
  constexpr double kWhole = 100;
  if (column.numbers.size() < 3 || !column.is_complete() || !counted.is_complete()) return false;
  double sum = 0;
  for (const auto& number : counted.numbers) sum += number->approximate();
  for (std::size_t i = 0; i < column.numbers.size(); ++i) {
    const double share = kWhole * counted.numbers[i]->approximate() / std::max(sum, 1.0);
    if (std::abs(column.numbers[i]->approximate() - share) >= 1) return false;
  }
  return true;
}

/// Returns whether the column is a statistic such as captures or checks. The numbers of a statistic
/// are at most the numbers of `whole`, and are 0 in some rows in which `whole` is not 0.
bool is_statistic_of(const CountColumn& column, const CountColumn& whole) {
  if (are_alike(column, whole) || !is_part_of(column, whole)) return false;
  return std::ranges::any_of(in_common(column, whole), [](const auto& numbers) {
    return numbers.first == NodeCount(0) && numbers.second != NodeCount(0);
  });
}

class ColumnFinder {
 public:
  ColumnFinder(const std::vector<const PrintedRow*>& rows, const std::set<int>& pointed,
               std::optional<Depth> depth, const FitsTotal& fits_total)
      : rows_(rows), pointed_(pointed), depth_(depth), fits_total_(fits_total) {}

  CountColumns run() {
    find_places();
    find_columns();
    settle_groups();
    find_torn_rows();
    leave_out_what_heads_name();
    leave_out_other_numbers();
    find_asides();
    return std::move(found_);
  }

 private:
  /// Uses the fields of the lines as columns if all lines have the same number of fields and some
  /// fields are empty.
  void find_places() {
    const auto fields = [](const PrintedRow* row) { return row->fields; };
    constexpr std::size_t kFewest = 3;  // a move and two numbers
    if (rows_.empty() || rows_[0]->fields < kFewest) return;
    const bool same = std::ranges::count(rows_, rows_[0]->fields, fields) == std::ssize(rows_);
    const auto numbers = [](const PrintedRow* row) { return row->counts.size(); };
    const PrintedRow* const most = *std::ranges::max_element(rows_, {}, numbers);
    const PrintedRow* const least = *std::ranges::min_element(rows_, {}, numbers);
    if (!same || most->counts.size() == least->counts.size()) return;
    for (const PrintedCount& count : most->counts)
      place_of_field_.emplace(count.field, count.place);
  }

  [[nodiscard]] const PrintedCount* count_at(const PrintedRow& row, int at) const {
    const auto stands_there = [&](const PrintedCount& count) {
      const auto place = place_of_field_.find(count.field);
      return (place == place_of_field_.end() ? count.place : place->second) == at;
    };
    const auto found = std::ranges::find_if(row.counts, stands_there);
    if (found != row.counts.end()) return &*found;
    return at == place::kGrouped ? count_at(row, place::kFirstBehind) : nullptr;
  }

  /// Returns the column of the numbers that `count_in` finds in the rows.
  template <typename CountIn>
  CountColumn column(int at, CountIn count_in) const {
    CountColumn column{.place = at};
    const PrintedCount* first = nullptr;
    for (const PrintedRow* row : rows_) {
      const PrintedCount* const count = count_in(*row);
      column.numbers.push_back(count == nullptr ? std::nullopt : count->number);
      if (count == nullptr) continue;
      if (first == nullptr) {
        first = count;
        column.offset = count->offset;
        column.head = count->head;
      }
      // If the names beside the numbers differ from row to row, none of them names the column.
      if (count->head != column.head) column.head.clear();
    }
    return column;
  }

  void add(CountColumn column) {
    if (std::ranges::count(found_.all, column.numbers, &CountColumn::numbers) == 0)
      found_.all.push_back(std::move(column));
  }

  /// Adds a column with the likeliest count of each row. Then adds one column for each
  /// PrintedCount::place. Columns in which some rows have no number come last.
  void find_columns() {
    if (place_of_field_.empty() && !rows_.empty()) {
      CountColumn likeliest =
          column(likeliest_count(*rows_[0], pointed_).place,
                 [&](const PrintedRow& row) { return &likeliest_count(row, pointed_); });
      if (likeliest.is_complete()) add(std::move(likeliest));
    }
    std::set<int> places;
    for (const PrintedRow* row : rows_) {
      for (const PrintedCount& count : row->counts) places.insert(count.place);
    }
    std::vector<CountColumn> with_gaps;
    for (const int at : places) {
      CountColumn there = column(at, [&](const PrintedRow& row) { return count_at(row, at); });
      const bool has_faults = std::ranges::any_of(rows_, [&](const PrintedRow* row) {
        const PrintedCount* const count = count_at(*row, at);
        return count != nullptr && !count->number;
      });
      if (there.is_complete()) {
        add(std::move(there));
      } else if (!has_faults &&
                 (2 * there.counts().size() >= rows_.size() || is_named_field(there))) {
        with_gaps.push_back(std::move(there));
      }
    }
    for (CountColumn& there : with_gaps) {
      if (!place_of_field_.empty()) {
        add(std::move(there));
      } else if (there.place < place::kGrouped) {
        torn_.push_back(std::move(there));
      }
    }
  }

  /// Returns whether the table has empty fields and the column has a name.
  [[nodiscard]] bool is_named_field(const CountColumn& column) const {
    return !place_of_field_.empty() && role_of(column.head) == HeadRole::kName;
  }

  /// Decides whether "1 234" is one number or two. It is two numbers in three cases:
  /// - A row has two numbers that cannot be one number, such as "20 5".
  /// - All rows have two numbers, and the two columns are alike or have different heads.
  /// - All rows have two numbers, there are many rows, and no second number has the form "056".
  void settle_groups() {
    const auto count_of = [](const PrintedRow& row, int at) -> const PrintedCount* {
      const auto count = std::ranges::find(row.counts, at, &PrintedCount::place);
      return count == row.counts.end() ? nullptr : &*count;
    };
    const auto second_of = [&](const PrintedRow& row) {
      return count_of(row, place::kFirstBehind + 1);
    };
    const auto is_group = [&](const PrintedRow* row) {
      const PrintedCount* const count = count_of(*row, place::kGrouped);
      return count != nullptr && !count->pointed;
    };
    const auto has_second = [&](const PrintedRow* row) { return second_of(*row) != nullptr; };
    if (std::ranges::none_of(rows_, is_group)) return;
    const bool could_be = std::ranges::all_of(
        rows_, [&](const PrintedRow* row) { return is_group(row) || !has_second(row); });
    const bool needs_it = !std::ranges::all_of(rows_, has_second);
    const CountColumn second = column(0, second_of);
    const auto is_padded = [](const auto& number) { return number && *number < NodeCount(100); };
    constexpr std::size_t kManyRows = 8;  // usually at least one of eight groups begins with 0
    const bool likely = std::ranges::any_of(second.numbers, is_padded) || rows_.size() < kManyRows;
    const bool apart = std::ranges::any_of(found_.all, [&](const CountColumn& first) {
      const bool named = !first.head.empty() && !second.head.empty() && first.head != second.head;
      return first.place == place::kFirstBehind && (named || are_alike(first, second));
    });
    const bool grouped = could_be && (needs_it || (likely && !apart));
    const auto is_none = [&](const CountColumn& column) {
      const bool is_part = column.place >= place::kFirstBehind && column.place < place::kGrouped;
      return grouped ? is_part : column.place == place::kGrouped;
    };
    leave_out(is_none);
    if (grouped) torn_.clear();
  }

  /// Finds the rows with only one number in a table with two columns of counts. It is unclear to
  /// which of the two columns the number of such a row belongs.
  void find_torn_rows() {
    for (const CountColumn& column : torn_) {
      const bool is_count = std::ranges::any_of(found_.all, [&](const CountColumn& of) {
        return of.place != column.place && are_alike(of, column);
      });
      if (!is_count || role_of(column.head) == HeadRole::kOther) continue;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!column.numbers[i]) found_.torn.push_back(rows_[i]);
      }
      return;
    }
  }

  /// Removes the columns for which `is_other` is true, unless all columns would be removed.
  void leave_out(const std::function<bool(const CountColumn&)>& is_other) {
    std::vector<CountColumn> left;
    std::ranges::copy_if(found_.all, std::back_inserter(left), std::not_fn(is_other));
    if (!left.empty()) found_.all = std::move(left);
  }

  void leave_out_what_heads_name() {
    leave_out([](const CountColumn& of) { return of.place >= place::kIndexBefore; });
    leave_out([](const CountColumn& of) { return role_of(of.head) == HeadRole::kOther; });
    const auto called = std::ranges::find_if(found_.all, is_called_count);
    if (called == found_.all.end()) return;
    leave_out([count = *called](const CountColumn& of) {
      return !is_called_count(of) && !are_alike(of, count);
    });
  }

  void leave_out_other_numbers() {
    const std::size_t before = found_.all.size();
    const auto leave_out_if = [this](auto is_other) {
      const std::vector<CountColumn> all = found_.all;
      leave_out([&](const CountColumn& column) {
        if (is_called_count(column)) return false;
        return std::ranges::any_of(all, [&](const CountColumn& other) {
          return other.place != column.place && !tells_total(column, other) &&
                 is_other(column, other);
        });
      });
    };
    leave_out_if(sums_up);
    leave_out_if(
        [](const CountColumn& column, const CountColumn&) { return numbers_rows(column); });
    leave_out_if([](const CountColumn& column, const CountColumn& other) {
      return is_mostly_nothing(column) && !is_mostly_nothing(other);
    });
    leave_out_if([this](const CountColumn& column, const CountColumn& other) {
      return depth_ == Depth(1) && zeros_in(column) != 0 && zeros_in(other) == 0;
    });
    leave_out_statistics();
    leave_out_if([this](const CountColumn& column, const CountColumn& other) {
      return !has_like(column, found_.all) && (is_depth(column) || is_share_of(column, other));
    });
    found_.has_other_numbers = found_.all.size() != before;
  }

  /// Returns whether `column` adds up to a total and `other` does not. Returns false if `column`
  /// may contain captures: a column of a few captures may add up to a total by chance.
  [[nodiscard]] bool tells_total(const CountColumn& column, const CountColumn& other) const {
    const bool may_be_captures = is_mostly_nothing(column) && !is_constant(other);
    return !may_be_captures && fits_total_(column.counts()) && !fits_total_(other.counts());
  }

  static bool has_like(const CountColumn& column, const std::vector<CountColumn>& all) {
    return std::ranges::any_of(all, [&](const CountColumn& other) {
      return other.place != column.place && are_alike(column, other);
    });
  }

  /// Removes columns of statistics, such as captures. Keeps such a column if its numbers are near
  /// the numbers of a column without statistics, because both columns may contain counts.
  void leave_out_statistics() {
    std::vector<CountColumn> others;
    std::vector<CountColumn> statistics;
    for (const CountColumn& column : found_.all) {
      const bool is_one = role_of(column.head) == HeadRole::kNone &&
                          std::ranges::any_of(found_.all, [&](const CountColumn& whole) {
                            return !tells_total(column, whole) && is_statistic_of(column, whole);
                          });
      (is_one ? statistics : others).push_back(column);
    }
    leave_out([&](const CountColumn& column) {
      const bool is_one =
          std::ranges::count(statistics, column.numbers, &CountColumn::numbers) != 0;
      return is_one && !has_like(column, others);
    });
  }

  /// Returns whether all numbers of the column equal the requested depth, or all equal this depth
  /// minus 1.
  [[nodiscard]] bool is_depth(const CountColumn& column) const {
    if (!depth_ || depth_->plies() < 2 || !column.head.empty()) return false;
    const auto plies = static_cast<std::uint64_t>(depth_->plies());
    const std::optional<NodeCount>& number = column.numbers.front();
    return is_constant(column) && (number == NodeCount(plies) || number == NodeCount(plies - 1));
  }

  /// Makes columns of the numbers in `asides`: one column of the first number of each row, one of
  /// the second number of each row, and so on. If a row lacks such a number, fills the gap with the
  /// row's number in the likeliest column.
  void find_asides() {
    std::size_t most = 0;
    for (const PrintedRow* row : rows_) most = std::max(most, row->asides.size());
    for (std::size_t i = 0; i < most && !found_.all.empty(); ++i) {
      CountColumn aside =
          column(static_cast<int>(i), [&](const PrintedRow& row) -> const PrintedCount* {
            return i < row.asides.size() ? &row.asides[i] : nullptr;
          });
      const CountColumn& main = found_.all.front();
      const bool is_total = token_at(tokens_of(aside.head), 0).is_word(kTotalRows);
      if (is_total || role_of(aside.head) == HeadRole::kOther || !are_alike(aside, main)) continue;
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (aside.numbers[row]) continue;
        aside.numbers[row] = main.numbers[row];
        aside.is_filled = true;
      }
      if (aside.numbers != main.numbers) found_.asides.push_back(std::move(aside));
    }
  }

  const std::vector<const PrintedRow*>& rows_;
  const std::set<int>& pointed_;
  std::optional<Depth> depth_;
  const FitsTotal& fits_total_;
  /// The place of each field. Empty if find_places() does not use the fields as columns.
  std::map<std::size_t, int> place_of_field_;
  std::vector<CountColumn> torn_;  ///< columns in which some rows have no number
  CountColumns found_;
};

}  // namespace

bool CountColumn::is_complete() const {
  return std::ranges::all_of(numbers, [](const auto& number) { return number.has_value(); });
}

std::vector<NodeCount> CountColumn::counts() const {
  std::vector<NodeCount> counts;
  for (const auto& number : numbers) {
    if (number) counts.push_back(*number);
  }
  return counts;
}

CountColumns columns_of(const std::vector<const PrintedRow*>& rows, const std::set<int>& pointed,
                        std::optional<Depth> depth, const FitsTotal& fits_total) {
  return ColumnFinder(rows, pointed, depth, fits_total).run();
}

const PrintedCount& likeliest_count(const PrintedRow& row, const std::set<int>& pointed) {
  for (const PrintedCount& count : row.counts) {
    const bool doubtful = count.pointed && count.number;  // "1.234" may be a time
    if (!doubtful && !pointed.contains(count.place)) return count;
  }
  return row.counts.front();
}

std::optional<int> depth_in_head(std::string_view head) {
  constexpr NodeCount kDeepest = 64;
  const std::optional<NodeCount> told = depth_told(tokens_of(head));
  if (!told || *told > kDeepest || *told == NodeCount(0)) return std::nullopt;
  return static_cast<int>(told->approximate());
}

bool may_name_counts(std::string_view head) { return role_of(head) == HeadRole::kName; }

bool are_alike(const CountColumn& one, const CountColumn& other) {
  return are_alike(in_common(one, other));
}

bool is_part_of(const CountColumn& part, const CountColumn& whole) {
  const auto numbers = in_common(part, whole);
  return !numbers.empty() &&
         std::ranges::all_of(numbers, [](const auto& of) { return of.first <= of.second; });
}

std::string name_among(const CountColumn& column, const std::vector<CountColumn>& all) {
  const auto has_head = [&](const CountColumn& of) { return of.head == column.head; };
  const bool is_partial = std::ranges::any_of(all, &CountColumn::is_filled);
  if (!column.head.empty() && !is_partial && std::ranges::count_if(all, has_head) < 2)
    return fmt::format("column '{}'", column.head);
  constexpr std::array kPlaces{"first", "second", "third", "fourth", "fifth", "sixth"};
  const auto before = static_cast<std::size_t>(std::ranges::count_if(
      all, [&](const CountColumn& other) { return other.offset < column.offset; }));
  const char* const what = is_partial ? "number" : "column";
  return before < kPlaces.size() ? fmt::format("{} {}", kPlaces[before], what)
                                 : fmt::format("{} {}", what, before + 1);
}

}  // namespace manyply
