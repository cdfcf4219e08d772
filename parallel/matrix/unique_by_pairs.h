// Counts distinct positions by pairs of configurations. A pair is a bit of a matrix; positions are
// not stored one by one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/configurations/configuration.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/jobs/workforce.h"

namespace manyply {

/// The smallest depth at which this method is the default. Shallower counts are fast by any method.
inline constexpr int kMinPairDepth = 5;

/// Finds distinct positions as find_unique() does, but by pairs and with at most `memory_bytes`.
/// Never calls on_position. Stores the whole matrix of bits for each ply except the last two. Makes
/// the ply before the last in as many parts as memory requires. For each part, counts the rows of
/// the last ply without storing them. Counts paths separately with run_job(). If `memory_bytes` is
/// too small, the error is kUnavailable with field "memory". Catches only the exception
/// MatrixDoesNotFit. Precondition: spec.depth >= 2.
std::optional<Error> find_unique_by_pairs(const UniqueSpec& spec, std::uint64_t memory_bytes,
                                          const Workforce& by, const UniqueObserver& observer);

/// Assigns each row of a ply to a part. To count the next ply, a part must make two sets of rows:
/// its own rows, and those rows that would be its own if they lost one piece. To keep the second
/// set small, only one half of a row's pieces determines its part. The first half is the pawns on
/// files a to d, the knights and the king. The second half is all other pieces. Usually the first
/// half determines the part, so the loss of a piece of the second half does not change the part.
/// But if the first half has lost pieces since the root and the second half has not, the second
/// half determines the part. It then does not matter which pieces the first half has lost. So about
/// two parts make each row. (If a row's part depended on all pieces, each possible capture could
/// lead to another part.) Immutable. Any thread may use it.
class UniqueParts {
 public:
  /// `root` is the side's configuration at the root.
  UniqueParts(const Configuration& root, std::uint32_t parts);

  [[nodiscard]] std::uint32_t parts() const { return parts_; }
  [[nodiscard]] std::uint32_t part_of(const Configuration& configuration) const;
  /// Returns whether the configuration is in `part`, or could be in it after the loss of one piece.
  [[nodiscard]] bool needs(std::uint32_t part, const Configuration& configuration) const;

  /// Estimates how many of all rows each part makes if there are `parts` parts. Returns this number
  /// as a fraction of all rows.
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
