// Parts of a count by configurations: decides which rows of the last ply are counted together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/configurations/configuration_set.h"
#include "core/configurations/lone_moves.h"
#include "parallel/workers.h"

namespace manyply {

/// Sorts configurations of one side into cells. Two configurations are in the same cell if the same
/// of the root's piece squares are occupied, by the original or another piece. A move changes at
/// most two of these squares, so few other cells lead to a cell. If the root has few pieces, other
/// squares make further cells. The cell depends only on the configuration and the root.
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

/// One row before the last ply: its weight, and the cells to which its moves lead, each cell once.
struct CellSource {
  struct Lead {
    std::uint32_t cell;
    std::uint32_t moves;  ///< number of moves that lead to the cell
  };
  double weight;
  std::vector<Lead> leads;

  /// `side` is the side of `configuration`.
  CellSource(const Cells& cells, const Configuration& configuration, Color side, double weight);
};

/// The share of a part in a count, from 0 to 1.
struct PartShare {
  double stage = 0;  ///< share of the rows before the last ply; several parts may use the same row
  double work = 0;   ///< share of the rows of the last ply
};

/// Stores the part of each cell.
class PartTable {
 public:
  /// Combines cells into parts. The sources of a part have at most `most_share` of the weight of
  /// all `sources`, which are a sample; a part of a single cell may exceed this. A part begins with
  /// the cell whose sources weigh most. It then adds, each time, the cell with the largest share of
  /// sources that the part already has.
  PartTable(const Cells& cells, std::span<const CellSource> sources, double most_share);
  /// Returns at most `parts` parts of about the same share; fewer if there are too few cells.
  static PartTable of_size(const Cells& cells, std::span<const CellSource> sources,
                           std::size_t parts);
  /// Returns the table for which written() returned `bytes`; nullopt if it does not match `cells`.
  static std::optional<PartTable> read(const Cells& cells, std::string_view bytes);
  /// Returns the parts of all cells, 2 bytes each, low byte first.
  [[nodiscard]] std::string written() const;
  /// Returns a table that divides part `part` into smaller parts. Cells of other parts belong to no
  /// part of it.
  [[nodiscard]] PartTable split(std::size_t part, std::span<const CellSource> sources) const;

  [[nodiscard]] std::size_t size() const { return parts_; }
  /// Returns the part of a configuration; size() or more if it belongs to none.
  [[nodiscard]] std::size_t part_of(const Configuration& configuration) const {
    return part_[cells_.of(configuration)];
  }
  /// Returns the share of each part.
  [[nodiscard]] std::vector<PartShare> shares(std::span<const CellSource> sources) const;

 private:
  PartTable(const Cells& cells, std::vector<std::uint16_t> part);

  Cells cells_;
  std::vector<std::uint16_t> part_;  // by cell
  std::size_t parts_;
};

/// Finds the parts to which configurations lead. For each configuration before a move of its side,
/// it stores the set of parts that have a row reachable by that side's moves.
///
/// This decides which rows and columns of the plies above a part are needed. Configurations
/// of level 0 stand before the last ply, whose rows form the parts. A move turns a configuration of
/// level n + 1 into one of level n. Then the other side moves and may capture a piece. So a
/// configuration is needed if one of its moves leads to the part, or would lead there after the
/// loss of a piece.
class PartLeads {
 public:
  /// `set` has configurations after a ply of `side`. `taken` has, by number, the squares whose
  /// pieces the other side may then capture. `below` is the next lower level; null if the
  /// configurations stand before the last ply. All must outlive this object. Unusable after `stop`.
  PartLeads(const ConfigurationSet& set, std::span<const Bitboard> taken, Color side,
            const PartTable& parts, const PartLeads* below, const Workers& workers, StopView stop);

  /// Returns whether a move of `configuration` leads to part `part`. Any thread.
  [[nodiscard]] bool leads(const Configuration& configuration, std::size_t part) const;
  /// Returns whether a move of `configuration` leads to the part, or would lead there after the
  /// other side has captured one of its pieces. Precondition: the configuration is in the set.
  [[nodiscard]] bool is_wanted(const Configuration& configuration, std::size_t part) const;
  /// Returns the squares of pieces whose capture results in a configuration that leads to the part;
  /// all squares if `configuration` itself leads there.
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
  /// Adds to `to` the parts to which the moves of `configuration` lead. `steps` is working memory.
  void add_leads(const Configuration& configuration, std::vector<LoneStep>& steps, Word* to) const;

  const ConfigurationSet& set_;
  const std::span<const Bitboard> taken_;
  const Color side_;
  const PartTable& parts_;
  const PartLeads* const below_;
  const std::size_t words_;
  // For each configuration, words_ words: the parts to which it leads, and the parts to which it
  // leads after one of its pieces has been captured.
  std::vector<Word> leads_;
  std::vector<Word> once_robbed_;
};

}  // namespace manyply
