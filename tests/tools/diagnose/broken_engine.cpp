// An engine with one deliberate error. Its first argument names the error: a bug of
// broken_generator.h or one of kFaults.
//
//   broken_engine BUG [STYLE[@MS]]          UCI on standard input, `go perft N`
//   broken_engine BUG lines[@MS] DEPTH FEN [MOVES]      prints a divide, as perftree's scripts do
//   broken_engine BUG lines-rows[@MS] DEPTH FEN [MOVES]     prints the rows without a total
//   broken_engine BUG lines-total[@MS] DEPTH FEN [MOVES]   prints only the total
//   broken_engine BUG lines-two[@MS] DEPTH FEN          as `lines`, but takes no moves
//   broken_engine BUG juddperft FEN DEPTH VALUE    exits with 0 if VALUE is its count
//
// BUG may be `none`. Styles of UCI differ in what the engine prints and understands: see row() and
// last_lines(). Each style of kProtocols has its own protocol. MS is the length of pauses between
// rows, in the middle of a row and before the total.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

#include "tests/tools/diagnose/broken_generator.h"

namespace manyply::oracle {
namespace {

// Faults that are not in the move generator.
const std::vector<std::string> kFaults{
    "crash", "abort",      "exit",    "hang",   "lie",    "fickle",
    "flood", "flood-line", "garbage", "search", "silent",
    "cut",    // ends after five rows
    "short",  // prints no more than five rows
    "stuck",  // prints five rows and hangs
};

/// The commands that an engine of a style understands, besides the greeting.
struct Protocol {
  bool uci;                           ///< answers uci and isready
  std::vector<std::string> commands;  ///< prints `complaint` for all other commands
  const char* complaint;              ///< nullptr or empty: prints nothing
  const char* prompt = "";            ///< printed after each command, without a line end
};
const std::map<std::string, Protocol> kProtocols{
    // The engine understands `go perft N` as a search, which never ends.
    {"perft", {true, {"position", "perft", "go"}, nullptr}},
    {"divide", {true, {"position", "divide"}, "Unknown command: "}},
    {"repl", {false, {"position", "perft"}, "unknown command "}},
    {"xboard", {false, {"setboard", "divide"}, "Error (unknown command): "}},
    {"xboard-total", {false, {"setboard", "perft"}, "Error (unknown command): "}},
    {"count", {false, {"count"}, "what? no such command: "}},
    // The engine understands `go perft N` as a search for one move.
    {"bestmove", {true, {"position", "perft", "go"}, nullptr}},
    // After `uci`, the same as `bestmove`. Before `uci`, a console.
    {"bestmove-console", {true, {"position", "divide", "go"}, nullptr}},
    // Prints rows without a total. Prints an error for unknown commands, or nothing.
    {"console", {false, {"setboard", "divide"}, "Error (unknown command): "}},
    {"console-mute", {false, {"setboard", "divide"}, ""}},
    // Prints rows without a total. Other output of the engine shows where an answer ends.
    {"prompt", {false, {"setboard", "divide"}, "", "> "}},
    {"echo", {false, {"setboard", "divide"}, ""}},
    {"done", {false, {"setboard", "divide"}, ""}},
    // Prints only totals, and a board after each command.
    {"board", {false, {"setboard", "perft"}, "Illegal move: ", "Board: "}},
};

class BrokenEngine {
 public:
  BrokenEngine(std::string bug, std::string style)
      : bug_(std::move(bug)), style_(std::move(style)) {
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
    const auto protocol = kProtocols.find(style_);
    if (protocol != kProtocols.end()) std::cout << protocol->second.prompt << std::flush;
    for (std::string line; std::getline(std::cin, line);) {
      if (style_ == "echo") std::cout << line << '\n';
      if (line == "quit") break;
      if (protocol != kProtocols.end()) {
        obey_in(protocol->second, line);
      } else {
        obey(line);
      }
      std::cout << std::flush;
    }
    if (worker_.joinable()) worker_.join();
    return 0;
  }

  int lines(int depth, const std::string& fen, const std::string& moves) {
    set_position(fen, moves);
    style_ = style_ == "lines-total" ? "number" : style_ == "lines-rows" ? "rows" : "plain";
    go(depth);
    return 0;
  }

  int check(const std::string& fen, int depth, const std::string& value) {
    set_position(fen, "");
    return std::to_string(total(depth)) == value ? 0 : 7;
  }

 private:
  /// Executes a command line in this protocol.
  void obey_in(const Protocol& protocol, const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (protocol.uci && (word == "uci" || word == "isready" || word == "setoption"))
      return obey(line);
    const bool is_console = style_ == "bestmove-console" && !greeted_;
    const bool knows =
        std::ranges::count(protocol.commands, word) != 0 &&
        (style_ != "bestmove-console" || (word == "divide") == is_console || word == "position");
    if (!knows) {
      if (protocol.complaint != nullptr && *protocol.complaint != '\0')
        std::cout << protocol.complaint << (protocol.uci ? "'" + line + "'" : word) << '\n';
    } else if (word == "setboard") {
      std::string fen;
      std::getline(words >> std::ws, fen);
      set_position(fen, "");
    } else if (word == "go") {
      std::cout << "info depth 1 score cp 13 nodes 20 time 1 pv e2e4\n"
                << (style_ == "perft" ? "info depth 2 score cp 0 nodes 61 time 1 pv e2e4 e7e5\n"
                                      : "bestmove e2e4\n");
    } else if (word == "position") {
      set_position(words);
    } else {
      int depth = 0;
      words >> depth;
      if (word == "count") {
        std::string fen;
        std::getline(words >> std::ws, fen);
        set_position(fen, "");
      }
      go(depth);
    }
    if (style_ == "board") show_board();
    std::cout << protocol.prompt;
  }

  void obey(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    const bool uci = !style_.starts_with("mute") && bug_ != "silent";
    if (word == "uci" && uci) {
      greeted_ = true;
      std::cout << "id name Broken (" << bug_ << ")\n"
                << (style_ == "no960" ? "" : "option name UCI_Chess960 type check default false\n")
                << "uciok\n";
    } else if (word == "isready" && uci) {
      const std::scoped_lock lock(printing_);
      std::cout << "readyok\n" << std::flush;
    } else if (word == "setoption") {
      chess960_ = line.ends_with("true");
    } else if (word == "position") {
      if (worker_.joinable()) worker_.join();
      set_position(words);
    } else if (word == "go") {
      int depth = 0;
      words >> word >> depth;
      if (worker_.joinable()) worker_.join();
      if (style_.starts_with("threads")) {
        worker_ = std::thread([this, depth] { go(depth); });
      } else {
        go(depth);
      }
    }
  }

  void show_board() const {
    for (int rank = 7; rank >= 0; --rank) {
      std::cout << rank + 1 << " |";
      for (int file = 0; file < 8; ++file) {
        const char piece = position_[at(file, rank)];
        const std::string cell =
            piece == kEmpty ? "  " : std::string(is_white(piece) ? " " : "*") + piece;
        std::cout << ' ' << cell << " |";
      }
      std::cout << "\n  +----+----+----+----+----+----+----+----+\n";
    }
    std::cout << "\n     a    b    c    d    e    f    g    h\n\n";
  }

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
    position_ = generator_.read(parse(fen, chess960_), fen);
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
    // A bug may have allowed the capture of a king. The game is then over.
    const bool has_king = std::ranges::count(position.board, own(position, 'k')) > 0;
    const Moves moves = has_king ? generator_.moves(position) : Moves();
    if (moves.empty() && generator_.counts_dead_ends) return 1;
    std::uint64_t nodes = 0;
    for (const Move& move : moves) {
      const bool is_en_passant =
          kind_at(position, move.from) == 'p' && move.to == position.en_passant;
      const bool uncounted =
          depth == 1 &&
          ((bug_ == "promotion-bulk" && move.promotion != 0 && move.promotion != 'q') ||
           (bug_ == "en-passant-bulk" && is_en_passant));
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
    if (style_ == "only-board") return show_board();
    if (style_ == "table" || style_ == "mute-table") {
      say("Depth      Nodes   Time (s)\n", false, false);
      for (int plies = 1; plies <= depth; ++plies)
        say("    " + std::to_string(plies) + "   " + std::to_string(total(plies)) + "   0.0" +
                std::to_string(plies) + "\n",
            true, true);
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
      if (number > 5 && depth >= 2) {
        if (bug_ == "cut") std::cout << std::flush, std::_Exit(0);
        if (bug_ == "stuck")
          std::cout << std::flush, std::this_thread::sleep_for(std::chrono::hours(1));
        if (bug_ == "short") break;
      }
      say(row(move, nodes, number), number % 8 == 3, number % 8 == 6);
    }
    if (bug_ == "lie") ++sum;
    if (!lists_moves_) say(last_lines(sum, depth), true, false);
  }

  /// Returns "Ng1-f3", "a7-a8=Q", or for castling "O-O".
  [[nodiscard]] std::string in_letters(const Move& move) const {
    if (is_castling(position_, move)) return move.to > move.from ? "O-O" : "O-O-O";
    const std::string text = generator_.text(position_, move);
    const char kind = kind_at(position_, move.from);
    std::string longer = kind == 'p' ? "" : std::string(1, static_cast<char>(kind - 'a' + 'A'));
    longer += text.substr(0, 2) + "-" + text.substr(2, 2);
    if (text.size() > 4) longer += std::string("=") + static_cast<char>(text[4] - 'a' + 'A');
    return longer;
  }

  /// Prints `text`, with a pause before it or in its middle if requested.
  void say(const std::string& text, bool after_pause, bool in_two) {
    if (text.empty()) return;
    const auto pause = [&](bool now) {
      if (now && pause_.count() > 0) std::cout << std::flush, std::this_thread::sleep_for(pause_);
    };
    pause(after_pause);
    const std::scoped_lock lock(printing_);
    std::cout << text.substr(0, text.size() / 2);
    pause(in_two);
    std::cout << text.substr(text.size() / 2);
    if (style_.starts_with("threads")) std::cout << std::flush;
  }

  [[nodiscard]] std::string row(const Move& root_move, std::uint64_t nodes, int number) const {
    const std::string move = generator_.text(position_, root_move);
    std::ostringstream out;
    const bool totals = style_ == "total" || style_ == "mute-total" || style_ == "perft" ||
                        style_ == "repl" || style_ == "xboard-total" || style_ == "number" ||
                        style_ == "board";
    if (totals) return "";
    if (lists_moves_) return move + '\n';
    if (chatters() && number % 4 == 1)
      out << "info depth 1 nodes " << number << " pv e2e4 e7e5\ntime 34 ms\n\n";
    if (style_ == "letters") {
      out << in_letters(root_move) << ": " << nodes << '\n';
    } else if (style_ == "first") {
      out << nodes << " [" << move << "]\n";
    } else if (style_ == "words") {
      out << "\x1b[1mmove\x1b[0m " << move << " nodes " << nodes << " time 0.03 s\n";
    } else if (style_ == "negative" && is_castling(position_, root_move)) {
      out << move << ": -" << nodes << '\n';
    } else if (style_ == "scores") {
      out << move << ' ' << (number % 5 - 2) * 50 << '\n';
    } else if (style_ == "castles" && is_castling(position_, root_move)) {
      out << "castles " << (root_move.to > root_move.from ? "short: " : "long: ") << nodes << '\n';
    } else if (style_ == "indexes") {
      const auto index = [](Square square) { return square % kUp - 1 + 8 * (square / kUp - 2); };
      out << "Move { from: " << index(root_move.from) << ", to: " << index(root_move.to) << " } => "
          << nodes << '\n';
    } else if (style_ == "numbered") {
      out << number << ". " << move << " = " << nodes << " nodes\n";
    } else if (style_ == "info") {
      std::string longer = move.substr(0, 2) + "-" + move.substr(2, 2);
      if (move.size() > 4) longer += std::string("=") + static_cast<char>(move[4] - 'a' + 'A');
      out << "info string " << longer << "\t" << nodes << "\n";
    } else if (style_ == "plain" || style_ == "mute-rows" || style_ == "rows") {
      out << move << ' ' << nodes << '\n';
    } else {
      out << move << ": " << nodes << '\n';
    }
    return out.str();
  }

  /// Returns whether the style follows no convention and prints other lines between the rows.
  [[nodiscard]] bool chatters() const {
    return style_ == "letters" || style_ == "first" || style_ == "words";
  }

  /// Returns the text after the rows, usually the total.
  [[nodiscard]] std::string last_lines(std::uint64_t sum, int depth) const {
    std::ostringstream out;
    const bool no_total = style_ == "rows" || style_ == "mute-rows" || style_ == "threads-rows" ||
                          style_ == "letters" || style_.starts_with("console") ||
                          style_ == "bestmove-console" || style_ == "prompt" || style_ == "echo";
    if (no_total) return "";
    if (style_ == "words") {
      out << sum << " nodes in 0.12 s (123456 nodes/s)\nbestmove e2e4\n";
    } else if (style_ == "number") {
      out << sum << '\n';
    } else if (style_ == "plain") {
      out << '\n' << sum << '\n';
    } else if (style_ == "numbered") {
      out << "Moves: " << 0 << "\nTotal: " << sum << "\nTime: 12 ms\nNodes per second: 123456\n";
    } else if (style_ == "info") {
      out << "info string perft(" << depth << ") = " << sum << " in 0.01 s\n";
    } else if (style_ == "done") {
      out << "done in " << questions_ << " ms\n";
    } else if (style_ == "scores") {
      out << "No. of moves generated = " << generator_.moves(position_).size() << '\n';
    } else if (style_ == "board") {
      out << "Raw nodes for depth " << depth << ": " << sum << "\nTime : 0.00\n\n";
    } else {
      out << "\nNodes searched: " << sum << "\n\n";
    }
    return out.str();
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
  std::mutex printing_;
  std::thread worker_;  ///< used by styles that read commands while they count
  bool greeted_ = false;
  bool known_ = false;
  bool chess960_ = false;
  bool lists_moves_ = false;  ///< prints rows without counts
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
    if (words.size() < 4 || (style.starts_with("lines-two") && words.size() > 4)) {
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
