#include "hash/key_audit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "core/base/memory.h"
#include "core/kernel.h"
#include "hash/fingerprint.h"

namespace manyply {
namespace {

constexpr int kKeyBits = KeySpec::kMaxBits;
constexpr double kChance = 1e-6;  ///< largest probability that random words fail the distance check
constexpr double kSigmas = 5;
constexpr int kBarrenGames = 1000;  ///< stop after this many games without a new position

std::uint64_t pairs_of(std::uint64_t n) { return n < 2 ? 0 : n * (n - 1) / 2; }

/// Splitmix64 (S. Vigna). It is random enough to choose samples.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  std::uint64_t state_;
};

// Words.

/// In a key set, finds all sets of up to five words whose XOR is zero, except the intended
/// dependences. Stops when it has found WordAudit::kMaxListed sets. A set of four words consists of
/// two pairs with equal XOR. A set of five words consists of a triple and a pair with equal XOR.
///
/// For each triple, looks for pairs with the same XOR. The bitmap filter_ has a bit for the hash of
/// each pair's XOR. The smaller bitmap used_, which fits into a core's own cache, shows which
/// 64-bit words of filter_ are not zero. Most lookups end at used_, and nearly all others end at
/// filter_. The rest search the sorted pairs.
class DependenceSearch {
 public:
  using Subset = std::vector<std::uint32_t>;

  explicit DependenceSearch(const WordList& list)
      : list_(list), filter_(kFilterWords), used_(kFilterWords / 64) {
    const auto n = static_cast<std::uint32_t>(list.words.size());
    pairs_.reserve(static_cast<std::size_t>(pairs_of(n)));
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t j = i + 1; j < n; ++j) {
        const ZobristKey sum = word(i) ^ word(j);
        pairs_.push_back({sum, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)});
        const std::uint64_t at = filter_bit(sum);
        set_bit(filter_, at);
        set_bit(used_, at / 64);
      }
    }
    std::ranges::stable_sort(pairs_, {}, &Pair::sum);
  }

  const std::set<Subset>& run() {
    const auto n = static_cast<std::uint32_t>(list_.words.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      if (word(i) == ZobristKey{}) found_.insert({i});
      join({i}, word(i));
    }
    for (const Pair& pair : pairs_) {
      if (pair.sum == ZobristKey{}) found_.insert({pair.i, pair.j});
    }
    for (auto pair = pairs_.begin(); pair != pairs_.end() && !full(); ++pair) {
      for (auto other = pair + 1; other != pairs_.end() && other->sum == pair->sum; ++other)
        keep({pair->i, pair->j}, *other);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t j = i + 1; j < n && !full(); ++j) {
        const ZobristKey two = word(i) ^ word(j);
        for (std::uint32_t k = j + 1; k < n; ++k) {
          const ZobristKey three = two ^ word(k);
          if (may_be_a_pair(three)) [[unlikely]]
            join({i, j, k}, three);
        }
      }
    }
    return found_;
  }

 private:
  struct Pair {
    ZobristKey sum;
    std::uint16_t i;
    std::uint16_t j;
  };
  static constexpr int kFilterBits = 27;
  static constexpr std::size_t kFilterWords = std::size_t{1} << (kFilterBits - 6);

  [[nodiscard]] const ZobristKey& word(std::uint32_t i) const { return list_.words[i].word; }
  [[nodiscard]] bool full() const { return found_.size() >= WordAudit::kMaxListed; }

  static std::uint64_t filter_bit(const ZobristKey& sum) {
    return ((sum.low ^ sum.high) * 0x9e3779b97f4a7c15) >> (64 - kFilterBits);
  }
  static void set_bit(std::vector<std::uint64_t>& bits, std::uint64_t at) {
    bits[static_cast<std::size_t>(at / 64)] |= bit(static_cast<int>(at % 64));
  }
  static bool has_bit(const std::vector<std::uint64_t>& bits, std::uint64_t at) {
    return (bits[static_cast<std::size_t>(at / 64)] & bit(static_cast<int>(at % 64))) != 0;
  }
  [[nodiscard]] bool may_be_a_pair(const ZobristKey& sum) const {
    const std::uint64_t at = filter_bit(sum);
    return has_bit(used_, at / 64) && has_bit(filter_, at);
  }

  /// For each pair whose XOR is `sum`, stores the union of `subset` and the pair. `sum` must be the
  /// XOR of `subset`.
  void join(const Subset& subset, const ZobristKey& sum) {
    const auto [first, last] = std::ranges::equal_range(pairs_, sum, {}, &Pair::sum);
    for (auto pair = first; pair != last && !full(); ++pair) keep(subset, *pair);
  }
  void keep(Subset subset, const Pair& pair) {
    if (std::ranges::count(subset, pair.i) + std::ranges::count(subset, pair.j) > 0) return;
    subset.insert(subset.end(), {pair.i, pair.j});
    std::ranges::sort(subset);
    const auto same = [&](const auto& triple) { return std::ranges::equal(triple, subset); };
    if (subset.size() == 3 && std::ranges::any_of(list_.intended, same)) return;
    found_.insert(std::move(subset));
  }

  const WordList& list_;
  std::vector<Pair> pairs_;
  std::vector<std::uint64_t> filter_;
  std::vector<std::uint64_t> used_;  // bit i is set if filter_[i] is not zero
  std::set<Subset> found_;
};

int rank_of(const WordList& list) {
  std::array<ZobristKey, kKeyBits> basis{};  // indexed by the highest bit
  int rank = 0;
  for (const WordList::Word& entry : list.words) {
    ZobristKey rest = entry.word;
    while (rest != ZobristKey{}) {
      const int top =
          rest.high != 0 ? 127 - std::countl_zero(rest.high) : 63 - std::countl_zero(rest.low);
      ZobristKey& pivot = basis[static_cast<std::size_t>(top)];
      if (pivot == ZobristKey{}) {
        pivot = rest;
        ++rank;
        break;
      }
      rest ^= pivot;
    }
  }
  return rank;
}

/// Returns the least distance (number of different bits) that the audit allows between two words of
/// `bits` bits. This is the largest d for which pairs * P(Binomial(bits, 1/2) < d) <= kChance. If
/// the words are random, the probability that any of `pairs` pairs has a smaller distance is at
/// most kChance.
int distance_bound(double pairs, int bits) {
  double tail = 0;
  double term = std::exp2(-bits);  // P(Binomial = d)
  int d = 0;
  while ((tail + term) * pairs <= kChance) {
    tail += term;
    term *= static_cast<double>(bits - d) / (d + 1);
    ++d;
  }
  return d;
}

void audit_distances(const WordList& list, int bits, WordAudit& audit) {
  const auto n = static_cast<std::uint32_t>(list.words.size());
  audit.min_distance = bits;
  const auto look = [&](const ZobristKey& difference, const std::string& a, const std::string& b) {
    const int distance = popcount(difference.low) + popcount(difference.high);
    if (distance >= audit.min_distance) return;
    audit.min_distance = distance;
    audit.nearest = {a, b};
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto& [name, word, derived] = list.words[i];
    look(word, name, "zero");
    for (std::uint32_t j = i + 1; j < n; ++j)
      look(word ^ list.words[j].word, name, list.words[j].name);
  }
  audit.least_allowed_distance = distance_bound(static_cast<double>(pairs_of(n + 1)), bits);
}

void audit_balance(const WordList& list, int bits, WordAudit& audit) {
  std::array<std::size_t, kKeyBits> ones{};
  for (const WordList::Word& entry : list.words) {
    if (entry.derived) continue;
    for (int b = 0; b < bits; ++b) {
      const std::uint64_t half = b < 64 ? entry.word.low : entry.word.high;
      ones[static_cast<std::size_t>(b)] += (half >> (b % 64)) & 1;
    }
  }
  const auto n = static_cast<double>(audit.words - audit.derived);
  for (std::size_t b = 0; b < static_cast<std::size_t>(bits); ++b) {
    const double sigmas = std::abs(static_cast<double>(ones[b]) - n / 2) / (std::sqrt(n) / 2);
    if (sigmas < audit.worst_sigmas) continue;
    audit.worst_sigmas = sigmas;
    audit.worst_bit = static_cast<int>(b);
    audit.worst_bit_ones = ones[b];
  }
}

// Collisions.

/// A set of 128-bit hashes with open addressing, at most half full.
class HashSet {
 public:
  HashSet() : slots_(1024) {}

  /// Adds `hash`. Returns false if the set already contains it.
  bool insert(const Hash128& hash) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Hash128& slot = slot_of(hash);
    if (slot == hash) return false;
    slot = hash;
    ++size_;
    return true;
  }

 private:
  static constexpr Hash128 kFree{};

  Hash128& slot_of(const Hash128& hash) {
    std::size_t at = hash.low & (slots_.size() - 1);
    while (slots_[at] != kFree && slots_[at] != hash) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void grow() {
    std::vector<Hash128> old(2 * slots_.size());
    old.swap(slots_);
    for (const Hash128& hash : old) {
      if (hash != kFree) slot_of(hash) = hash;
    }
  }

  std::vector<Hash128> slots_;
  std::size_t size_ = 0;
};

/// Collects the keys of distinct positions.
class KeyCollector {
 public:
  KeyCollector(std::uint64_t seed, std::span<const int> bits) : strong_({seed, KeySpec::kMaxBits}) {
    for (const int width : bits) {
      MANYPLY_CHECK(width <= 64);
      weak_.push_back({KeySet({seed, width}), {}});
    }
  }

  /// Adds `board`. Returns false if it was added earlier.
  bool add(const Board& board) {
    if (!seen_.insert(fingerprint(board))) return false;
    differences_.push_back(strong_.key_from_scratch(board));
    for (Weak& weak : weak_) weak.keys.push_back(weak.set.key_from_scratch(board).high);
    return true;
  }

  [[nodiscard]] std::uint64_t positions() const { return differences_.size(); }

  /// Estimates the clustering (see CollisionAudit) from random pairs of positions. Returns at least
  /// 1. Let m be the number of pairs with a given difference. Two random pairs have the same
  /// difference with probability sum(m^2) / pairs^2, where the sum is over all differences.
  [[nodiscard]] double clustering() const {
    if (positions() < 2) return 1;
    // The estimate needs equal differences in the sample. With up to four million positions, about
    // 16 or more pairs of positions occur twice in the sample. So the sample has enough equal
    // differences, even if distinct pairs never have the same difference.
    const auto samples =
        static_cast<std::size_t>(std::clamp<std::uint64_t>(4 * positions(), 250'000, 16'000'000));
    Random random(samples);
    std::vector<ZobristKey> sample;
    sample.reserve(samples);
    while (sample.size() < samples) {
      const ZobristKey& a = differences_[static_cast<std::size_t>(random.below(positions()))];
      const ZobristKey& b = differences_[static_cast<std::size_t>(random.below(positions()))];
      if (a != b) sample.push_back(a ^ b);
    }
    const double same = static_cast<double>(equal_pairs(sample));
    const double q = same / static_cast<double>(pairs_of(samples));
    return std::max(1.0, q * static_cast<double>(pairs_of(positions())));
  }

  [[nodiscard]] std::vector<CollisionCount> count(double clustering) {
    std::vector<CollisionCount> counts;
    for (Weak& weak : weak_) {
      CollisionCount count{.bits = weak.set.spec().bits, .measured = equal_pairs(weak.keys)};
      count.expected = std::ldexp(static_cast<double>(pairs_of(positions())), -count.bits);
      const double margin = kSigmas * std::sqrt(clustering * count.expected);
      count.least = std::max(0.0, count.expected - margin);
      count.most = count.expected + margin + kSigmas * clustering;
      counts.push_back(count);
    }
    return counts;
  }

 private:
  struct Weak {
    KeySet set;
    std::vector<std::uint64_t> keys;  // upper halves of keys
  };

  template <typename Key>
  static std::uint64_t equal_pairs(std::vector<Key>& keys) {
    std::ranges::sort(keys);
    std::uint64_t pairs = 0;
    for (auto first = keys.begin(); first != keys.end();) {
      const auto last =
          std::find_if(first, keys.end(), [&](const Key& key) { return key != *first; });
      pairs += pairs_of(static_cast<std::uint64_t>(last - first));
      first = last;
    }
    return pairs;
  }

  HashSet seen_;
  KeySet strong_;
  std::vector<ZobristKey> differences_;  // keys of 128 bits; the XOR of two stands for a difference
  std::vector<Weak> weak_;
};

}  // namespace

WordList words_of(const KeySet& keys) {
  constexpr std::array kColors{"white", "black"};
  static constexpr std::array kKinds{"pawn", "knight", "bishop", "rook", "king", "queen"};
  WordList list;
  const auto add = [&list](std::string name, const ZobristKey& word, bool derived = false) {
    list.words.push_back({std::move(name), word, derived});
  };
  const auto number = [](std::size_t color, KeyKind kind, std::size_t square) {
    return static_cast<std::uint32_t>(
        (color * kKinds.size() + static_cast<std::size_t>(kind)) * kSquares + square);
  };
  for (std::size_t color = 0; color < kColors.size(); ++color) {
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      const KeyKind key_kind = static_cast<KeyKind>(kind);
      const KeySet::Squares& words = keys.pieces(static_cast<Color>(color), key_kind);
      for (int s = 0; s < kSquares; ++s) {
        add(std::string(kColors[color]) + ' ' + kKinds[kind] + ' ' + to_string(square_at(s)),
            words[static_cast<std::size_t>(s)], key_kind == KeyKind::kQueen);
      }
    }
    for (std::size_t s = 0; s < kSquares; ++s) {
      list.intended.push_back({number(color, KeyKind::kBishop, s), number(color, KeyKind::kRook, s),
                               number(color, KeyKind::kQueen, s)});
    }
  }
  for (int s = 0; s < kSquares; ++s)
    add("castling rook " + to_string(square_at(s)), keys.castling(s));
  for (int file = 0; file < 8; ++file)
    add(std::string("en passant file ") + static_cast<char>('a' + file), keys.en_passant(file));
  add("black to move", keys.black_to_move());
  for (int depth = 0; depth <= Depth::kMax; ++depth)
    add("depth " + std::to_string(depth), keys.depth(depth));
  return list;
}

WordAudit audit_words(const WordList& list, int bits) {
  MANYPLY_CHECK(list.words.size() < 65536);
  WordAudit audit;
  audit.words = list.words.size();
  audit.derived =
      static_cast<std::size_t>(std::ranges::count(list.words, true, &WordList::Word::derived));
  DependenceSearch search(list);
  for (const DependenceSearch::Subset& subset : search.run()) {
    audit.duplicates += subset.size() == 2 ? 1 : 0;
    std::vector<std::string>& names = audit.dependences.emplace_back();
    for (const std::uint32_t i : subset) names.push_back(list.words[i].name);
  }
  audit.rank = rank_of(list);
  audit.expected_rank = static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(bits), audit.words - audit.derived));
  audit_distances(list, bits, audit);
  audit_balance(list, bits, audit);
  return audit;
}

Result<CollisionAudit> measure_collisions(const Position& root, std::uint64_t seed,
                                          std::span<const int> bits, std::uint64_t max_positions,
                                          StopView stop) {
  constexpr std::uint64_t kBytesEach = 200;
  if (const std::uint64_t available = available_memory_bytes();
      max_positions > available / kBytesEach) {
    return Error{ErrorCode::kUnavailable, "positions", 0,
                 format_bytes(available) + " of memory are available, which is enough for only " +
                     std::to_string(available / kBytesEach) + " positions"};
  }
  const Kernel& kernel = best_kernel();
  KeyCollector collector(seed, bits);
  CollisionAudit audit;
  Random random(0);
  MoveList moves;
  for (int barren = 0; barren < kBarrenGames && collector.positions() < max_positions; ++barren) {
    if (stop.stop_requested()) return cancelled();
    Board board = root.board();
    for (int ply = 0; ply <= CollisionAudit::kGamePlies; ++ply) {
      if (collector.positions() < max_positions && collector.add(board)) barren = 0;
      moves = {};
      kernel.generate(board, moves);
      if (moves.empty()) break;
      board =
          kernel.make_unchecked(board, moves[static_cast<std::size_t>(random.below(moves.size()))]);
    }
    ++audit.games;
  }
  audit.positions = collector.positions();
  audit.clustering = collector.clustering();
  audit.counts = collector.count(audit.clustering);
  return audit;
}

}  // namespace manyply
