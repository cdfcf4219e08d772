// Runs nginx with a configuration and a folder for one test.
#pragma once

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace manyply {

class Nginx {
 public:
  static constexpr const char* kPath = "/usr/sbin/nginx";
  [[nodiscard]] static bool installed() { return std::filesystem::exists(kPath); }

  /// `servers` is the content of the http block. nginx writes to `folder`, which must exist and is
  /// not removed.
  Nginx(const std::filesystem::path& folder, const std::string& servers)
      : process_(started(folder, servers)) {}
  ~Nginx() {
    process_.signal(SIGTERM);
    process_.finish();
  }
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

 private:
  static std::vector<std::string> started(const std::filesystem::path& folder,
                                          const std::string& servers) {
    const auto file = [&](const char* name) { return (folder / name).string(); };
    std::string text = geteuid() == 0 ? "user root; " : "";
    text += "daemon off; worker_processes 1; pid " + file("pid") +
            "; events {} http { access_log off; client_body_temp_path " + file("b") +
            "; proxy_temp_path " + file("p") + "; fastcgi_temp_path " + file("f") +
            "; uwsgi_temp_path " + file("u") + "; scgi_temp_path " + file("s") + ";\n" + servers +
            "}\n";
    std::ofstream(folder / "nginx.conf") << text;
    return {kPath, "-p", folder, "-e", file("error.log"), "-c", file("nginx.conf")};
  }

  Process process_;
};

}  // namespace manyply
