// Parts of a count by configurations: which rows of its last ply are counted together.
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

/// Sorts configurations of one side into cells: those where the same ones of the root's pieces
/// still stand at home, or other pieces in their place. A move changes at most two of these
/// squares, so a cell is reached from few others. A root with few pieces has some cells more, by
/// where pieces stand. The cell follows from the configuration and the root alone.
class Cells {
 public:
  static constexpr int kMostBits = 16;

  explicit Cells(const Configuration& root);

  /// Above all numbers.
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

/// One row before the last ply: how much is to be made of it, and the cells that its moves lead to,
/// each once.
struct CellSource {
  struct Lead {
    std::uint32_t cell;
    std::uint32_t moves;  ///< that lead there
  };
  double weight;
  std::vector<Lead> leads;

  /// Of a configuration of side `side`.
  CellSource(const Cells& cells, const Configuration& configuration, Color side, double weight);
};

/// What a part takes of a count, from 0 to 1.
struct PartShare {
  double stage = 0;  ///< of the rows before the last ply; those of several parts overlap
  double work = 0;   ///< of the rows of the last ply
};

/// Which part each cell belongs to.
class PartTable {
 public:
  /// Grows parts from cells so that the sources of each have at most `most_share` of the weight of
  /// all `sources`, a sample; a single cell may have more. A part begins with the cell whose
  /// sources weigh most, and takes on the cell most of whose sources it has already.
  PartTable(const Cells& cells, std::span<const CellSource> sources, double most_share);
  /// At most `parts` parts of about the same share, fewer if there are too few cells.
  static PartTable of_size(const Cells& cells, std::span<const CellSource> sources,
                           std::size_t parts);
  /// The table that written() made; nullopt if it is none of these cells.
  static std::optional<PartTable> read(const Cells& cells, std::string_view bytes);
  /// The parts of all cells, 2 bytes each, low byte first.
  [[nodiscard]] std::string written() const;
  /// Part `part` in smaller parts; the cells of other parts are in none.
  [[nodiscard]] PartTable split(std::size_t part, std::span<const CellSource> sources) const;

  [[nodiscard]] std::size_t size() const { return parts_; }
  /// At least size() if it is in none.
  [[nodiscard]] std::size_t part_of(const Configuration& configuration) const {
    return part_[cells_.of(configuration)];
  }
  /// By part.
  [[nodiscard]] std::vector<PartShare> shares(std::span<const CellSource> sources) const;

 private:
  PartTable(const Cells& cells, std::vector<std::uint16_t> part);

  Cells cells_;
  std::vector<std::uint16_t> part_;  // by cell
  std::size_t parts_;
};

/// The parts that configurations lead to: a set for each configuration before a move of its side,
/// from which rows of the part are reached by way of its moves.
///
/// What a part needs of the plies above its own is found here. Level 0 is the last ply, whose rows
/// are the parts. A configuration of level n + 1 stands before a move to level n; between the two
/// the other side moves and may capture a piece. Whether some configuration is wanted thus depends
/// on its moves, and on those that it has left once a piece is lost.
class PartLeads {
 public:
  /// `set` has configurations after a ply of `side`; `taken`, by number, the squares whose pieces
  /// the other side may capture then. Both outlive it, as `below` does, the level below; null: the
  /// configurations stand before the last ply. After `stop` it is good for nothing.
  PartLeads(const ConfigurationSet& set, std::span<const Bitboard> taken, Color side,
            const PartTable& parts, const PartLeads* below, const Workers& workers, StopView stop);

  /// Whether a move of `configuration` leads to part `part`. Any thread.
  [[nodiscard]] bool leads(const Configuration& configuration, std::size_t part) const;
  /// Whether it does, or would if the other side captured one of its pieces. Precondition: the
  /// configuration is in the set.
  [[nodiscard]] bool is_wanted(const Configuration& configuration, std::size_t part) const;
  /// The squares whose pieces, once captured, leave what leads to the part; all if it leads there
  /// as it is.
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
  /// Adds the parts that its moves lead to to `to`. `steps` is room.
  void add_leads(const Configuration& configuration, std::vector<LoneStep>& steps, Word* to) const;

  const ConfigurationSet& set_;
  const std::span<const Bitboard> taken_;
  const Color side_;
  const PartTable& parts_;
  const PartLeads* const below_;
  const std::size_t words_;
  // By number, so many words for each: the parts that it leads to, and those that it does without
  // one of its pieces that may be captured.
  std::vector<Word> leads_;
  std::vector<Word> once_robbed_;
};

}  // namespace manyply
