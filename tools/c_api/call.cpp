#include "tools/c_api/call.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "hash/zobrist.h"
#include "parallel/jobs/job.h"

namespace manyply::c_api {
namespace {

/// Counts of at most this number of plies end before there is progress to report.
constexpr int kUnwatchedPlies = 3;

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return MANYPLY_INVALID_INPUT;
    case ErrorCode::kIllegal:
      return MANYPLY_ILLEGAL;
    case ErrorCode::kOverflow:
      return MANYPLY_OVERFLOW;
    case ErrorCode::kCancelled:
      return MANYPLY_CANCELLED;
    case ErrorCode::kUnavailable:
      return MANYPLY_UNAVAILABLE;
    case ErrorCode::kInternal:
      break;
  }
  return MANYPLY_INTERNAL;
}

Error bad_option(const char* member, std::string why) {
  return {ErrorCode::kInvalidInput, member, 0, std::move(why)};
}

/// The current phase of a job. The job's thread sets it, and the caller's thread shows it.
class WatchedPhase {
 public:
  Progress* enter(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    name_ = name;
    progress_ = std::make_shared<Progress>();
    return progress_.get();
  }

  /// Calls `call` with the progress. Returns whether `call` wants to cancel the job.
  bool show(manyply_progress_function call, void* user) {
    std::shared_ptr<const Progress> progress;
    std::string name;
    {
      const std::scoped_lock lock(mutex_);
      progress = progress_;
      name = name_;
    }
    const ProgressSnapshot now = progress ? progress->snapshot() : ProgressSnapshot{};
    if (name.empty()) name = to_string(now.step);
    const manyply_progress shown{.size = sizeof(manyply_progress),
                                 .leaves = now.leaves,
                                 .visited = now.visited,
                                 .units_done = now.units_done,
                                 .units_total = now.units_total,
                                 .fraction = now.share_done().value_or(-1),
                                 .phase = name.c_str()};
    return call(&shown, user) != 0;
  }

 private:
  std::mutex mutex_;  // a thread that holds this mutex takes no other lock
  std::string name_;
  std::shared_ptr<Progress> progress_;
};

/// Runs `job` on another thread, and meanwhile calls options.progress on this thread.
void run_shown(const manyply_options& options, std::stop_source& stop,
               const std::function<void(const Watch&)>& job) {
  WatchedPhase phase;
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;             // guarded by mutex
  std::exception_ptr exception;  // written before `done`
  const std::jthread worker([&] {
    try {
      job({stop.get_token(), [&](std::string_view name) { return phase.enter(name); }});
    } catch (...) {
      exception = std::current_exception();
    }
    const std::scoped_lock lock(mutex);
    done = true;
    done_changed.notify_one();
  });
  const std::chrono::duration<double> pause(std::clamp(options.progress_seconds, 0.001, 3600.0));
  {
    std::unique_lock lock(mutex);
    while (!done_changed.wait_for(lock, pause, [&] { return done; })) {
      lock.unlock();
      if (!stop.stop_requested() && phase.show(options.progress, options.user)) stop.request_stop();
      lock.lock();
    }
  }
  if (exception) std::rethrow_exception(exception);
}

}  // namespace

std::size_t copy_text(std::string_view text, char* buffer, std::size_t capacity) {
  if (buffer != nullptr && capacity > 0) {
    const std::size_t length = std::min(text.size(), capacity - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return text.size();
}

char* kept_text(std::string_view text) {
  char* const kept = new char[text.size() + 1];
  copy_text(text, kept, text.size() + 1);
  return kept;
}

int report(manyply_error* error, int status, std::string_view field, int column,
           std::string_view message) {
  if (error != nullptr) {
    *error = {};
    error->status = status;
    error->column = column;
    copy_text(field, error->field, sizeof error->field);
    copy_text(message, error->message, sizeof error->message);
  }
  return status;
}
int report(manyply_error* error, const Error& what) {
  return report(error, status_of(what.code), what.field, what.column, what.message);
}
int missing(manyply_error* error, std::string_view argument) {
  return report(error, MANYPLY_INVALID_INPUT, argument, 0, "must not be NULL");
}
int report_current_exception(manyply_error* error) noexcept {
  try {
    throw;
  } catch (const CountOverflow& problem) {
    return report(error, MANYPLY_OVERFLOW, "", 0, problem.what());
  } catch (const std::bad_alloc&) {
    return report(error, MANYPLY_UNAVAILABLE, "", 0, "out of memory");
  } catch (const std::exception& problem) {
    return report(error, MANYPLY_INTERNAL, "", 0, problem.what());
  } catch (...) {
    return report(error, MANYPLY_INTERNAL, "", 0, "unknown exception");
  }
}

manyply_count words_of(NodeCount count) { return {count.high(), count.low()}; }

manyply_move move_text(Move move, CastlingNotation notation) {
  manyply_move text{};
  copy_text(to_uci(move, notation), text.text, sizeof text.text);
  return text;
}

manyply_options default_options() {
  manyply_options options{};
  options.size = sizeof options;
  options.hash_bytes = MANYPLY_HASH_AUTO;
  options.key_seed = KeySpec::kDefaultSeed;
  options.progress_seconds = 0.1;
  options.sample_seed = 1;
  return options;
}

manyply_options complete_options(const manyply_options* given) {
  manyply_options options = default_options();
  if (given != nullptr) {
    const std::size_t size = std::min(given->size, sizeof options);
    std::memcpy(&options, given, size);
    options.size = sizeof options;
  }
  return options;
}

Result<CountOptions> count_options_from(const manyply_options& options) {
  CountOptions count_options;
  if (options.threads < 0 || options.threads > kMaxThreads)
    return bad_option("threads", "must be a number from 0 to " + std::to_string(kMaxThreads));
  count_options.threads = options.threads;
  if (options.hash_bytes != MANYPLY_HASH_OFF && options.hash_bytes < kMinHashBytes)
    return bad_option("hash_bytes",
                      "must be MANYPLY_HASH_AUTO, MANYPLY_HASH_OFF, or at least 65536");
  if (options.hash_bytes != MANYPLY_HASH_AUTO) count_options.table_bytes = options.hash_bytes;
  if (options.key_seed != KeySpec::kDefaultSeed && options.hash_bytes != MANYPLY_HASH_OFF)
    count_options.key_seed = options.key_seed;
  switch (options.method) {
    case MANYPLY_METHOD_AUTO:
      count_options.method = Method::kAuto;
      break;
    case MANYPLY_METHOD_HASHED:
      count_options.method = Method::kHashed;
      break;
    case MANYPLY_METHOD_CONFIGURATIONS:
      count_options.method = Method::kConfigurations;
      break;
    default:
      return bad_option("method",
                        "must be one of MANYPLY_METHOD_AUTO, _HASHED and _CONFIGURATIONS");
  }
  if (options.kernel != nullptr) {
    const Result<const Kernel*> kernel = find_kernel(options.kernel);
    if (!kernel) return bad_option("kernel", kernel.error().message);
    count_options.kernel = *kernel;
  }
  return count_options;
}

Error by_members(Error error) {
  if (error.field == "hash" || error.field == "memory") error.field = "hash_bytes";
  if (error.field == "key-seed") error.field = "key_seed";
  return error;
}

Result<Depth> depth_of(int plies) {
  if (plies < 0 || plies > Depth::kMax)
    return bad_option("depth", "must be a number from 0 to " + std::to_string(Depth::kMax));
  return Depth(plies);
}

void run_watched(const manyply_options& options, int depth,
                 const std::function<void(const Watch&)>& job) {
  std::stop_source stop;
  const std::stop_token outer =
      options.cancel != nullptr ? options.cancel->source.get_token() : std::stop_token{};
  const std::stop_callback pass_on(outer, [&] { stop.request_stop(); });
  if (options.progress == nullptr || depth <= kUnwatchedPlies) {
    job({stop.get_token(), {}});
  } else {
    run_shown(options, stop, job);
  }
}

}  // namespace manyply::c_api
