#include "parallel/matrix/count_in_parts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <utility>

#include "core/base/memory.h"
#include "parallel/chunk_queue.h"
#include "parallel/matrix/last_plies_device.h"
#include "parallel/matrix/last_rows.h"
#include "parallel/matrix/matrix_cone.h"
#include "parallel/matrix/memory_estimate.h"
#include "parallel/units/unit_runner.h"
#include "parallel/units/unit_store.h"

namespace manyply {
namespace {

using LastPlies = MatrixSpec::LastPlies;

constexpr std::size_t kPartWords = 5;  // number of words that a store keeps for a part

PartCount read_part(std::span<const std::uint64_t> payload) {
  return {to_count(payload.first(2)), payload[2], payload[3], payload[4]};
}
std::vector<std::uint64_t> written(const PartCount& count) {
  return {count.nodes.low(), count.nodes.high(), count.rows, count.kernel_pairs, count.lane_pairs};
}

/// Returns a hash of the root and the depth, which determine the cells (part_table.h).
Hash128 cells_identity(const Board& root, int depth) {
  constexpr std::uint64_t kKind = 0x7374726170;  // "parts"
  constexpr std::uint64_t kVersion = 1;          // increase it if Cells changes
  const Hash128 print = fingerprint(root);
  const std::array<std::uint64_t, 5> words{kKind, kVersion, static_cast<std::uint64_t>(depth),
                                           print.low, print.high};
  return xxh3_128(std::as_bytes(std::span(words)));
}

}  // namespace

class CountInParts {
 public:
  CountInParts(const MatrixSpec& spec, const Workforce& by)
      : spec_(spec),
        by_(by),
        workers_(by.workers()),
        stop_(by.stop()),
        root_(spec.root.board()),
        kernel_(row_kernel_for(by.kernel())),
        budget_(spec.most_bytes) {}

  Result<MatrixCount> run() {
    by_.progress().enter(Step::kFirstPlies);
    const Cells cells = this->cells();
    std::optional<PartTable> parts;
    if (auto error = find_plan(cells, parts)) return *std::move(error);
    const bool knows_all = parts && kept_->known() == parts->size();
    if (!knows_all && !make_base(cells)) return MatrixCount{};
    if (!parts) {
      parts = spec_.parts > 0 ? PartTable::of_size(cells, sources_, spec_.parts)
                              : PartTable(cells, sources_, most_share());
      if (spec_.store != nullptr) {
        if (auto error = open_store(*parts)) return *std::move(error);
      }
    }
    report_.parts = parts->size();
    if (auto error = count_all(*parts, knows_all)) return *std::move(error);
    if (stop_.stop_requested()) return MatrixCount{};
    PartCount sum = resumed_;
    for (const PartCount& count : counts_) sum += count;
    report_.rows = sum.rows;
    report_.kernel_pairs = sum.kernel_pairs;
    report_.lane_pairs = sum.lane_pairs;
    report_.bytes = budget_.most();
    if (spec_.device != nullptr) report_.device = spec_.device->use();
    return MatrixCount{sum.nodes, {}, report_};
  }

  // PartCounter uses these functions instead of run().

  std::optional<Error> prepare(std::string_view plan) {
    by_.progress().enter(Step::kFirstPlies);
    const Cells cells = this->cells();
    if (!plan.empty()) {
      parts_ = PartTable::read(cells, plan);
      if (!parts_)
        return Error{ErrorCode::kInvalidInput, "plan", 0, "does not match this position and depth"};
    }
    if (!make_base(cells)) return cancelled();
    if (!parts_) {
      parts_.emplace(cells, sources_, most_share());
      if (parts_->size() < spec_.parts) parts_ = PartTable::of_size(cells, sources_, spec_.parts);
    }
    cone_->cut(*parts_, first_columns());
    if (stop_.stop_requested()) return cancelled();
    shares_ = parts_->shares(sources_);
    by_.progress().start(1, kUnits);
    return std::nullopt;
  }
  [[nodiscard]] const PartTable& parts() const { return *parts_; }
  [[nodiscard]] const std::vector<PartShare>& shares() const { return shares_; }
  [[nodiscard]] PartsPlan expected() const {
    std::vector<std::size_t> all(shares_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return plan(shares_, all, 1);
  }
  Result<PartCount> count(std::size_t part) {
    PartCount counted;
    count_part(part, *parts_, static_cast<std::uint64_t>(shares_[part].work * kUnits), counted);
    if (stop_.stop_requested()) return cancelled();
    return counted;
  }

 private:
  static constexpr std::uint64_t kUnits = 1'000'000;  // units of progress in total

  /// Returns the side that moves in the last ply of the matrix.
  [[nodiscard]] Color last_mover() const {
    return (spec_.depth - kMinMatrixDepth) % 2 == 0 ? root_.side_to_move : ~root_.side_to_move;
  }

  [[nodiscard]] Cells cells() const { return Cells(configuration_of(root_, last_mover())); }

  /// Describes this count for a store, independently of memory, threads and kernel.
  [[nodiscard]] StoredJob stored_job() const {
    return {.identity = cells_identity(root_, spec_.depth),
            .words = kPartWords,
            .what = spec_.name + " by configurations"};
  }
  /// If the store has a plan of this count, reads it into `parts` and opens the store.
  std::optional<Error> find_plan(const Cells& cells, std::optional<PartTable>& parts) {
    if (spec_.store == nullptr) return std::nullopt;
    const auto plan = spec_.store->plan_of(stored_job());
    if (!plan) return plan.error();
    if (!*plan) return std::nullopt;
    parts = PartTable::read(cells, **plan);
    if (!parts) {
      return Error{
          ErrorCode::kUnavailable, "checkpoint", 0,
          "holds the parts of another count, not of " + stored_job().what + "; use another file"};
    }
    return open_store(*parts);
  }
  std::optional<Error> open_store(const PartTable& parts) {
    StoredJob job = stored_job();
    job.units = parts.size();
    job.plan = parts.written();
    auto opened = KeptUnits::open(
        *spec_.store, job,
        [this](std::size_t, std::span<const std::uint64_t> payload) {
          resumed_ += read_part(payload);
        },
        [this](std::size_t part) { return written(counts_[part]); });
    if (!opened) return opened.error();
    kept_ = std::make_unique<KeptUnits>(std::move(opened).value());
    report_.stored_parts = parts.size();
    report_.resumed_parts = kept_->known();
    report_.resumed_leaves = resumed_.nodes.approximate();
    return std::nullopt;
  }

  /// Makes the cone, and sets sources_ to a sample of the rows from which the last ply starts.
  /// Returns false after a stop request. In this case, the cone and the sample are incomplete.
  bool make_base(const Cells& cells) {
    make_cone();
    if (!stop_.stop_requested()) sources_ = cone_->sources(cells);
    return !stop_.stop_requested();
  }
  /// Makes the plies that lead to the base, and then the cone.
  void make_cone() {
    MatrixStage stage(root_);
    budget_.take(stage.bytes());
    double growth = 20;
    for (int left = spec_.depth - kMinMatrixDepth; !stop_.stop_requested(); --left) {
      const auto bytes = static_cast<double>(stage.matrix.bytes());
      if (const std::optional<int> plies = cone_plies(left, bytes, growth)) {
        use_lanes_ = spec_.device == nullptr &&
                     (spec_.last_plies == LastPlies::kInLanes ||
                      (spec_.last_plies == LastPlies::kWhateverPays &&
                       LastRows::lanes_pay(density_of(stage, root_, workers_, stop_))));
        cone_.emplace(std::move(stage), *plies, kernel_, workers_, stop_, budget_);
        if (use_lanes_ && !stop_.stop_requested()) make_tables();
        return_memory();
        return;
      }
      const std::uint64_t before = stage.bytes();
      const MatrixPly ply(std::move(stage), kernel_, workers_, stop_);
      if (stop_.stop_requested()) return;
      stage = next_stage(ply, workers_, stop_, budget_);
      budget_.give_back(before);
      growth = std::max(1.0, static_cast<double>(stage.matrix.bytes()) / bytes);
    }
  }

  /// Decides whether the cone starts from the current stage. If so, returns the number of plies of
  /// the cone. If a later stage is a better start, returns nullopt. `bytes` is the
  /// size of the current stage. `left` is the number of plies from the current stage to the stage
  /// before the last ply.
  [[nodiscard]] std::optional<int> cone_plies(int left, double bytes, double growth) const {
    const auto most = static_cast<double>(spec_.most_bytes);
    constexpr double kOfStage = 0.25;  // largest fraction of memory for a base
    constexpr double kOfRows = 0.12;   // the same, if the rows that a ply has made are the base
    const int first = spec_.depth - kMinMatrixDepth;  // plies before the last ply of the matrix
    if (spec_.cone_plies) {
      int plies = std::min(*spec_.cone_plies, MatrixCone::kMostPlies);
      while (MatrixCone::plies_above(plies) > first) --plies;
      return MatrixCone::plies_above(plies) == left ? std::optional(plies) : std::nullopt;
    }
    if (left == 4 && bytes * growth * growth > kOfStage * most) return 3;
    if (left == 2) return bytes * growth > kOfRows * most ? 2 : 1;
    return left == 0 ? std::optional(0) : std::nullopt;
  }

  /// Makes the tables of the last two plies once for all parts. If memory is scarce, only the
  /// columns with the most rows have tables, so that the tables leave enough memory for large
  /// parts.
  void make_tables() {
    constexpr double kMost = 0.4;  // tables may use this fraction of the memory that is left
    constexpr std::size_t kFewest = 64;
    const ForEach for_each = on_all(workers_, stop_);
    std::vector<Configuration> columns = cone_->ordinary_columns(root_);
    if (spec_.last_plies != LastPlies::kInLanes) {
      const double left = free_bytes() - memory().column_bytes();
      const auto room = static_cast<std::size_t>(std::max(0.0, kMost * left / kLeafColumnBytes));
      columns.resize(std::min(columns.size(), room));
      use_lanes_ = columns.size() >= kFewest;
    }
    if (!use_lanes_) return;
    tables_ = std::make_unique<LeafColumns>(
        ~cone_->mover(), std::move(columns),
        std::vector<Configuration>{cone_->ordinary_squares(root_)}, for_each, huge_pages(), stop_);
    if (stop_.stop_requested()) return;
    budget_.take(tables_->bytes());
    for_each_chunk(tables_->blocks().size(), workers_, stop_,
                   [this](std::size_t block) { tables_->fill(block); });
  }
  [[nodiscard]] std::span<const Configuration> first_columns() const {
    return tables_ ? std::span<const Configuration>(tables_->columns())
                   : std::span<const Configuration>();
  }

  [[nodiscard]] PartMemory memory() const {
    return PartMemory({.base_bytes = cone_->base_bytes(),
                       .growth = cone_->growth(),
                       .cone_plies = cone_->plies(),
                       .columns = static_cast<double>(cone_->columns().size()),
                       .table_columns = static_cast<double>(first_columns().size()),
                       .sources = static_cast<double>(cone_->sources_count()),
                       .workers = workers_.count()});
  }
  [[nodiscard]] double free_bytes() const {
    return static_cast<double>(spec_.most_bytes) - static_cast<double>(budget_.used());
  }
  /// Returns the largest fraction of the sources (see PartMemory) with which one part still fits
  /// into memory.
  [[nodiscard]] double most_share() const {
    constexpr double kMostStored = 0.4;  // a store is useful only with several parts
    return memory().most_share(free_bytes(), spec_.store != nullptr ? kMostStored : 1);
  }

  /// Returns the plan for the parts in `order`, which have the fraction `share` of all work.
  [[nodiscard]] PartsPlan plan(const std::vector<PartShare>& shares,
                               const std::vector<std::size_t>& order, double share) const {
    double largest = 0;
    double stages = 0;
    for (const PartShare& each : shares) stages += each.stage;
    for (const std::size_t part : order) largest = std::max(largest, shares[part].stage);
    // On one core, the whole stage takes kPerByte seconds for each of its bytes. Parts add
    // fractions of this time. Each part adds kPerPart. Rows that several parts need are made again,
    // which adds kAgain if each row is made again once on average. Measured from the start position
    // at depths 9 to 11, on a Zen 5.
    const double kPerByte = !use_lanes_ ? 400e-9 : cone_->plies() < 2 ? 200e-9 : 270e-9;
    constexpr double kAgain = 0.07;
    constexpr double kPerPart = 0.0025;
    const double times = 1 + kAgain * (stages - 1) + kPerPart * static_cast<double>(shares.size());
    const PartMemory memory = this->memory();
    const double bytes = static_cast<double>(budget_.used()) + memory.part_bytes(largest);
    return {
        .parts = shares.size(),
        .resumed = report_.resumed_parts,
        .bytes = static_cast<std::uint64_t>(std::min(bytes, static_cast<double>(spec_.most_bytes))),
        .seconds = share * memory.whole_stage_bytes() * kPerByte * times / workers_.count()};
  }

  /// Counts the parts that the store does not contain, the largest first.
  std::optional<Error> count_all(const PartTable& parts, bool knows_all) {
    if (knows_all) {
      by_.progress().start(1, kUnits, kUnits);
      return std::nullopt;
    }
    cone_->cut(parts, first_columns());
    if (stop_.stop_requested()) return std::nullopt;
    const std::vector<PartShare> shares = parts.shares(sources_);
    std::vector<std::size_t> order;
    double resumed = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (kept_ != nullptr && kept_->knows(part)) {
        resumed += shares[part].work;
      } else {
        order.push_back(part);
      }
    }
    resumed = std::min(resumed, 1.0);
    if (spec_.on_plan) spec_.on_plan(plan(shares, order, 1 - resumed));
    const auto resumed_units = static_cast<std::uint64_t>(resumed * kUnits);
    by_.progress().start(1, kUnits, resumed_units);
    counts_.resize(parts.size());
    std::optional<Error> error;
    for_each_part(std::move(order), shares, kUnits - resumed_units,
                  [&](std::size_t part, std::uint64_t units) {
                    if (!error) error = count_and_keep(part, parts, units);
                  });
    return error;
  }

  /// Calls body(part, units of progress) for each part in `order`, the largest part first. Divides
  /// `units` units of progress among the parts.
  template <typename Body>
  void for_each_part(std::vector<std::size_t> order, const std::vector<PartShare>& shares,
                     std::uint64_t units, const Body& body) {
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t part) { return shares[part].stage; });
    double work = 0;
    for (const std::size_t part : order) work += shares[part].work;
    UnitsByWeight by_work(units, work);
    for (const std::size_t part : order) {
      if (stop_.stop_requested()) return;
      body(part, by_work.next(shares[part].work));
    }
  }

  std::optional<Error> count_and_keep(std::size_t part, const PartTable& parts,
                                      std::uint64_t units) {
    count_part(part, parts, units, counts_[part]);
    if (stop_.stop_requested() || kept_ == nullptr) return std::nullopt;
    if (auto error = kept_->record(part)) return error;
    return kept_->flush();  // write now, because the next part may take hours
  }

  /// Adds the counts of part `part` of `parts` to `sum`. If the part does not fit into memory,
  /// counts it in smaller parts.
  void count_part(std::size_t part, const PartTable& parts, std::uint64_t units, PartCount& sum) {
    const std::uint64_t used = budget_.used();
    try {
      Progress progress;
      const NestedProgress nested(by_.progress(), progress, units);
      const PartCount counted = count_rows(part, parts, progress);
      if (stop_.stop_requested()) return;
      sum += counted;
      const ProgressSnapshot shown = progress.snapshot();
      by_.progress().nested_done(shown.leaves, shown.visited);
    } catch (const MatrixTakesTooMuch&) {
      budget_.give_back_to(used);
      const PartTable smaller = parts.split(part, sources_);
      if (smaller.size() == 1) throw;
      cone_->cut(smaller, first_columns());
      report_.parts += smaller.size() - 1;
      std::vector<std::size_t> all(smaller.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      for_each_part(std::move(all), smaller.shares(sources_), units,
                    [&](std::size_t each, std::uint64_t own_units) {
                      count_part(each, smaller, own_units, sum);
                    });
      cone_->cut(parts, first_columns());
    }
    if (stop_.stop_requested()) return;
    budget_.give_back_to(used);
    return_memory();
  }

  /// Returns freed memory to the system. Exception: keeps freed huge pages, but at most as many
  /// bytes as the budget has left.
  void return_memory() const {
    return_kept_pages(budget_.limit() - std::min(budget_.limit(), budget_.used()));
    return_freed_memory();
  }

  PartCount count_rows(std::size_t part, const PartTable& parts, Progress& progress) {
    MatrixStage stage = cone_->stage_for(part);
    return_memory();
    if (stop_.stop_requested()) return {};
    const bool only_counts = spec_.device == nullptr && cone_->plies() != 0;
    const MatrixCone::Borrowed borrowed(
        *cone_,
        MatrixPly(std::move(stage), kernel_, workers_, stop_,
                  {.row = [&](const Configuration& row) { return parts.part_of(row) == part; }},
                  only_counts ? MatrixPly::Sets::kLast : MatrixPly::Sets::kAll));
    if (stop_.stop_requested()) return {};
    const MatrixPly& last = borrowed.ply();
    budget_.take(last.bytes());
    report_.columns = std::max<std::uint64_t>(report_.columns, last.column_count());
    if (spec_.device != nullptr) {
      const auto counted = spec_.device->count(last, root_, workers_, stop_, progress);
      return {counted.nodes, last.rows().size(), counted.pairs, counted.dense_pairs};
    }
    LastRows below(last, root_, by_.kernel(), workers_, stop_);
    if (tables_) below.use_lanes(*tables_, workers_, stop_);
    budget_.take(below.worker_bytes(false) * static_cast<std::uint64_t>(workers_.count()));
    if (stop_.stop_requested()) return {};
    const NodeCount nodes = below.count(workers_, stop_, progress);
    return {nodes, last.rows().size(), below.kernel_pairs(), below.lane_pairs()};
  }

  const MatrixSpec& spec_;
  const Workforce& by_;
  const Workers& workers_;
  const std::stop_token& stop_;
  const Board& root_;
  const RowKernel& kernel_;
  MatrixBudget budget_;
  bool use_lanes_ = false;
  std::optional<MatrixCone> cone_;
  std::unique_ptr<LeafColumns> tables_;  // null if lanes are not used
  std::vector<CellSource> sources_;
  std::unique_ptr<KeptUnits> kept_;
  PartCount resumed_;              // sum of the parts that were in the store
  std::vector<PartCount> counts_;  // of the parts that this run has counted; indexed by part
  MatrixReport report_;
  // Used only by PartCounter.
  std::optional<PartTable> parts_;
  std::vector<PartShare> shares_;
};

Hash128 parts_identity(const Board& root, int depth, std::string_view plan) {
  const Hash128 cells = cells_identity(root, depth);
  const Hash128 table = xxh3_128(std::as_bytes(std::span(plan)));
  const std::array<std::uint64_t, 4> words{cells.low, cells.high, table.low, table.high};
  return xxh3_128(std::as_bytes(std::span(words)));
}

namespace {

/// Converts the exception that is being handled to an Error. Call it in catch blocks only.
Error error_of_part() try { throw; } catch (const MatrixDoesNotFit& why) {
  return Error{ErrorCode::kUnavailable, "memory", 0, why.what()};
} catch (...) {
  return current_exception_as_error();
}

}  // namespace

PartCounter::PartCounter(const MatrixSpec& spec, const Workforce& by)
    : spec_(spec), counting_(std::make_unique<CountInParts>(spec_, by)) {}

PartCounter::~PartCounter() = default;

std::optional<Error> PartCounter::prepare(std::string_view plan) try {
  return counting_->prepare(plan);
} catch (...) {
  return error_of_part();
}

std::string PartCounter::plan() const { return counting_->parts().written(); }

const std::vector<PartShare>& PartCounter::shares() const { return counting_->shares(); }

PartsPlan PartCounter::expected() const { return counting_->expected(); }

Result<PartCount> PartCounter::count(std::size_t part) try {
  return with_device_errors([&] { return counting_->count(part); });
} catch (...) {
  return error_of_part();
}

double density_of(const MatrixStage& stage, const Board& root, const Workers& workers,
                  StopView stop) {
  const Ordinary row_kind(configuration_of(root, stage.mover));
  const Ordinary column_kind(configuration_of(root, ~stage.mover));
  std::vector<std::uint8_t> in_columns(groups_of(stage.columns.size()) * kGroupColumns);
  double columns = 0;
  for (std::size_t column = 0; column < stage.columns.size(); ++column) {
    in_columns[column] = column_kind.includes(stage.columns[column]) ? 1 : 0;
    columns += in_columns[column];
  }
  std::atomic<std::uint64_t> all_rows = 0;  // read only after the workers have returned
  std::atomic<std::uint64_t> all_pairs = 0;
  for_each_chunk(stage.matrix.chunks.size(), workers, stop, [&](std::size_t number) {
    const RowChunk& chunk = stage.matrix.chunks[number];
    std::uint64_t rows = 0;
    std::uint64_t pairs = 0;
    for (std::size_t i = 0; i < chunk.rows(); ++i) {
      if (!row_kind.includes(stage.rows[number * kChunkRows + i])) continue;
      ++rows;
      for_each_column(chunk.row(i), [&](std::size_t column) { pairs += in_columns[column]; });
    }
    all_rows.fetch_add(rows, std::memory_order_relaxed);
    all_pairs.fetch_add(pairs, std::memory_order_relaxed);
  });
  const double room = static_cast<double>(all_rows) * columns;
  return room == 0 ? 0 : static_cast<double>(all_pairs) / room;
}

Result<MatrixCount> count_in_parts(const MatrixSpec& spec, const Workforce& by) {
  return CountInParts(spec, by).run();
}

}  // namespace manyply
