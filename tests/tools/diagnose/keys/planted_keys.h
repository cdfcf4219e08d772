// Zobrist keys with faults that were planted, on the oracle's board: a program of somebody who
// knows nothing of ours. Schemes are right ways of making keys; faults are what programs get wrong.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/support/oracle.h"

namespace manyply {

class PlantedKeys {
 public:
  /// Schemes: polyglot (four rights, en passant if a pawn stands beside), always (en passant by
  /// square, after each double step), usable (only if the capture is legal), sixteen (a number for
  /// each set of rights), complement (all bits turned for black), product (multiplied, so that it
  /// is not linear), clock (from 14 half-moves on), counters (both clocks), per-side, sum, queens
  /// (bishop ^ rook), history (the plies played), moves-clock (the clock, but that of a FEN is not
  /// read), as-told (en passant as a FEN has it, after moves only if usable), mirror (seen from the
  /// side to move), deaf (plays no moves),
  /// moves-always (as-told the other way round), narrow (32 bits).
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

  // The numbers, for comparison with what is recovered. Pieces as in "PNBRQKpnbrqk", squares from
  // a1.
  std::array<std::array<std::uint64_t, 64>, 12> pieces{};
  std::array<std::uint64_t, 16> rights{};  ///< by the sum of 1 (K), 2 (Q), 4 (k), 8 (q)
  std::array<std::uint64_t, 64> passed{};  ///< by square; by file those of the first rank
  std::uint64_t side = 0;

  [[nodiscard]] static int square_number(oracle::Square square) {
    return (square / 10 - 2) * 8 + square % 10 - 1;
  }

  /// What it shows after "position fen FEN moves MOVES".
  [[nodiscard]] std::uint64_t key(const std::string& fen, const std::string& moves) const {
    State state = set_up(fen);
    std::istringstream words(moves);
    for (std::string word; words >> word && scheme_ != "deaf";) {
      play(state, oracle::move_from_uci(state.position, word));
      ++state.plies;
    }
    return shown(state);
  }

 private:
  struct State {
    oracle::Position position;
    std::uint64_t key = 0;
    oracle::Square passed = oracle::kNoSquare;  ///< that is in the key
    int clock = 0;
    int plies = 0;
  };

  [[nodiscard]] bool has(std::string_view fault) const {
    return faults_.contains(std::string(fault));
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
    if (has("colours")) pieces[7] = pieces[1];
    if (has("kinds")) pieces[2] = pieces[3];
    if (has("half-board")) {
      for (auto& squares : pieces) {
        for (std::size_t s = 32; s < 64; ++s) squares[s] = squares[s - 32];
      }
    }
    if (has("short")) cut_numbers(0x7fff);
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
    if (square == oracle::kNoSquare) return 0;
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

  /// The square that the scheme has in the key of this position.
  [[nodiscard]] oracle::Square passed_of(const oracle::Position& position, bool told) const {
    const oracle::Square square = position.en_passant;
    if (square == oracle::kNoSquare || scheme_ == "always") return square;
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
    state.clock = scheme_ == "moves-clock" ? 0 : state.position.halfmove_clock;
    state.passed = passed_of(state.position, true);
    state.key = from_scratch(state.position, state.passed);
    if (has("passed-not-set-up")) state.passed = oracle::kNoSquare;
    return state;
  }

  void play(State& state, const oracle::Move& move) const {
    const oracle::Position before = state.position;
    const oracle::Position after = oracle::after(before, move);
    const bool white = before.white_to_move;
    const char mover = before[move.from];
    const char kind = small(mover);
    const bool castles = kind == 'k' && before[move.to] == of(white, 'r');
    const bool en_passant = kind == 'p' && move.to == before.en_passant;
    const char taken = castles ? oracle::kEmpty : before[move.to];
    std::uint64_t& key = state.key;

    const bool takes = taken != oracle::kEmpty;
    if (!(has("side-kept") || (has("side-kept-by-captures") && takes))) key ^= side;

    if (!has("passed-kept")) key ^= passed_number(state.passed);
    const oracle::Square new_passed = passed_of(after, false);
    state.passed = has("passed-not-set") ? oracle::kNoSquare : new_passed;
    if (has("passed-by-steps") && kind == 'p' && !takes && !en_passant &&
        std::abs(move.to - move.from) == 10 && move.promotion == 0)
      state.passed = white ? 41 + move.from % 10 - 1 : 71 + move.from % 10 - 1;
    key ^= passed_number(state.passed);

    std::size_t old_rights = mask_of(before);
    std::size_t new_rights = mask_of(after);
    const std::size_t own = white ? 3 : 12;
    if (has("right-kept-by-king") && kind == 'k' && !castles) new_rights |= old_rights & own;
    if (has("right-kept-by-castling") && castles) new_rights |= old_rights & own;
    if (has("right-kept-by-rook") && kind == 'r') new_rights |= old_rights & own;
    if (has("right-kept-by-capture") && takes) new_rights |= old_rights & ~own;
    if (has("right-back") && kind == 'k' && (old_rights & own) == 0) new_rights |= own & 5;
    key ^= rights.at(old_rights) ^ rights.at(new_rights);

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
      key ^= number(rook, to);
      state.position = after;
      return finish(state);
    }
    if (!(has("knight-left") && kind == 'n') && !(has("pawn-kept") && move.promotion != 0))
      key ^= number(mover, move.from);
    char put = move.promotion == 0 ? mover : of(white, move.promotion);
    if (has("promotion-as-pawn") && move.promotion != 0) put = mover;
    if (has("promotion-queen") && move.promotion != 0) put = of(white, 'q');
    key ^= number(put, move.to);
    if (takes && !has("capture-kept"))
      key ^= number(has("capture-colour") ? of(white, small(taken)) : taken, move.to);
    if (en_passant && !has("passed-pawn-kept")) {
      const oracle::Square pawn = move.to + (white ? -10 : 10);
      key ^= number(of(!white, 'p'), has("passed-pawn-square") ? move.to : pawn);
    }
    state.position = after;
    finish(state);
  }

  void finish(State& state) const {
    const oracle::Position& position = state.position;
    state.clock = position.halfmove_clock == 0 ? 0 : state.clock + 1;
    // These are made anew, whatever was played.
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
};

}  // namespace manyply
