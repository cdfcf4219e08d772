// Helpers for tests of distinct positions.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/known_values.h"
#include "parallel/jobs/unique_job.h"

namespace manyply {

/// Returns the numbers of each ply. There must be no error.
inline std::vector<UniquePly> plies_of(const UniqueSpec& spec, UniqueObserver observer = {}) {
  std::vector<UniquePly> plies;
  observer.on_ply = [&](const UniquePly& ply) -> std::optional<Error> {
    plies.push_back(ply);
    return std::nullopt;
  };
  const auto error = find_unique(spec, observer, {});
  EXPECT_FALSE(error.has_value()) << error->to_string();
  return plies;
}

inline void expect_same_plies(const std::vector<UniquePly>& found,
                              const std::vector<UniquePly>& expected, const std::string& where) {
  ASSERT_EQ(found.size(), expected.size()) << where;
  for (std::size_t ply = 0; ply < found.size(); ++ply) {
    EXPECT_EQ(found[ply].distinct, expected[ply].distinct) << where << ", ply " << ply;
    EXPECT_EQ(found[ply].paths, expected[ply].paths) << where << ", ply " << ply;
  }
}

/// Compares plies 0 to `depth` from the start position with published numbers.
inline void expect_known_plies(const std::vector<UniquePly>& plies, int depth) {
  ASSERT_EQ(plies.size(), static_cast<std::size_t>(depth + 1));
  for (int ply = 0; ply <= depth; ++ply) {
    const UniquePly& found = plies[static_cast<std::size_t>(ply)];
    EXPECT_EQ(found.ply, ply);
    EXPECT_EQ(NodeCount(found.distinct), known_distinct(Position(), Depth(ply))) << ply;
    EXPECT_EQ(found.paths, known_value(Position(), Depth(ply))) << ply;
  }
}

}  // namespace manyply
