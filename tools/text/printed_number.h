// Decides from its neighbours whether a number in a printed line is a count, a depth, or something
// else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "tools/text/printed_line.h"

namespace manyply {

/// Names of a count.
inline constexpr std::string_view kCountWords =
    " n node nodes leaf leaves leafs count counts cnt path paths positions subnodes subtree "
    "children "
    "replies ";
/// Names of statistics and similar numbers, in lines without moves.
inline constexpr std::string_view kOtherCounts =
    " time elapsed took ms seconds nps speed rate hash hashfull tt table hits depth seldepth ply "
    "captures "
    "capture checks checkmates mates stalemates promotions promos ep passant moves legal threads "
    "thread key version perft divide searching search start info per ";
/// Words that may stand between a move and its count without changing its meaning.
inline constexpr std::string_view kCommentWords =
    " ep en passant check ch mate checkmate capture castle castling kingside queenside short long "
    "side promotion promotes promoting double push quiet pawn knight bishop rook queen king to "
    "move from and is has gives q r b k promote none null nil true false ";
/// Names of a depth.
inline constexpr std::string_view kDepthWords = " depth seldepth ply plies level iteration ";
/// Names of the total's row, in the column of moves.
inline constexpr std::string_view kTotalRows = " total totals sum all ";

/// Returns whether the tokens from `behind` on turn the number before them into a rate: "/s", "per
/// second".
[[nodiscard]] bool is_per_second(const std::vector<Token>& tokens, std::size_t behind);

/// Returns whether one of `units` follows the number at `at`: "20 nodes", "20 leaf nodes". Not in
/// "depth=2 nodes=20" and "perft 2 leaf nodes: 20", where the word is the next number's name.
[[nodiscard]] bool has_unit(const std::vector<Token>& tokens, std::size_t at,
                            std::string_view units);

/// Whether a number is the depth of a count.
enum class Deepness { kNo, kMaybe, kYes };

/// Returns kYes for the number at `at` in "depth 3", "ply=3", "perft(3)", "3 plies: ", "for 3
/// plies". Returns kMaybe if its neighbours allow both a depth and a count: "positions 1 plies:
/// 20".
[[nodiscard]] Deepness deepness_of(const std::vector<Token>& tokens, std::size_t at);

/// Returns the first number of the line that is a depth, as in "perft(3) = 8902" and "depth 3:
/// 8902"; nullopt if there is no depth.
[[nodiscard]] std::optional<NodeCount> depth_told(const std::vector<Token>& tokens);

/// Returns the number at `at` joined with the groups of three digits that follow it after single
/// spaces, or with the group after its point: "1 234 567", "1.234". Returns nullopt if it has no
/// such groups.
[[nodiscard]] std::optional<NodeCount> grouped(const std::vector<Token>& tokens, std::size_t at);

/// Returns the text of a number and why it is no count: "-20 is negative: …". The token must have a
/// fault.
[[nodiscard]] std::string why_no_count(const Token& number);

}  // namespace manyply
