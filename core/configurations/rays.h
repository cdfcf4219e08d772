// The eight directions of sliders, and the distances that sliders can go on a given board.
#pragma once

#include <array>
#include <cstddef>

#include "core/geometry.h"

namespace manyply {

/// The directions are north, north-east, east, north-west, and then their opposites in the same
/// order. The first four lead to higher squares. Directions with odd numbers are diagonal.
inline constexpr int kDirections = 8;

constexpr bool is_diagonal(int direction) { return (direction & 1) != 0; }
constexpr bool leads_up(int direction) { return direction < 4; }
constexpr int opposite(int direction) { return direction ^ 4; }
/// Returns whether directions `a` and `b` run along the same lines.
constexpr bool on_one_line(int a, int b) { return (a & 3) == (b & 3); }

namespace detail {

inline constexpr std::array<Step, kDirections> kDirectionSteps{
    {{0, 1}, {1, 1}, {1, 0}, {-1, 1}, {0, -1}, {-1, -1}, {-1, 0}, {1, -1}}};

constexpr std::array<std::array<Bitboard, kDirections>, 64> empty_rays() {
  std::array<std::array<Bitboard, kDirections>, 64> rays{};
  for (int square = 0; square < 64; ++square) {
    for (std::size_t d = 0; d < kDirections; ++d)
      rays[static_cast<std::size_t>(square)][d] = ray(square, kDirectionSteps[d], 0);
  }
  return rays;
}

inline constexpr auto kRays = empty_rays();

}  // namespace detail

/// Returns how much one step in `direction` adds to the number of the square.
constexpr int step_of(int direction) {
  constexpr std::array<int, kDirections> kSteps{8, 9, 1, 7, -8, -9, -1, -7};
  return kSteps[static_cast<std::size_t>(direction)];
}

/// Returns all squares in `direction` from `square`, without `square`.
constexpr Bitboard ray_of(int square, int direction) {
  return detail::kRays[static_cast<std::size_t>(square)][static_cast<std::size_t>(direction)];
}

/// Returns the first of `pieces` that a slider on `square` meets in `direction`, as a set. The set
/// is empty if the slider meets none of them.
constexpr Bitboard first_met(int square, int direction, Bitboard pieces) {
  const Bitboard met = ray_of(square, direction) & pieces;
  if (met == 0) return 0;
  return leads_up(direction) ? met & (0 - met) : bit(63 - std::countl_zero(met));
}

/// Returns the squares between `square` and the first of `pieces` in `direction`. If there is no
/// such piece, returns all squares up to the edge.
constexpr Bitboard squares_before(int square, int direction, Bitboard pieces) {
  const Bitboard ray = ray_of(square, direction);
  const Bitboard first = first_met(square, direction, pieces);
  if (first == 0) return ray;
  return ray & (leads_up(direction) ? first - 1 : ~(first | (first - 1)));
}

/// Returns the number of squares between `square` and the first of `pieces` in `direction`. If
/// there is no such piece, returns the number of squares up to the edge.
constexpr int free_squares(int square, int direction, Bitboard pieces) {
  return popcount(squares_before(square, direction, pieces));
}

/// Number of rays. A ray is a square and a direction.
inline constexpr std::size_t kRayCount = std::size_t{64} * kDirections;
/// Returns the number of a ray, 0 to kRayCount - 1.
constexpr std::size_t ray_number(int square, int direction) {
  return static_cast<std::size_t>(square) * kDirections + static_cast<std::size_t>(direction);
}

}  // namespace manyply
