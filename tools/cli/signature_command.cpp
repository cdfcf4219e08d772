#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tools/cli/commands.h"
#include "tools/cli/job_runner.h"

namespace manyply {
namespace {

struct Item {
  const char* fen;
  int depth;
};

// Every rule that generators get wrong, some hundred million leaves in all. Never change this list:
// signatures of different builds are compared.
constexpr std::array kItems{
    Item{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5},
    Item{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4},
    Item{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6},
    Item{"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5},
    Item{"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4},
    Item{"8/7p/p5pb/4k3/P1pPn3/8/P5PP/1rB2RK1 b - d3 0 28", 6},
    Item{"4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", 5},                         // corner captured
    Item{"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 5},                   // promotions
    Item{"8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1", 6},                         // pinned on the rank
    Item{"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 3},      // 218 moves
    Item{"bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - 0 1", 5},  // Chess960
    Item{"1r1k1r2/p6p/8/2n5/8/5b2/P6P/RK3R2 w FAfb - 0 1", 4},            // Chess960 castling
};

}  // namespace

int run_signature(const Options& options, Io& io) {
  NodeCount total;
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  std::string csv = "fen,depth,nodes\n";
  for (const Item& item : kItems) {
    const Result<NamedPosition> root = parse_position(item.fen);
    if (!root) return fail(io, root.error());
    const Result<JobSpec> job = make_job(options, *root, Depth(item.depth));
    if (!job) return fail(io, job.error());
    const Result<Report> report = run_and_show(*job, options, io);
    if (!report) return fail(io, report.error());
    total += report->nodes;
    const std::string nodes = report->nodes.to_string();
    items.push_back({{"fen", item.fen}, {"depth", item.depth}, {"nodes", nodes}});
    csv += fmt::format("{},{},{}\n", item.fen, item.depth, nodes);
  }

  if (options.format == Format::kJson) {
    const nlohmann::ordered_json json{{"signature", total.to_string()}, {"positions", items}};
    io.out << json.dump() << '\n';
  } else if (options.format == Format::kCsv) {
    io.out << csv << "total,," << total.to_string() << '\n';
  } else {
    io.out << fmt::format(
        "{}\nleaves of {} fixed positions; every correct build prints this number\n",
        total.to_string(), kItems.size());
  }
  return kExitOk;
}

}  // namespace manyply
