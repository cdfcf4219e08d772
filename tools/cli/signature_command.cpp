#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"

namespace manyply {
namespace {

struct SignatureOptions : Means, Showing {};

struct Item {
  const char* fen;
  int depth;
  std::uint64_t nodes;
};

// Every rule that generators get wrong, some hundred million leaves in all. Never change this list:
// signatures of different builds are compared.
constexpr std::array kItems{
    Item{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4'865'609},
    Item{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4'085'603},
    Item{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11'030'083},
    Item{"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5, 15'833'292},
    Item{"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2'103'487},
    Item{"8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3 0 28", 6, 38'633'283},
    // The corner is captured.
    Item{"4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", 5, 1'202'493},
    // Promotions.
    Item{"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 5, 3'605'103},
    // Pinned on the rank.
    Item{"8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1", 6, 1'173'505},
    // 218 moves.
    Item{"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 3, 19'073},
    // Chess960, and its castling.
    Item{"bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - 0 1", 5, 3'876'433},
    Item{"1r1k1r2/p6p/8/2n5/8/5b2/P6P/RK3R2 w FAfb - 0 1", 4, 61'426},
};

constexpr std::uint64_t kSignature = 86'489'390;
static_assert(std::accumulate(kItems.begin(), kItems.end(), std::uint64_t{0},
                              [](std::uint64_t sum, const Item& item) {
                                return sum + item.nodes;
                              }) == kSignature);

int run_signature(const SignatureOptions& options, Io& io) {
  NodeCount total;
  bool wrong = false;
  bool hashed = false;
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  std::string csv = "fen,depth,nodes\n";
  std::string differences;
  for (const Item& item : kItems) {
    const Result<NamedPosition> root = parse_position(item.fen);
    if (!root) return fail(io, root.error());
    const Result<JobSpec> job = make_job(question_of(*root, Depth(item.depth)), options);
    if (!job) return fail(io, job.error());
    const Result<Report> report = run_and_show(*job, options, io);
    if (!report) return fail(io, report.error());
    hashed |= report->hash.has_value();
    total += report->nodes;
    const std::string nodes = report->nodes.to_string();
    items.push_back({{"fen", item.fen},
                     {"depth", item.depth},
                     {"nodes", nodes},
                     {"expected", std::to_string(item.nodes)}});
    csv += fmt::format("{},{},{}\n", item.fen, item.depth, nodes);
    if (report->nodes == item.nodes) continue;
    wrong = true;  // whatever the sum: two errors may cancel out
    differences += fmt::format("depth {}: expected {}, counted {}  {}\n", item.depth, item.nodes,
                               nodes, item.fen);
  }

  if (options.format == Format::kJson) {
    const nlohmann::ordered_json json{{"signature", total.to_string()},
                                      {"expected", std::to_string(kSignature)},
                                      {"verdict", wrong ? "mismatch" : "match"},
                                      {"positions", items}};
    io.out << json.dump() << '\n';
  } else if (options.format == Format::kCsv) {
    io.out << csv << "total,," << total.to_string() << '\n';
  } else {
    io.out << total.to_string() << '\n'
           << differences
           << (wrong ? fmt::format("mismatch: every correct build prints {}\n", kSignature)
                     : fmt::format("match: leaves of {} fixed positions, as every correct build "
                                   "counts them\n",
                                   kItems.size()));
  }
  if (!hashed) note_unused_table(options, io);
  return wrong ? kExitMismatch : kExitOk;
}

}  // namespace

Command signature_command() {
  using namespace flags;
  return make_command<SignatureOptions>(
      {.name = "signature", .summary = "Check this build by one number, 86489390", .about = R"(
The leaves of a fixed list of positions, added up: 86489390 on every machine, with every kernel and
any number of threads. Exit code: 0 if that is what this build counts, 1 if not (the build is
broken, or --key-bits made false matches), 2 on an error, 130 on Ctrl-C.)"},
      {kCounting, kPlainFormat, kProgress}, run_signature);
}

}  // namespace manyply
