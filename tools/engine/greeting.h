// What a program says of itself when it is asked for UCI, and what else it prints that is no
// answer.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace manyply {

/// Sent first of all. What knows no UCI says nothing, or complains.
inline constexpr const char* kGreeting = "uci\nisready\n";

struct Greeting {
  std::string name;  ///< empty if it tells none; printable
  bool offers_chess960 = false;
  bool says_uci = false;
  bool says_ready = false;

  /// Reads a line of the answer; whether it is one of UCI, so that there is more to wait for.
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

/// Whether a program says with this line that it does not know what it was told: "Unknown command:
/// 'go perft 1'", "Error (unknown command): uci", "Illegal move: perft".
[[nodiscard]] bool is_complaint(std::string_view line);

/// Whether the line is a rank of a board: eight squares, each of them empty, a dot or a piece, with
/// or without lines between them and the rank's number beside them.
[[nodiscard]] bool is_board_rank(std::string_view line);

}  // namespace manyply
