#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/linux_machine.h"
#include "core/base/machine.h"
#include "core/base/memory.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;
using testing::Optional;

/// A directory that replaces "/".
class FakeRoot : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    root_ = fs::temp_directory_path() / ("cgroups_test." + name + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void write(const fs::path& path, std::uint64_t number) {
    write(path, std::to_string(number) + "\n");
  }
  void write_meminfo(std::uint64_t available_bytes) {
    write("proc/meminfo",
          "MemTotal:       24643924 kB\nHugePages_Total:       0\nMemAvailable:   " +
              std::to_string(available_bytes / 1024) + " kB\nCached: 5 kB\n");
  }
  [[nodiscard]] std::uint64_t available() const { return available_linux_memory(root_); }

  fs::path root_;
};

TEST_F(FakeRoot, NothingToReadLimitsNothing) {
  EXPECT_GT(available(), std::uint64_t{1} << 60);
  write("proc/meminfo", "rubbish\n");
  write("proc/self/cgroup", "rubbish\n:\n0::\n0::no/slash\n");
  EXPECT_GT(available(), std::uint64_t{1} << 60);
}

TEST_F(FakeRoot, SystemMemory) {
  write_meminfo(3 * kGiB);
  EXPECT_EQ(available(), 3 * kGiB);
}

TEST_F(FakeRoot, UnifiedGroupLessWhatItUsesAndCannotDrop) {
  write_meminfo(8 * kGiB);
  write("proc/self/cgroup", "0::/system/job\n");
  write("sys/fs/cgroup/system/job/memory.max", 4 * kGiB);
  write("sys/fs/cgroup/system/job/memory.current", 3 * kGiB);
  EXPECT_EQ(available(), 1 * kGiB);
  write("sys/fs/cgroup/system/job/memory.stat",
        "anon 1\nfile 9\ninactive_anon 77\ninactive_file " + std::to_string(kGiB / 2) + "\n");
  EXPECT_EQ(available(), kGiB + kGiB / 2);
  write("sys/fs/cgroup/system/job/memory.stat", "inactive_file " + std::to_string(9 * kGiB));
  EXPECT_EQ(available(), 4 * kGiB) << "more droppable than used: a snapshot between two moments";
  write("sys/fs/cgroup/system/job/memory.max", "max\n");
  EXPECT_EQ(available(), 8 * kGiB);
}

TEST_F(FakeRoot, AncestorsLimitToo) {
  write_meminfo(8 * kGiB);
  write("proc/self/cgroup", "0::/system/job\n");
  write("sys/fs/cgroup/system/job/memory.max", "max\n");
  write("sys/fs/cgroup/system/job/memory.current", 1 * kGiB);
  write("sys/fs/cgroup/system/memory.max", 6 * kGiB);
  write("sys/fs/cgroup/system/memory.current", 4 * kGiB);
  EXPECT_EQ(available(), 2 * kGiB);
}

TEST_F(FakeRoot, AGroupThatIsNotVisibleIsTheRootOfTheMount) {
  write_meminfo(8 * kGiB);
  write("proc/self/cgroup", "0::/docker/1234\n");
  write("sys/fs/cgroup/memory.max", 2 * kGiB);
  write("sys/fs/cgroup/memory.current", kGiB / 2);
  EXPECT_EQ(available(), kGiB + kGiB / 2);
}

TEST_F(FakeRoot, LegacyGroups) {
  write_meminfo(8 * kGiB);
  write("proc/self/cgroup", "12:cpu,cpuacct:/other\n9:memory:/job\n1:name=systemd:/job\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", 5 * kGiB);
  EXPECT_EQ(available(), 8 * kGiB);
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", 4 * kGiB);
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", 2 * kGiB);
  write("sys/fs/cgroup/memory/job/memory.stat",
        "inactive_file 1\ntotal_inactive_file " + std::to_string(kGiB) + "\n");
  EXPECT_EQ(available(), 3 * kGiB);
}

TEST_F(FakeRoot, AGroupAboveItsLimitHasNoRoom) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", 1 * kGiB);
  write("sys/fs/cgroup/memory.current", 2 * kGiB);
  EXPECT_EQ(available(), 0U);
}

class CpuQuota : public FakeRoot {
 protected:
  std::optional<double> quota(std::string_view membership) const {
    write("membership", std::string(membership));
    return cgroup_cpu_quota(root_ / "membership", root_ / "mount");
  }
};

TEST_F(CpuQuota, NoFilesNoLimit) {
  EXPECT_EQ(quota("0::/\n"), std::nullopt);
  EXPECT_EQ(quota(""), std::nullopt);
  EXPECT_EQ(quota("nonsense\n:\n"), std::nullopt);
  EXPECT_EQ(cgroup_cpu_quota(root_ / "missing", root_), std::nullopt);
}

TEST_F(CpuQuota, Version2) {
  write("mount/app/cpu.max", "150000 100000\n");
  EXPECT_THAT(quota("0::/app\n"), Optional(1.5));
}

TEST_F(CpuQuota, Version2WithoutLimit) {
  write("mount/app/cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/app\n"), std::nullopt);
}

TEST_F(CpuQuota, AncestorsCount) {
  write("mount/a/cpu.max", "200000 100000\n");
  write("mount/a/b/cpu.max", "max 100000\n");
  write("mount/a/b/c/cpu.max", "400000 100000\n");
  EXPECT_THAT(quota("0::/a/b/c\n"), Optional(2.0));
}

TEST_F(CpuQuota, InsideAContainerTheMountIsTheGroup) {
  write("mount/cpu.max", "50000 100000\n");
  EXPECT_THAT(quota("0::/machine/container-7\n"), Optional(0.5));
}

TEST_F(CpuQuota, Version1) {
  write("mount/cpu/app/cpu.cfs_quota_us", "300000\n");
  write("mount/cpu/app/cpu.cfs_period_us", "100000\n");
  write("mount/cpu/cpu.cfs_quota_us", "-1\n");
  write("mount/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_THAT(quota("5:cpuset:/\n4:cpu,cpuacct:/app\n"), Optional(3.0));
}

TEST_F(CpuQuota, BothVersionsSideBySide) {
  write("mount/unified/app/cpu.max", "250000 100000\n");
  write("mount/cpu,cpuacct/app/cpu.cfs_quota_us", "400000\n");
  write("mount/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
  EXPECT_THAT(quota("4:cpu,cpuacct:/app\n0::/app\n"), Optional(2.5));
}

TEST(UsableProcessors, IsBetweenOneAndTheMachine) {
  EXPECT_GE(usable_processors(), 1);
  EXPECT_LE(usable_processors(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(UsableProcessors, RespectsTheAffinityMask) {
  int pinned = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    pinned = usable_processors();
  }).join();
  EXPECT_EQ(pinned, 1);
}

TEST(Memory, MovesAndIsGivenBack) {
  void* data = nullptr;
  unsigned char resident = 0;
  {
    TableMemory first = TableMemory::allocate(kMiB).value();
    data = first.data();
    TableMemory second = std::move(first);
    EXPECT_EQ(second.data(), data);
    TableMemory third;
    third = std::move(second);
    EXPECT_EQ(third.data(), data);
    EXPECT_EQ(third.bytes(), kMiB);
    EXPECT_EQ(mincore(data, 1, &resident), 0);
  }
  EXPECT_EQ(mincore(data, 1, &resident), -1) << "still mapped";
}

}  // namespace
}  // namespace manyply
