// `perft gen`: writes suites of random positions, to test other generators.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/position.h"
#include "parallel/jobs/many_counts.h"
#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"
#include "tools/cli/suite_file.h"

namespace manyply {
namespace {

struct GenOptions : CountOptions, Writing {
  std::uint64_t positions = 100;
  std::uint64_t seed = 1;
  bool chess960 = false;
  Depth depth{4};  ///< largest depth; at least 1
};

/// Returns a random number from 0 to bound - 1, the same with every standard library. The bias is
/// negligible, because all bounds in this file are small.
std::size_t below(std::size_t bound, std::mt19937_64& random) {
  return static_cast<std::size_t>(random() % bound);
}

/// Returns a start position of Chess960. With probability 1/4, the back ranks of White and Black
/// are drawn separately. Kings and rooks are then usually on different files.
std::string chess960_start(std::mt19937_64& random) {
  const auto array = [&] {
    std::string pieces = "rnbqkbnr";
    while (true) {
      for (std::size_t i = pieces.size(); i > 1; --i)
        std::swap(pieces[i - 1], pieces[below(i, random)]);
      const std::size_t king = pieces.find('k');
      const bool colours_differ = (pieces.find('b') + pieces.rfind('b')) % 2 == 1;
      if (colours_differ && pieces.find('r') < king && king < pieces.rfind('r')) return pieces;
    }
  };
  const std::string black = array();
  std::string white = below(4, random) == 0 ? array() : black;
  for (char& piece : white) piece = static_cast<char>(piece - 'a' + 'A');
  return black + "/pppppppp/8/8/8/8/PPPPPPPP/" + white + " w KQkq - 0 1";
}

/// Returns a position from a random game. Captures, promotions, castling and double pushes are more
/// frequent than in purely random games, because such moves expose bugs. If an en passant capture
/// is possible, the game ends at this position with probability 1/3, because such positions would
/// otherwise be rare.
Position random_position(Position position, std::mt19937_64& random) {
  for (std::size_t plies = 2 + below(120, random); plies > 0; --plies) {
    const MoveList moves = legal_moves(position);
    if (moves.empty()) return position;
    Move move = moves[below(moves.size(), random)];
    const auto quiet_play = [&] {
      return move.kind() == MoveKind::kNormal && !position.piece_on(move.to());
    };
    if (quiet_play() && below(3, random) == 0) move = moves[below(moves.size(), random)];
    position = position.after_unchecked(move);
    if (position.board().en_passant != 0 && below(3, random) == 0) break;
  }
  return position;
}

/// Counts `positions` at each depth, and writes each position with its counts.
std::optional<Error> write_positions(const std::vector<NamedPosition>& positions,
                                     const GenOptions& options, SuiteWriter& writer, Io& io) {
  std::vector<JobSpec> jobs;
  for (const NamedPosition& position : positions) {
    for (int depth = 1; depth <= options.depth.plies(); ++depth) {
      auto job = make_job(question_of(position, Depth(depth)), options);
      if (!job) return job.error();
      jobs.push_back(std::move(job).value());
    }
  }
  SuiteLine line{};
  return count_many(jobs, io.stop, nullptr, [&](const ManyCounted& counted) {
    const JobSpec& job = jobs[counted.job];
    if (job.depth == Depth(1))
      line.record = {job.root, to_fen(job.root.position, job.root.notation), {}};
    line.record.counts.push_back({job.depth, counted.nodes});
    if (job.depth == options.depth) io.out << writer.row(position_document(line)) << std::flush;
    return bool(io.out);  // false if the reader has gone
  });
}

/// Writes distinct positions that have at least one legal move, in batches of kAtOnce.
int run_gen(const GenOptions& options, Io& io) {
  const auto notation =
      options.chess960 ? CastlingNotation::kChess960 : CastlingNotation::kStandard;
  std::mt19937_64 random(options.seed);
  std::set<Position> seen;
  constexpr int kPatience = 1000;  // limit on consecutive games without a new position
  int fruitless = 0;
  constexpr std::size_t kAtOnce = 256;  // number of positions that are counted at the same time
  std::vector<NamedPosition> positions;
  std::vector<Depth> depths;
  for (int depth = 1; depth <= options.depth.plies(); ++depth) depths.emplace_back(depth);
  SuiteWriter writer(options.write.value_or(SuiteForm::kEpd), std::move(depths));
  io.out << writer.head();
  while (seen.size() < options.positions && io.out) {
    if (io.stop.stop_requested()) return fail(io, {ErrorCode::kCancelled, "", 0, ""});
    const std::string start = options.chess960 ? chess960_start(random) : std::string(kStartFen);
    const Position position = random_position(parse_position(start)->position, random);
    if (legal_moves(position).empty() || !seen.insert(position).second) {
      if (++fruitless <= kPatience) continue;
      if (auto error = write_positions(positions, options, writer, io)) return fail(io, *error);
      return fail(io, {ErrorCode::kUnavailable, "", 0, "no further positions were found"});
    }
    fruitless = 0;
    positions.push_back({position, notation});
    if (positions.size() < kAtOnce && seen.size() < options.positions) continue;
    if (auto error = write_positions(positions, options, writer, io)) return fail(io, *error);
    positions.clear();
  }
  io.out << writer.end() << std::flush;
  return kExitOk;
}

constexpr std::array<Flag<GenOptions>, 4> kGenerating{{
    {"--positions", "K", "number of positions (default: 100)",
     [](GenOptions& options, const std::string& text) {
       return store(parse_amount(text, 1, 100'000'000), options.positions, "--positions");
     }},
    {"--seed", "S", "seed for the random games; another seed gives other positions (default: 1)",
     [](GenOptions& options, const std::string& text) {
       return store(parse_number(text, 0, UINT64_MAX), options.seed, "--seed");
     }},
    {"--chess960", nullptr, "start the games from Chess960 start positions",
     [](GenOptions& options, const std::string&) { return options.chess960 = true, accepted(); }},
    {"--depth", "D", "write counts for depths 1 to D, at most 64 (default: 4)",
     [](GenOptions& options, const std::string& text) -> std::optional<Error> {
       if (text == "0") return bad_input("--depth", "must be at least 1");
       return store(Depth::parse(text), options.depth, "--depth");
     }},
}};

}  // namespace

Command gen_command() {
  using namespace flags;
  return make_command<GenOptions>({.name = "gen",
                                   .summary = "Write a suite of random positions with their counts",
                                   .about = R"(
Writes distinct legal positions from random games, with counts that test other generators. The form
is EPD (FEN ;D1 20 ;D2 400); with --write, it is JSON or CSV. A seed gives the same suite on every
machine.)",
                                   .examples = R"(
perft gen --positions 1000 --seed 7 > random.epd
perft gen --positions 50 --chess960 --depth 5)"},
                                  {kGenerating, kWrite, kThreads, kKernel}, run_gen);
}

}  // namespace manyply
