#include "tests/support/oracle.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <utility>

namespace manyply::oracle {
namespace {

// ---------------------------------------------------------------- the board and the pieces

constexpr int kUp = 10;  // one rank, from White's side
constexpr int kRight = 1;

constexpr std::array<int, 4> kRookSteps{kUp, -kUp, kRight, -kRight};
constexpr std::array<int, 4> kBishopSteps{kUp + kRight, kUp - kRight, -kUp + kRight, -kUp - kRight};
constexpr std::array<int, 8> kKingSteps{11, 10, 9, 1, -1, -9, -10, -11};
constexpr std::array<int, 8> kKnightSteps{21, 19, 12, 8, -8, -12, -19, -21};

constexpr Square square_at(int file, int rank) { return 21 + kUp * rank + file; }
constexpr int file_of(Square square) { return square % 10 - 1; }
constexpr int rank_of(Square square) { return square / 10 - 2; }

constexpr bool is_white(char piece) { return piece >= 'A' && piece <= 'Z'; }
constexpr bool is_black(char piece) { return piece >= 'a' && piece <= 'z'; }
constexpr bool is_piece(char piece, bool white) {
  return white ? is_white(piece) : is_black(piece);
}
constexpr char lower(char piece) {
  return is_white(piece) ? static_cast<char>(piece - 'A' + 'a') : piece;
}
constexpr char upper(char piece) {
  return is_black(piece) ? static_cast<char>(piece - 'a' + 'A') : piece;
}
constexpr char piece(char kind, bool white) { return white ? upper(kind) : lower(kind); }

constexpr int forward(bool white) { return white ? kUp : -kUp; }
constexpr int home_rank(bool white) { return white ? 0 : 7; }
constexpr int pawn_rank(bool white) { return white ? 1 : 6; }

Square king_square(const Position& position, bool white) {
  const std::string_view board(position.board.data(), position.board.size());
  return static_cast<Square>(board.find(piece('k', white)));
}

Square& castling_rook(Position& position, bool white, bool king_side) {
  return position.castling_rooks[(white ? 0U : 2U) + (king_side ? 0U : 1U)];
}

// ---------------------------------------------------------------- attacks

bool is_attacked_by_step(const Position& position, Square target, std::span<const int> steps,
                         char attacker) {
  return std::ranges::any_of(steps, [&](int step) { return position[target + step] == attacker; });
}

bool is_attacked_by_slide(const Position& position, Square target, std::span<const int> steps,
                          char attacker, char queen) {
  return std::ranges::any_of(steps, [&](int step) {
    Square square = target + step;
    while (position[square] == kEmpty) square += step;
    return position[square] == attacker || position[square] == queen;
  });
}

bool is_attacked(const Position& position, Square target, bool by_white) {
  const auto attacker = [by_white](char kind) { return piece(kind, by_white); };
  const int back = -forward(by_white);  // a pawn attacks forward, so it is behind its target
  return is_attacked_by_step(position, target, std::array{back - 1, back + 1}, attacker('p')) ||
         is_attacked_by_step(position, target, kKnightSteps, attacker('n')) ||
         is_attacked_by_step(position, target, kKingSteps, attacker('k')) ||
         is_attacked_by_slide(position, target, kBishopSteps, attacker('b'), attacker('q')) ||
         is_attacked_by_slide(position, target, kRookSteps, attacker('r'), attacker('q'));
}

bool is_king_attacked(const Position& position, bool white) {
  return is_attacked(position, king_square(position, white), !white);
}

// ---------------------------------------------------------------- how the pieces move

bool is_castling(const Position& position, const Move& move) {
  return position[move.to] == piece('r', position.white_to_move) &&
         position[move.from] == piece('k', position.white_to_move);
}

bool is_en_passant(const Position& position, const Move& move) {
  return lower(position[move.from]) == 'p' && move.to == position.en_passant;
}

bool is_double_step(const Position& position, const Move& move) {
  return lower(position[move.from]) == 'p' && std::abs(move.to - move.from) == 2 * kUp;
}

struct CastlingTargets {
  Square king;
  Square rook;
};

// King and rook arrive on g and f, or on c and d, wherever they started.
CastlingTargets castling_targets(Square king, Square rook) {
  const int rank = rank_of(king);
  return rook > king ? CastlingTargets{square_at(6, rank), square_at(5, rank)}
                     : CastlingTargets{square_at(2, rank), square_at(3, rank)};
}

void add_pawn_move(Square from, Square to, std::vector<Move>& moves) {
  if (rank_of(to) != 0 && rank_of(to) != 7) {
    moves.push_back({from, to, 0});
    return;
  }
  for (const char promotion : {'q', 'r', 'b', 'n'}) moves.push_back({from, to, promotion});
}

void add_pawn_moves(const Position& position, Square from, std::vector<Move>& moves) {
  const bool white = position.white_to_move;
  const Square ahead = from + forward(white);
  if (position[ahead] == kEmpty) {
    add_pawn_move(from, ahead, moves);
    const Square two_ahead = ahead + forward(white);
    if (rank_of(from) == pawn_rank(white) && position[two_ahead] == kEmpty) {
      add_pawn_move(from, two_ahead, moves);
    }
  }
  for (const Square to : {ahead - kRight, ahead + kRight}) {
    if (is_piece(position[to], !white) || to == position.en_passant) add_pawn_move(from, to, moves);
  }
}

void add_steps(const Position& position, Square from, std::span<const int> steps,
               std::vector<Move>& moves) {
  for (const int step : steps) {
    const char target = position[from + step];
    if (target == kEmpty || is_piece(target, !position.white_to_move)) {
      moves.push_back({from, from + step, 0});
    }
  }
}

void add_slides(const Position& position, Square from, std::span<const int> steps,
                std::vector<Move>& moves) {
  for (const int step : steps) {
    Square to = from + step;
    for (; position[to] == kEmpty; to += step) moves.push_back({from, to, 0});
    if (is_piece(position[to], !position.white_to_move)) moves.push_back({from, to, 0});
  }
}

// King and rook may stand in the way of each other, but no other piece may stand in their way.
bool is_castling_path_free(const Position& position, Square king, Square rook) {
  const CastlingTargets targets = castling_targets(king, rook);
  const auto [first, last] = std::minmax({king, rook, targets.king, targets.rook});
  for (Square square = first; square <= last; ++square) {
    if (square != king && square != rook && position[square] != kEmpty) return false;
  }
  return true;
}

// The king may not castle out of check or through check. The rule for all moves finds castling into
// check, because it examines the board after the move: the rook's departure may have opened a line.
bool is_castling_path_safe(const Position& position, Square king, Square rook) {
  const auto [first, last] = std::minmax({king, castling_targets(king, rook).king});
  for (Square square = first; square <= last; ++square) {
    if (is_attacked(position, square, !position.white_to_move)) return false;
  }
  return true;
}

void add_castling(const Position& position, Square king, std::vector<Move>& moves) {
  for (const Square rook : position.castling_rooks) {
    if (rook != kNoSquare && is_piece(position[rook], position.white_to_move) &&
        is_castling_path_free(position, king, rook) &&
        is_castling_path_safe(position, king, rook)) {
      moves.push_back({king, rook, 0});
    }
  }
}

std::vector<Move> pseudo_legal_moves(const Position& position) {
  std::vector<Move> moves;
  moves.reserve(64);
  for (int rank = 0; rank < 8; ++rank) {
    for (int file = 0; file < 8; ++file) {
      const Square from = square_at(file, rank);
      if (!is_piece(position[from], position.white_to_move)) continue;
      switch (lower(position[from])) {
        case 'p':
          add_pawn_moves(position, from, moves);
          break;
        case 'n':
          add_steps(position, from, kKnightSteps, moves);
          break;
        case 'b':
          add_slides(position, from, kBishopSteps, moves);
          break;
        case 'r':
          add_slides(position, from, kRookSteps, moves);
          break;
        case 'q':
          add_slides(position, from, kBishopSteps, moves);
          add_slides(position, from, kRookSteps, moves);
          break;
        default:
          add_steps(position, from, kKingSteps, moves);
          add_castling(position, from, moves);
      }
    }
  }
  return moves;
}

// ---------------------------------------------------------------- what a move changes

void move_pieces(Position& position, const Move& move) {
  const bool white = position.white_to_move;
  if (is_castling(position, move)) {
    const CastlingTargets targets = castling_targets(move.from, move.to);
    position[move.from] = kEmpty;
    position[move.to] = kEmpty;
    position[targets.king] = piece('k', white);
    position[targets.rook] = piece('r', white);
    return;
  }
  if (is_en_passant(position, move)) position[move.to - forward(white)] = kEmpty;
  position[move.to] = move.promotion != 0 ? piece(move.promotion, white) : position[move.from];
  position[move.from] = kEmpty;
}

// A right is lost when its king moves, its rook moves, or its rook is captured.
void drop_castling_rights(Position& position, const Move& move, bool is_king_move) {
  if (is_king_move) {
    castling_rook(position, position.white_to_move, true) = kNoSquare;
    castling_rook(position, position.white_to_move, false) = kNoSquare;
  }
  for (Square& rook : position.castling_rooks) {
    if (rook == move.from || rook == move.to) rook = kNoSquare;
  }
}

// ---------------------------------------------------------------- which moves need a second look

bool is_on_a_line_with(Square a, Square b) {
  const int files = std::abs(file_of(a) - file_of(b));
  const int ranks = std::abs(rank_of(a) - rank_of(b));
  return files == 0 || ranks == 0 || files == ranks;
}

// Returns whether the piece on `from` may move anywhere, because its removal would not expose the
// king of its side.
bool is_free_to_go(Position& position, Square from, Square king) {
  if (!is_on_a_line_with(from, king)) return true;  // no line to the king leads through `from`
  const char lifted = std::exchange(position[from], kEmpty);
  const bool exposed = is_king_attacked(position, position.white_to_move);
  position[from] = lifted;
  return !exposed;
}

// ---------------------------------------------------------------- text

[[noreturn]] void fail(const std::string& reason) { throw std::invalid_argument("FEN: " + reason); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_fields(std::string_view fen) {
  std::vector<std::string_view> fields = split(fen, ' ');
  std::erase_if(fields, [](std::string_view field) { return field.empty(); });
  if (fields.size() < 4 || fields.size() > 6) fail("4 to 6 fields expected");
  return fields;
}

void parse_board(Position& position, std::string_view text) {
  const std::vector<std::string_view> ranks = split(text, '/');
  if (ranks.size() != 8) fail("eight ranks expected");
  int rank = 7;
  for (const std::string_view pieces : ranks) {
    int file = 0;
    for (const char letter : pieces) {
      const bool is_gap = letter >= '1' && letter <= '8';
      const int width = is_gap ? letter - '0' : 1;
      if (!is_gap && std::string_view("pnbrqkPNBRQK").find(letter) == std::string_view::npos) {
        fail("no piece: " + std::string(1, letter));
      }
      if (file + width > 8) fail("more than eight files");
      if (!is_gap) position[square_at(file, rank)] = letter;
      file += width;
    }
    if (file != 8) fail("less than eight files");
    --rank;
  }
}

void check_pieces(const Position& position) {
  for (const bool white : {true, false}) {
    if (std::ranges::count(position.board, piece('k', white)) != 1) fail("one king each expected");
    if (std::ranges::count_if(position.board, [=](char c) { return is_piece(c, white); }) > 16) {
      fail("more than 16 pieces");
    }
  }
  for (int file = 0; file < 8; ++file) {
    for (const int rank : {0, 7}) {
      if (lower(position[square_at(file, rank)]) == 'p') fail("pawn on an outer rank");
    }
  }
}

// X-FEN: K and Q mean the outermost rook on that side of the king.
Square outermost_rook(const Position& position, Square king, bool white, bool king_side) {
  const int rank = rank_of(king);
  const int inward = king_side ? -kRight : kRight;
  Square square = square_at(king_side ? 7 : 0, rank);
  while (square != king && position[square] != piece('r', white)) square += inward;
  return square;
}

void parse_castling(Position& position, std::string_view text) {
  if (text == "-") return;
  for (const char letter : text) {
    const bool white = is_white(letter);
    const Square king = king_square(position, white);
    if (rank_of(king) != home_rank(white)) fail("castling: king not on its first rank");

    const char kind = lower(letter);
    const bool is_file = kind >= 'a' && kind <= 'h';
    if (!is_file && kind != 'k' && kind != 'q') fail("castling: no right: " + std::string(text));
    const Square rook = is_file ? square_at(kind - 'a', home_rank(white))
                                : outermost_rook(position, king, white, kind == 'k');
    if (position[rook] != piece('r', white))
      fail("castling: no rook for " + std::string(1, letter));

    const bool king_side = rook > king;
    Square& right = castling_rook(position, white, king_side);
    if (right != kNoSquare) fail("castling: right given twice");
    right = rook;
    if (is_file || file_of(king) != 4 || file_of(rook) != (king_side ? 7 : 0)) {
      position.chess960 = true;
    }
  }
}

void parse_en_passant(Position& position, std::string_view text) {
  if (text == "-") return;
  if (text.size() != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8') {
    fail("en passant: no square");
  }
  const Square square = square_at(text[0] - 'a', text[1] - '1');
  const bool mover_is_white = !position.white_to_move;
  const int step = forward(mover_is_white);
  if (rank_of(square - step) != pawn_rank(mover_is_white) || position[square - step] != kEmpty ||
      position[square] != kEmpty || position[square + step] != piece('p', mover_is_white)) {
    fail("en passant: no pawn has just passed " + std::string(text));
  }
  position.en_passant = square;
}

int parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    fail("no number: " + std::string(text));
  }
  return number;
}

std::string square_name(Square square) {
  return {static_cast<char>('a' + file_of(square)), static_cast<char>('1' + rank_of(square))};
}

std::string board_text(const Position& position) {
  std::string text;
  for (int rank = 7; rank >= 0; --rank) {
    int gap = 0;
    const auto close_gap = [&] {
      if (gap > 0) text += std::to_string(gap);
      gap = 0;
    };
    for (int file = 0; file < 8; ++file) {
      const char piece = position[square_at(file, rank)];
      if (piece == kEmpty) {
        ++gap;
        continue;
      }
      close_gap();
      text += piece;
    }
    close_gap();
    if (rank > 0) text += '/';
  }
  return text;
}

std::string castling_text(const Position& position) {
  std::string text;
  for (std::size_t i = 0; i < 4; ++i) {
    const Square rook = position.castling_rooks[i];
    if (rook == kNoSquare) continue;
    const char file = static_cast<char>('a' + file_of(rook));
    text += position.chess960 ? piece(file, i < 2) : "KQkq"[i];
  }
  return text.empty() ? "-" : text;
}

std::string en_passant_text(const Position& position) {
  const bool can_capture = std::ranges::any_of(
      legal_moves(position), [&](const Move& move) { return is_en_passant(position, move); });
  return can_capture ? square_name(position.en_passant) : "-";
}

}  // namespace

Position parse(std::string_view fen, bool force_chess960) {
  const std::vector<std::string_view> fields = split_fields(fen);
  Position position{};
  position.board.fill(kBorder);
  for (int rank = 0; rank < 8; ++rank) {
    for (int file = 0; file < 8; ++file) position[square_at(file, rank)] = kEmpty;
  }
  position.chess960 = force_chess960;
  parse_board(position, fields[0]);
  check_pieces(position);
  if (fields[1] != "w" && fields[1] != "b") fail("side to move: w or b expected");
  position.white_to_move = fields[1] == "w";
  parse_castling(position, fields[2]);
  parse_en_passant(position, fields[3]);
  position.halfmove_clock = fields.size() > 4 ? parse_number(fields[4]) : 0;
  position.fullmove_number = fields.size() > 5 ? parse_number(fields[5]) : 1;
  if (is_king_attacked(position, !position.white_to_move)) fail("king capturable");
  return position;
}

std::string to_fen(const Position& position) {
  return identity(position) + ' ' + std::to_string(position.halfmove_clock) + ' ' +
         std::to_string(position.fullmove_number);
}

std::string identity(const Position& position) {
  return board_text(position) + (position.white_to_move ? " w " : " b ") + castling_text(position) +
         ' ' + en_passant_text(position);
}

std::vector<Move> legal_moves(const Position& position) {
  std::vector<Move> moves = pseudo_legal_moves(position);
  std::erase_if(moves, [&](const Move& move) {
    return is_king_attacked(after(position, move), position.white_to_move);
  });
  return moves;
}

std::vector<Move> candidate_moves(const Position& position) { return pseudo_legal_moves(position); }

bool attacks(const Position& position, bool by_white, Square square) {
  return is_attacked(position, square, by_white);
}

std::uint64_t count_legal_moves(const Position& position) {
  const Square king = king_square(position, position.white_to_move);
  const bool checked = in_check(position);
  Position scratch = position;
  Square from = kNoSquare;  // moves are grouped by piece
  bool is_free = false;
  std::uint64_t count = 0;
  for (const Move& move : pseudo_legal_moves(position)) {
    if (move.from != from) {
      from = move.from;
      is_free = !checked && from != king && is_free_to_go(scratch, from, king);
    }
    // An en passant capture also removes a pawn that is not on the target square.
    const bool is_legal = (is_free && !is_en_passant(position, move)) ||
                          !is_king_attacked(after(position, move), position.white_to_move);
    count += is_legal ? 1 : 0;
  }
  return count;
}

Position after(const Position& position, const Move& move) {
  const bool is_pawn_move = lower(position[move.from]) == 'p';
  const bool is_king_move = lower(position[move.from]) == 'k';
  const bool is_capture = is_piece(position[move.to], !position.white_to_move);

  Position next = position;
  move_pieces(next, move);
  drop_castling_rights(next, move, is_king_move);
  next.en_passant = is_double_step(position, move) ? (move.from + move.to) / 2 : kNoSquare;
  next.halfmove_clock = is_pawn_move || is_capture ? 0 : position.halfmove_clock + 1;
  next.fullmove_number += position.white_to_move ? 0 : 1;
  next.white_to_move = !position.white_to_move;
  return next;
}

std::string uci(const Position& position, const Move& move) {
  const bool shows_target = is_castling(position, move) && !position.chess960;
  const Square to = shows_target ? castling_targets(move.from, move.to).king : move.to;
  std::string text = square_name(move.from) + square_name(to);
  if (move.promotion != 0) text += move.promotion;
  return text;
}

Move move_from_uci(const Position& position, std::string_view text) {
  for (const Move& move : legal_moves(position)) {
    if (uci(position, move) == text) return move;
  }
  throw std::invalid_argument("no legal move: " + std::string(text));
}

bool in_check(const Position& position) {
  return is_king_attacked(position, position.white_to_move);
}

std::uint64_t perft(const Position& position, int depth) {
  if (depth == 0) return 1;
  if (depth == 1) return count_legal_moves(position);
  std::uint64_t nodes = 0;
  for (const Move& move : legal_moves(position)) nodes += perft(after(position, move), depth - 1);
  return nodes;
}

std::map<std::string, std::uint64_t> divide(const Position& position, int depth) {
  std::map<std::string, std::uint64_t> counts;
  for (const Move& move : legal_moves(position)) {
    counts[uci(position, move)] = perft(after(position, move), depth - 1);
  }
  return counts;
}

}  // namespace manyply::oracle
