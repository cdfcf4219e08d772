// A separate state directory for each test, and requests and clients for it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tools/server/access.h"
#include "tools/server/jobs/job_types.h"

namespace manyply {

class StateDir {
 public:
  /// If a test has two directories, their names must differ.
  explicit StateDir(const std::string& name = "")
      : path_(std::filesystem::temp_directory_path() /
              ("manyply-state-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name() + name)) {
    std::filesystem::remove_all(path_);
  }
  ~StateDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  StateDir(const StateDir&) = delete;
  StateDir& operator=(const StateDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path database() const { return path_ / "jobs.db"; }

 private:
  std::filesystem::path path_;
};

inline JobRequest request_of(int depth, const std::string& fen = "startpos",
                             CountMode mode = CountMode::kHashed) {
  return make_job_request({{.fen = fen, .depth = Depth(depth), .mode = mode}}).value();
}

inline std::shared_ptr<Clients> clients_of(std::string_view text) {
  return std::make_shared<Clients>(AccessList::parse(text).value());
}

}  // namespace manyply
