// A disk below SQLite that fails on request.
#pragma once

#include <sqlite3.h>

#include <climits>
#include <functional>
#include <utility>

namespace manyply {

/// During its lifetime, replaces SQLite's default file system by one that uses the same files, but
/// whose writes, syncs and truncations fail as requested. Only one object may exist at a time.
/// Databases must be opened and closed during its lifetime. Use it from one thread.
class FaultyDisk {
 public:
  FaultyDisk() {
    real_ = sqlite3_vfs_find(nullptr);
    vfs_ = *real_;
    vfs_.zName = "faulty";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = open;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~FaultyDisk() { sqlite3_vfs_unregister(&vfs_); }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  /// Numbers the operations from now on: 0, 1, … Operations `first` to first + count - 1 return
  /// `code`.
  void fail(int first, int count, int code) {
    done_ = 0;
    first_ = first;
    count_ = count;
    code_ = code;
  }
  void work() { fail(INT_MAX, 0, SQLITE_OK); }
  [[nodiscard]] int operations() const { return done_; }
  /// Calls `then` once, after the next sync.
  void after_sync(std::function<void()> then) { after_sync_ = std::move(then); }

 private:
  struct File {
    sqlite3_file base;
    [[nodiscard]] sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };
  static sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real(); }

  /// Returns SQLITE_OK or the error of the next operation.
  static int next() {
    const int number = done_++;
    return number >= first_ && number - first_ < count_ ? code_ : SQLITE_OK;
  }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    file->pMethods = nullptr;
    const int code = real_->xOpen(real_, name, real(file), flags, out);
    if (code != SQLITE_OK) return code;
    static sqlite3_io_methods methods = [] {
      sqlite3_io_methods m{};
      m.iVersion = 2;
      m.xClose = [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); };
      m.xRead = [](sqlite3_file* f, void* data, int bytes, sqlite3_int64 at) {
        return real(f)->pMethods->xRead(real(f), data, bytes, at);
      };
      m.xWrite = [](sqlite3_file* f, const void* data, int bytes, sqlite3_int64 at) {
        if (const int fault = next()) {
          // Write the first half to the disk.
          real(f)->pMethods->xWrite(real(f), data, bytes / 2, at);
          return fault;
        }
        return real(f)->pMethods->xWrite(real(f), data, bytes, at);
      };
      m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
        if (const int fault = next()) return fault;
        return real(f)->pMethods->xTruncate(real(f), size);
      };
      m.xSync = [](sqlite3_file* f, int flags) {
        if (const int fault = next()) return fault;
        const int done = real(f)->pMethods->xSync(real(f), flags);
        if (const auto then = std::exchange(after_sync_, nullptr)) then();
        return done;
      };
      m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
        return real(f)->pMethods->xFileSize(real(f), size);
      };
      m.xLock = [](sqlite3_file* f, int lock) { return real(f)->pMethods->xLock(real(f), lock); };
      m.xUnlock = [](sqlite3_file* f, int lock) {
        return real(f)->pMethods->xUnlock(real(f), lock);
      };
      m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
        return real(f)->pMethods->xCheckReservedLock(real(f), out);
      };
      m.xFileControl = [](sqlite3_file* f, int op, void* arg) {
        return real(f)->pMethods->xFileControl(real(f), op, arg);
      };
      m.xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); };
      m.xDeviceCharacteristics = [](sqlite3_file* f) {
        return real(f)->pMethods->xDeviceCharacteristics(real(f));
      };
      m.xShmMap = [](sqlite3_file* f, int page, int bytes, int extend, void volatile** out) {
        return real(f)->pMethods->xShmMap(real(f), page, bytes, extend, out);
      };
      m.xShmLock = [](sqlite3_file* f, int at, int n, int flags) {
        return real(f)->pMethods->xShmLock(real(f), at, n, flags);
      };
      m.xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); };
      m.xShmUnmap = [](sqlite3_file* f, int remove) {
        return real(f)->pMethods->xShmUnmap(real(f), remove);
      };
      return m;
    }();
    file->pMethods = &methods;
    return code;
  }

  static inline sqlite3_vfs* real_ = nullptr;
  static inline int done_ = 0;
  static inline int first_ = INT_MAX;
  static inline int count_ = 0;
  static inline int code_ = SQLITE_OK;
  static inline std::function<void()> after_sync_;
  sqlite3_vfs vfs_{};
};

}  // namespace manyply
