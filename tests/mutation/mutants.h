// Deliberate errors in the counting kernels, to prove that the quick tests notice each of them.
//
// make_mutants writes copies of core/'s kernels in which each place `original` has become a choice:
// the error when its number is the active one, else the original. All errors are thus built once,
// and the environment variable MANYPLY_MUTANT names the one to commit (none when it is not set).
//
// Not here, because no answer depends on them: that pinned pieces are the replier's own (another
// piece's pin only widens a zone), that castling over own pieces is struck out early (a child still
// has a piece there: the one that took it), and sums above 255 per child (no position is known to
// have so many moves).
#pragma once

#include <span>
#include <string_view>

namespace manyply {

/// One error. `original` must stand in `file` exactly once: an expression, or statements that end
/// with a semicolon. An empty `replacement` leaves statements out.
struct Mutant {
  std::string_view name;  ///< what it breaks, in letters and digits
  std::string_view file;  ///< in core/
  std::string_view original;
  std::string_view replacement;
};

/// Number n, as in MANYPLY_MUTANT, is element n - 1.
std::span<const Mutant> mutants();

}  // namespace manyply
