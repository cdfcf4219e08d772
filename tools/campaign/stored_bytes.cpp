#include "tools/campaign/stored_bytes.h"

#include "core/check.h"

namespace manyply {
namespace {

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
  std::vector<std::byte> bytes;
  bytes.reserve(kStoredCountBytes * counts.size());
  for (const NodeCount& count : counts) {
    put(bytes, count.low());
    put(bytes, count.high());
  }
  return bytes;
}

std::uint64_t stored_word(std::span<const std::byte> bytes) { return word_at(bytes, 0); }

Hash128 stored_hash(std::span<const std::byte> bytes) {
  return {.low = word_at(bytes, 0), .high = word_at(bytes, 8)};
}

NodeCount stored_count(std::span<const std::byte> bytes, std::size_t place) {
  const std::size_t at = kStoredCountBytes * place;
  return NodeCount::from_words(word_at(bytes, at + 8), word_at(bytes, at));
}

Hash128 batch_digest(const Hash128& campaign, std::int64_t range, std::uint32_t batch,
                     std::span<const std::byte> counts) {
  std::vector<std::byte> place = stored_bytes(campaign);
  put(place, static_cast<std::uint64_t>(range));
  put(place, batch);
  return xxh3_128(counts, xxh3_64(place));
}

}  // namespace manyply
