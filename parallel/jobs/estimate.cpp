#include "parallel/jobs/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/stopwatch.h"
#include "hash/fingerprint.h"
#include "parallel/units/unit_runner.h"

namespace manyply {
namespace {

/// Number of samples in a block. A worker takes one block at a time. If there would be more than
/// kMostBlocks blocks, the blocks are larger.
constexpr std::uint64_t kBlock = 16;
constexpr std::uint64_t kMostBlocks = 1'000'000;

/// The random numbers of one sample. Each number is a hash of the seed, the sample and a counter,
/// and does not depend on the thread.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t sample) : numbers_{sample, 0}, seed_(seed) {}

  /// Returns a number from 0 to bound - 1. The distribution is uniform, with a relative error below
  /// bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    ++numbers_[1];
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t random = xxh3_64(std::as_bytes(std::span(numbers_)), seed_);
    return static_cast<std::uint64_t>((static_cast<Wide>(random) * bound) >> 64);
  }

 private:
  std::array<std::uint64_t, 2> numbers_;
  std::uint64_t seed_;
};

/// The children of a position, and the probability with which a walk goes to each child.
struct Fork {
  std::vector<Board> children;
  std::vector<std::uint64_t> up_to;  ///< cumulative sums of the children's perft(kGuide)

  /// Fills both vectors for `board`. If no path of kGuide + 1 plies exists, total() is 0
  /// afterwards.
  void look(const Board& board, const Kernel& kernel, CountStats& stats) {
    MoveList moves;
    kernel.generate(board, moves);
    children.clear();
    up_to.clear();
    for (const Move move : moves) children.push_back(kernel.make_unchecked(board, move));
    std::array<std::uint32_t, MoveList::kCapacity> leaves;
    static_assert(EstimateSpec::kGuide == 2, "counted in twos");
    const std::uint64_t grandchildren =
        kernel.count_two_plies(children.data(), children.size(), leaves.data());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < children.size(); ++i) up_to.push_back(sum += leaves[i]);
    stats.visited += children.size() + grandchildren;
  }

  [[nodiscard]] std::uint64_t total() const { return up_to.empty() ? 0 : up_to.back(); }

  /// Replaces `board` by a random child. Returns the inverse of the child's probability, by which
  /// the caller must multiply the weight of the walk. Precondition: total() > 0.
  double step(Dice& dice, Board& board) const {
    const auto chosen = std::ranges::upper_bound(up_to, dice.below(total())) - up_to.begin();
    const auto i = static_cast<std::size_t>(chosen);
    const std::uint64_t own = up_to[i] - (i == 0 ? 0 : up_to[i - 1]);
    board = children[i];
    return static_cast<double>(total()) / static_cast<double>(own);
  }
};

/// Number, mean and sum of squared deviations of some samples (Chan, Golub and LeVeque, 1979).
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void add(const Moments& more) {
    if (more.count == 0) return;
    const double all = count + more.count;
    const double delta = more.mean - mean;
    squares += more.squares + delta * delta * count * more.count / all;
    mean += delta * more.count / all;
    count = all;
  }
};

class EstimateRun {
 public:
  EstimateRun(const EstimateSpec& spec, const Workforce& by, EstimateReport& report)
      : spec_(spec),
        by_(by),
        kernel_(by.kernel()),
        report_(report),
        block_size_(std::max(kBlock, spec.samples / kMostBlocks + 1)),
        forks_(static_cast<std::size_t>(by.count())) {}

  std::optional<Error> run() {
    const auto blocks = static_cast<std::size_t>((spec_.samples + block_size_ - 1) / block_size_);
    blocks_.resize(blocks);
    CountStats unused;
    root_.look(spec_.root.position.board(), kernel_, unused);
    by_.progress().start(by_.count(), blocks);
    auto error = for_each_unit(
        ascending_order(blocks), {.by = by_},
        [this](std::size_t block, const UnitWorker& worker) { return take_block(block, worker); });
    if (error) return error;
    Moments all;  // in the order of samples, so that rounding is reproducible
    for (const Moments& block : blocks_) all.add(block);
    const double n = all.count;
    report_.estimate = all.mean;
    report_.standard_error = std::sqrt(all.squares / (n - 1)) / std::sqrt(n);
    const double half = student_99(spec_.samples - 1) * report_.standard_error;
    report_.low = std::max(0.0, all.mean - half);
    report_.high = all.mean + half;
    report_.visited = by_.progress().snapshot().visited;
    return std::nullopt;
  }

 private:
  std::optional<Error> take_block(std::size_t block, const UnitWorker& worker) {
    Fork& fork = forks_[static_cast<std::size_t>(worker.number)];
    const std::uint64_t first = block * block_size_;
    const std::uint64_t end = std::min(spec_.samples, first + block_size_);
    Moments moments;
    for (std::uint64_t sample = first; sample < end; ++sample) {
      CountStats stats;
      std::uint64_t leaves = 0;
      const double weight = walk(fork, sample, worker.stop, stats, leaves);
      if (worker.stop.stop_requested()) return cancelled();
      moments.add({1, weight, 0});
      worker.progress.visited.add(stats.visited);
      worker.progress.leaves.add(static_cast<double>(leaves));
    }
    blocks_[block] = moments;
    return std::nullopt;
  }

  /// Returns one sample of perft(depth). If the walk does not end early, sets `leaves` to the exact
  /// count at its end. Precondition: depth > kExact.
  double walk(Fork& fork, std::uint64_t sample, const std::stop_token& halt, CountStats& stats,
              std::uint64_t& leaves) const {
    Dice dice(spec_.seed, sample);
    Board board = spec_.root.position.board();
    double weight = 1;
    for (int left = spec_.depth.plies(); left > EstimateSpec::kExact; --left) {
      const Fork* here = &root_;
      if (left != spec_.depth.plies()) {
        fork.look(board, kernel_, stats);
        here = &fork;
      }
      if (here->total() == 0) return 0;  // no path of kGuide + 1 plies, so no path of `left` plies
      weight *= here->step(dice, board);
    }
    leaves = kernel_.count(board, EstimateSpec::kExact, halt, stats);
    return weight * static_cast<double>(leaves);
  }

  const EstimateSpec& spec_;
  const Workforce& by_;
  const Kernel& kernel_;
  EstimateReport& report_;
  const std::uint64_t block_size_;
  Fork root_;
  std::vector<Fork> forks_;      // one for each worker
  std::vector<Moments> blocks_;  // by block; each written by the worker of the block
};

static_assert(EstimateSpec::kExact > EstimateSpec::kGuide,
              "if a child has no path of kGuide plies, it has none of kExact plies");

}  // namespace

double student_99(std::uint64_t degrees) {
  constexpr double z = 2.5758293035489004;
  const auto n = static_cast<double>(degrees);
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

Result<EstimateReport> estimate_nodes(const EstimateSpec& spec, const std::stop_token& stop,
                                      Progress* progress) try {
  const Result<Workforce> by = Workforce::of(spec, stop, progress);
  if (!by) return by.error();
  if (spec.samples < EstimateSpec::kMinSamples || spec.samples > EstimateSpec::kMaxSamples)
    return Error{ErrorCode::kInvalidInput, "samples", 0,
                 std::to_string(spec.samples) + " is not between " +
                     std::to_string(EstimateSpec::kMinSamples) + " and " +
                     std::to_string(EstimateSpec::kMaxSamples)};
  EstimateReport report;
  report.threads = by->count();
  report.kernel = by->kernel().name;
  const Stopwatch watch;
  if (spec.depth.plies() <= EstimateSpec::kExact) {
    CountStats stats;
    const auto nodes = count_nodes(spec.root.position, spec.depth, by->kernel(), stop, stats);
    if (!nodes) return nodes.error();
    report.exact = true;
    report.estimate = report.low = report.high = nodes->approximate();
    report.visited = stats.visited;
  } else {
    report.samples = spec.samples;
    EstimateRun run(spec, *by, report);
    if (auto error = run.run()) return *std::move(error);
  }
  report.seconds = watch.seconds();
  return report;
} catch (...) {
  return current_exception_as_error();
}

}  // namespace manyply
