// Reads what a program says about itself in the UCI handshake, and recognizes other lines that are
// no answers.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace manyply {

/// The first text that is sent. Programs that do not know UCI print nothing, or complain.
inline constexpr const char* kGreeting = "uci\nisready\n";

/// The answer to the greeting.
struct Greeting {
  std::string name;  ///< printable; empty if the program gives no name
  bool offers_chess960 = false;
  bool says_uci = false;
  bool says_ready = false;

  /// Reads a line of the answer. Returns whether the line belongs to the UCI handshake, so that
  /// more lines will follow.
  bool take(const std::string& line) {
    if (line.starts_with("id name ") && line.size() > 8) {
      name = line.substr(8);
      std::ranges::replace_if(name, [](char c) { return c < ' ' || c > '~'; }, '?');
    }
    if (line.starts_with("option name UCI_Chess960")) offers_chess960 = true;
    if (line == "uciok") says_uci = true;
    if (line == "readyok") says_ready = true;
    return line.starts_with("id ") || line.starts_with("option ") || line == "uciok";
  }
};

/// Returns whether the line complains about an unknown command: "Unknown command: 'go perft 1'",
/// "Error (unknown command): uci", "Illegal move: perft".
[[nodiscard]] bool is_complaint(std::string_view line);

/// Returns whether the line is a rank of a board: eight squares, each of them empty, a dot or a
/// piece, with or without bars between them and the number of the rank beside them.
[[nodiscard]] bool is_board_rank(std::string_view line);

}  // namespace manyply
