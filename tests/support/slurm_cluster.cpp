#include "tests/support/slurm_cluster.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

#include "tests/support/eventually.h"

namespace manyply {
namespace {

namespace fs = std::filesystem;

/// Returns ports that are free at this moment.
template <std::size_t N>
std::array<int, N> free_ports() {
  std::array<int, N> ports{};
  std::array<int, N> sockets{};
  for (std::size_t i = 0; i < N; ++i) {
    sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(sockets[i], reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(sockets[i], reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no free port");
    ports[i] = ntohs(address.sin_port);
  }
  for (const int fd : sockets) close(fd);
  return ports;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string node_name(int node) { return "n" + std::to_string(node); }

}  // namespace

std::vector<pid_t> processes_with(const std::string& variable) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    const std::string word = variable + '\0';
    if (all.starts_with(word) || all.find('\0' + word) != std::string::npos)
      found.push_back(std::stoi(name));
  }
  return found;
}

std::unique_ptr<SlurmCluster> SlurmCluster::make() {
  for (const char* program : {"/usr/sbin/munged", "/usr/sbin/slurmctld", "/usr/sbin/slurmd",
                              "/usr/bin/sbatch", "/usr/bin/scontrol"}) {
    if (!fs::exists(program)) return nullptr;
  }
  // munge requires a folder in which only this user can write, so the shared temporary folder is
  // unsuitable.
  const char* const home = getenv("XDG_RUNTIME_DIR");
  if (home == nullptr && geteuid() != 0) return nullptr;
  fs::path folder =
      fs::path(home != nullptr ? home : "/run") / ("manyply-slurm-" + std::to_string(getpid()));
  return std::unique_ptr<SlurmCluster>(new SlurmCluster(std::move(folder)));
}

SlurmCluster::SlurmCluster(fs::path folder) : folder_(std::move(folder)) {
  fs::create_directories(folder_ / "log");
  {
    std::random_device random;
    std::ofstream key(folder_ / "munge.key", std::ios::binary);
    for (int byte = 0; byte < 128; ++byte) key.put(static_cast<char>(random()));
  }
  fs::permissions(folder_ / "munge.key", fs::perms::owner_read | fs::perms::owner_write);
  const std::string base = folder_.string();
  munge_ =
      daemon("munged", {"/usr/sbin/munged", "--foreground", "--num-threads=2",
                        "--socket=" + base + "/munge.socket", "--key-file=" + base + "/munge.key",
                        "--pid-file=" + base + "/munge.pid", "--log-file=" + base + "/log/munge",
                        "--seed-file=" + base + "/munge.seed"});
  if (!eventually([&] { return fs::exists(folder_ / "munge.socket"); }))
    throw std::runtime_error("munged does not start");
  write_configuration();
  start_controller();
  for (int node = 0; node < kNodes; ++node) start_node(node);
  // The output has the numbers of allocated and idle nodes.
  if (!eventually(
          [&] { return shell("sinfo --noheader --format=%A --partition=low").out == "0/3\n"; }))
    throw std::runtime_error("the cluster does not start: " + shell("sinfo").out);
}

SlurmCluster::~SlurmCluster() {
  cancel_all();
  for (auto& node : nodes_) end(node);
  end(controller_);
  end(munge_);
  // Kill all processes that did not end normally.
  for (const pid_t pid : processes_with(configuration())) kill(pid, SIGKILL);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void SlurmCluster::end(std::unique_ptr<Process>& server) {
  if (!server) return;
  server->signal(SIGTERM);
  server->finish();
  server.reset();
}

void SlurmCluster::write_configuration() const {
  const std::string base = folder_.string();
  const std::array<int, kNodes + 1> ports = free_ports<kNodes + 1>();
  const std::string user = geteuid() == 0 ? "root" : run_process({"/usr/bin/id", "-un"}).out;
  std::ofstream out(folder_ / "slurm.conf");
  out << "ClusterName=manyply\n"
      << "SlurmctldHost=" << host_name() << "(127.0.0.1)\n"
      << "SlurmctldPort=" << ports[kNodes] << '\n'
      << "SlurmUser=" << user << "\nSlurmdUser=" << user << '\n'
      << "AuthType=auth/munge\nCredType=cred/munge\n"
      // A requeued task waits until its credential expires: two minutes by default.
      << "AuthInfo=socket=" << base << "/munge.socket,cred_expire=5\n"
      << "StateSaveLocation=" << base << "/state\nSlurmdSpoolDir=" << base << "/spool.%n\n"
      << "SlurmctldPidFile=" << base << "/slurmctld.pid\nSlurmdPidFile=" << base << "/%n.pid\n"
      << "SlurmctldLogFile=" << base << "/log/slurmctld\nSlurmdLogFile=" << base << "/log/%n\n"
      << "ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSwitchType=switch/none\n"
      << "MpiDefault=none\nMailProg=/bin/true\n"
      << "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
      << "SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=1\n"
      << "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
      << "KillWait=20\nSlurmdTimeout=10\nReturnToService=2\n";
  for (int node = 0; node < kNodes; ++node) {
    out << "NodeName=" << node_name(node) << " NodeHostname=" << host_name()
        << " NodeAddr=127.0.0.1 Port=" << ports[static_cast<std::size_t>(node)] << " CPUs=1\n";
  }
  const std::string nodes = " Nodes=n[0-" + std::to_string(kNodes - 1) + "] MaxTime=INFINITE ";
  out << "PartitionName=low" << nodes << "Default=YES PriorityTier=1 PreemptMode=REQUEUE\n"
      << "PartitionName=high" << nodes << "PriorityTier=10 PreemptMode=OFF\n";
}

std::string SlurmCluster::configuration() const {
  return "SLURM_CONF=" + (folder_ / "slurm.conf").string();
}

/// Starts a daemon in the foreground with a log file, because its output is not read.
std::unique_ptr<Process> SlurmCluster::daemon(const std::string& name,
                                              const std::vector<std::string>& command) const {
  std::vector<std::string> words{"/usr/bin/setpriv",
                                 "--pdeathsig",
                                 "TERM",
                                 "/usr/bin/env",
                                 configuration(),
                                 "MANYPLY_NODE=" + name,
                                 "/bin/sh",
                                 "-c",
                                 R"(exec "$@" >>"$0" 2>&1)",
                                 (folder_ / "log" / (name + ".out")).string()};
  words.insert(words.end(), command.begin(), command.end());
  return std::make_unique<Process>(words);
}

ProcessResult SlurmCluster::shell(const std::string& command,
                                  const std::vector<std::string>& variables) const {
  std::vector<std::string> words{"/usr/bin/env", "--chdir=" + folder_.string(), configuration()};
  words.insert(words.end(), variables.begin(), variables.end());
  words.insert(words.end(), {"/bin/bash", "-o", "pipefail", "-c", command});
  return run_process(words);
}

void SlurmCluster::cancel_all() const {
  (void)eventually([&] {
    return shell("scancel --partition=low; scancel --partition=high; squeue --noheader")
        .out.empty();
  });
}

void SlurmCluster::kill_node(int node) {
  auto& server = nodes_[static_cast<std::size_t>(node)];
  server->signal(SIGKILL);
  const std::vector<pid_t> here = processes_with(configuration());
  for (const char* name : {"SLURMD_NODENAME=", "MANYPLY_NODE="}) {
    for (const pid_t pid : processes_with(name + node_name(node))) {
      if (std::ranges::count(here, pid) > 0) kill(pid, SIGKILL);
    }
  }
  server->finish();
  server.reset();
}

void SlurmCluster::start_node(int node) {
  nodes_[static_cast<std::size_t>(node)] = daemon(
      node_name(node),
      {"/usr/sbin/slurmd", "-D", "-N", node_name(node), "-f", (folder_ / "slurm.conf").string()});
}

bool SlurmCluster::state_has(const std::string& text) const {
  std::ifstream file(folder_ / "state" / "job_state", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  return all.find(text) != std::string::npos;
}

void SlurmCluster::kill_controller() {
  // The controller stores all jobs together, some seconds after one of them has changed.
  const std::string mark = "stored " + std::to_string(std::random_device{}());
  const std::string note =
      "scontrol update JobId=$(squeue --noheader --format=%A | paste -sd,) Comment='" + mark + "'";
  if (!eventually([&] { return shell(note).exit_code == 0; }) ||
      !eventually([&] { return state_has(mark); }))
    throw std::runtime_error("the controller does not store its jobs: " + shell("squeue").out);
  controller_->signal(SIGKILL);
  controller_->finish();
  controller_.reset();
}

void SlurmCluster::start_controller() {
  controller_ =
      daemon("slurmctld", {"/usr/sbin/slurmctld", "-D", "-f", (folder_ / "slurm.conf").string()});
}

}  // namespace manyply
