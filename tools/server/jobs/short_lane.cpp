#include "tools/server/jobs/short_lane.h"

#include <fmt/format.h>

namespace manyply {
namespace {

ShortLane::Clock::duration allowance_of(const ShortLaneOptions& options, int cores) {
  return std::chrono::duration_cast<ShortLane::Clock::duration>(ShortLane::kWindow * cores *
                                                                options.share);
}

double seconds_of(ShortLane::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

ShortLane::ShortLane(const ShortLaneOptions& options, int cores)
    : limit_(options.limit),
      allowance_(options.on() ? allowance_of(options, cores) : Clock::duration()) {}

std::optional<Error> ShortLane::judge(const ShortLaneOptions& options, int cores) {
  if (options.limit.count() < 0)
    return Error{ErrorCode::kInvalidInput, "short-limit", 0, "must not be negative"};
  if (!(options.share >= 0 && options.share <= 1))
    return Error{ErrorCode::kInvalidInput, "short-share", 0, "must be a percentage from 0 to 100"};
  const Clock::duration allowance = allowance_of(options, cores);
  if (!options.on() || options.limit <= allowance) return std::nullopt;
  return Error{
      ErrorCode::kInvalidInput, "short-limit", 0,
      fmt::format("must not exceed the CPU time that --short-share allows per minute, {:.1f} s",
                  seconds_of(allowance))};
}

bool ShortLane::takes(double core_seconds) const {
  return allowance_.count() > 0 && core_seconds <= seconds_of(limit_);
}

bool ShortLane::has_room(Clock::time_point now) {
  while (!runs_.empty() && runs_.front().end <= now - kWindow) {
    spent_ -= runs_.front().used;
    runs_.pop_front();
  }
  return spent_ + limit_ <= allowance_;
}

void ShortLane::charge(Clock::duration used, Clock::time_point end) {
  runs_.push_back({end, used});
  spent_ += used;
  total_seconds_ += seconds_of(used);
}

}  // namespace manyply
