#include "parallel/matrix/part_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "parallel/chunk_queue.h"
#include "parallel/matrix/matrix.h"

namespace manyply {
namespace {

constexpr std::uint16_t kNoPart = UINT16_MAX;

/// Makes parts one after the other. Each part grows cell by cell.
class Growth {
 public:
  Growth(const Cells& cells, std::span<const CellSource> sources)
      : cells_(cells), place_of_(cells.count(), kNoPlace), led_to_(sources.size()) {
    for (std::size_t source = 0; source < sources.size(); ++source) {
      const double weight = sources[source].weight;
      all_ += weight;
      weight_of_.push_back(weight);
      for (const auto& [cell, moves] : sources[source].leads) {
        if (place_of_[cell] == kNoPlace) {
          place_of_[cell] = static_cast<std::uint32_t>(known_.size());
          known_.emplace_back();
        }
        Cell& known = known_[place_of_[cell]];
        known.sources.push_back(static_cast<std::uint32_t>(source));
        known.weight += weight;
        led_to_[source].push_back(place_of_[cell]);
      }
    }
    for (std::uint32_t place = 0; place < known_.size(); ++place) open_.push_back(place);
  }

  /// Makes at most `most_parts` parts. Part number `most_parts` - 1 takes all remaining cells.
  void run(double most_share, std::size_t most_parts) {
    // A part that may have all cells gets kNoLimit instead of all_ as its limit. Because of
    // rounding, the sum of the part's weights could exceed all_, so that the last cell would not
    // fit.
    constexpr double kNoLimit = std::numeric_limits<double>::infinity();
    const double most = most_share < 1 ? most_share * all_ : kNoLimit;
    for (; !open_.empty(); ++parts_) {
      grow_part(parts_ + 1 == most_parts ? kNoLimit : most);
      std::erase_if(open_, [this](std::uint32_t cell) { return known_[cell].part != kNoPart; });
    }
  }

  [[nodiscard]] std::size_t parts() const { return parts_; }

  /// Returns, for each cell, the number of the part to which it belongs. If no source leads to a
  /// cell, the cell belongs to the same part as a similar cell.
  [[nodiscard]] std::vector<std::uint16_t> table() const {
    std::vector<std::uint16_t> table(cells_.count());
    for (std::uint32_t cell = 0; cell < table.size(); ++cell)
      table[cell] = place_of_[cell] == kNoPlace ? part_of_neighbour(cell) : part_at(cell);
    return table;
  }

 private:
  static constexpr std::uint32_t kNoPlace = UINT32_MAX;
  struct Cell {
    std::vector<std::uint32_t> sources;  // sources that lead to the cell
    double weight = 0;                   // total weight of these sources
    std::uint16_t part = kNoPart;
  };

  void grow_part(double most) {
    std::vector<double> fresh;  // by place: weight of the cell's sources that are not in the part
    for (const Cell& cell : known_) fresh.push_back(cell.weight);
    std::vector<char> has(led_to_.size());
    for (auto best = first_cell(); best; best = next_cell(fresh, most)) {
      known_[*best].part = static_cast<std::uint16_t>(parts_);
      most -= fresh[*best];
      for (const std::uint32_t source : known_[*best].sources) {
        if (std::exchange(has[source], 1) != 0) continue;
        for (const std::uint32_t cell : led_to_[source]) fresh[cell] -= weight_of_[source];
      }
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> first_cell() const {
    const auto weight = [this](std::uint32_t cell) { return known_[cell].weight; };
    return *std::ranges::max_element(open_, {}, weight);
  }
  [[nodiscard]] std::optional<std::uint32_t> next_cell(const std::vector<double>& fresh,
                                                       double most) const {
    std::optional<std::uint32_t> best;
    double best_share = -1;
    for (const std::uint32_t cell : open_) {
      if (known_[cell].part != kNoPart || fresh[cell] > most) continue;
      const double share = 1 - fresh[cell] / known_[cell].weight;
      if (share > best_share) {
        best_share = share;
        best = cell;
      }
    }
    return best;
  }

  [[nodiscard]] std::uint16_t part_at(std::uint32_t cell) const {
    return known_[place_of_[cell]].part;
  }
  /// Finds a similar cell, whose number differs from `cell` in one or two bits, and returns the
  /// part of that similar cell. If there is no similar cell with a part, returns any part.
  [[nodiscard]] std::uint16_t part_of_neighbour(std::uint32_t cell) const {
    const std::size_t count = cells_.count();
    for (std::size_t first = 1; first < count; first *= 2) {
      if (place_of_[cell ^ first] != kNoPlace)
        return part_at(static_cast<std::uint32_t>(cell ^ first));
    }
    for (std::size_t first = 1; first < count; first *= 2) {
      for (std::size_t second = 1; second < first; second *= 2) {
        const auto like = static_cast<std::uint32_t>(cell ^ first ^ second);
        if (place_of_[like] != kNoPlace) return part_at(like);
      }
    }
    return static_cast<std::uint16_t>(parts_ == 0 ? 0 : cell % parts_);
  }

  const Cells& cells_;
  std::vector<std::uint32_t> place_of_;             // by cell: index in known_
  std::vector<Cell> known_;                         // the cells to which sources lead
  std::vector<double> weight_of_;                   // indexed by source
  std::vector<std::vector<std::uint32_t>> led_to_;  // by source: places of its cells
  std::vector<std::uint32_t> open_;                 // places of the cells without a part
  std::size_t parts_ = 0;
  double all_ = 0;
};

}  // namespace

Cells::Cells(const Configuration& root) {
  constexpr int kFewestBits = 12;
  std::array<std::uint16_t, 64> by_square{};
  for (Bitboard home = root.pieces.all(); home != 0 && bits_ < kMostBits; ++bits_)
    by_square[static_cast<std::size_t>(pop_lowest(home))] = static_cast<std::uint16_t>(1U << bits_);
  if (const int more = kFewestBits - bits_; more > 0) {
    for (std::size_t square = 0; square < by_square.size(); ++square) {
      constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
      const std::uint64_t mixed = (square + 1) * kGolden >> (64 - more);
      by_square[square] |= static_cast<std::uint16_t>(mixed << bits_);
    }
    bits_ = kFewestBits;
  }
  for (std::size_t square = 0; square < by_square.size(); ++square) {
    for (std::size_t squares = 0; squares < 256; ++squares) {
      if ((squares >> square % 8 & 1) != 0) by_rank_[square / 8][squares] ^= by_square[square];
    }
  }
}

CellSource::CellSource(const Cells& cells, const Configuration& configuration, Color side,
                       double source_weight)
    : weight(source_weight) {
  std::vector<LoneStep> steps;
  append_lone_moves(configuration, side, steps);
  add_leads(cells, steps);
}

CellSource::CellSource(const Cells& cells, const Configuration& configuration, Bitboard taken,
                       Color side, double source_weight)
    : weight(source_weight) {
  std::vector<LoneStep> steps;
  while (taken != 0) append_lone_moves(without(configuration, pop_lowest(taken)), side, steps);
  add_leads(cells, steps);
  for (Lead& lead : leads) lead.moves = 0;
}

void CellSource::add_leads(const Cells& cells, std::span<const LoneStep> steps) {
  std::vector<std::uint32_t> led_to;
  led_to.reserve(steps.size());
  for (const LoneStep& step : steps) led_to.push_back(cells.of(step.after));
  std::ranges::sort(led_to);
  for (const std::uint32_t cell : led_to) {
    if (leads.empty() || leads.back().cell != cell) leads.push_back({cell, 0});
    ++leads.back().moves;
  }
}

PartTable::PartTable(const Cells& cells, std::vector<std::uint16_t> part)
    : cells_(cells), part_(std::move(part)), parts_(1) {
  for (const std::uint16_t number : part_) {
    if (number != kNoPart) parts_ = std::max(parts_, std::size_t{number} + 1);
  }
}

PartTable::PartTable(const Cells& cells, std::span<const CellSource> sources, double most_share)
    : PartTable(cells, [&] {
        Growth growth(cells, sources);
        growth.run(most_share, kNoPart);
        return growth.table();
      }()) {}

PartTable PartTable::of_size(const Cells& cells, std::span<const CellSource> sources,
                             std::size_t parts) {
  constexpr int kSteps = 10;
  double too_large = 1;  // with this share, there are too few parts
  double small = 0;
  for (int step = 0; step < kSteps && parts > 1; ++step) {
    const double share = (too_large + small) / 2;
    Growth growth(cells, sources);
    growth.run(share, kNoPart);
    (growth.parts() < parts ? too_large : small) = share;
  }
  Growth growth(cells, sources);
  growth.run(parts > 1 ? small : 1, parts);
  return {cells, growth.table()};
}

std::optional<PartTable> PartTable::read(const Cells& cells, std::string_view bytes) {
  if (bytes.size() != 2 * cells.count()) return std::nullopt;
  std::vector<std::uint16_t> table(cells.count());
  for (std::size_t cell = 0; cell < table.size(); ++cell) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
    table[cell] = static_cast<std::uint16_t>(byte(2 * cell) | byte(2 * cell + 1) << 8);
    if (table[cell] == kNoPart) return std::nullopt;
  }
  return PartTable(cells, std::move(table));
}

std::string PartTable::written() const {
  std::string bytes;
  for (const std::uint16_t part : part_) {
    bytes.push_back(static_cast<char>(part & 0xFF));
    bytes.push_back(static_cast<char>(part >> 8));
  }
  return bytes;
}

PartTable PartTable::split(std::size_t part, std::span<const CellSource> sources) const {
  std::vector<CellSource> own;
  for (const CellSource& source : sources) {
    CellSource rest = source;
    std::erase_if(rest.leads, [&](const auto& lead) { return part_[lead.cell] != part; });
    if (!rest.leads.empty()) own.push_back(std::move(rest));
  }
  constexpr double kShare = 0.6;
  Growth growth(cells_, own);
  growth.run(kShare, kNoPart);
  std::vector<std::uint16_t> table = growth.table();
  for (std::size_t cell = 0; cell < table.size(); ++cell) {
    if (part_[cell] != part) table[cell] = kNoPart;
  }
  return {cells_, std::move(table)};
}

std::vector<PartShare> PartTable::shares(std::span<const CellSource> sources) const {
  std::vector<PartShare> shares(size());
  std::vector<std::size_t> seen(size());  // by part: 1 + the last source that leads to it
  double stage = 0;
  double work = 0;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    const double weight = sources[source].weight;
    stage += weight;
    for (const auto& [cell, moves] : sources[source].leads) {
      const std::size_t part = part_[cell];
      if (part >= size()) continue;
      shares[part].work += weight * moves;
      work += weight * moves;
      if (std::exchange(seen[part], source + 1) != source + 1) shares[part].stage += weight;
    }
  }
  for (PartShare& share : shares) {
    share.stage = stage > 0 ? share.stage / stage : 0;
    share.work = work > 0 ? share.work / work : 1 / static_cast<double>(size());
  }
  return shares;
}

PartLeads::PartLeads(const ConfigurationSet& set, std::span<const Bitboard> taken, Color side,
                     const PartTable& parts, const PartLeads* below, const Workers& workers,
                     StopView stop)
    : set_(set),
      taken_(taken),
      side_(side),
      parts_(parts),
      below_(below),
      words_((parts.size() + kBits - 1) / kBits),
      leads_(set.size() * words_, huge_pages()),
      once_robbed_(set.size() * words_, huge_pages()) {
  constexpr std::size_t kAtOnce = 256;
  for_each_range(set_.size(), kAtOnce, workers, stop, [&](std::size_t begin, std::size_t end) {
    std::vector<LoneStep> steps;
    for (std::size_t number = begin; number < end; ++number) {
      const Configuration& configuration = set_[number];
      add_leads(configuration, steps, &leads_[number * words_]);
      for (Bitboard squares = taken_[number]; squares != 0;) {
        add_leads(without(configuration, pop_lowest(squares)), steps,
                  &once_robbed_[number * words_]);
      }
    }
  });
}

void PartLeads::add_leads(const Configuration& configuration, std::vector<LoneStep>& steps,
                          Word* to) const {
  steps.clear();
  append_lone_moves(configuration, side_, steps);
  for (const LoneStep& step : steps) {
    if (below_ == nullptr) {
      const std::size_t part = parts_.part_of(step.after);
      if (part < parts_.size()) to[part / kBits] |= Word{1} << part % kBits;
    } else if (const auto number = below_->set_.find(step.after)) {
      for (std::size_t word = 0; word < words_; ++word) {
        to[word] |=
            below_->leads_[*number * words_ + word] | below_->once_robbed_[*number * words_ + word];
      }
    }
  }
}

bool PartLeads::leads(const Configuration& configuration, std::size_t part) const {
  if (const auto number = set_.find(configuration)) return has(&leads_[*number * words_], part);
  std::vector<LoneStep> steps;
  std::vector<Word> words(words_);
  add_leads(configuration, steps, words.data());
  return has(words.data(), part);
}

bool PartLeads::is_wanted(const Configuration& configuration, std::size_t part) const {
  const auto number = set_.find(configuration);
  return number &&
         (has(&leads_[*number * words_], part) || has(&once_robbed_[*number * words_], part));
}

Bitboard PartLeads::wanted_squares(const Configuration& configuration, std::size_t part) const {
  const auto number = set_.find(configuration);
  if (!number) return 0;
  if (has(&leads_[*number * words_], part)) return ~Bitboard{0};
  if (!has(&once_robbed_[*number * words_], part)) return 0;
  Bitboard squares = 0;
  for (Bitboard left = taken_[*number]; left != 0;) {
    const int square = pop_lowest(left);
    if (leads(without(configuration, square), part)) squares |= bit(square);
  }
  return squares;
}

}  // namespace manyply
