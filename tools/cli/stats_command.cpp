#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"

namespace manyply {
namespace {

struct StatsOptions : Question, Limits, Showing, Keeping {
  StatsOptions() { mode = CountMode::kStatistics; }
};

int run_stats(const StatsOptions& options, Io& io) {
  return answer_and_print(options, {.limits = options}, options, io, options);
}

constexpr Flag<StatsOptions> kDetails{
    "--details", nullptr,
    "also count stalemates, double pushes and castling by side; slower, because no table helps",
    [](StatsOptions& options, const std::string&) { return options.details = true, accepted(); }};

}  // namespace

Command stats_command() {
  using namespace flags;
  return make_command<StatsOptions>(
      {.name = "stats",
       .summary = "Count captures, checks, mates and other kinds of moves in the last ply",
       .about = R"(
Each column counts the moves of the last ply that have its kind; a move may have several. Captures
include en passant; each promotion piece counts. A check or mate is direct (given by the piece that
moved; in castling, king and rook have moved), discovered (given by another piece), both, or double
discovered (given by two other pieces). As in The Grand Chess Tree's tables, checks do not include
mates; 'with mates' is what the Chess Programming Wiki calls checks, and its double checks are
'both' and 'double discovered' together. Exit code: 0, 1 if the nodes differ from the published
count, 2 on an error, 130 on Ctrl-C.)",
       .examples = R"(
perft stats 7
perft stats 4 --fen kiwipete --divide
perft stats 5 --format csv)"},
      {kDepth, kPosition, kDivide, kDetails, kCounting, kCheckpoint, kPlainFormat, kProgress},
      run_stats);
}

}  // namespace manyply
