// Formats a finished count as a document, text, CSV, EPD or Stockfish's output.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/line.h"
#include "core/position.h"
#include "parallel/jobs/job.h"
#include "tools/report/question.h"

namespace manyply {

/// Returns the document of `report` for `root` at `depth`. If `with_divide`, the document lists the
/// root moves.
[[nodiscard]] std::string count_document(const Report& report, const Line& root, Depth depth,
                                         bool with_divide = true);
/// Returns a description of how a count used a device, as JSON for its document.
[[nodiscard]] nlohmann::ordered_json device_use_json(const DeviceUse& use);

// These functions return the complete output, including the last line end. They throw if the
// document is invalid.

[[nodiscard]] std::string count_text(const nlohmann::ordered_json& document,
                                     const Presentation& how);

// These functions accept documents of counts and of statistics, which have the same members "fen",
// "depth", "nodes" and "divide".

[[nodiscard]] std::string divide_csv(const nlohmann::ordered_json& document,
                                     const Presentation& how);
[[nodiscard]] std::string divide_as_stockfish(const nlohmann::ordered_json& document,
                                              const Presentation& how);
[[nodiscard]] std::string count_epd(const nlohmann::ordered_json& document,
                                    const Presentation& how);
/// Returns the root moves and their counts. Error kInvalidInput: the document is invalid, lists no
/// moves, or lists a move that `root` does not have.
Result<std::vector<DivideEntry>> divide_in(std::string_view document, const NamedPosition& root);

/// Returns the divide in the format of the debugger perftree: lines with a move and its count, an
/// empty line, and the total.
[[nodiscard]] std::string divide_as_perftree(std::string_view document);

/// Return the header and a row of the table that `--loop` prints as text. The table has one row per
/// depth.
[[nodiscard]] std::string loop_header();
[[nodiscard]] std::string loop_row(std::string_view document);

// Adds details to a divide: the position after each move, and the replies to each move.

/// The details that the user asked for.
struct DivideDetails {
  int plies = 1;      ///< 2: also list the replies to each move
  bool fens = false;  ///< also show the FEN after each move

  /// Returns whether any details are requested.
  [[nodiscard]] bool any() const { return plies > 1 || fens; }
};

/// Counts the position after a root move. The line ends with this move. The depth is the depth of
/// the root's divide minus one ply, and at least 1. Returns the document, with a divide.
using CountedDocument = std::function<Result<std::string>(const Line&)>;

/// Adds details of each move to `document`, the document of a divide of `line`. Returns the result.
/// Each row of the divide gets the requested members: "fen", and "divide" with the replies that
/// `count` returns for the position after the move. Errors: those of `count`; kInternal if the
/// replies do not add up to the count of the move.
Result<std::string> detailed(const std::string& document, const Line& line,
                             const DivideDetails& details, const CountedDocument& count);

// Formats the hash table's settings and counters as text and JSON.

/// Adds "hash_bytes", "key_seed", "key_bits", "expected_false_matches" and "table" to `json`. If
/// the count used no table, their values are zeros and nulls.
void add_hash_json(const Report& report, nlohmann::ordered_json& json);

/// Returns lines about the hash table, and its counters for each remaining depth. The document must
/// have the members that add_hash_json() adds. Throws the JSON library's exceptions if the document
/// is invalid.
[[nodiscard]] std::string hash_text(const nlohmann::ordered_json& document);

// The order in which Stockfish lists the moves of a position. Some tools compare the output of
// Stockfish line by line.

/// Returns the legal moves of `position` in the order of Stockfish 15.1. If the last move was a
/// double push, `passed` is the square that the pawn passed, whether or not an en passant capture
/// is possible there (see Line).
[[nodiscard]] std::vector<Move> stockfish_order(const Position& position,
                                                std::optional<Square> passed);

}  // namespace manyply
