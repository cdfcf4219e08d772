// Audits a key set: finds dependences between its words, and measures how often keys collide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/stop_view.h"
#include "core/position.h"
#include "hash/zobrist.h"

namespace manyply {

/// The words of a key set, and the intended dependences between them.
struct WordList {
  struct Word {
    std::string name;  ///< for example "white knight b1"
    ZobristKey word;
    bool derived = false;  ///< the word is the XOR of other words; ignored in statistics of bits
  };
  std::vector<Word> words;
  /// For each colour and square, the indices in `words` of the words of bishop, rook and queen, in
  /// ascending order. The XOR of these three words is zero.
  std::vector<std::array<std::uint32_t, 3>> intended;
};

/// Returns every word that is part of the key of a position or of a table entry: pieces, castling,
/// en passant, side to move, depths.
[[nodiscard]] WordList words_of(const KeySet& keys);

/// The result of audit_words(). If the words are random, each of the checks in passed() fails with
/// a probability of at most 1e-6.
struct WordAudit {
  /// The search covers all subsets with at most this number of words. A subset is dependent if its
  /// XOR is zero. If two positions differ exactly in the features of a dependent subset, they have
  /// the same key.
  static constexpr int kLargestSubset = 5;
  static constexpr std::size_t kMaxListed = 64;  ///< the search stops at this number of dependences
  static constexpr double kMaxSigmas = 6;

  std::size_t words = 0;
  std::size_t derived = 0;
  std::size_t duplicates = 0;  ///< pairs of equal words; `dependences` also contains them
  std::vector<std::vector<std::string>> dependences;  ///< each has the names of words whose XOR is
                                                      ///< zero

  int rank = 0;           ///< rank of the words over GF(2)
  int expected_rank = 0;  ///< number of words that are not derived, but at most the number of bits

  int min_distance = 0;  ///< smallest Hamming distance of two words, or of a word and zero
  std::array<std::string, 2> nearest;
  int least_allowed_distance = 0;

  int worst_bit = 0;  ///< the bit for which the fraction of ones differs most from a half
  std::size_t worst_bit_ones = 0;
  double worst_sigmas = 0;  ///< the difference at that bit, in standard deviations

  [[nodiscard]] bool passed() const {
    return dependences.empty() && rank == expected_rank && min_distance >= least_allowed_distance &&
           worst_sigmas <= kMaxSigmas;
  }
};

/// Audits words of `bits` bits. Takes about a second for a whole key set. Preconditions: there are
/// fewer than 65536 words; in each word, only the lowest `bits` bits may be set.
[[nodiscard]] WordAudit audit_words(const WordList& list, int bits = KeySpec::kMaxBits);

/// The number of collisions between real positions, for keys of one width (`bits`).
struct CollisionCount {
  int bits = 0;
  std::uint64_t measured = 0;  ///< pairs of different positions with equal keys
  double expected = 0;         ///< n (n - 1) / 2 / 2^bits for n positions
  double least = 0;            ///< `measured` should be from `least` to `most`
  double most = 0;

  [[nodiscard]] bool within_bounds() const {
    const auto pairs = static_cast<double>(measured);
    return least <= pairs && pairs <= most;
  }
};

/// The result of measure_collisions(): how often the keys of distinct positions from random games
/// collide.
///
/// Positions are compared by fingerprints, which are independent of Zobrist keys. The difference of
/// two positions is the set of features in which they differ. Two positions have equal keys if the
/// XOR of the words of these features is zero. So either all pairs with the same difference
/// collide, or none of these pairs does.
///
/// A random key set has `expected` collisions on average. The variance is clustering * expected,
/// where
///
///   clustering = sum(m^2) / sum(m).
///
/// Both sums are over all differences, and m is the number of pairs with that difference. The
/// reason for the formula is that two pairs with distinct differences collide independently of each
/// other. Clustering is estimated from random pairs. In random games it is close to 1, so the
/// number of collisions follows a Poisson distribution. For positions a few plies below one root,
/// the bounds would be useless, because such positions have few distinct differences. For example,
/// the positions five plies after the start position have 60 pairs per difference.
///
/// The lower bound is 5 standard deviations below the mean. The upper bound is the mean plus 5
/// standard deviations plus 5 * clustering. The last term allows for clusters of collisions, which
/// occur even if the expected number is small.
struct CollisionAudit {
  static constexpr int kGamePlies = 100;  ///< maximum length of a game

  std::uint64_t games = 0;
  std::uint64_t positions = 0;
  double clustering = 1;
  std::vector<CollisionCount> counts;  ///< one for each requested width
};

/// Counts the collisions of keys with seed `seed`, once for each width in `bits`. Precondition:
/// each width is between KeySpec::kMinBits and 64. Compares at most `max_positions` distinct
/// positions of random games from `root`. Uses fewer positions if 1000 games in a row have no new
/// position. The games are the same on every machine.
///
/// Takes up to 200 bytes and about 2 microseconds per position. Errors: kUnavailable if memory is
/// insufficient; kCancelled if a stop was requested during the games.
Result<CollisionAudit> measure_collisions(const Position& root, std::uint64_t seed,
                                          std::span<const int> bits, std::uint64_t max_positions,
                                          StopView stop = {});

}  // namespace manyply
