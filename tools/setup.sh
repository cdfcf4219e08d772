# shellcheck shell=bash
# Functions that perft.sh, test.sh and the continuous integration share: packages, configuration, building. Source this file.
# The functions print only to stderr, so that standard output has only the output of the program that the caller runs.

set -euo pipefail

# Lets ccache store objects that were compiled with a precompiled header.
export CCACHE_SLOPPINESS=pch_defines,time_macros

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
preset=release

build_packages=(clang-19 cmake ninja-build libtbb-dev libxxhash-dev libhwloc-dev libcli11-dev libfmt-dev
                nlohmann-json3-dev libsqlite3-dev libboost1.81-dev libspdlog-dev libcurl4-openssl-dev
                libssl-dev libpq-dev libyaml-cpp-dev)
# For tools/wasm.
wasm_packages=(lld-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 binaryen)
# For the preset posix.
posix_packages=(lld-19 libc++-19-dev libc++abi-19-dev)
# For tools/package/windows.sh, and for tests of its output.
windows_packages=(lld-19 g++-mingw-w64-x86-64-posix wine64 wine zip)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev libvalijson-dev libsimde-dev stockfish
               chromium chromium-headless-shell firefox-esr zsh fish mandoc groff-base pkgconf python3-junitparser postgresql-15
               qemu-user pocl-opencl-icd oclgrind curl yamllint python3-venv python3-pytest mypy pypy3 pypy3-venv "${wasm_packages[@]}")
# For tests/machines, which are slow tests.
machine_packages=(debootstrap systemd-container)
# For slow tests of campaigns. Installing munge may start it as a service, which only Slurm uses.
slurm_packages=(slurmctld slurmd slurm-client munge)
# For slow tests of the server behind a proxy.
proxy_packages=(nginx-light)
# For tools/package.
package_packages=(dpkg-dev file lintian patchelf)
# For the preset `aarch64`.
aarch64_packages=(binutils-aarch64-linux-gnu libc6-dev-arm64-cross libstdc++-12-dev-arm64-cross libgtest-dev
                  qemu-user)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
fail() { say "$@"; exit 2; }

# need_packages NAME…: installs missing packages with apt.
need_packages() {
  local missing=() as_root=() apt log=$root/build/apt.log
  command -v dpkg-query >/dev/null || return 0  # not Debian: the build reports what is missing
  ! known_packages "$@" || return 0
  mapfile -t missing < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    { declare -A have=()
      while read -r status name; do [[ $status == installed ]] && have[$name]=1; done
      for name in "$@"; do [[ ${have[$name]-} ]] || printf '%s\n' "$name"; done; })
  ((${#missing[@]})) || { mkdir -p "$root/build"; printf '%s\n' "$@" >"$known"; return 0; }

  if ((EUID)); then
    command -v sudo >/dev/null || fail "as root, first: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing once, with apt: ${missing[*]}"
  mkdir -p "$root/build"
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -q -y)
  "${apt[@]}" update </dev/null >"$log" 2>&1 ||
    say "apt-get update failed; using the existing package lists"
  no_cluster "${missing[@]}"
  "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >>"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; fail "apt-get install failed; its output is in $log"; }
}

# known_packages NAME…: succeeds if all these packages were installed at the last check, and no package has been installed
# or removed since then.
known=$root/build/packages
known_packages() {
  local name names=()
  [[ $known -nt /var/lib/dpkg/status ]] || return 1
  mapfile -t names <"$known"
  for name in "$@"; do [[ " ${names[*]} " == *" $name "* ]] || return 1; done
}

# no_cluster PACKAGE…: if PostgreSQL is one of the packages, prevents it from creating and starting a database, because
# tests create their own. Changes nothing if PostgreSQL was configured before. Uses as_root of need_packages.
no_cluster() {
  local file=/etc/postgresql-common/createcluster.conf
  [[ " $*" == *' postgresql-'* && ! -e $file ]] || return 0
  "${as_root[@]}" sh -c 'mkdir -p "${1%/*}" && echo "create_main_cluster = false" >"$1"' - "$file"
}

# Installs npm unless it is installed. npm fetches the libraries of the server's page.
need_npm() { command -v npm >/dev/null || need_packages npm; }

# configure [CMAKE ARGS…]: configures $preset. ARGS must not change compiled code, because tests/machines compares builds.
# A build folder that was copied with the sources would silently build the original sources, so it is configured afresh.
configure() {
  local fresh=() log=$root/build/configure.log
  mkdir -p "$root/build"
  configured_here || fresh=(--fresh)
  (cd "$root" && cmake "${fresh[@]}" --preset "$preset" "$@") </dev/null >"$log" 2>&1 ||
    { cat "$log" >&2; fail "cmake failed"; }
}
# Configures a build of only the command. If the build folder was configured with more targets, keeps these targets,
# unless CMake then fails.
configure_command() {
  if is_configured; then
    ninja -C "$build" build.ninja </dev/null >"$root/build/ninja.log" 2>&1 && return
    say "cmake failed (its output is in $root/build/ninja.log); trying without tests and benchmarks"
  fi
  configure -DMANYPLY_TESTS=OFF -DMANYPLY_BENCH=OFF -DMANYPLY_REQUIRE_ALL=OFF
}
is_configured() { [[ -e $build/build.ninja ]] && configured_here; }
# Configures everything. A missing package is an error, so that no test is left out silently.
configure_all() { configure -DMANYPLY_TESTS=ON -DMANYPLY_BENCH=ON -DMANYPLY_REQUIRE_ALL=ON; }
configured_here() {
  [[ ! -e $build/CMakeCache.txt ]] ||
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"
}

# build_targets NAME…: builds targets. Shows one line of progress and the compiler's messages. Shows nothing if all
# targets are up to date.
build_targets() { try_targets "$@" || fail "the build failed"; }
try_targets() { NINJA_STATUS='[%f/%t] ' ninja -C "$build" "$@" </dev/null 2>&1 | show_progress; }
# Builds the command. Usually it is up to date; ninja detects that by itself, and calls CMake if necessary.
build_command() {
  if is_configured; then
    try_targets perft && return
    ninja -C "$build" build.ninja </dev/null >/dev/null 2>&1 && fail "the build failed"
  fi
  configure_command
  build_targets perft
}
show_progress() {
  local line wipe='' said='' configuring=''
  [[ -t 2 ]] && wipe=$'\r\e[K'
  while IFS= read -r line; do
    case $line in
      'ninja: error'*) [[ $configuring ]] || printf '%s%s\n' "$wipe" "$line" >&2 ;;
      *'] Re-running CMake'*) configuring=1 ;;
      'ninja: '* | '-- '* | *'] Re-checking globbed '*) ;;
      '['*/*']'*)
        if [[ $wipe ]]; then
          printf '%s%.78s' "$wipe" "$line" >&2
        elif [[ ! $said ]]; then
          say "building in $build"
        fi
        said=1 configuring=''
        ;;
      *) [[ $configuring ]] || printf '%s%s\n' "$wipe" "$line" >&2 ;;
    esac
  done
  [[ ! $said ]] || printf '%s' "$wipe" >&2
}

# alone COMMAND…: runs a command under a lock, so that scripts of this tree do not install, configure or build at the
# same time.
alone() {
  [[ -d $root/build ]] || mkdir "$root/build"
  exec {lock}>"$root/build/.lock"
  flock "$lock"
  "$@"
  exec {lock}>&-
}
