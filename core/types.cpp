#include "core/types.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace manyply {

Result<Depth> Depth::parse(std::string_view text) {
  const auto refuse = [&](std::string why) {
    return Error{ErrorCode::kInvalidInput, "depth", 0, quote(text) + " " + std::move(why)};
  };
  if (text.empty() || !std::ranges::all_of(text, is_digit))
    return refuse("is not a whole number from 0 to " + std::to_string(kMax));
  int plies = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), plies);
  if (problem != std::errc{} || plies > kMax)
    return refuse("is above the maximum depth of " + std::to_string(kMax));
  return Depth(plies);
}

}  // namespace manyply
