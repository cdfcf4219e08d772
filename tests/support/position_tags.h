// What a position tries of a move generator, by the oracle: the tags of tools/suites/corpus.epd.
#pragma once

#include <string_view>
#include <vector>

#include "tests/support/oracle.h"

namespace manyply::tags {

/// A position and its moves, as tags look at them.
struct Root {
  explicit Root(const oracle::Position& root)
      : position(root), legal(legal_moves(root)), candidates(candidate_moves(root)) {}
  oracle::Position position;
  std::vector<oracle::Move> legal;
  std::vector<oracle::Move> candidates;
};

struct Tag {
  std::string_view name;
  std::string_view words;  ///< what the position has
  bool (*holds)(const Root&);
};

/// Every tag there is. All of them look at the root and at what one move leads to, so that a depth
/// of 1 or 2 shows most mistakes.
[[nodiscard]] const std::vector<Tag>& all();

/// The names of those that hold, in the order of all().
[[nodiscard]] std::vector<std::string_view> of(const oracle::Position& position);

/// The pieces that give check to the side to move: those that still do when every other enemy is
/// taken for a piece of its own.
[[nodiscard]] std::vector<oracle::Square> checking_pieces(const oracle::Position& position);

}  // namespace manyply::tags
