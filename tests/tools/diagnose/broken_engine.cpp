// An engine with one deliberate error: the oracle, and a bug named by its first argument.
//
//   broken_engine BUG [STYLE]               UCI on standard input, `go perft N`
//   broken_engine BUG lines DEPTH FEN [MOVES]      prints a divide, as perftree's scripts do
//   broken_engine BUG lines-total DEPTH FEN [MOVES]   the same, the total alone
//   broken_engine BUG lines-two DEPTH FEN          the same, and takes no third argument
//   broken_engine BUG juddperft FEN DEPTH VALUE    exits with 0 if VALUE is its count
//
// BUG may be `none`. Styles of UCI differ in what is printed and understood; see say_divide().
// Those of kProtocols have a protocol of their own.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/oracle.h"

namespace manyply::oracle {
namespace {

using Moves = std::vector<Move>;

constexpr int kUp = 10;
constexpr Square at(int file, int rank) { return 21 + kUp * rank + file; }
constexpr bool is_white(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_black(char c) { return c >= 'a' && c <= 'z'; }
constexpr char lower(char c) { return is_white(c) ? static_cast<char>(c - 'A' + 'a') : c; }
char own(const Position& position, char kind) {
  return position.white_to_move ? static_cast<char>(kind - 'a' + 'A') : kind;
}
bool is_own(const Position& position, Square square) {
  return position.white_to_move ? is_white(position[square]) : is_black(position[square]);
}
bool is_enemy(const Position& position, Square square) {
  return position[square] != kEmpty && position[square] != kBorder && !is_own(position, square);
}
char kind_at(const Position& position, Square square) { return lower(position[square]); }
bool attacked(const Position& position, Square square) {
  return attacks(position, !position.white_to_move, square);
}
Square king(const Position& position) {
  const auto found = std::ranges::find(position.board, own(position, 'k'));
  return static_cast<Square>(found - position.board.begin());
}
int home(const Position& position) { return position.white_to_move ? 0 : 7; }
bool has(const Moves& moves, const Move& move) { return std::ranges::count(moves, move) != 0; }

/// A generator with one error. Each part may be replaced.
struct Generator {
  std::function<Moves(const Position&)> moves = [](const Position& p) { return legal_moves(p); };
  std::function<Position(const Position&, const Move&)> play =
      [](const Position& p, const Move& m) { return after(p, m); };
  std::function<std::string(const Position&, const Move&)> text =
      [](const Position& p, const Move& m) { return uci(p, m); };
  bool counts_dead_ends = false;
  int spoils_from = 0;  ///< the depth from which on the count behind the first move is wrong
};

bool takes_king(const Position& position, const Move& move) {
  return kind_at(position, move.to) == 'k' && is_enemy(position, move.to);
}

/// Legal moves and those candidates that `also` admits.
Generator admitting(std::function<bool(const Position&, const Move&)> also) {
  Generator generator;
  generator.moves = [also](const Position& p) {
    Moves moves = legal_moves(p);
    for (const Move& move : candidate_moves(p)) {
      if (!has(moves, move) && !takes_king(p, move) && also(p, move)) moves.push_back(move);
    }
    return moves;
  };
  return generator;
}

/// Legal moves but those that `refused` names.
Generator refusing(std::function<bool(const Position&, const Move&)> refused) {
  Generator generator;
  generator.moves = [refused](const Position& p) {
    Moves moves = legal_moves(p);
    std::erase_if(moves, [&](const Move& move) { return refused(p, move); });
    return moves;
  };
  return generator;
}

bool is_castling(const Position& p, const Move& move) {
  return kind_at(p, move.from) == 'k' && kind_at(p, move.to) == 'r' && is_own(p, move.to);
}
bool is_en_passant(const Position& p, const Move& move) {
  return kind_at(p, move.from) == 'p' && move.to == p.en_passant;
}

/// Standard castling with the rook of each right, if `allowed` says so of the king's way.
Generator castling_if(std::function<bool(const Position&, Square rook, int side)> allowed) {
  Generator generator;
  generator.moves = [allowed](const Position& p) {
    Moves moves = legal_moves(p);
    const Square from = king(p);
    for (std::size_t i = p.white_to_move ? 0 : 2; i < (p.white_to_move ? 2u : 4u); ++i) {
      const Square rook = p.castling_rooks[i];
      if (rook == kNoSquare || p[rook] != own(p, 'r') || has(moves, {from, rook, 0})) continue;
      if (from == at(4, home(p)) && allowed(p, rook, rook > from ? 1 : -1))
        moves.push_back({from, rook, 0});
    }
    return moves;
  };
  return generator;
}

bool free_between(const Position& p, Square a, Square b) {
  for (Square square = std::min(a, b) + 1; square < std::max(a, b); ++square) {
    if (p[square] != kEmpty) return false;
  }
  return true;
}

/// Keeps the castling right of a rook that is captured.
Position keep_right_of_captured(const Position& p, const Move& move) {
  Position next = after(p, move);
  for (std::size_t i = 0; i < 4; ++i) {
    if (p.castling_rooks[i] == move.to && is_enemy(p, move.to))
      next.castling_rooks[i] = p.castling_rooks[i];
  }
  return next;
}

/// The oracle castles with whatever stands on the rook's square, so rights without a rook are none.
Moves moves_with_true_rooks(const Position& p) {
  Position honest = p;
  for (std::size_t i = 0; i < 4; ++i) {
    const Square rook = p.castling_rooks[i];
    if (rook != kNoSquare && p[rook] != (i < 2 ? 'R' : 'r')) honest.castling_rooks[i] = kNoSquare;
  }
  return legal_moves(honest);
}

bool leaves_king(const Position& p, Square from) {
  Position without = p;
  without[from] = kEmpty;
  return !in_check(p) && kind_at(p, from) != 'k' && attacked(without, king(p));
}

std::map<std::string, Generator> all_bugs() {
  std::map<std::string, Generator> bugs;
  bugs["none"] = {};
  bugs["castling-through-attack"] = castling_if([](const Position& p, Square rook, int side) {
    const Square from = king(p);
    return free_between(p, from, rook) && !in_check(p) && !attacked(p, from + 2 * side);
  });
  bugs["castling-out-of-check"] = castling_if([](const Position& p, Square rook, int side) {
    const Square from = king(p);
    return free_between(p, from, rook) && in_check(p) && !attacked(p, from + side) &&
           !attacked(p, from + 2 * side);
  });
  bugs["castling-over-b1"] = castling_if([](const Position& p, Square, int side) {
    const Square from = king(p);
    return side < 0 && free_between(p, from, from - 3) && !in_check(p) && !attacked(p, from - 1) &&
           !attacked(p, from - 2);
  });
  bugs["castling-refused-b1"] = refusing([](const Position& p, const Move& move) {
    return is_castling(p, move) && move.to < move.from && attacked(p, at(1, home(p)));
  });
  bugs["castling-uncovers-king"] =
      admitting([](const Position& p, const Move& move) { return is_castling(p, move); });
  bugs["right-after-capture"].moves = moves_with_true_rooks;
  bugs["right-after-capture"].play = keep_right_of_captured;
  bugs["right-after-rook-move"].moves = moves_with_true_rooks;
  bugs["right-after-rook-move"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (kind_at(p, move.from) == 'r') {
      for (std::size_t i = 0; i < 4; ++i) {
        if (p.castling_rooks[i] == move.from || p.castling_rooks[i] == move.to)
          next.castling_rooks[i] = p.castling_rooks[i];
      }
    }
    return next;
  };
  bugs["castling-without-rook"].play = keep_right_of_captured;
  bugs["castling-without-rook"].moves = [](const Position& p) {
    Moves moves = moves_with_true_rooks(p);
    const Square from = king(p);
    for (std::size_t i = p.white_to_move ? 0 : 2; i < (p.white_to_move ? 2u : 4u); ++i) {
      const Square rook = p.castling_rooks[i];
      if (rook == kNoSquare || p[rook] == own(p, 'r') || from != at(4, home(p))) continue;
      const int side = rook > from ? 1 : -1;
      if (free_between(p, from, rook) && !in_check(p) && !attacked(p, from + side) &&
          !attacked(p, from + 2 * side))
        moves.push_back({from, from + 2 * side, 0});
    }
    return moves;
  };
  bugs["en-passant-unsafe"] =
      admitting([](const Position& p, const Move& move) { return is_en_passant(p, move); });
  bugs["en-passant-kept"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (next.en_passant == kNoSquare && p.en_passant != kNoSquare && p[p.en_passant] == kEmpty &&
        move.to != p.en_passant)
      next.en_passant = p.en_passant;
    return next;
  };
  bugs["en-passant-single-step"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (kind_at(p, move.from) == 'p' && std::abs(move.to - move.from) == kUp && move.promotion == 0)
      next.en_passant = move.from;
    return next;
  };
  bugs["en-passant-never"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    next.en_passant = kNoSquare;
    return next;
  };
  bugs["en-passant-not-in-check"] = refusing(
      [](const Position& p, const Move& move) { return is_en_passant(p, move) && in_check(p); });
  bugs["promotion-once"] = refusing(
      [](const Position&, const Move& m) { return m.promotion != 0 && m.promotion != 'q'; });
  bugs["promotion-once"].text = [](const Position& p, const Move& m) {
    return uci(p, m).substr(0, 4);
  };
  bugs["underpromotion-missing"] = refusing(
      [](const Position&, const Move& m) { return m.promotion != 0 && m.promotion != 'q'; });
  bugs["pinned-moves"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) != 'k' && !in_check(p) && !is_en_passant(p, move);
  });
  bugs["pinned-stuck"] =
      refusing([](const Position& p, const Move& move) { return leaves_king(p, move.from); });
  bugs["king-along-ray"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'k' && !is_castling(p, move) && !attacked(p, move.to);
  });
  bugs["king-captures-protected"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'k' && is_enemy(p, move.to);
  });
  bugs["kings-adjacent"] = admitting([](const Position& p, const Move& move) {
    if (kind_at(p, move.from) != 'k' || p[move.to] != kEmpty) return false;
    Position kingless = p;
    std::ranges::replace(kingless.board, own(p, 'k'), kEmpty);
    std::ranges::replace(kingless.board, p.white_to_move ? 'k' : 'K', kEmpty);
    return !attacked(kingless, move.to);
  });
  bugs["check-ignored"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'n' && in_check(p);
  });
  bugs["stalemate-counts"].counts_dead_ends = true;
  bugs["bare-kings-end"] = {};  // see count()
  bugs["double-step-over-piece"].moves = [](const Position& p) {
    Moves moves = legal_moves(p);
    const int up = p.white_to_move ? kUp : -kUp;
    for (int file = 0; file < 8; ++file) {
      const Square from = at(file, p.white_to_move ? 1 : 6);
      const Move move{from, from + 2 * up, 0};
      if (p[from] == own(p, 'p') && p[move.to] == kEmpty && p[from + up] != kEmpty &&
          !in_check(p) && !leaves_king(p, from))
        moves.push_back(move);
    }
    return moves;
  };
  bugs["knight-wraps"].moves = [](const Position& p) {
    Moves moves = legal_moves(p);
    for (int rank = 0; rank < 7; ++rank) {  // from the h-file over the edge
      const Square from = at(7, rank);
      const Move move{from, at(1, rank + 1), 0};
      if (p[from] == own(p, 'n') && !is_own(p, move.to) && kind_at(p, move.to) != 'k' &&
          !in_check(p) && !leaves_king(p, from) && rank + 2 <= 7)
        moves.push_back({from, at(1, rank + 2), 0});
    }
    std::erase_if(moves, [&](const Move& m) {
      return !has(legal_moves(p), m) && (is_own(p, m.to) || kind_at(p, m.to) == 'k');
    });
    return moves;
  };
  bugs["castling-twice"].moves = [](const Position& p) {
    Moves moves = legal_moves(p);
    const Moves once = moves;
    std::ranges::copy_if(once, std::back_inserter(moves),
                         [&](const Move& move) { return is_castling(p, move); });
    return moves;
  };
  bugs["undo-damage"].spoils_from = 3;
  bugs["leaf-damage"].spoils_from = 2;
  bugs["promotion-bulk"] = {};  // see count()
  bugs["castling-rook-stays"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (!is_castling(p, move)) return next;
    next[move.to] = own(p, 'r');
    const int side = move.to > move.from ? 5 : 3;
    if (at(side, home(p)) != move.to) next[at(side, home(p))] = kEmpty;
    return next;
  };
  bugs["promoted-stays-pawn"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (move.promotion != 0) next[move.to] = own(p, 'p');
    return next;
  };
  bugs["promoted-to-queen"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (move.promotion != 0) next[move.to] = own(p, 'q');
    return next;
  };
  bugs["en-passant-victim-stays"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (is_en_passant(p, move)) {
      const Square victim = move.to + (p.white_to_move ? -kUp : kUp);
      next[victim] = p[victim];
    }
    return next;
  };
  bugs["promotion-capture-missing"] = refusing([](const Position& p, const Move& move) {
    return move.promotion != 0 && p[move.to] != kEmpty;
  });
  bugs["no-legality"] =
      admitting([](const Position& p, const Move& move) { return !is_castling(p, move); });
  bugs["fifty-moves-end"] = {};  // see count()
  bugs["double-step-missing"] = refusing([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'p' && std::abs(move.to - move.from) == 2 * kUp;
  });
  bugs["castling-never"] =
      refusing([](const Position& p, const Move& move) { return is_castling(p, move); });
  bugs["king-into-attack"] = admitting([](const Position& p, const Move& move) {
    return kind_at(p, move.from) == 'k' && !is_castling(p, move);
  });
  bugs["pawn-captures-ahead"].moves = [](const Position& p) {
    Moves moves = legal_moves(p);
    const int up = p.white_to_move ? kUp : -kUp;
    for (Square from = at(0, 1); from <= at(7, 6); ++from) {
      const Square to = from + up;
      if (p[from] != own(p, 'p') || !is_enemy(p, to) || kind_at(p, to) == 'k') continue;
      const Move move{from, to, 0};
      Position next = after(p, move);
      next.white_to_move = p.white_to_move;
      if (to / kUp != 2 && to / kUp != 9 && !in_check(next)) moves.push_back(move);
    }
    return moves;
  };
  bugs["right-lost"].play = [](const Position& p, const Move& move) {
    Position next = after(p, move);
    if (kind_at(p, move.from) == 'p') {
      for (std::size_t i = p.white_to_move ? 0 : 2; i < (p.white_to_move ? 2u : 4u); ++i)
        next.castling_rooks[i] = kNoSquare;
    }
    return next;
  };
  bugs["two-bugs"] = refusing([](const Position& p, const Move& move) {
    return is_castling(p, move) || is_en_passant(p, move);
  });
  return bugs;
}

// What else an engine may do wrong.
const std::vector<std::string> kFaults{"crash",   "abort",  "exit",  "hang",
                                       "lie",     "fickle", "flood", "flood-line",
                                       "garbage", "search", "silent"};

/// What an engine of a style understands, besides what it is greeted with.
struct Protocol {
  bool uci;                           ///< answers uci and isready
  std::vector<std::string> commands;  ///< the others it complains of
  const char* complaint;              ///< nothing: it says nothing
};
const std::map<std::string, Protocol> kProtocols{
    // `go perft N` is a search to it, and never ends.
    {"perft", {true, {"position", "perft", "go"}, nullptr}},
    {"divide", {true, {"position", "divide"}, "Unknown command: "}},
    {"repl", {false, {"position", "perft"}, "unknown command "}},
    {"xboard", {false, {"setboard", "divide"}, "Error (unknown command): "}},
    {"xboard-total", {false, {"setboard", "perft"}, "Error (unknown command): "}},
    {"count", {false, {"count"}, "what? no such command: "}},
    // `go perft N` is a search of one move to it.
    {"bestmove", {true, {"position", "perft", "go"}, nullptr}},
    // Rows alone, and no total; complains of what it does not know, or says nothing.
    {"console", {false, {"setboard", "divide"}, "Error (unknown command): "}},
    {"console-mute", {false, {"setboard", "divide"}, ""}},
};

class BrokenEngine {
 public:
  BrokenEngine(std::string bug, std::string style)
      : bug_(std::move(bug)), style_(std::move(style)) {
    // "rows@300": with pauses of so many milliseconds, between rows and inside one.
    if (const std::size_t place = style_.find('@'); place != std::string::npos) {
      pause_ = std::chrono::milliseconds(std::stoi(style_.substr(place + 1)));
      style_.resize(place);
    }
    const auto bugs = all_bugs();
    const auto found = bugs.find(bug_);
    if (found != bugs.end()) generator_ = found->second;
    known_ = found != bugs.end() || std::ranges::count(kFaults, bug_) != 0;
  }

  [[nodiscard]] bool known() const { return known_; }

  int talk() {
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream words(line);
      std::string word;
      words >> word;
      const auto protocol = kProtocols.find(style_);
      const bool has_own = protocol != kProtocols.end();
      const bool uci =
          has_own ? protocol->second.uci : !style_.starts_with("mute") && bug_ != "silent";
      if (has_own && !uci && std::ranges::count(protocol->second.commands, word) == 0) {
        if (*protocol->second.complaint != '\0')
          std::cout << protocol->second.complaint << word << '\n' << std::flush;
        continue;
      }
      if (word == "uci" && uci) {
        std::cout << "id name Broken (" << bug_ << ")\n"
                  << (style_ == "no960" ? ""
                                        : "option name UCI_Chess960 type check default false\n")
                  << "uciok\n";
      } else if (word == "isready" && uci) {
        std::cout << "readyok\n";
      } else if (word == "setoption") {
        chess960_ = line.ends_with("true");
      } else if (word == "position") {
        set_position(words);
      } else if (word == "setboard" && has_own) {
        words.seekg(0);
        words >> word;
        std::string fen;
        std::getline(words >> std::ws, fen);
        set_position(fen, "");
      } else if (word == "count" && has_own) {
        int depth = 0;
        words >> depth;
        std::string fen;
        std::getline(words >> std::ws, fen);
        set_position(fen, "");
        go(depth);
      } else if (has_own && word == "go" && style_ == "bestmove") {
        std::cout << "info depth 1 score cp 13 nodes 20 time 1 pv e2e4\nbestmove e2e4\n";
      } else if (has_own && word == "go" && style_ == "perft") {
        std::cout << "info depth 1 score cp 13 nodes 20 time 1 pv e2e4\n"
                     "info depth 2 score cp 0 nodes 61 time 1 pv e2e4 e7e5\n";
      } else if (has_own && std::ranges::count(protocol->second.commands, word) == 0) {
        if (protocol->second.complaint != nullptr)
          std::cout << protocol->second.complaint << "'" << line << "'\n";
      } else if (word == "go" || (has_own && (word == "divide" || word == "perft"))) {
        int depth = 0;
        if (word == "go") words >> word;
        words >> depth;
        go(depth);
      } else if (word == "quit") {
        break;
      }
      std::cout << std::flush;
    }
    return 0;
  }

  int lines(int depth, const std::string& fen, const std::string& moves) {
    set_position(fen, moves);
    if (style_ == "lines-total") {
      std::cout << total(depth) << '\n';
      return 0;
    }
    style_ = "plain";
    go(depth);
    return 0;
  }

  int check(const std::string& fen, int depth, const std::string& value) {
    set_position(fen, "");
    return std::to_string(total(depth)) == value ? 0 : 7;
  }

 private:
  void set_position(std::istringstream& words) {
    std::string word;
    std::string fen;
    words >> word;
    if (word == "startpos") fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    while (words >> word && word != "moves") fen += (fen.empty() ? "" : " ") + word;
    std::string moves;
    if (style_ != "no-moves") std::getline(words, moves);
    set_position(fen, moves);
  }

  void set_position(const std::string& fen, const std::string& moves) {
    position_ = parse(fen, chess960_);
    std::istringstream words(moves);
    for (std::string text; words >> text;) {
      for (const Move& move : generator_.moves(position_)) {
        if (uci(position_, move) == text) {
          position_ = generator_.play(position_, move);
          break;
        }
      }
    }
  }

  std::uint64_t count(const Position& position, int depth) const {
    if (depth == 0) return 1;
    if (bug_ == "bare-kings-end" && std::ranges::count_if(position.board, [](char c) {
                                      return is_white(c) || is_black(c);
                                    }) == 2)
      return 0;
    if (bug_ == "fifty-moves-end" && position.halfmove_clock >= 100) return 0;
    // A bug may have left a king to be taken: that game is over.
    const bool has_king = std::ranges::count(position.board, own(position, 'k')) > 0;
    const Moves moves = has_king ? generator_.moves(position) : Moves();
    if (moves.empty() && generator_.counts_dead_ends) return 1;
    std::uint64_t nodes = 0;
    for (const Move& move : moves) {
      const bool uncounted =
          bug_ == "promotion-bulk" && depth == 1 && move.promotion != 0 && move.promotion != 'q';
      if (!uncounted) nodes += count(generator_.play(position, move), depth - 1);
    }
    return nodes;
  }

  std::uint64_t total(int depth) const {
    std::uint64_t nodes = 0;
    for (const Move& move : generator_.moves(position_))
      nodes += count(generator_.play(position_, move), depth - 1);
    return nodes;
  }

  void go(int depth) {
    ++questions_;
    if (depth >= 2) misbehave();
    if (bug_ == "garbage") {
      std::cout << "\xff\xfe\x01 ???? -- 12 monkeys, a1 b2 c3: many\n";
      return;
    }
    if (bug_ == "search") {
      std::cout << "info depth 1 score cp 20 nodes 20 pv e2e4\nbestmove e2e4 ponder e7e5\n";
      return;
    }
    if (bug_ == "silent") return;
    if (style_ == "table") {
      std::cout << "Depth      Nodes   Time (s)\n";
      for (int plies = 1; plies <= depth; ++plies)
        std::cout << "    " << plies << "   " << total(plies) << "   0.0" << plies << '\n';
      return;
    }
    if (style_.ends_with("depths") && depth > 1) go(depth - 1);
    std::uint64_t sum = 0;
    int number = 0;
    lists_moves_ = style_ == "list" && depth == 1;
    for (const Move& move : generator_.moves(position_)) {
      std::uint64_t nodes = count(generator_.play(position_, move), depth - 1);
      if (generator_.spoils_from > 0 && number == 0 && depth >= generator_.spoils_from) ++nodes;
      if (bug_ == "fickle" && number == 0 && depth >= 2) nodes += questions_;
      sum += nodes;
      ++number;
      say_row(move, nodes, number);
    }
    if (bug_ == "lie") ++sum;
    if (!lists_moves_) say_total(sum, depth);
  }

  /// "Ng1-f3", "a7-a8=Q", and castling by its own name.
  [[nodiscard]] std::string in_letters(const Move& move) const {
    if (is_castling(position_, move)) return move.to > move.from ? "O-O" : "O-O-O";
    const std::string text = generator_.text(position_, move);
    const char kind = kind_at(position_, move.from);
    std::string longer = kind == 'p' ? "" : std::string(1, static_cast<char>(kind - 'a' + 'A'));
    longer += text.substr(0, 2) + "-" + text.substr(2, 2);
    if (text.size() > 4) longer += std::string("=") + static_cast<char>(text[4] - 'a' + 'A');
    return longer;
  }

  void say_row(const Move& root_move, std::uint64_t nodes, int number) const {
    const std::string move = generator_.text(position_, root_move);
    if (pause_.count() > 0) {
      std::cout << std::flush;
      if (number % 8 == 3) std::this_thread::sleep_for(pause_);
      std::cout << move.substr(0, 2) << std::flush;
      if (number % 8 == 6) std::this_thread::sleep_for(pause_);
      std::cout << move.substr(2) << ": " << nodes << '\n' << std::flush;
      return;
    }
    if (style_ == "total" || style_ == "perft" || style_ == "repl" || style_ == "xboard-total" ||
        style_ == "lines-total")
      return;
    if (lists_moves_) {
      std::cout << move << '\n';
      return;
    }
    if (chatters() && number % 4 == 1)
      std::cout << "info depth 1 nodes " << number << " pv e2e4 e7e5\ntime 34 ms\n\n";
    if (style_ == "letters") {
      std::cout << in_letters(root_move) << ": " << nodes << '\n';
    } else if (style_ == "first") {
      std::cout << nodes << " [" << move << "]\n";
    } else if (style_ == "words") {
      std::cout << "\x1b[1mmove\x1b[0m " << move << " nodes " << nodes << " time 0.03 s\n";
    } else if (style_ == "negative" && is_castling(position_, root_move)) {
      std::cout << move << ": -" << nodes << '\n';
    } else if (style_ == "castles" && is_castling(position_, root_move)) {
      std::cout << "castles " << (root_move.to > root_move.from ? "short: " : "long: ") << nodes
                << '\n';
    } else if (style_ == "indexes") {
      const auto index = [](Square square) { return square % kUp - 1 + 8 * (square / kUp - 2); };
      std::cout << "Move { from: " << index(root_move.from) << ", to: " << index(root_move.to)
                << " } => " << nodes << '\n';
    } else if (style_ == "numbered") {
      std::cout << number << ". " << move << " = " << nodes << " nodes\n";
    } else if (style_ == "info") {
      std::string longer = move.substr(0, 2) + "-" + move.substr(2, 2);
      if (move.size() > 4) longer += std::string("=") + static_cast<char>(move[4] - 'a' + 'A');
      std::cout << "info string " << longer << "\t" << nodes << "\n";
    } else if (style_ == "plain" || style_ == "mute-rows" || style_ == "rows") {
      std::cout << move << ' ' << nodes << '\n';
    } else {
      std::cout << move << ": " << nodes << '\n';
    }
  }

  /// Styles that nobody has agreed upon, with lines between that are no rows.
  [[nodiscard]] bool chatters() const {
    return style_ == "letters" || style_ == "first" || style_ == "words";
  }

  void say_total(std::uint64_t sum, int depth) const {
    if (style_ == "rows" || style_ == "mute-rows" || style_ == "letters" ||
        style_.starts_with("console"))
      return;
    if (pause_.count() > 0) {
      std::cout << std::flush;
      std::this_thread::sleep_for(pause_);
    }
    if (style_ == "words") {
      std::cout << sum << " nodes in 0.12 s (123456 nodes/s)\nbestmove e2e4\n";
    } else if (style_ == "plain") {
      std::cout << '\n' << sum << '\n';
    } else if (style_ == "numbered") {
      std::cout << "Moves: " << 0 << "\nTotal: " << sum
                << "\nTime: 12 ms\nNodes per second: 123456\n";
    } else if (style_ == "info") {
      std::cout << "info string perft(" << depth << ") = " << sum << " in 0.01 s\n";
    } else {
      std::cout << "\nNodes searched: " << sum << "\n\n";
    }
  }

  void misbehave() const {
    if (bug_ == "crash") {
      std::cerr << "about to read a null pointer\n" << std::flush;
      std::signal(SIGSEGV, SIG_DFL);
      volatile int* const nowhere = nullptr;
      *nowhere = 1;
    }
    if (bug_ == "abort") {
      std::cerr << "assertion failed: square < 64\n" << std::flush;
      std::abort();
    }
    if (bug_ == "exit") std::exit(3);
    if (bug_ == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
    while (bug_ == "flood" && std::cout) std::cout << "thinking about it, and about this too\n";
    while (bug_ == "flood-line" && std::cout) std::cout << "thinking about it ... ";
  }

  std::string bug_;
  std::string style_;
  Generator generator_;
  std::chrono::milliseconds pause_{0};
  bool known_ = false;
  bool chess960_ = false;
  bool lists_moves_ = false;  ///< the rows have no counts
  Position position_ = parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
  std::uint64_t questions_ = 0;
};

int run(const std::vector<std::string>& words) {
  if (words.empty()) return 64;
  const std::string style = words.size() > 1 ? words[1] : "stockfish";
  BrokenEngine engine(words[0], style);
  if (!engine.known()) {
    std::cerr << "no such bug: " << words[0] << '\n';
    return 64;
  }
  if (style.starts_with("lines")) {
    if (words.size() < 4 || (style == "lines-two" && words.size() > 4)) {
      std::cout << "usage: " << words[0] << " DEPTH FEN\n";
      return 64;
    }
    return engine.lines(std::stoi(words[2]), words[3], words.size() > 4 ? words[4] : "");
  }
  if (style == "juddperft") {
    if (words.size() < 5) return 64;
    return engine.check(words[2], std::stoi(words[3]), words[4]);
  }
  return engine.talk();
}

}  // namespace
}  // namespace manyply::oracle

int main(int argc, char** argv) {
  try {
    return manyply::oracle::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "broken_engine: " << error.what() << '\n';
    return 65;
  }
}
