// What every function of the C interface is made of: a wall that no exception passes, errors and
// options in C's structures, and a caller who watches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "core/base/node_count.h"
#include "core/line.h"
#include "parallel/jobs/verify.h"
#include "tools/c_api/manyply.h"
#include "tools/report/limits.h"

struct manyply_position {
  manyply::Line line;
};

struct manyply_cancel {
  std::stop_source source;
};

namespace manyply::c_api {

/// `text` with its 0 into a buffer of `capacity` bytes; its whole length.
std::size_t copy_text(std::string_view text, char* buffer, std::size_t capacity);
/// A copy that manyply_text_free() takes.
[[nodiscard]] char* kept_text(std::string_view text);

// These fill `error`, which may be null, and return its status.
int report(manyply_error* error, int status, std::string_view field, int column,
           std::string_view message);
int report(manyply_error* error, const Error& what);
int missing(manyply_error* error, std::string_view argument);
int report_current_exception(manyply_error* error) noexcept;

/// Runs `body`, which returns a status; turns exceptions into one.
template <typename Body>
int guarded(manyply_error* error, Body body) noexcept {
  try {
    const int status = body();
    if (status == MANYPLY_OK) report(error, MANYPLY_OK, "", 0, "");
    return status;
  } catch (...) {
    return report_current_exception(error);
  }
}

[[nodiscard]] manyply_count words_of(NodeCount count);
[[nodiscard]] manyply_move move_text(Move move, CastlingNotation notation);

/// What the caller's structure, which may be shorter than ours, has room for.
template <typename Sized>
void fill_sized(Sized* theirs, Sized ours) {
  const std::size_t size = theirs->size;
  ours.size = size;
  std::memcpy(static_cast<void*>(theirs), &ours, std::min(size, sizeof ours));
}

[[nodiscard]] manyply_options default_options();
/// A caller's structure may be older and shorter, or newer and longer, than ours; null is none.
[[nodiscard]] manyply_options complete_options(const manyply_options* given);
/// Errors name the members.
Result<Limits> limits_of(const manyply_options& options);
Result<Depth> depth_of(int plies);

/// What parallel/ calls by the names of flags is called here as the members of the options are.
Error by_members(Error error);

/// What a job is stopped by, and where it tells how far it is.
struct Watch {
  std::stop_token stop;
  PhaseObserver on_phase;
};

/// Runs `job` where the caller may stop it; it may throw. If options.progress is to be called and
/// `depth` is worth that, on a thread of its own while this one calls.
void run_watched(const manyply_options& options, int depth,
                 const std::function<void(const Watch&)>& job);

}  // namespace manyply::c_api
