#include "parallel/units/unit_store.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/base/check.h"

namespace manyply {

Hash128 job_identity(const Position& root, Depth depth, const RootSplit& split, int key_bits) {
  constexpr std::uint64_t kVersion = 1;
  std::vector<std::uint64_t> words{kVersion, static_cast<std::uint64_t>(depth.plies()),
                                   static_cast<std::uint64_t>(split.ply), split.size(),
                                   static_cast<std::uint64_t>(key_bits)};
  const auto add = [&](const Board& board) {
    const Hash128 print = fingerprint(board);
    words.push_back(print.low);
    words.push_back(print.high);
  };
  add(root.board());
  for (const Board& board : split.boards) add(board);
  return xxh3_128(std::as_bytes(std::span(words)));
}

std::string job_text(const NamedPosition& root, Depth depth, int key_bits) {
  std::string text =
      "perft(" + std::to_string(depth.plies()) + ") of " + to_fen(root.position, root.notation);
  if (key_bits != KeySpec::kMaxBits) text += " with keys of " + std::to_string(key_bits) + " bits";
  return text;
}

Result<std::optional<std::string>> UnitStore::plan_of(const StoredJob& job) {
  return Error{ErrorCode::kUnavailable, "checkpoint", 0,
               "this store cannot store the parts of " + job.what + "; use a checkpoint file"};
}

void UnitPayloads::put(std::size_t unit, std::span<const std::uint64_t> payload) {
  MANYPLY_CHECK(payload.size() == words_);
  if (place_[unit] == 0) {
    payloads_.insert(payloads_.end(), payload.begin(), payload.end());
    place_[unit] = known();
  } else {
    std::ranges::copy(payload,
                      payloads_.begin() + static_cast<std::ptrdiff_t>((place_[unit] - 1) * words_));
  }
}

Result<KeptUnits> KeptUnits::open(UnitStore& store, const StoredJob& job, const Take& take,
                                  Give give) {
  auto opened = store.open(job);
  if (!opened) return opened.error();
  KeptUnits kept(store, std::move(give));
  kept.known_.resize(job.units);
  kept.known_units_ = opened->known();
  for (std::size_t unit = 0; unit < job.units; ++unit) {
    kept.known_[unit] = opened->knows(unit);
    if (opened->knows(unit)) take(unit, opened->of(unit));
  }
  return kept;
}

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
