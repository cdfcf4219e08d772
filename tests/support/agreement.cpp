#include "tests/support/agreement.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/kernel.h"
#include "core/position.h"

namespace manyply {

namespace {

using ChildFens = std::map<std::string, std::string>;  // by the text of the move

std::string fen_of(const oracle::Position& position) { return oracle::identity(position) + " 0 1"; }

std::string differs(const std::string& what, const std::string& ours, const std::string& theirs) {
  return what + ": " + ours + ", but " + theirs + " by the oracle";
}

std::string compare_moves(const NamedPosition& ours, const oracle::Position& theirs) {
  const auto& [position, notation] = ours;
  ChildFens our_children;
  const MoveList moves = legal_moves(position);
  for (const Move move : moves) {
    our_children[to_uci(move, notation)] = to_fen(position.after_unchecked(move), notation);
  }
  if (our_children.size() != moves.size()) return "a move is listed twice";
  ChildFens their_children;
  for (const oracle::Move& move : oracle::legal_moves(theirs)) {
    their_children[oracle::uci(theirs, move)] = fen_of(oracle::after(theirs, move));
  }
  for (const auto& [move, fen] : our_children) {
    const auto other = their_children.find(move);
    if (other == their_children.end()) return differs(move, "legal", "illegal");
    if (fen != other->second) return differs("after " + move, fen, other->second);
  }
  for (const auto& [move, fen] : their_children) {
    if (!our_children.contains(move)) return differs(move, "illegal", "legal");
  }
  return "";
}

/// Returns how `kernel` differs from the library's other code or from the oracle; empty if it does
/// not. `leaves[d]` is the oracle's count at depth d.
std::string compare_kernel(const Kernel& kernel, const Position& position,
                           const std::vector<std::uint64_t>& leaves) {
  const std::string name(kernel.name);
  const Board& board = position.board();
  const MoveList expected = legal_moves(position);
  MoveList moves;
  kernel.generate(board, moves);
  if (!std::ranges::equal(moves, expected)) return name + " generates other moves";
  for (const Move move : moves) {
    if (kernel.make_unchecked(board, move) != position.after_unchecked(move).board())
      return name + " makes another board of " + to_uci(move, CastlingNotation::kChess960);
  }

  std::uint64_t interior = 0;
  for (std::size_t depth = 1; depth < leaves.size(); ++depth) {
    const std::string what = name + " at depth " + std::to_string(depth);
    CountStats stats;
    const std::uint64_t count = kernel.count(board, static_cast<int>(depth), {}, stats);
    if (count != leaves[depth])
      return differs(what, std::to_string(count), std::to_string(leaves[depth]));
    if (stats.visited != interior) {
      return differs(what + ", positions visited", std::to_string(stats.visited),
                     std::to_string(interior));
    }
    interior += leaves[depth];
  }
  std::uint32_t two_plies = 0;
  const std::uint64_t children = kernel.count_two_plies(&board, 1, &two_plies);
  if (two_plies != leaves[2])
    return differs(name + ", two plies", std::to_string(two_plies), std::to_string(leaves[2]));
  if (children != leaves[1])
    return differs(name + ", children", std::to_string(children), std::to_string(leaves[1]));
  return "";
}

std::optional<oracle::Position> ask_oracle(std::string_view fen) {
  try {
    return oracle::parse(fen);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace

std::string disagreement(const NamedPosition& ours, const oracle::Position& theirs, int depth) {
  const auto& [position, notation] = ours;
  if (to_fen(position, notation) != fen_of(theirs))
    return differs("FEN", to_fen(position, notation), fen_of(theirs));
  if (position.in_check() != oracle::in_check(theirs)) return "check seen by one, not by the other";
  if (std::string problem = compare_moves(ours, theirs); !problem.empty()) return problem;

  std::vector<std::uint64_t> leaves;
  for (int d = 0; d <= depth; ++d) leaves.push_back(oracle::perft(theirs, d));
  for (const Kernel& kernel : all_kernels()) {
    if (!runs_here(kernel)) continue;
    if (std::string problem = compare_kernel(kernel, position, leaves); !problem.empty())
      return problem;
  }
  return "";
}

std::string first_disagreement(std::string_view fen, const Chooser& choose, int plies, int depth) {
  const Result<NamedPosition> parsed = parse_position(fen);
  std::optional<oracle::Position> theirs = ask_oracle(fen);
  const std::string at = " at " + std::string(fen);
  if (!parsed) return theirs ? parsed.error().to_string() + at : "";
  if (!theirs) return "refused by the oracle alone" + at;

  NamedPosition ours = *parsed;
  for (int ply = 0;; ++ply) {
    if (std::string problem = disagreement(ours, *theirs, depth); !problem.empty())
      return problem + " at " + fen_of(*theirs);
    const MoveList moves = legal_moves(ours.position);
    if (ply == plies || moves.empty()) return "";
    const Move move = moves[choose(moves.size())];
    *theirs = oracle::after(*theirs, oracle::move_from_uci(*theirs, to_uci(move, ours.notation)));
    ours.position = ours.position.after_unchecked(move);
  }
}

}  // namespace manyply
