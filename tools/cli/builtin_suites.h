// The suites that are built in: tools/suites/*. WebAssembly's command has not the large one.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace manyply {

inline constexpr std::array<std::string_view, 6> kSuiteNames{"classic", "tricky", "chess960",
                                                             "deep",    "corpus", "large"};
/// The last one takes ten times as long as all others: it is asked for by its name.
inline constexpr std::size_t kQuickSuites = 5;

/// The suite's file; nothing if none is called that.
[[nodiscard]] std::optional<std::string_view> builtin_suite(std::string_view name);

}  // namespace manyply
