#!/usr/bin/env bash
# run.sh MACHINE WORK: makes a machine as others have it, copies the sources there as a clone would hold them, and runs
# the README's first command, and that again. WORK keeps the log.
#
#   minimal      nothing but the base system; the README's second command, too: it installs and builds all there is, and
#                runs the quick tests
#   googletest   GoogleTest and Google Benchmark, but none of what else the tests need
#   user         a user without root, where all that building takes is there, but npm; then without a network; then
#                with Debian's own Node, for the page
#   bare_user    a user without root, and no packages: one sentence says which
set -euo pipefail

machine=$1 work=$2
# shellcheck source=tests/machines/machine.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine.sh"
own_namespaces "$@"

who=root packages=()
case $machine in
  minimal) ;;
  googletest) packages=(libgtest-dev libbenchmark-dev) ;;
  user)
    who=guest
    mapfile -t packages < <(bash -c 'source "$1/tools/setup.sh"; printf "%s\n" "${build_packages[@]}"' - "$sources")
    ;;
  bare_user) who=guest ;;
  *) fail "no machine '$machine'" ;;
esac
make_machine "$machine" "${packages[@]}"

home=/root
if [[ $who != root ]]; then
  inside useradd --create-home "$who"
  home=/home/$who
fi
mkdir "$disk$home/manyply"
git -C "$sources" ls-files -z |
  tar -C "$sources" --null --verbatim-files-from --ignore-failed-read -T - -c | tar -C "$disk$home/manyply" -x
[[ $who == root ]] || inside chown -R "$who:$who" "$home"
command=$(sed -n 's/^\$ \(tools\/perft\.sh .*\)/\1/p' "$sources/README.md" | head -n 1)
promised=$(sed -n '/^\$ tools\/perft\.sh/,/^$/s/^\(nodes\|known\) .*/&/p' "$sources/README.md" | head -n 2)
in_tree() { inside_as "$who" sh -c "cd $home/manyply && $1"; }

if [[ $machine == bare_user ]]; then
  for refused in "$command" tools/test.sh; do
    step "$refused"
    code=0
    said=$(in_tree "$refused" 2>&1) || code=$?
    [[ $code == 2 && $said == *".sh: as root, first: apt-get install clang-19 "* && $said != *$'\n'* ]] ||
      fail "exit code $code, and it says: $said"
  done
  step "done"
  exit 0
fi

step "$command"
TIMEFORMAT='%R s, and processors %U + %S s'
{ time in_tree "$command" >"$work/$machine.out" 2>>"$log"; } 2>"$work/$machine.time" ||
  { tail -n 40 "$log"; fail "$command"; }
[[ $promised == nodes*known* ]] || fail "no result of '$command' in the README"
[[ $(grep -E '^(nodes|known) ' "$work/$machine.out") == "$promised" ]] ||
  { cat "$work/$machine.out"; fail "the README says: $promised"; }
step "the command took $(<"$work/$machine.time")"

step "the same again, at once"
{ time second=$(in_tree "tools/perft.sh check startpos 4 197281" 2>&1); } 2>"$work/$machine.time" || fail "$second"
step "which took $(<"$work/$machine.time")"
[[ $second != *building* && $second != *installing* ]] || fail "$second"

if [[ $machine == minimal ]]; then
  step "tools/test.sh"
  in_tree "tools/test.sh -j $(($(nproc) + 1))" >"$work/minimal.tests" 2>&1 ||
    { tail -n 40 "$work/minimal.tests"; fail "tools/test.sh"; }
  step "$(grep 'tests passed' "$work/minimal.tests")"
  [[ -d $disk/usr/lib/postgresql && ! -e $disk/var/lib/postgresql/15/main ]] || fail "PostgreSQL has made a database of its own"
fi

if [[ $machine == googletest ]]; then
  step "all of it by hand, as far as it goes"
  by_hand=$(in_tree "cmake --preset release" 2>&1) || { echo "$by_hand"; fail "cmake --preset release"; }
  [[ $by_hand == *'-- Left out: the tests; missing libgmock-dev'* ]] ||
    { echo "$by_hand"; fail "nothing is said of the tests"; }
fi

if [[ $machine == user ]]; then
  step "a changed source, without a network"
  export -f inside_as
  export disk
  changed=$(unshare --net bash -c 'inside_as "$@"' - "$who" sh -c \
    "cd $home/manyply && echo >>tools/main.cpp && tools/perft.sh check startpos 4 197281" 2>&1) || fail "$changed"
  [[ $changed == *building* ]] || fail "nothing was built: $changed"

  # Whoever else offers Node is passed over.
  printf 'Package: nodejs\nPin: release o=Debian\nPin-Priority: 1001\n' >"$disk/etc/apt/preferences.d/nodejs"
  install_inside npm nodejs curl
  step "the page, by Node $(inside node --version)"
  in_tree "cmake build/release >/dev/null
           tools/perft.sh serve --state /tmp/state --listen 127.0.0.1:0 >/tmp/address 2>/tmp/log & server=\$!
           until grep -q http /tmp/address; do kill -0 \$server || { cat /tmp/log; exit 1; }; sleep 0.2; done
           curl -sf \$(cat /tmp/address) >/tmp/page; kill \$server; wait" || fail "it is not served"
  grep -q '<script type="module"' "$disk/tmp/page" || { cat "$disk/tmp/page"; fail "it is not the page"; }
fi
step "done"
