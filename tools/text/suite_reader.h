// The parts of read_suite_text(), private to this folder. SuiteReader turns the text of a suite
// into rows. Its functions are in suite.cpp (rows in lines, and decisions about all rows) and
// suite_values.cpp (rows in nested values). RowGatherer reads one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/node_count.h"
#include "core/fen.h"
#include "tools/text/suite.h"
#include "tools/text/suite_text.h"

namespace manyply {

// Names of suite fields in every form of file ("fen", "depth", "D3"), and headings of tables.

/// The meaning of a field or of a table's column.
struct Column {
  enum class Kind : std::uint8_t {
    kUnread,  ///< the field is not compared; it may be a remark
    kFen,
    kDepth,  ///< the depth of the row's nodes
    kNodes,  ///< the count at the row's depth
    kCount,  ///< the count at the depth in the column's name
    kTags,   ///< words, or a list of words
    kName,   ///< the position's name
  };
  Kind kind = Kind::kUnread;
  Depth depth;       ///< depth of a kCount column
  std::string name;  ///< "fen", "depth", "nodes", "D3"; as written for kUnread and kName
};
/// Returns `name` in small letters without spaces and marks: "Perft(3)", "perft_3", "**Perft 3**"
/// and "Perft 3" become "perft3".
[[nodiscard]] std::string squeezed_name(std::string_view name);
/// Returns whether a depth may follow this name: "d" in "D1", "perft" in "Perft 1". Also true for
/// the empty name, because a depth may have no name.
[[nodiscard]] bool is_count_name(std::string_view squeezed);
/// Returns the meaning of a field called `name`.
[[nodiscard]] Column column_named(std::string_view name);

/// The heading of a table.
struct TableHead {
  char separator = ',';
  std::vector<Column> columns;

  /// Describes the heading: "CSV: fen, depth, nodes", "CSV: fen, D1, D2; not read: 'name'".
  [[nodiscard]] std::string words() const;
};
/// Returns the heading in `line`; nullopt if the line is not a heading. A heading has a column for
/// positions and contains no position. Returns an error if the heading has no columns for counts,
/// or if these columns contradict each other.
Result<std::optional<TableHead>> parse_head(TextSpan line);
/// Returns the heading of a table with the counts of one position: "Depth  Nodes  Captures". The
/// position stands above the table.
[[nodiscard]] std::optional<TableHead> parse_counts_head(TextSpan line);

/// Returns the name of a table form: "CSV", "TSV", "table with ';'".
[[nodiscard]] std::string table_name(char separator);

// Gathers the fields of a row.

/// Returns whether `text` is the name of a position: `kiwipete`, `startpos moves e2e4`, `epd
/// startpos`.
[[nodiscard]] bool names_position(std::string_view text);

/// A count with its depth.
struct ToldCount {
  Depth depth;
  NodeCount nodes;
  int column;
};
/// A number without a name.
struct BareNumber {
  NodeCount value;
  int column;
};

/// A position with its numbers. Numbers whose meaning is unclear without the other rows are in
/// `bare`.
struct SuiteRow {
  int line = 0;
  NamedPosition root;
  std::string fen;  ///< as written, or the FEN of a named position
  std::vector<ToldCount> told = {};
  /// Numbers without a depth; reading_of() decides their meaning.
  std::vector<BareNumber> bare = {};
  std::vector<std::string> tags = {};
  std::string name = {};
  /// How the row was read: "JSON: fen, depth, nodes"; "CSV: fen" if its numbers have no names.
  /// Empty for ordinary EPD.
  std::string words = {};
  std::string unread = {};  ///< names of fields that were ignored: "'name', 'id'"
};

/// Gathers the fields of one row. Errors have a column and a field such as "placement", "depth",
/// "count" or "position". Not thread-safe.
class RowGatherer {
 public:
  /// `form` is the name of the file's form: "JSON", "CSV" and so on. It is empty for EPD and for
  /// lines below a position. `form` decides how a field with the text "2 400" is read: as depth 2
  /// and its count 400 if `form` is empty, otherwise as the single number 2400.
  RowGatherer(std::string form, int line)
      : form_(std::move(form)), is_cell_(!form_.empty()), line_(line) {}

  /// Takes a field. The name of the field determines its meaning. If the field has no name, its
  /// text determines the meaning.
  std::optional<Error> take(const SuiteValue& field);
  /// Takes a field of a table with a heading.
  std::optional<Error> take(const TextSpan& field, const Column& column);
  /// Takes the first field of an EPD line.
  std::optional<Error> take_position(const TextSpan& field);
  /// Takes a field of an EPD line that is not the first field.
  std::optional<Error> take_operation(const TextSpan& field);
  /// Replaces the description of how the row was read.
  void words(std::string words) { words_ = std::move(words); }
  /// Gives the position this name, unless a field has given it a name.
  void call(std::string_view name);

  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] bool has_position() const { return !position_.empty(); }
  /// Returns the position as written.
  [[nodiscard]] const std::string& position() const { return position_; }
  /// Returns whether the position is given by name, not as a FEN.
  [[nodiscard]] bool is_name() const { return is_name_; }
  [[nodiscard]] bool has_counts() const {
    return !told_.empty() || !bare_.empty() || depth_ || nodes_;
  }
  /// Takes the counts of a line below the position. Returns an error if these counts contradict the
  /// row.
  std::optional<Error> take_counts_of(const RowGatherer& below);

  /// Returns the finished row. `end` is the column after the row. If no field is a position, the
  /// first text without another meaning is taken as the position.
  Result<SuiteRow> row(int end) &&;

 private:
  std::optional<Error> take_text(const SuiteValue& value);
  std::optional<Error> take_list(const SuiteValue& list, const Column& column);
  std::optional<Error> take_counts_in(const TextSpan& text, bool& found);
  std::optional<Error> take_depth(const TextSpan& text);
  std::optional<Error> take_nodes(const TextSpan& text);
  std::optional<Error> tell(Depth depth, NodeCount nodes, int column);
  std::optional<Error> take_name(std::string_view text, const std::string& field);
  void take_tags(std::string_view text);
  /// Records that a field is ignored. Always returns nullopt.
  std::optional<Error> leave_out(const std::string& name);

  std::string form_;
  bool is_cell_;
  int line_;
  std::string position_;
  int column_ = 1;          ///< column of the position
  bool is_name_ = false;    ///< the position is a name; a FEN in the row replaces it
  std::string first_text_;  ///< the first text without another meaning
  int first_column_ = 0;
  std::optional<Depth> depth_;
  int depth_column_ = 0;
  std::optional<NodeCount> nodes_;
  int nodes_column_ = 0;
  std::vector<ToldCount> told_;
  std::vector<BareNumber> bare_;
  std::string opcode_;  ///< how counts are named: "'perft'"; empty for `D1 20`
  std::vector<std::string> unread_;
  std::vector<std::string> tags_;
  std::string name_;
  std::string words_;
};

// Decides the meaning of unnamed numbers in a suite's rows: whether they are counts, as in
// `FEN,20,400`, or a depth and its count, as in `FEN,3,8902`.

/// One meaning that unnamed numbers may have.
struct RowReading {
  std::string_view words;  ///< "depth, nodes"
  /// Returns the counts that `numbers` have in this reading; nullopt if `numbers` cannot have this
  /// meaning.
  std::optional<std::vector<ToldCount>> (*read)(std::span<const BareNumber> numbers);
};

/// The reason why no reading is certain.
struct Undecided {
  std::size_t row;  ///< index into the rows that were passed
  Error error;      ///< has the column of the row's first number
};

/// Returns the reading of `rows` if one reading is certain. All rows have the same reading. Only
/// the numbers in `SuiteRow::bare` are used. The function counts small trees and compares the
/// numbers with these counts. It compares larger numbers with estimates from the growth of the
/// position's tree. The result depends neither on time nor on the machine.
///
/// A reading is certain under two conditions. First: no row clearly fits another reading better.
/// Second: no row refutes the reading, or more rows confirm the reading than refute it. A row may
/// refute the right reading, because its count may be wrong; such rows are reported when the suite
/// is compared.
std::variant<const RowReading*, Undecided> reading_of(std::span<const SuiteRow* const> rows);

/// Returns whether the depths in `rows` are too small by 1, so that depth 0 means our depth 1. The
/// counts at depth 0 decide: none of them may be 1, and most of them must equal our count at depth
/// 1. Precondition: each row has a count at depth 0.
[[nodiscard]] bool begins_at_zero(std::span<const SuiteRow* const> rows);

// Reads a whole suite.

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
