// What a number of a printed line is: a count, a depth, or something else, as its neighbours say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "tools/text/printed_line.h"

namespace manyply {

/// The names of a count.
inline constexpr std::string_view kCountWords =
    " n node nodes leaf leaves leafs count counts cnt path paths positions subnodes subtree "
    "children "
    "replies ";
/// Statistics and such, in lines without moves.
inline constexpr std::string_view kOtherCounts =
    " time elapsed took ms seconds nps speed rate hash hashfull tt table hits depth ply captures "
    "capture checks checkmates mates stalemates promotions promos ep passant moves legal threads "
    "thread key version perft divide searching search start info per ";
/// What may stand between a move and its count without meaning anything else.
inline constexpr std::string_view kCommentWords =
    " ep en passant check ch mate checkmate capture castle castling kingside queenside short long "
    "side promotion promotes promoting double push quiet pawn knight bishop rook queen king to "
    "move from and is has gives q r b k promote none null nil true false ";
inline constexpr std::string_view kDepthWords = " depth ply plies level iteration ";
/// What stands in a table's column of moves in the row of the total.
inline constexpr std::string_view kTotalRows = " total totals sum all ";

[[nodiscard]] bool is_per_second(const std::vector<Token>& tokens, std::size_t behind);

/// Whether the number at `at` has one of `units` behind it: "20 nodes", "20 leaf nodes", but not
/// "depth=2 nodes=20" or "perft 2 leaf nodes: 20", where that is the next number's name.
[[nodiscard]] bool has_unit(const std::vector<Token>& tokens, std::size_t at,
                            std::string_view units);

/// Whether the number at `at` says how deep was counted.
enum class Deepness { kNo, kMaybe, kYes };

/// "depth 3", "ply=3", "perft(3)", "3 plies: ", "for 3 plies". It may be one, or a count, where its
/// neighbours can be read in both ways: "positions 1 plies: 20".
[[nodiscard]] Deepness deepness_of(const std::vector<Token>& tokens, std::size_t at);

/// "perft(3) = 8902", "depth 3: 8902": the number that is told as the depth, if one is.
[[nodiscard]] std::optional<NodeCount> depth_told(const std::vector<Token>& tokens);

/// The number at `at` with the groups of three digits that follow it between single spaces, or
/// with the one behind its point: "1 234 567", "1.234".
[[nodiscard]] std::optional<NodeCount> grouped(const std::vector<Token>& tokens, std::size_t at);

/// "-20 is negative: …", of a number that has a fault.
[[nodiscard]] std::string why_no_count(const Token& number);

}  // namespace manyply
