#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/counting.h"
#include "tools/text/suite_row.h"

namespace manyply {
namespace {

constexpr std::uint64_t kMostMoves = 218;  ///< most legal moves in any legal position
/// Trees with at most this number of leaves are always counted, and do not use up kAllowance. The
/// same is true of the first two plies of each position.
constexpr double kFree = 5'000;
/// Limit on the leaves that are counted for one table, added up over all rows. Only larger trees
/// use it up. Counting this number of leaves takes milliseconds.
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
/// Never reads two numbers as counts from depth 0, because `1,20` is also a depth and its nodes.
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
    // If the number equals our count at another depth, it is not a wrong count at this depth.
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
  // The small counts were checked, and are right or nearly right. So the larger counts are probably
  // also read correctly.
  if (least == Fit::kPossible && told->size() > 1) return Fit::kNear;
  // If a row has a single number that is only near our count, the number can have any meaning.
  return least == Fit::kNear && numbers.size() == 1 ? Fit::kRefuted : least;
}

/// Returns the reading that fits better than all others. Returns nullopt if no reading does, or if
/// the best fit is at most kDoubtful. A reading with kNear does not win against a reading that
/// could not be checked.
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
