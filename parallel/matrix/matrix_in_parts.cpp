#include "parallel/matrix/matrix_in_parts.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/memory.h"
#include "parallel/matrix/huge_pages.h"
#include "parallel/matrix/last_rows.h"
#include "parallel/matrix/matrix_cone.h"
#include "parallel/matrix/matrix_parts.h"
#include "parallel/split/chunk_counter.h"

namespace manyply {
namespace {

using LastPlies = MatrixSpec::LastPlies;

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

  MatrixCount run() {
    by_.progress().enter(Step::kFirstPlies);
    make_cone();
    if (stop_.stop_requested()) return {};
    const Cells cells(configuration_of(root_, cone_->mover()));
    sources_ = cone_->sources(cells);
    const PartTable parts = spec_.parts > 0 ? PartTable::of_size(cells, sources_, spec_.parts)
                                            : PartTable(cells, sources_, most_share());
    cone_->cut(parts, first_columns());
    if (stop_.stop_requested()) return {};
    const std::vector<PartShare> shares = parts.shares(sources_);
    if (spec_.on_plan) spec_.on_plan(plan(shares));
    by_.progress().start(1, kUnits);
    report_.parts = parts.size();
    count_parts(parts, shares, kUnits);
    report_.bytes = budget_.most();
    return {nodes_, {}, report_};
  }

 private:
  static constexpr std::uint64_t kUnits = 1'000'000;  // of progress

  /// Makes the plies of the base.
  void make_cone() {
    MatrixStage stage(root_);
    budget_.take(stage.bytes());
    double growth = 20;
    for (int left = spec_.depth - kMinMatrixDepth; !stop_.stop_requested(); --left) {
      const auto bytes = static_cast<double>(stage.matrix.bytes());
      if (const std::optional<int> plies = cone_plies(left, bytes, growth)) {
        use_lanes_ = spec_.last_plies == LastPlies::kInLanes ||
                     (spec_.last_plies == LastPlies::kWhateverPays &&
                      LastRows::lanes_pay(by_.kernel(), density_of(stage, root_, workers_, stop_)));
        cone_.emplace(std::move(stage), *plies, kernel_, workers_, stop_, budget_);
        if (use_lanes_ && !stop_.stop_requested()) make_tables();
        return_freed_memory();
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

  /// Plies of a cone whose base is the stage of so many bytes that has `left` plies to the one
  /// before the last ply; none if a later stage is a better base.
  [[nodiscard]] std::optional<int> cone_plies(int left, double bytes, double growth) const {
    const auto most = static_cast<double>(spec_.most_bytes);
    constexpr double kOfStage = 0.25;  // the most that a base takes of memory
    constexpr double kOfRows = 0.12;
    const int first = spec_.depth - kMinMatrixDepth;  // plies that there are
    if (spec_.cone_plies) {
      int plies = std::min(*spec_.cone_plies, MatrixCone::kMostPlies);
      while (MatrixCone::plies_above(plies) > first) --plies;
      return MatrixCone::plies_above(plies) == left ? std::optional(plies) : std::nullopt;
    }
    if (left == 4 && bytes * growth * growth > kOfStage * most) return 3;
    if (left == 2) return bytes * growth > kOfRows * most ? 2 : 1;
    return left == 0 ? std::optional(0) : std::nullopt;
  }

  /// What the last two plies need of columns and rows is made once, for all parts, unless it would
  /// take most of the memory.
  void make_tables() {
    constexpr double kOfColumn = 15'000;  // bytes, measured from the start position
    constexpr double kMost = 0.5;
    const ForEach for_each = on_all(workers_, stop_);
    std::vector<Configuration> columns = cone_->ordinary_columns(root_);
    use_lanes_ = spec_.last_plies == LastPlies::kInLanes ||
                 kOfColumn * static_cast<double>(columns.size()) <
                     kMost * static_cast<double>(spec_.most_bytes);
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

  /// Bytes of the stage before the last ply, if it were made whole.
  [[nodiscard]] double whole_stage_bytes() const {
    return cone_->base_bytes() * std::pow(cone_->growth(), cone_->plies());
  }
  /// Bytes that the last ply takes besides the stage before it: what all parts need of columns, and
  /// what is shared out with the rows. Measured from the start position at depths 9 to 11.
  [[nodiscard]] double column_bytes() const {
    constexpr double kGrowth = 36;  // of Y's configurations in two plies
    constexpr double kOfColumn = 120;
    constexpr double kOfWorker = 5;
    constexpr double kOfOrdinary = 4 * kLeafRows;  // of each worker's
    const double growth =
        cone_->plies() == 0 ? 1 : std::pow(kGrowth, static_cast<double>(cone_->levels()));
    const double columns = growth * static_cast<double>(cone_->columns().size());
    const double ordinary = static_cast<double>(first_columns().size());
    return columns * kOfColumn + workers_.count() * (columns * kOfWorker + ordinary * kOfOrdinary);
  }
  [[nodiscard]] double row_bytes() const {
    constexpr double kMoves = 30;
    constexpr double kOfMove = 70;  // and of its share of a row
    return static_cast<double>(cone_->sources_count()) * kMoves * kOfMove;
  }
  /// The most that is there at a time of a part that has this share of the stage. While its stage
  /// is turned over, some of that is there twice, and the one before is, too.
  [[nodiscard]] double part_bytes(double share) const {
    constexpr double kTurning = 0.4;
    const double stage = share * whole_stage_bytes();
    return stage + std::max(kTurning * stage, column_bytes() + share * row_bytes());
  }
  /// The most that a part may have of the rows before the last ply.
  [[nodiscard]] double most_share() const {
    constexpr double kLeast = 0.002;
    const double left = static_cast<double>(spec_.most_bytes) - static_cast<double>(budget_.used());
    double least = 0;
    double most = 1;
    for (int step = 0; step < 20; ++step) {
      const double share = (least + most) / 2;
      (part_bytes(share) < left ? least : most) = share;
    }
    return std::max(kLeast, most);
  }

  [[nodiscard]] PartsPlan plan(const std::vector<PartShare>& shares) const {
    double largest = 0;
    double stages = 0;
    for (const PartShare& share : shares) {
      largest = std::max(largest, share.stage);
      stages += share.stage;
    }
    // Of the start position at depths 9 to 11 on one core of a Zen 5: seconds for each byte of the
    // stage, what is made again, and what each part takes however small it is.
    const double kPerByte = use_lanes_ ? 75e-9 : 150e-9;
    constexpr double kAgain = 0.07;
    constexpr double kPerPart = 0.0025;
    const double times = 1 + kAgain * (stages - 1) + kPerPart * static_cast<double>(shares.size());
    const double bytes = static_cast<double>(budget_.used()) + part_bytes(largest);
    return {
        .parts = shares.size(),
        .bytes = static_cast<std::uint64_t>(std::min(bytes, static_cast<double>(spec_.most_bytes))),
        .seconds = whole_stage_bytes() * kPerByte * times / workers_.count()};
  }

  /// While it is there, the next `units` are `job`.
  struct Nested {
    Nested(Progress& progress, const Progress& job, std::uint64_t units) : progress_(progress) {
      progress_.nest(&job, units);
    }
    ~Nested() { progress_.nest(nullptr); }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    Progress& progress_;
  };

  /// Counts all parts of `parts`, the largest first, which are `units` of progress.
  void count_parts(const PartTable& parts, const std::vector<PartShare>& shares,
                   std::uint64_t units) {
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t part) { return shares[part].stage; });
    double share_done = 0;
    std::uint64_t units_done = 0;
    for (const std::size_t part : order) {
      share_done += shares[part].work;
      const auto end =
          static_cast<std::uint64_t>(std::min(1.0, share_done) * static_cast<double>(units));
      const std::uint64_t own_units = (part == order.back() ? units : end) - units_done;
      units_done += own_units;
      const std::uint64_t used = budget_.used();
      try {
        count_part(part, parts, own_units);
      } catch (const MatrixTakesTooMuch&) {
        budget_.give_back_to(used);
        const PartTable smaller = parts.split(part, sources_);
        if (smaller.size() == 1) throw;
        cone_->cut(smaller, first_columns());
        report_.parts += smaller.size() - 1;
        count_parts(smaller, smaller.shares(sources_), own_units);
        cone_->cut(parts, first_columns());
      }
      if (stop_.stop_requested()) return;
      budget_.give_back_to(used);
      return_freed_memory();
    }
  }

  void count_part(std::size_t part, const PartTable& parts, std::uint64_t units) {
    Progress progress;
    const Nested nested(by_.progress(), progress, units);
    const auto counted = count_rows(part, parts, progress);
    if (stop_.stop_requested()) return;
    nodes_ += counted;
    const ProgressSnapshot shown = progress.snapshot();
    by_.progress().nested_done(shown.leaves, shown.visited);
  }

  NodeCount count_rows(std::size_t part, const PartTable& parts, Progress& progress) {
    MatrixStage stage = cone_->stage_for(part);
    return_freed_memory();
    if (stop_.stop_requested()) return 0;
    const MatrixCone::Borrowed borrowed(
        *cone_, MatrixPly(std::move(stage), kernel_, workers_, stop_,
                          [&](const Configuration& row) { return parts.part_of(row) == part; }));
    if (stop_.stop_requested()) return 0;
    const MatrixPly& last = borrowed.ply();
    budget_.take(last.bytes());
    LastRows below(last, root_, by_.kernel(), workers_, stop_);
    if (tables_) below.use_lanes(*tables_, workers_, stop_);
    budget_.take(below.worker_bytes() * static_cast<std::uint64_t>(workers_.count()));
    if (stop_.stop_requested()) return 0;
    const NodeCount nodes = below.count(workers_, stop_, progress);
    report_.rows += last.rows().size();
    report_.columns = std::max<std::uint64_t>(report_.columns, last.columns().size());
    report_.kernel_pairs += below.kernel_pairs();
    report_.lane_pairs += below.lane_pairs();
    return nodes;
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
  std::unique_ptr<LeafColumns> tables_;  // if lanes are used
  std::vector<CellSource> sources_;
  NodeCount nodes_ = 0;
  MatrixReport report_{.parts = 0};
};

}  // namespace

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
  std::atomic<std::uint64_t> all_rows = 0;  // published by the workers' end
  std::atomic<std::uint64_t> all_pairs = 0;
  for_each_chunk(stage.matrix.chunks.size(), workers, stop, [&](std::size_t number) {
    const RowChunk& chunk = stage.matrix.chunks[number];
    std::uint64_t rows = 0;
    std::uint64_t pairs = 0;
    for (std::size_t i = 0; i < chunk.rows(); ++i) {
      if (!row_kind.includes(stage.rows[number * kChunkRows + i])) continue;
      ++rows;
      const RowView row = chunk.row(i);
      for (std::size_t j = 0; j < row.size * kGroupColumns; ++j) {
        const std::size_t column =
            row.groups[j / kGroupColumns] * kGroupColumns + j % kGroupColumns;
        if (row.paths[j] != 0) pairs += in_columns[column];
      }
    }
    all_rows.fetch_add(rows, std::memory_order_relaxed);
    all_pairs.fetch_add(pairs, std::memory_order_relaxed);
  });
  const double room = static_cast<double>(all_rows) * columns;
  return room == 0 ? 0 : static_cast<double>(all_pairs) / room;
}

MatrixCount count_in_parts(const MatrixSpec& spec, const Workforce& by) {
  return CountInParts(spec, by).run();
}

}  // namespace manyply
