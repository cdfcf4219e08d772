#include "parallel/units/unit_record.h"

#include <bit>
#include <cstring>

#include "core/base/check.h"

namespace manyply {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

std::optional<UnitRecords> UnitRecords::begun_as(const StoredJob& job, std::uint64_t stored_units) {
  for (const bool pieces : {false, true}) {
    UnitRecords records(job, pieces);
    if (records.stored_units() == stored_units) return records;
  }
  return std::nullopt;
}

std::uint64_t UnitRecords::checksum(std::span<const std::uint64_t> of) const {
  return xxh3_64(std::as_bytes(of), job_.identity.low);
}

std::vector<std::uint64_t> UnitRecords::written(std::size_t unit,
                                                std::span<const std::uint64_t> payload) const {
  MANYPLY_CHECK(payload.size() == job_.words);
  std::vector<std::uint64_t> words;
  const auto seal = [&](std::size_t begin) {
    words.push_back(checksum(std::span(words).subspan(begin)));
  };
  if (!pieces_) {
    words.reserve(payload.size() + 2);
    words.push_back(unit);
    words.insert(words.end(), payload.begin(), payload.end());
    seal(0);
    return words;
  }
  words.reserve(4 * payload.size());
  for (std::size_t i = 0; i < payload.size(); ++i) {
    words.insert(words.end(), {unit * payload.size() + i, payload[i], 0});
    seal(4 * i);
  }
  return words;
}

bool UnitReader::take(std::span<const std::byte> record) {
  MANYPLY_CHECK(record.size() == records_.record_bytes());
  std::vector<std::uint64_t> words(record.size() / sizeof(std::uint64_t));
  std::memcpy(words.data(), record.data(), record.size());
  const auto sealed = std::span(words).first(words.size() - 1);
  if (words.back() != records_.checksum(sealed)) return false;
  const std::uint64_t number = words.front();
  if (number >= records_.stored_units()) return false;
  if (records_.in_pieces()) {
    take_piece(number, words[1]);
  } else {
    known_.put(static_cast<std::size_t>(number), sealed.subspan(1));
  }
  return true;
}

void UnitReader::take_piece(std::uint64_t number, std::uint64_t word) {
  const std::size_t words = records_.job().words;
  const std::uint64_t unit = number / words;
  const std::size_t i = number % words;
  const auto [at, first] = incomplete_.try_emplace(unit);
  Pieces& pieces = at->second;
  if (first) pieces = {std::vector<std::uint64_t>(words), std::vector<bool>(words), words};
  pieces.words[i] = word;
  if (!pieces.there[i]) --pieces.missing;
  pieces.there[i] = true;
  if (pieces.missing > 0) return;
  known_.put(static_cast<std::size_t>(unit), pieces.words);
  incomplete_.erase(at);
}

}  // namespace manyply
