#include "tools/question/row_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/counting.h"
#include "core/quote.h"

namespace manyply {
namespace {

constexpr std::uint64_t kMostMoves = 218;  ///< that any legal position has
/// Leaves that may be counted to judge one table: milliseconds. The two first plies of each row
/// are counted in any case.
constexpr std::uint64_t kAllowance = 2'000'000;
constexpr std::uint64_t kCostOfCounting = 100;  ///< in leaves, however few there are
const NodeCount kDeepest(static_cast<std::uint64_t>(Depth::kMax));

/// How well a number fits what it is taken for; the better the greater.
enum class Fit : std::uint8_t {
  kRefuted,
  kPossible,  ///< not counted here; the tree may grow like that
  kNear,      ///< within a factor of two: our count, wrongly made
  kEqual,
};

/// What is counted here of one position.
class Tree {
 public:
  Tree(const Position& root, std::uint64_t& allowance) : root_(root), allowance_(allowance) {}

  /// perft(plies), if it is cheap.
  std::optional<NodeCount> at(int plies) {
    while (static_cast<int>(counts_.size()) <= plies) {
      const NodeCount most = counts_.back() * NodeCount(kMostMoves);
      if (counts_.size() > 2 && most > NodeCount(allowance_)) return std::nullopt;
      const Result<NodeCount> next = count_nodes(root_, Depth(static_cast<int>(counts_.size())));
      if (!next) return std::nullopt;
      if (counts_.size() > 2) allowance_ -= std::min(allowance_, next->low() + kCostOfCounting);
      counts_.push_back(*next);
    }
    return counts_[static_cast<std::size_t>(plies)];
  }

  Fit fit(int plies, NodeCount claimed) {
    if (const std::optional<NodeCount> counted = at(plies)) return fit(*counted, claimed);
    // A count of another depth is no wrong count of this one.
    if (std::ranges::count(counts_, claimed) > 0 || claimed == NodeCount(0)) return Fit::kRefuted;
    const double depth_of_claim = plies * std::log(claimed.approximate()) / log_at(plies);
    return std::abs(depth_of_claim - plies) <= 0.5 + 0.1 * plies ? Fit::kPossible : Fit::kRefuted;
  }

 private:
  static Fit fit(NodeCount counted, NodeCount claimed) {
    if (claimed == counted) return Fit::kEqual;
    const auto [less, more] = std::minmax(counted, claimed);
    return more.approximate() <= 2 * less.approximate() + 1 ? Fit::kNear : Fit::kRefuted;
  }

  /// Of perft(plies), which is beyond what was counted: as if it went on growing as it did.
  [[nodiscard]] double log_at(int plies) const {
    const std::size_t last = counts_.size() - 1;
    const auto log_of = [&](std::size_t i) {
      return std::log(std::max(counts_[i].approximate(), 1.0));
    };
    const double growth = (log_of(last) - log_of(last - 2)) / 2;  // of both sides, one ply each
    return log_of(last) + (plies - static_cast<int>(last)) * std::max(growth, 0.2);
  }

  const Position& root_;
  std::uint64_t& allowance_;
  std::vector<NodeCount> counts_{NodeCount(1)};
};

/// How well both readings fit a row.
struct Fits {
  Fit counts;
  Fit pair;
};

Fit fit_of_counts(Tree& tree, const BareRow& row) {
  Fit least = Fit::kEqual;
  for (std::size_t i = 0; i < row.numbers.size() && least != Fit::kRefuted; ++i)
    least = std::min(least, tree.fit(static_cast<int>(i) + 1, row.numbers[i].value));
  // Beyond two counts that are confirmed the others may be too large to be counted here.
  if (least == Fit::kPossible) return Fit::kNear;
  // One number alone may be anything.
  return least == Fit::kNear && row.numbers.size() == 1 ? Fit::kRefuted : least;
}

Fit fit_of_pair(Tree& tree, const BareRow& row) {
  if (row.numbers.size() != 2) return Fit::kRefuted;
  const NodeCount depth = row.numbers[0].value;
  if (depth > kDeepest) return Fit::kRefuted;
  return tree.fit(static_cast<int>(depth.low()), row.numbers[1].value);
}

constexpr const char* kAdvice =
    "a head such as 'fen,depth,nodes' or 'fen,D1,D2' says what they are";

/// "20, 400 …": what is counted here of the first plies, as many as there are numbers.
std::string first_counts(Tree& tree, const BareRow& row) {
  std::string text;
  for (int plies = 1; plies <= static_cast<int>(row.numbers.size()); ++plies) {
    const std::optional<NodeCount> counted = tree.at(plies);
    text += plies == 1 ? "" : ", ";
    if (!counted) return text + "and so on";
    text += counted->to_string();
  }
  return text;
}

std::string written(const BareRow& row) {
  std::string text;
  for (const BareRow::Number& number : row.numbers)
    text += (text.empty() ? "" : ",") + number.value.to_string();
  return quote(text);
}

Error neither(const BareRow& row) {
  std::uint64_t allowance = kAllowance;
  Tree tree(row.root, allowance);
  std::string why = fmt::format("{} {} neither counts from depth 1 on (here {})", written(row),
                                row.numbers.size() == 1 ? "is" : "are", first_counts(tree, row));
  why += " nor a depth and its nodes";
  const NodeCount depth = row.numbers[0].value;
  if (row.numbers.size() == 2 && depth <= kDeepest) {
    if (const auto counted = tree.at(static_cast<int>(depth.low())))
      why += fmt::format(" (here {})", counted->to_string());
  }
  return {ErrorCode::kInvalidInput, "count", row.numbers[0].column,
          fmt::format("{}; {}", why, kAdvice)};
}

Error mixed(const BareRow& row, RowReading this_row) {
  const char* const words = this_row == RowReading::kCounts
                                ? "are counts from depth 1 on, in other rows a depth and its nodes"
                                : "are a depth and its nodes, in other rows counts from depth 1 on";
  return {ErrorCode::kInvalidInput, "count", row.numbers[0].column,
          fmt::format("{} {}; {}", written(row), words, kAdvice)};
}

}  // namespace

std::variant<RowReading, Undecided> reading_of(std::span<const BareRow> rows) {
  std::uint64_t allowance = kAllowance;
  std::vector<Fits> fits;
  for (const BareRow& row : rows) {
    Tree tree(row.root, allowance);
    tree.at(2);
    const Fit counts = fit_of_counts(tree, row);
    fits.push_back({counts, fit_of_pair(tree, row)});
  }
  const auto for_counts = [](const Fits& fit) { return fit.counts > fit.pair; };
  const auto for_pairs = [](const Fits& fit) { return fit.pair > fit.counts; };
  const auto first = [&](const auto& predicate) {
    return static_cast<std::size_t>(std::ranges::find_if(fits, predicate) - fits.begin());
  };
  const auto votes_for_counts = std::ranges::count_if(fits, for_counts);
  const auto votes_for_pairs = std::ranges::count_if(fits, for_pairs);
  if (votes_for_counts > 0 && votes_for_pairs > 0) {
    const RowReading fewer =
        votes_for_counts < votes_for_pairs ? RowReading::kCounts : RowReading::kDepthAndNodes;
    const std::size_t row = fewer == RowReading::kCounts ? first(for_counts) : first(for_pairs);
    return Undecided{row, mixed(rows[row], fewer)};
  }
  const RowReading reading = votes_for_pairs > 0 ? RowReading::kDepthAndNodes : RowReading::kCounts;
  const auto member = reading == RowReading::kCounts ? &Fits::counts : &Fits::pair;
  const auto refuted = std::ranges::count(fits, Fit::kRefuted, member);
  const auto confirmed =
      std::ranges::count_if(fits, [](Fit fit) { return fit >= Fit::kNear; }, member);
  if (refuted == 0 || confirmed > refuted) return reading;
  const std::size_t row = first([&](const Fits& fit) { return fit.*member == Fit::kRefuted; });
  return Undecided{row, neither(rows[row])};
}

}  // namespace manyply
