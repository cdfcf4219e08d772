#include "core/known_values.h"

#include <iterator>
#include <vector>

#include "core/base/text.h"

namespace manyply {
namespace {

// Several independent programs have computed each value. Slow tests recompute the values of the
// start position up to depth 10. For the other positions, they recompute values up to 5 * 10^11.
// The last two positions have exposed bugs in well-known programs.
constexpr std::string_view kPublished = R"(
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ;D1 20 ;D2 400 ;D3 8902 ;D4 197281 ;D5 4865609 ;D6 119060324 ;D7 3195901860 ;D8 84998978956 ;D9 2439530234167 ;D10 69352859712417 ;D11 2097651003696806 ;D12 62854969236701747 ;D13 1981066775000396239 ;D14 61885021521585529237 ;D15 2015099950053364471960
r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - ;D1 48 ;D2 2039 ;D3 97862 ;D4 4085603 ;D5 193690690 ;D6 8031647685 ;D7 374190009323 ;D8 15493944087984 ;D9 708027759953502
8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - ;D1 14 ;D2 191 ;D3 2812 ;D4 43238 ;D5 674624 ;D6 11030083 ;D7 178633661 ;D8 3009794393
r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - ;D1 6 ;D2 264 ;D3 9467 ;D4 422333 ;D5 15833292 ;D6 706045033
rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - ;D1 44 ;D2 1486 ;D3 62379 ;D4 2103487 ;D5 89941194
r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - ;D1 46 ;D2 2079 ;D3 89890 ;D4 3894594 ;D5 164075551 ;D6 6923051137 ;D7 287188994746 ;D8 11923589843526 ;D9 490154852788714
8/3K4/2p5/p2b2r1/5k2/8/8/1q6 b - - ;D1 50 ;D2 279
8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3 ;D6 38633283
rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 ;D5 11139762
4k3/8/8/8/8/5b2/7R/4K2R b K - ;D4 92197 ;D5 1202493
rnbq1b1r/ppppkppp/4pn2/8/1Q6/2PP4/PP2PPPP/RNB1KBNR b KQ - ;D7 3016055832
)";

std::vector<EpdRecord> parse_published() {
  std::vector<EpdRecord> records;
  for (std::string_view rest = kPublished; !rest.empty();) {
    Result<std::optional<EpdRecord>> record = parse_epd_line(cut_line(rest));
    if (*record) records.push_back(**record);
  }
  return records;
}

}  // namespace

std::string_view to_string(KnownVerdict verdict) {
  switch (verdict) {
    case KnownVerdict::kUnknown:
      return "unknown";
    case KnownVerdict::kMatch:
      return "match";
    case KnownVerdict::kMismatch:
      return "mismatch";
  }
  return "unknown";
}

KnownVerdict known_verdict(std::string_view name) {
  for (const auto verdict : {KnownVerdict::kMatch, KnownVerdict::kMismatch}) {
    if (name == to_string(verdict)) return verdict;
  }
  return KnownVerdict::kUnknown;
}

std::span<const EpdRecord> published_positions() {
  static const std::vector<EpdRecord> published = parse_published();
  return published;
}

std::optional<NodeCount> known_value(const Position& position, Depth depth) {
  if (depth == Depth(0)) return NodeCount(1);  // by definition, for every position
  for (const EpdRecord& record : published_positions()) {
    if (record.root.position != position) continue;
    for (const EpdCount& count : record.counts) {
      if (count.depth == depth) return count.nodes;
    }
  }
  return std::nullopt;
}

KnownVerdict compare_with_known(std::optional<NodeCount> known, NodeCount nodes) {
  if (!known) return KnownVerdict::kUnknown;
  return *known == nodes ? KnownVerdict::kMatch : KnownVerdict::kMismatch;
}

std::optional<NodeCount> known_distinct(const Position& position, Depth depth) {
  // OEIS A083276. The tests recompute the values up to ply 9.
  constexpr std::uint64_t kFromStart[] = {
      1,         20,         400,         5'362,         72'078,         822'518,
      9'417'681, 96'400'068, 988'187'354, 9'183'421'888, 85'375'278'064, 726'155'461'002};
  const auto ply = static_cast<std::size_t>(depth.plies());
  if (ply == 0) return NodeCount(1);
  if (position != Position() || ply >= std::size(kFromStart)) return std::nullopt;
  return kFromStart[ply];
}

}  // namespace manyply
