// The reader that read_suite_text() uses. It turns the text of a suite into rows. Its functions are
// in suite.cpp (decisions about all rows), suite_values.cpp (rows in nested values) and
// suite_lines.cpp (rows in lines).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/text/suite.h"
#include "tools/text/suite_row.h"
#include "tools/text/suite_text.h"

namespace manyply {

/// Collects the rows of one suite.
class SuiteReader {
 public:
  explicit SuiteReader(const std::string& name) : name_(name) {}

  /// Reads the suite. Call it once.
  Result<Suite> read(std::string_view bytes) &&;

 private:
  /// A position whose counts may be in the lines below it.
  struct OpenRow {
    RowGatherer row;
    std::vector<std::string> tags;
    int end;  ///< the column after the end of the position's line
  };

  // Each function reads a whole text of one form, and returns false for a text of another form.
  // Exception: take_lines() reads any text.
  bool take_json(const std::string& text);
  bool take_html(const std::string& text);
  bool take_toml(const std::string& text);
  bool take_yaml(const std::string& text);
  bool take_code(const std::string& text);
  void take_lines(std::string_view text, int number, int column);

  /// Reads successive JSON values. Returns an error if the first value is not valid JSON.
  std::optional<Error> take_json_values(std::string_view text, const std::string& words);
  /// Takes the rows in `list` and in the lists inside `list`. Returns 0 if and only if there are no
  /// rows. `name` is the name of `list` in the enclosing list.
  std::size_t take_rows(const SuiteValue& list, const std::string& form,
                        std::string_view name = {});
  void take_row(const SuiteValue& list, const std::string& form, std::string_view name);
  void refuse_strays(const SuiteValue& list);
  void refuse_cut(const SuiteValue& value);
  void take_map(const SuiteValue& list, const std::string& form);
  [[nodiscard]] static bool is_named_position(const SuiteValue& item);

  void take_line(TextSpan line, int number);
  bool take_found_row(TextSpan line, int number);
  static bool begins_as_log(std::string_view text);
  static bool begins_as_lines(std::string_view text);
  bool defines_tag(std::string_view line);
  [[nodiscard]] std::vector<std::string> tags_of(std::string_view line) const;
  bool take_head(TextSpan line, int number);
  bool take_counts_below(TextSpan line, int number);
  bool take_row_of_table(TextSpan line, int number, std::vector<std::string> tags);
  void take_fields(const LineFields& split, TextSpan line, int number,
                   std::vector<std::string> tags);
  void close();

  void refuse(int number, Error error);
  void add(int end, RowGatherer&& row, std::vector<std::string> tags);
  [[nodiscard]] std::optional<Error> judge();
  void name_unread(std::string_view text, Suite& suite) const;
  void note(int line, const std::string& words);

  const std::string& name_;
  std::map<char, std::string> tags_;
  std::optional<TableHead> head_;         ///< the last heading
  std::optional<OpenRow> open_;           ///< the position to which counts may still be added
  std::optional<TableHead> counts_head_;  ///< heading of a table of one position's counts
  std::string title_;                     ///< a name in the line above its position
  bool in_wiki_table_ = false;            ///< between the lines `{|` and `|}` of MediaWiki
  std::optional<Error> failure_;
  std::vector<SuiteRow> rows_;
  RefusedLines refused_;
  std::set<std::string> told_;
  std::vector<std::pair<int, std::string>> notes_;
};

}  // namespace manyply
