// Splits the text of a suite into values, without interpreting them. Every form of file gives the
// same result: nested lists of values, each with its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/text.h"

namespace manyply {

/// A place in a text. Line and column count from 1; the column counts bytes.
struct SuitePlace {
  std::size_t offset = 0;
  int line = 1;
  int column = 1;

  /// Advances to offset `to`, or to the end of `text`.
  void move_to(std::string_view text, std::size_t to);
};

/// A word, a number, a string, or a list of values. A value in a list may have a name, as members
/// of a JSON object do.
struct SuiteValue {
  int line = 0;
  int column = 0;
  std::string name = {};  ///< the value's name in its list; empty if it has none
  std::string text = {};  ///< empty for lists
  bool is_list = false;
  bool is_fraction = false;  ///< the number is not whole: 1.234 is not 1,234
  bool is_cut = false;       ///< the list is not closed, or the FEN has no quotes
  std::vector<SuiteValue> items = {};

  [[nodiscard]] static SuiteValue of(const TextSpan& text, int line, std::string name = {}) {
    return {line, text.column, std::move(name), std::string(text.text)};
  }
};

/// Returns the maximum number of values in a text of `bytes` bytes. This maximum limits the memory
/// that a hostile text can use: a value takes about 100 bytes of memory, but its text may have only
/// four bytes. Real suites stay below the maximum, because each row has a FEN.
[[nodiscard]] constexpr std::size_t most_suite_values(std::size_t bytes) {
  return 4096 + bytes / 4;
}
inline constexpr std::string_view kTooManySuiteValues =
    "has more values than a suite of its size can have";

/// Builds a nested list of values from a parser's events. It takes at most `most` values. Not
/// thread-safe.
class SuiteValueBuilder {
 public:
  explicit SuiteValueBuilder(std::size_t most) : left_(most) {}

  /// Opens a list. Returns false if the list would be nested too deep, or if there are too many
  /// values.
  [[nodiscard]] bool begin_list(const SuitePlace& place);
  /// Closes the list that was opened last.
  void end_list();
  [[nodiscard]] bool has_open_list() const { return !open_.empty(); }
  /// Names the next value.
  void name(std::string text) { name_ = std::move(text); }
  /// Adds a value. Returns false if there are too many values.
  [[nodiscard]] bool scalar(std::string text, const SuitePlace& place, bool is_cut = false);
  /// Adds a number as programs write it; 2039.0 is a whole number. Returns false if there are too
  /// many values.
  [[nodiscard]] bool number(const std::string& text, const SuitePlace& place);
  /// Returns the number of values that may still be added.
  [[nodiscard]] std::size_t left() const { return left_; }
  /// Returns the list of all top-level values. Lists that are still open become `is_cut`.
  [[nodiscard]] SuiteValue take() &&;

 private:
  std::vector<SuiteValue>& items() { return (open_.empty() ? top_ : open_.back()).items; }

  SuiteValue top_{.is_list = true};
  std::vector<SuiteValue> open_;
  std::string name_;
  std::size_t left_;
};

/// Returns `bytes` as UTF-8 without a byte order mark. Converts UTF-16 if the text has a UTF-16
/// byte order mark. Typographic spaces become spaces. Zero bytes, which C programs can produce,
/// also become spaces. A carriage return without a line feed becomes a line end; old Macs and some
/// spreadsheets write such files.
[[nodiscard]] std::string decoded_suite(std::string_view bytes);

/// Reads the JSON list or object at `place`. Moves `place` to the end of the value, or to the
/// error. `left` is the maximum number of values; the function subtracts the number of values that
/// it has read. The `field` of an error is the line number of the error.
Result<SuiteValue> read_json_value(std::string_view text, SuitePlace& place, std::size_t& left);

/// JSON text in which spaces replace comments and trailing commas. So all values keep their places.
/// `words` says what was replaced: " with trailing commas"; empty if nothing was replaced.
struct MendedJson {
  std::string text;
  std::string words;
};
[[nodiscard]] MendedJson mended_json(std::string_view text);

/// Returns whether the first line with content looks like YAML: "- fen: …", "tests:".
[[nodiscard]] bool looks_like_yaml(std::string_view text);
/// Returns the values of a YAML text. Error kUnavailable: this build has no YAML library, or the
/// text would take too much memory. The `field` of each error is the line number of the error.
Result<SuiteValue> read_yaml_values(std::string_view text);

/// Returns the tables of TOML or INI as lists; tables with dotted names are nested. Returns nullopt
/// for another text, or if there are too many values. A text is TOML or INI under two conditions.
/// First: only comments and assignments precede its first table heading, such as `[tests]` or
/// `[[test]]`. Second: `key = value` follows this heading.
[[nodiscard]] std::optional<SuiteValue> read_toml_values(std::string_view text);

/// A line as a browser would show it, and the line number in the page where it begins.
struct ShownLine {
  std::string text;
  int number;
};
/// Returns the table rows of a page, with tabs between their cells. Also returns all other lines
/// that have the ranks of a board. Returns nullopt if `text` is not a web page with a table.
[[nodiscard]] std::optional<std::vector<ShownLine>> read_html_lines(std::string_view text);

/// Returns the values between brackets in source code of any language: strings, numbers and lists.
/// Values have names if the code names them (`fen: "…"`, `.depth = 3`, `"1" => 20`). All other
/// code, such as comments, types and calls, is ignored. Outside of brackets, only strings with
/// several lines or with a FEN are returned. A FEN without quotes is returned with `is_cut`.
/// Subtracts the number of values from `left`. Returns nullopt if `left` becomes 0.
[[nodiscard]] std::optional<SuiteValue> read_code_values(std::string_view text, std::size_t& left);

/// Returns `line` without its comment. Outside of quotes, a comment begins with `#`, or with `//`
/// at the start of the line or after a space. A line that begins with `--` is a comment, unless it
/// begins with `---`. A line that begins with `|` has no comment.
[[nodiscard]] std::string_view without_comment(std::string_view line);

/// The fields of a line.
struct LineFields {
  char separator = 0;  ///< `|` `;` `,` or tab; ' ' means two spaces; 0: there is only one field
  std::vector<TextSpan> fields = {};  ///< fields without quotes, and without an empty last field
};
/// Returns the index of the quote that closes the string opened at `open`; npos if there is none. A
/// doubled quote belongs to the string.
[[nodiscard]] std::size_t closing_quote(std::string_view text, std::size_t open);
/// Returns `field` with each doubled quote replaced by one quote: `a ""b"" c` becomes `a "b" c`.
[[nodiscard]] std::string without_doubled_quotes(std::string_view field);
/// Place of a FEN. The FEN has at least its placement and its side to move.
struct FoundFen {
  std::size_t begin;
  std::size_t end;       ///< offset after the last field that is present
  std::size_t side_end;  ///< offset after the side to move
};
/// Returns the first FEN at or after offset `from`; nullopt if the text has no FEN.
[[nodiscard]] std::optional<FoundFen> find_fen(std::string_view text, std::size_t from = 0);

/// Splits `line`, which has no comment. Tries the separators `|`, `;`, tab, `,` and two spaces in
/// this order. Uses the first one that gives at least two nonempty fields. Two spaces separate
/// fields only if the first field has the ranks of a board. If no separator fits, returns the line
/// as one field, or an error if a quote is not closed or text follows a quoted field.
Result<LineFields> split_line(TextSpan line);
/// Splits `line` at `separator`. Returns an error if a quote is not closed, or if text follows a
/// quoted field.
Result<LineFields> split_line(TextSpan line, char separator);

}  // namespace manyply
