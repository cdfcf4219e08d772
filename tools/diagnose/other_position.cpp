#include "tools/diagnose/other_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/geometry.h"
#include "core/position.h"
#include "core/position_text.h"
#include "tools/diagnose/misplay.h"
#include "tools/text/engine_output_parser.h"

namespace manyply {
namespace {

/// If an answer has fewer rows than this, its moves may equal those of another position by chance.
constexpr std::size_t kFewListed = 3;
/// An answer may list the moves of another position without saying so. This is reported only if the
/// legal moves of both positions differ in at least this number of moves. If there are fewer
/// differences, the program may only have kept a castling right too long, so that its
/// list equals that of an earlier position.
constexpr std::size_t kFewDifferences = 4;

/// Reads all lines of the answer again, as an answer about the end of `other`.
EngineAnswer read_as_of(const Line& other, const EngineAnswer& theirs) {
  EngineOutputParser parser(other.named());
  for (const std::string& text : theirs.lines) parser.feed(text);
  return parser.answer();
}

/// Returns whether three conditions are met: the answer lists exactly the legal moves at the end of
/// `other`; these differ in at least `differences` moves from the legal moves at the end of `line`;
/// and the answer has at least kFewListed rows.
bool has_moves_of(const Line& other, const Line& line, const EngineAnswer& theirs,
                  std::size_t differences = kFewDifferences) {
  const std::set<std::string> there = legal_texts(other);
  const std::set<std::string> here = legal_texts(line);
  std::vector<std::string> different;
  std::ranges::set_symmetric_difference(there, here, std::back_inserter(different));
  if (different.size() < differences) return false;
  const EngineAnswer answer = read_as_of(other, theirs);
  if (!answer.unread.empty() || answer.rows.size() < kFewListed) return false;
  std::vector<DivideEntry> any_counts;
  for (const Move move : legal_moves(other.here())) any_counts.push_back({move, NodeCount(1)});
  return compare(other, any_counts, answer).same_moves();
}

/// Returns whether all moves of the answer start from pieces of the other side. This test is for
/// positions in which the side to move is in check. With the other side to move, such a position is
/// illegal, so its legal moves cannot be compared.
bool are_all_of_other_side(const Line& line, const EngineAnswer& theirs) {
  const auto of_other = [&](const EngineRow& row) {
    const auto square = square_at(row.move[0] - 'a', row.move[1] - '1');
    const auto piece = line.here().piece_on(square);
    return piece && piece->color != line.here().side_to_move();
  };
  return theirs.unread.empty() && theirs.rows.size() >= kFewListed &&
         std::ranges::all_of(theirs.rows, of_other);
}

/// Returns the position in a line of text; nullopt if there is none. The line contains a FEN or is
/// the UCI command `position`.
std::optional<Line> line_told(std::string_view text) {
  constexpr std::string_view kCommand = "position";
  if (!has_ranks(text)) {
    if (!to_lower(text).starts_with(kCommand)) return std::nullopt;
    text.remove_prefix(kCommand.size());
    text.remove_prefix(std::min(text.find_first_not_of(": \t"), text.size()));
  } else {
    // The first slash is in the word with which the FEN begins. Remove the text that precedes this
    // word, such as `Fen:`.
    const std::size_t slash = text.find('/');
    const std::size_t before = text.find_last_of(" \t:=\"'`,;", slash);
    text.remove_prefix(before == std::string_view::npos ? 0 : before + 1);
    text = text.substr(0, text.find_first_of("\"'`,;|\r"));
  }
  const PositionText found = position_text(text);
  for (const std::string_view fen : {std::string_view(found.fen), epd_position(found.fen)}) {
    Result<Line> line = parse_line(fen, found.moves, std::nullopt);
    if (line) return *std::move(line);
  }
  return std::nullopt;
}

std::optional<Finding> of_known_position(const Line& line, const EngineAnswer& theirs) {
  // All lines are read again for each position that is tried here. So texts of more than kLongest
  // bytes are not examined.
  constexpr std::size_t kLongest = std::size_t{32} << 10;
  std::size_t length = 0;
  for (const std::string& text : theirs.lines) length += text.size();
  if (length > kLongest) return std::nullopt;
  for (const auto& [name, fen] : position_names()) {
    if (!has_moves_of(*parse_line(fen, "", std::nullopt), line, theirs)) continue;
    return Finding{Cause::kAnotherPosition, fmt::format("these are the moves of {}", name)};
  }
  for (const Move move : legal_moves(line.here())) {
    const Line next = line.after(move);
    if (!has_moves_of(next, line, theirs)) continue;
    return Finding{Cause::kAnotherPosition,
                   fmt::format("these are the moves of the position after {}, one move further",
                               next.uci_moves().back())};
  }
  return std::nullopt;
}

/// Returns whether all rows are legal moves at the end of `line`. Some legal moves may be missing.
bool are_legal(const Line& line, const std::vector<EngineRow>& rows) {
  const std::set<std::string> legal = legal_texts(line);
  return std::ranges::all_of(rows, [&](const EngineRow& row) { return legal.contains(row.move); });
}

}  // namespace

std::optional<Line> line_of(const Setup& setup, CastlingNotation notation) {
  const Result<Position> position = Position::from_setup(setup);
  if (!position) return std::nullopt;
  return Line({*position, notation}, to_fen(*position, notation), std::nullopt);
}

std::optional<Line> of_other_side(const Line& line) {
  const Result<Setup> here = parse_fen(line.fen_here());
  if (!here) return std::nullopt;
  Setup setup = *here;
  setup.side_to_move = ~setup.side_to_move;
  setup.en_passant.reset();
  return line_of(setup, line.notation());
}

std::vector<Line> positions_told(const EngineAnswer& theirs) {
  constexpr std::size_t kMost = 8;
  std::vector<Line> told;
  for (const std::string& text : theirs.lines) {
    auto line = line_told(text);
    const auto is_same = [&](const Line& other) { return other.here() == line->here(); };
    if (line && std::ranges::none_of(told, is_same)) told.push_back(*std::move(line));
    if (told.size() == kMost) break;
  }
  return told;
}

std::optional<Finding> position_answered(const Line& line, const EngineAnswer& theirs,
                                         const std::optional<Line>& before) {
  if (theirs.lines.empty()) return std::nullopt;
  for (const Line& told : positions_told(theirs)) {
    if (!has_moves_of(told, line, theirs, 1)) continue;
    return Finding{Cause::kAnotherPosition,
                   "these are the moves of the position that the output names, " + told.fen_here()};
  }
  const std::optional<Line> flipped = of_other_side(line);
  if (flipped ? has_moves_of(*flipped, line, theirs) : are_all_of_other_side(line, theirs))
    return Finding{Cause::kSideNotTaken, "these are the moves of the other side"};
  const std::vector<Position> past = line.positions();
  for (std::size_t ply = 0; ply < line.moves().size(); ++ply) {
    const Line there({past[ply], line.notation()}, to_fen(past[ply], line.notation()),
                     std::nullopt);
    if (!has_moves_of(there, line, theirs)) continue;
    return Finding{
        Cause::kMovesNotPlayed,
        fmt::format("these are the moves of the position that precedes {}, move {} of the line",
                    line.uci_moves()[ply], ply + 1)};
  }
  if (has_moves_of(Line(), line, theirs))
    return Finding{Cause::kFenNotTaken, "these are the moves of the start position"};
  if (before && has_moves_of(*before, line, theirs)) {
    return Finding{
        Cause::kAnotherPosition,
        "these are the moves of the position in the previous question, " + before->fen_here()};
  }
  if (theirs.unread.empty() && are_legal(line, theirs.rows)) return std::nullopt;
  return of_known_position(line, theirs);
}

std::optional<Finding> looks_like_another_position(const Line& line, const Comparison& compared,
                                                   const EngineAnswer& theirs) {
  if (compared.invented.empty()) return std::nullopt;
  for (const Line& told : positions_told(theirs)) {
    if (told.here() == line.here()) continue;
    const std::vector<EngineRow> rows = read_as_of(told, theirs).rows;
    if (rows.empty() || !are_legal(told, rows)) continue;
    return Finding{Cause::kAnotherPosition,
                   "its moves are legal in the position that the output names, " + told.fen_here()};
  }
  constexpr std::size_t kFewInvented = 2;
  constexpr std::size_t kFew = 4;  // at most a quarter of the counts may agree
  const auto agreeing =
      static_cast<std::size_t>(std::ranges::count_if(compared.rows, &Comparison::Row::agrees));
  const auto legal = static_cast<std::size_t>(std::ranges::count_if(
      compared.rows, [](const Comparison::Row& row) { return row.engine.has_value(); }));
  const std::size_t listed = legal + compared.invented.size();
  if (compared.invented.size() < kFewInvented || kFew * agreeing > listed) return std::nullopt;
  // A program that breaks rules in this position still moves pieces of the side to move. So moves
  // from other squares are a sign of another position.
  const auto foreign = std::ranges::count_if(compared.invented, [&](const std::string& move) {
    const Cause cause = judge_invented(line, move).cause;
    return cause == Cause::kNoPieceThere || cause == Cause::kWrongSide;
  });
  if (kFew * static_cast<std::size_t>(foreign) < compared.invented.size()) return std::nullopt;
  return Finding{Cause::kAnotherPosition,
                 fmt::format("{} of its {} moves {} with ours: it looks like the divide of another "
                             "position",
                             agreeing == 0 ? "none" : std::to_string(agreeing), listed,
                             agreeing == 1 ? "agrees" : "agree")};
}

namespace {

/// The moves that wrongly end a castling right.
enum class Loss { kNone, kPawn, kRook, kCapturedRook, kOwnMove, kAnyMove };
/// How a program sets and keeps the en passant square.
enum class Passed {
  kRight,           ///< as the rules of chess say
  kNever,           ///< a double step sets no square
  kKept,            ///< the square stays, and a capture there needs no enemy pawn beside the captor
  kKeptWithVictim,  ///< the square stays, and a capture there needs an enemy pawn beside the captor
  kAnyStep,         ///< every step of a pawn sets the square behind it
};

/// The rules by which a program updates castling rights and the en passant square. The default
/// values are the rules of chess.
struct Rules {
  bool keeps_captured = false;    ///< does not end the right of a captured rook
  bool keeps_moved_rook = false;  ///< does not end the right of a rook that has moved
  bool keeps_moved_king = false;  ///< does not end the rights of a king that has moved
  bool needs_no_rook = false;     ///< allows castling although the rook is gone
  bool makes_rook = false;        ///< with `needs_no_rook`: a rook appears beside the king
  Loss loss = Loss::kNone;
  Passed passed = Passed::kRight;
};

/// Broken rules, and a text that follows the words "every count is what it would be if".
struct BrokenRules {
  Cause cause;
  std::string_view text;
  Rules rules;
};

constexpr auto kBrokenRules = [] {
  using enum Cause;
  return std::to_array<BrokenRules>({
      {kCastlingRightAfterCapture,
       "a castling right stayed when its rook was captured",
       {.keeps_captured = true}},
      {kCastlingRightAfterMove,
       "a castling right stayed when its rook moved",
       {.keeps_moved_rook = true}},
      {kCastlingRightAfterMove,
       "castling rights stayed when the king moved",
       {.keeps_moved_king = true}},
      {kCastlingRightAfterMove,
       "castling rights stayed when king or rook moved",
       {.keeps_moved_rook = true, .keeps_moved_king = true}},
      {kCastlingRightAfterMove,
       "no castling right ever ended",
       {.keeps_captured = true, .keeps_moved_rook = true, .keeps_moved_king = true}},
      {kCastlingWithoutRook,
       "the king castled although its rook was captured",
       {.keeps_captured = true, .needs_no_rook = true}},
      {kCastlingWithoutRook,
       "castling put a rook on the board in place of a captured rook",
       {.keeps_captured = true, .needs_no_rook = true, .makes_rook = true}},
      {kCastlingWithoutRook,
       "the king castled although its rook had moved or was captured",
       {.keeps_captured = true, .keeps_moved_rook = true, .needs_no_rook = true}},
      {kCastlingRightLost, "a pawn's move ended the castling rights", {.loss = Loss::kPawn}},
      {kCastlingRightLost, "a rook's move ended both castling rights", {.loss = Loss::kRook}},
      {kCastlingRightLost,
       "the capture of a rook ended both castling rights",
       {.loss = Loss::kCapturedRook}},
      {kCastlingRightLost,
       "each move ended the castling rights of its side",
       {.loss = Loss::kOwnMove}},
      {kCastlingRightLost, "each move ended all castling rights", {.loss = Loss::kAnyMove}},
      {kEnPassantMissed, "a double step set no en passant square", {.passed = Passed::kNever}},
      {kEnPassantTooLate,
       "the en passant square stayed after the next move",
       {.passed = Passed::kKept}},
      {kEnPassantTooLate,
       "the en passant square stayed after the next move",
       {.passed = Passed::kKeptWithVictim}},
      {kEnPassantWithoutDoublePush,
       "every pawn's step set an en passant square",
       {.passed = Passed::kAnyStep}},
  });
}();

/// A board with the castling rights and the en passant square that a program assumes for it.
struct State {
  Board board;                  ///< board without castling rights and en passant square
  Bitboard rights = 0;          ///< squares of the rooks that have castling rights
  std::array<int, 2> kings{};   ///< squares from which the kings may castle, by color
  std::optional<int> passed{};  ///< the en passant square
};

constexpr std::size_t at(Color color) { return static_cast<std::size_t>(color); }

State state_of(const Position& position, std::optional<Square> passed) {
  State state{.board = position.board(), .rights = position.board().castling};
  for (const Color color : {Color::kWhite, Color::kBlack})
    state.kings[at(color)] = lowest(state.board.of(color).king);
  if (passed) state.passed = index(*passed);
  state.board.castling = state.board.en_passant = 0;
  return state;
}

/// A move. It may be castling with a rook that is gone; legal_moves() never generates such a move.
struct StateMove {
  Move move;
  bool without_rook = false;
};

bool is_king_safe(Board board, Color us) {
  board.side_to_move = us;
  return position_unchecked(board).checkers() == 0;
}

/// Returns the castling rights of the side to move, as squares of the rooks. Returns no rights if
/// the king of this side is not on its home square.
Bitboard usable_rights(const State& state) {
  const Color us = state.board.side_to_move;
  const bool at_home = (state.board.of(us).king & bit(state.kings[at(us)])) != 0;
  return at_home ? state.rights & back_rank(us) : 0;
}

void add_castling_without_rook(const State& state, std::vector<StateMove>& moves) {
  const Color us = state.board.side_to_move;
  const Pieces& own = state.board.of(us);
  const int king = state.kings[at(us)];
  for (Bitboard rights = usable_rights(state) & ~(own.rooks_queens & ~own.bishops_queens);
       rights != 0;) {
    const int rook = pop_lowest(rights);
    const CastlingPath path = us == Color::kWhite ? castling_path<Color::kWhite>(king, rook)
                                                  : castling_path<Color::kBlack>(king, rook);
    if ((path.empty & state.board.occupied()) != 0) continue;
    bool safe = is_king_safe(state.board, us);
    for (Bitboard way = path.safe; safe && way != 0;) {
      Board there = state.board;
      there.of(us).king = bit(pop_lowest(way));
      safe = is_king_safe(there, us);
    }
    if (safe) moves.push_back({Move(square_at(king), square_at(rook), MoveKind::kCastling), true});
  }
}

void add_en_passant(const State& state, const Rules& rules, std::vector<StateMove>& moves) {
  const Color us = state.board.side_to_move;
  if (!state.passed || (state.board.occupied() & bit(*state.passed)) != 0) return;
  const int victim = *state.passed + (us == Color::kWhite ? -8 : 8);
  const bool has_victim =
      victim >= 0 && victim < kSquares && (state.board.of(~us).pawns & bit(victim)) != 0;
  if (!has_victim && rules.passed != Passed::kKept) return;
  const Bitboard target = bit(*state.passed);
  Bitboard captors = (us == Color::kWhite ? pawn_attacks<Color::kBlack>(target)
                                          : pawn_attacks<Color::kWhite>(target)) &
                     state.board.of(us).pawns;
  while (captors != 0) {
    const Move move(square_at(pop_lowest(captors)), square_at(*state.passed), MoveKind::kEnPassant);
    Board next = state.board;
    play_pieces(next, move);
    if (is_king_safe(next, us)) moves.push_back({move});
  }
}

std::vector<StateMove> moves_of(const State& state, const Rules& rules) {
  const Color us = state.board.side_to_move;
  const Pieces& own = state.board.of(us);
  Board board = state.board;
  board.castling = usable_rights(state) & own.rooks_queens & ~own.bishops_queens;
  std::vector<StateMove> moves;
  for (const Move move : legal_moves(position_unchecked(board))) moves.push_back({move});
  if (rules.needs_no_rook) add_castling_without_rook(state, moves);
  add_en_passant(state, rules, moves);
  return moves;
}

Bitboard rights_left(const State& before, const StateMove& played, const Rules& rules) {
  const Color us = before.board.side_to_move;
  const Move move = played.move;
  const Pieces& own = before.board.of(us);
  const Bitboard from = bit(move.from());
  const bool castles = move.kind() == MoveKind::kCastling;
  const bool is_king = (own.king & from) != 0;
  const bool is_rook = (own.rooks_queens & ~own.bishops_queens & from) != 0;
  Bitboard ended = 0;
  if (is_king && !rules.keeps_moved_king) ended |= back_rank(us);
  if (is_rook && !rules.keeps_moved_rook) ended |= from;
  const Bitboard captured = castles ? 0 : before.rights & back_rank(~us) & bit(move.to());
  if (!rules.keeps_captured) ended |= captured;
  const bool loses_own = (rules.loss == Loss::kPawn && (own.pawns & from) != 0) ||
                         (rules.loss == Loss::kRook && is_rook) || rules.loss == Loss::kOwnMove;
  if (loses_own) ended |= back_rank(us);
  if (rules.loss == Loss::kCapturedRook && captured != 0) ended |= back_rank(~us);
  if (rules.loss == Loss::kAnyMove) ended = before.rights;
  return before.rights & ~ended;
}

std::optional<int> passed_after(const State& before, Move move, const Board& next,
                                const Rules& rules) {
  const Color us = before.board.side_to_move;
  const bool is_pawn = (before.board.of(us).pawns & bit(move.from())) != 0;
  const int from = index(move.from());
  const int to = index(move.to());
  const bool steps = is_pawn && from % 8 == to % 8 && !move.is_promotion();
  if (rules.passed == Passed::kAnyStep && steps) return to + (us == Color::kWhite ? -8 : 8);
  if (move.kind() == MoveKind::kDoublePush && rules.passed != Passed::kNever)
    return (from + to) / 2;
  const bool keeps = rules.passed == Passed::kKept || rules.passed == Passed::kKeptWithVictim;
  if (keeps && before.passed && (next.occupied() & bit(*before.passed)) == 0) return before.passed;
  return std::nullopt;
}

State after(const State& before, const StateMove& played, const Rules& rules) {
  const Color us = before.board.side_to_move;
  State next = before;
  if (played.without_rook) {
    const bool king_side = index(played.move.to()) > index(played.move.from());
    const int rank = index(played.move.from()) & 56;
    Pieces& own = next.board.of(us);
    own.king = bit(rank + (king_side ? 6 : 2));
    if (rules.makes_rook) own.rooks_queens |= bit(rank + (king_side ? 5 : 3));
    next.board.side_to_move = ~us;
  } else {
    play_pieces(next.board, played.move);
  }
  next.rights = rights_left(before, played, rules);
  next.passed = passed_after(before, played.move, next.board, rules);
  return next;
}

std::uint64_t count(const State& state, int depth, const Rules& rules) {
  if (depth == 0) return 1;
  const std::vector<StateMove> moves = moves_of(state, rules);
  if (depth == 1) return moves.size();
  std::uint64_t sum = 0;
  for (const StateMove& move : moves) sum += count(after(state, move, rules), depth - 1, rules);
  return sum;
}

bool explains_all(const State& state, const Rules& rules, Depth depth, const Comparison& divide) {
  return std::ranges::all_of(divide.rows, [&](const Comparison::Row& row) {
    return row.engine ==
           NodeCount(count(after(state, {row.move}, rules), depth.plies() - 1, rules));
  });
}

/// The square of a rook that has a castling right, and the square of another rook to which a
/// program may assign this right.
struct OtherRook {
  int meant;
  int taken;
};

std::vector<OtherRook> other_rooks(const Position& position) {
  const Board& board = position.board();
  std::vector<OtherRook> others;
  for (Bitboard rights = board.castling; rights != 0;) {
    const int meant = pop_lowest(rights);
    const Color color =
        (back_rank(Color::kWhite) & bit(meant)) != 0 ? Color::kWhite : Color::kBlack;
    const Pieces& own = board.of(color);
    const int king = lowest(own.king);
    Bitboard rooks = own.rooks_queens & ~own.bishops_queens & back_rank(color) & ~board.castling;
    while (rooks != 0) {
      const int rook = pop_lowest(rooks);
      if ((rook > king) == (meant > king)) others.push_back({meant, rook});
    }
  }
  return others;
}

std::string misread_text(const OtherRook& other) {
  return fmt::format("the castling right of the rook on {} is read as a right of the rook on {}",
                     to_string(square_at(other.meant)), to_string(square_at(other.taken)));
}

/// Returns the state at the end of `line` for a program that, in the first position, assigns the
/// castling right of the rook on `other.meant` to the rook on `other.taken`.
State state_with(const OtherRook& other, const Line& line) {
  const std::vector<Position> past = line.positions();
  State state = state_of(past.front(), line.passed_at(0));
  state.rights = (state.rights & ~bit(other.meant)) | bit(other.taken);
  for (const Move move : line.moves()) state = after(state, {move}, Rules());
  return state;
}

}  // namespace

std::optional<Finding> state_fault_that_counts(const Line& line, Depth depth,
                                               const Comparison& divide) {
  constexpr double kMostPaths = 3e6;
  double paths = 0;
  for (const Comparison::Row& row : divide.rows) {
    if (!row.could_be.empty()) return std::nullopt;
    paths += row.ours.approximate();
  }
  if (paths > kMostPaths || depth.plies() < 2) return std::nullopt;
  std::vector<std::string> wrong;
  for (const Comparison::Row& row : divide.rows) {
    if (!row.agrees()) wrong.push_back(to_uci(row.move, line.notation()));
  }
  for (const OtherRook& other : other_rooks(line.here())) {
    if (explains_all(state_with(other, line.as_fen()), Rules(), depth, divide))
      return Finding{Cause::kCastlingRightMisread, misread_text(other), wrong};
  }
  const State here = state_of(line.here(), line.passed());
  for (const auto& [cause, text, rules] : kBrokenRules) {
    if (explains_all(here, rules, depth, divide))
      return Finding{cause, fmt::format("every count is what it would be if {}", text), wrong};
  }
  return std::nullopt;
}

std::optional<Finding> misread_right(const Line& line, const std::set<std::string>& listed) {
  const std::set<std::string> legal = legal_texts(line);
  if (legal == listed) return std::nullopt;
  for (const OtherRook& other : other_rooks(line.positions().front())) {
    std::set<std::string> moves;
    for (const StateMove& move : moves_of(state_with(other, line), Rules()))
      moves.insert(to_uci(move.move, line.notation()));
    if (moves != listed) continue;
    Finding finding{Cause::kCastlingRightMisread, misread_text(other)};
    std::ranges::set_symmetric_difference(legal, listed, std::back_inserter(finding.moves));
    return finding;
  }
  return std::nullopt;
}

}  // namespace manyply
