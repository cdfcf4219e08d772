#include "parallel/matrix/memory_estimate.h"

#include <algorithm>
#include <cmath>

#include "core/configurations/leaf_kernel.h"
#include "parallel/matrix/matrix_memory.h"
#include "parallel/matrix/matrix_stage.h"

namespace manyply {

void StageForecast::check(std::uint64_t matrix_bytes, int plies) {
  const auto bytes = static_cast<double>(matrix_bytes);
  const double growth = last_ > 0 ? bytes / last_ : 1;
  last_ = bytes;
  // The last matrix, the last ply and the tables of lanes together need at least this multiple of
  // the last matrix's size. Measured from the start position: 4.2 at depth 9 and 3.6 at depth 10.
  constexpr double kOfMatrix = 2;
  constexpr double kFirstSure = 1 << 20;
  if (bytes >= kFirstSure && kOfMatrix * bytes * std::pow(growth, plies) > most_bytes_)
    throw MatrixTakesTooMuch("matrices would take too much memory");
}

double PartMemory::whole_stage_bytes() const {
  return sizes_.base_bytes * std::pow(sizes_.growth, sizes_.cone_plies);
}

// The constants were measured from the start position at depths 9 to 11. For X and Y, see
// matrix_cone.h.
double PartMemory::column_bytes() const {
  // Factor by which the number of Y's configurations grows in two plies. The measured factor is
  // smaller if the cone has two plies.
  const double growth_of_ply = sizes_.cone_plies % 2 == 0 ? 20 : 36;
  constexpr double kOfColumn = 70;
  constexpr double kOfWorker = 5;
  constexpr double kOfOrdinary = 6 * kLeafRows;    // bytes for each worker
  const int levels = (sizes_.cone_plies + 1) / 2;  // number of Y's plies in a cone
  const double growth = std::pow(growth_of_ply, levels);
  const double columns = growth * sizes_.columns;
  return columns * kOfColumn +
         sizes_.workers * (columns * kOfWorker + sizes_.table_columns * kOfOrdinary);
}

/// Returns the bytes of a part's rows of the last ply. In most rows, the side has lost a piece. One
/// part has most of these rows. So a part's fraction of all rows may be kLargest times its share of
/// the sources.
double PartMemory::row_bytes(double share) const {
  const double of_source = sizes_.cone_plies < 2 ? 42 : 27;  // rows for each source
  constexpr double kOfRow = 75;  // bytes of a row and of the moves that lead to it
  constexpr double kLargest = 1.5;
  return std::min(1.0, kLargest * share) * sizes_.sources * of_source * kOfRow;
}

/// Returns the bytes of a part's configurations of Y. Parts have many of these configurations in
/// common, so a part with a small share still needs many of them. A part with share 1 needs
/// `of_source` bytes for each source.
double PartMemory::source_bytes(double share, double of_source) const {
  return sizes_.cone_plies == 0 ? 0 : std::cbrt(share) * of_source * sizes_.sources;
}

/// Returns the bytes that a part needs at most while it plays Y's last ply. First, the stage from
/// which the ply starts and the rows of the ply are in memory. Then the rows are transposed, and
/// some of them are in memory twice. If the stage from which the ply starts is small, it is freed
/// only after transposing. Measured from the start position at depths 9, 10 and 12.
double PartMemory::making_bytes(double share) const {
  if (sizes_.cone_plies == 0) return 0;
  constexpr double kOfSource = 1100;
  constexpr double kBefore = 2.5;  // parts have many rows of the earlier stage in common
  constexpr double kRows = 1.25;   // size of the rows, compared with the resulting stage
  constexpr double kTwice = 2.1;
  constexpr double kTwiceBySlices = 1.55;
  const double before = share * kBefore * whole_stage_bytes() / sizes_.growth;
  const double stage = share * whole_stage_bytes();
  const double most = before < kSlicedStage
                          ? before + kTwice * stage
                          : std::max(before + kRows * stage, kTwiceBySlices * stage);
  return most + source_bytes(share, kOfSource);
}

/// Returns the bytes of PartLeads: two bits for each source and part.
double PartMemory::lead_bytes(double share) const {
  if (sizes_.sources == 0) return 0;    // then the largest share of a part is 0, too
  constexpr double kPartsOfSource = 6;  // parts to which a source leads, on average
  constexpr double kWord = 64;
  return 2 * 8 * std::ceil(kPartsOfSource / share / kWord) * sizes_.sources;
}

double PartMemory::part_bytes(double share) const {
  const double stage = share * whole_stage_bytes();
  constexpr double kOfSource = 400;
  const double counting =
      stage + column_bytes() + row_bytes(share) + source_bytes(share, kOfSource);
  return lead_bytes(share) + std::max(making_bytes(share), counting);
}

double PartMemory::most_share(double left, double most) const {
  constexpr double kLeast = 0.002;
  double least = 0;
  for (int step = 0; step < 20; ++step) {
    const double share = (least + most) / 2;
    (part_bytes(share) < kPlanned * left ? least : most) = share;
  }
  return std::max(kLeast, most);
}

}  // namespace manyply
