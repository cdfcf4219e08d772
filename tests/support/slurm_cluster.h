// A Slurm cluster for one test: munge, the controller and three nodes, all on this machine, with
// separate ports and a separate folder. It ends with the program.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace manyply {

class SlurmCluster {
 public:
  static constexpr int kNodes = 3;  // n0, n1 and n2, each with one processor

  /// Starts a cluster. Returns null if Slurm or munge is not installed, or if this user is not root
  /// and XDG_RUNTIME_DIR is not set. The partitions are `low` and `high`; jobs in `high` take nodes
  /// away from jobs in `low`. A requeued job waits for some seconds instead of two minutes. Throws
  /// std::runtime_error if the cluster does not start.
  static std::unique_ptr<SlurmCluster> make();
  /// Cancels all jobs and waits for their end.
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  /// Returns the folder for the files of this test.
  [[nodiscard]] std::filesystem::path folder() const { return folder_; }
  /// Runs a shell command in folder(). sbatch, scontrol and so on use this cluster, and the
  /// environment contains `variables` ("NAME=value").
  [[nodiscard]] ProcessResult shell(const std::string& command,
                                    const std::vector<std::string>& variables = {}) const;

  /// Cancels all jobs; returns when they have ended.
  void cancel_all() const;

  /// Kills a node's daemon and all processes that it runs, like a power failure.
  void kill_node(int node);
  void start_node(int node);
  /// Waits until the controller has stored the current jobs (at least one), then kills it. If it
  /// were killed earlier, a restarted controller would treat running tasks as waiting. It would
  /// start these tasks again on the same nodes, drain these nodes, and hold the tasks until an
  /// administrator resumes the nodes and releases the tasks.
  void kill_controller();
  void start_controller();

 private:
  explicit SlurmCluster(std::filesystem::path folder);
  void write_configuration() const;
  [[nodiscard]] std::string configuration() const;  // "SLURM_CONF=…"
  [[nodiscard]] std::unique_ptr<Process> daemon(const std::string& name,
                                                const std::vector<std::string>& command) const;
  [[nodiscard]] bool state_has(const std::string& text) const;
  static void end(std::unique_ptr<Process>& server);

  std::filesystem::path folder_;
  std::unique_ptr<Process> munge_;
  std::unique_ptr<Process> controller_;
  std::array<std::unique_ptr<Process>, kNodes> nodes_;
};

/// Returns the processes whose environment contains `variable` ("NAME=value").
std::vector<pid_t> processes_with(const std::string& variable);

}  // namespace manyply
