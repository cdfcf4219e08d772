#!/usr/bin/env bash
# What a campaign costs, with a PostgreSQL server of its own.
#
# usage: bench/campaign.sh worker BUILD [DEPTH] [ROUNDS] [TABLES]
#            one worker against `perft count` with equal tables, in turns: seconds, processor seconds
#        bench/campaign.sh clients BUILD [SECONDS]
#            1 to 64 clients that claim ranges and commit their batches, among 100,000 ranges: cycles a second
#   e.g. bench/campaign.sh worker build/release 9 3 256M
#
# BUILD is a folder whose target perft is built. PostgreSQL's programs are taken from where Debian has them.
set -euo pipefail

fail() { printf 'campaign.sh: %s\n' "$*" >&2; exit 2; }

part=${1-} build=${2-}
[[ $part == worker || $part == clients ]] || fail "usage: bench/campaign.sh worker|clients BUILD ..."
perft=$(realpath -e "$build/tools/perft") || fail "$build/tools/perft is not built"
programs=/usr/lib/postgresql/15/bin
[[ -x $programs/initdb ]] || fail "PostgreSQL 15 is not installed"

work=$(mktemp -d)
as=()
if ((EUID == 0)); then  # which PostgreSQL refuses
  as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
  chown nobody:nogroup "$work"
fi
trap '"${as[@]}" "$programs/pg_ctl" -D "$work/pg" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
cd "$work"
"${as[@]}" "$programs/initdb" --auth=trust --username=postgres -D pg >initdb.log || fail "$(<initdb.log)"
"${as[@]}" "$programs/pg_ctl" -D pg -l pg.log -o "-h '' -k . -c max_connections=100" start >/dev/null || fail "$(<pg.log)"
export PGHOST=$work/pg PGDATABASE=postgres PGUSER=postgres
"$perft" campaign init >/dev/null

# timed WHAT COMMAND...: prints its seconds and those of the processors, and adds the latter up for WHAT.
declare -A total=()
timed() {
  local what=$1 TIMEFORMAT='%R %U %S' real user system
  shift
  { time "$@" >out 2>err; } 2>taken || fail "$* failed: $(<err)"
  read -r real user system <taken
  total[$what]=$(awk "BEGIN { print ${total[$what]-0} + $user + $system }")
  printf '%-10s %8.2f s, %8.2f s of processors\n' "$what" "$real" "$(awk "BEGIN { print $user + $system }")"
}

worker() {
  local depth=${1:-9} rounds=${2:-3} tables=${3:-256M} round nodes
  for ((round = 0; round < rounds; ++round)); do
    timed count "$perft" count "$depth" --hash "$tables" --progress never
    nodes=$(awk '/^nodes/ { print $2 }' out)
    "$perft" campaign create bench "$depth" >/dev/null
    timed campaign "$perft" campaign work bench --hash "$tables" --progress never
    [[ $("$perft" campaign result bench | awk '/^nodes/ { print $2 }') == "$nodes" ]] || fail "the totals differ"
    "$perft" campaign drop bench --yes
  done
  awk "BEGIN { printf \"campaign / count, of processors: %.3f\n\", ${total[campaign]} / ${total[count]} }"
}

# A campaign of ranges of four batches that nobody counts: what is stored is as large as the real thing.
clients() {
  local seconds=${1:-10} clients
  for clients in 1 8 16 64; do
    "$programs/psql" -qAt -v ON_ERROR_STOP=1 >/dev/null <<'SQL'
SET search_path = manyply;
TRUNCATE campaign, worker, range, batch, dispute, withdrawn RESTART IDENTITY CASCADE;
INSERT INTO campaign (name, fen, depth, split_ply, units, ranges, identity, root_moves, signature, version, verify,
                      verify_other, lease)
  VALUES ('bench', 'x', 9, 6, 51200000, 100000, decode(repeat('00', 16), 'hex'), array_fill(''::text, ARRAY[20]), 1, '1',
          0, 'worker', '2 minutes');
INSERT INTO worker (campaign, host, label, version, kernel, signature, key_seed, key_bits, process, threads, hash_bytes)
  SELECT 1, 'h', 'l', '1', 'k', 1, int8send(i), 128, int8send(i), 1, 1 FROM generate_series(1, 64) i;
INSERT INTO range (campaign, pass, no, first_unit, units, batches, weight, state)
  SELECT 1, 0, i, 512 * i, 512, 4, 1, 'open' FROM generate_series(0, 99999) i;
VACUUM ANALYZE;
SQL
    {
      echo '\set me :client_id + 1'
      echo 'SELECT range_no AS last, range_epoch AS epoch FROM manyply.claim(:me, 1, 0, :last) \gset'
      for batch in 0 1 2 3; do
        echo "SELECT manyply.commit_batch(:me, 1, 0, :last, $batch, :epoch, decode(repeat('01', 2048), 'hex'),"
        echo "  decode(repeat('02', 16), 'hex'), array_fill(123456789::numeric, ARRAY[20]), 1, 1);"
      done
    } >script
    printf '%2d clients: %s cycles/s of one claim and four commits\n' "$clients" \
      "$("$programs/pgbench" -n -f script -c "$clients" -j 2 -T "$seconds" -D last=-1 2>&1 |
        awk '/^tps/ { printf "%.0f", $3 }')"
  done
}

"$part" "${@:3}"
