// The text of a suite, taken apart: what it says, before anybody asks what that means. Whatever the
// file's form, what comes out are values in lists, each with its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/text_span.h"

namespace manyply {

/// A word, a number or a string, or a list of values; what has a name inside a list is a member.
struct SuiteValue {
  int line = 0;
  int column = 0;
  std::string name = {};  ///< as a member
  std::string text = {};  ///< of one that is no list
  bool is_list = false;
  std::vector<SuiteValue> items = {};

  [[nodiscard]] static SuiteValue scalar(std::string text, int line, int column) {
    return {line, column, {}, std::move(text), false, {}};
  }
};

/// Values deeper inside each other are no suite, and would cost whoever walks through them a stack.
inline constexpr std::size_t kDeepestSuiteValue = 60;

/// Builds a list of values of what a parser meets, one after the other.
class SuiteValueBuilder {
 public:
  /// False if that is too deep.
  bool begin_list(int line, int column);
  void end_list();
  void name(std::string text) { name_ = std::move(text); }
  void scalar(std::string text, int line, int column);
  /// All that was met at the top.
  [[nodiscard]] SuiteValue take() && { return std::move(top_); }

 private:
  void add(SuiteValue value);

  SuiteValue top_{.is_list = true};
  std::vector<SuiteValue> open_;
  std::string name_;
};

/// `bytes` as UTF-8 without a mark: of UTF-16 too, if it begins with a mark. Zero bytes, which C
/// programs leave behind, become blanks.
[[nodiscard]] std::string decoded_suite(std::string_view bytes);

/// One that begins with `[` or `{`. The error has its line in `field`, and its column.
Result<SuiteValue> read_json_values(std::string_view text);

/// Whether the first line that says something looks like YAML: "- fen: …", "tests:".
[[nodiscard]] bool looks_like_yaml(std::string_view text);
/// kUnavailable where this build has no library for it.
Result<SuiteValue> read_yaml_values(std::string_view text);

/// What stands between brackets of source code, whatever the language: strings, numbers and lists,
/// with names where they have some (`fen: "…"`, `.depth = 3`, `"1" => 20`). All else, comments,
/// types and calls among it, is left out.
[[nodiscard]] SuiteValue read_code_values(std::string_view text);

/// A line without its comment, which begins with `#`, `//` or `--`; none of them in quotes.
[[nodiscard]] std::string_view without_comment(std::string_view line);

/// A line as fields.
struct LineFields {
  char separator = 0;  ///< `|` `;` `,` tab; a blank is two of them; 0: the line is one field
  std::vector<TextSpan> fields = {};  ///< without their quotes; a last one that is empty is none
};
/// By the first separator that gives two fields. `line` has no comment.
Result<LineFields> split_line(TextSpan line);
/// By this one.
Result<LineFields> split_line(TextSpan line, char separator);

}  // namespace manyply
