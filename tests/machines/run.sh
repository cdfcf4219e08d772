#!/usr/bin/env bash
# run.sh MACHINE WORK: makes a machine as others have it, copies the sources there as a clone would hold them, and runs
# the README's commands. WORK keeps the log.
#
#   bare_user    a user without root, and no packages: one sentence says which
#   minimal      nothing but the base system, and root: the first command, and that again. It compiles for minutes, so
#                that the same machine, its tree configured anew each time, is then one
#                - of a user without root, where all that building takes is there, but npm; then without a network;
#                  then with Debian's own Node, for the page;
#                - with GoogleTest and Google Benchmark, but none of what else the tests need; then with all of that, for
#                  root and for a user: the second command
set -euo pipefail

machine=$1 work=$2
# shellcheck source=tests/machines/machine.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine.sh"
own_namespaces "$@"

make_machine "$machine"
inside useradd --create-home guest
tree=/srv/manyply who=root
mkdir "$disk$tree"
git -C "$sources" ls-files -z |
  tar -C "$sources" --null --verbatim-files-from --ignore-failed-read -T - -c | tar -C "$disk$tree" -x
# given_to USER: it is the user's, who does what follows.
given_to() { who=$1; inside chown -R "$who:$who" "$tree"; }
in_tree() { inside_as "$who" sh -c "cd $tree && $1"; }
configured_anew() { rm -r "$disk$tree"/build/release/{CMakeCache.txt,build.ninja,CMakeFiles}; }

command=$(sed -n 's/^\$ \(tools\/perft\.sh .*\)/\1/p' "$sources/README.md" | head -n 1)
promised=$(sed -n '/^\$ tools\/perft\.sh/,/^$/s/^\(nodes\|known\) .*/&/p' "$sources/README.md" | head -n 2)
[[ $promised == nodes*known* ]] || fail "no result of '$command' in the README"
TIMEFORMAT='%R s, and processors %U + %S s'
first_command() {
  { time in_tree "$command" >"$work/$machine.out" 2>>"$log"; } 2>"$work/$machine.time" ||
    { tail -n 40 "$log"; fail "$command"; }
  [[ $(grep -E '^(nodes|known) ' "$work/$machine.out") == "$promised" ]] ||
    { cat "$work/$machine.out"; fail "the README says: $promised"; }
  step "the first command took $(<"$work/$machine.time")"
}
# again: it starts at once.
again() {
  local said
  { time said=$(in_tree "tools/perft.sh check startpos 4 197281" 2>&1); } 2>"$work/$machine.time" || fail "$said"
  [[ $said != *building* && $said != *installing* ]] || fail "$said"
  step "again, it took $(<"$work/$machine.time")"
}

bare_user() {
  local refused said code
  given_to guest
  for refused in "$command" tools/test.sh; do
    step "$refused"
    code=0
    said=$(in_tree "$refused" 2>&1) || code=$?
    [[ $code == 2 && $said == *".sh: as root, first: apt-get install clang-19 "* && $said != *$'\n'* ]] ||
      fail "exit code $code, and it says: $said"
  done
}

minimal() {
  first_command
  again
  given_to guest
  user
  given_to root
  with_googletest
  second_command
  given_to guest
  second_command
}

user() {
  local said
  step "a user without root and without npm"
  configured_anew
  first_command
  again
  step "a changed source, without a network"
  export -f inside_as
  export disk
  said=$(unshare --net bash -c 'inside_as "$@"' - "$who" sh -c \
    "cd $tree && echo >>tools/main.cpp && tools/perft.sh check startpos 4 197281" 2>&1) || fail "$said"
  [[ $said == *building* ]] || fail "nothing was built: $said"

  # Whoever else offers Node is passed over.
  printf 'Package: nodejs\nPin: release o=Debian\nPin-Priority: 1001\n' >"$disk/etc/apt/preferences.d/nodejs"
  install_inside npm nodejs curl
  step "the page, by Node $(inside node --version)"
  in_tree "cmake build/release >/dev/null
           tools/perft.sh serve --state /tmp/state --listen 127.0.0.1:0 >/tmp/address 2>/tmp/log & server=\$!
           until grep -q http /tmp/address; do kill -0 \$server || { cat /tmp/log; exit 1; }; sleep 0.2; done
           curl -sf \$(cat /tmp/address) >/tmp/page; kill \$server; wait" || fail "it is not served"
  grep -q '<script type="module"' "$disk/tmp/page" || { cat "$disk/tmp/page"; fail "it is not the page"; }
}

with_googletest() {
  local said
  install_inside libgtest-dev libbenchmark-dev
  step "GoogleTest without GoogleMock"
  configured_anew
  first_command
  said=$(in_tree "cmake --preset release" 2>&1) || { echo "$said"; fail "cmake --preset release"; }
  [[ $said == *'-- Left out: the tests; missing libgmock-dev'* ]] || { echo "$said"; fail "nothing is said of the tests"; }
}

# All quick tests, and no database that was not asked for.
second_command() {
  local log=$work/$machine.$who.tests
  step "the second command, by $who"
  { time in_tree tools/test.sh >"$log" 2>&1; } 2>"$work/$machine.time" ||
    { grep -E '\*\*\*|tests failed' "$log" || tail -n 40 "$log"; fail "tools/test.sh; all it said is in $log"; }
  grep -E '^100% tests passed' "$log" || { tail -n 5 "$log"; fail "not all tests passed"; }
  step "the second command took $(<"$work/$machine.time")"
  [[ ! -e $disk/var/lib/postgresql/15/main ]] || fail "PostgreSQL came with a database of its own"
}

case $machine in
  bare_user | minimal) "$machine" ;;
  *) fail "no machine '$machine'" ;;
esac
step "done"
