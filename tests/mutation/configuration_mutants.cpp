// Errors in counts by configurations: edges, losses, en passant, safety, castling, the last two
// plies in lanes, and numbers that grow too large.
#include <array>

#include "tests/mutation/mutants.h"

namespace manyply {
namespace {

constexpr std::string_view kMoves = "core/configurations/lone_moves.cpp";
constexpr std::string_view kConfiguration = "core/configurations/configuration.h";
constexpr std::string_view kColumns = "core/configurations/columns.cpp";
constexpr std::string_view kColumnsHeader = "core/configurations/columns.h";
constexpr std::string_view kRows = "core/configurations/row_kernel.inc";
constexpr std::string_view kRowsHeader = "core/configurations/row_kernel.h";
constexpr std::string_view kPly = "parallel/matrix/matrix_ply.cpp";
constexpr std::string_view kStage = "parallel/matrix/matrix_stage.cpp";
constexpr std::string_view kParts = "parallel/matrix/matrix_parts.cpp";
constexpr std::string_view kCone = "parallel/matrix/matrix_cone.cpp";
constexpr std::string_view kInParts = "parallel/matrix/matrix_in_parts.cpp";
constexpr std::string_view kLast = "parallel/matrix/last_rows.cpp";
constexpr std::string_view kPlans = "core/configurations/leaf_rows.cpp";
constexpr std::string_view kBlocks = "core/configurations/leaf_columns.cpp";
constexpr std::string_view kLanes = "core/configurations/leaf_moves.inc";
constexpr std::string_view kLeaves = "core/configurations/leaf_kernel.inc";

constexpr auto kMutants = std::to_array<Mutant>({
    // Edges: the moves of a configuration by itself.
    {"edge_pawn_pushes_onto_own", kMoves, "(own_ & bit(once)) == 0", "true"},
    {"edge_double_push_from_elsewhere", kMoves, "relative_rank<Us>(1)", "relative_rank<Us>(2)"},
    {"edge_double_push_onto_own", kMoves, "(own_ & bit(twice)) == 0", "true"},
    {"edge_double_push_jumps", kMoves, "bit(once) | bit(twice)", "bit(twice)"},
    {"edge_leaper_takes_own", kMoves, "targets &= ~own_", "targets &= ~Bitboard{0}"},
    {"edge_slider_jumps", kMoves, "passed |= bit(to);", ""},
    {"edge_slider_takes_own", kMoves, "detail::ray(from, direction, own_) & ~own_",
     "detail::ray(from, direction, own_)"},
    {"edge_castles_over_own", kMoves, "(path.empty & own_) != 0", "false"},
    {"edge_castled_king_keeps_rights", kMoves, "after.castling = 0;", ""},
    {"edge_castled_rook_stays", kMoves, "(after.pieces.rooks_queens & ~bit(rook))",
     "after.pieces.rooks_queens"},
    {"edge_promoted_pawn_stays", kMoves, "base.pieces.pawns ^= bit(move.from);", ""},
    {"edge_promoted_queen_is_a_bishop", kMoves,
     "if (diagonal && orthogonal) after.pieces.rooks_queens |= bit(move.to);", ""},
    {"edge_king_keeps_rights", kMoves, "(before_.pieces.king & from) != 0 ? 0 : ~from", "~from"},
    {"edge_rook_keeps_its_right", kMoves, "(before_.pieces.king & from) != 0 ? 0 : ~from",
     "(before_.pieces.king & from) != 0 ? 0 : ~Bitboard{0}"},
    // Losses.
    {"loss_of_nothing", kColumns, "without(before, pop_lowest(left))",
     "(pop_lowest(left), before)"},
    {"loss_of_another_piece", kColumnsHeader, "popcount(pieces.squares & (bit(square) - 1))", "0"},
    {"loss_keeps_pawns", kConfiguration, "pieces.pawns &= rest;", ""},
    {"loss_keeps_knights", kConfiguration, "pieces.knights &= rest;", ""},
    {"loss_keeps_bishops", kConfiguration, "pieces.bishops_queens &= rest;", ""},
    {"loss_keeps_rooks", kConfiguration, "pieces.rooks_queens &= rest;", ""},
    {"loss_keeps_castling", kConfiguration, "configuration.castling &= rest;", ""},
    // Rows: where moves are possible.
    {"row_moves_onto_pieces", kRows, "is_zero(occupied & (path | to))", "is_zero(occupied & path)"},
    {"row_moves_jump", kRows, "is_zero(occupied & (path | to))", "is_zero(occupied & to)"},
    {"row_captures_jump", kRows, "is_zero(occupied & path) & is_nonzero(occupied & to)",
     "is_nonzero(occupied & to)"},
    {"row_pawns_pass_all_groups_by", kRows, "(in_group[group] & move.captures()) == 0", "true"},
    {"row_groups_forget_pieces", kColumns, "in_group[column / kGroupColumns] |= pieces.all();",
     "in_group[column / kGroupColumns] = pieces.all();"},
    {"row_captures_nothing", kRows, "(columns.somewhere & move.captures()) != 0", "false"},
    {"row_castles_through_attacks", kRows, "path.safe | king", "king"},
    {"row_castles_out_of_check", kRows, "path.safe | king", "path.safe & ~king"},
    // Safety, asked of each pair.
    {"safety_is_not_asked", kPly, "kernel_.drop_illegal(step, rows_[row].pieces, sums);", ""},
    {"safety_knights", kRows, "(load(&columns.knights[first]) & knights)", "all_lanes(0)"},
    {"safety_pawns", kRows, "(load(&columns.pawns[first]) & pawns)", "all_lanes(0)"},
    {"safety_kings", kRows, "(load(&columns.king[first]) & kings)", "all_lanes(0)"},
    {"safety_rooks", kRows, "(load(&columns.rooks_queens[first]) & all_lanes(orthogonal))",
     "all_lanes(0)"},
    {"safety_bishops", kRows, "(load(&columns.bishops_queens[first]) & all_lanes(diagonal))",
     "all_lanes(0)"},
    {"safety_sliders_hide_leapers", kRows, "(load(&columns.knights[first]) & all_lanes(lines[5]))",
     "all_lanes(0)"},
    {"safety_sliders_hide_pawns", kRows,
     "(load(&columns.pawns[first]) & all_lanes(pawn_attacks_of(step.mover, square)))",
     "all_lanes(0)"},
    {"safety_own_pieces_do_not_shield", kRows,
     "load(&columns.occupied[first]) | all_lanes(own) | here",
     "load(&columns.occupied[first]) | here"},
    {"safety_their_pieces_do_not_shield", kRows,
     "load(&columns.occupied[first]) | all_lanes(own) | here", "all_lanes(own) | here"},
    // En passant.
    {"passant_right_of_the_root_is_lost", kPly, "root.en_passant != 0", "false"},
    {"passant_nobody_captures", kPly, "pawn_attacks_of(pusher, passed) & taker.pieces.pawns",
     "Bitboard{0}"},
    {"passant_captured_pawn_stays", kPly, "without(pushed, chance.push.to)", "pushed"},
    {"passant_push_that_is_illegal_gives_rights", kPly, "return sums[chance.column] == 0;",
     "return false;"},
    {"passant_captures_do_not_arrive", kPly, "sums.add(extra.column, extra.paths);", ""},
    {"passant_captures_are_not_passed_on", kStage, "stage.captures = std::move(played.captures);",
     ""},
    {"passant_is_given_beside_nobody", kRows, "all_lanes(beside)", "all_lanes(0)"},
    {"passant_pushes_count_twice", kLast,
     "worker.sums.group(chance.column / kGroupColumns)[chance.column % kGroupColumns] -= "
     "chance.paths;",
     ""},
    // Numbers that grow too large.
    {"overflow_of_sums_is_not_seen", kRows, "sums.note(all_bits(all));", ""},
    {"overflow_of_rows_is_not_refused", kPly, "sums.overflows()", "false"},
    {"overflow_of_15_bits_by_group", kLast, "any <= kMostHalf", "any <= 0xFFFFF"},
    {"overflow_of_15_bits_by_column", kLast, "from <= kMostHalf", "from <= 0xFFFFF"},
    {"overflow_of_15_bits_in_a_block", kLeaves, "too_many(any) != 0", "false"},
    {"overflow_of_30_bits_in_a_block", kLeaves, "wide && !sum_upper_halves(block)",
     "wide && (sum_upper_halves(block), false)"},
    {"halves_above_are_not_kept", kLast,
     "upper[at] = static_cast<std::uint16_t>(number >> kHalfBits);", ""},
    {"halves_carry_nothing", kLeaves,
     "upper = add_in(~std::uint64_t{0}, upper, highest_bit(lower));", ""},
    {"halves_above_are_not_added", kLeaves,
     "if (chunk_.upper != nullptr) upper = add_in(open, upper, "
     "load_words(&scratch_.upper[at]));",
     ""},
    {"halves_above_are_added_where_moves_are_not_possible", kLeaves,
     "add_in(open, upper, load_words(&scratch_.upper[at]))",
     "add_in(~std::uint64_t{0}, upper, load_words(&scratch_.upper[at]))"},
    {"halves_above_are_those_below", kLeaves, "leaves.upper.total()", "leaves.lower.total()"},
    {"halves_above_make_no_pair", kLeaves,
     "if (wide) lanes |= nonzero(load_words(&scratch_.upper_by_row[row * kBlockColumns]));", ""},
    {"halves_above_are_lost_where_checks_and_pins_meet", kLeaves, "wide ? upper[lane] : 0", "0"},
    {"halves_above_are_lost_one_by_one", kLeaves,
     "joined_halves(lower - kHasUpperHalf, scratch_.upper[at])", "lower - kHasUpperHalf"},
    // Parts, and what leads to them.
    {"parts_have_all_rows", kInParts, "parts.part_of(row) == part", "true"},
    {"parts_have_all_captures_en_passant", kCone, "parts_->part_of(taker) == part", "true"},
    {"parts_above_64_are_forgotten", kParts, "to[part / kBits] |= Word{1} << part % kBits",
     "to[0] |= Word{1} << part % kBits"},
    {"parts_that_are_split_take_cells_of_others", kParts,
     "if (part_[cell] != part) table[cell] = kNoPart;", ""},
    {"cone_forgets_what_is_captured", kParts, "taken_[number]", "Bitboard{0}"},
    {"cone_forgets_what_is_captured_above", kParts, "below_->once_robbed_[*number * words_ + word]",
     "0"},
    {"cone_keeps_no_capture", kParts, "squares |= bit(square);", ""},
    {"cone_sees_with_the_wrong_side", kCone, "sight_of(columns[column], ~mover_)",
     "sight_of(columns[column], mover_)"},
    {"cone_loses_pawns_taken_en_passant", kCone, "return leads.leads(each.robbed, part);",
     "return false;"},
    {"cone_loses_pushes_that_are_answered", kCone, "level.taken[row] |= bit(chance.push.to);", ""},
    {"cone_loses_captures_en_passant_of_its_base", kCone,
     "return leads_[level]->is_wanted(each.taker, part);", "return false;"},
    {"cone_loses_captures_en_passant_above", kCone, "leads_[below - 1]->is_wanted(taker, part)",
     "false"},
    {"cone_loses_what_is_captured_below", kCone, "below.taken.push_back(all_but_king(step.after));",
     "below.taken.push_back(0);"},
    {"cone_has_first_columns_twice", kStage,
     "if (kept_.back() != kNone) comes_first[kept_.back()] = 1;", ""},
    {"slices_begin_too_early", kStage, "group >= slice_begin[slice + 1]",
     "group > slice_begin[slice + 1]"},
    {"slices_leave_rows_without_room", kStage, "slice.end_group * kGroupColumns", "std::size_t{0}"},
    // Pairs for the kernel.
    {"pairs_lose_castling_of_rows", kRows, "load(rights) | castling", "load(rights)"},
    {"pairs_lose_castling_of_columns", kRows, "load(rights) | castling", "castling"},
    {"pairs_keep_an_old_passant_right", kRows, "store(&words[kEnPassantWord][i], all_lanes(0));",
     ""},
    {"pairs_that_wait_on_are_lost", kRowsHeader, "size -= count;", "size = 0;"},
    // Values carried back.
    {"back_moves_bring_nothing", kRows, "keep(open, load(below + first))", "all_lanes(0)"},
    {"back_captures_bring_nothing", kRows,
     "values[here + lane] += below[step.losses.of(first + lane, move.to)];", ""},
    {"back_pawns_pass_all_groups_by", kRows,
     "(columns.in_group[row.groups[i]] & move.captures()) == 0", "true"},
    {"back_passant_is_forgotten", kLast,
     "if (more != 0) divide.take_more(each.edge, each.column, more);", ""},
    {"back_rows_are_forgotten", kLast, "divide.take_row(end.row, leaves_.data());", ""},
    // The last two plies: the first of them.
    {"leaf_moves_jump", kLeaves, "all & ~lanes_with(occupied, path.empty)", "all"},
    {"leaf_captures_nothing", kLeaves, "open &= standing_[index_of(path.captured)];", "open = 0;"},
    {"leaf_castles_through_attacks", kLeaves, "path.safe | king", "king"},
    {"leaf_castles_out_of_check", kLeaves, "path.safe | king", "path.safe & ~king"},
    {"leaf_pawns_capture_nothing_as_a_move", kBlocks, "move.kind != LoneMove::Kind::kPawnCapture",
     "true"},
    {"leaf_moves_onto_pieces", kBlocks, "move.path | move.captures()", "move.path"},
    {"leaf_leaves_the_king_in_check", kLeaves,
     "lanes &= ~illegal_lanes(plan, block, tables, columns_.slots());", ""},
    {"leaf_check_by_leapers", kLanes, "(kKnightAttacks[k] & pieces.knights)", "Bitboard{0}"},
    {"leaf_check_by_pawns", kLanes, "(pawn_attacks_of(~row.side, king) & pieces.pawns)",
     "Bitboard{0}"},
    {"leaf_check_through_pieces", kLanes,
     "lanes & at_least(tables.piece(slots.of[ray_number(king, direction)]),\n"
     "                                  static_cast<std::uint8_t>(distance))",
     "lanes"},
    {"leaf_singly_in_check", kLeaves,
     "paths == 0 || attacks(configuration.pieces, side_, lowest(moved.king),\n"
     "                                  configuration.pieces.all() | moved.all())",
     "paths == 0"},
    // En passant there.
    {"leaf_passant_is_not_counted", kLeaves, "count_en_passant();", ""},
    {"leaf_passant_pushes_are_not_listed", kBlocks, "step.move.kind == LoneMove::Kind::kDoublePush",
     "false"},
    {"leaf_passant_push_that_is_illegal_gives_rights", kLeaves,
     "attacks(row.pieces, side_, lowest(pushed.pieces.king),\n"
     "                row.pieces.all() | pushed.pieces.all())",
     "false"},
    {"leaf_passant_uncovers_the_own_king", kLeaves,
     "!attacks(robbed, columns_.mover(), lowest(taker.king), taker.all() | robbed.all())", "true"},
    {"leaf_passant_captured_pawn_stays", kLeaves, "without(pushed, push.move.to).pieces",
     "pushed.pieces"},
    // The second of them: attacks and king.
    {"leaf_attacks_by_leapers", kLanes, "block.stepping[guarded.square]", "0"},
    {"leaf_attacks_by_any_piece", kLanes,
     "sliders[test.slot] & at_most(piece(test.slot), test.length)",
     "at_most(piece(test.slot), test.length)"},
    {"leaf_attacks_from_afar", kLanes,
     "sliders[test.slot] & at_most(piece(test.slot), test.length)", "sliders[test.slot]"},
    {"leaf_king_steps_into_attacks", kLanes,
     "subtract_in(attacked_lanes(plan.squares[i], block, tables), moves, one)", "moves"},
    {"leaf_king_takes_own", kPlans, "king_attacks(king) & ~own", "king_attacks(king)"},
    {"leaf_king_hides_behind_itself", kPlans, "own ^ configuration.pieces.king", "own"},
    {"leaf_castles_in_check", kLanes,
     "checked | lanes_with(block.occupied, castling.empty & block.any_piece)",
     "lanes_with(block.occupied, castling.empty & block.any_piece)"},
    {"leaf_castles_over_pieces", kLanes,
     "checked | lanes_with(block.occupied, castling.empty & block.any_piece)", "checked"},
    {"leaf_castles_over_attacked_squares", kLanes,
     "barred |= attacked_lanes(plan.squares[way], block, tables);", ""},
    {"leaf_castles_with_the_shielding_rook", kLanes, "barred |= tables.attacking(castling.shield);",
     ""},
    {"leaf_castles_over_own", kPlans, "(path.empty & own) != 0", "false"},
    // Its pawns and sliders.
    {"leaf_pawns_push_onto_pieces", kLanes, "pawns.single & block.any_piece", "Bitboard{0}"},
    {"leaf_double_push_jumps", kLanes, "block.occupied[static_cast<std::size_t>(square + back)]",
     "0"},
    {"leaf_double_push_over_own", kPlans, "forward<Us>(plan.single & relative_rank<Us>(2)) & ~own",
     "forward<Us>(plan.single & relative_rank<Us>(2))"},
    {"leaf_pawns_take_nothing", kLanes, "captures & block.any_piece", "Bitboard{0}"},
    {"leaf_promotion_counts_once", kLanes, "(bit(square) & last_rank) != 0 ? 4 : 1", "1"},
    {"leaf_sliders_pass_pieces", kLeaves, "least(tables.piece(ray.slot), all_bytes(ray.length))",
     "all_bytes(ray.length)"},
    {"leaf_sliders_pass_own", kLeaves, "least(tables.piece(ray.slot), all_bytes(ray.length))",
     "tables.piece(ray.slot)"},
    // Its pins.
    {"leaf_pins", kLeaves, "pinned |= here;", ""},
    {"leaf_pins_past_another_piece", kLeaves,
     "if (pin.near > 1) here &= at_least(tables.piece(pin.slot), pin.near);", ""},
    {"leaf_pinned_slider_leaves_its_line", kLanes,
     "ray.square != square || on_one_line(ray.direction, direction)", "true"},
    {"leaf_pinned_slider_is_stuck", kLanes,
     "ray.square != square || on_one_line(ray.direction, direction)", "ray.square != square"},
    {"leaf_pinned_pawn_may_not_push", kLanes, "!on_one_line(direction, kNorth)", "true"},
    {"leaf_pinned_pawn_pushes_off_its_line", kLanes, "!on_one_line(direction, kNorth)", "false"},
    {"leaf_pinned_pawn_may_not_take_the_pinner", kLanes,
     "(ray_of(square, direction) & bit(target)) != 0", "false"},
    // Its checks.
    {"leaf_double_check_is_answered", kLanes, "checked & ~twice", "checked"},
    {"leaf_check_is_ignored", kLeaves,
     "moves = put_in(checked, moves, count_evasions(plan, block, tables, checked));", ""},
    {"leaf_checked_and_pinned_count_twice", kLeaves, "lanes &= ~(checked & pinned);", ""},
    {"leaf_checker_is_not_taken_by_pawns", kLanes,
     "moves = add_in(taking, moves, all_bytes(way.if_taking));", ""},
    {"leaf_check_is_blocked_by_captures", kLanes,
     "moves = add_in(taking, moves, all_bytes(way.if_taking));",
     "moves = add_in(lanes, moves, all_bytes(way.if_taking));"},
    {"leaf_check_is_not_blocked_by_pawns", kLanes,
     "moves = add_in(lanes & ~taking, moves, all_bytes(way.if_empty));", ""},
    {"leaf_checker_is_taken_by_a_push", kLanes,
     "moves = add_in(lanes & ~taking, moves, all_bytes(way.if_empty));",
     "moves = add_in(lanes, moves, all_bytes(way.if_empty));"},
    {"leaf_check_is_blocked_by_jumping", kLanes, "lanes & ~taking & ~block.occupied[way.passed]",
     "lanes & ~taking"},
    {"leaf_check_is_not_blocked_by_double_pushes", kPlans, "way.if_passed = 1;", ""},
    {"leaf_check_is_not_answered_by_knights", kPlans,
     "narrow(popcount(knight_attacks(square) & pieces.knights))", "narrow(0)"},
    {"leaf_check_is_answered_through_pieces", kLanes,
     "lanes & at_least(tables.piece(slider.slot), slider.distance)", "lanes"},
});

}  // namespace

std::span<const Mutant> configuration_mutants() { return kMutants; }

}  // namespace manyply
