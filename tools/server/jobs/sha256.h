// SHA-256 (FIPS 180-4), used to store and compare tokens by their digests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace manyply {

using Sha256 = std::array<std::uint8_t, 32>;

/// Returns the digest of `text`.
[[nodiscard]] Sha256 sha256(std::string_view text);

}  // namespace manyply
