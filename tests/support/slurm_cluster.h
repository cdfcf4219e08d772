// A Slurm cluster of a test's own: munge, the controller and three nodes, all of them on this
// machine, with ports and a folder of their own, ended with the program.
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
  static constexpr int kNodes = 3;  // n0, n1, n2, of one processor each

  /// Null where Slurm or munge is not installed, or no folder is this user's own. Partitions are
  /// `low` and `high`, which takes nodes away from `low`; what is requeued waits for some seconds,
  /// not for two minutes. Throws std::runtime_error if it does not start.
  static std::unique_ptr<SlurmCluster> make();
  /// Cancels all jobs, and waits for their end.
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  /// A folder for whatever belongs to this test.
  [[nodiscard]] std::filesystem::path folder() const { return folder_; }
  /// A shell's command with this cluster behind sbatch, scontrol and the like, and with `variables`
  /// ("NAME=value") in its environment; it runs in folder().
  [[nodiscard]] ProcessResult shell(const std::string& command,
                                    const std::vector<std::string>& variables = {}) const;

  /// All jobs; returns when they are gone.
  void cancel_all() const;

  /// Power is cut: its daemon and all that it runs are gone.
  void kill_node(int node);
  void start_node(int node);
  /// When it has stored the jobs that there are, one at least. A controller that has not takes
  /// running tasks for waiting ones when it is started again, starts them on the nodes where they
  /// run, drains those, and holds the tasks until an administrator resumes and releases them.
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

/// Processes in whose environment `variable` ("NAME=value") stands.
std::vector<pid_t> processes_with(const std::string& variable);

}  // namespace manyply
