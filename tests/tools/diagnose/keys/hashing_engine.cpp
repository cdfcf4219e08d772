// An engine that shows Zobrist keys with planted faults; see planted_keys.h.
//
//   hashing_engine [FAULT+FAULT…|none [SCHEME [STYLE]]]   UCI on standard input; `d` shows the key
//   hashing_engine FAULT SCHEME once FEN [MOVES]          shows one key and ends
//
// Styles:
//   hex                 "Key: 8F…", 16 digits
//   0x                  "Zobrist: 0x…", no leading zeros
//   decimal, signed     the key as a decimal number
//   two                 two numbers that may be the key
//   print               understands `print` instead of `d`
//   plain               no UCI
//   crash               crashes after 500 positions
//   deaf                hangs
//   none                shows no key
//   stale               if there are no pawns, shows the previous key
//   late, plain-late    reads nothing until three positions have arrived
//   later               the same, and waits a second after the eighth position
#include <chrono>
#include <cstdio>
#include <deque>
#include <iostream>
#include <thread>
#include <utility>

#include "tests/tools/diagnose/keys/planted_keys.h"

namespace {

std::string shown(std::uint64_t key, const std::string& style) {
  char text[64];
  if (style == "0x") {
    std::snprintf(text, sizeof text, "Zobrist: 0x%llx", static_cast<unsigned long long>(key));
  } else if (style == "decimal") {
    std::snprintf(text, sizeof text, "hash = %llu", static_cast<unsigned long long>(key));
  } else if (style == "signed") {
    std::snprintf(text, sizeof text, "hash key: %lld", static_cast<long long>(key));
  } else {
    std::snprintf(text, sizeof text, "Key: %016llX", static_cast<unsigned long long>(key));
  }
  return text;
}

/// Takes the next line from `read`; if `read` is empty, from standard input.
bool next_line(std::deque<std::string>& read, std::string& line) {
  if (read.empty()) return static_cast<bool>(std::getline(std::cin, line));
  line = std::move(read.front());
  read.pop_front();
  return true;
}

/// Reads without answering until this number of positions has arrived.
void await_positions(int count, std::deque<std::string>& read) {
  for (std::string line; count > 0 && std::getline(std::cin, line); read.push_back(line))
    if (line.starts_with("position fen ")) --count;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, const char* otherwise) {
    return std::string(argc > i ? argv[i] : otherwise);
  };
  std::string style = argument(3, "hex");
  const manyply::PlantedKeys keys(argument(1, "none"), argument(2, "polyglot"));
  if (style == "once") {
    std::cout << shown(keys.key(argument(4, ""), argument(5, "")), "hex") << '\n';
    return 0;
  }
  std::deque<std::string> lines;
  if (style.ends_with("late") || style == "later") {
    await_positions(style == "later" ? 8 : 3, lines);
    if (style == "later") std::this_thread::sleep_for(std::chrono::seconds(1));
    style = style == "plain-late" ? "plain" : "hex";
  }
  std::string fen;
  std::string moves;
  std::uint64_t last = 0;
  int asked = 0;
  for (std::string line; next_line(lines, line);) {
    if (line == "uci" && style != "plain") {
      std::cout << "id name Hashing Engine\nuciok\n" << std::flush;
    } else if (line == "isready" && style != "plain") {
      std::cout << "readyok\n" << std::flush;
    } else if (line == "quit") {
      return 0;
    } else if (line.starts_with("position fen ")) {
      const std::size_t at = line.find(" moves ");
      fen = line.substr(13, at == std::string::npos ? at : at - 13);
      moves = at == std::string::npos ? "" : line.substr(at + 7);
    } else if (line == (style == "print" ? "print" : "d")) {
      if (style == "crash" && ++asked > 500) std::abort();
      if (style == "deaf") continue;
      if (style != "stale" || fen.find_first_of("pP") < fen.find(' ')) last = keys.key(fen, moves);
      std::cout << " +---+---+\n | r | n |  8\n\nFen: " << fen << '\n';
      if (style != "none") std::cout << shown(last, style) << '\n';
      if (style == "two") std::cout << "Pawn key: " << std::hex << last * 3 << std::dec << '\n';
      std::cout << "Checkers:\n" << std::flush;
    } else {
      std::cout << "Unknown command: " << line << '\n' << std::flush;
    }
  }
}
