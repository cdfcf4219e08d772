// Code that all functions of the C interface use. It converts exceptions, errors and options, and
// runs jobs that the caller can watch and stop.
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
#include "tools/report/question.h"

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
/// Returns a copy of `text` with a terminating 0. The caller frees it with manyply_text_free().
/// Throws std::bad_alloc.
[[nodiscard]] char* kept_text(std::string_view text);

// These functions return a status code. If `error` is not null, they also store the status and the
// message in `error`.
int report(manyply_error* error, int status, std::string_view field, int column,
           std::string_view message);
int report(manyply_error* error, const Error& what);
/// Reports that the pointer `argument` is null.
int missing(manyply_error* error, std::string_view argument);
/// Reports the exception that is being handled. Call it only in a catch block.
int report_current_exception(manyply_error* error) noexcept;

/// Runs `body` and returns its status. If this status is MANYPLY_OK, clears `error`; for any other
/// status, `body` must have filled `error`. If `body` throws, fills `error` and returns the status
/// of the exception.
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

/// Copies `ours` into the caller's structure `theirs`, except for the member `size`. If `theirs` is
/// shorter than `ours`, copies only the bytes that fit.
template <typename Sized>
void fill_sized(Sized* theirs, Sized ours) {
  const std::size_t size = theirs->size;
  ours.size = size;
  std::memcpy(static_cast<void*>(theirs), &ours, std::min(size, sizeof ours));
}

[[nodiscard]] manyply_options default_options();
/// Returns the caller's options, with defaults for missing members. The caller's structure may be
/// shorter than ours (if the caller's program is older than the library) or longer (if it is
/// newer). If `given` is null, returns the defaults.
[[nodiscard]] manyply_options complete_options(const manyply_options* given);
/// Returns `options` as CountOptions. The field of an error names the invalid member of `options`.
Result<CountOptions> count_options_from(const manyply_options& options);
/// Returns an error with field "depth" if `plies` is not from 0 to 64.
Result<Depth> depth_of(int plies);

/// Translates the field of `error`: replaces the name of a command-line option ("hash") by the name
/// of the same option in manyply_options ("hash_bytes").
Error by_members(Error error);

/// How the caller stops and watches a job.
struct Watch {
  std::stop_token stop;
  PhaseObserver on_phase;
};

/// Runs `job` so that options.cancel and options.progress can stop it, and blocks until it ends.
/// Throws the exceptions of the job. If options.progress is set and `depth` is more than 3, the job
/// runs on another thread, and this thread calls options.progress.
void run_watched(const manyply_options& options, int depth,
                 const std::function<void(const Watch&)>& job);

}  // namespace manyply::c_api
