// Suites: positions, each with the counts that somebody expects of it, as lines of EPD.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/epd.h"

namespace manyply {

struct SuiteLine {
  int number;  ///< in the file, from 1
  EpdRecord record;
  std::vector<std::string> tags;  ///< names of what it tries of a move generator, if the file says
};

/// Reads a suite line by line. Tags are comments to everybody else: a line
/// `#tag a castling: castling is legal` gives a letter to a name, and `#abK` behind a position are
/// its letters. For one thread.
class SuiteReader {
 public:
  /// `name` is the file's, for errors: "my.epd:3: castling".
  explicit SuiteReader(std::string name) : name_(std::move(name)) {}

  /// The next line, without its end.
  [[nodiscard]] std::optional<Error> take(std::string_view line);

  /// The lines that hold positions, at least one.
  Result<std::vector<SuiteLine>> finish() &&;

 private:
  bool defines_tag(std::string_view line);
  [[nodiscard]] std::vector<std::string> tags_of(std::string_view line) const;
  [[nodiscard]] Error in_file(Error error, int line) const;

  const std::string name_;
  std::map<char, std::string> tags_;
  std::vector<SuiteLine> lines_;
  int number_ = 0;
};

/// A suite whose text is here.
Result<std::vector<SuiteLine>> read_suite_text(const std::string& name, std::string_view text);

}  // namespace manyply
