#include "tools/text/divide_reading.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "core/base/ascii.h"
#include "core/movegen.h"

namespace manyply {
namespace {

/// "Nf9: 20": a name of letters and digits, as moves have, a number, and nothing else.
bool is_shaped_as_row(std::string_view line) {
  constexpr std::size_t kLongestMove = 7;  // Qa1xb2+ without its sign, e7xd8=Q without its own
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

constexpr std::size_t kBareLetters = 4;  // letters of a move without a piece

/// "e7e8", of each promotion that is legal.
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

  static constexpr std::ptrdiff_t kPieces = 4;  ///< that a pawn may become

  void refuse(const Row& row, std::string why) { refused_.push_back({row.line, std::move(why)}); }

  /// Moves alone, of depth 1: a line of them is one only if most moves are in such lines, since
  /// a usage line may mention a move, too.
  bool take_list() {
    if (!printed_.depth || printed_.depth->plies() != 1) return false;
    std::vector<EngineRow> listed;
    for (const Other& other : others_) {
      if (other.has_move && !other.is_list && !other.is_info) return false;
      for (const std::string& move : other.moves)
        if (!other.is_info) listed.push_back({move, NodeCount(1), other.line});
    }
    // "1 e2e4", "2 d2d4": numbers of lines.
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

  /// The row of the depth that was asked for, where nothing else is called a total.
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

  /// Places where a number with a point in it stands in every row: a time or a share.
  void find_pointed_places() {
    std::set<int> whole;
    for (const Row* row : rows_) {
      for (const Count& count : row->counts)
        (count.pointed && !count.number ? pointed_ : whole).insert(count.place);
    }
    for (const int at : whole) pointed_.erase(at);
  }

  /// The number that is the likeliest to be the row's count.
  [[nodiscard]] const Count& likeliest(const Row& row) const {
    for (const Count& count : row.counts) {
      const bool doubtful = count.pointed && count.number;  // "1.234" may be a time
      if (!doubtful && !pointed_.contains(count.place)) return count;
    }
    return row.counts.front();
  }

  /// A table has one shape; what looks otherwise and repeats a move of it is a remark.
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

  /// "1 e2e4", "2 d2d4", …: nothing is counted there but lines.
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
      refuse(*row, "has a number that belongs to the move, but no count");
    rows_.clear();
  }

  void take_unreadable_rows() {
    std::erase_if(rows_, [&](const Row* row) {
      if (!row->meaning.move.empty()) return false;
      refuse(*row, row->meaning.why_not);
      return true;
    });
  }

  static const Count* count_at(const Row& row, int at) {
    const auto found = std::ranges::find(row.counts, at, &Count::place);
    if (found != row.counts.end()) return &*found;
    return at == place::kGrouped ? count_at(row, place::kFirstBehind) : nullptr;
  }

  /// The numbers at place `at` of every row, if they are all there.
  [[nodiscard]] std::optional<std::vector<NodeCount>> column(int at) const {
    std::vector<NodeCount> numbers;
    for (const Row* row : rows_) {
      const Count* count = count_at(*row, at);
      if (count == nullptr || !count->number) return std::nullopt;
      numbers.push_back(*count->number);
    }
    return numbers;
  }

  /// The columns that can be read: each row's likeliest count, then place by place.
  [[nodiscard]] std::vector<std::vector<NodeCount>> columns() const {
    std::vector<std::vector<NodeCount>> columns;
    std::vector<NodeCount> counts;
    std::set<int> places;
    for (const Row* row : rows_) {
      if (const Count& count = likeliest(*row); count.number) counts.push_back(*count.number);
      for (const Count& count : row->counts) places.insert(count.place);
    }
    if (counts.size() == rows_.size()) columns.push_back(counts);
    for (const int at : places) {
      auto numbers = column(at);
      if (numbers && std::ranges::count(columns, *numbers) == 0)
        columns.push_back(*std::move(numbers));
    }
    return columns;
  }

  void choose_column() {
    most_behind_ = 2 * std::ranges::count_if(rows_, has_number_behind) >= std::ssize(rows_);
    std::vector<std::vector<NodeCount>> all = columns();
    std::vector<const Total*> fitting;  // of each column
    for (const auto& column : all) fitting.push_back(total_of(column));
    const bool doubtful =
        std::ranges::any_of(rows_, [this](const Row* row) { return is_doubtful(row); });
    const auto fit = std::ranges::find_if(fitting, [&](const Total* total) {
      return total != nullptr && (total->sure || !doubtful);
    });
    if (fit != fitting.end()) {
      const Total& total = **fit;
      answer_.total = total.nodes;
      answer_.total_is_certain = total.sure;
      // Of several numbers one may well be that of the captures, and no row lost of those.
      if (total.sure && total.alone) fit_ = &total;
      std::vector<std::vector<NodeCount>> chosen{
          all[static_cast<std::size_t>(fit - fitting.begin())]};
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool possible = fit_ == nullptr || fitting[i] != nullptr;
        if (possible && all[i] != chosen[0]) chosen.push_back(all[i]);
      }
      all = std::move(chosen);
    } else {
      refuse_doubtful_rows(all);
      choose_total();
      refuse_rows_without_count(all);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i)
      answer_.rows.push_back({rows_[i]->meaning.move, all[0][i], rows_[i]->line});
    if (all.size() > 1) answer_.other_columns.assign(all.begin() + 1, all.end());
  }

  /// The surest total that the column adds up to, or null.
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

  /// One among the rows is a sum so far; before them, without a name, what is left of another row.
  [[nodiscard]] bool counts_all_rows(const Total& total) const {
    return total.last > rows_.back()->at ||
           (total.first < rows_.front()->at && std::ranges::any_of(total.line, is_letter));
  }

  static bool has_number_behind(const Row* row) {
    const auto is_behind = [](const Count& count) { return count.place < place::kFirstBefore; };
    return std::ranges::any_of(row->counts, is_behind);
  }
  /// Or it was cut: a number stands before its move alone, and behind those of most other rows.
  [[nodiscard]] bool is_doubtful(const Row* row) const {
    return row->is_doubtful() || (most_behind_ && !has_number_behind(row));
  }

  /// Where no total tells, nobody knows what is counted there.
  void refuse_doubtful_rows(std::vector<std::vector<NodeCount>>& all) {
    const std::size_t before = rows_.size();
    std::erase_if(rows_, [&](const Row* row) {
      if (!is_doubtful(row)) return false;
      const bool one = row->counts.size() == 1;
      refuse(*row, one ? "has a number that belongs to the move, but no count"
                       : "it is ambiguous which number is the count");
      return true;
    });
    if (rows_.size() == before) return;
    spoilt_ = true;
    all = columns();
    if (all.empty()) all.emplace_back();
  }

  /// Where no total tells: each row by itself, if some of them cannot be read at all.
  void refuse_rows_without_count(std::vector<std::vector<NodeCount>>& all) {
    const std::size_t before = rows_.size();
    std::erase_if(rows_, [&](const Row* row) {
      const Count& count = likeliest(*row);
      if (!count.number) refuse(*row, count.why_not);
      return !count.number;
    });
    if (rows_.size() == before && !all.empty()) return;
    spoilt_ |= rows_.size() != before;
    all = columns();
    if (all.empty()) all.emplace_back();
  }

  /// The last that is called so; a number that is none of paths only if nothing else is there.
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
        answer_.unread.push_back({line, nodes.to_string() + " is not what the rows add up to"});
    }
  }

  /// "perft 1: 20", "perft 2: 400", …: the last is what was asked for.
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
    // Four promotions that name no piece are no repetition.
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
    // Every move twice is two tables, unless the total counts each of them.
    if (every && fit_ == nullptr) {
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (places[answer_.rows[i].move][1] == i)
          refuse(*rows_[i], "is listed more than once, like every move");
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
  /// Whether the four promotions of which this is one stand there without their pieces.
  [[nodiscard]] bool lists_without_piece(const std::string& promotion) const {
    const auto times =
        std::ranges::count(answer_.rows, promotion.substr(0, kBareLetters), &EngineRow::move);
    return times >= kPieces;
  }

  /// Between two of them, or next to one.
  [[nodiscard]] bool stands_among_rows(const Other& other) const {
    return !rows_.empty() && other.at + 1 >= rows_.front()->at && other.at <= rows_.back()->at + 1;
  }

  /// Words and a number above all rows, "Stockfish 16 by …": a program that says who it is.
  [[nodiscard]] bool is_banner(const Other& other) const {
    if (rows_.empty() || other.at >= rows_.front()->at) return false;
    return other.line.find_first_of(":=|\t") == std::string::npos;
  }

  /// Of a line without a move, where rows and total differ: whether it may be the row that makes
  /// the difference.
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
        matters = true;  // and its count may be anywhere
      } else if (other.has_move && !mentions_only) {
        matters = accuses || (other.has_number && !other.is_info);
      } else {
        const bool row_like = stands_among_rows(other) && is_shaped_as_row(other.line);
        const bool may_be_row = accuses && !(is_banner(other) && !row_like);
        matters =
            !other.has_move && other.has_number && (may_be_row || (row_like && !other.is_info));
      }
      // Whatever it is called, it is the total.
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
  const Total* fit_ = nullptr;  ///< that the rows add up to for certain
  bool spoilt_ = false;         ///< a row's count is none
  bool most_behind_ = false;    ///< half the rows have a number behind the move
  EngineAnswer answer_;
};

constexpr std::size_t kMostTables = 64;  // no depth is greater

/// The lines from number `first` to before `last`.
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

/// `printed`, cut before those lines.
std::vector<PrintedLines> cut_before(const PrintedLines& printed,
                                     const std::vector<std::size_t>& lines) {
  std::vector<PrintedLines> parts;
  std::size_t first = 0;
  for (const std::size_t line : lines) {
    parts.push_back(part_of(printed, first, line));
    first = line;
  }
  parts.push_back(part_of(printed, first, SIZE_MAX));
  return parts;
}

std::vector<std::string> sorted_moves(const PrintedLines& printed) {
  std::vector<std::string> moves;
  for (const PrintedRow& row : printed.rows) moves.push_back(row.meaning.move);
  std::ranges::sort(moves);
  return moves;
}

bool is_whole(const PrintedLines& table) {
  const EngineAnswer answer = read_together(table);
  return answer.total_is_certain && !answer.rows.empty() && !answer.contradicts_itself();
}

/// Numbers of lines before which a table has ended with its total.
std::vector<std::size_t> ends_by_totals(const PrintedLines& printed) {
  std::vector<std::size_t> cuts;
  std::size_t tried = 0;
  for (std::size_t i = 1; i < printed.rows.size() && tried < kMostTables; ++i) {
    const std::size_t before = printed.rows[i - 1].at;
    const std::size_t here = printed.rows[i].at;
    const auto between = [&](std::size_t at) { return at > before && at < here; };
    const bool has_total = std::ranges::any_of(printed.totals, [&](const PrintedTotal& total) {
      return total.sure && (between(total.first) || between(total.last));
    });
    tried += has_total ? 1 : 0;
    if (has_total && is_whole(part_of(printed, cuts.empty() ? 0 : cuts.back(), here)))
      cuts.push_back(here);
  }
  return cuts;
}

/// Numbers of lines where the first move stands again.
std::vector<std::size_t> repetitions(const PrintedLines& printed) {
  std::vector<std::size_t> cuts;
  const std::string& move = printed.rows.front().meaning.move;
  for (std::size_t i = 1; i < printed.rows.size(); ++i) {
    const PrintedRow& row = printed.rows[i];
    if (row.meaning.move == move && row.at != printed.rows[i - 1].at) cuts.push_back(row.at);
  }
  return cuts;
}

}  // namespace

EngineAnswer read_together(const PrintedLines& printed) { return Reading(printed).take(); }

PrintedLines lines_from(const PrintedLines& printed, std::size_t first) {
  return part_of(printed, first, SIZE_MAX);
}

std::vector<PrintedLines> tables_of(const PrintedLines& printed) {
  if (printed.rows.empty()) return {printed};
  const auto have_same_moves = [](const std::vector<PrintedLines>& tables) {
    const std::vector<std::string> moves = sorted_moves(tables.front());
    return std::ranges::all_of(
        tables, [&](const PrintedLines& table) { return sorted_moves(table) == moves; });
  };
  // What follows the last total may be a remark that mentions a move.
  std::vector<std::size_t> cuts = ends_by_totals(printed);
  if (!cuts.empty() && cuts.size() < kMostTables) {
    std::vector<PrintedLines> tables = cut_before(printed, cuts);
    if (have_same_moves(tables)) return tables;
    return {printed};
  }
  cuts = repetitions(printed);
  if (cuts.empty() || cuts.size() >= kMostTables) return {printed};
  std::vector<PrintedLines> tables = cut_before(printed, cuts);
  // Promotions that name no piece are the same move four times, and a generator may list each move
  // twice: then the total counts all of them.
  const std::set<std::string> bare = bare_promotions(printed.asked);
  const auto shape_of = [](const PrintedRow& row) {
    return std::pair(row.counts.front().place / place::kFirstBefore, row.is_info);
  };
  const bool is_one = std::ranges::any_of(printed.rows, [&](const PrintedRow& row) {
    const bool is_remark = shape_of(row) != shape_of(printed.rows.front());
    return is_remark || row.meaning.move.empty() || bare.contains(row.meaning.move);
  });
  if (is_one || tables.front().rows.size() < 2 || !have_same_moves(tables) || is_whole(printed))
    return {printed};
  return tables;
}

}  // namespace manyply
