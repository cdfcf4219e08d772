// Divides a side's configurations into parts that are counted one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/configurations/configuration.h"

namespace manyply {

/// Returns a hash of `sets`, by which a share or a part is chosen. Different seeds lead to
/// different hashes.
[[nodiscard]] std::uint64_t hash_of(std::span<const Bitboard> sets, std::uint64_t seed = 0);

/// Assigns each row of a ply to a part. To count the next ply, a part must make its own rows, and
/// all rows that would become its own by the loss of one piece. To keep these rows few, the pieces
/// are divided into two halves. The first half is the pawns on files a to d, the knights and the
/// king. The second half is all other pieces. The part of a row usually depends only on the first
/// half, so the loss of a piece of the second half does not change the part. Exception: if only the
/// first half has lost pieces since the root, the part depends only on the second half. It is then
/// the same whichever piece of the first half is lost. So about two parts make each row, instead of
/// one part for each piece that may be captured. Immutable. Any thread may use it.
class UniqueParts {
 public:
  /// `root` is the side's configuration at the root.
  UniqueParts(const Configuration& root, std::uint32_t parts);

  [[nodiscard]] std::uint32_t parts() const { return parts_; }
  [[nodiscard]] std::uint32_t part_of(const Configuration& configuration) const;
  /// Returns whether the configuration is in `part`, or could be in it after the loss of one piece.
  [[nodiscard]] bool needs(std::uint32_t part, const Configuration& configuration) const;

  /// Returns the estimated fraction of all rows that each of `parts` parts makes.
  [[nodiscard]] static constexpr double share(std::uint32_t parts) {
    return parts == 1 ? 1 : kMade / parts < 1 ? kMade / parts : 1;
  }
  /// Returns the factor by which `parts` parts are expected to slow down the last two plies.
  [[nodiscard]] static constexpr double work(std::uint32_t parts) {
    constexpr double kListing = 0.1;  // for listing moves in each part
    return parts == 1 ? 1 : kMade + kListing * parts;
  }

 private:
  static constexpr double kMade = 2.2;

  using Half = std::array<Bitboard, 4>;
  static std::array<Half, 2> halves_of(const Pieces& pieces);
  static int size_of(const Half& half);

  const std::uint32_t parts_;
  int first_half_;   // number of pieces of the first half at the root
  int second_half_;  // number of pieces of the second half at the root
};

}  // namespace manyply
