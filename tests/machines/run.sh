#!/usr/bin/env bash
# run.sh MACHINE WORK: makes a machine as others have it (Debian 12, minimal, and a few packages), copies the
# sources there as a clone would hold them, and runs the README's first command. WORK keeps the log; the
# machine is a folder in it, which is removed in the end. Exits with 77 where it cannot be made: that takes
# root, debootstrap and Debian's mirror. The machine uses this one's sources and proxies of packages.
#
#   minimal      nothing but the base system
#   googletest   GoogleTest and Google Benchmark, but none of what else the tests need
set -euo pipefail

machine=$1 work=$2 sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }
case $machine in
  minimal) packages=() ;;
  googletest) packages=(libgtest-dev libbenchmark-dev) ;;
  *) fail "no machine '$machine'" ;;
esac

# Mounts, and whatever runs in the machine, end with these namespaces.
if [[ ${3-} != inside ]]; then
  ((EUID == 0)) || skip "only root makes machines"
  command -v debootstrap >/dev/null || skip "debootstrap is not installed"
  unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces of its own"
  exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$machine" "$work" inside
fi

mkdir -p "$work"
disk=$work/$machine log=$work/$machine.log
: >"$log"
step() { printf '%5d s  %s\n' "$SECONDS" "$*"; }
# What is mounted below goes first, whoever left it: removal stays on one disk, and in one folder.
remove() {
  local mounted
  [[ -e $disk ]] || return 0
  while mounted=$(findmnt -n -r -o TARGET | grep -F "$(realpath "$disk")/" | tail -n 1); [[ $mounted ]]; do
    umount "$mounted" || fail "something is mounted at $mounted"
  done
  rm -rf --one-file-system "$disk"
}
# inside COMMAND…: runs it in the machine, as on a console.
inside() {
  env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    "${proxies[@]}" chroot "$disk" "$@" </dev/null
}

remove
trap remove EXIT
mapfile -t proxies < <(env | grep -iE '^(https?|ftp|no|all)_proxy=' || true)
# shellcheck disable=SC2016
repositories=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages')
mirror=$(sed -n 's/ bookworm$//p' <<<"$repositories" | head -n 1)

step "a machine: minimal Debian 12"
debootstrap --variant=minbase bookworm "$disk" ${mirror:+"$mirror"} >>"$log" 2>&1 ||
  { tail -n 5 "$log"; skip "debootstrap failed"; }
mount -t proc proc "$disk/proc"
mkdir -p "$disk/dev/shm"
mount -t tmpfs tmpfs "$disk/dev/shm"
cp -L /etc/resolv.conf /etc/hosts "$disk/etc/"
rm -rf --one-file-system "$disk/etc/apt"
cp -rL /etc/apt "$disk/etc/apt"
for folder in /usr/share/keyrings /usr/local/share/ca-certificates; do
  [[ ! -d $folder ]] || { mkdir -p "$disk$folder"; cp -rLn "$folder/." "$disk$folder/"; }
done
if ((${#packages[@]})); then
  step "with ${packages[*]}"
  { inside apt-get -q update && inside env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y install --no-install-recommends "${packages[@]}"; } >>"$log" 2>&1 ||
    { tail -n 5 "$log"; skip "its packages cannot be had"; }
fi

mkdir "$disk/root/manyply"
git -C "$sources" ls-files -z |
  tar -C "$sources" --null --verbatim-files-from --ignore-failed-read -T - -c | tar -C "$disk/root/manyply" -x
command=$(sed -n 's/^\$ \(tools\/perft\.sh .*\)/\1/p' "$sources/README.md" | head -n 1)
promised=$(sed -n '/^\$ tools\/perft\.sh/,/^$/s/^\(nodes\|known\) .*/&/p' "$sources/README.md" | head -n 2)
in_tree() { inside sh -c "cd /root/manyply && $1"; }

step "$command"
in_tree "$command" >"$work/$machine.out" 2>>"$log" || { tail -n 40 "$log"; fail "$command"; }
[[ $promised == nodes*known* ]] || fail "no result of '$command' in the README"
[[ $(grep -E '^(nodes|known) ' "$work/$machine.out") == "$promised" ]] ||
  { cat "$work/$machine.out"; fail "the README says: $promised"; }

step "the same build again, at once"
second=$(in_tree "tools/perft.sh check startpos 4 197281" 2>&1) || fail "$second"
[[ $second != *building* && $second != *installing* ]] || fail "$second"

if [[ $machine == googletest ]]; then
  step "all of it by hand, as far as it goes"
  by_hand=$(in_tree "cmake --preset release" 2>&1) || { echo "$by_hand"; fail "cmake --preset release"; }
  [[ $by_hand == *'-- Left out: the tests; missing libgmock-dev'* ]] ||
    { echo "$by_hand"; fail "nothing is said of the tests"; }
fi
step "done"
