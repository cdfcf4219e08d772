#!/usr/bin/env bash
# bench/windows.sh PERFT PERFT_EXE: compares the command for Windows under Wine with the native one. Counts perft(7) by
# configurations, perft(8) hashed, and perft(7) without a table, each with one thread and with two. In each of ROUNDS=9
# rounds both programs count in turn, so that disturbances affect both. Prints medians over rounds: of the seconds that
# the programs report for counting, and of the ratio within a round. Excludes the time that Wine takes to start. Exits
# with 1 if counts differ.
set -euo pipefail

native=$1 windows=$2
wine=$(dirname "${BASH_SOURCE[0]}")/../tools/package/wine.sh
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# field NAME FILE: prints a number from a document.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([0-9.e+-]*\).*/\1/p" "$2"; }
# case_of NAME ARGS...: runs all rounds of `perft count ARGS`, and prints a line that begins with NAME.
case_of() {
  local name=$1 round
  shift
  : >"$work/rounds"
  for ((round = 0; round < ${ROUNDS:-9}; ++round)); do
    "$native" count "$@" --format json >"$work/native"
    "$wine" "$windows" count "$@" --format json >"$work/windows"
    [[ $(field nodes "$work/native") == "$(field nodes "$work/windows")" ]] || { echo "counts differ: $*" >&2; exit 1; }
    echo "$(field seconds "$work/native") $(field seconds "$work/windows")" >>"$work/rounds"
  done
  printf '%-36s native %s s, Windows %s s, ratio %s\n' "$name" "$(median '$1')" "$(median '$2')" "$(median '$2 / $1')"
}
median() {
  awk "{ print $1 }" "$work/rounds" | sort -g |
    awk '{ v[NR] = $1 } END { printf "%.3f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

for threads in 1 2; do
  case_of "perft(7), $threads threads" 7 --threads "$threads"
  case_of "perft(8) hashed, $threads threads" 8 --method hashed --threads "$threads"
  case_of "perft(7) unhashed, $threads threads" 7 --hash off --threads "$threads"
done
