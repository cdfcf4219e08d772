#!/usr/bin/env bash
# tools/perft.sh ARGS…: makes sure that the current sources are built, then runs `perft ARGS…`.
# The first call installs what the build needs (Debian packages) and takes a minute or more; later calls
# only check. Standard output is perft's alone.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

packages=("${build_packages[@]}")
# The packages of the server and its page join here, for `serve` alone.

prepare() {
  need_packages "${packages[@]}"
  configure_once
  build_targets perft
}

alone prepare
exec "$build/tools/perft" "$@"
