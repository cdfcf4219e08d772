#include "tools/server/http/target.h"

#include <algorithm>
#include <cstdint>

#include "core/base/ascii.h"
#include "core/base/quote.h"
#include "core/base/text_span.h"

namespace manyply {
namespace {

Error bad_target(std::string why) {
  return {ErrorCode::kInvalidInput, "target", 0, std::move(why)};
}

/// Decodes percent-encoding. Written by hand because Boost.URL takes 5 s to compile
/// (bench/results/zen5-2-cores/notes.md).
Result<std::string> decoded(std::string_view text, bool plus_is_space) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0)
        return bad_target("'%' is not followed by two hexadecimal digits in " + quote(text));
      bytes += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      bytes += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(std::string_view(bytes).substr(at));
    if (length == 0)
      return bad_target("is not valid UTF-8: " + quote(bytes[at]) + " in " + quote(text));
    if (!is_plain_text(std::string_view(bytes).substr(at, length)))
      return bad_target("contains a control character: " + quote(bytes[at]) + " in " + quote(text));
    at += length;
  }
  return bytes;
}

}  // namespace

bool is_plain_text(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) return false;
    const char c = bytes.front();
    const bool control = (c >= 0 && c < 0x20) || c == 0x7F;
    if (length == 1 && control && c != '\t' && c != '\n' && c != '\r') return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::optional<std::string_view> Target::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

Result<Target> Target::parse(std::string_view text) {
  if (!text.starts_with('/')) return bad_target("does not start with '/'");
  const std::size_t question = std::min(text.find('?'), text.size());
  Target target;
  std::string_view path = text.substr(1, question - 1);
  for (;;) {
    const std::size_t slash = path.find('/');
    auto segment = decoded(path.substr(0, slash), false);
    if (!segment) return segment.error();
    target.segments.push_back(std::move(segment).value());
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }

  std::string_view query = text.substr(std::min(question + 1, text.size()));
  while (!query.empty()) {
    std::string_view pair = cut_until(query, '&');
    if (pair.empty()) continue;
    auto name = decoded(cut_until(pair, '='), true);
    auto value = decoded(pair, true);
    if (!name) return name.error();
    if (!value) return value.error();
    if (target.parameter(*name))
      return bad_target("contains the parameter " + quote(*name) + " twice");
    target.parameters.emplace_back(std::move(name).value(), std::move(value).value());
  }
  return target;
}

}  // namespace manyply
