// Runs `perft campaign …` with one database.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/perft.h"
#include "tests/support/eventually.h"

namespace manyply {

/// Like eventually(), with more time, because several workers may share a busy machine.
inline bool in_time(const std::function<bool()>& holds) {
  return eventually(holds, std::chrono::minutes(15));
}

class Campaigns {
 public:
  explicit Campaigns(std::string conninfo) : conninfo_(std::move(conninfo)) {}

  /// Returns the command line; `words` begin with "create", "work" and so on.
  [[nodiscard]] std::vector<std::string> argv(std::vector<std::string> words) const {
    words.insert(words.begin(), "campaign");
    words.insert(words.end(), {"--database", conninfo_});
    return perft_argv(std::move(words));
  }
  [[nodiscard]] ProcessResult run(std::vector<std::string> words) const {
    return run_process(argv(std::move(words)));
  }
  [[nodiscard]] nlohmann::json ask(std::vector<std::string> words) const {
    words.insert(words.end(), {"--format", "json"});
    return nlohmann::json::parse(run(std::move(words)).out);
  }

 private:
  std::string conninfo_;
};

}  // namespace manyply
