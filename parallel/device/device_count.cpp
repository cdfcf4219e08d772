#include <algorithm>
#include <future>
#include <numeric>
#include <optional>
#include <utility>

#include "parallel/device/device_tables.h"
#include "parallel/matrix/count_in_parts.h"

namespace manyply {
namespace {

using device::ColumnTables;
using device::Dense;
using device::kLanes;
using device::kNoSquare;
using device::kPairBytes;
using device::kPlanBytes;
using device::kRows;
using device::MovedColumns;
using device::RowBatch;
using device::RowBatches;
using device::Turn;
using device::whole_tiles;
using opencl::Buffer;
using opencl::Device;
using UInt = std::uint32_t;

template <typename T>
UInt size_of(const T& items) {
  return static_cast<UInt>(items.size());
}

/// Returns the number of tiles of kLanes items, rounded up.
constexpr UInt tiles_of(std::size_t items) { return whole_tiles(items) / kLanes; }

/// The largest sizes of two buffers, in bytes.
struct Shares {
  explicit Shares(const Device& device) {
    constexpr std::uint64_t kMostSums = 96 << 20;  // more would not fit into caches
    constexpr std::uint64_t kMostPairs = 64 << 20;
    const std::uint64_t left = device.most_bytes() - device.used_bytes();
    sums = std::min({kMostSums, left / 8, device.most_buffer_bytes()});
    pairs = std::min({kMostPairs, left / 8, device.most_buffer_bytes()});
  }
  std::uint64_t sums;   ///< for the sums of dense rows that are counted together
  std::uint64_t pairs;  ///< for the list of other pairs
};

/// A list of rows on the device: consecutive entries of SentBatch::lists.
struct List {
  UInt first = 0;
  UInt size = 0;
};
/// Dense rows whose sums are on the device at the same time.
struct Chunk {
  UInt first = 0;
  UInt count = 0;
  std::array<List, kNoSquare + 1> by_taken;  // by square: rows with a piece there; last: all rows
  List with_pawns;                           // rows with pawns that may capture en passant
};
/// A batch on the device, with all memory that its count needs.
struct SentBatch {
  std::vector<Chunk> chunks;
  UInt stride = 0;  // of the rows' planes
  Buffer rows, row_begin, groups, paths, edges, first_edge, first_extra, extra, castlings;
  Buffer dense_source, lists, pushes;
  Buffer plans, matrix, again, state;  // not sent, only allocated
};
struct Batch {
  explicit Batch(RowBatch rows) : rows(std::move(rows)) {}
  RowBatch rows;
  std::optional<SentBatch> sent = {};
};

/// One count of the leaves below the rows of a ply.
class PlyCount {
 public:
  PlyCount(const MatrixPly& ply, const Board& root, Device& device, const DeviceSpec& spec,
           const Workers& workers, StopView stop)
      : ply_(ply),
        device_(device),
        spec_(spec),
        stop_(stop),
        turn_{ply.mover() == Color::kBlack},
        row_root_(configuration_of(root, ply.mover())),
        column_root_(configuration_of(root, ~ply.mover())),
        uses_dense_(dense_pays(root, workers)),
        rows_(ply.rows(), uses_dense_ ? &row_root_ : nullptr),
        sources_(ply.before().rows, uses_dense_ ? &row_root_ : nullptr),
        columns_(ply.columns(), uses_dense_ ? &column_root_ : nullptr),
        width_(whole_tiles(columns_.items.size())),
        moved_(columns_.items, ~ply.mover(), turn_, workers, stop) {}

  LastPliesDevice::Counted run(int workers, Progress& progress) {
    LastPliesDevice::Counted counted;
    if (stop_.stop_requested()) return counted;
    device_.take_totals();  // forget the totals of a count that was stopped or did not fit
    RowBatches batches(ply_, rows_, sources_, width_, turn_);
    progress.start(workers, batches.weight());
    progress_ = &progress.worker(0);
    send_columns();
    // At most two batches are on the device at the same time, so each may use half of the free
    // memory. A sixteenth stays free, because sizes are rounded up.
    const std::uint64_t rest = device_.most_bytes() - device_.used_bytes();
    const std::uint64_t room = (rest - rest / 16) / 2;
    constexpr UInt kMostRows = 1 << 15;
    const auto next = [&] {
      Batch batch(
          batches.next(std::min(spec_.most_rows, kMostRows), room, device_.most_buffer_bytes()));
      try {
        send(batch);
      } catch (const DeviceTooSmall&) {
        batch.sent.reset();  // send this batch later, when no other batch uses memory
      }
      return batch;
    };
    // This thread sends the first batch itself, because Oclgrind can check memory in one thread
    // only.
    for (std::optional<Batch> now = next(); now;) {
      if (!now->sent) send(*now);
      // The processor prepares and sends the next batch while the device counts this one.
      std::future<Batch> following;
      if (!batches.at_end()) following = std::async(std::launch::async, next);
      units_left_ = now->rows.weight;
      count_batch(now->rows, *now->sent);
      if (stop_.stop_requested()) return counted;
      progress_->units_done.add(units_left_);
      now.reset();
      if (following.valid()) now = following.get();
    }
    counted.pairs = pairs_;
    counted.nodes = leaves_;
    counted.dense_pairs = dense_pairs_;
    return counted;
  }

 private:
  /// Returns whether tables are faster than the other kernels for pairs of ordinary configurations.
  /// Tables count all such pairs, even pairs without paths. The other kernels count only pairs with
  /// paths, but take about five times as long for each pair.
  bool dense_pays(const Board& root, const Workers& workers) const {
    constexpr double kLeastDensity = 0.2;
    if (spec_.dense != DeviceSpec::Dense::kWhateverPays)
      return spec_.dense == DeviceSpec::Dense::kAlways;
    return density_of(ply_.before(), root, workers, stop_) >= kLeastDensity;
  }

  /// Sends the tables that all batches need.
  void send_columns() {
    const ColumnTables tables(ply_, columns_, turn_);
    stride_ = whole_tiles(ply_.columns().size());
    all_columns_ = device_.send(tables.planes);
    losses_ = device_.send(tables.losses);
    loss_to_ = device_.send(tables.loss_to);
    dense_number_ = device_.send(columns_.number);
    dense_columns_ = device_.send(device::planes_of(columns_.items, turn_));
    moved_columns_ = device_.send(moved_.planes);
    fill_planes(all_columns_, stride_);
    fill_planes(dense_columns_, width_);
    fill_planes(moved_columns_, moved_.size);
    first_way_ = device_.send(moved_.first_way);
    ways_ = device_.send(moved_.ways);
    moved_pushes_ = device_.send(moved_.pushes);
    overflow_ = device_.buffer_of<UInt>(1);
    device_.clear(overflow_);
    const Shares shares(device_);
    pair_room_ = static_cast<UInt>(std::max<std::uint64_t>(shares.pairs / kPairBytes, kLanes));
    pairs_buffer_ = device_.buffer(std::size_t{pair_room_} * kPairBytes);
    if (width_ == 0) return;
    const std::uint64_t of_rows = std::uint64_t{width_} * kRows * sizeof(UInt);
    const auto chunks = static_cast<UInt>(
        std::clamp<std::uint64_t>(shares.sums / of_rows, 1, rows_.items.size() / kRows + 1));
    chunk_rows_ = chunks * kRows;
    sums_ = device_.buffer(chunks * of_rows);
    robbed_plans_ = device_.buffer(chunk_rows_ * kPlanBytes);
  }
  void fill_planes(const Buffer& planes, UInt stride) {
    device_.run("fill_planes", stride / kLanes, {}, planes, stride);
  }

  /// Sends a batch, and allocates all memory that its count needs. Runs no kernel, so another
  /// thread may call it while kernels run. Throws DeviceTooSmall.
  void send(Batch& batch) const {
    const RowBatch& rows = batch.rows;
    MANYPLY_CHECK(rows.paths.size() <= UINT32_MAX);  // kernels number paths in 32 bits
    const UInt count = size_of(rows.rows);
    SentBatch& sent = batch.sent.emplace();
    sent.stride = whole_tiles(count);
    sent.rows = device_.send(device::planes_of(rows.rows, turn_));
    sent.row_begin = device_.send(rows.row_begin);
    sent.groups = device_.send(rows.groups);
    sent.paths = device_.send(rows.paths);
    sent.edges = device_.send(rows.edges);
    sent.first_edge = device_.send(rows.first_edge);
    sent.first_extra = device_.send(rows.first_extra);
    sent.extra = device_.send(rows.extra);
    sent.castlings = device_.send(rows.castlings);
    sent.dense_source = device_.send(rows.dense_source);
    sent.pushes = device_.send(rows.pushes);
    std::vector<UInt> lists(count);
    std::iota(lists.begin(), lists.end(), 0U);
    sent.chunks = list_chunks(rows, lists);
    sent.lists = device_.send(lists);
    sent.plans = device_.buffer(count * kPlanBytes);
    if (!sent.chunks.empty())
      sent.matrix = device_.buffer_of<UInt>(std::size_t{rows.dense_sources} * width_);
    sent.again = device_.buffer_of<UInt>(count);
    sent.state = device_.buffer_of<UInt>(count + kRowFailed);
  }

  void count_batch(const RowBatch& batch, const SentBatch& sent) {
    const UInt count = size_of(batch.rows);
    fill_planes(sent.rows, sent.stride);
    device_.run("plan_rows", tiles_of(count), stop_, sent.rows, sent.stride, sent.lists, UInt{0},
                count, UInt{kNoSquare}, sent.plans);
    if (!sent.chunks.empty()) count_dense(batch, sent);
    if (stop_.stop_requested()) return;
    count_other(batch, sent);
    if (stop_.stop_requested()) return;
    if (!batch.pushes.empty()) count_chances(batch, sent);
    if (stop_.stop_requested()) return;
    if (device_.read<UInt>(overflow_, 1)[0] != 0) throw_too_many_paths();
    take_totals(pairs_made_);
  }
  void take_totals(std::uint64_t& positions) {
    const opencl::Totals totals = device_.take_totals();
    leaves_ += totals.leaves;
    positions += totals.positions;
    progress_->leaves.add(totals.leaves.approximate());
    progress_->visited.add(totals.positions);
  }
  void units_done(double share, const RowBatch& batch) {
    const auto units = std::min(
        units_left_, static_cast<std::uint64_t>(share * static_cast<double>(batch.weight)));
    progress_->units_done.add(units);
    units_left_ -= units;
  }

  // Dense pairs.

  /// Cuts the dense rows of a batch into chunks, and appends the chunks' lists of rows to `lists`.
  std::vector<Chunk> list_chunks(const RowBatch& batch, std::vector<UInt>& lists) const {
    constexpr std::uint64_t kRank5 = rank_mask(4);
    std::vector<Chunk> chunks;
    for (UInt first = 0; width_ != 0 && first < batch.dense; first += chunk_rows_) {
      Chunk& chunk = chunks.emplace_back();
      chunk.first = first;
      chunk.count = std::min(chunk_rows_, batch.dense - first);
      const auto append = [&](auto&& is_listed) {
        List list{size_of(lists), 0};
        for (UInt row = first; row < first + chunk.count; ++row) {
          if (is_listed(batch.rows[row].pieces)) lists.push_back(row);
        }
        list.size = size_of(lists) - list.first;
        return list;
      };
      for (UInt square = 0; square < kNoSquare; ++square) {
        if (moved_.groups[square].tiles == 0) continue;
        chunk.by_taken[square] = append([&](const Pieces& pieces) {
          return (turn_(pieces.all() ^ pieces.king) >> square & 1) != 0;
        });
      }
      chunk.by_taken[kNoSquare] = {first, chunk.count};  // in the list of all rows
      if (!moved_.pushes.empty()) {
        chunk.with_pawns =
            append([&](const Pieces& pieces) { return (turn_(pieces.pawns) & kRank5) != 0; });
      }
    }
    return chunks;
  }

  void count_dense(const RowBatch& batch, const SentBatch& sent) {
    device_.clear(sent.matrix);
    device_.run("spread_rows", batch.dense_source.size(), stop_, sent.row_begin, sent.groups,
                sent.paths, sent.dense_source, dense_number_, width_, sent.matrix);
    for (const Chunk& chunk : sent.chunks) {
      const UInt tiles = width_ / kLanes;
      const UInt end = chunk.first + chunk.count;
      device_.run("pull", std::uint64_t{tiles} * blocks_of(chunk.count), stop_, tiles, sent.matrix,
                  width_, sent.edges, sent.first_edge, sent.dense_source, sent.castlings,
                  dense_columns_, chunk.first, end, sent.plans, sums_, overflow_);
      for (UInt square = 0; square <= kNoSquare; ++square)
        count_leaves(sent, chunk, square, chunk.by_taken[square]);
      const UInt pushes = size_of(moved_.pushes);
      if (stop_.stop_requested()) return;
      take_totals(dense_pairs_);
      if (chunk.with_pawns.size != 0) {
        device_.count("answer_pushes", std::uint64_t{tiles_of(pushes)} * chunk.with_pawns.size,
                      stop_, tiles_of(pushes), sums_, width_, moved_pushes_, pushes, moved_columns_,
                      moved_.size, sent.lists, chunk.with_pawns.first, sent.plans, chunk.first,
                      device_.totals());
      }
      units_done(0.5 * chunk.count / size_of(batch.rows), batch);
      if (stop_.stop_requested()) return;
    }
  }
  static UInt blocks_of(UInt rows) { return (rows + kRows - 1) / kRows; }

  /// Counts some of the leaves below the rows of `list`: only the leaves after captures on `square`
  /// by the columns' side. If `square` is kNoSquare, counts the leaves after quiet moves of that
  /// side.
  void count_leaves(const SentBatch& sent, const Chunk& chunk, UInt square, const List& list) {
    const MovedColumns::Group& group = moved_.groups[square];
    if (group.tiles == 0 || list.size == 0) return;
    const bool is_quiet = square == kNoSquare;
    if (!is_quiet) {
      device_.run("plan_rows", tiles_of(list.size), stop_, sent.rows, sent.stride, sent.lists,
                  list.first, list.size, square, robbed_plans_);
    }
    device_.count("leaf", std::uint64_t{group.tiles} * blocks_of(list.size), stop_, group.tiles,
                  sums_, width_, first_way_, ways_, dense_columns_, moved_columns_, moved_.size,
                  group.first_tile, sent.lists, list.first, list.size,
                  is_quiet ? sent.plans : robbed_plans_, is_quiet ? chunk.first : UInt{0},
                  chunk.first, device_.totals(), overflow_);
  }

  // Other pairs.

  void count_other(const RowBatch& batch, const SentBatch& sent) {
    const UInt count = size_of(batch.rows);
    const auto list = [&](UInt first, UInt size) {
      std::vector<UInt> rows(size);
      std::iota(rows.begin(), rows.end(), first);
      UInt found = 0;
      // If a row has too many pairs for the kernel's table, the kernel makes the row again, with
      // its columns divided into more parts.
      for (UInt parts = 1; !rows.empty() && found <= pair_room_; parts *= 8) {
        std::vector<UInt> known(rows.size() + kRowFailed);
        known[kPairsFound] = found;
        device_.write(sent.state, known);
        device_.write(sent.again, rows);
        device_.run("other_pairs", rows.size(), stop_, sent.row_begin, sent.groups, sent.paths,
                    sent.edges, sent.first_edge, sent.castlings, sent.first_extra, sent.extra,
                    all_columns_, stride_, losses_, loss_to_, batch.dense, sent.plans, sent.again,
                    UInt{0}, parts, pairs_buffer_, pair_room_, sent.state);
        if (stop_.stop_requested()) return found;
        known = device_.read<UInt>(sent.state, known.size());
        if (known[kOverflown] != 0) throw_too_many_paths();
        found = known[kPairsFound];
        std::vector<UInt> failed;
        for (std::size_t i = 0; i < rows.size(); ++i) {
          if (known[kRowFailed + i] != 0) failed.push_back(rows[i]);
        }
        rows = std::move(failed);
      }
      return found;
    };
    for_listed(count, list, [&](UInt size, UInt found) {
      if (found != 0) {
        device_.count("two_plies", tiles_of(found), stop_, pairs_buffer_, found, sent.plans,
                      all_columns_, stride_, device_.totals());
      }
      if (stop_.stop_requested()) return;
      pairs_ += found;
      units_done(0.5 * size / count, batch);
    });
  }

  /// Counts the leaves after en passant captures by the columns' side.
  void count_chances(const RowBatch& batch, const SentBatch& sent) {
    const auto list = [&](UInt first, UInt size) {
      device_.clear(sent.state);
      device_.run("list_chances", size, stop_, sent.row_begin, sent.groups, sent.paths, sent.pushes,
                  first, all_columns_, stride_, pairs_buffer_, pair_room_, sent.state);
      return stop_.stop_requested() ? 0 : device_.read<UInt>(sent.state, kOverflown)[kChancesFound];
    };
    for_listed(size_of(batch.pushes), list, [&](UInt /*size*/, UInt found) {
      if (found == 0) return;
      device_.count("answer_chances", tiles_of(found), stop_, pairs_buffer_, found, all_columns_,
                    stride_, sent.rows, sent.stride, device_.totals());
    });
  }

  /// Indices into the buffer `state` of the kernels that list pairs.
  enum State : UInt { kPairsFound, kChancesFound, kOverflown, kRowFailed };

  /// Lists and counts the pairs of all items (rows or pushes), in few steps. In each step,
  /// list(first, size) must list the pairs of `size` items, starting with item `first`, and return
  /// the number of pairs. If the pairs do not fit into the buffer, calls list() again with fewer
  /// items. Then count(size, pairs) must count the pairs. Returns early after a stop request.
  template <typename List, typename Count>
  void for_listed(UInt items, const List& list, const Count& count) {
    UInt at_once = items;
    for (UInt first = 0; first < items;) {
      const UInt size = std::min(at_once, items - first);
      const UInt found = list(first, size);
      if (stop_.stop_requested()) return;
      if (found > pair_room_) {
        if (size == 1)
          throw DeviceTooSmall(device_.used_bytes() + std::uint64_t{found} * kPairBytes,
                               device_.most_bytes());
        at_once = size / 2;
        continue;
      }
      count(size, found);
      if (stop_.stop_requested()) return;
      first += size;
    }
  }

  const MatrixPly& ply_;
  Device& device_;
  const DeviceSpec& spec_;
  const StopView stop_;
  const Turn turn_;
  const Configuration row_root_;
  const Configuration column_root_;
  const bool uses_dense_;
  const Dense rows_;
  const Dense sources_;
  const Dense columns_;
  const UInt width_;  // number of dense columns, rounded up to whole tiles
  const MovedColumns moved_;

  // The tables that all batches use on the device, and their sizes.
  UInt stride_ = 0;  // of the planes of all columns
  UInt pair_room_ = 0;
  UInt chunk_rows_ = kRows;
  Buffer all_columns_, losses_, loss_to_, dense_number_, dense_columns_, moved_columns_;
  Buffer first_way_, ways_, moved_pushes_, overflow_, pairs_buffer_, sums_, robbed_plans_;
  Progress::Worker* progress_ = nullptr;
  std::uint64_t units_left_ = 0;  // of the batch: not yet added to the progress
  NodeCount leaves_ = 0;
  std::uint64_t pairs_ = 0;
  std::uint64_t pairs_made_ = 0;  // positions one ply below pairs that are not dense
  std::uint64_t dense_pairs_ = 0;
};

class OpenClDevice : public LastPliesDevice {
 public:
  OpenClDevice(const opencl::Api& api, opencl::Listed listed, const DeviceSpec& spec)
      : spec_(spec), device_(api, std::move(listed), spec.most_bytes) {}

  Counted count(const MatrixPly& ply, const Board& root, const Workers& workers, StopView stop,
                Progress& progress) override {
    return noting_failure([&] {
      return PlyCount(ply, root, device_, spec_, workers, stop).run(workers.count(), progress);
    });
  }
  std::optional<MatrixStage> next_stage(const MatrixPly& ply, const Workers& workers, StopView stop,
                                        MatrixBudget& budget) override {
    if (ply.before().matrix.bytes() < spec_.least_stored_bytes) return std::nullopt;
    const std::uint64_t used = budget.used();
    try {
      return noting_failure(
          [&] { return device::next_stage_on(device_, spec_, ply, workers, stop, budget); });
    } catch (const DeviceTooSmall&) {
      budget.give_back_to(used);
      return std::nullopt;
    }
  }
  [[nodiscard]] DeviceUse use() const override { return device_.use(); }
  void forget_use() override { device_.forget_use(); }

 private:
  template <typename Use>
  auto noting_failure(const Use& use) -> decltype(use()) try {
    return use();
  } catch (const DeviceFailed&) {
    note_failure();
    throw;
  }

  const DeviceSpec spec_;
  Device device_;
};

Error bad_device(ErrorCode code, std::string message) {
  return {code, "device", 0, std::move(message)};
}

/// Returns the number of the device that `spec` selects.
Result<std::size_t> chosen(const DeviceSpec& spec, const std::vector<opencl::Listed>& all) {
  if (spec.number) {
    if (*spec.number < all.size()) return *spec.number;
    return bad_device(ErrorCode::kInvalidInput,
                      "there is no device " + std::to_string(*spec.number) +
                          "; devices are numbered from 0 to " + std::to_string(all.size() - 1));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].info.is_gpu && all[i].why_not.empty()) return i;
  }
  for (const opencl::Listed& each : all) {
    if (each.info.is_gpu)
      return bad_device(ErrorCode::kUnavailable, each.info.name + " " + each.why_not);
  }
  return bad_device(ErrorCode::kUnavailable,
                    "OpenCL lists no GPU, only " + all.front().info.name +
                        "; install the GPU's OpenCL driver, or give this device's number, 0");
}

}  // namespace

Result<std::vector<DeviceInfo>> list_devices() {
  const auto api = opencl::load();
  if (!api) return api.error();
  const auto all = opencl::list(**api);
  if (!all) return all.error();
  std::vector<DeviceInfo> infos;
  for (const opencl::Listed& each : *all) infos.push_back(each.info);
  return infos;
}

Result<std::unique_ptr<LastPliesDevice>> open_device(const DeviceSpec& spec) {
  const auto api = opencl::load();
  if (!api) return api.error();
  return open_device(spec, **api);
}

Result<std::unique_ptr<LastPliesDevice>> open_device(const DeviceSpec& spec,
                                                     const opencl::Api& api) try {
  const auto all = opencl::list(api);
  if (!all) return all.error();
  const auto number = chosen(spec, *all);
  if (!number) return number.error();
  const opencl::Listed& listed = all.value()[*number];
  if (!listed.why_not.empty())
    return bad_device(ErrorCode::kUnavailable, listed.info.name + " " + listed.why_not);
  DeviceSpec bounded = spec;
  const std::uint64_t most = listed.info.bytes - listed.info.bytes / 8;  // the system needs some
  bounded.most_bytes = spec.most_bytes == 0 ? most : std::min(spec.most_bytes, most);
  return std::unique_ptr<LastPliesDevice>(std::make_unique<OpenClDevice>(api, listed, bounded));
} catch (const std::exception& failure) {
  return bad_device(ErrorCode::kUnavailable, failure.what());
}

}  // namespace manyply
