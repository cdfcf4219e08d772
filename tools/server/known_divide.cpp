#include "tools/server/known_divide.h"

#include <thread>

#include "core/base/stopped_within.h"
#include "core/counting.h"
#include "core/kernel.h"
#include "tools/report/report_format.h"

namespace manyply {

std::optional<std::vector<DivideEntry>> stored_divide(JobManager& jobs, JobRequest request) {
  for (const CountMode mode : {CountMode::kCount, CountMode::kConfigurations, CountMode::kHashed,
                               CountMode::kUnhashed, CountMode::kStatistics}) {
    request.mode = mode;
    const auto known = jobs.find_result(request);
    if (!known || !*known) continue;
    auto divide = divide_in((*known)->document, request.line.named());
    if (divide) return std::move(divide).value();
  }
  return std::nullopt;
}

std::optional<std::vector<DivideEntry>> counted_divide(const JobRequest& request,
                                                       std::chrono::milliseconds patience,
                                                       const std::stop_token& enough) {
  std::stop_source stop;
  const std::stop_callback forward(enough, [&stop] { stop.request_stop(); });
  const std::jthread clock([&](const std::stop_token& done) {
    if (!stopped_within(patience, done)) stop.request_stop();
  });
  const NamedPosition& named = request.line.named();
  std::vector<DivideEntry> rows;
  CountStats stats;
  for (const Move move : legal_moves(named.position)) {
    const auto nodes =
        count_nodes(named.position.after_unchecked(move), Depth(request.depth.plies() - 1),
                    best_kernel(), stop.get_token(), stats);
    if (!nodes || stop.stop_requested()) return std::nullopt;
    rows.push_back({move, *nodes});
  }
  return rows;
}

}  // namespace manyply
