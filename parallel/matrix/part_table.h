// Divides the rows of the last ply of a count by configurations into parts, which are counted one
// after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "core/configurations/lone_moves.h"
#include "parallel/workers.h"

namespace manyply {

/// Sorts configurations of one side into cells. The number of a cell has one bit for each chosen
/// square. The bit is set if the configuration has a piece there. The chosen squares are those
/// where the side has pieces at the root, but at most kMostBits of them. If there are fewer than
/// 12, a hash of all occupied squares adds the missing bits. A move changes two squares (castling:
/// up to four), so a cell can be reached from only few other cells.
class Cells {
 public:
  static constexpr int kMostBits = 16;

  explicit Cells(const Configuration& root);

  /// Returns the number of cells. Cells are numbered from 0.
  [[nodiscard]] std::size_t count() const { return std::size_t{1} << bits_; }
  [[nodiscard]] std::uint32_t of(const Configuration& configuration) const {
    const Bitboard all = configuration.pieces.all();
    std::uint32_t cell = 0;
    for (std::size_t rank = 0; rank < 8; ++rank) cell ^= by_rank_[rank][all >> 8 * rank & 0xFF];
    return cell;
  }

 private:
  int bits_ = 0;
  std::array<std::array<std::uint16_t, 256>, 8> by_rank_{};
};

/// A row from which the last ply starts. It has a weight, and the cells to which its moves lead,
/// each cell once.
struct CellSource {
  struct Lead {
    std::uint32_t cell;
    std::uint32_t moves;  ///< number of moves that lead to the cell
  };
  double weight;
  std::vector<Lead> leads;

  /// `side` is the side of `configuration`.
  CellSource(const Cells& cells, const Configuration& configuration, Color side, double weight);
  /// Makes one source for all configurations that remain after the other side has captured the
  /// piece on one of the squares `taken`. The source leads to every cell that their moves reach.
  /// Sets Lead::moves to 0, so the source adds no work.
  CellSource(const Cells& cells, const Configuration& configuration, Bitboard taken, Color side,
             double weight);

 private:
  /// Adds the cells to which `steps` lead. `leads` must be empty.
  void add_leads(const Cells& cells, std::span<const LoneStep> steps);
};

/// The share of a part in a count. Both numbers are from 0 to 1.
struct PartShare {
  double stage = 0;  ///< share of the sources' weight; parts may have sources in common
  double work = 0;   ///< share of the work: moves of the last ply, weighted by their sources
};

/// Stores to which part each cell belongs.
class PartTable {
 public:
  /// Combines cells into parts. `sources` are a sample of the rows from which the last ply starts.
  /// The sources of a part are those that lead to a cell of the part. They have at most
  /// `most_share` of the weight of all `sources`. Only a part with a single cell may exceed this
  /// limit.
  ///
  /// A part starts with the cell whose sources have the largest weight. Then the part grows cell by
  /// cell. The next cell is the one that overlaps most with the part. The overlap is the fraction,
  /// by weight, of the cell's sources that are also sources of the part.
  PartTable(const Cells& cells, std::span<const CellSource> sources, double most_share);
  /// Returns a table of `parts` parts with about equal shares, or of fewer parts if there are too
  /// few cells.
  static PartTable of_size(const Cells& cells, std::span<const CellSource> sources,
                           std::size_t parts);
  /// Returns the table whose written() returned `bytes`; nullopt if `bytes` does not have a part
  /// for each of the `cells`.
  static std::optional<PartTable> read(const Cells& cells, std::string_view bytes);
  /// Returns the numbers of the parts of all cells, 2 bytes each, low byte first.
  [[nodiscard]] std::string written() const;
  /// Returns a table that divides part `part` into smaller parts. In this table, cells of other
  /// parts belong to no part.
  [[nodiscard]] PartTable split(std::size_t part, std::span<const CellSource> sources) const;

  [[nodiscard]] std::size_t size() const { return parts_; }
  /// Returns the number of the part of a configuration. It is size() or larger if the configuration
  /// belongs to no part.
  [[nodiscard]] std::size_t part_of(const Configuration& configuration) const {
    return part_[cells_.of(configuration)];
  }
  /// Returns the share of each part.
  [[nodiscard]] std::vector<PartShare> shares(std::span<const CellSource> sources) const;

 private:
  PartTable(const Cells& cells, std::vector<std::uint16_t> part);

  Cells cells_;
  std::vector<std::uint16_t> part_;  // indexed by cell
  std::size_t parts_;
};

/// Finds, for each configuration of a side, the parts to which moves of this side lead. This
/// determines which rows and columns of the earlier plies a part needs.
///
/// A part consists of rows of the last ply. The last ply starts from configurations of level 0. The
/// side's previous ply, two plies earlier, starts from configurations of level 1, and so on.
/// Between two plies of the side, the other side moves and may capture a piece. So a part needs a
/// configuration in two cases: a move of the configuration leads to the part, or a move would lead
/// to the part after the loss of a piece.
class PartLeads {
 public:
  /// `set` has configurations after a ply of `side`. `taken` has, for each configuration in `set`,
  /// the squares of the pieces that the other side may capture in the next ply. `below` is the next
  /// lower level; null at level 0. All arguments must outlive this object. After a stop request the
  /// object is unusable.
  PartLeads(const ConfigurationSet& set, std::span<const Bitboard> taken, Color side,
            const PartTable& parts, const PartLeads* below, const Workers& workers, StopView stop);

  /// Returns whether a move of `configuration` leads to part `part`. Any thread may call it.
  [[nodiscard]] bool leads(const Configuration& configuration, std::size_t part) const;
  /// Returns whether part `part` needs `configuration`. The part needs it if a move of
  /// `configuration` leads to the part, either now or after the other side has captured a piece of
  /// `configuration`. Returns false if `configuration` is not in the set.
  [[nodiscard]] bool is_wanted(const Configuration& configuration, std::size_t part) const;
  /// Returns squares of pieces of `configuration`. After the other side has captured the piece on
  /// such a square, a move of the remaining pieces leads to the part. Returns all squares of the
  /// board if `configuration` leads to the part without a capture. Returns no squares if
  /// `configuration` is not in the set.
  [[nodiscard]] Bitboard wanted_squares(const Configuration& configuration, std::size_t part) const;

  [[nodiscard]] std::uint64_t bytes() const {
    return (leads_.capacity() + once_robbed_.capacity()) * sizeof(Word);
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kBits = 64;
  static bool has(const Word* words, std::size_t part) {
    return (words[part / kBits] >> part % kBits & 1) != 0;
  }
  /// Finds the parts to which the moves of `configuration` lead, and adds them to `to`. `steps` is
  /// working memory.
  void add_leads(const Configuration& configuration, std::vector<LoneStep>& steps, Word* to) const;

  const ConfigurationSet& set_;
  const std::span<const Bitboard> taken_;
  const Color side_;
  const PartTable& parts_;
  const PartLeads* const below_;
  const std::size_t words_;
  // Both vectors have words_ words for each configuration, with one bit for each part. In leads_,
  // the bit is set if the configuration leads to the part. In once_robbed_, the bit is set if the
  // configuration leads to the part after the other side has captured a piece of the configuration.
  std::pmr::vector<Word> leads_;
  std::pmr::vector<Word> once_robbed_;
};

}  // namespace manyply
