// Makes tools/suites/corpus.epd and large.txt, each from a seed and identical on every machine. Run
// it by hand and commit the output.
//
//   make_corpus > tools/suites/corpus.epd
//   make_corpus large > tools/suites/large.txt
//
// For each tag (position_tags.h), it sets up random positions in a way that makes the tag likely,
// until enough of them have the tag. The large suite also has positions of random games. Counts
// come from the oracle, from D1 to the largest depth whose count is small.
#include <algorithm>
#include <exception>
#include <iostream>
#include <set>
#include <stdexcept>
#include <utility>

#include "tests/support/oracle.h"
#include "tests/support/position_tags.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

using oracle::kEmpty;
using oracle::kNoSquare;
using oracle::Position;
using oracle::Square;

constexpr int kDeepest = 6;
/// Limit of leaves for recipes that require a depth above 2, in both corpora.
constexpr std::uint64_t kMostLeaves = 20'000;

/// Parameters of one of the two corpora.
struct Size {
  std::uint64_t seed;
  int times;  ///< factor for the number of positions of each recipe
  int games;  ///< positions of random games
  /// Limit for the leaves of the deepest count. With 20,000, this count has depth 2 or 3 if the
  /// position has 30 moves, and depth 4 or 5 in an endgame.
  std::uint64_t most_leaves;
};
constexpr Size kUsual{2000, 1, 0, kMostLeaves};
constexpr Size kLarge{20'000, 5, 7'100, 4'000};

constexpr Square square_at(int file, int rank) { return 21 + 10 * rank + file; }
constexpr int file_of(Square square) { return square % 10 - 1; }
constexpr int rank_of(Square square) { return square / 10 - 2; }
constexpr bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
constexpr char other_side(char c) { return is_letter(c) ? static_cast<char>(c ^ ('a' ^ 'A')) : c; }

/// A position that is being set up. At first, it is empty and White is to move. It may be illegal.
class Draft {
 public:
  explicit Draft(const Chooser& choose) : choose_(choose) {
    position = oracle::parse("k7/8/8/8/8/8/8/K7 w - - 0 1");
    for (const int rank : {0, 7}) position[square_at(0, rank)] = kEmpty;
  }

  int below(int bound) {
    return static_cast<int>(choose_(static_cast<std::size_t>(std::max(bound, 1))));
  }
  bool one_in(int bound) { return below(bound) == 0; }
  char any_of(std::string_view letters) { return letters[choose_(letters.size())]; }

  bool put(char letter, int file, int rank) {
    if (file < 0 || file > 7 || rank < 0 || rank > 7) return false;
    char& piece = position[square_at(file, rank)];
    if (piece != kEmpty || is_kept_free(square_at(file, rank))) return false;
    piece = letter;
    return true;
  }
  /// Prevents random pieces on this square.
  void keep_free(Square square) { kept_free_.push_back(square); }

  void scatter(std::string_view letters, int least, int most) {
    for (int pieces = least + below(most - least + 1); pieces > 0; --pieces) {
      const char letter = any_of(letters);
      const bool pawn = letter == 'p' || letter == 'P';
      const int file = below(8);
      put(letter, file, pawn ? 1 + below(6) : below(8));
    }
  }
  /// Adds the kings that are missing.
  void kings() {
    for (const char king : {'K', 'k'}) {
      if (std::ranges::count(position.board, king) != 0) continue;
      while (!put_anywhere(king)) {
      }
    }
  }
  bool put_anywhere(char letter) {
    const int file = below(8);
    return put(letter, file, below(8));
  }

  /// Adds king and rooks of one side, with one castling right or both.
  void home(bool white, bool chess960) {
    const int rank = white ? 0 : 7;
    const int king = chess960 ? 1 + below(6) : 4;
    put(white ? 'K' : 'k', king, rank);
    const bool both = one_in(2);
    const bool king_side = one_in(2);
    for (const bool right : {true, false}) {
      if (!both && right != king_side) continue;
      const int rook = !chess960 ? (right ? 7 : 0)
                       : right   ? king + 1 + below(7 - king)
                                 : below(king);
      if (!put(white ? 'R' : 'r', rook, rank)) continue;
      position.castling_rooks[(white ? 0U : 2U) + (right ? 0U : 1U)] = square_at(rook, rank);
    }
    if (chess960) position.chess960 = true;
  }

  /// Exchanges White and Black: colours, ranks and the side to move.
  void flip() {
    const Position before = position;
    for (int file = 0; file < 8; ++file) {
      for (int rank = 0; rank < 8; ++rank)
        position[square_at(file, rank)] = other_side(before[square_at(file, 7 - rank)]);
    }
    const auto mirrored = [](Square square) {
      return square == kNoSquare ? kNoSquare : square_at(file_of(square), 7 - rank_of(square));
    };
    for (std::size_t i = 0; i < 4; ++i)
      position.castling_rooks[i] = mirrored(before.castling_rooks[(i + 2) % 4]);
    position.en_passant = mirrored(before.en_passant);
    position.white_to_move = !before.white_to_move;
  }

  Position position{};

 private:
  [[nodiscard]] bool is_kept_free(Square square) const {
    return std::ranges::count(kept_free_, square) != 0;
  }

  const Chooser& choose_;
  std::vector<Square> kept_free_;
};

// ---------------------------------------------------------------- what to set up

constexpr std::string_view kAnyPieces = "QRBNPPqrbnpp";
constexpr std::string_view kPieces = "RBNPQqrbnqrb";

void castles(Draft& draft) {
  draft.home(true, draft.one_in(3));
  if (draft.one_in(3)) draft.home(false, draft.position.chess960);
  draft.scatter(kAnyPieces, 1, 7);
}
void castles_standard(Draft& draft) {
  draft.home(true, false);
  draft.scatter(kAnyPieces, 1, 5);
}
void castles_chess960(Draft& draft) {
  draft.home(true, true);
  if (draft.one_in(2)) draft.home(false, true);
  draft.scatter(kAnyPieces, 1, 8);
}
void castles_with_a_rook_behind(Draft& draft) {
  draft.home(true, true);
  const char behind = draft.any_of("rq");
  draft.put(behind, draft.below(8), 0);
  draft.scatter(kAnyPieces, 0, 6);
}
/// Adds Black's king with only one or two moves, so that five plies have few leaves.
void lock_in_corner(Draft& draft, int file) {
  draft.put('k', file, 7);
  draft.put('p', file, 6);
  draft.put('P', file, 5);
}
/// The position has so few moves that its counts are deep enough for a king or rook to leave and
/// return.
void castles_alone(Draft& draft) {
  draft.home(true, false);
  for (const int file : {0, 2, 3, 4, 5, 7}) {
    if (!draft.one_in(3)) draft.put('P', file, 1);
  }
  lock_in_corner(draft, draft.below(2) * 7);
}
void rook_hangs(Draft& draft) {
  draft.home(true, draft.one_in(3));
  draft.scatter("bnrqqrbn", 1, 3);
  draft.scatter("PPRNBp", 0, 4);
  draft.position.white_to_move = false;
}
/// A second rook recaptures on the square of a captured rook. A wrong generator castles with the
/// second rook.
void rook_is_replaced(Draft& draft) {
  draft.home(true, false);
  const bool king_side = draft.position.castling_rooks[0] != kNoSquare;
  const int corner = king_side ? 7 : 0;
  draft.put('R', corner, 1 + draft.below(4));
  const char captor = draft.any_of("nb");
  const int captor_file = (king_side ? 5 : 1) + draft.below(2);
  draft.put(captor, captor_file, 1 + draft.below(5));
  for (const int file : {2, 3, 4, 5}) {
    if (!draft.one_in(3)) draft.put('P', file, 1);
  }
  lock_in_corner(draft, king_side ? 0 : 7);
  draft.position.white_to_move = false;
}

void en_passant(Draft& draft) {
  const int file = draft.below(8);
  draft.put('p', file, 4);
  draft.position.en_passant = square_at(file, 5);
  for (const int rank : {5, 6}) draft.keep_free(square_at(file, rank));
  draft.put('P', draft.one_in(2) ? file - 1 : file + 1, 4);
  if (draft.one_in(4)) draft.put('P', draft.one_in(2) ? file - 1 : file + 1, 4);
  if (draft.one_in(3))
    draft.put('K', draft.below(8), 4);  // on the rank from which a capture removes both pawns
  else if (draft.one_in(2))
    draft.put('K', draft.one_in(2) ? file - 1 : file + 1, 3);  // in check
  draft.kings();
  draft.scatter(kPieces, 1, 5);
}
void en_passant_offered(Draft& draft) {
  const int file = draft.below(8);
  draft.put('P', file, 1);
  for (const int rank : {2, 3}) draft.keep_free(square_at(file, rank));
  draft.put('p', draft.one_in(2) ? file - 1 : file + 1, 3);
  draft.kings();
  draft.scatter(kAnyPieces, 0, 6);
}
void single_steps(Draft& draft) {
  const int file = draft.below(8);
  const int rank = 1 + draft.below(4);
  draft.put('P', file, rank);
  draft.keep_free(square_at(file, rank + 1));
  draft.put('p', draft.one_in(2) ? file - 1 : file + 1, rank + 1);
  draft.kings();
  draft.scatter(kAnyPieces, 0, 6);
}
void blocked_pawns(Draft& draft) {
  const int file = draft.below(8);
  draft.put('P', file, 1);
  draft.put(draft.any_of("NBRnbrpqP"), file, 2);
  draft.keep_free(square_at(file, 3));
  draft.kings();
  draft.scatter(kAnyPieces, 0, 6);
}
void promotions(Draft& draft) {
  for (int pawns = 1 + draft.below(3); pawns > 0; --pawns) draft.put('P', draft.below(8), 6);
  for (int pawns = draft.below(3); pawns > 0; --pawns) draft.put('p', draft.below(8), 1);
  draft.kings();
  draft.scatter("RBNqrbnn", 0, 4);
}
void open_board(Draft& draft) {
  draft.kings();
  draft.scatter(kPieces, 2, 8);
}
void near_kings(Draft& draft) {
  const int file = draft.below(8);
  const int rank = draft.below(8);
  draft.put('K', file, rank);
  const int other_file = file + draft.below(5) - 2;
  draft.put('k', other_file, rank + (draft.one_in(2) ? 2 : -2));
  draft.kings();
  draft.scatter(kAnyPieces, 0, 5);
}
void cornered_king(Draft& draft) {
  const int corner = draft.below(4);
  draft.put('k', corner % 2 * 7, corner / 2 * 7);
  draft.kings();
  draft.scatter("QRPQRNPBp", 1, 4);
}
void last_piece(Draft& draft) {
  draft.kings();
  draft.scatter("qrbnpp", 1, 1);
}
void knights_at_edges(Draft& draft) {
  const int file = draft.one_in(3) ? 0 : 7;
  draft.put('N', file, draft.below(8));
  draft.kings();
  draft.scatter(kAnyPieces, 0, 6);
}
void plays(Draft& draft, int array) {
  Position position = oracle::parse(chess960_start(array));
  for (int plies = 6 + draft.below(40); plies > 0; --plies) {
    const std::vector<oracle::Move> moves = oracle::legal_moves(position);
    if (moves.empty()) break;
    position = oracle::after(
        position, moves[static_cast<std::size_t>(draft.below(static_cast<int>(moves.size())))]);
  }
  draft.position = position;
}
void game(Draft& draft) { plays(draft, 518); }
void game_of_chess960(Draft& draft) { plays(draft, draft.below(960)); }

struct Recipe {
  std::string_view tag;
  void (*set_up)(Draft&);
  int positions = 70;
  int least_depth = 2;
};

const std::vector<Recipe> kRecipes{
    {"castling", castles},
    {"castling-forbidden", castles},
    {"castling-in-check", castles},
    {"castling-through-attack", castles},
    {"castling-rook-attacked", castles},
    {"castling-blocked", castles},
    {"castling-uncovers", castles_with_a_rook_behind},
    {"castling-check", castles},
    {"right-lost", castles_standard, 40},
    {"right-lost", castles_alone, 30, 5},
    {"rook-captured", rook_hangs, 40},
    {"rook-captured", rook_is_replaced, 30, 4},
    {"chess960", castles_chess960},
    {"chess960", game_of_chess960, 40},
    {"en-passant", en_passant},
    {"en-passant-forbidden", en_passant},
    {"en-passant-evasion", en_passant},
    {"en-passant-check", en_passant},
    {"en-passant-discovery", en_passant},
    {"en-passant-offered", en_passant_offered},
    {"single-step", single_steps},
    {"double-step-blocked", blocked_pawns},
    {"promotion", promotions},
    {"promotion-capture", promotions},
    {"promotion-check", promotions},
    {"pinned", open_board},
    {"pinned-moves", open_board},
    {"check", open_board},
    {"double-check", open_board},
    {"gives-check", open_board},
    {"gives-discovered-check", open_board},
    {"gives-double-check", open_board},
    {"mates", cornered_king},
    {"stalemates", cornered_king},
    {"king-along-line", open_board},
    {"king-protected", open_board},
    {"king-near-king", near_kings},
    {"knight-at-edge", knights_at_edges},
    {"bare-kings", last_piece, 30},
    {"crowded", game, 60},
};

// ---------------------------------------------------------------- writing

/// Returns four fields; the en passant square is present even if no pawn can capture there.
std::string fen_of(const Position& position) {
  const std::string fen = oracle::identity(position);
  std::string text = fen.substr(0, fen.rfind(' ') + 1);
  if (position.en_passant == kNoSquare) return text + '-';
  return text + static_cast<char>('a' + file_of(position.en_passant)) +
         static_cast<char>('1' + rank_of(position.en_passant));
}

std::vector<std::uint64_t> counts_of(const Position& position, std::uint64_t most_leaves) {
  std::vector<std::uint64_t> counts;
  double previous = 1;
  for (int depth = 1; depth <= kDeepest; ++depth) {
    counts.push_back(oracle::perft(position, depth));
    const auto leaves = static_cast<double>(counts.back());
    if (counts.back() == 0 || leaves * leaves / previous > static_cast<double>(most_leaves)) break;
    previous = leaves;
  }
  return counts;
}

/// Returns whether the checks of a position can occur in a game. At most two pieces give check, and
/// if there are two, at least one is a slider. If the last move was a double step, the king was not
/// attacked before it. Engines may rely on these rules. For example, Stockfish 15.1 captures en
/// passant while a knight gives check.
bool checks_are_possible(const Position& position) {
  if (!oracle::in_check(position)) return true;
  if (position.en_passant != kNoSquare) {
    const int step = position.white_to_move ? 10 : -10;
    Position before = position;
    std::swap(before[position.en_passant + step], before[position.en_passant - step]);
    before.en_passant = kNoSquare;
    if (oracle::in_check(before)) return false;
  }
  const std::vector<Square> checkers = tags::checking_pieces(position);
  return checkers.size() == 1 ||
         (checkers.size() == 2 && std::ranges::any_of(checkers, [&](Square square) {
            return std::string_view("bBrRqQ").find(position[square]) != std::string_view::npos;
          }));
}

class Corpus {
 public:
  explicit Corpus(const Size& size) : size_(size), choose_(choose_by_seed(size.seed)) {}

  void add(const Recipe& recipe) {
    const auto& all = tags::all();
    const auto tag = std::ranges::find(all, recipe.tag, &tags::Tag::name);
    if (tag == all.end()) throw std::logic_error("no such tag: " + std::string(recipe.tag));
    int found = 0;
    for (int tries = 0; found < recipe.positions * size_.times; ++tries) {
      if (tries == 1'000'000 * size_.times)
        throw std::logic_error("too rare: " + std::string(recipe.tag));
      Draft draft(choose_);
      recipe.set_up(draft);
      if (std::ranges::count(draft.position.board, 'K') == 0 ||
          std::ranges::count(draft.position.board, 'k') == 0)
        draft.kings();
      if (draft.one_in(2)) draft.flip();
      found += take(draft.position, &*tag, recipe.least_depth) ? 1 : 0;
    }
  }

  /// Adds positions of random games with any tags; one game in four is Chess960.
  void add_games() {
    for (int found = 0; found < size_.games;) {
      Draft draft(choose_);
      draft.one_in(4) ? game_of_chess960(draft) : game(draft);
      found += take(draft.position, nullptr, 2) ? 1 : 0;
    }
  }

  void print() const {
    std::size_t positions = 0;
    for (const auto& [tag, lines] : lines_) positions += lines.size();
    std::cout
        << "# " << positions
        << " positions, each with tags for the parts of a move generator that it tests. Written "
           "by\n"
           "# tests/support/make_corpus.cpp, counted by the oracle, this library and Stockfish "
           "15.1.\n#\n";
    for (const tags::Tag& tag : tags::all())
      std::cout << "#tag " << letter_of(tag.name) << ' ' << tag.name << ": " << tag.words << '\n';
    for (const tags::Tag& tag : tags::all()) {
      std::cout << '\n';
      for (const std::string& line : lines_.at(tag.name)) std::cout << line << '\n';
    }
    const auto games = lines_.find(kGames);
    if (games == lines_.end()) return;
    std::cout << '\n';
    for (const std::string& line : games->second) std::cout << line << '\n';
  }

 private:
  static char letter_of(std::string_view name) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const auto& all = tags::all();
    const auto place = std::ranges::find(all, name, &tags::Tag::name) - all.begin();
    return kLetters.at(static_cast<std::size_t>(place));
  }

  /// Adds the position if it is legal and new and has `tag` (or any tag if null). Returns whether
  /// it was added.
  bool take(const Position& draft, const tags::Tag* tag, int least_depth) {
    const std::string fen = fen_of(draft);
    Position position{};
    try {
      position = oracle::parse(fen);
    } catch (const std::invalid_argument&) {
      return false;
    }
    if (!checks_are_possible(position) || (tag != nullptr && !tag->holds(tags::Root(position))) ||
        oracle::legal_moves(position).empty())
      return false;
    const std::vector<std::string_view> names = tags::of(position);
    if (names.empty()) return false;
    const std::vector<std::uint64_t> counts =
        counts_of(position, least_depth > 2 ? kMostLeaves : size_.most_leaves);
    if (counts.size() < static_cast<std::size_t>(least_depth)) return false;
    if (!seen_.insert(oracle::identity(position)).second) return false;
    std::string line = fen;
    for (const std::uint64_t count : counts) line += ',' + std::to_string(count);
    line += " #";
    for (const std::string_view name : names) line += letter_of(name);
    lines_[tag != nullptr ? tag->name : kGames].push_back(line);
    return true;
  }

  /// Key for positions that were not made for one tag.
  static constexpr std::string_view kGames = "games";
  const Size& size_;
  Chooser choose_;
  std::set<std::string> seen_;
  std::map<std::string_view, std::vector<std::string>> lines_;
};

}  // namespace
}  // namespace manyply

int main(int argc, char** argv) {
  try {
    const bool is_large = argc == 2 && std::string_view(argv[1]) == "large";
    if (argc > 1 && !is_large) throw std::invalid_argument("takes 'large', or nothing");
    manyply::Corpus corpus(is_large ? manyply::kLarge : manyply::kUsual);
    for (const manyply::Recipe& recipe : manyply::kRecipes) corpus.add(recipe);
    corpus.add_games();
    corpus.print();
    return std::cout.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "make_corpus: " << error.what() << '\n';
    return 1;
  }
}
