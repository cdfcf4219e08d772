#!/usr/bin/env bash
# bench/short_lane.sh [PERFT]: measures how users' clicks slow down a long count, and how long users wait. Times the
# same count in an idle server and in a busy one, in turn. In the busy server, CLICKS requests per minute ask for
# perft(5) of a new position, and STREAMS clients follow the long count. Takes some minutes on an otherwise idle
# machine; on a busy machine, compare processor times. Exits with 1 if a click is not answered.
set -euo pipefail

perft=${1:-$(dirname "${BASH_SOURCE[0]}")/../build/release/tools/perft}
job=${JOB:-'{"depth": 9, "mode": "unhashed"}'} clicks=${CLICKS:-10} streams=${STREAMS:-100} rounds=${ROUNDS:-3}
work=$(mktemp -d)
server=
trap '[[ ! $server ]] || kill "$server" || true; rm -r --one-file-system "$work"' EXIT

ask() { curl -sf --max-time 60 "$@"; }
field() { grep -o "\"$1\":[^,}]*" | head -n 1 | cut -d: -f2 | tr -d '"'; }

# click URL FEN: prints the seconds from the request to the answer.
click() {
  local id begin=$EPOCHREALTIME
  id=$(ask --json "{\"fen\": \"$2\", \"depth\": 5}" "$1v1/jobs" | field id)
  ask -N "$1v1/jobs/$id/events" | grep '"state":"done"' >/dev/null  # the stream ends when the job does
  bc <<<"$EPOCHREALTIME - $begin"
}

# click_on URL ROUND: clicks until the long job has ended.
click_on() {
  local fen
  while read -r fen; do
    sleep "$(bc -l <<<"60 / $clicks")"
    [[ $(ask "$1v1/jobs/1") == *'"state":"running"'* ]] || break
    click "$1" "$fen" || { echo "a click was not answered" >&2; exit 1; }
  done < <("$perft" gen --positions 1000 --seed "$2" --depth 1 | cut -d ';' -f 1)
}

# count ROUND [clicks]: records the seconds of the count, the server's processor seconds at the end of the count, and
# how many of the processor seconds were charged to the short lane.
count() {
  local url i state=$work/$1${2-}
  mkdir "$state"
  "$perft" serve --listen 127.0.0.1:0 --no-access-log --state "$state/state" >"$state/url" 2>"$state/log" &
  server=$!
  until [[ -s $state/url ]]; do sleep 0.05; done
  url=$(<"$state/url")
  ask --json "$job" "${url}v1/jobs" >/dev/null
  if [[ ${2-} ]]; then
    for ((i = 0; i < streams; ++i)); do curl -sN "${url}v1/jobs/1/events" >/dev/null & done
    click_on "$url" "$1" >>"$work/waits"
  fi
  until ask "${url}v1/jobs/1" >"$state/job" && grep -q '"state":"done"' "$state/job"; do sleep 0.5; done
  ask "${url}metrics" >"$state/metrics"
  grep '^manyply_\(short\|outgrown\)' "$state/metrics" >&2
  echo "$(grep -o '"report".*' "$state/job" | field seconds)" \
    "$(sed -n 's/^process_cpu_seconds_total //p' "$state/metrics")" \
    "$(sed -n 's/^manyply_short_seconds_total //p' "$state/metrics")" >>"$work/${2:-alone}"
  kill "$server"
  wait
  server=
}

for ((i = 1; i <= rounds; ++i)); do
  count "$i"
  count "$i" clicks
done
paste "$work/alone" "$work/clicks" | awk -v cores="$(nproc)" '
  function note(of, value) { rounds[of, NR] = value; return value }
  function median(of,  i, j, swap) {
    for (i = 1; i <= NR; ++i) for (j = i + 1; j <= NR; ++j) if (rounds[of, j] < rounds[of, i]) {
      swap = rounds[of, i]; rounds[of, i] = rounds[of, j]; rounds[of, j] = swap
    }
    return (rounds[of, int((NR + 1) / 2)] + rounds[of, int((NR + 2) / 2)]) / 2
  }
  { printf "alone %.2f s, %.2f s of processor; with clicks %.2f s, %.2f s: slowed by %.2f %%, %.2f %%; %.2f s for the lane, %.2f %%\n",
      $1, $2, $4, $5, note("wall", 100 * ($4 / $1 - 1)), note("processor", 100 * ($5 / $2 - 1)),
      $6, note("lane", 100 * $6 / ($4 * cores)) }
  END { printf "medians: slowed by %.2f %%, by processor time %.2f %%; the lane was charged %.2f %% of the core time\n",
      median("wall"), median("processor"), median("lane") }'
sort -n "$work/waits" | awk '
  { wait[NR] = $1 }
  END { printf "%d clicks, seconds to the answer: median %.3f, longest %.3f\n", NR, wait[int((NR + 1) / 2)], wait[NR] }'
