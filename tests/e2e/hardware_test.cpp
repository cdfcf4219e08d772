// Tests counts on other hardware: devices that count the last plies, and processors with fewer
// instructions than this one. PoCL is an OpenCL device that needs no GPU.

#include <regex>

#include "tests/e2e/server.h"
#include "tests/support/budget.h"
#include "tests/support/process.h"

namespace manyply {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class DeviceCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProcessResult listed = perft({"count", "3", "--device", "list"});
    if (listed.exit_code != 0) GTEST_SKIP() << listed.err << "(the tests use pocl-opencl-icd)";
    EXPECT_THAT(listed.out, StartsWith("0  "));
  }
};
class DeviceCommandSlow : public DeviceCommand {};

TEST_F(DeviceCommand, TheDocumentIsThatOfACountAndNamesTheDevice) {
  auto document = perft_json({"count", "5", "--device", "0"});
  EXPECT_EQ(document["nodes"], "4865609");
  EXPECT_EQ(document["known"], "match");
  EXPECT_EQ(document["method"], "configurations");
  auto& device = document["matrix"]["device"];
  EXPECT_NE(device["name"], "");
  EXPECT_NE(device["driver"], "");
  EXPECT_GT(device["bytes"], 0);
  EXPECT_GT(device["seconds"], 0);
  EXPECT_GT(device["kernel_seconds"]["leaf"], 0);
  document["matrix"].erase("device");
  const auto usual = perft_json({"count", "5", "--method", "configurations"});
  for (const auto& [name, value] : usual.items()) EXPECT_TRUE(document.contains(name)) << name;
  for (const auto& [name, value] : usual["matrix"].items())
    EXPECT_TRUE(document["matrix"].contains(name)) << name;
  EXPECT_THAT(perft({"count", "4", "--device", "0"}).out, HasSubstr("\ndevice     "));
}

TEST_F(DeviceCommand, DividesAndParts) {
  EXPECT_EQ(perft({"divide", "4", "--fen", "kiwipete", "--format", "csv", "--device", "0"}).out,
            perft({"divide", "4", "--fen", "kiwipete", "--format", "csv"}).out);
  const auto parts = perft_json({"count", "5", "--parts", "7", "--device", "0"});
  EXPECT_EQ(parts["nodes"], "4865609");
  EXPECT_EQ(parts["matrix"]["parts"], 7);
}

TEST_F(DeviceCommand, SaysWhatTheProcessorCounts) {
  const ProcessResult shallow = perft({"count", "2", "--device", "0"});
  EXPECT_EQ(shallow.exit_code, 0);
  EXPECT_THAT(shallow.out, HasSubstr("nodes      400\n"));
  EXPECT_THAT(shallow.err, HasSubstr("--device: depth 2 "));
  EXPECT_EQ(perft({"count", "3", "--device", "0"}).err, "");
  EXPECT_THAT(perft({"divide", "3", "--device", "0"}).err, HasSubstr("--device: depth 3 "));
}

TEST_F(DeviceCommand, VerifyComparesItsCount) {
  EXPECT_THAT(printed({"verify", "5", "--device", "0"}), HasSubstr("\ndevice     4865609 "));
  const auto report = perft_json({"verify", "4", "--device", "0"});
  EXPECT_EQ(report["agrees"], true);
  EXPECT_EQ(report["device"]["nodes"], "197281");
  EXPECT_NE(report["device"]["use"]["name"], "");
}

TEST_F(DeviceCommand, RefusesWhatItCannotUse) {
  const auto expect_error = [](const std::vector<std::string>& arguments, const char* start) {
    EXPECT_THAT(refusal_of(arguments), StartsWith(start));
  };
  expect_error({"count", "5", "--device", "toaster"}, "perft: --device: 'toaster'");
  expect_error({"count", "5", "--device", "63"}, "perft: --device: there is no device 63");
  expect_error({"count", "5", "--device", "0", "--method", "hashed"}, "perft: --device: ");
  expect_error({"count", "5", "--device-memory", "8M"}, "perft: --device-memory: ");
  expect_error({"count", "5", "--device", "0", "--device-memory", "1K"},
               "perft: --device-memory: must be at least ");
  EXPECT_THAT(refusal_of({"count", "7", "--device", "0", "--device-memory", "1"}),
              HasSubstr("perft: device: too little memory: at least "));
}

// The OpenCL loader finds no driver in this folder.
TEST(DeviceCommandWithoutDriver, SaysWhatToInstall) {
  const ProcessResult result = run_process({"/usr/bin/env", "OCL_ICD_VENDORS=/nowhere",
                                            perft_command(), "count", "5", "--device", "gpu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("perft: --device: "));
}

TEST_F(DeviceCommand, CtrlCEndsIt) {
  expect_interrupted(interrupt({"count", "11", "--device", "0", "--progress", "json"}));
}

// A divide counts below each root move. This position has only one root move, so the count below
// this move is large enough for a device.
constexpr const char* kOneMove = "r1bqkb1r/pppp1ppp/2n5/4p3/4P3/8/PPPPQnPP/RNB2BRK w kq - 0 1";
constexpr const char* kNodes = "912835970";  // as counted with a table
const nlohmann::json kLarge{{"depth", 7}, {"fen", kOneMove}};

/// Waits until the job has ended, and returns it.
nlohmann::json ended(Server& server, const std::string& id, const std::string& list = "jobs") {
  return server.ask("GET", "/v1/" + list + "/" + id + "?wait=60").json();
}

TEST_F(DeviceCommand, AServerCountsLargeJobsOnIt) {
  const StateDir state;
  Server server(state.path(), {"--device", "0", "--device-memory", "256"});
  const auto counted = ended(server, server.submit(kLarge));
  EXPECT_EQ(counted["nodes"], kNodes);
  EXPECT_EQ(counted["report"]["divide"].size(), 1U);
  EXPECT_GT(counted["report"]["matrix"]["device"]["kernel_seconds"]["two_plies"], 0);
  EXPECT_LE(counted["report"]["matrix"]["device"]["bytes"], 256 << 20);
  const auto small = ended(server, server.submit({{"depth", 5}}));
  EXPECT_EQ(small["nodes"], "4865609");
  EXPECT_EQ(small["report"]["divide"].size(), 20U);
  EXPECT_FALSE(small["report"]["matrix"].contains("device"));
  const auto batch = server.ask("POST", "/v1/batches",
                                std::string("startpos ;D4 197281\n") + kOneMove + " ;D7 " + kNodes,
                                "Content-Type: application/x-epd\r\n");
  EXPECT_EQ(ended(server, batch.json()["id"].dump(), "batches")["verdict"], "match");
}

TEST_F(DeviceCommand, AServersJobsAreCancelledAndSurviveItsEnd) {
  const StateDir state;
  std::string id;
  {
    Server server(state.path(), {"--device", "0"});
    const std::string long_one = server.submit({{"depth", 8}, {"fen", kOneMove}});
    Wire events = server.follow(long_one);
    while (next_event(events).job["progress"]["phase"] != "counting") {
    }
    next_event(events);  // by now, the device counts
    EXPECT_EQ(server.ask("DELETE", "/v1/jobs/" + long_one).status, 200);
    EXPECT_EQ(ended(server, long_one)["state"], "cancelled");
    id = server.submit(kLarge);
    Wire later = server.follow(id);
    while (next_event(later).job["state"] != "running") {
    }
    EXPECT_EQ(server.terminate().exit_code, 0);
  }
  Server server(state.path(), {"--device", "0"});
  const auto counted = ended(server, id);
  EXPECT_EQ(counted["nodes"], kNodes);
  EXPECT_TRUE(counted["report"]["matrix"].contains("device"));
}

TEST_F(DeviceCommand, AServerRefusesADeviceThatDoesNotExist) {
  const StateDir state;
  Server server(state.path(), {"--device", "63"});
  const ProcessResult result = server.process().finish();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith("perft: --device: there is no device 63"));
  EXPECT_EQ(perft({"serve", "--device", "list"}).out,
            perft({"count", "3", "--device", "list"}).out);
}

// PoCL runs a work-group on one thread, so it hides races between work-items. Oclgrind reports
// races, and reads of memory that was never written.
TEST_F(DeviceCommandSlow, OclgrindFindsNothing) {
  constexpr const char* kOclgrind = "/usr/bin/oclgrind";
  if (!std::filesystem::exists(kOclgrind)) GTEST_SKIP() << "oclgrind is not installed";
  for (const auto& [depth, fen] :
       {std::pair("3", "kiwipete"), std::pair("4", "position3"), std::pair("4", "startpos")}) {
    const ProcessResult result =
        run_process({kOclgrind, "--data-races", "--uninitialized", "--num-threads", "1",
                     "--build-options", "-DPLAIN_REVERSAL -cl-opt-disable", perft_command(),
                     "count", depth, "--fen", fen, "--device", "0", "--progress", "never"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("known      match")) << fen;
    EXPECT_EQ(result.err, "") << fen;
  }
}

// Runs the programs on processors with fewer instructions than this one, in QEMU's user mode. The
// program must choose the right kernel, every kernel that runs there must count correctly, and no
// other part of the program may use missing instructions (it would crash). Debian 12's QEMU 7.2
// does not emulate AVX-512, so the emulated processors have at most AVX2.

constexpr const char* kEmulator = "/usr/bin/qemu-x86_64";

/// Returns why this machine cannot emulate other processors; empty if it can.
std::string obstacle() {
#if !defined(__x86_64__)
  return "these programs are not for x86-64";
#elif defined(MANYPLY_SANITIZED)
  return "sanitizers want the address space that the emulator sits in";
#else
  return ::access(kEmulator, X_OK) == 0 ? "" : std::string(kEmulator) + " (qemu-user) is not there";
#endif
}

ProcessResult run_on(const std::string& cpu, const std::vector<std::string>& command) {
  std::vector<std::string> argv{kEmulator, "-cpu", cpu};
  argv.insert(argv.end(), command.begin(), command.end());
  Process process(argv);
  process.close_input();
  return process.finish(7000);
}

struct CpuModel {
  const char* name;  ///< name of the test
  const char* cpu;
  const char* kernel;                ///< the kernel that `auto` must select there
  std::vector<const char*> refused;  ///< kernels that cannot run there
};

const std::vector<CpuModel>& models() {
  static const std::vector<CpuModel> list{
      {"WithoutAvx512", "Haswell", "avx2", {"avx512"}},
      {"WithoutAvx2", "Haswell,-avx2", "portable", {"avx512", "avx2"}},
      {"WithoutBmi2", "Haswell,-bmi2", "portable", {"avx512", "avx2"}},
      {"SandyBridge", "SandyBridge", "portable", {"avx512", "avx2"}},
      {"Nehalem", "Nehalem", "portable", {"avx512", "avx2"}},
      {"First64Bit", "Opteron_G1", "portable", {"avx512", "avx2"}},
      {"Zen", "EPYC", "avx2", {"avx512"}},
      // PEXT is slow microcode on this processor. The program must not use it by default, but the
      // user may choose it.
      {"MicrocodedPext", "EPYC,-avx2", "portable", {"avx512", "avx2"}},
      {"FastPext", "EPYC-Milan,-avx2", "portable", {"avx512", "avx2"}},
  };
  return list;
}

std::string name_of(const ::testing::TestParamInfo<std::size_t>& info) {
  return models()[info.param].name;
}

class CpuModels : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (const std::string reason = obstacle(); !reason.empty()) GTEST_SKIP() << reason;
  }

  static const CpuModel& model() { return models()[GetParam()]; }

  static ProcessResult perft(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{MANYPLY_PERFT_BINARY};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_on(model().cpu, command);
  }

  static void expect_tests_pass(const std::string& program, const std::string& divisor) {
    ::setenv("MANYPLY_TEST_BUDGET", divisor.c_str(), 1);
    const ProcessResult result =
        run_on(model().cpu, {program, "--gtest_filter=-*Slow*:*Stress*", "--gtest_brief=1"});
    ::unsetenv("MANYPLY_TEST_BUDGET");
    // CTest must not read the emulated program's skipped tests as a skip of this test.
    const std::string told = std::regex_replace(result.out, std::regex("\\[ *SKIPPED *\\]"), "-");
    EXPECT_EQ(result.exit_code, 0) << told << result.err;
    EXPECT_NE(result.out.find("[  PASSED  ]"), std::string::npos) << told;
  }
};

TEST_P(CpuModels, ChooseTheKernelAndCountRight) {
  const ProcessResult start = perft({"count", "4", "--format", "json"});
  EXPECT_EQ(start.exit_code, 0) << start.err;
  EXPECT_THAT(start.out, HasSubstr(R"("kernel":")" + std::string(model().kernel) + '"'));
  EXPECT_THAT(start.out, HasSubstr(R"("nodes":"197281")"));

  const ProcessResult kiwipete =
      perft({"count", "4", "--fen",
             "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "--hash",
             "16M", "--format", "json"});
  EXPECT_EQ(kiwipete.exit_code, 0) << kiwipete.err;
  EXPECT_THAT(kiwipete.out, HasSubstr(R"("nodes":"4085603")"));
}

TEST_P(CpuModels, RefuseWhatTheyCannotRun) {
  for (const std::string kernel : {"avx512", "avx2", "portable"}) {
    if (kernel == model().kernel) continue;  // this kernel has already counted above
    const ProcessResult result = perft({"count", "3", "--kernel", kernel, "--format", "json"});
    if (std::ranges::find(model().refused, kernel) != model().refused.end()) {
      EXPECT_EQ(result.exit_code, 2) << kernel;
      EXPECT_THAT(result.err, HasSubstr("cannot run '" + kernel + "'"));
    } else {
      EXPECT_EQ(result.exit_code, 0) << kernel << ": " << result.err;
      EXPECT_THAT(result.out, HasSubstr(R"("nodes":"8902")"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, CpuModels, ::testing::Range(std::size_t{0}, models().size()),
                         name_of);

/// Quick tests: less random work, and only the processor model on which most kernels run. The tests
/// on all models are slow.
class CpuModelTests : public CpuModels {};

TEST_P(CpuModelTests, PassCore) { expect_tests_pass(MANYPLY_CORE_TEST, "128"); }

INSTANTIATE_TEST_SUITE_P(Each, CpuModelTests, ::testing::Values(0), name_of);

class CpuModelTestsSlow : public CpuModels {};

TEST_P(CpuModelTestsSlow, PassCore) { expect_tests_pass(MANYPLY_CORE_TEST, "16"); }
TEST_P(CpuModelTestsSlow, PassHash) { expect_tests_pass(MANYPLY_HASH_TEST, "64"); }
TEST_P(CpuModelTestsSlow, PassParallel) { expect_tests_pass(MANYPLY_PARALLEL_TEST, "64"); }
TEST_P(CpuModelTestsSlow, PassTools) { expect_tests_pass(MANYPLY_TOOLS_TEST, "64"); }

INSTANTIATE_TEST_SUITE_P(Each, CpuModelTestsSlow, ::testing::Range(std::size_t{0}, models().size()),
                         name_of);

}  // namespace
}  // namespace manyply
