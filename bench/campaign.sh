#!/usr/bin/env bash
# Measures what a campaign costs. Starts a PostgreSQL server of its own.
#
# usage: bench/campaign.sh worker BUILD [DEPTH] [ROUNDS] [TABLES]
#            one worker and `perft count` with equal tables, in turn: seconds and processor seconds
#        bench/campaign.sh clients BUILD [SECONDS]
#            1 to 64 clients that claim ranges and commit their batches, among 100,000 ranges: cycles per second
#        bench/campaign.sh gaps BUILD
# the time to find the next range among 100,000, in either pass, and for a worker that may count none of them;
#            the time of `status` meanwhile
#        bench/campaign.sh pair BUILD [DEPTH] [TABLES]
# two workers that verify each other: seconds, the published total, and that every batch is counted once per pass
#        bench/campaign.sh stripe BUILD [DEPTH] [RANGES] [TABLES]
#            ten consecutive ranges of RANGES, counted by one worker and then by another: that they agree, and the cost
#            compared with the count in one go, which is extrapolated
#        bench/campaign.sh cuts BUILD [DEPTH] [RANGES] [TABLES]
#            positions visited by the count in one go; by all RANGES one after another; by ten consecutive ones: in that
#            order, as a stripe that begins with empty tables, and three of them with empty tables each
#        bench/campaign.sh hour BUILD [DEPTH] [SECONDS] [TABLES] [SECONDS]
#            two workers of a campaign with --deep for SECONDS (default: half an hour) after both splits: share done,
#            predicted total time, database size. Then kills everything, including the server, and continues
#   e.g. bench/campaign.sh worker build/release 9 3 256M
#
# BUILD is a build folder with the target perft. Uses Debian's path of PostgreSQL's programs.
set -euo pipefail

fail() { printf 'campaign.sh: %s\n' "$*" >&2; exit 2; }

part=${1-} build=${2-}
[[ $part =~ ^(worker|clients|gaps|pair|stripe|cuts|hour)$ ]] ||
  fail "usage: bench/campaign.sh worker|clients|gaps|pair|stripe|cuts|hour BUILD ..."
perft=$(realpath -e "$build/tools/perft") || fail "$build/tools/perft is not built"
programs=/usr/lib/postgresql/15/bin
[[ -x $programs/initdb ]] || fail "PostgreSQL 15 is not installed"

work=$(mktemp -d)
as=()
if ((EUID == 0)); then  # PostgreSQL refuses to run as root
  as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
  chown nobody:nogroup "$work"
fi
trap 'kill -KILL ${working[*]-} 2>/dev/null || true; "${as[@]}" "$programs/pg_ctl" -D "$work/pg" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
cd "$work"
"${as[@]}" "$programs/initdb" --auth=trust --username=postgres -D pg >initdb.log || fail "$(<initdb.log)"
start_server() {
  "${as[@]}" "$programs/pg_ctl" -D pg -l pg.log -o "-h '' -k . -c max_connections=100" start >/dev/null ||
    fail "$(<pg.log)"
}
start_server
export PGHOST=$work/pg PGDATABASE=postgres PGUSER=postgres
"$perft" campaign init >/dev/null

# sql: runs the commands on standard input and prints their results. Names are those of the schema.
sql() { PGOPTIONS='-c search_path=manyply' "$programs/psql" -qAt -v ON_ERROR_STOP=1; }

working=()
# start_worker NAME TABLES THREADS: appends its process id to `working`.
start_worker() {
  "$perft" campaign work "$1" --threads "$3" --hash "$2" --progress never >"worker${#working[@]}" 2>&1 &
  working+=($!)
}
# start_pair NAME TABLES: starts two workers with half of the processors each.
start_pair() {
  local threads=$((($(nproc) + 1) / 2))
  start_worker "$1" "$2" "$threads"
  start_worker "$1" "$2" "$threads"
}
await_workers() {
  local worker
  for worker in "${working[@]}"; do wait "$worker" || fail "a worker failed: $(cat worker?)"; done
  working=()
}

# timed WHAT COMMAND...: prints wall clock and processor seconds. Adds the processor seconds to the total of WHAT.
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

# make_unreal: makes a campaign of 100,000 ranges with four batches each that is never counted, for realistic table
# sizes.
make_unreal() {
  sql <<'SQL'
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
}

clients() {
  local seconds=${1:-10} clients
  for clients in 1 8 16 64; do
    make_unreal
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

# found_in WHAT WORKER PASS: prints the milliseconds of the fastest of five searches.
found_in() {
  local taken=""
  for _ in 1 2 3 4 5; do
    taken+=$(sql <<<"EXPLAIN (ANALYZE, TIMING OFF) SELECT longest_gap($2, 1, $3)" |
      awk '/^Execution/ { print $3 }')$'\n'
  done
  printf '%-50s %8.1f ms\n' "$1" "$(sort -n <<<"$taken" | awk 'NF { print; exit }')"
}

# status_in WHAT: prints the milliseconds of `perft campaign status`, the fastest of three, while all workers are alive.
status_in() {
  local TIMEFORMAT=%R taken=""
  for _ in 1 2 3; do
    sql <<<"UPDATE worker SET seen = now()"
    taken+=$({ time "$perft" campaign status bench >/dev/null; } 2>&1)$'\n'
  done
  printf '%-50s %8.0f ms\n' "status: $1" "$(sort -n <<<"$taken" | awk 'NF { print 1000 * $1; exit }')"
}

gaps() {
  make_unreal
  found_in 'nothing counted' 1 0
  # Each of 64 workers has counted half of a stripe of consecutive ranges.
  sql <<<"INSERT INTO batch SELECT 1, 0, r.no, b, 1 + r.no / 1563, '', decode(repeat('00', 16), 'hex'), '{}', 1, 1
         FROM range r, generate_series(0, 3) b WHERE r.no % 1563 < 782;
       UPDATE range SET state = 'done', batches_done = 4 WHERE no % 1563 < 782;
       VACUUM ANALYZE"
  found_in '64 stripes, half of each counted' 1 0
  sql <<<"INSERT INTO range (campaign, pass, no, first_unit, units, batches, weight, state)
         SELECT 1, 1, no, first_unit, units, batches, weight, CASE state WHEN 'done' THEN 'open' ELSE 'waiting' END
         FROM range;
       VACUUM ANALYZE"
  found_in 'of them, what to verify' 1 1
  status_in 'what to verify, 64 workers'
  sql <<<"UPDATE batch SET worker = 1; VACUUM ANALYZE"
  found_in 'of them, what to verify, by who counted all' 1 1
  status_in 'all was counted by one of 64'
  sql <<<"UPDATE worker SET ended = now() WHERE id > 1"
  status_in 'all was counted by the only one'
}

pair() {
  local depth=${1:-9} tables=${2:-256M} began=$SECONDS
  "$perft" campaign create bench "$depth" --verify all --workers 2
  start_pair bench "$tables"
  await_workers
  printf '%d s with both splits\n' $((SECONDS - began))
  "$perft" campaign result bench
  sql <<<"SELECT 'pass ' || pass || ': ' || sum(batches) || ' batches to count, '
         || (SELECT count(*) FROM batch b WHERE b.pass = r.pass) || ' counted, '
         || (SELECT count(DISTINCT (range, no)) FROM batch b WHERE b.pass = r.pass) || ' of them distinct'
       FROM range r GROUP BY pass ORDER BY pass"
}

# uncut_count DEPTH TABLES: counts in one go. Sets `nodes` to its total and `uncut` to the positions visited.
uncut_count() {
  "$perft" count "$1" --hash "$2" --progress never --format json >count.json
  nodes=$(awk -F'"' -v RS=, '$2 == "nodes" { print $4; exit }' count.json)
  uncut=$(awk -F'[:}]' -v RS=, '/^"seconds"/ { s = $2 } /^"visited_per_second"/ { v = $2 } END { printf "%.0f", s * v }' \
    count.json)
}

declare -A published=([10]=69352859712417 [11]=2097651003696806 [12]=62854969236701747)
stripe() {
  local depth=${1:-11} ranges=${2:-1000} tables=${3:-1G} nodes uncut
  "$perft" campaign create bench "$depth" --verify all --ranges "$ranges"
  sql <<<"UPDATE range SET state = 'done', batches_done = batches
         WHERE no NOT BETWEEN $ranges / 2 AND $ranges / 2 + 9"
  # Start the second worker when the first has counted all ten, since two workers would halve the stripe.
  start_worker bench "$tables" "$(nproc)"
  while [[ $(sql <<<"SELECT count(*) FROM range WHERE pass = 0 AND state <> 'done'") != 0 ]]; do
    kill -0 "${working[0]}" 2>/dev/null || fail "a worker failed: $(<worker0)"
    sleep 0.2
  done
  start_worker bench "$tables" "$(nproc)"
  await_workers
  sql <<<"SELECT format('pass %s: %s batches of workers %s: %s paths, %s M visited, %s s of counting', pass, count(*),
         array_agg(DISTINCT worker), sum(leaves), round(sum(visited) / 1e6), round(sum(seconds)::numeric, 1))
       FROM (SELECT b.*, (SELECT sum(s) FROM unnest(sums) s) AS leaves FROM batch b) b GROUP BY pass ORDER BY pass"
  sql <<<"SELECT format('%s batches, %s of them equal in both passes, %s disputes', count(*),
         count(*) FILTER (WHERE a.counts = b.counts AND a.sums = b.sums), (SELECT count(*) FROM dispute))
       FROM batch a JOIN batch b USING (campaign, range, no) WHERE a.pass = 0 AND b.pass = 1"
  [[ -n ${published[$depth]-} ]] || return 0
  # For each ply after perft(9), a count in one go visits 11.6 times as many positions (measured by `cuts` for
  # perft(10)).
  uncut_count 9 "$tables"
  sql <<<"SELECT 'visited against the uncut count, extrapolated from perft(9): ' ||
       round((sum(visited) * ${published[$depth]}
         / ($uncut * 11.6 ^ ($depth - 9) * sum((SELECT sum(s) FROM unnest(sums) s))))::numeric, 2)
       FROM batch WHERE pass = 0"
}

# count_again WHERE: counts just these ranges again, by a new worker with empty tables.
count_again() {
  sql <<<"DELETE FROM batch;
       UPDATE range SET state = 'done', batches_done = batches;
       UPDATE range SET state = 'open', batches_done = 0 WHERE $1;
       UPDATE campaign SET state = 'running'"
  "$perft" campaign work bench --hash "$2" --progress never >work.log 2>&1 || fail "$(<work.log)"
}

# visited WHAT IN WHERE: prints millions of positions, and the ratio to the share of these ranges in the count in one
# go.
visited() {
  sql <<<"SELECT format('%s %s M, %s of the uncut count', rpad('$1', 54), round(visited / 1e6, 1),
         round(visited / ($uncut * leaves / $nodes), 3))
       FROM (SELECT sum(visited) AS visited, sum(leaves) AS leaves FROM $2 WHERE $3) all_of_them"
}

# The share of ranges in the count in one go is their share of the leaves, as in `stripe`.
cuts() {
  local depth=${1:-9} ranges=${2:-200} tables=${3:-1G} nodes uncut no
  uncut_count "$depth" "$tables"
  printf '%-54s %s M\n' 'visited by the uncut count:' "$(awk "BEGIN { printf \"%.1f\", $uncut / 1e6 }")"
  "$perft" campaign create bench "$depth" --ranges "$ranges"
  sql <<<"CREATE VIEW counted AS SELECT range, sum(visited) AS visited, sum((SELECT sum(s) FROM unnest(sums) s)) AS leaves
       FROM batch GROUP BY range"
  count_again true "$tables"
  sql <<<"CREATE TABLE in_order AS SELECT * FROM counted"
  visited 'all ranges, one after the other:' in_order true
  local stripe="BETWEEN $ranges / 2 AND $ranges / 2 + 9"
  visited 'ten neighbours of them:' in_order "range $stripe"
  count_again "no $stripe" "$tables"
  visited 'they alone, one after the other:' counted true
  for no in 0 4 9; do
    visited "number $no of them, in the order of all:" in_order "range = $ranges / 2 + $no"
    count_again "no = $ranges / 2 + $no" "$tables"
    visited "number $no of them alone:" counted true
  done
}

# done_share: prints the share of the estimated work of both passes that is done, 0 to 1.
done_share() { sql <<<"SELECT sum(weight::float8 * batches_done / batches) / sum(weight::float8) FROM range"; }

# working_seconds: prints the processor seconds that the workers have used.
working_seconds() {
  local worker ticks=0
  for worker in "${working[@]}"; do
    ticks=$((ticks + $(sed 's/.*) //' "/proc/$worker/stat" | awk '{ print $12 + $13 }')))
  done
  awk "BEGIN { print $ticks / $(getconf CLK_TCK) }"
}

# await_registered COUNT: waits until COUNT workers have been accepted.
await_registered() {
  while [[ $(sql <<<"SELECT count(*) FROM worker WHERE refused IS NULL") -lt $1 ]]; do
    kill -0 "${working[-1]}" 2>/dev/null || fail "a worker failed: $(cat worker?)"
    sleep 0.5
  done
}

hour() {
  local depth=${1:-12} seconds=${2:-1800} tables=${3:-4G} again=${4:-${2:-1800}} round before had gained server
  "$perft" campaign create bench "$depth" --deep --verify all --workers 2
  for round in 1 2; do
    # Start them one after another, since a split takes most memory while it is made.
    start_worker bench "$tables" $((($(nproc) + 1) / 2))
    await_registered $((2 * round - 1))
    start_worker bench "$tables" $((($(nproc) + 1) / 2))
    await_registered $((2 * round))
    before=$(done_share)
    had=$(working_seconds)
    ((round == 1)) || seconds=$again
    sleep "$seconds"
    "$perft" campaign status bench
    gained=$(awk "BEGIN { print $(done_share) - $before }")
    awk "BEGIN {
      if ($gained > 0) printf \"%.4f %% in %d s: all of it in %.1f h, %.1f h of processors\\n\", 100 * $gained, $seconds,
        $seconds / $gained / 3600, ($(working_seconds) - $had) / $gained / 3600
      else print \"nothing done\" }"
    sql <<<"SELECT pg_size_pretty(pg_database_size(current_database())) || ' in the database'"
    kill -KILL "${working[@]}"
    wait "${working[@]}" 2>/dev/null || true
    working=()
    ((round == 1)) || break
    server=$(head -1 pg/postmaster.pid)
    server+=" $(pgrep -P "$server")"
    kill -KILL $server
    while kill -0 $server 2>/dev/null; do sleep 0.1; done
    echo 'all killed'
    start_server
  done
  sql <<<"SELECT count(*) || ' batches, ' || count(DISTINCT (pass, range, no)) || ' of them distinct; '
         || (SELECT count(*) FROM dispute) || ' disputes' FROM batch"
}

"$part" "${@:3}"
