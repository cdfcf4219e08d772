#include "tools/cli/framework/suggestion.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace manyply {

int typing_errors(std::string_view a, std::string_view b) {
  // Rows of the table of distances between prefixes of `a` and all prefixes of `b`.
  std::array<std::vector<int>, 3> rows;
  for (std::vector<int>& row : rows) row.resize(b.size() + 1);
  auto& [before, last, row] = rows;
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t kTold = 3;  // letters
  constexpr std::size_t kLongest = 100;
  if (word.size() > kLongest) return std::nullopt;
  const std::string* best = nullptr;
  int fewest = 0;
  std::size_t longest = 0;
  for (const std::string& name : names) {
    const int errors = typing_errors(word, name);
    const bool near = errors <= static_cast<int>(std::max(word.size(), name.size()) / kTold);
    if (near && (best == nullptr || errors < fewest)) {
      best = &name;
      fewest = errors;
    }
  }
  if (best != nullptr) return *best;
  for (const std::string& name : names) {
    const auto same =
        static_cast<std::size_t>(std::ranges::mismatch(word, name).in1 - word.begin());
    if (same >= kTold && same > longest) {
      best = &name;
      longest = same;
    }
  }
  return best != nullptr ? std::optional(*best) : std::nullopt;
}

}  // namespace manyply
