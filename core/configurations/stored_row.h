// Stored rows of a matrix. Each row has the numbers of paths to its pairs, in packed form.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/configurations/columns.h"

namespace manyply {

/// A stored row. It has the groups of columns in which the row has paths, and the number of paths
/// to each pair.
struct RowView {
  const std::uint32_t* groups;  ///< numbers of the groups, ascending
  const std::uint8_t* lanes;   ///< by group: the columns with paths; bit k is column k of the group
  const std::uint16_t* paths;  ///< the packed paths of all groups, one group after the other
  std::size_t size;            ///< number of groups
};

// Packed paths of a group have one number for each column with paths. If all of these numbers are
// below 2^16, they are stored in 16 bits each. Otherwise, the packed paths start with 0 and with
// the set of columns that have larger numbers. The lower halves of all numbers follow, and then the
// upper halves of the larger numbers.
//
// Code that unpacks numbers in vector registers may read kPackedReadAhead words more than there
// are, so these words must exist.

inline constexpr std::size_t kMostPacked = 2 + 2 * kGroupColumns;  ///< words of a group
inline constexpr std::size_t kPackedReadAhead = 8;

/// Returns the number of words of the packed paths at `packed`. `lanes` is the set of columns with
/// paths.
inline std::size_t packed_size(unsigned lanes, const std::uint16_t* packed) {
  const auto count = static_cast<std::size_t>(std::popcount(lanes));
  if (*packed != 0) [[likely]]
    return count;
  return 2 + count + static_cast<std::size_t>(std::popcount(packed[1]));
}

/// Writes the packed paths at `packed` to `paths`, which has room for a group. The numbers of
/// columns that are not in `lanes` become 0. Returns the place after the packed paths.
inline const std::uint16_t* unpack(unsigned lanes, const std::uint16_t* packed,
                                   std::uint32_t* paths) {
  std::fill_n(paths, kGroupColumns, 0U);
  unsigned large = 0;
  if (*packed == 0) {
    large = packed[1];
    packed += 2;
  }
  for (; lanes != 0; lanes &= lanes - 1) paths[std::countr_zero(lanes)] = *packed++;
  for (; large != 0; large &= large - 1)
    paths[std::countr_zero(large)] |= std::uint32_t{*packed++} << 16;
  return packed;
}

/// Returns the columns in `lanes` whose numbers do not fit into 16 bits.
inline unsigned large_lanes(unsigned lanes, const std::uint32_t* paths) {
  unsigned large = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(lanes));
    large |= (paths[lane] > 0xFFFF ? 1U : 0U) << lane;
  }
  return large;
}

/// Returns the number of words that pack() writes.
inline std::size_t size_to_pack(unsigned lanes, const std::uint32_t* paths) {
  const unsigned large = large_lanes(lanes, paths);
  return static_cast<std::size_t>(std::popcount(lanes) +
                                  (large == 0 ? 0 : 2 + std::popcount(large)));
}

/// Packs the numbers of the columns in `lanes`, which must not be 0. Writes at most kMostPacked
/// words to `to`, and returns the place after the last one.
inline std::uint16_t* pack(unsigned lanes, const std::uint32_t* paths, std::uint16_t* to) {
  unsigned large = large_lanes(lanes, paths);
  if (large != 0) [[unlikely]] {
    *to++ = 0;
    *to++ = static_cast<std::uint16_t>(large);
  }
  for (; lanes != 0; lanes &= lanes - 1)
    *to++ = static_cast<std::uint16_t>(paths[std::countr_zero(lanes)]);
  for (; large != 0; large &= large - 1)
    *to++ = static_cast<std::uint16_t>(paths[std::countr_zero(large)] >> 16);
  return to;
}

/// Calls visit(lane, paths) for each column of a group that has paths. Returns the place after the
/// group's packed paths.
template <typename Visit>
const std::uint16_t* for_each_in_group(unsigned lanes, const std::uint16_t* packed,
                                       const Visit& visit) {
  if (*packed != 0) [[likely]] {
    for (; lanes != 0; lanes &= lanes - 1)
      visit(static_cast<std::size_t>(std::countr_zero(lanes)), std::uint32_t{*packed++});
    return packed;
  }
  std::uint32_t paths[kGroupColumns];
  const std::uint16_t* const end = unpack(lanes, packed, paths);
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    visit(lane, paths[lane]);
  }
  return end;
}

/// Calls visit(column) for each column in which `row` has paths.
template <typename Visit>
void for_each_column(const RowView& row, const Visit& visit) {
  for (std::size_t i = 0; i < row.size; ++i) {
    for (unsigned lanes = row.lanes[i]; lanes != 0; lanes &= lanes - 1)
      visit(row.groups[i] * kGroupColumns + static_cast<std::size_t>(std::countr_zero(lanes)));
  }
}

/// Appends the numbers of paths of `row` to `paths`: kGroupColumns numbers for each group.
inline void append_unpacked(const RowView& row, std::vector<std::uint32_t>& paths) {
  const std::uint16_t* packed = row.paths;
  for (std::size_t i = 0; i < row.size; ++i) {
    paths.resize(paths.size() + kGroupColumns);
    packed = unpack(row.lanes[i], packed, &paths[paths.size() - kGroupColumns]);
  }
}

}  // namespace manyply
