// Says with the oracle which parts of a move generator a position tests: the tags of
// tools/suites/corpus.epd.
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

/// Returns all tags. A tag depends only on the root and on the positions after one move, so a depth
/// of 1 or 2 reveals most mistakes.
[[nodiscard]] const std::vector<Tag>& all();

/// Returns the names of the tags of `position`, in the order of all().
[[nodiscard]] std::vector<std::string_view> of(const oracle::Position& position);

/// Returns the pieces that give check to the side to move: the pieces that still give check if all
/// other enemy pieces are replaced by pieces of the side to move.
[[nodiscard]] std::vector<oracle::Square> checking_pieces(const oracle::Position& position);

}  // namespace manyply::tags
