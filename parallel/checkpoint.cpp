#include "parallel/checkpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "parallel/unit_record.h"

namespace manyply {

namespace {

struct Header {
  std::array<char, 8> magic{'M', 'A', 'N', 'Y', 'P', 'L', 'Y', '1'};
  Hash128 identity;
  std::uint64_t units = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Header) == 40);

/// Of everything before the checksum itself.
std::uint64_t checksum_of(const Header& header) {
  return xxh3_64(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum)));
}

/// Reads as much as there is, up to `bytes`; -1 on an error.
ssize_t read_fully(int file, void* data, std::size_t bytes) {
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t n = read(file, static_cast<char*>(data) + have, bytes - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(have);
}

/// What the last system call that failed says.
std::string system_error() { return std::generic_category().message(errno); }

}  // namespace

CheckpointFile::~CheckpointFile() {
  if (file_ >= 0) close(file_);
}

Error CheckpointFile::problem(const std::string& what) const {
  return {ErrorCode::kUnavailable, "checkpoint", 0, path_ + ": " + what};
}

Result<std::vector<std::optional<NodeCount>>> CheckpointFile::open(const Hash128& identity,
                                                                   std::size_t units) {
  MANYPLY_CHECK(file_ < 0);
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) return problem(system_error());
  struct stat status{};
  if (fstat(file_, &status) != 0) return problem(system_error());
  if (!S_ISREG(status.st_mode)) return problem("is not a regular file");
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) return problem("is in use by another job");

  std::vector<std::optional<NodeCount>> known(units);
  identity_ = identity;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  Header expected{.identity = identity, .units = units};
  expected.checksum = checksum_of(expected);

  Header header;
  const ssize_t header_bytes = read_fully(file_, &header, sizeof header);
  if (header_bytes < 0) return problem(system_error());
  // A job killed within its first write leaves the beginning of its own header, and nothing else.
  const auto have = static_cast<std::size_t>(header_bytes);
  const bool begun = have < sizeof header && std::memcmp(&header, &expected, have) == 0;
  std::uint64_t good = 0;
  if (!begun) {
    if (have < sizeof header || header.magic != expected.magic)
      return problem("is not a checkpoint");
    if (header.checksum != checksum_of(header)) return problem("has a damaged header");
    if (header.identity != identity || header.units != units)
      return problem("belongs to another job");
    good = sizeof header;
    UnitRecord record;
    while (read_fully(file_, &record, sizeof record) == sizeof record && record.intact(identity_) &&
           record.unit < units) {
      resumed_units_ += known[record.unit] ? 0 : 1;
      known[record.unit] = record.count();
      good += sizeof record;
    }
  }
  dropped_bytes_ = begun ? 0 : size - good;
  if (ftruncate(file_, static_cast<off_t>(good)) != 0 ||
      lseek(file_, static_cast<off_t>(good), SEEK_SET) < 0) {
    return problem(system_error());
  }
  if (good == 0) {
    if (auto error = write_all(&expected, sizeof expected)) return *std::move(error);
  }
  const MutexLock lock(mutex_);
  if (auto error = sync()) return *std::move(error);
  return known;
}

std::optional<Error> CheckpointFile::write_all(const void* data, std::size_t bytes) const {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = write(file_, next, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return problem(system_error());
    next += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return std::nullopt;
}

std::optional<Error> CheckpointFile::sync() {
  last_sync_ = std::chrono::steady_clock::now();
  if (fdatasync(file_) != 0) return problem(system_error());
  return std::nullopt;
}

std::optional<Error> CheckpointFile::record(std::size_t unit, NodeCount count) {
  const UnitRecord record = UnitRecord::of(unit, count, identity_);
  const MutexLock lock(mutex_);
  if (auto error = write_all(&record, sizeof record)) return error;
  if (std::chrono::steady_clock::now() - last_sync_ < kSyncInterval) return std::nullopt;
  return sync();
}

std::optional<Error> CheckpointFile::flush() {
  const MutexLock lock(mutex_);
  return sync();
}

}  // namespace manyply
