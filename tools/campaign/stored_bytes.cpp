#include "tools/campaign/stored_bytes.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/check.h"

namespace manyply {
namespace {

// Counts have 128 bits.
constexpr std::size_t kMostCountBytes = 16;

void put(std::vector<std::byte>& bytes, std::uint64_t word) {
  for (int shift = 0; shift < 64; shift += 8)
    bytes.push_back(static_cast<std::byte>(word >> shift));
}

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  MANYPLY_CHECK(at + 8 <= bytes.size());
  std::uint64_t word = 0;
  for (std::size_t i = 8; i-- > 0;)
    word = word << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return word;
}

}  // namespace

std::vector<std::byte> stored_bytes(std::uint64_t word) {
  std::vector<std::byte> bytes;
  put(bytes, word);
  return bytes;
}

std::vector<std::byte> stored_bytes(const Hash128& hash) {
  std::vector<std::byte> bytes;
  put(bytes, hash.low);
  put(bytes, hash.high);
  return bytes;
}

std::vector<std::byte> stored_bytes(std::span<const NodeCount> counts) {
  NodeCount any;  // all counts combined with OR; as wide as the largest
  for (const NodeCount& count : counts)
    any = NodeCount::from_words(any.high() | count.high(), any.low() | count.low());
  const std::size_t bits =
      any.high() != 0 ? std::size_t{64} + std::bit_width(any.high()) : std::bit_width(any.low());
  const std::size_t width = std::max<std::size_t>(1, (bits + 7) / 8);
  std::vector<std::byte> bytes(width * counts.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const NodeCount& count = counts[i / width];
    const std::size_t at = i % width;
    bytes[i] =
        static_cast<std::byte>(at < 8 ? count.low() >> 8 * at : count.high() >> 8 * (at - 8));
  }
  return bytes;
}

std::uint64_t stored_word(std::span<const std::byte> bytes) { return word_at(bytes, 0); }

Hash128 stored_hash(std::span<const std::byte> bytes) {
  return {.low = word_at(bytes, 0), .high = word_at(bytes, 8)};
}

StoredCounts::StoredCounts(std::span<const std::byte> bytes, std::size_t counts) : bytes_(bytes) {
  const std::size_t width = counts > 0 ? bytes.size() / counts : 0;
  if (width <= kMostCountBytes && width * counts == bytes.size()) width_ = width;
}

NodeCount StoredCounts::operator[](std::size_t place) const {
  MANYPLY_CHECK(fit() && place < bytes_.size() / width_);
  std::array<std::uint64_t, 2> words{};
  for (std::size_t i = width_; i-- > 0;)
    words[i / 8] = words[i / 8] << 8 | std::to_integer<std::uint64_t>(bytes_[place * width_ + i]);
  return NodeCount::from_words(words[1], words[0]);
}

Hash128 batch_digest(const Hash128& campaign, std::int64_t range, std::uint32_t batch,
                     std::span<const std::byte> counts) {
  std::vector<std::byte> place = stored_bytes(campaign);
  put(place, static_cast<std::uint64_t>(range));
  put(place, batch);
  return xxh3_128(counts, xxh3_64(place));
}

}  // namespace manyply
