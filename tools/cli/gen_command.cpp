// `perft gen`: suites of random positions, for other people's generators.
#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "core/movegen.h"
#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"

namespace manyply {
namespace {

/// The standard's distributions differ between libraries; this does not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }

 private:
  std::mt19937_64 engine_;
};

/// A start position of Chess960, each side with its own array in one case of four: both castling
/// sides then differ.
std::string chess960_start(Random& random) {
  const auto array = [&] {
    std::string men = "rnbqkbnr";
    while (true) {
      for (std::size_t i = men.size(); i > 1; --i) std::swap(men[i - 1], men[random.below(i)]);
      const std::size_t king = men.find('k');
      const bool colours_differ = (men.find('b') + men.rfind('b')) % 2 == 1;
      if (colours_differ && men.find('r') < king && king < men.rfind('r')) return men;
    }
  };
  const std::string black = array();
  std::string white = random.below(4) == 0 ? array() : black;
  for (char& man : white) man = static_cast<char>(man - 'a' + 'A');
  return black + "/pppppppp/8/8/8/8/PPPPPPPP/" + white + " w KQkq - 0 1";
}

/// A position out of a random game. What generators stumble over comes more often than by chance:
/// captures, promotions, castling, double steps; and a game may end where en passant is possible,
/// which few positions of a game are.
Position random_position(Position position, Random& random) {
  for (std::size_t plies = 2 + random.below(120); plies > 0; --plies) {
    const MoveList moves = legal_moves(position);
    if (moves.empty()) return position;
    Move move = moves[random.below(moves.size())];
    const auto dull = [&] {
      return move.kind() == MoveKind::kNormal && !position.piece_on(move.to());
    };
    if (dull() && random.below(3) == 0) move = moves[random.below(moves.size())];
    position = position.after_unchecked(move);
    if (position.board().en_passant != 0 && random.below(3) == 0) break;
  }
  return position;
}

}  // namespace

int run_gen(const Options& options, Io& io) {
  const GenOptions& gen = options.gen;
  const auto notation =
      options.chess960 ? CastlingNotation::kChess960 : CastlingNotation::kStandard;
  Random random(gen.seed);
  std::set<Position> seen;
  constexpr int kPatience = 1000;  // games in a row that lead to nothing new
  int fruitless = 0;
  while (seen.size() < gen.positions) {
    if (io.stop.stop_requested()) return fail(io, {ErrorCode::kCancelled, "", 0, ""});
    const std::string start = options.chess960 ? chess960_start(random) : std::string(kStartFen);
    const Position position = random_position(parse_position(start)->position, random);
    if (legal_moves(position).empty() || !seen.insert(position).second) {
      if (++fruitless > kPatience)
        return fail(io, {ErrorCode::kUnavailable, "", 0, "no further positions are found"});
      continue;
    }
    fruitless = 0;

    std::string line = to_fen(position, notation);
    for (int depth = 1; depth <= gen.depth.plies(); ++depth) {
      JobSpec job;
      job.root = {position, notation};
      job.depth = Depth(depth);
      job.threads = options.threads;
      job.kernel = options.kernel;
      if (depth >= kHashedFrom) job.hash.emplace();
      const Result<Report> report = run_job(job, io.stop);
      if (!report) return fail(io, report.error());
      line += " ;D" + std::to_string(depth) + ' ' + report->nodes.to_string();
    }
    io.out << line << '\n' << std::flush;
    if (!io.out) break;  // nobody listens any more
  }
  return kExitOk;
}

}  // namespace manyply
