// Suites: positions, each with the counts that somebody expects of it, in all forms that people
// publish.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/epd.h"
#include "core/result.h"

namespace manyply {

struct SuiteLine {
  int number;  ///< in the file, from 1
  EpdRecord record;
  std::vector<std::string> tags;  ///< names of what it tries of a move generator, if the file says
  std::string name = {};          ///< what the file calls it, in one line
};

/// A line that was not understood, or whose position no chess has.
struct RefusedLine {
  int number;
  Error error;  ///< names a field, and its column in the line
};

/// Lines that were refused: a file of another kind has nothing else.
struct RefusedLines {
  static constexpr std::size_t kMostTold = 100;

  std::size_t count = 0;
  /// Those whose positions no chess has, by what is wrong with them: "placement", "castling".
  std::map<std::string, std::size_t> illegal = {};
  std::vector<RefusedLine> told;  ///< the first ones of them

  void add(RefusedLine line) {
    ++count;
    if (line.error.code == ErrorCode::kIllegal) ++illegal[line.error.field];
    if (told.size() < kMostTold) told.push_back(std::move(line));
  }
  [[nodiscard]] bool any() const { return count > 0; }
  [[nodiscard]] std::size_t impossible() const;  ///< positions that no chess has
  [[nodiscard]] std::size_t untold() const { return count - told.size(); }
};

struct Suite {
  std::string name;              ///< as people are told it
  std::vector<SuiteLine> lines;  ///< at least one
  RefusedLines refused = {};
  /// How it was read, if it is not EPD as it is usual: "line 1 read as CSV: fen, depth, nodes".
  std::vector<std::string> read_as = {};
};

/// `error`, of that line (0: of all) of a suite: "my.epd:3: castling".
[[nodiscard]] Error in_suite(Error error, const std::string& name, int line);

/// The suite in `text`, whatever its form, which is found by what stands in it: JSON, YAML, TOML,
/// tables of a page or in source code, or lines. A line is EPD, a head of a table, a row of one, a
/// position whose counts stand in the lines below, or such counts. Below a head rows are read as
/// that says; all numbers that have no names are decided together: reading_of(). Tags are comments
/// to everybody else: a line
/// `#tag a castling: castling is legal` gives a letter to a name, and `#abK` behind a position are
/// its letters. An error, which names the file, if no position was understood, or not how a table
/// is to be read.
Result<Suite> read_suite_text(const std::string& name, std::string_view text);

/// What is read, in one line: for whoever's file is not.
inline constexpr std::string_view kSuiteForms =
    "EPD (FEN ;D1 20 ;D2 400), tables with or without a header, HTML tables, JSON, YAML, TOML, "
    "tables in source code, and positions with their counts in the lines below";

}  // namespace manyply
