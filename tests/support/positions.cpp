#include "tests/support/positions.h"

#include <array>
#include <cctype>
#include <random>
#include <vector>

namespace manyply {

namespace {

constexpr char kEmpty = '.';
using PiecesBySquare = std::array<char, 64>;  // a1 first

char piece(char letter, bool white) {
  return static_cast<char>(white ? std::toupper(letter) : std::tolower(letter));
}

std::string placement(const PiecesBySquare& pieces) {
  std::string text;
  for (std::size_t rank = 8; rank-- > 0;) {
    int gap = 0;
    for (std::size_t file = 0; file < 8; ++file) {
      const char c = pieces[rank * 8 + file];
      if (c == kEmpty) {
        ++gap;
        continue;
      }
      if (gap > 0) text += std::to_string(gap);
      gap = 0;
      text += c;
    }
    if (gap > 0) text += std::to_string(gap);
    if (rank > 0) text += '/';
  }
  return text;
}

void throw_pieces(PiecesBySquare& pieces, bool white, const Chooser& choose) {
  static constexpr std::array<std::string_view, 6> kPalettes{"ppppnbrq", "pppppr", "brq",
                                                             "nnnbr",    "q",      "prrr"};
  const auto put = [&](char letter, std::size_t square) {
    if (pieces[square] == kEmpty) pieces[square] = piece(letter, white);
  };
  const std::size_t home = white ? 0 : 56;
  // A king on its first rank may castle; anywhere else it is exposed.
  std::size_t king = choose(2) == 0 ? home + choose(8) : choose(64);
  while (pieces[king] != kEmpty) king = (king + 1) % 64;
  put('k', king);
  if (king / 8 == home / 8) {
    for (std::size_t rooks = choose(4); rooks > 0; --rooks) put('r', home + choose(8));
  }
  const std::string_view palette = kPalettes[choose(kPalettes.size())];
  for (std::size_t count = choose(13); count > 0; --count) {
    const char letter = palette[choose(palette.size())];
    put(letter, letter == 'p' ? 8 + choose(48) : choose(64));
  }
}

/// Returns rights for rooks on permitted squares; uses K or Q if that letter means the rook.
std::string castling_rights(const PiecesBySquare& pieces, bool white, const Chooser& choose) {
  const std::size_t home = white ? 0 : 56;
  const auto rank = std::string_view(pieces.data() + home, 8);
  const std::size_t king = rank.find(piece('k', white));
  if (king == std::string_view::npos) return "";
  const char rook_letter = piece('r', white);
  std::string text;
  for (const bool king_side : {true, false}) {
    std::vector<std::size_t> rooks;  // outermost first
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t file = king_side ? 7 - i : i;
      if (file == king) break;
      if (rank[file] == rook_letter) rooks.push_back(file);
    }
    if (rooks.empty() || choose(4) == 0) continue;
    const std::size_t which = choose(rooks.size());
    const bool by_file = which != 0 || choose(2) == 0;
    const char letter = by_file ? static_cast<char>('a' + static_cast<char>(rooks[which]))
                                : (king_side ? 'k' : 'q');
    text += piece(letter, white);
  }
  return text;
}

std::string en_passant(const PiecesBySquare& pieces, bool white_moves, const Chooser& choose) {
  const char pawn = piece('p', !white_moves);
  const std::size_t start = white_moves ? 48 : 8;
  const std::size_t passed = white_moves ? 40 : 16;
  const std::size_t reached = white_moves ? 32 : 24;
  std::vector<std::size_t> files;
  for (std::size_t file = 0; file < 8; ++file) {
    if (pieces[start + file] == kEmpty && pieces[passed + file] == kEmpty &&
        pieces[reached + file] == pawn)
      files.push_back(file);
  }
  if (files.empty() || choose(4) == 0) return "-";
  return {static_cast<char>('a' + static_cast<char>(files[choose(files.size())])),
          white_moves ? '6' : '3'};
}

}  // namespace

Chooser choose_by_seed(std::uint64_t seed) {
  return [engine = std::mt19937_64(seed)](std::size_t bound) mutable {
    return static_cast<std::size_t>(engine() % bound);
  };
}

Chooser choose_by_bytes(std::span<const std::uint8_t> bytes) {
  return [bytes](std::size_t bound) mutable -> std::size_t {
    if (bytes.empty()) return 0;
    const std::size_t choice = bytes.front() % bound;
    bytes = bytes.subspan(1);
    return choice;
  };
}

std::string chess960_start(int number) {
  // Scharnagl's numbering: a bishop on a light square, a bishop on a dark square, the queen, the
  // knights; the remaining squares get rook, king, rook.
  std::string rank(8, kEmpty);
  const auto rest = [&](int radix) {
    const int digit = number % radix;
    number /= radix;
    return digit;
  };
  rank[static_cast<std::size_t>(rest(4) * 2 + 1)] = 'b';
  rank[static_cast<std::size_t>(rest(4) * 2)] = 'b';
  const auto put = [&](char letter, int gap) {
    std::size_t file = rank.find(kEmpty);
    while (gap-- > 0) file = rank.find(kEmpty, file + 1);
    rank[file] = letter;
  };
  put('q', rest(6));
  constexpr std::array<std::array<int, 2>, 10> kKnights{
      {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}};
  const auto [first, second] = kKnights[static_cast<std::size_t>(number)];
  put('n', second);  // the higher gap first, so that the number of the lower gap stays valid
  put('n', first);
  for (const char letter : {'r', 'k', 'r'}) put(letter, 0);

  std::string upper = rank;
  for (char& c : upper) c = piece(c, true);
  return rank + "/pppppppp/8/8/8/8/PPPPPPPP/" + upper + " w KQkq - 0 1";
}

std::string piece_soup(const Chooser& choose) {
  PiecesBySquare pieces;
  pieces.fill(kEmpty);
  throw_pieces(pieces, true, choose);
  throw_pieces(pieces, false, choose);
  const bool white_moves = choose(2) == 0;
  const std::string rights =
      castling_rights(pieces, true, choose) + castling_rights(pieces, false, choose);
  return placement(pieces) + (white_moves ? " w " : " b ") + (rights.empty() ? "-" : rights) + " " +
         en_passant(pieces, white_moves, choose) + " 0 1";
}

}  // namespace manyply
