// Deliberate errors in the counting kernels and in counts by configurations, to prove that the
// quick tests notice each of them.
//
// make_mutants writes copies of the sources in which each `original` text becomes a choice: the
// error if its number is the active one, otherwise the original. So all errors are compiled once,
// and the environment variable MANYPLY_MUTANT selects one (none if it is not set).
//
// A place is named by its text, which must occur exactly once in the file. The code has no marks
// for places. It would need two marks for each expression: 1,016 marks in the 9,000 lines that are
// read most. Marks would save little: of 50 changes to the kernels and configurations, only 7 had
// to change a text here, and the build fails if such a change is forgotten.
//
// The code also has these properties. No error here breaks them, because no result depends on them:
// - pinned pieces belong to the replier (the pin of another piece only widens a zone);
// - castling over own pieces is excluded early (a child still has a piece there: the one that
//   captured it);
// - sums of a child may exceed 255 (no known position, and no row of the last two plies, has more
//   than 255 moves);
// - pawns do not capture their own pieces in counts by configurations (only pieces of the other
//   side are there);
// - a castling king does not hide behind itself (a slider that sees through the king gives check).
#pragma once

#include <span>
#include <string_view>

namespace manyply {

/// One error. `original` must occur in `file` exactly once: an expression, or statements that end
/// with a semicolon. An empty `replacement` removes statements.
struct Mutant {
  std::string_view name;  ///< names the error, in letters and digits
  std::string_view file;  ///< a path, or a name in core/kernels/
  std::string_view original;
  std::string_view replacement;
};

/// Returns the errors in the kernels. Number n of MANYPLY_MUTANT is element n - 1.
std::span<const Mutant> mutants();

/// Returns the errors in counts by configurations. Their numbers continue those of mutants().
std::span<const Mutant> configuration_mutants();

}  // namespace manyply
