// Suites: positions, each with the counts that somebody expects of it: lines of EPD, or tables.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/epd.h"
#include "tools/question/suite_table.h"

namespace manyply {

struct SuiteLine {
  int number;  ///< in the file, from 1
  EpdRecord record;
  std::vector<std::string> tags;  ///< names of what it tries of a move generator, if the file says
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
  std::vector<RefusedLine> told;  ///< the first ones of them

  void add(RefusedLine line) {
    ++count;
    if (told.size() < kMostTold) told.push_back(std::move(line));
  }
  [[nodiscard]] bool any() const { return count > 0; }
  [[nodiscard]] std::size_t untold() const { return count - told.size(); }
};

struct Suite {
  std::string name;              ///< as people are told it
  std::vector<SuiteLine> lines;  ///< at least one
  RefusedLines refused = {};
  /// How tables in it were read, for people to check: "line 1 read as CSV: fen, depth, nodes".
  std::vector<std::string> read_as = {};
};

/// `error`, of that line (0: of all) of a suite: "my.epd:3: castling".
[[nodiscard]] Error in_suite(Error error, const std::string& name, int line);

/// Reads a suite line by line. Each line is EPD, a head of a table, or a row of one: below a head
/// rows are read as that says. All rows without one are decided together: reading_of(). Tags are
/// comments to everybody else: a line `#tag a castling: castling is legal` gives a letter to a
/// name, and `#abK` behind a position are its letters. For one thread.
class SuiteReader {
 public:
  explicit SuiteReader(std::string name) : name_(std::move(name)) {}

  /// The next line, without its end.
  void take(std::string_view line);

  /// An error, which names the file, if no position was understood, or not how a table is to be
  /// read.
  Result<Suite> finish() &&;

 private:
  struct HeadlessRow {
    int number;
    std::string text;
    char separator;
    std::vector<std::string> tags;
  };

  bool defines_tag(std::string_view line);
  [[nodiscard]] std::vector<std::string> tags_of(std::string_view line) const;
  bool take_head(std::string_view text);
  void take_row(std::string_view text, char separator, std::vector<std::string> tags);
  [[nodiscard]] std::optional<Error> read_headless_rows();
  void note(int line, const RowShape& shape);
  void add(int number, Result<EpdRecord> record, std::vector<std::string> tags);

  const std::string name_;
  int number_ = 0;
  std::map<char, std::string> tags_;
  std::optional<RowShape> shape_;  ///< by the last head
  std::vector<HeadlessRow> headless_;
  std::vector<BareRow> bare_;  ///< of the same rows
  std::optional<Error> failure_;
  std::vector<SuiteLine> lines_;
  RefusedLines refused_;
  std::vector<std::string> read_as_;
};

/// A suite whose text is here.
Result<Suite> read_suite_text(const std::string& name, std::string_view text);

}  // namespace manyply
