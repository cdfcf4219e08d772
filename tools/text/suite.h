// Reads suites. A suite is a list of positions with expected counts. All forms in which people
// publish suites are accepted.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fen.h"

namespace manyply {

/// A position of a suite.
struct SuiteLine {
  int number;  ///< line number in the file, from 1
  EpdRecord record;
  /// Names of the features that the position tests, if the file has such tags.
  std::vector<std::string> tags;
  std::string name = {};  ///< the name of the position in the file, on one line
};

/// A line that was refused: it could not be read, or its position is impossible in chess.
struct RefusedLine {
  int number;
  Error error;  ///< has the wrong field and its column in the line
};

/// The refused lines of a file. Stores the reasons of the first kMostTold lines.
struct RefusedLines {
  static constexpr std::size_t kMostTold = 100;

  std::size_t count = 0;
  /// Maps a field of a FEN, such as "castling", to the number of positions that are impossible
  /// because of this field.
  std::map<std::string, std::size_t> illegal = {};
  std::vector<RefusedLine> told;  ///< the first kMostTold refused lines

  void add(RefusedLine line) {
    ++count;
    if (line.error.code == ErrorCode::kIllegal) ++illegal[line.error.field];
    if (told.size() < kMostTold) told.push_back(std::move(line));
  }
  [[nodiscard]] bool any() const { return count > 0; }
  [[nodiscard]] std::size_t impossible() const;  ///< number of impossible positions
  [[nodiscard]] std::size_t untold() const { return count - told.size(); }
};

struct Suite {
  std::string name;              ///< the name that messages use
  std::vector<SuiteLine> lines;  ///< at least one
  RefusedLines refused = {};
  /// Sentences that say how the file was read. Some state the form: "line 1 read as CSV: fen,
  /// depth, nodes". Ordinary EPD has no such sentence. Others list the FENs that are not rows:
  /// "line 5 not read: 'FEN'".
  std::vector<std::string> read_as = {};
};

/// Returns `error` with the suite's name and the line number before its field: "my.epd:3:
/// castling". `line` 0 means the whole file.
[[nodiscard]] Error in_suite(Error error, const std::string& name, int line);

/// Reads the suite in `text`. `name` is the name of the suite in messages. Returns an error with
/// this name if the text has no readable position, or if the meaning of a table is unclear.
///
/// The content determines the form: JSON, YAML, TOML, tables of a web page or in source code, or
/// lines. A line is one of these: EPD, a table heading, a table row, a position whose counts are in
/// the lines below it, or counts of a position above. A heading defines the meaning of the rows
/// below it. reading_of() decides the meaning of all unnamed numbers together.
///
/// Tags are written as comments, so other programs ignore them. The line `#tag a castling: castling
/// is legal` assigns the letter `a` to the tag "castling". `#abK` after a position lists the
/// letters of its tags.
Result<Suite> read_suite_text(const std::string& name, std::string_view text);

/// The supported forms in one line, for messages about a file in another form.
inline constexpr std::string_view kSuiteForms =
    "EPD (FEN ;D1 20 ;D2 400), tables with or without a header, HTML tables, JSON, YAML, TOML, "
    "tables in source code, and positions with their counts in the lines below";

}  // namespace manyply
