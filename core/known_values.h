// Published perft values, and the signature of a build. Jobs compare every total with the published
// values.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/node_count.h"
#include "core/fen.h"
#include "core/position.h"

namespace manyply {

enum class KnownVerdict { kUnknown, kMatch, kMismatch };
[[nodiscard]] std::string_view to_string(KnownVerdict verdict);  ///< "unknown", "match", "mismatch"
/// Returns the verdict whose to_string() is `name`; kUnknown for any other text.
[[nodiscard]] KnownVerdict known_verdict(std::string_view name);

/// Returns the published count of `position` at `depth`; nullopt if no count was published. Returns
/// 1 at depth 0 for every position.
[[nodiscard]] std::optional<NodeCount> known_value(const Position& position, Depth depth);

/// Returns all positions with published counts. The start position is the first.
[[nodiscard]] std::span<const EpdRecord> published_positions();

/// Compares a count with the published count. Returns kUnknown if `known` is empty.
[[nodiscard]] KnownVerdict compare_with_known(std::optional<NodeCount> known, NodeCount nodes);

/// Returns the published number of distinct positions `depth` plies below `position`; nullopt if no
/// number was published. Returns 1 at depth 0 for every position.
[[nodiscard]] std::optional<NodeCount> known_distinct(const Position& position, Depth depth);

// The signature is a number that every correct build computes. It is the total number of leaves of
// a fixed list of positions. It has nothing to do with the signatures of keys in tables.

/// A position, a depth and its perft.
struct SignatureItem {
  const char* fen;
  int depth;
  std::uint64_t nodes;
};

// The list covers every rule that move generators often get wrong. It has about 86 million leaves
// in total. Do not change it, because signatures of different builds are compared.
inline constexpr std::array kSignatureItems{
    SignatureItem{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4'865'609},
    SignatureItem{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4,
                  4'085'603},
    SignatureItem{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11'030'083},
    SignatureItem{"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5,
                  15'833'292},
    SignatureItem{"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2'103'487},
    SignatureItem{"8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3 0 28", 6, 38'633'283},
    // A rook in the corner is captured.
    SignatureItem{"4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", 5, 1'202'493},
    // Promotions.
    SignatureItem{"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 5, 3'605'103},
    // An en passant capture would uncover a check along the rank.
    SignatureItem{"8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1", 6, 1'173'505},
    // A position with 218 moves.
    SignatureItem{"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 3, 19'073},
    // Chess960 and its castling.
    SignatureItem{"bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - 0 1", 5, 3'876'433},
    SignatureItem{"1r1k1r2/p6p/8/2n5/8/5b2/P6P/RK3R2 w FAfb - 0 1", 4, 61'426},
};

/// The sum that every correct build computes.
inline constexpr std::uint64_t kSignature = 86'489'390;
static_assert(std::accumulate(kSignatureItems.begin(), kSignatureItems.end(), std::uint64_t{0},
                              [](std::uint64_t sum, const SignatureItem& item) {
                                return sum + item.nodes;
                              }) == kSignature);

}  // namespace manyply
