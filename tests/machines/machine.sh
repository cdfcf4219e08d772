# shellcheck shell=bash
# Makes minimal machines with Debian 12 in a folder. The scripts that test on such machines source this file, and call:
#   own_namespaces "$@"        call first: runs the script again in namespaces, which also end its mounts and processes
#   make_machine NAME [PACKAGE…]
#   inside COMMAND…            runs a command in the latest machine, as root on a console
#   serve USER COMMAND…, end_server
#   packages_made
# All files are below $work and are removed at the end. To make a machine, the script needs root, debootstrap and Debian's
# mirror; without them, it exits with 77. Machines use the package sources, proxies and package cache of this machine.
set -euo pipefail

sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }
step() { printf '%5d s  %s\n' "$SECONDS" "$*"; }

own_namespaces() {
  [[ ${MANYPLY_OWN_NAMESPACES-} ]] && return
  ((EUID == 0)) || skip "only root makes machines"
  command -v debootstrap >/dev/null || skip "debootstrap is not installed"
  unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces of its own"
  MANYPLY_OWN_NAMESPACES=1 exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$@"
}

mapfile -t proxies < <(env | grep -iE '^(https?|ftp|no|all)_proxy=' || true)
inside() { inside_as root "$@"; }
# inside_as USER COMMAND…
inside_as() {
  local home=/root as=()
  [[ $1 == root ]] || { home=/home/$1 as=(setpriv --reuid="$1" --regid="$1" --clear-groups); }
  env -i HOME="$home" TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    ${proxies[@]+"${proxies[@]}"} chroot "$disk" "${as[@]}" "${@:2}" </dev/null
}

# Unmounts everything below the machine's folder first, even mounts of earlier runs. The removal stays on one disk and
# in one folder.
remove_machine() {
  [[ ${disk-} && -e $disk ]] || return 0
  unmount_machine
  rm -rf --one-file-system "$disk"
}
unmount_machine() {
  local mounted
  while mounted=$(findmnt -n -r -o TARGET | grep -F "$(realpath "$disk")/" | tail -n 1); [[ $mounted ]]; do
    umount "$mounted" || fail "something is mounted at $mounted"
  done
}

# Downloads the minimal system once a day and packs it into an archive. Writes the archive under another name and then
# renames it, so that it is never incomplete.
minimal_system() {
  local packed=$work/minimal.tar mirror
  [[ ! $(find "$packed" -mtime -1 2>/dev/null) ]] || return 0
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
    sed -n 's/ bookworm$//p' | head -n 1)
  step "fetching minimal Debian 12"
  debootstrap --variant=minbase bookworm "$disk" ${mirror:+"$mirror"} >>"$log" 2>&1 ||
    { tail -n 5 "$log"; skip "debootstrap failed"; }
  tar -C "$disk" -cf "$packed.new" .
  mv "$packed.new" "$packed"
  rm -rf --one-file-system "$disk"
}

make_machine() {
  local packages=("${@:2}")
  mkdir -p "$work"
  disk=$work/$1 log=$work/$1.log
  : >"$log"
  remove_machine
  trap remove_machine EXIT
  minimal_system
  mkdir "$disk"
  tar -C "$disk" -xpf "$work/minimal.tar"
  mkdir -p "$disk/dev/shm" "$disk/dev/pts"
  mount -t proc proc "$disk/proc"
  mount -t sysfs -o ro sysfs "$disk/sys"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$disk/dev/pts"
  mount -t tmpfs tmpfs "$disk/dev/shm"
  cp -L /etc/resolv.conf /etc/hosts "$disk/etc/"
  rm -rf --one-file-system "$disk/etc/apt"
  cp -rL /etc/apt "$disk/etc/apt"
  for folder in /usr/share/keyrings /usr/local/share/ca-certificates; do
    [[ ! -d $folder ]] || { mkdir -p "$disk$folder"; cp -rLn "$folder/." "$disk$folder/"; }
  done
  printf '#!/bin/sh\nexit 101\n' >"$disk/usr/sbin/policy-rc.d"  # start no services, because there is no init
  chmod +x "$disk/usr/sbin/policy-rc.d"
  step "a machine: ${packages[*]:-minimal Debian 12}"
  ((!${#packages[@]})) || install_inside "${packages[@]}"
}

# Installs packages, which are given by their names or as paths in the machine.
install_inside() {
  { inside apt-get -q update && inside env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y install --no-install-recommends "$@"; } >>"$log" 2>&1 ||
    { tail -n 20 "$log"; [[ " $*" != *' /'* ]] || fail "$* cannot be installed"; skip "its packages could not be downloaded"; }
}

# packages_made: sets the array `packages` to Debian's packages of these sources, and `package` to the package of the
# command. tools/package/packages.sh must have made them.
packages_made() {
  packages=("$sources/build/package/packages"/*_"$(dpkg --print-architecture)".deb)
  package=$(printf '%s\n' "${packages[@]}" | grep '/manyply_[^/]*$') ||
    fail "tools/package/packages.sh has not been run"
}

# serve USER COMMAND…: starts a server in the machine, and sets $address to the address of its page.
serve() {
  : >"$work/address"
  # shellcheck disable=SC2016
  inside_as "$1" sh -c 'echo $$ >/tmp/server; exec "$@"' - "${@:2}" >"$work/address" 2>>"$log" &
  served=$!
  until grep -q ^http "$work/address"; do
    kill -0 "$served" 2>/dev/null || { tail "$log"; fail "the server does not start"; }
    sleep 0.2
  done
  address=$(<"$work/address")
}
end_server() {
  kill "$(<"$disk/tmp/server")"
  wait "$served" || fail "the server ended with $?"
  rm "$disk/tmp/server"
}
