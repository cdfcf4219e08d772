#!/usr/bin/env bash
# tools/perft.sh ARGS…: makes sure that the current sources are built, then runs `perft ARGS…`.
# The first call installs what the build needs (Debian packages) and takes a minute or more. Later calls
# only build what has changed. Standard output has only the output of perft.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

packages=("${build_packages[@]}")
command=${1-}

prepare() {
  local look_again=''
  need_packages "${packages[@]}"
  if [[ $command == serve ]] && ! command -v npm >/dev/null; then  # only the page needs npm
    if (need_npm); then look_again=1; else say "continuing without the page"; fi
  fi
  [[ ! $look_again ]] || ! is_configured || cmake "$build" >/dev/null
  build_command
}

alone prepare
exec -a "$0" "$build/tools/perft" "$@"  # perft shows this name in the commands that it suggests
