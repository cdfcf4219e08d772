// Uses the oracle to find out which parts of a move generator a position tests. Each part is a tag
// in tools/suites/corpus.epd.
#pragma once

#include <string_view>
#include <vector>

#include "tests/support/oracle.h"

namespace manyply::tags {

/// A position and its moves, the input of all tags.
struct Root {
  explicit Root(const oracle::Position& root)
      : position(root), legal(legal_moves(root)), candidates(candidate_moves(root)) {}
  oracle::Position position;
  std::vector<oracle::Move> legal;
  std::vector<oracle::Move> candidates;
};

struct Tag {
  std::string_view name;
  std::string_view words;  ///< describes the positions with this tag
  bool (*holds)(const Root&);
};

/// Returns all tags. A tag depends only on the moves of the root and of the positions after one
/// move, so perft at depth 1 or 2 reveals most mistakes.
[[nodiscard]] const std::vector<Tag>& all();

/// Returns the names of the tags of `position`, in the order of all().
[[nodiscard]] std::vector<std::string_view> of(const oracle::Position& position);

/// Returns the squares of the pieces that give check to the side to move. A piece is one of them if
/// it still gives check after all other enemy pieces are replaced by pawns of the side to move.
[[nodiscard]] std::vector<oracle::Square> checking_pieces(const oracle::Position& position);

}  // namespace manyply::tags
