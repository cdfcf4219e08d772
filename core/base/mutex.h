// A mutex and lock that clang's thread-safety analysis (-Wthread-safety) understands.
#pragma once

#include <mutex>

#if defined(__clang__)
#define MANYPLY_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define MANYPLY_THREAD_ANNOTATION(x)
#endif

/// Threads may read and write the annotated field only while they hold `mutex`.
#define MANYPLY_GUARDED_BY(mutex) MANYPLY_THREAD_ANNOTATION(guarded_by(mutex))
/// Callers of the annotated function must hold `mutex`.
#define MANYPLY_REQUIRES(mutex) MANYPLY_THREAD_ANNOTATION(requires_capability(mutex))

namespace manyply {

/// A std::mutex with annotations. Not recursive.
class MANYPLY_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() MANYPLY_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() MANYPLY_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Locks a Mutex in the constructor and unlocks it in the destructor.
class MANYPLY_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) MANYPLY_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() MANYPLY_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace manyply
