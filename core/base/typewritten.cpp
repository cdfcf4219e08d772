#include "core/base/typewritten.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace manyply {
namespace {

using Mark = std::pair<std::string_view, std::string_view>;

// Blanks that become ASCII spaces (no-break, thin, narrow no-break and figure space), and
// characters that are removed (zero-width space and byte order mark).
constexpr std::array<Mark, 6> kBlanks{{{"\xC2\xA0", " "},
                                       {"\xE2\x80\x89", " "},
                                       {"\xE2\x80\xAF", " "},
                                       {"\xE2\x80\x87", " "},
                                       {"\xE2\x80\x8B", ""},
                                       {"\xEF\xBB\xBF", ""}}};
// Quotes (single, double and angular), hyphens, dashes and the minus sign become ASCII characters.
constexpr std::array<Mark, 13> kSigns{{{"\xE2\x80\x98", "'"},
                                       {"\xE2\x80\x99", "'"},
                                       {"\xE2\x80\x9A", "'"},
                                       {"\xE2\x80\x9C", "\""},
                                       {"\xE2\x80\x9D", "\""},
                                       {"\xE2\x80\x9E", "\""},
                                       {"\xC2\xAB", "\""},
                                       {"\xC2\xBB", "\""},
                                       {"\xE2\x80\x90", "-"},
                                       {"\xE2\x80\x91", "-"},
                                       {"\xE2\x80\x93", "-"},
                                       {"\xE2\x80\x94", "-"},
                                       {"\xE2\x88\x92", "-"}}};

/// Returns `text` with each of `marks` replaced. Works in one pass.
std::string replaced(std::string_view text, std::span<const Mark> marks) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const auto found =
        std::ranges::find_if(marks, [&](const Mark& mark) { return text.starts_with(mark.first); });
    plain += found != marks.end() ? found->second : text.substr(0, 1);
    text.remove_prefix(found != marks.end() ? found->first.size() : 1);
  }
  return plain;
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

std::string with_plain_blanks(std::string_view text) {
  return is_ascii(text) ? std::string(text) : replaced(text, kBlanks);
}

std::string typewritten(std::string_view text) {
  std::string plain = with_plain_blanks(text);
  return is_ascii(plain) ? plain : replaced(plain, kSigns);
}

}  // namespace manyply
