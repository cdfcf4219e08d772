// A program with planted faults in its Zobrist keys, on the oracle's board. A scheme is a right way
// of making keys. A fault is a typical error in keys. A "board" has right keys, but does not play
// some moves or plays them against the rules.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/support/oracle.h"

namespace manyply {

class PlantedKeys {
 public:
  /// Schemes:
  ///   polyglot      four rights; en passant by file, if a pawn stands beside
  ///   always        en passant by square, after each double step
  ///   usable        en passant only if the capture is legal
  ///   as-told       en passant as the FEN says; after moves only if the capture is legal
  ///   moves-always  en passant after each double step; from a FEN only if a pawn stands beside
  ///   sixteen       a number for each set of rights, and one for no right
  ///   no-square     has a number for "no en passant square"; no-square-always: also "always"
  ///   complement    black to move inverts all bits
  ///   product       a multiplication at the end: not linear
  ///   clock         the half-move clock, from 14 on
  ///   counters      both clocks
  ///   moves-clock   the half-move clock after moves, not that of a FEN
  ///   history       the number of plies that were played
  ///   per-side, mirror, sum, queens (bishop ^ rook), narrow (32 bits), deaf (plays no move)
  explicit PlantedKeys(std::string_view faults = "", std::string_view scheme = "polyglot")
      : scheme_(scheme) {
    std::istringstream names{std::string(faults)};
    for (std::string name; std::getline(names, name, '+');) faults_.insert(name);
    std::mt19937_64 random(20);
    for (auto& squares : pieces) {
      for (std::uint64_t& number : squares) number = random();
    }
    for (std::uint64_t& number : rights) number = random();
    for (std::uint64_t& number : passed) number = random();
    side = scheme == "complement" ? ~std::uint64_t{0} : random();
    for (std::uint64_t& number : clocks_) number = random();
    if (scheme != "sixteen") {
      rights[0] = 0;
      for (std::size_t mask = 0; mask < 16; ++mask) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < 4; ++i) sum ^= ((mask >> i) & 1) != 0 ? rights[1U << i] : 0;
        rights[mask] = sum;
      }
    }
    if (scheme == "queens") {
      for (const std::size_t color : {0U, 6U}) {
        for (std::size_t s = 0; s < 64; ++s)
          pieces[color + 4][s] = pieces[color + 2][s] ^ pieces[color + 3][s];
      }
    }
    plant_numbers();
  }

  // The numbers, to compare them with the recovered ones. Pieces in the order "PNBRQKpnbrqk",
  // squares from a1.
  std::array<std::array<std::uint64_t, 64>, 12> pieces{};
  std::array<std::uint64_t, 16> rights{};  ///< indexed by the sum of 1 (K), 2 (Q), 4 (k), 8 (q)
  std::array<std::uint64_t, 64> passed{};  ///< by square; by file: first rank
  std::uint64_t side = 0;

  [[nodiscard]] static int square_number(oracle::Square square) {
    return (square / 10 - 2) * 8 + square % 10 - 1;
  }

  /// Returns the key that the program shows after "position fen FEN moves MOVES". The program stops
  /// at the first move that it does not play; `refused` says whether there was one.
  [[nodiscard]] std::uint64_t key(const std::string& fen, const std::string& moves,
                                  bool* refused = nullptr) const {
    State state = set_up(fen);
    std::istringstream words(moves);
    for (std::string word; words >> word && scheme_ != "deaf";) {
      const std::optional<Understood> told = understood(state.position, word);
      if (!told) {
        if (refused != nullptr) *refused = true;
        if (has("drops-moves")) state = set_up(fen);
        if (has("skips")) continue;
        break;
      }
      play(state, told->move, told->as_king);
      ++state.plies;
    }
    return shown(state);
  }
  [[nodiscard]] bool has(std::string_view fault) const {
    return faults_.contains(std::string(fault));
  }

  struct Understood {
    oracle::Move move;
    bool as_king = false;  ///< castling that the program plays as a king move only
  };
  /// Returns the move that the program understands; nullopt if it does not play such moves.
  [[nodiscard]] std::optional<Understood> understood(const oracle::Position& position,
                                                     std::string word) const {
    const bool to_rook = has("writes-e1h1") || has("writes-e1h1-king");
    if (has("writes-capitals") && word.size() == 5) {
      if (word[4] >= 'a') return std::nullopt;
      word[4] = small(word[4]);
    }
    for (const oracle::Move& move : oracle::legal_moves(position)) {
      const char kind = small(position[move.from]);
      const bool castles = kind == 'k' && position[move.to] == of(position.white_to_move, 'r');
      std::string text = oracle::uci(position, move);
      const bool as_king = castles && has("writes-e1h1-king") && word == text;
      if (castles && to_rook && !as_king)
        text = text.substr(0, 2) + (move.to > move.from ? 'h' : 'a') + text[3];
      if (text != word) continue;
      const bool takes = !castles && position[move.to] != oracle::kEmpty;
      const bool pawn_takes_passed = kind == 'p' && move.to == position.en_passant;
      const bool promotes = move.promotion != 0;
      if ((has("ignores-castling") && castles) || (has("ignores-captures") && takes) ||
          (has("ignores-en-passant") && pawn_takes_passed) ||
          (has("ignores-promotion") && promotes) ||
          (has("ignores-capturing-promotion") && promotes && takes) ||
          (has("ignores-underpromotion") && promotes && move.promotion != 'q') ||
          (has("ignores-pushes") && kind == 'p' && std::abs(move.to - move.from) == 20) ||
          (has("ignores-kings") && kind == 'k' && !castles) ||
          (has("ignores-rooks") && kind == 'r'))
        return std::nullopt;
      return Understood{move, as_king || (castles && has("castles-without-rook"))};
    }
    return std::nullopt;
  }

 private:
  struct State {
    oracle::Position position;
    std::uint64_t key = 0;
    oracle::Square passed = oracle::kNoSquare;  ///< the square that the key contains
    int clock = 0;
    int plies = 0;
  };

  /// Plays a move against the rules, both on the board and in the key. Returns false if the program
  /// plays this move correctly.
  bool play_on_a_wrong_board(State& state, const oracle::Move& move, bool castles,
                             bool takes_passed, bool as_king) const {
    oracle::Position after = oracle::after(state.position, move);
    const oracle::Square passed = move.to + (state.position.white_to_move ? -10 : 10);
    if (castles && as_king) {
      const bool short_side = move.to > move.from;
      const int row = move.to / 10 * 10;
      after[row + (short_side ? 6 : 4)] = oracle::kEmpty;
      after[move.to] = of(state.position.white_to_move, 'r');
      if (!short_side) after[row + 2] = oracle::kEmpty;
    } else if (takes_passed && has("leaves-passed-pawn")) {
      after[passed] = of(!state.position.white_to_move, 'p');
    } else if (move.promotion != 0 && has("queens-only")) {
      after[move.to] = of(state.position.white_to_move, 'q');
    } else if (move.promotion != 0 && has("pawns-stay-pawns")) {
      after[move.to] = of(state.position.white_to_move, 'p');
    } else {
      return false;
    }
    state.position = after;
    state.passed = oracle::kNoSquare;
    state.key = from_scratch(after, state.passed);
    return true;
  }

  void plant_numbers() {
    const auto at = [](const char* name) {
      return static_cast<std::size_t>((name[1] - '1') * 8 + name[0] - 'a');
    };
    if (has("equal")) pieces[1][at("c3")] = pieces[9][at("g6")];
    if (has("five")) {
      pieces[3][at("d5")] =
          pieces[1][at("b4")] ^ pieces[8][at("f6")] ^ pieces[6][at("g5")] ^ pieces[10][at("h3")];
    }
    if (has("zero")) pieces[2][at("a1")] = 0;
    if (has("no-knights")) pieces[1].fill(0);
    if (has("no-black-king")) pieces[11].fill(0);
    if (has("no-white-king")) pieces[5].fill(0);
    if (has("no-black")) {
      for (std::size_t piece = 6; piece < 12; ++piece) pieces[piece].fill(0);
    }
    if (has("colours")) pieces[7] = pieces[1];
    if (has("kinds")) pieces[2] = pieces[3];
    if (has("half-board")) {
      for (auto& squares : pieces) {
        for (std::size_t s = 32; s < 64; ++s) squares[s] = squares[s - 32];
      }
    }
    if (has("short")) cut_numbers(0x7fff);
    if (has("bits-20")) cut_numbers(0xfffff);
    if (has("bits-31")) cut_numbers(0x7fff'ffff);
    if (has("bits-31-high")) cut_numbers(0xffff'fffe'0000'0000);
    if (scheme_.starts_with("no-square")) no_square_ = passed[63];
    if (has("two-sets")) rights[5] = rights[10];
    if (scheme_ == "narrow") cut_numbers(0xffff'ffff);
    if (has("side-ignored")) side = 0;
    if (has("castling-ignored")) rights.fill(0);
    if (has("passed-ignored")) passed.fill(0);
    if (has("one-right")) {
      for (std::size_t mask = 0; mask < 16; ++mask) rights[mask] = rights[mask & ~std::size_t{2}];
    }
    if (has("one-file")) passed[3] = passed[4];
  }

  void cut_numbers(std::uint64_t mask) {
    for (auto& squares : pieces) {
      for (std::uint64_t& number : squares) number &= mask;
    }
    for (std::uint64_t& number : rights) number &= mask;
    for (std::uint64_t& number : passed) number &= mask;
    side &= mask;
  }

  [[nodiscard]] const std::uint64_t& number(char piece, oracle::Square square) const {
    const std::size_t kind = std::string_view("PNBRQKpnbrqk").find(piece);
    return pieces.at(kind).at(static_cast<std::size_t>(square_number(square)));
  }
  [[nodiscard]] std::uint64_t passed_number(oracle::Square square) const {
    if (square == oracle::kNoSquare) return no_square_;
    const int s = square_number(square);
    return passed.at(static_cast<std::size_t>(scheme_ == "always" ? s : s % 8));
  }
  static std::size_t mask_of(const oracle::Position& position) {
    std::size_t mask = 0;
    for (std::size_t i = 0; i < 4; ++i)
      mask |= position.castling_rooks[i] != oracle::kNoSquare ? std::size_t{1} << i : 0;
    return mask;
  }
  static char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
  static char of(bool white, char kind) {
    return white ? static_cast<char>(kind - 'a' + 'A') : kind;
  }

  /// Returns the en passant square that the scheme includes in the key of this position.
  [[nodiscard]] oracle::Square passed_of(const oracle::Position& position, bool told) const {
    const oracle::Square square = position.en_passant;
    if (square == oracle::kNoSquare) return square;
    if (scheme_ == "always" || scheme_ == "no-square-always") return square;
    if (scheme_ == "moves-always" && !told) return square;
    if (scheme_ == "usable" || scheme_ == "as-told") {
      if (told && scheme_ == "as-told") return square;
      std::istringstream fields(oracle::identity(position));
      std::string field;
      for (int i = 0; i < 4; ++i) fields >> field;
      return field == "-" ? oracle::kNoSquare : square;
    }
    const oracle::Square pawn = square + (position.white_to_move ? -10 : 10);
    const char capturer = of(position.white_to_move, 'p');
    return position[pawn - 1] == capturer || position[pawn + 1] == capturer ? square
                                                                            : oracle::kNoSquare;
  }

  [[nodiscard]] std::uint64_t from_scratch(const oracle::Position& position,
                                           oracle::Square passed_square) const {
    std::uint64_t key = 0;
    for (int rank = 0; rank < 8; ++rank) {
      for (int file = 0; file < 8; ++file) {
        const oracle::Square square = 21 + 10 * rank + file;
        if (position[square] != oracle::kEmpty) key ^= number(position[square], square);
      }
    }
    if (!position.white_to_move && !has("side-not-set-up")) key ^= side;
    if (!has("castling-not-set-up")) key ^= rights.at(mask_of(position));
    if (!has("passed-not-set-up")) key ^= passed_number(passed_square);
    return key;
  }

  [[nodiscard]] State set_up(const std::string& fen) const {
    State state{oracle::parse(fen)};
    if (has("no-square-of-fen") || has("no-squares")) state.position.en_passant = oracle::kNoSquare;
    if (has("no-castling")) state.position.castling_rooks.fill(oracle::kNoSquare);
    state.clock = scheme_ == "moves-clock" ? 0 : state.position.halfmove_clock;
    state.passed = passed_of(state.position, true);
    state.key = from_scratch(state.position, state.passed);
    if (has("passed-not-set-up")) state.passed = oracle::kNoSquare;
    return state;
  }

  void play(State& state, const oracle::Move& move, bool as_king) const {
    const oracle::Position before = state.position;
    oracle::Position after = oracle::after(before, move);
    if (has("no-squares") || has("no-square-after-push")) after.en_passant = oracle::kNoSquare;
    const bool white = before.white_to_move;
    const char mover = before[move.from];
    const char kind = small(mover);
    const bool castles = kind == 'k' && before[move.to] == of(white, 'r');
    const bool en_passant = kind == 'p' && move.to == before.en_passant;
    const char taken = castles ? oracle::kEmpty : before[move.to];
    std::uint64_t& key = state.key;
    if (play_on_a_wrong_board(state, move, castles, en_passant, as_king)) return finish(state);
    const std::uint64_t old_key = key;

    const bool takes = taken != oracle::kEmpty;
    if (!(has("side-kept") || (has("side-kept-by-captures") && takes))) key ^= side;

    const bool was_set = state.passed != oracle::kNoSquare;
    if (!has("passed-kept")) key ^= passed_number(state.passed);
    const oracle::Square new_passed = passed_of(after, false);
    state.passed = has("passed-not-set") ? oracle::kNoSquare : new_passed;
    if (has("passed-by-steps") && kind == 'p' && !takes && !en_passant &&
        std::abs(move.to - move.from) == 10 && move.promotion == 0)
      state.passed = white ? 41 + move.from % 10 - 1 : 71 + move.from % 10 - 1;
    if (has("passed-next-file") && state.passed != oracle::kNoSquare)
      state.passed += state.passed % 10 == 8 ? -1 : 1;
    key ^= passed_number(state.passed);
    const bool is_set = state.passed != oracle::kNoSquare;
    if ((has("no-square-stays") && !was_set && is_set) ||
        (has("no-square-not-put-back") && was_set && !is_set))
      key ^= no_square_;

    std::size_t old_rights = mask_of(before);
    std::size_t new_rights = mask_of(after);
    const std::size_t own = white ? 3 : 12;
    if (has("right-kept-by-king") && kind == 'k' && !castles) new_rights |= old_rights & own;
    if (has("right-kept-by-castling") && castles) new_rights |= old_rights & own;
    if (has("right-kept-by-rook") && kind == 'r') new_rights |= old_rights & own;
    if (has("right-kept-by-capture") && takes) new_rights |= old_rights & ~own;
    if (has("right-back") && kind == 'k' && (old_rights & own) == 0) new_rights |= own & 5;
    if (has("rights-lost-by-rook") && kind == 'r') new_rights &= ~own;
    key ^= rights.at(old_rights) ^ rights.at(new_rights);
    if (has("number-with-last-right") && old_rights != 0 && new_rights == 0) key ^= clocks_[150];

    if (castles) {
      const bool short_side = move.to > move.from;
      const int row = move.to / 10 * 10;
      const char rook = of(white, 'r');
      key ^= number(mover, move.from) ^ number(mover, row + (short_side ? 7 : 3));
      oracle::Square from = move.to;
      oracle::Square to = row + (short_side ? 6 : 4);
      if (has("rook-from-b") && !short_side) from = row + 2;
      if (has("rook-to-corner")) to = move.to;
      if (!has("rook-left")) key ^= number(rook, from);
      if (!has("rook-not-put")) key ^= number(rook, to);
      if (has("castling-not-updated")) key = old_key;
      state.position = after;
      return finish(state);
    }
    if (has("king-not-moved") && kind == 'k')
      key ^= number(mover, move.from) ^ number(mover, move.to);
    if (!(has("knight-left") && kind == 'n') && !(has("pawn-kept") && move.promotion != 0))
      key ^= number(mover, move.from);
    char put = move.promotion == 0 ? mover : of(white, move.promotion);
    if (has("promotion-as-pawn") && move.promotion != 0) put = mover;
    if (has("promotion-queen") && move.promotion != 0) put = of(white, 'q');
    if (!(has("bishop-not-put") && kind == 'b')) key ^= number(put, move.to);
    if (takes && !has("capture-kept"))
      key ^= number(has("capture-colour") ? of(white, small(taken)) : taken, move.to);
    if (en_passant && !has("passed-pawn-kept")) {
      const oracle::Square pawn = move.to + (white ? -10 : 10);
      key ^= number(of(!white, 'p'), has("passed-pawn-square") ? move.to : pawn);
    }
    if ((has("promotion-not-updated") && move.promotion != 0) ||
        (has("passed-capture-not-updated") && en_passant))
      key = old_key;
    state.position = after;
    finish(state);
  }

  void finish(State& state) const {
    const oracle::Position& position = state.position;
    state.clock = position.halfmove_clock == 0 ? 0 : state.clock + 1;
    // These schemes always compute the key from scratch.
    if (scheme_ == "per-side" || scheme_ == "sum" || scheme_ == "mirror")
      state.passed = passed_of(position, false);
  }

  [[nodiscard]] std::uint64_t shown(const State& state) const {
    std::uint64_t key = state.key;
    if (scheme_ == "product") return (key ^ (key >> 29)) * 0x9e3779b97f4a7c15;
    const auto clock = static_cast<std::size_t>(state.clock);
    if (scheme_ == "clock" && clock >= 14) key ^= clocks_.at((clock - 14) / 8);
    if (scheme_ == "counters")
      key ^= clocks_.at(clock % 100) ^
             clocks_.at(100 + static_cast<std::size_t>(state.position.fullmove_number) % 100);
    if (scheme_ == "moves-clock") key ^= clocks_.at(clock % 100);
    if (scheme_ == "history") key ^= clocks_.at(static_cast<std::size_t>(state.plies) % 100);
    if (scheme_ == "per-side" || scheme_ == "sum" || scheme_ == "mirror") key = anew(state);
    return key;
  }

  [[nodiscard]] std::uint64_t anew(const State& state) const {
    const oracle::Position& position = state.position;
    const bool black = !position.white_to_move;
    std::uint64_t key = 0;
    for (int rank = 0; rank < 8; ++rank) {
      for (int file = 0; file < 8; ++file) {
        const oracle::Square square = 21 + 10 * rank + file;
        char piece = position[square];
        if (piece == oracle::kEmpty) continue;
        oracle::Square place = square;
        if (scheme_ == "mirror" && black) {
          piece = piece >= 'a' ? of(true, piece) : small(piece);
          place = 21 + 10 * (7 - rank) + file;
        }
        std::uint64_t value = number(piece, place);
        if (scheme_ == "per-side" && black) value = (value >> 17) | (value << 47);
        key = scheme_ == "sum" ? key + value : key ^ value;
      }
    }
    std::size_t mask = mask_of(position);
    if (scheme_ == "mirror" && black) mask = (mask >> 2) | ((mask & 3) << 2);
    std::uint64_t rest = rights.at(mask) ^ passed_number(state.passed);
    if (scheme_ == "sum" && black) rest += side;
    return scheme_ == "sum" ? key + rest : key ^ rest;
  }

  std::string scheme_;
  std::set<std::string> faults_;
  std::array<std::uint64_t, 200> clocks_{};
  std::uint64_t no_square_ = 0;
};

}  // namespace manyply
