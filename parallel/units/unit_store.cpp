#include "parallel/units/unit_store.h"

#include <algorithm>
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
  return Error{ErrorCode::kUnavailable, "checkpoint", 0, "does not keep parts of " + job.what};
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

}  // namespace manyply
