// The built-in suites: tools/suites/*. The WebAssembly command does not include the large one.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace manyply {

inline constexpr std::array<std::string_view, 6> kSuiteNames{"classic", "tricky", "chess960",
                                                             "deep",    "corpus", "large"};
/// The last suite takes ten times as long as all others together, so it runs only if named.
inline constexpr std::size_t kQuickSuites = 5;

/// Returns the text of the suite; nullopt if no suite has this name.
[[nodiscard]] std::optional<std::string_view> builtin_suite(std::string_view name);

}  // namespace manyply
