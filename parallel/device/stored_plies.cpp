// Plays stored plies on a device: next_stage_on() of device_tables.h.
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "parallel/chunk_queue.h"
#include "parallel/device/device_tables.h"
#include "parallel/matrix/insert_all.h"
#include "parallel/matrix/last_plies_device.h"

namespace manyply::device {
namespace {

using opencl::Buffer;
using opencl::Device;
using UInt = std::uint32_t;

// Structures of stored_plies.cl.
struct StoredMove {
  std::uint64_t path;
  UInt row, to, kind, number;
};
enum Kind : UInt { kOrdinary, kCaptureOnly, kCastling, kDoublePush };  // StoredMove::kind
struct LostPiece {
  UInt column, square;
};
struct PushChance {
  UInt row, column, paths, move;
};
constexpr std::size_t kSourcePathsBytes = 8;
constexpr std::size_t kCellBytes = (1 + kGroupColumns) * sizeof(UInt);

/// Returns the columns of a group that have paths.
unsigned lanes_with_paths(const UInt* paths) {
  unsigned lanes = 0;
  for (std::size_t lane = 0; lane < kGroupColumns; ++lane)
    lanes |= (paths[lane] != 0 ? 1U : 0U) << lane;
  return lanes;
}

/// Replaces each count by the sum of all earlier counts, and appends the sum of all counts. Throws
/// DeviceTooSmall if this sum exceeds 32 bits, because kernels number items in 32 bits.
void add_up(std::vector<UInt>& counts, const Device& device) {
  std::uint64_t sum = 0;
  counts.push_back(0);
  for (UInt& count : counts) {
    const UInt here = count;
    count = static_cast<UInt>(sum);
    sum += here;
  }
  if (sum > UINT32_MAX) throw DeviceTooSmall(sum * kSourcePathsBytes, device.most_bytes());
}

/// Returns `items` sorted by key(item), which must be below `keys`. Sets first[k] to the index of
/// the first item with key k, and first[keys] to the number of items.
template <typename Item, typename Key>
std::vector<Item> sorted_by(const std::vector<Item>& items, std::size_t keys, const Key& key,
                            std::vector<UInt>& first) {
  first.assign(keys + 2, 0);
  for (const Item& item : items) ++first[key(item) + 2];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Item> sorted(items.size());
  for (const Item& item : items) sorted[first[key(item) + 1]++] = item;
  first.pop_back();
  return sorted;
}

class StoredPly {
 public:
  StoredPly(Device& device, const DeviceSpec& spec, const MatrixPly& ply, const Workers& workers,
            StopView stop, MatrixBudget& budget)
      : device_(device),
        spec_(spec),
        ply_(ply),
        workers_(workers),
        stop_(stop),
        budget_(budget),
        turn_{ply.mover() == Color::kBlack} {}

  MatrixStage run() {
    MatrixStage stage(~ply_.mover());
    send_moves();
    send_losses();
    send_extra();
    columns_ = send_planes(ply_.columns());
    rows_ = send_planes(ply_.rows());
    send_paths();
    if (stop_.stop_requested()) return stage;
    reach();
    if (stop_.stop_requested()) return stage;
    choose_columns(stage);
    fill(stage);
    return stage;
  }

 private:
  UInt stride() const { return whole_tiles(ply_.columns().size()); }
  UInt row_stride() const { return whole_tiles(ply_.rows().size()); }

  void send_moves() {
    struct Listed {
      StoredMove move;
      UInt source;
    };
    std::vector<Listed> listed;
    std::vector<Castling> ways;
    std::vector<std::uint64_t> captures(ply_.before().rows.size());
    weights_.assign(ply_.rows().size(), 0);
    for (std::size_t row = 0; row < ply_.rows().size(); ++row) {
      const auto [begin, end] = ply_.edges_of(row);
      for (std::size_t i = begin; i < end; ++i) {
        const MatrixPly::Edge& edge = ply_.edge(i);
        const LoneMove& move = ply_.move_of(edge);
        StoredMove stored{turn_(move.path), static_cast<UInt>(row), kNoSquare, kOrdinary, 0};
        if (move.captures() != 0) {
          stored.to = turn_.square(move.to);
          captures[edge.source] |= turn_(move.captures());
        }
        if (move.kind == LoneMove::Kind::kPawnCapture) stored.kind = kCaptureOnly;
        if (move.kind == LoneMove::Kind::kDoublePush) {
          stored.kind = kDoublePush;
          stored.number = static_cast<UInt>(i);
        }
        if (move.kind == LoneMove::Kind::kCastling) {
          stored.kind = kCastling;
          stored.number = static_cast<UInt>(ways.size());
          ways.push_back(castling_of(ply_, edge, turn_));
        }
        listed.push_back({stored, edge.source});
        constexpr std::size_t kWithAPieceThere = 16;  // one column in 16 has a piece there
        const std::size_t size = ply_.before().matrix.row(edge.source).size;
        weights_[row] += stored.kind == kCaptureOnly ? size / kWithAPieceThere : size;
      }
    }
    std::vector<UInt> first;
    const auto source_of = [](const Listed& each) { return each.source; };
    const std::vector<Listed> sorted =
        sorted_by(listed, ply_.before().rows.size(), source_of, first);
    std::vector<StoredMove> moves;
    moves.reserve(sorted.size());
    for (const Listed& each : sorted) moves.push_back(each.move);
    first_move_ = device_.send(first);
    moves_ = device_.send(moves);
    captures_ = device_.send(captures);
    ways_ = device_.send(ways);
  }

  void send_losses() {
    struct Listed {
      LostPiece lost;
      UInt after;
    };
    std::vector<Listed> listed;
    for (std::size_t column = 0; column < ply_.columns().size(); ++column) {
      for (Bitboard left = ply_.losses().squares_of(column); left != 0;) {
        const int square = pop_lowest(left);
        listed.push_back(
            {{static_cast<UInt>(column), turn_.square(square)}, ply_.losses().of(column, square)});
      }
    }
    std::vector<UInt> first;
    const auto after = [](const Listed& each) { return each.after; };
    std::vector<LostPiece> losses;
    for (const Listed& each : sorted_by(listed, ply_.columns().size(), after, first))
      losses.push_back(each.lost);
    first_loss_ = device_.send(first);
    losses_ = device_.send(losses);
  }

  void send_extra() {
    const auto all = ply_.extra();
    std::vector<UInt> first;
    const auto column_of = [](const MatrixPly::ExtraPaths& each) { return each.column; };
    const std::vector<MatrixPly::ExtraPaths> sorted =
        sorted_by(std::vector(all.begin(), all.end()), ply_.columns().size(), column_of, first);
    std::vector<UInt> extra;
    for (const MatrixPly::ExtraPaths& each : sorted) {
      extra.push_back(each.row);
      extra.push_back(each.paths);
      ++weights_[each.row];
    }
    first_extra_ = device_.send(first);
    extra_ = device_.send(extra);
  }

  Buffer zeros(std::size_t count) {
    Buffer words = device_.buffer_of<UInt>(count);
    device_.clear(words);
    return words;
  }

  Buffer send_planes(const ConfigurationSet& set) {
    std::vector<Configuration> items;
    items.reserve(set.size());
    for (std::size_t i = 0; i < set.size(); ++i) items.push_back(set[i]);
    const UInt stride = whole_tiles(items.size());
    Buffer sent = device_.send(planes_of(items, turn_));
    device_.run("fill_planes", stride / kLanes, {}, sent, stride);
    return sent;
  }

  /// Sends the matrix from which the ply starts, and sorts it by column on the device.
  void send_paths() {
    Buffer counts = zeros(ply_.columns().size());
    for_slices([&](std::size_t, UInt rows, const Buffer& row_begin, const Buffer& groups,
                   const Buffer& paths) {
      device_.run("count_paths", rows, stop_, row_begin, groups, paths, counts);
    });
    if (stop_.stop_requested()) return;
    std::vector<UInt> first = device_.read<UInt>(counts, ply_.columns().size());
    add_up(first, device_);
    counts = device_.send(first);
    first_paths_ = device_.send(first);
    paths_ = device_.buffer(first.back() * kSourcePathsBytes);
    for_slices([&](std::size_t first_row, UInt rows, const Buffer& row_begin, const Buffer& groups,
                   const Buffer& paths) {
      device_.run("turn_paths", rows, stop_, row_begin, groups, paths, static_cast<UInt>(first_row),
                  counts, paths_);
    });
  }

  /// Sends the matrix from which the ply starts, in slices of rows. For each slice, calls
  /// body(first row, number of rows, first group of each row, groups, paths).
  template <typename Body>
  void for_slices(const Body& body) {
    const Matrix& matrix = ply_.before().matrix;
    const std::size_t rows = ply_.before().rows.size();
    const std::uint64_t room = cells_that_fit(4);
    std::vector<UInt> begin;
    std::vector<UInt> groups;
    std::vector<UInt> paths;
    for (std::size_t first = 0; first < rows && !stop_.stop_requested();) {
      begin.assign(1, 0);
      groups.clear();
      paths.clear();
      std::size_t row = first;
      for (; row < rows; ++row) {
        const RowView view = matrix.row(row);
        if (row > first && groups.size() + view.size > room) break;
        groups.insert(groups.end(), view.groups, view.groups + view.size);
        append_unpacked(view, paths);
        begin.push_back(static_cast<UInt>(groups.size()));
      }
      body(first, static_cast<UInt>(row - first), device_.send(begin), device_.send(groups),
           device_.send(paths));
      first = row;
    }
  }
  /// Returns the number of cells for which there is room in 1/`share` of the free memory.
  std::uint64_t cells_that_fit(std::uint64_t share) const {
    const std::uint64_t free = device_.most_bytes() - device_.used_bytes();
    const std::uint64_t in_buffer = device_.most_buffer_bytes() / (kGroupColumns * sizeof(UInt));
    constexpr std::uint64_t kMostWords = UINT32_MAX;
    return std::min({free / share / kCellBytes, in_buffer, kMostWords / kGroupColumns});
  }

  /// Runs a kernel that uses the paths of the ply.
  template <typename... More>
  void run_on_paths(const char* kernel, std::uint64_t groups, const More&... more) {
    device_.run(kernel, groups, stop_, first_paths_, paths_, first_move_, moves_, captures_, ways_,
                first_loss_, losses_, first_extra_, extra_, columns_, stride(), rows_, row_stride(),
                more...);
  }

  /// Finds the rows and columns that legal paths reach, and the chances to capture en passant.
  void reach() {
    constexpr UInt kFirstRoom = 1 << 12;
    const Buffer reached = zeros(ply_.rows().size());
    const Buffer column_reached = device_.buffer_of<UInt>(ply_.columns().size());
    UInt chances = kFirstRoom;
    for (UInt room = 0; room < chances;) {
      room = std::exchange(chances, 0);
      const Buffer listed = device_.buffer(room * sizeof(PushChance));
      const Buffer found = zeros(1);
      run_on_paths("reach_rows", ply_.columns().size(), reached, column_reached, listed, room,
                   found);
      if (stop_.stop_requested()) return;
      chances = device_.read<UInt>(found, 1)[0];
      if (chances <= room) {
        chances_ = device_.read<PushChance>(listed, chances);
        break;
      }
    }
    reached_ = device_.read<UInt>(reached, ply_.rows().size());
    column_reached_ = device_.read<UInt>(column_reached, ply_.columns().size());
  }

  /// Numbers the rows and columns of `stage`, and makes its captures. Sorts columns by their number
  /// of pieces, and then by their number of groups with paths. next_stage() sorts in the same way,
  /// but here the number of groups is only estimated.
  void choose_columns(MatrixStage& stage) {
    for (UInt column = 0; column < column_reached_.size(); ++column) {
      if (column_reached_[column] != 0) stage.row_was.push_back(column);
    }
    const ConfigurationSet& rows = ply_.rows();
    const auto key = [&](UInt row) {
      return std::pair(-popcount(rows[row].pieces.all()), -std::bit_width(weights_[row]));
    };
    std::vector<std::pair<std::pair<int, int>, UInt>> order;
    for (UInt row = 0; row < reached_.size(); ++row) {
      if (reached_[row] != 0) order.emplace_back(key(row), row);
    }
    std::ranges::sort(order);
    for (const auto& each : order) stage.column_was.push_back(each.second);
    const auto row = [&](std::size_t i) { return ply_.columns()[stage.row_was[i]]; };
    insert_each(stage.row_was.size(), row, stage.rows, workers_, stop_);
    const auto column = [&](std::size_t i) { return rows[stage.column_was[i]]; };
    insert_each(stage.column_was.size(), column, stage.columns, workers_, stop_);
    std::vector<EnPassantCapture>& captures = stage.captures.emplace_back();
    for (const PushChance& chance : chances_) {
      const LoneMove& push = ply_.move_of(ply_.edge(chance.move));
      append_en_passant_captures(ply_.columns()[chance.column], rows[chance.row], ply_.mover(),
                                 {chance.column, chance.paths, push, chance.move}, captures);
    }
    budget_.take(MatrixStage::bytes_of(stage.captures));
  }

  /// Makes the matrix of `stage` on the device and reads it, chunk by chunk.
  void fill(MatrixStage& stage) {
    const std::size_t rows = stage.row_was.size();
    const auto columns = static_cast<UInt>(stage.column_was.size());
    std::vector<UInt> place(ply_.rows().size(), kNone);
    for (UInt column = 0; column < columns; ++column) place[stage.column_was[column]] = column;
    const Buffer places = device_.send(place);
    const Buffer kept = device_.send(stage.row_was);
    const Buffer row_at = device_.send(stage.column_was);
    const UInt windows = (columns + spec_.window_columns - 1) / spec_.window_columns;
    constexpr UInt kWordColumns = 32 * kGroupColumns;
    const UInt columns_at_once = std::min(spec_.window_columns, columns + kWordColumns - 1);
    const UInt window_groups = columns_at_once / kWordColumns * 32;
    const Buffer counts = device_.buffer_of<UInt>(rows * windows);
    run_on_paths("count_cells", rows * windows, places, kept, windows, window_groups, counts);
    if (stop_.stop_requested()) return;
    std::vector<UInt> begin = device_.read<UInt>(counts, rows * windows);
    add_up(begin, device_);
    const Buffer begins = device_.send(begin);
    const Buffer overflow = zeros(1);
    const auto cells_before = [&](std::size_t row) { return begin[std::min(row, rows) * windows]; };
    const std::uint64_t room = cells_that_fit(1);
    for (std::size_t first = 0; first < rows;) {
      std::size_t end = first + kChunkRows;
      while (end < rows && end - first < spec_.most_rows &&
             cells_before(end + kChunkRows) - cells_before(first) <= room)
        end += kChunkRows;
      end = std::min(end, rows);
      const std::size_t cells = cells_before(end) - cells_before(first);
      const Buffer groups = device_.buffer(cells * sizeof(UInt));
      const Buffer sums = device_.buffer(cells * kGroupColumns * sizeof(UInt));
      run_on_paths("fill_cells", (end - first) * windows, places, kept, windows, window_groups,
                   static_cast<UInt>(first * windows), begins, row_at, groups, sums, overflow);
      if (stop_.stop_requested()) return;
      if (device_.read<UInt>(overflow, 1)[0] != 0) throw_too_many_paths();
      append_rows(stage.matrix, first, end, cells_before, device_.read<UInt>(groups, cells),
                  device_.read<UInt>(sums, cells * kGroupColumns));
      first = end;
    }
  }
  template <typename CellsBefore>
  void append_rows(Matrix& matrix, std::size_t first, std::size_t end,
                   const CellsBefore& cells_before, const std::vector<UInt>& groups,
                   const std::vector<UInt>& sums) const {
    const std::size_t known = matrix.chunks.size();
    for (std::size_t row = first; row < end; row += kChunkRows) {
      RowChunk& chunk = matrix.chunks.emplace_back();
      for (std::size_t next = row + 1; next <= std::min(row + kChunkRows, end); ++next) {
        const std::size_t from = cells_before(next - 1) - cells_before(first);
        const std::size_t to = cells_before(next) - cells_before(first);
        UInt kept = chunk.begin.back().group;
        std::uint64_t words = chunk.begin.back().paths;
        for (std::size_t cell = from; cell < to; ++cell) {
          const UInt* const paths = &sums[cell * kGroupColumns];
          const unsigned lanes = lanes_with_paths(paths);
          if (lanes == 0) continue;  // all pairs are illegal
          words += size_to_pack(lanes, paths);
          ++kept;
        }
        chunk.begin.push_back({kept, place_of_paths(words)});
      }
      matrix.memory.give_room(chunk);
      budget_.take(chunk.bytes());
    }
    for_each_chunk(matrix.chunks.size() - known, workers_, {}, [&](std::size_t i) {
      RowChunk& chunk = matrix.chunks[known + i];
      std::uint16_t* packed = chunk.paths;
      std::size_t cell = cells_before(first + i * kChunkRows) - cells_before(first);
      for (std::size_t at = 0; at < chunk.size(); ++cell) {
        const UInt* const paths = &sums[cell * kGroupColumns];
        const unsigned lanes = lanes_with_paths(paths);
        if (lanes == 0) continue;
        chunk.groups[at] = groups[cell];
        chunk.lanes[at++] = static_cast<std::uint8_t>(lanes);
        packed = pack(lanes, paths, packed);
      }
    });
  }

  Device& device_;
  const DeviceSpec& spec_;
  const MatrixPly& ply_;
  const Workers& workers_;
  const StopView stop_;
  MatrixBudget& budget_;
  const Turn turn_;
  Buffer first_paths_, paths_, first_move_, moves_, captures_, ways_, first_loss_, losses_;
  Buffer first_extra_, extra_, columns_, rows_;
  std::vector<std::uint64_t> weights_;  // by row of the ply: about the number of groups
  std::vector<UInt> reached_;           // by row of the ply: 1 if a legal path reaches it
  std::vector<UInt> column_reached_;
  std::vector<PushChance> chances_;
};

}  // namespace

MatrixStage next_stage_on(Device& device, const DeviceSpec& spec, const MatrixPly& ply,
                          const Workers& workers, StopView stop, MatrixBudget& budget) {
  return StoredPly(device, spec, ply, workers, stop, budget).run();
}

}  // namespace manyply::device
