// Makes the suites of tools/suites. Run it by hand and commit the output.
//
//   make_suites fill BUDGET FILE...        recompute the counts of EPD files, in place
//   make_suites play SEED COUNT            print positions of random games
//   make_suites play960 SEED COUNT         the same; each side starts from its own Chess960 array
//   make_suites scatter SEED COUNT PIECES  random placements of the kings and PIECES ("QQQPpqq")
//
// `fill` takes a file of positions, one per line, with `#` comments. The oracle and Stockfish
// compute the counts of each position, from D1 to the last depth that probably has fewer than
// BUDGET leaves. Only Stockfish recomputes deeper counts that a line already has (published ones).
// `fill` writes nothing unless all counts agree, including the old ones.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <set>
#include <stdexcept>

#include "tests/support/oracle.h"

namespace manyply {
namespace {

constexpr const char* kStockfish = "/usr/games/stockfish";
constexpr int kDeepest = 12;

// ---------------------------------------------------------------- fill

struct Line {
  std::string text;                    // a comment, an empty line, or the FEN
  std::map<int, std::uint64_t> nodes;  // by depth

  [[nodiscard]] bool is_position() const { return !text.empty() && text[0] != '#'; }
};

[[noreturn]] void fail(const std::string& reason) { throw std::runtime_error(reason); }

Line read_line(const std::string& text) {
  Line line;
  if (text.starts_with('#')) {
    line.text = text;
    return line;
  }
  const std::size_t fen_end = text.find(';');
  line.text = text.substr(0, fen_end);
  while (line.text.ends_with(' ')) line.text.pop_back();
  for (std::size_t at = fen_end; at != std::string::npos; at = text.find(';', at + 1)) {
    int depth = 0;
    unsigned long long nodes = 0;
    if (std::sscanf(text.c_str() + at, ";D%d %llu", &depth, &nodes) != 2) fail("unread: " + text);
    line.nodes[depth] = nodes;
  }
  return line;
}

std::vector<Line> read_suite(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail("cannot read " + path);
  std::vector<Line> lines;
  std::set<std::string> seen;
  for (std::string text; std::getline(file, text);) {
    lines.push_back(read_line(text));
    if (lines.back().is_position() && !seen.insert(lines.back().text).second) {
      fail("twice: " + lines.back().text);
    }
  }
  return lines;
}

void write_suite(const std::string& path, const std::vector<Line>& lines) {
  std::ofstream file(path);
  for (const Line& line : lines) {
    file << line.text;
    for (const auto& [depth, nodes] : line.nodes) file << " ;D" << depth << ' ' << nodes;
    file << '\n';
  }
  if (!file.flush()) fail("cannot write " + path);
}

oracle::Position parse(const std::string& fen) {
  try {
    return oracle::parse(fen);
  } catch (const std::invalid_argument& error) {
    fail(fen + ": " + error.what());
  }
}

// Returns the oracle's counts from D1 on. Stops before the depth whose count would exceed the
// budget if the count grew by the last factor again.
std::map<int, std::uint64_t> oracle_counts(const std::string& fen, std::uint64_t budget) {
  const oracle::Position position = parse(fen);
  std::map<int, std::uint64_t> nodes;
  double previous = 1;
  for (int depth = 1; depth <= kDeepest; ++depth) {
    const std::uint64_t here = oracle::perft(position, depth);
    nodes[depth] = here;
    const auto leaves = static_cast<double>(here);
    if (here == 0 || leaves * leaves / previous > static_cast<double>(budget)) break;
    previous = leaves;
  }
  return nodes;
}

// Returns the counts of all lines in order. Stockfish processes its whole input, so no dialogue is
// needed.
std::vector<std::uint64_t> stockfish_counts(const std::vector<Line>& lines) {
  const std::string commands =
      std::filesystem::temp_directory_path() / ("make_suites." + std::to_string(getpid()));
  {
    std::ofstream file(commands);
    for (const Line& line : lines) {
      if (!line.is_position()) continue;
      const bool chess960 = parse(line.text).chess960;
      file << "setoption name UCI_Chess960 value " << (chess960 ? "true" : "false") << '\n'
           << "position fen " << line.text << '\n';
      for (const auto& [depth, nodes] : line.nodes) file << "go perft " << depth << '\n';
    }
    file << "quit\n";
  }
  std::FILE* const answers = popen((std::string(kStockfish) + " < " + commands).c_str(), "r");
  if (answers == nullptr) fail("cannot start stockfish");
  std::vector<std::uint64_t> counts;
  std::array<char, 4096> text{};
  while (std::fgets(text.data(), static_cast<int>(text.size()), answers) != nullptr) {
    unsigned long long nodes = 0;
    if (std::sscanf(text.data(), "Nodes searched: %llu", &nodes) == 1) counts.push_back(nodes);
  }
  const int status = pclose(answers);
  std::filesystem::remove(commands);
  if (status != 0) fail("stockfish failed");
  return counts;
}

void fill(const std::string& path, std::uint64_t budget) {
  std::vector<Line> lines = read_suite(path);
  std::uint64_t oracle_total = 0;
  for (Line& line : lines) {
    if (!line.is_position()) continue;
    for (const auto& [depth, nodes] : oracle_counts(line.text, budget)) {
      const auto [known, is_new] = line.nodes.emplace(depth, nodes);
      if (known->second != nodes) {
        fail(line.text + ": D" + std::to_string(depth) + " was " + std::to_string(known->second) +
             ", the oracle says " + std::to_string(nodes));
      }
      oracle_total += nodes;
    }
  }

  const std::vector<std::uint64_t> counts = stockfish_counts(lines);
  std::uint64_t total = 0;
  std::size_t positions = 0;
  std::size_t i = 0;
  for (const Line& line : lines) {
    positions += line.is_position() ? 1 : 0;
    for (const auto& [depth, nodes] : line.nodes) {
      if (i == counts.size()) fail("stockfish stopped at " + line.text);
      if (counts[i] != nodes) {
        fail(line.text + ": D" + std::to_string(depth) + " is " + std::to_string(nodes) +
             ", Stockfish says " + std::to_string(counts[i]));
      }
      total += nodes;
      ++i;
    }
  }
  if (i != counts.size()) fail("stockfish answered too often");
  write_suite(path, lines);
  std::cerr << path << ": " << positions << " positions, " << i << " counts, " << total
            << " leaves, " << oracle_total << " of them by the oracle too\n";
}

// ---------------------------------------------------------------- random positions

// The distributions of the standard library differ between implementations; this class does not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
  void shuffle(std::string& text) {
    for (std::size_t i = text.size(); i > 1; --i) std::swap(text[i - 1], text[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

std::string chess960_array(Random& random) {
  std::string array = "rnbqkbnr";
  while (true) {
    random.shuffle(array);
    const bool bishops_differ = (array.find('b') + array.rfind('b')) % 2 == 1;
    const std::size_t king = array.find('k');
    if (bishops_differ && array.find('r') < king && king < array.rfind('r')) return array;
  }
}

std::string chess960_start(Random& random) {
  const std::string black = chess960_array(random);
  std::string white = chess960_array(random);
  const auto file_letter = [](std::size_t file) { return static_cast<char>('a' + file); };
  std::string rights{file_letter(white.rfind('r')), file_letter(white.find('r'))};
  const auto to_upper = [](std::string& text) {
    for (char& letter : text) letter = static_cast<char>(letter - 'a' + 'A');
  };
  to_upper(white);
  to_upper(rights);
  rights += {file_letter(black.rfind('r')), file_letter(black.find('r'))};
  return black + "/pppppppp/8/8/8/8/PPPPPPPP/" + white + " w " + rights + " - 0 1";
}

void print_play(Random& random, std::size_t count, const std::function<std::string()>& start) {
  for (std::size_t printed = 0; printed < count;) {
    oracle::Position position = oracle::parse(start());
    std::vector<oracle::Move> moves = oracle::legal_moves(position);
    for (std::size_t plies = 4 + random.below(60); plies > 0 && !moves.empty(); --plies) {
      position = oracle::after(position, moves[random.below(moves.size())]);
      moves = oracle::legal_moves(position);
    }
    if (moves.empty()) continue;
    std::cout << oracle::to_fen(position) << '\n';
    ++printed;
  }
}

void print_scatter(Random& random, std::size_t count, const std::string& pieces) {
  for (std::size_t printed = 0; printed < count;) {
    std::string board = "Kk" + pieces + std::string(62 - pieces.size(), '1');
    random.shuffle(board);
    for (std::size_t rank = 7; rank > 0; --rank) board.insert(rank * 8, "/");
    try {
      const oracle::Position position =
          oracle::parse(board + (random.below(2) == 0 ? " w" : " b") + " - - 0 1");
      if (oracle::legal_moves(position).empty()) continue;
      std::cout << oracle::to_fen(position) << '\n';
      ++printed;
    } catch (const std::invalid_argument&) {
      continue;  // most placements are illegal
    }
  }
}

int run(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (mode == "fill" && arguments.size() >= 3) {
    for (std::size_t i = 2; i < arguments.size(); ++i)
      fill(arguments[i], std::stoull(arguments[1]));
    return 0;
  }
  if (arguments.size() < 3) fail("usage: see the head of make_suites.cpp");
  Random random(std::stoull(arguments[1]));
  const std::size_t count = std::stoull(arguments[2]);
  if (mode == "play") {
    print_play(random, count,
               [] { return "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"; });
  } else if (mode == "play960") {
    print_play(random, count, [&] { return chess960_start(random); });
  } else if (mode == "scatter" && arguments.size() == 4) {
    print_scatter(random, count, arguments[3]);
  } else {
    fail("usage: see the head of make_suites.cpp");
  }
  return 0;
}

}  // namespace
}  // namespace manyply

int main(int argc, char** argv) {
  try {
    return manyply::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "make_suites: " << error.what() << '\n';
    return 1;
  }
}
