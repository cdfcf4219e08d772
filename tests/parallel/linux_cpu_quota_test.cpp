#include <gmock/gmock.h>
#include <sched.h>

#include <fstream>
#include <string_view>
#include <thread>

#include "core/base/linux_cgroups.h"
#include "parallel/workers.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;
using testing::Eq;
using testing::Optional;

class CpuQuota : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "cpu_quota_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& name, std::string_view text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::optional<double> quota(std::string_view membership) const {
    write("membership", membership);
    return cgroup_cpu_quota(root_ / "membership", root_ / "mount");
  }

  fs::path root_;
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

TEST(AvailableThreads, IsBetweenOneAndTheMachine) {
  EXPECT_GE(available_threads(), 1);
  EXPECT_LE(available_threads(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(AvailableThreads, RespectsTheAffinityMask) {
  int pinned = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    pinned = available_threads();
  }).join();
  EXPECT_EQ(pinned, 1);
}

}  // namespace
}  // namespace manyply
