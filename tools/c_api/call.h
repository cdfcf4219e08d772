// Code of all functions of the C interface. It converts exceptions, errors and options, and runs
// jobs that the caller can watch and stop.
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
#include "tools/report/count_options.h"

struct manyply_position {
  manyply::Line line;
};

struct manyply_cancel {
  std::stop_source source;
};

namespace manyply::c_api {

/// Copies `text` with a terminating 0 into a buffer of `capacity` bytes, truncated if necessary.
/// Returns the full length of `text` without the 0.
std::size_t copy_text(std::string_view text, char* buffer, std::size_t capacity);
/// Returns a copy. The caller frees it with manyply_text_free().
[[nodiscard]] char* kept_text(std::string_view text);

// These functions fill `error`, which may be null, and return the status.
int report(manyply_error* error, int status, std::string_view field, int column,
           std::string_view message);
int report(manyply_error* error, const Error& what);
int missing(manyply_error* error, std::string_view argument);
int report_current_exception(manyply_error* error) noexcept;

/// Runs `body`, which returns a status. Converts exceptions to a status.
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

/// Copies the first bytes of `ours` into the caller's structure. The caller's structure may be
/// shorter than ours. Only the bytes that fit are copied.
template <typename Sized>
void fill_sized(Sized* theirs, Sized ours) {
  const std::size_t size = theirs->size;
  ours.size = size;
  std::memcpy(static_cast<void*>(theirs), &ours, std::min(size, sizeof ours));
}

[[nodiscard]] manyply_options default_options();
/// Returns the caller's options, with defaults for missing members. The caller's structure may be
/// shorter than ours (if the program is older) or longer (if it is newer). Null means no options.
[[nodiscard]] manyply_options complete_options(const manyply_options* given);
/// Convert options. Errors name the member.
Result<CountOptions> count_options_from(const manyply_options& options);
Result<Depth> depth_of(int plies);

/// Replaces the names of flags in an error of parallel/. The new names are those of the options'
/// members.
Error by_members(Error error);

/// How the caller stops and watches a job.
struct Watch {
  std::stop_token stop;
  PhaseObserver on_phase;
};

/// Runs `job` so that the caller can stop it. Throws the exceptions of the job. If options.progress
/// is set and `depth` is large enough, the job runs on another thread, and this thread calls
/// options.progress.
void run_watched(const manyply_options& options, int depth,
                 const std::function<void(const Watch&)>& job);

}  // namespace manyply::c_api
