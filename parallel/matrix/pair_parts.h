// A side's configurations in parts, so that each can be played by itself.
#pragma once

#include <array>
#include <cstdint>

#include "core/configurations/configuration.h"

namespace manyply {

/// A part's columns come from those rows before them that belong to it, and from those that lose a
/// piece and belong to it then. So a configuration is put into a part by half of its side's pieces
/// only, and by the other half where one of the former is lost: most captures then lead to the same
/// part, and rows are made about twice, not once for each piece that may be captured. Immutable;
/// any thread.
class PairParts {
 public:
  /// `root` is the side's at the root.
  PairParts(const Configuration& root, std::uint32_t parts);

  [[nodiscard]] std::uint32_t parts() const { return parts_; }
  [[nodiscard]] std::uint32_t part_of(const Configuration& configuration) const;
  /// Whether `part` has the configuration, or what is left of it after a capture.
  [[nodiscard]] bool needs(std::uint32_t part, const Configuration& configuration) const;

  /// The share of all rows that a part makes, by estimate: not measured yet.
  [[nodiscard]] static constexpr double share(std::uint32_t parts) {
    return parts == 1 ? 1 : kMade / parts < 1 ? kMade / parts : 1;
  }
  /// The time that both plies take, by how long the whole would.
  [[nodiscard]] static constexpr double work(std::uint32_t parts) {
    constexpr double kListing = 0.1;  // of moves, once for each part
    return parts == 1 ? 1 : kMade + kListing * parts;
  }

 private:
  static constexpr double kMade = 2.2;

  using Half = std::array<Bitboard, 4>;
  static std::array<Half, 2> halves_of(const Pieces& pieces);
  static int size_of(const Half& half);

  const std::uint32_t parts_;
  int first_half_;   // pieces at the root
  int second_half_;  // the same
};

}  // namespace manyply
