// The text of a suite, taken apart: what it says, before anybody asks what that means. Whatever the
// file's form, what comes out are values in lists, each with its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/text_span.h"

namespace manyply {

/// A word, a number or a string, or a list of values; what has a name inside a list is a member.
struct SuiteValue {
  int line = 0;
  int column = 0;
  std::string name = {};  ///< as a member
  std::string text = {};  ///< of one that is no list
  bool is_list = false;
  bool is_fraction = false;  ///< a number with a part that is not whole: 1.234 is not 1,234
  bool is_cut = false;       ///< a list that is not closed, or a FEN without its quotes
  std::vector<SuiteValue> items = {};

  [[nodiscard]] static SuiteValue scalar(std::string text, int line, int column) {
    return {.line = line, .column = column, .text = std::move(text)};
  }
};

/// Values deeper inside each other are no suite, and would cost whoever walks through them a stack.
inline constexpr std::size_t kDeepestSuiteValue = 60;

/// A value takes some 100 bytes, and four are enough to write one: whoever reads what strangers
/// send holds no more than this many. Suites have fewer, since each row has a FEN.
[[nodiscard]] constexpr std::size_t most_suite_values(std::size_t bytes) {
  return 4096 + bytes / 4;
}
inline constexpr std::string_view kTooManySuiteValues =
    "has more values than a suite of its size can have";

/// Builds a list of values of what a parser meets, one after the other.
class SuiteValueBuilder {
 public:
  explicit SuiteValueBuilder(std::size_t most) : left_(most) {}

  /// False if that is too deep, or too many.
  [[nodiscard]] bool begin_list(int line, int column);
  void end_list();
  void end_cut_list();  ///< because the text ends
  [[nodiscard]] bool cut_scalar(std::string text, int line, int column);
  void name(std::string text) { name_ = std::move(text); }
  /// False if there are too many.
  [[nodiscard]] bool scalar(std::string text, int line, int column);
  /// A number as programs write it, where 2039.0 is whole.
  [[nodiscard]] bool number(const std::string& text, int line, int column);
  [[nodiscard]] std::size_t left() const { return left_; }  ///< how many more it takes
  /// All that was met at the top.
  [[nodiscard]] SuiteValue take() && { return std::move(top_); }

 private:
  void add(SuiteValue value);

  SuiteValue top_{.is_list = true};
  std::vector<SuiteValue> open_;
  std::string name_;
  std::size_t left_;
};

/// `bytes` as UTF-8 without a mark: of UTF-16 too, if it begins with a mark. Zero bytes, which C
/// programs leave behind, and the blanks of typesetters become blanks; carriage returns alone, as
/// old Macs and some spreadsheets have them, end lines.
[[nodiscard]] std::string decoded_suite(std::string_view bytes);

/// A place in a text.
struct SuitePlace {
  std::size_t offset = 0;
  int line = 1;
  int column = 1;

  /// Moves on to `offset`, from here.
  void move_to(std::string_view text, std::size_t to);
};

/// The list or the object that begins at `place`, which is moved behind it, or to what is wrong. Of
/// the `left` values that it may have, as many as it has are taken.
Result<SuiteValue> read_json_value(std::string_view text, SuitePlace& place, std::size_t& left);

/// JSON as people edit it, as JSON: blanks for comments and for commas before a closing bracket,
/// each place as it was; and what these were, " with trailing commas". Empty words if `text` has
/// none.
struct MendedJson {
  std::string text;
  std::string words;
};
[[nodiscard]] MendedJson mended_json(std::string_view text);

/// Whether the first line that says something looks like YAML: "- fen: …", "tests:".
[[nodiscard]] bool looks_like_yaml(std::string_view text);
/// A longer line of YAML is refused: whatever begins in it may be a key, and is kept until it ends.
inline constexpr std::size_t kLongestYamlLine = 65'536;
/// kUnavailable where this build has no library for it, or where it would take too much memory.
Result<SuiteValue> read_yaml_values(std::string_view text);

/// Whether `text` begins with a table's name, `[tests]` or `[[test]]`, and `key = value`.
[[nodiscard]] bool looks_like_toml(std::string_view text);
/// TOML and INI: their tables as lists, those with dotted names inside the others. Nothing if there
/// are too many values.
[[nodiscard]] std::optional<SuiteValue> read_toml_values(std::string_view text);

/// Whether `text` is a page with a table in it.
[[nodiscard]] bool looks_like_html(std::string_view text);
/// The rows of its tables, tabs between their cells, and whatever else has ranks of a board: what a
/// browser would show, with the line each begins in.
struct ShownLine {
  std::string text;
  int number;
};
[[nodiscard]] std::vector<ShownLine> read_html_lines(std::string_view text);

/// What stands between brackets of source code, whatever the language: strings, numbers and lists,
/// with names where they have some (`fen: "…"`, `.depth = 3`, `"1" => 20`). All else, comments,
/// types and calls among it, is left out; so is what stands in no bracket, but for strings of
/// several lines or with a FEN. Nothing if there are more than `left`, which becomes less by them.
[[nodiscard]] std::optional<SuiteValue> read_code_values(std::string_view text, std::size_t& left);

/// A line without its comment, which begins with `#`, `//` or `--`; none of them in quotes.
[[nodiscard]] std::string_view without_comment(std::string_view line);

/// A line as fields.
struct LineFields {
  char separator = 0;  ///< `|` `;` `,` tab; a blank is two of them; 0: the line is one field
  std::vector<TextSpan> fields = {};  ///< without their quotes; a last one that is empty is none
};
/// Where the string ends whose quote stands at `open`, and which has its own quotes twice; npos if
/// nowhere.
[[nodiscard]] std::size_t closing_quote(std::string_view text, std::size_t open);
/// `"a ""b"" c"`, without its quotes, says `a "b" c`.
[[nodiscard]] std::string without_doubled_quotes(std::string_view field);
/// Where a FEN of at least placement and side to move stands in a text.
struct FoundFen {
  std::size_t begin;
  std::size_t end;       ///< behind its last field that is there
  std::size_t side_end;  ///< behind placement and side to move
};
/// The first one at or behind `from`; nullopt if there is none.
[[nodiscard]] std::optional<FoundFen> find_fen(std::string_view text, std::size_t from = 0);

/// By the first separator that gives two fields. `line` has no comment.
Result<LineFields> split_line(TextSpan line);
/// By this one.
Result<LineFields> split_line(TextSpan line, char separator);

}  // namespace manyply
