// Counts published positions with every kernel of this machine, with and without tables. Prints
// errors. Returns exit code 1 if there are any.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/memory.h"
#include "core/counting.h"
#include "core/fen.h"
#include "core/known_values.h"
#include "hash/fingerprint.h"
#include "hash/hashed_kernel.h"
#include "hash/statistics_search.h"

// An exception ends the program here, because the platform's library does not support exceptions.
extern "C" {
[[noreturn]] void __cxa_throw(void* /*exception*/, void* /*type*/, void (* /*destroy*/)(void*)) {
  std::puts("thrown");
  __builtin_trap();
}
void* __cxa_allocate_exception(std::size_t /*size*/) { __builtin_trap(); }
}

namespace manyply {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("WRONG: %s\n", what.c_str());
  ++failures;
}

class Stopped {
 public:
  [[nodiscard]] bool stop_requested() const { return true; }
};

void count_hashed(const Board& board, int depth, const Kernel& kernel, NodeCount known,
                  const std::string& what) {
  const KeySet keys{KeySpec{}};
  DeepTable deep(TableMemory::allocate(kMiB).value(), 16);
  WideTable wide(16);
  PrivateWindow window(TableMemory::allocate(kMiB).value());
  HashStats stats;
  SearchContextOf<DeepTable, PrivateWindow> context{keys, kernel, deep, wide, window, {}, stats};
  const NodeCount nodes =
      hashed_kernel_for(kernel).count_private(board, keys.key_from_scratch(board), depth, context);
  expect(nodes == known, what + ", hashed: " + nodes.to_string());
}

void count(std::string_view fen, int depth) {
  const Position position = parse_position(fen).value().position;
  const NodeCount known = known_value(position, Depth(depth)).value();
  for (const Kernel& kernel : all_kernels()) {
    const std::string what = std::string(kernel.name) + " " + std::string(fen);
    CountStats stats;
    const NodeCount nodes = count_nodes(position, Depth(depth), kernel, {}, stats).value();
    expect(nodes == known, what + ": " + nodes.to_string());
    count_hashed(position.board(), depth, kernel, known, what);

    const KeySet keys{KeySpec{}};
    MoveStatistics sum;
    StatisticsSearch(kernel, keys, nullptr).add(position.board(), depth, {}, sum);
    expect(NodeCount(sum[Statistic::kNodes]) == known,
           what + ", statistics: " + std::to_string(sum[Statistic::kNodes]));
  }
}

int run() {
  count(kStartFen, 5);
  count(kKiwipeteFen, 4);
  count("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5);

  CountStats stats;
  const Result<NodeCount> stopped =
      count_nodes(Position(), Depth(7), best_kernel(), Stopped(), stats);
  expect(!stopped.ok() && stopped.error().code == ErrorCode::kCancelled, "a stop is not seen");

  const Result<TableMemory> too_much = TableMemory::allocate(std::uint64_t{1} << 40);
  expect(!too_much.ok() && too_much.error().code == ErrorCode::kUnavailable, "1 TiB is granted");
  const TableMemory odd = TableMemory::allocate(4097).value();
  for (std::uint64_t i = 0; i < odd.bytes(); ++i)
    expect(static_cast<const char*>(odd.data())[i] == 0, "memory is not zero");

  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace manyply

int main() { return manyply::run(); }
