#include "tools/text/divide_reading.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/position.h"

namespace manyply {
namespace {

/// Returns whether the line is only a name and a number, and the name looks like a move: "Nf9: 20".
bool is_shaped_as_row(std::string_view line) {
  constexpr std::size_t kLongestMove = 7;  // letters and digits, as in "e5xd6ep"
  const auto in_name = [](char c) { return is_letter(c) || is_digit(c); };
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(line, in_name) - line.begin());
  const std::string_view name = line.substr(0, end);
  if (name.size() < 2 || name.size() > kLongestMove || std::ranges::none_of(name, is_letter) ||
      std::ranges::none_of(name, is_digit))
    return false;
  const std::size_t count = line.find_first_not_of(" \t:=|-", end);
  return count != std::string_view::npos && count > end &&
         std::ranges::all_of(line.substr(count), is_digit);
}

constexpr std::size_t kBareLetters = 4;  // length of a promotion without its piece: "e7e8"

/// Returns the legal promotions without their pieces.
std::set<std::string> bare_promotions(const NamedPosition& where) {
  std::set<std::string> bare;
  for (const Move move : legal_moves(where.position)) {
    if (move.is_promotion()) bare.insert(to_uci(move, where.notation).substr(0, kBareLetters));
  }
  return bare;
}

class Reading {
 public:
  explicit Reading(const PrintedLines& printed) : printed_(printed), others_(printed.others) {
    for (const Row& row : printed.rows) rows_.push_back(&row);
    bare_promotions_ = bare_promotions(printed.asked);
    if (take_list() || take_depth_table()) return;
    find_pointed_places();
    set_aside_other_shapes();
    refuse_numbered_lines();
    take_unreadable_rows();
    choose_column();
    find_repetitions();
    judge_others();
  }

  [[nodiscard]] EngineAnswer take() { return std::move(answer_); }

 private:
  using Count = PrintedCount;
  using Row = PrintedRow;
  using Total = PrintedTotal;
  using Other = OtherLine;

  static constexpr std::ptrdiff_t kPieces = 4;  ///< number of promotion pieces

  void refuse(const Row& row, std::string why) { refused_.push_back({row.line, std::move(why)}); }

  /// Takes a list of moves without counts, at depth 1. The list must have at least half of the
  /// legal moves, because a usage message may also contain a move.
  bool take_list() {
    if (!printed_.depth || printed_.depth->plies() != 1) return false;
    std::vector<EngineRow> listed;
    for (const Other& other : others_) {
      if (other.has_move && !other.is_list && !other.is_info) return false;
      for (const std::string& move : other.moves)
        if (!other.is_info) listed.push_back({move, NodeCount(1), other.line});
    }
    // Rows such as "1 e2e4", "2 d2d4" are also a list of moves: their numbers are line numbers.
    std::size_t number = 0;
    for (const Row* row : rows_) {
      ++number;
      const bool numbers_line = std::ranges::all_of(row->counts, [&](const Count& count) {
        return count.place >= place::kFirstBefore && count.number &&
               (*count.number == NodeCount(number) || *count.number == NodeCount(number - 1));
      });
      if (!numbers_line || row->meaning.move.empty() || !listed.empty()) return false;
    }
    if (rows_.size() == 1) return false;
    for (const Row* row : rows_) listed.push_back({row->meaning.move, NodeCount(1), row->line});
    const std::size_t legal = legal_moves(printed_.asked.position).size();
    if (listed.empty() || 2 * listed.size() < legal) return false;
    const auto counts_them = [&](const Total& total) {
      return total.nodes == NodeCount(listed.size());
    };
    if (!std::ranges::all_of(printed_.totals, counts_them)) return false;
    answer_.rows = std::move(listed);
    if (!printed_.totals.empty()) {
      answer_.total = printed_.totals.front().nodes;
      answer_.total_is_certain = true;
    }
    return true;
  }

  /// Takes the row of the requested depth from a table of totals. Returns false in three cases: the
  /// table has no such row; a line outside the table has a move; or a line outside the table has a
  /// `sure` total.
  bool take_depth_table() {
    if (!printed_.depth || !rows_.empty()) return false;
    const auto row = printed_.depths.row_of(*printed_.depth);
    const auto elsewhere = [&](const Total& total) {
      return total.sure && !printed_.depths.has_line(total.first);
    };
    const auto may_be_row = [](const Other& other) { return other.has_move && !other.is_info; };
    if (!row || std::ranges::any_of(printed_.totals, elsewhere) ||
        std::ranges::any_of(others_, may_be_row))
      return false;
    const std::size_t column = row->column.value_or(0);
    answer_.total = row->numbers[column];
    answer_.total_is_certain = true;
    if (row->column) return true;
    for (std::size_t i = 1; i < row->numbers.size(); ++i) {
      if (row->numbers[i]) answer_.other_totals.push_back({*row->numbers[i], row->line});
    }
    return true;
  }

  /// Fills pointed_ with each PrintedCount::place at which all numbers have a decimal point. Such
  /// numbers are times or percentages.
  void find_pointed_places() {
    std::set<int> whole;
    for (const Row* row : rows_) {
      for (const Count& count : row->counts)
        (count.pointed && !count.number ? pointed_ : whole).insert(count.place);
    }
    for (const int at : whole) pointed_.erase(at);
  }

  [[nodiscard]] const Count& likeliest(const Row& row) const {
    return likeliest_count(row, pointed_);
  }

  /// Finds rows that repeat a move of the table and have another shape than most rows. Moves these
  /// rows to others_.
  void set_aside_other_shapes() {
    const auto shape = [this](const Row& row) {
      const int at = likeliest(row).place;
      const int side = is_labelled(at)            ? 0
                       : at < place::kFirstBefore ? 1
                       : at < place::kIndexBefore ? 2
                                                  : 3;
      return 2 * side + (row.is_info ? 1 : 0);
    };
    std::map<int, int> times;
    for (const Row* row : rows_) ++times[shape(*row)];
    if (times.size() < 2) return;
    const int main =
        std::ranges::max_element(times, {}, [](const auto& of) { return of.second; })->first;
    std::set<std::string> listed;
    for (const Row* row : rows_) {
      if (shape(*row) == main) listed.insert(row->meaning.move);
    }
    std::erase_if(rows_, [&](const Row* row) {
      if (shape(*row) == main || !listed.contains(row->meaning.move)) return false;
      others_.push_back({.line = row->line,
                         .why = "",
                         .moves = {row->meaning.move},
                         .has_move = true,
                         .has_number = true,
                         .is_info = row->is_info,
                         .at = row->at});
      return true;
    });
  }

  /// Refuses the rows "1 e2e4", "2 d2d4", …, because their numbers are line numbers.
  void refuse_numbered_lines() {
    if (rows_.empty()) return;
    const auto first = likeliest(*rows_[0]).number;
    if (!first || *first > NodeCount(1)) return;
    bool indexed = true;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Count& count = likeliest(*rows_[i]);
      const bool before = count.place >= place::kFirstBefore;
      if (!before || count.number != *first + NodeCount(i)) return;
      indexed = indexed && count.place == place::kIndexBefore;
    }
    if (rows_.size() < 2 && !indexed) return;
    for (const Row* row : rows_)
      refuse(*row, "has only the number of a line or move, but no count");
    rows_.clear();
  }

  void take_unreadable_rows() {
    std::erase_if(rows_, [&](const Row* row) {
      if (!row->meaning.move.empty()) return false;
      refuse(*row, row->meaning.why_not);
      return true;
    });
  }

  [[nodiscard]] CountColumns columns() const {
    const auto fits_total = [this](const std::vector<NodeCount>& column) {
      const Total* const total = total_of(column);
      return total != nullptr && proves_rows(*total);
    };
    return columns_of(rows_, pointed_, printed_.depth, fits_total);
  }

  void choose_column() {
    most_behind_ = 2 * std::ranges::count_if(rows_, has_number_behind) >= std::ssize(rows_);
    CountColumns found = columns();
    std::vector<const Total*> fitting = totals_of(found.all);
    const bool doubtful =
        std::ranges::any_of(rows_, [this](const Row* row) { return is_doubtful(row); });
    const auto fit = std::ranges::find_if(fitting, [&](const Total* total) {
      return total != nullptr && (total->sure || !doubtful);
    });
    const bool fits = fit != fitting.end();
    std::size_t chosen = 0;
    if (fits) {
      const Total& total = **fit;
      answer_.total = total.nodes;
      answer_.total_is_certain = total.sure;
      if (proves_rows(total)) fit_ = &total;
      chosen = static_cast<std::size_t>(fit - fitting.begin());
    } else {
      refuse_doubtful_rows(found);
      choose_total();
      refuse_rows_without_count(found);
      fitting = totals_of(found.all);
    }
    for (const Row* row : found.torn) refuse(*row, "has fewer numbers than the other rows");
    spoilt_ |= !found.torn.empty();
    answer_.has_other_numbers = found.has_other_numbers && !fits;
    if (!found.all.empty()) take_columns(found, chosen, fitting);
  }

  /// Returns whether this total proves that no row is missing. Precondition: the rows add up to the
  /// total. A total in a line with several numbers is no proof: the number may count only captures,
  /// and a missing row may have no captures.
  static bool proves_rows(const Total& total) { return total.sure && total.alone; }

  /// Returns one total for each column: the surest total to which the column adds up, or null.
  [[nodiscard]] std::vector<const Total*> totals_of(const std::vector<CountColumn>& columns) const {
    std::vector<const Total*> totals;
    for (const CountColumn& column : columns) totals.push_back(total_of(column.counts()));
    return totals;
  }

  [[nodiscard]] std::vector<EngineRow> rows_in(const CountColumn& column) const {
    std::vector<EngineRow> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (column.numbers[i])
        rows.push_back({rows_[i]->meaning.move, *column.numbers[i], rows_[i]->line});
    }
    return rows;
  }

  void take_columns(const CountColumns& found, std::size_t chosen,
                    const std::vector<const Total*>& fitting) {
    const CountColumn main = found.all[chosen];
    std::vector<CountColumn> rivals;
    for (std::size_t i = 0; i < found.all.size(); ++i) {
      const bool is_rival = i != chosen && (fitting[chosen] == nullptr || fitting[i] != nullptr ||
                                            may_be_counts(found.all[i], main));
      if (is_rival) rivals.push_back(found.all[i]);
    }
    rivals.insert(rivals.end(), found.asides.begin(), found.asides.end());
    std::vector<CountColumn> all = rivals;
    all.push_back(main);
    for (const CountColumn& rival : rivals) {
      const bool fits = total_of(rival.counts()) != nullptr;
      answer_.other_columns.push_back(
          {name_among(rival, all), rows_in(rival), fits, depth_in_head(rival.head), rival.offset});
      answer_.column = name_among(main, all);
      answer_.depth_told = depth_in_head(main.head);
      answer_.offset = main.offset;
    }
    answer_.rows = rows_in(main);
    std::size_t row = 0;
    std::erase_if(rows_, [&](const Row*) { return !main.numbers[row++]; });
  }

  /// Returns whether `column` may contain the counts although only `chosen` adds up to a total.
  /// There are two cases:
  /// - The columns are alike, and `column` has a head or a number greater than 1.
  /// - The columns are not alike, no total proves that all rows are present, and in each row, the
  ///   number in `column` is at least the number in `chosen`.
  [[nodiscard]] bool may_be_counts(const CountColumn& column, const CountColumn& chosen) const {
    const auto has_many = [](const std::optional<NodeCount>& number) {
      return number && *number > NodeCount(1);
    };
    const bool tells = !column.head.empty() || std::ranges::any_of(column.numbers, has_many);
    if (are_alike(column, chosen)) return tells;
    return fit_ == nullptr && is_part_of(chosen, column);
  }

  /// Returns the surest total to which the column adds up, or null.
  [[nodiscard]] const Total* total_of(const std::vector<NodeCount>& column) const {
    const auto sum = rows_.empty() ? std::nullopt : sum_of(column);
    const auto rank = [](const Total& total) { return 2 * total.sure + total.alone; };
    const Total* best = nullptr;
    for (const Total& total : printed_.totals) {
      const bool fits = sum == total.nodes && counts_all_rows(total);
      if (fits && (best == nullptr || rank(total) > rank(*best))) best = &total;
    }
    return best;
  }

  /// Returns whether the total belongs to all rows. Returns false for a total between rows, because
  /// it is a running total. Also returns false for an unnamed number above the rows, because it may
  /// be a fragment of another row.
  [[nodiscard]] bool counts_all_rows(const Total& total) const {
    return total.last > rows_.back()->at ||
           (total.first < rows_.front()->at && std::ranges::any_of(total.line, is_letter));
  }

  static bool has_number_behind(const Row* row) {
    const auto is_behind = [](const Count& count) { return count.place < place::kFirstBefore; };
    return std::ranges::any_of(row->counts, is_behind);
  }
  /// Returns whether the row's count is unclear or may be cut off. A count may be cut off if the
  /// row has no number after its move, while most rows have a number after the move.
  [[nodiscard]] bool is_doubtful(const Row* row) const {
    return row->is_doubtful() || (most_behind_ && !has_number_behind(row));
  }

  /// Rejects the rows whose count is unclear. Precondition: no total shows which numbers are the
  /// counts.
  void refuse_doubtful_rows(CountColumns& found) {
    const std::size_t before = rows_.size();
    std::erase_if(rows_, [&](const Row* row) {
      if (!is_doubtful(row)) return false;
      const bool one = row->counts.size() == 1;
      refuse(*row, one ? "has only the number of a line or move, but no count"
                       : "it is ambiguous which number is the count");
      return true;
    });
    if (rows_.size() == before) return;
    spoilt_ = true;
    found = columns();
  }

  /// Rejects the rows whose likeliest count cannot be read. Precondition: no total shows which
  /// numbers are the counts.
  void refuse_rows_without_count(CountColumns& found) {
    const auto has_gaps = [](const CountColumn& column) { return !column.is_complete(); };
    if (!found.all.empty() && std::ranges::all_of(found.all, has_gaps)) return;
    const std::size_t before = rows_.size();
    std::erase_if(rows_, [&](const Row* row) {
      const Count& count = likeliest(*row);
      if (!count.number) refuse(*row, count.why_not);
      return !count.number;
    });
    if (rows_.size() == before && !found.all.empty()) return;
    spoilt_ |= rows_.size() != before;
    found = columns();
  }

  /// Chooses the last total that is certain and is not the number of rows. If there are no rows and
  /// no total is certain, chooses the last possible total.
  void choose_total() {
    const Total* chosen = nullptr;
    for (const Total& candidate : printed_.totals) {
      const bool counts_rows = !rows_.empty() && candidate.nodes == NodeCount(rows_.size());
      if (candidate.sure && !counts_rows) chosen = &candidate;
    }
    if (chosen == nullptr && rows_.empty() && !printed_.totals.empty())
      chosen = &printed_.totals.back();
    if (chosen == nullptr) return;
    answer_.total = chosen->nodes;
    answer_.total_is_certain = chosen->sure;
    if (rows_.empty() && is_one_for_each_depth()) return;
    for (const Total& other : printed_.totals) {
      if (other.nodes != chosen->nodes && (other.sure || !other.alone))
        answer_.other_totals.push_back({other.nodes, other.line});
    }
    if (!rows_.empty() && !answer_.other_totals.empty()) {
      answer_.other_totals.push_back({chosen->nodes, chosen->line});
      for (const auto& [nodes, line] : std::exchange(answer_.other_totals, {}))
        answer_.unread.push_back({line, nodes.to_string() + " is not the sum of the rows"});
    }
  }

  /// Returns whether the program printed one total for each depth, such as "perft 1: 20" and
  /// "perft 2: 400". Then the last total is the answer. Considers only totals that are certain
  /// (Total::sure): each of them must state a depth, and all their depths must differ.
  [[nodiscard]] bool is_one_for_each_depth() const {
    std::set<NodeCount> depths;
    std::size_t sure = 0;
    for (const Total& total : printed_.totals) {
      if (!total.sure) continue;
      ++sure;
      if (total.depth) depths.insert(*total.depth);
    }
    return depths.size() == sure;
  }

  void find_repetitions() {
    std::map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < answer_.rows.size(); ++i) places[answer_.rows[i].move].push_back(i);
    std::set<std::size_t> unclear;
    // If all moves are promotions without pieces, such as "e7e8", four rows of one move are the
    // four promotions, not repetitions.
    const bool all_bare = std::ranges::all_of(
        places, [&](const auto& of) { return bare_promotions_.contains(std::string(of.first)); });
    bool every = !places.empty();
    for (const auto& [move, where] : places) {
      every = every && where.size() > 1 && !(all_bare && where.size() == std::size_t{kPieces});
      const bool doubtful =
          std::ranges::any_of(where, [&](std::size_t i) { return rows_[i]->meaning.doubtful; });
      if (where.size() > 1 && doubtful && misses_moves())
        unclear.insert(where.begin(), where.end());
    }
    for (const std::size_t i : unclear) refuse(*rows_[i], "is ambiguous between two moves");
    spoilt_ |= !unclear.empty();
    // If each move is listed twice, the rows are two tables. Exception: if a total includes both
    // rows of each move, the rows are one table.
    if (every && fit_ == nullptr) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (places[answer_.rows[i].move][1] == i)
          refuse(*rows_[i], "is listed again, and so is every other move; give only one table");
      }
    }
  }

  [[nodiscard]] std::set<std::string> listed_moves() const {
    std::set<std::string> listed;
    for (const EngineRow& row : answer_.rows) listed.insert(row.move);
    return listed;
  }
  [[nodiscard]] bool misses_moves() const {
    const std::set<std::string> listed = listed_moves();
    return std::ranges::any_of(legal_moves(printed_.asked.position), [&](Move move) {
      const std::string text = to_uci(move, printed_.asked.notation);
      return !listed.contains(text) && !(move.is_promotion() && lists_without_piece(text));
    });
  }
  /// Returns whether the rows contain the squares of `promotion` without a piece ("e7e8") at least
  /// four times, once for each promotion piece.
  [[nodiscard]] bool lists_without_piece(const std::string& promotion) const {
    const auto times =
        std::ranges::count(answer_.rows, promotion.substr(0, kBareLetters), &EngineRow::move);
    return times >= kPieces;
  }

  /// Returns whether the line is between two rows or next to one.
  [[nodiscard]] bool stands_among_rows(const Other& other) const {
    return !rows_.empty() && other.at + 1 >= rows_.front()->at && other.at <= rows_.back()->at + 1;
  }

  /// Returns whether the line is prose, so that its number is no count. Prose has no mark such as
  /// ':' or '=', and stands above all rows ("Stockfish 16 by …") or below all rows. A line below
  /// all rows is prose only if each row has such a mark.
  [[nodiscard]] bool is_prose(const Other& other) const {
    const auto has_mark = [](std::string_view line) {
      return line.find_first_of(":=|\t") != std::string_view::npos;
    };
    if (rows_.empty() || has_mark(other.line)) return false;
    if (other.at < rows_.front()->at) return true;
    return other.at > rows_.back()->at &&
           std::ranges::all_of(rows_, [&](const Row* row) { return has_mark(row->line); });
  }

  /// Returns whether a line without a move may be a row that was not understood, so that the sum of
  /// the rows lacks its count. Such a line stands between rows, or its number is the total minus
  /// the sum.
  [[nodiscard]] bool may_be_the_difference(const Other& other) const {
    if (rows_.empty()) return true;
    if (other.at > rows_.front()->at && other.at < rows_.back()->at && !other.is_info) return true;
    const std::optional<NodeCount> sum = answer_.sum();
    return other.number && sum && sum_of({*sum, *other.number}) == answer_.total;
  }

  void judge_others() {
    const std::set<std::string> listed = listed_moves();
    const bool mismatch = answer_.contradicts_itself();
    const bool says_something = !answer_.rows.empty() || !answer_.total;
    const bool invents = listed.size() > legal_moves(printed_.asked.position).size();
    const bool accuses = says_something && (invents || misses_moves());
    for (Other& other : others_) {
      const bool mentions_only =
          !other.moves.empty() &&
          std::ranges::all_of(other.moves, [&](const auto& move) { return listed.contains(move); });
      bool matters = false;
      if (fit_ != nullptr) {
        const bool not_counted = fit_->last < other.at && fit_->first > rows_.front()->at;
        const bool may_be_row = other.has_move && other.has_number && !mentions_only;
        matters = accuses && not_counted && may_be_row && !other.is_info;
      } else if (mismatch) {
        const bool remark = mentions_only && !other.has_number;
        matters = other.has_move ? !remark : other.has_number && may_be_the_difference(other);
      } else if (answer_.rows.empty() && other.has_move && !other.is_info) {
        matters = true;  // the count of this move may be in another line
      } else if (other.has_move && !mentions_only) {
        matters = accuses || (other.has_number && !other.is_info);
      } else {
        const bool row_like = stands_among_rows(other) && is_shaped_as_row(other.line);
        const bool may_be_row = accuses && !(is_prose(other) && !row_like);
        matters =
            !other.has_move && other.has_number && (may_be_row || (row_like && !other.is_info));
      }
      // A line whose only number equals the total is understood. Its words do not matter.
      const bool is_sum = !answer_.rows.empty() && !other.has_move && other.number;
      if (is_sum && answer_.may_count(*other.number)) matters = false;
      if (matters || other.matters) {
        answer_.unread.push_back({std::move(other.line), std::move(other.why)});
      } else if (answer_.rows.empty() && other.has_number && !other.is_info) {
        answer_.passed_over.push_back({std::move(other.line), std::move(other.why)});
      }
    }
    if (answer_.rows.empty()) {
      for (const auto& [nodes, line] : answer_.other_totals)
        answer_.passed_over.push_back({line, ""});
    }
    if (fit_ == nullptr || spoilt_) {
      answer_.unread.insert(answer_.unread.begin(), refused_.begin(), refused_.end());
    }
  }

  const PrintedLines& printed_;
  std::vector<const Row*> rows_;
  std::vector<Other> others_;
  std::vector<UnreadLine> refused_;
  std::set<int> pointed_;
  std::set<std::string> bare_promotions_;
  const Total* fit_ = nullptr;  ///< the total that proves that no row is missing
  bool spoilt_ = false;         ///< a row has no readable count
  bool most_behind_ = false;    ///< at least half of the rows have a number after the move
  EngineAnswer answer_;
};

}  // namespace

EngineAnswer read_together(const PrintedLines& printed) { return Reading(printed).take(); }

PrintedLines lines_of(const PrintedLines& printed, std::size_t first, std::size_t last) {
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

namespace {

constexpr std::size_t kMostTables = 64;  // one for each depth

class Tables {
 public:
  explicit Tables(const PrintedLines& printed)
      : printed_(printed), rows_(printed.rows), bare_(bare_promotions(printed.asked)) {
    std::vector<std::size_t> gaps;
    for (std::size_t i = 1; i < rows_.size(); ++i) gaps.push_back(gap(i));
    std::ranges::nth_element(gaps, gaps.begin() + std::ssize(gaps) / 2);
    usual_gap_ = gaps[gaps.size() / 2];
  }

  /// Returns the line numbers at which the second and all later tables begin.
  std::vector<std::size_t> cuts() {
    std::size_t tried = 0;
    for (std::size_t i = 0; i < rows_.size() && cuts_.size() < kMostTables; ++i) {
      if (i > begin_ && has_total_before(i) && ++tried <= kMostTables &&
          is_whole(lines_of(printed_, line_of_table(), rows_[i].at))) {
        cut(i);
      } else if (repeats(i) && begins_list(i)) {
        cut(first_of_list(i));
      }
      seen_.emplace(rows_[i].meaning.move, i);
    }
    return std::move(cuts_);
  }

 private:
  /// Returns the number of lines from row `i` - 1 to row `i`.
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

  /// Returns whether the row's move is already in the table, in another line. Returns false for
  /// promotions without a piece, because they may be listed four times.
  [[nodiscard]] bool repeats(std::size_t i) const {
    const std::string& move = rows_[i].meaning.move;
    const auto before = seen_.find(move);
    return before != seen_.end() && !move.empty() && !bare_.contains(move) &&
           rows_[before->second].at != rows_[i].at;
  }

  /// Returns whether row `i` begins a new list. The move of row `i` is already in the table. The
  /// possible list begins with row `i`. It ends before the first row that has another shape, or a
  /// move that the possible list already has. The possible list is a new list in two cases:
  /// - The table already has at least two, and at least half, of the list's moves. In addition,
  ///   these moves are at least half of the table, or the list follows a gap and has the shape of
  ///   the table.
  /// - The list is only row `i`, follows a gap, has the shape of the table, and its count differs
  ///   from the count of the same move in the table.
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

  /// Returns whether the count of the row differs from the count of the same move in the table.
  [[nodiscard]] bool says_something_else(std::size_t i) const {
    const PrintedRow& before = rows_[seen_.at(rows_[i].meaning.move)];
    return before.counts.front().number != rows_[i].counts.front().number;
  }

  /// Returns the first row of the new list that contains row `i`. The move of row `i` is also in
  /// the previous list. But the new list may begin above row `i`, with moves that the previous list
  /// lacks. If the table has exactly one gap up to row `i`, the new list begins after this gap,
  /// unless a move between the gap and row `i` is listed again. In all other cases, the new list
  /// begins with row `i`.
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

  /// Returns two values: whether the count precedes or follows the move, and whether the row is an
  /// `info` line.
  static std::pair<int, bool> shape_of(const PrintedRow& row) {
    return {row.counts.front().place / place::kFirstBefore, row.is_info};
  }

  const PrintedLines& printed_;
  const std::vector<PrintedRow>& rows_;
  std::set<std::string> bare_;
  std::size_t usual_gap_ = 1;
  std::size_t begin_ = 0;  ///< the first row of the present table
  /// The moves of this table, and the row of each move.
  std::map<std::string_view, std::size_t> seen_;
  std::vector<std::size_t> cuts_;
};

}  // namespace

std::vector<PrintedLines> tables_of(const PrintedLines& printed) {
  if (printed.rows.size() < 2 || is_whole(printed)) return {printed};
  const std::vector<std::size_t> cuts = Tables(printed).cuts();
  if (cuts.empty() || cuts.size() >= kMostTables) return {printed};
  std::vector<PrintedLines> tables;
  std::size_t first = 0;
  for (const std::size_t line : cuts) {
    tables.push_back(lines_of(printed, first, line));
    first = line;
  }
  tables.push_back(lines_of(printed, first));
  return tables;
}

}  // namespace manyply
