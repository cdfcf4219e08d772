#include "core/base/text.h"

#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace manyply {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

std::string code_name(char32_t code) {
  std::string digits;
  for (; code != 0 || digits.size() < 4; code >>= 4) digits.insert(0, 1, kHexDigits[code & 15]);
  return "U+" + digits;
}

std::string byte_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
}

/// Returns the text that a quote displays for `c`, the first character of `text`.
std::string shown(Utf8Character c, std::string_view text) {
  if (c.bytes > 0 && c.is_visible()) return std::string(text.substr(0, c.bytes));
  return c.bytes > 1 ? code_name(c.code) : byte_name(text.front());
}

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

bool Utf8Character::is_visible() const {
  const auto within = [this](char32_t first, char32_t last) {
    return code >= first && code <= last;
  };
  if (code < 0x80) return within(' ', '~');
  return code >= 0xA1 && code != 0xAD && code != 0x3000 && code != 0xFEFF &&
         !within(0x2000, 0x200F) && !within(0x2028, 0x202F) && !within(0x205F, 0x206F) &&
         !within(0xFFF0, 0xFFFB) && !within(0xE0000, 0xE0FFF);
}

Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first < 0xC2   ? 0
                            : first < 0xE0 ? 2
                            : first < 0xF0 ? 3
                            : first < 0xF5 ? 4
                                           : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t code = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3Fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {};
  return {code, bytes};
}

std::string quote(std::string_view text) {
  constexpr std::size_t kMostCharacters = 40;
  std::string quoted = "'";
  for (std::size_t room = kMostCharacters; !text.empty();) {
    const Utf8Character c = first_character(text);
    const std::string next = shown(c, text);
    const std::size_t width = c.bytes > 1 && c.is_visible() ? 1 : next.size();
    if (room == 0) return quoted + "...'";
    quoted += next;
    room -= std::min(room, width);
    text.remove_prefix(std::max<std::size_t>(c.bytes, 1));
  }
  return quoted + "'";
}

std::string quote_character(std::string_view text) {
  const Utf8Character c = first_character(text);
  if (c.bytes > 1 && !c.is_visible()) return code_name(c.code);
  const std::string quoted = "'" + shown(c, text) + "'";
  return c.bytes > 1 ? quoted + " (" + code_name(c.code) + ")" : quoted;
}

std::string with_plain_blanks(std::string_view text) {
  return is_ascii(text) ? std::string(text) : replaced(text, kBlanks);
}

std::string typewritten(std::string_view text) {
  std::string plain = with_plain_blanks(text);
  return is_ascii(plain) ? plain : replaced(plain, kSigns);
}

}  // namespace manyply
