// Audits of a key set: how its words relate to each other, and how often keys really collide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/position.h"
#include "core/stop_view.h"
#include "hash/zobrist.h"

namespace manyply {

/// The words of a key set and the relations they have on purpose.
struct WordList {
  struct Word {
    std::string name;  ///< "white knight b1"
    ZobristKey word;
    bool derived = false;  ///< the XOR of others: it adds nothing to statistics over bits
  };
  std::vector<Word> words;
  std::vector<std::array<std::uint32_t, 3>> intended;  ///< XOR to zero: queen, bishop, rook
};

/// Every word that enters a position's or an entry's key: pieces, castling, en passant, side,
/// depths.
[[nodiscard]] WordList words_of(const KeySet& keys);

/// What audit_words found. Bounds are such that sound random words pass: each holds with a
/// probability above 1 - 1e-6.
struct WordAudit {
  /// Subsets are searched up to this size. Two positions have one key whatever the other features
  /// if they differ in such a subset.
  static constexpr int kLargestSubset = 5;
  static constexpr std::size_t kMaxListed = 64;  ///< the search ends when it has found so many
  static constexpr double kMaxSigmas = 6;

  std::size_t words = 0;
  std::size_t derived = 0;
  std::size_t duplicates = 0;  ///< pairs of equal words; among `dependences` too
  std::vector<std::vector<std::string>> dependences;  ///< names of words that XOR to zero

  int rank = 0;           ///< over GF(2)
  int expected_rank = 0;  ///< the most that so many words of so many bits can have

  int min_distance = 0;  ///< bits in which two words, or a word and zero, differ
  std::array<std::string, 2> nearest;
  int least_allowed_distance = 0;

  int worst_bit = 0;  ///< the bit whose share of ones is furthest from a half …
  std::size_t worst_bit_ones = 0;
  double worst_sigmas = 0;  ///< … by so many standard deviations

  [[nodiscard]] bool passed() const {
    return dependences.empty() && rank == expected_rank && min_distance >= least_allowed_distance &&
           worst_sigmas <= kMaxSigmas;
  }
};

/// About a second for a whole key set; of words that have no more than their lower `bits`.
/// Precondition: fewer than 65536 words.
[[nodiscard]] WordAudit audit_words(const WordList& list, int bits = KeySpec::kMaxBits);

/// Collisions among real positions, for one width of key.
struct CollisionCount {
  int bits = 0;
  std::uint64_t measured = 0;  ///< pairs of different positions with one key
  double expected = 0;         ///< n (n - 1) / 2 / 2^bits
  double least = 0;            ///< bounds of what counts as agreement
  double most = 0;

  [[nodiscard]] bool within_bounds() const {
    const auto pairs = static_cast<double>(measured);
    return least <= pairs && pairs <= most;
  }
};

/// How the keys of distinct positions from random games collide.
///
/// Positions are told apart by their fingerprints, which know nothing of Zobrist keys. A pair
/// collides when the words of the features it differs in XOR to zero, so pairs with the same
/// difference collide together or not at all: a random key set has `expected` collisions on
/// average, with variance clustering * expected, where
///
///   clustering = sum over differences of pairs^2 / sum over differences of pairs,
///
/// since any two different differences collide independently of each other. It is estimated from
/// random pairs. Random games keep it near 1, so that collisions are Poisson distributed; positions
/// a few plies from one root differ in few ways (60 pairs a difference after five plies from the
/// start), which makes bounds useless. The bounds are 5 standard deviations, and 5 clusters more at
/// the upper end, where few collisions are expected and come in clusters.
struct CollisionAudit {
  static constexpr int kGamePlies = 100;  ///< at most

  std::uint64_t games = 0;
  std::uint64_t positions = 0;
  double clustering = 1;
  std::vector<CollisionCount> counts;  ///< as `bits` asked
};

/// Counts collisions of keys of `seed` and each of `bits` (at most 64) among `max_positions`
/// distinct positions of random games from `root`; among fewer, if games stop finding new ones. The
/// games are the same everywhere. Takes up to 200 bytes and some 2 microseconds a position.
/// kUnavailable when memory is not there, kCancelled after `stop`.
Result<CollisionAudit> measure_collisions(const Position& root, std::uint64_t seed,
                                          std::span<const int> bits, std::uint64_t max_positions,
                                          StopView stop = {});

}  // namespace manyply
