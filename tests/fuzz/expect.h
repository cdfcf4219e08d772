// Expectations of fuzz targets. If one fails, the process ends, so that the fuzzer stores the
// input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/text.h"

namespace manyply {

inline void expect(bool holds, std::string_view what, std::string_view detail = "") {
  if (holds) return;
  std::fprintf(stderr, "broken: %.*s %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

/// Expects that all characters of `line` are visible and that none of them ends the line.
inline void expect_printable(std::string_view line, std::string_view what) {
  for (std::string_view rest = line; !rest.empty();) {
    const Utf8Character character = first_character(rest);
    expect(character.bytes > 0 && character.is_visible(), what, line);
    rest.remove_prefix(character.bytes);
  }
}

/// Expects a useful error: the error names a field, its column is in `text` or just after the end,
/// and it prints as one short line.
inline void expect_useful(const Error& error, std::string_view text) {
  const std::string line = error.to_string();
  expect(!error.field.empty(), "an error names its field", line);
  expect(error.column >= 0 && error.column <= static_cast<int>(text.size()) + 1,
         "an error's column lies in the text", line);
  expect(line.size() < 200, "an error is short", line);
  expect_printable(line, "an error is one printable line");
}

}  // namespace manyply
