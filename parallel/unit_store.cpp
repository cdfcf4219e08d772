#include "parallel/unit_store.h"

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

}  // namespace manyply
