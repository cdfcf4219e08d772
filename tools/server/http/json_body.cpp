#include "tools/server/http/json_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "core/base/ascii.h"
#include "core/base/quote.h"
#include "tools/server/http/target.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

Error bad_body(std::string why) { return {ErrorCode::kInvalidInput, "", 0, std::move(why)}; }

/// Returns line and column of the byte at `offset` in `text`, which is valid UTF-8 up to there.
std::string place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 on the first line
  const auto begins_character = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  };
  return fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1,
                     std::ranges::count_if(before.substr(line_begin), begins_character) + 1);
}

std::optional<Error> judge_encoding(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) {
      return bad_body(fmt::format("the body is not valid UTF-8: {} at {} (byte {})",
                                  quote(text[at]), place_of(text, at), at + 1));
    }
    at += length;
  }
  return std::nullopt;
}

/// Finds the first error without building values.
class Judge {
 public:
  explicit Judge(std::string_view text) : text_(text) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  // Callbacks of the parser; the names are those of nlohmann::json_sax.
  bool null() { return true; }
  bool boolean(bool /*value*/) { return true; }
  bool number_integer(Json::number_integer_t /*value*/) { return true; }
  bool number_unsigned(Json::number_unsigned_t /*value*/) { return true; }
  bool number_float(Json::number_float_t /*value*/, const std::string& /*text*/) { return true; }
  bool string(const std::string& /*value*/) { return true; }
  bool binary(const Json::binary_t& /*value*/) { return true; }
  bool start_object(std::size_t /*members*/) {
    names_.emplace_back();
    ++depth_;
    return true;
  }
  bool end_object() {
    names_.pop_back();
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) { return ++depth_, true; }
  bool end_array() { return --depth_, true; }
  bool key(const std::string& name) {
    if (depth_ == 1) member_ = name;
    if (!names_.back().insert(name).second && !error_) error_ = bad_member(name, "is given twice");
    return true;
  }
  bool parse_error(std::size_t bytes_read, const std::string& token,
                   const nlohmann::detail::exception& problem) {
    constexpr int kNumberOverflow = 406;
    if (problem.id == kNumberOverflow) {
      const std::string why = "is out of range: " + quote(token) + " at " +
                              place_of(text_, bytes_read - std::min(bytes_read, token.size()));
      error_ = member_ ? bad_member(*member_, why) : bad_body("the body " + why);
    } else if (bytes_read > text_.size()) {
      error_ = bad_body("the body is not valid JSON: it ends too early, at " +
                        place_of(text_, text_.size()));
    } else {
      // Either a complete value at a wrong place, or the byte at which the text stopped being a
      // value.
      const std::size_t length = Json::accept(token) ? token.size() : 1;
      const std::size_t at = bytes_read - std::min(bytes_read, length);
      error_ = bad_body(fmt::format("the body is not valid JSON: {} is unexpected at {}",
                                    quote(text_.substr(at, length)), place_of(text_, at)));
    }
    return false;
  }

 private:
  const std::string_view text_;
  std::optional<Error> error_;
  std::vector<std::set<std::string>> names_;  // of the enclosing objects
  std::size_t depth_ = 0;                     // of nested objects and lists
  std::optional<std::string> member_;         // latest member of the outermost object
};

}  // namespace

Error bad_member(const std::string& name, const std::string& why) {
  constexpr std::size_t kLongest = 40;
  const bool nameable = !name.empty() && name.size() <= kLongest &&
                        std::ranges::all_of(name, [](char c) { return is_letter(c) || c == '_'; });
  return {ErrorCode::kInvalidInput, nameable ? name : "", 0,
          nameable ? why : quote(name) + ' ' + why};
}

Result<Json> parse_json_object(std::string_view text) {
  if (auto error = judge_encoding(text)) return *std::move(error);
  if (text.empty()) return bad_body("the body is empty; expected a JSON object");
  Judge judge(text);
  const bool is_json = Json::sax_parse(text, &judge);
  if (!is_json) return *judge.error();
  Json json = Json::parse(text);
  if (!json.is_object()) {
    return bad_body(fmt::format("the body must be a JSON object, not a JSON {}", json.type_name()));
  }
  if (judge.error()) return *judge.error();
  return json;
}

}  // namespace manyply
