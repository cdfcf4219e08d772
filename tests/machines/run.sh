#!/usr/bin/env bash
# run.sh MACHINE WORK: makes a minimal machine, copies the sources to it as in a clone, and runs the README's commands.
# The log is in WORK. MACHINE is one of these:
#
#   bare_user    a user without root, and no packages: the first command must name the missing packages in one sentence
#   minimal      root, and only the base system: runs the first command twice. Compiling takes minutes, so the following
#                tests use the same machine, and only configure its tree again:
#                - a user without root, with all packages for building except npm; then without a network; then with
#                  Debian's Node, for the page
#                - the second command, with GoogleTest and Google Benchmark but no other packages for the tests; then with
#                  all packages, as root and as a user
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
# given_to USER: makes USER the owner of the tree. The following commands run as this user.
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
# again: runs the command again; it must start at once.
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

  # Packages of Node from other sources must not be installed.
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

# Runs all quick tests. Installing PostgreSQL for the tests must not have created a database.
second_command() {
  local log=$work/$machine.$who.tests
  step "the second command, by $who"
  { time in_tree tools/test.sh >"$log" 2>&1; } 2>"$work/$machine.time" ||
    { grep -E '\*\*\*|tests failed' "$log" || tail -n 40 "$log"; fail "tools/test.sh failed; its output is in $log"; }
  grep -E '^100% tests passed' "$log" || { tail -n 5 "$log"; fail "not all tests passed"; }
  step "the second command took $(<"$work/$machine.time")"
  [[ ! -e $disk/var/lib/postgresql/15/main ]] || fail "PostgreSQL came with a database of its own"
}

case $machine in
  bare_user | minimal) "$machine" ;;
  *) fail "no machine '$machine'" ;;
esac
step "done"
