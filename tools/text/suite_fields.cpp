// Decides what the fields of a suite mean. Names determine the meaning of named fields and of table
// columns. To find the meaning of unnamed numbers, compares them with the counts of small trees.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/counting.h"
#include "core/position_text.h"
#include "tools/text/line_tokens.h"
#include "tools/text/suite_reader.h"

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

namespace {

constexpr std::uint64_t kMostMoves = 218;  ///< most legal moves in any legal position
/// Trees with at most this number of leaves, and the first two plies of each position, are always
/// counted. They do not use up kAllowance.
constexpr double kFree = 5'000;
/// Limit on the leaves that are counted for one table, added up over all rows. Only trees with more
/// than kFree leaves use up this limit. Counting this number of leaves takes milliseconds.
constexpr std::uint64_t kAllowance = 2'000'000;
constexpr std::uint64_t kCostOfCounting = 100;  ///< fixed cost of one count, in leaves

using Numbers = std::span<const BareNumber>;
using Told = std::optional<std::vector<ToldCount>>;

std::optional<Depth> as_depth(NodeCount number) {
  if (number > NodeCount(static_cast<std::uint64_t>(Depth::kMax))) return std::nullopt;
  return Depth(static_cast<int>(number.low()));
}

Told counts_from(std::size_t first, Numbers numbers) {
  std::vector<ToldCount> told;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::optional<Depth> depth = as_depth(NodeCount(first + i));
    if (!depth) return std::nullopt;
    told.push_back({*depth, numbers[i].value, numbers[i].column});
  }
  return told;
}
Told counts_from_1(Numbers numbers) { return counts_from(1, numbers); }
/// Returns nullopt for two numbers, because `1,20` may also be a depth and its nodes.
Told counts_from_0(Numbers numbers) {
  if (numbers.size() < 3 || numbers[0].value != NodeCount(1)) return std::nullopt;
  return counts_from(0, numbers);
}
Told depth_and_nodes(Numbers numbers) {
  if (numbers.size() != 2) return std::nullopt;
  const std::optional<Depth> depth = as_depth(numbers[0].value);
  if (!depth) return std::nullopt;
  return std::vector<ToldCount>{{*depth, numbers[1].value, numbers[1].column}};
}
Told nodes_and_depth(Numbers numbers) {
  if (numbers.size() != 2 || numbers[0].value == numbers[1].value) return std::nullopt;
  const std::array<BareNumber, 2> swapped{numbers[1], numbers[0]};
  return depth_and_nodes(swapped);
}
Told pairs(Numbers numbers) {
  if (numbers.size() < 4 || numbers.size() % 2 != 0) return std::nullopt;
  std::vector<ToldCount> told;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    const Told pair = depth_and_nodes(numbers.subspan(i, 2));
    if (!pair || (!told.empty() && pair->front().depth <= told.back().depth)) return std::nullopt;
    told.push_back(pair->front());
  }
  return told;
}

/// All readings. The first reading is used if no row fits another reading better.
constexpr std::array<RowReading, 5> kReadings{{{"counts from depth 1 on", counts_from_1},
                                               {"depth, nodes", depth_and_nodes},
                                               {"counts from depth 0 on", counts_from_0},
                                               {"depth, nodes, depth, nodes …", pairs},
                                               {"nodes, depth", nodes_and_depth}}};

/// How well a number fits a meaning, from worst to best.
enum class Fit : std::uint8_t {
  kRefuted,
  kDoubtful,  ///< not checked by counting; the growth of the tree would be unusual
  kPossible,  ///< not checked by counting; the growth of the tree is plausible
  kNear,      ///< within a factor of two of our count: probably a wrong count
  kEqual,
};

/// Counts one position on demand, and compares numbers with the counts.
class Tree {
 public:
  Tree(const Position& root, std::uint64_t& allowance) : root_(root), allowance_(allowance) {}

  /// Returns perft(plies); nullopt if counting would exceed the allowance.
  std::optional<NodeCount> at(int plies) {
    while (static_cast<int>(counts_.size()) <= plies) {
      const NodeCount most = counts_.back() * NodeCount(kMostMoves);
      const bool is_free = counts_.size() <= 2 || next_at_most() <= kFree;
      if (!is_free && most > NodeCount(allowance_)) return std::nullopt;
      const Result<NodeCount> next = count_nodes(root_, Depth(static_cast<int>(counts_.size())));
      if (!next) return std::nullopt;
      if (!is_free) allowance_ -= std::min(allowance_, next->low() + kCostOfCounting);
      counts_.push_back(*next);
    }
    return counts_[static_cast<std::size_t>(plies)];
  }

  Fit fit(int plies, NodeCount claimed) {
    if (const std::optional<NodeCount> counted = at(plies)) return fit(*counted, claimed);
    // Counting at this depth would exceed the allowance. If `claimed` equals our count at a smaller
    // depth, `claimed` is the count of that depth, not of this depth.
    if (std::ranges::count(counts_, claimed) > 0 || claimed == NodeCount(0)) return Fit::kRefuted;
    const double depth_of_claim = plies * std::log(claimed.approximate()) / log_at(plies);
    const double off = std::abs(depth_of_claim - plies);
    if (off <= 0.5 + 0.1 * plies) return Fit::kPossible;
    return off <= 0.5 + 0.3 * plies ? Fit::kDoubtful : Fit::kRefuted;
  }

 private:
  static Fit fit(NodeCount counted, NodeCount claimed) {
    if (claimed == counted) return Fit::kEqual;
    const auto [less, more] = std::minmax(counted, claimed);
    return more.approximate() <= 2 * less.approximate() + 1 ? Fit::kNear : Fit::kRefuted;
  }

  /// Returns an upper estimate of the leaves at the next depth. Assumes that the tree grows at most
  /// twice as fast as at the last two depths.
  [[nodiscard]] double next_at_most() const {
    double growth = 1;
    for (std::size_t i = counts_.size() - 2; i < counts_.size(); ++i)
      growth =
          std::max(growth, counts_[i].approximate() / std::max(counts_[i - 1].approximate(), 1.0));
    return 2 * growth * counts_.back().approximate();
  }

  /// Returns the estimated logarithm of perft(plies) beyond the counted depths. Assumes that the
  /// tree grows as before.
  [[nodiscard]] double log_at(int plies) const {
    const std::size_t last = counts_.size() - 1;
    const auto log_of = [&](std::size_t i) {
      return std::log(std::max(counts_[i].approximate(), 1.0));
    };
    const double growth = (log_of(last) - log_of(last - 2)) / 2;  // mean of one ply of each side
    return log_of(last) + (plies - static_cast<int>(last)) * std::max(growth, 0.2);
  }

  const Position& root_;
  std::uint64_t& allowance_;
  std::vector<NodeCount> counts_{NodeCount(1)};
};

/// For each of kReadings, how well it fits a row.
using Fits = std::array<Fit, kReadings.size()>;

Fit fit_of(Tree& tree, const RowReading& reading, Numbers numbers) {
  const Told told = reading.read(numbers);
  if (!told) return Fit::kRefuted;
  Fit least = Fit::kEqual;
  for (const ToldCount& count : *told) {
    least = std::min(least, tree.fit(count.depth.plies(), count.nodes));
    if (least <= Fit::kDoubtful) return least;
  }
  // The counts that could be checked are right or nearly right. So the larger counts, which could
  // not be checked, are probably also read correctly.
  if (least == Fit::kPossible && told->size() > 1) return Fit::kNear;
  // If a row has only one number, and this number is near our count but not equal, the row does not
  // support the reading: the number may mean anything.
  return least == Fit::kNear && numbers.size() == 1 ? Fit::kRefuted : least;
}

/// Returns the reading that fits better than all others. Returns nullopt in three cases: several
/// readings fit best; the best fit is at most kDoubtful; or the best fit is kNear, and another
/// reading could not be checked.
std::optional<std::size_t> vote_of(const Fits& fits) {
  const auto best = std::ranges::max_element(fits);
  if (*best <= Fit::kDoubtful || std::ranges::count(fits, *best) > 1) return std::nullopt;
  const auto is_open = [](Fit fit) { return fit == Fit::kDoubtful || fit == Fit::kPossible; };
  if (*best == Fit::kNear && std::ranges::any_of(fits, is_open)) return std::nullopt;
  return static_cast<std::size_t>(best - fits.begin());
}

constexpr const char* kAdvice =
    "name the columns in a header such as 'fen,depth,nodes' or 'fen,D1,D2'";

/// Returns our counts of the first plies, one for each of `numbers`: "20, 400". If a depth is too
/// large to count, the text ends with "and so on".
std::string first_counts(Tree& tree, Numbers numbers) {
  std::string text;
  for (int plies = 1; plies <= static_cast<int>(numbers.size()); ++plies) {
    const std::optional<NodeCount> counted = tree.at(plies);
    text += plies == 1 ? "" : ", ";
    if (!counted) return text + "and so on";
    text += counted->to_string();
  }
  return text;
}

std::string written(Numbers numbers) {
  std::string text;
  for (const BareNumber& number : numbers)
    text += (text.empty() ? "" : ",") + number.value.to_string();
  return quote(text);
}

Error undecided(const SuiteRow& row, const std::string& why) {
  return {ErrorCode::kInvalidInput, "count", row.bare[0].column,
          fmt::format("{} {}; {}", written(row.bare), why, kAdvice)};
}

Error neither(const SuiteRow& row) {
  std::uint64_t allowance = kAllowance;
  Tree tree(row.root.position, allowance);
  std::string why = fmt::format("{} (correct: {})",
                                row.bare.size() == 1 ? "is neither the count at depth 1"
                                                     : "are neither the counts at depths 1, 2, …",
                                first_counts(tree, row.bare));
  why += " nor a depth and its nodes";
  if (const std::optional<Depth> depth = as_depth(row.bare[0].value);
      depth && row.bare.size() == 2) {
    if (const auto counted = tree.at(depth->plies()))
      why += fmt::format(" (correct: {})", counted->to_string());
  }
  return undecided(row, why);
}

}  // namespace

std::variant<const RowReading*, Undecided> reading_of(std::span<const SuiteRow* const> rows) {
  std::uint64_t allowance = kAllowance;
  std::vector<Fits> all;
  std::array<std::size_t, kReadings.size()> votes{};
  for (const SuiteRow* const row : rows) {
    Tree tree(row->root.position, allowance);
    tree.at(2);
    Fits fits{};
    for (std::size_t i = 0; i < fits.size(); ++i) fits[i] = fit_of(tree, kReadings[i], row->bare);
    all.push_back(fits);
    if (const auto vote = vote_of(fits)) ++votes[*vote];
  }
  const auto most = static_cast<std::size_t>(std::ranges::max_element(votes) - votes.begin());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto vote = vote_of(all[i]);
    if (!vote || *vote == most) continue;
    return Undecided{
        i, undecided(*rows[i], fmt::format("fit '{}', but other rows fit '{}'",
                                           kReadings[*vote].words, kReadings[most].words))};
  }
  const auto is_refuted = [&](const Fits& fits) { return fits[most] <= Fit::kDoubtful; };
  const auto is_confirmed = [&](const Fits& fits) { return fits[most] >= Fit::kNear; };
  const auto refuted = std::ranges::count_if(all, is_refuted);
  if (refuted == 0 || std::ranges::count_if(all, is_confirmed) > refuted) return &kReadings[most];
  const auto row = std::ranges::find_if(all, is_refuted) - all.begin();
  return Undecided{static_cast<std::size_t>(row), neither(*rows[static_cast<std::size_t>(row)])};
}

bool begins_at_zero(std::span<const SuiteRow* const> rows) {
  std::size_t shifted = 0;
  for (const SuiteRow* const row : rows) {
    const auto zero = std::ranges::find(row->told, Depth(0), &ToldCount::depth);
    if (zero->nodes == NodeCount(1)) return false;
    const Result<NodeCount> moves = count_nodes(row->root.position, Depth(1));
    if (moves && *moves == zero->nodes) ++shifted;
  }
  return 2 * shifted > rows.size();
}

}  // namespace manyply
