#!/usr/bin/env bash
# Compares the cost of a campaign with that of `perft count`. Starts a separate PostgreSQL server.
#
# usage: bench/campaign.sh BUILD [DEPTH] [WORKERS] [VERIFY]
#   Counts by `perft count`, and by a campaign with WORKERS workers on all processors. The campaign verifies the share
#   VERIFY of its parts. Prints wall clock and processor seconds of both, their ratio, and the result.
#   e.g. bench/campaign.sh build/release 10 2 0%
#   With KILLS=N in the environment, kills each worker N times at a random moment, and starts it again.
#
# BUILD is a build folder with the target perft. PostgreSQL 15 must be installed as on Debian.
set -euo pipefail

fail() { printf 'campaign.sh: %s\n' "$*" >&2; exit 2; }

perft=$(realpath -e "${1-}/tools/perft") || fail "usage: bench/campaign.sh BUILD [DEPTH] [WORKERS] [VERIFY]"
depth=${2:-9} workers=${3:-2} verify=${4:-0%} kills=${KILLS:-0}
programs=/usr/lib/postgresql/15/bin
[[ -x $programs/initdb ]] || fail "PostgreSQL 15 is not installed"

work=$(mktemp -d)
as=()
if ((EUID == 0)); then  # PostgreSQL refuses to run as root
  as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
  chown nobody:nogroup "$work"
fi
trap '"${as[@]}" "$programs/pg_ctl" -D "$work/pg" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
cd "$work"
"${as[@]}" "$programs/initdb" --auth=trust --username=postgres -D pg >initdb.log || fail "$(<initdb.log)"
"${as[@]}" "$programs/pg_ctl" -D pg -l pg.log -o "-h '' -k ." start >/dev/null || fail "$(<pg.log)"
export PGHOST=$work/pg PGDATABASE=postgres PGUSER=postgres
"$perft" campaign init >/dev/null

# timed WHAT COMMAND...: prints wall clock and processor seconds. Keeps the processor seconds in `used`.
timed() {
  local what=$1 TIMEFORMAT='%R %U %S' real user system
  shift
  { time "$@" >out 2>err; } 2>taken || fail "$* failed: $(<err)"
  read -r real user system <taken
  used=$(awk "BEGIN { print $user + $system }") taken_seconds=${real%.*}
  printf '%-10s %8.2f s, %8.2f s of processors\n' "$what" "$real" "$used"
}

# run_worker: counts parts until the campaign is done. $kills times, kills the worker and starts it again.
run_worker() {
  local left threads=$((($(nproc) + workers - 1) / workers))
  local command=("$perft" campaign work bench --threads "$threads" --progress never)
  for ((left = kills; left > 0; --left)); do
    timeout --foreground --signal=KILL $((1 + RANDOM % span)) "${command[@]}" && return
  done
  "${command[@]}"
}
count_together() {
  local each=() worker
  for ((worker = 0; worker < workers; ++worker)); do
    run_worker >"worker$worker" 2>&1 &
    each+=($!)
  done
  for worker in "${each[@]}"; do wait "$worker" || fail "a worker failed: $(cat worker?)"; done
}

timed count "$perft" count "$depth" --method configurations --progress never
alone=$used span=$((taken_seconds + 1)) lease=()
((kills == 0)) || lease=(--lease 10)  # seconds until a part of a killed worker is available again
timed create "$perft" campaign create bench "$depth" --workers "$workers" --verify "$verify" "${lease[@]}"
cat out
timed campaign count_together
awk "BEGIN { printf \"campaign / count, of processors: %.3f\n\", $used / $alone }"
"$perft" campaign result bench
