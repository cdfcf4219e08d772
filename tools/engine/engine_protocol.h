// Declares what is needed to ask a program: the user's description of the program, templates of
// questions, the interface of a program under test, and the UCI greeting.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/line.h"
#include "tools/text/engine_answer.h"

// The description of an engine: its command, and how to ask it.

namespace manyply {

/// The protocol of an engine.
enum class Dialect : std::uint8_t {
  kAuto,
  /// Reads `position fen FEN moves MOVES` and `go perft N`, as Stockfish does. Prints a divide, or
  /// only a total. The UCI handshake is optional.
  kStockfish,
  kDivide,  ///< like kStockfish, but with `divide N`
  kPerft,   ///< like kStockfish, but with `perft N`
  kXboard,  ///< reads `setboard FEN`, and `divide N` or `perft N`
  /// The command is run as `CMD DEPTH FEN [MOVES]` and prints a divide or a total. This is the
  /// protocol of the debugger perftree.
  kLines,
  /// The command is run as `CMD FEN DEPTH VALUE` and exits with 0 if the count is VALUE. This is
  /// JudDperft's protocol.
  kJudDperft,
  kAsk,  ///< EngineSpec::ask is sent to the program
  kRun,  ///< EngineSpec::command is started again for each question
};

/// Returns the name of a protocol for flags and messages.
[[nodiscard]] std::string_view to_string(Dialect dialect);

struct EngineSpec {
  /// A shell command. If it contains {fen}, the command is run once for each question.
  std::string command;
  std::string ask{};  ///< text sent for each question; if empty, `dialect` defines it
  Dialect dialect = Dialect::kAuto;
  double timeout_seconds = 60;  ///< time limit of each answer, in seconds
};

// Templates of questions. In a template, {fen}, {moves} and {depth} stand for the values of a
// question.

inline constexpr std::string_view kFenPlace = "{fen}";
inline constexpr std::string_view kMovesPlace = "{moves}";
inline constexpr std::string_view kDepthPlace = "{depth}";

/// Returns whether `text` contains `place`.
[[nodiscard]] inline bool has_place(std::string_view text, std::string_view place) {
  return text.find(place) != std::string_view::npos;
}

/// Returns the shell command `command` with every `place` replaced by `value`. Each inserted value
/// is one shell word: it gets quotes unless `place` already has them. Precondition: `value` has no
/// characters that are special between quotes; FENs and moves have none.
[[nodiscard]] std::string with_word(std::string command, std::string_view place,
                                    const std::string& value);

/// Returns the lines that ask a running program. If `ask` has no {fen}, the lines begin with a UCI
/// position command. The two characters \n in `ask` become a line end.
[[nodiscard]] std::string asked_in_words(const std::string& ask, const std::string& fen,
                                         const std::string& moves, int depth);

// The interface of a program under test, through which the search for mistakes asks the program.
// The program may be an engine, a script or another source.

/// A program that can be asked for divides and totals. Errors of its functions: kUnavailable if the
/// program fails, kCancelled after a stop request. Not thread-safe.
class AskedProgram {
 public:
  /// A program's count, compared with ours.
  struct Verdict {
    bool agrees = false;
    /// The program's total, or the sum of its rows; nullopt if the program only says whether a
    /// number is right.
    std::optional<NodeCount> total{};
    /// Lines that were not understood. If there are any, `agrees` is meaningless.
    std::vector<UnreadLine> unread{};
    /// See EngineAnswer::passed_over.
    std::vector<UnreadLine> passed_over{};
    /// The whole answer. If the program lists moves, the answer contains these moves.
    EngineAnswer answer{};
  };

  AskedProgram() = default;
  virtual ~AskedProgram() = default;
  AskedProgram(const AskedProgram&) = delete;
  AskedProgram& operator=(const AskedProgram&) = delete;

  /// Returns whether the program lists moves. If not, the program prints only totals.
  [[nodiscard]] virtual bool divides() const = 0;
  /// Returns whether the program plays the moves of a line. If not, it gets each position as a FEN.
  [[nodiscard]] virtual bool plays_moves() const = 0;
  /// Returns the divide at `depth`. Preconditions: `depth` is at least 1, and divides() is true.
  virtual Result<EngineAnswer> divide(const Line& line, Depth depth) = 0;
  /// Asks the program for its count and compares the count with `ours`.
  virtual Result<Verdict> check(const Line& line, Depth depth, NodeCount ours) = 0;
  /// Returns an error if an answer contradicts itself: its total differs from the sum of its rows,
  /// or the sum exceeds 128 bits.
  [[nodiscard]] virtual std::optional<Error> contradiction(const EngineAnswer& answer) const = 0;
  /// Returns the number of questions so far.
  [[nodiscard]] virtual int questions() const = 0;
  /// Returns the position of the question before the last one; nullopt if there were fewer than two
  /// questions.
  [[nodiscard]] virtual const std::optional<Line>& asked_before() const = 0;
};

// Reads the UCI handshake, and recognizes other lines that are not answers.

/// The first text that is sent. Programs that do not know UCI print nothing or an error message.
inline constexpr const char* kGreeting = "uci\nisready\n";

/// The answer to the greeting.
struct Greeting {
  std::string name;  ///< printable; empty if the program gives no name
  bool offers_chess960 = false;
  bool says_uci = false;
  bool says_ready = false;

  /// Reads a line of the answer. Returns whether the line belongs to the UCI handshake. After such
  /// a line, more lines will follow.
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

/// Returns whether the line is a rank of a board: eight squares, each of which has a piece or a
/// mark such as a dot. If there are bars between the squares, a square may also be blank. A rank
/// number is optional.
[[nodiscard]] bool is_board_rank(std::string_view line);

}  // namespace manyply
