// Deliberate errors in the counting kernels and in counts by configurations, to prove that the
// quick tests notice each of them.
//
// make_mutants writes copies of these sources in which each place `original` has become a choice:
// the error when its number is the active one, else the original. All errors are thus built once,
// and the environment variable MANYPLY_MUTANT names the one to commit (none when it is not set).
//
// A place is named by its text, which must stand there exactly once, and not by marks in the code:
// a mutant replaces an expression, so each would take two, 1,016 in the 9,000 lines that are read
// most. What marks would spare is small: of 50 changes to the kernels and configurations, 7 had to
// change a text here, and one that is forgotten ends the build.
//
// Not here, because no answer depends on them: that pinned pieces are the replier's own (another
// piece's pin only widens a zone), that castling over own pieces is struck out early (a child still
// has a piece there: the one that took it), and sums above 255 per child (no position is known to
// have so many moves, nor a row of the last two plies); that pawns do not take their own pieces in
// counts by configurations (nobody else's stands there), and that a castling king does not hide
// behind itself (who sees through it gives check).
#pragma once

#include <span>
#include <string_view>

namespace manyply {

/// One error. `original` must stand in `file` exactly once: an expression, or statements that end
/// with a semicolon. An empty `replacement` leaves statements out.
struct Mutant {
  std::string_view name;  ///< what it breaks, in letters and digits
  std::string_view file;  ///< a path, or a name in core/kernels/
  std::string_view original;
  std::string_view replacement;
};

/// Of the kernels. Number n, as in MANYPLY_MUTANT, is element n - 1.
std::span<const Mutant> mutants();

/// Of counts by configurations, numbered on from there.
std::span<const Mutant> configuration_mutants();

}  // namespace manyply
