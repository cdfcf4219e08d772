// Estimates of the memory that a count by configurations will need.
#pragma once

#include <cstdint>

namespace manyply {

/// Ends a count without parts early if later matrices would need too much memory. Assumes that
/// matrices grow at least as fast as in the previous ply, because the factor of growth increases
/// from ply to ply.
class StageForecast {
 public:
  explicit StageForecast(std::uint64_t most_bytes) : most_bytes_(static_cast<double>(most_bytes)) {}

  /// Call it with the size of each new stage's matrix in bytes. `plies` is the number of stages
  /// that will follow. Throws MatrixTakesTooMuch if they would need too much memory.
  void check(std::uint64_t matrix_bytes, int plies);

 private:
  const double most_bytes_;
  double last_ = 0;  // bytes of the previous matrix
};

/// The numbers from which the estimates are computed.
struct PartSizes {
  double base_bytes = 0;     ///< bytes of the base (matrix_cone.h)
  double growth = 1;         ///< factor by which matrices grow in each later ply
  int cone_plies = 0;        ///< number of plies of a cone
  double columns = 0;        ///< number of columns of the base
  double table_columns = 0;  ///< number of columns with tables of the last two plies
  double sources = 0;        ///< number of rows from which moves of the last ply start
  int workers = 1;
};

/// Estimates the memory of a part in bytes. The size of a part is given by its share: the weight of
/// the sources that lead to the part, divided by the weight of all sources (PartShare::stage).
class PartMemory {
 public:
  explicit PartMemory(const PartSizes& sizes) : sizes_(sizes) {}

  /// Returns the bytes of the whole stage before the last ply.
  [[nodiscard]] double whole_stage_bytes() const;
  /// Returns the bytes that a part with this share needs at most.
  [[nodiscard]] double part_bytes(double share) const;
  /// The fraction of the free bytes that a part is planned to need. The rest is for errors of the
  /// estimate: a part that does not fit is made again in pieces, which costs more than small parts.
  static constexpr double kPlanned = 0.88;
  /// Returns the largest share for which part_bytes() is at most kPlanned * left. `left` is the
  /// number of free bytes. The result is at most `most`, and at least 0.002 even if a part with
  /// this share does not fit.
  [[nodiscard]] double most_share(double left, double most) const;

  /// Returns the bytes of the last ply's columns. Does not include the stage from which this ply
  /// starts. Every part needs all columns.
  [[nodiscard]] double column_bytes() const;

 private:
  [[nodiscard]] double row_bytes(double share) const;
  [[nodiscard]] double making_bytes(double share) const;
  [[nodiscard]] double source_bytes(double share, double of_source) const;
  [[nodiscard]] double lead_bytes(double share) const;

  PartSizes sizes_;
};

}  // namespace manyply
