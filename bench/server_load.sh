#!/usr/bin/env bash
# bench/server_load.sh [PERFT]: measures how 10,000 requests slow down a count in the server, and how long the requests
# take. Times the same count in an idle server and in a server under load, in turn. The load comes from wrk, a Debian
# package. Takes six minutes on an otherwise idle machine. Exits with 1 if a request fails.
set -euo pipefail

perft=${1:-$(dirname "${BASH_SOURCE[0]}")/../build/release/tools/perft}
job=${JOB:-'{"depth": 9, "mode": "unhashed"}'} requests=${REQUESTS:-10000} seconds=${SECONDS_OF_LOAD:-75}
rounds=${ROUNDS:-2}
command -v wrk >/dev/null || { echo "apt-get install wrk" >&2; exit 2; }
work=$(mktemp -d)
trap '[[ ! -e $work/pid ]] || kill "$(<"$work/pid")" || true; rm -r --one-file-system "$work"' EXIT

# At regular intervals, sends requests for everything that users and monitors read. delay() returns the interval of one
# connection.
connections=8
cat >"$work/load.lua" <<LUA
local paths = {"/v1/jobs/1", "/v1/jobs?limit=20", "/healthz", "/metrics"}
local sent = 0
function delay() return 980 * $connections * $seconds / $requests end
function request()
  sent = sent + 1
  return wrk.format("GET", paths[sent % #paths + 1])
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("%d requests, %d errors, milliseconds: median %.2f, 99 %% within %.2f, all within %.2f\n",
    summary.requests, errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
LUA

field() { grep -o "\"$1\":[^,}]*" | head -n 1 | cut -d: -f2 | tr -d '"'; }

# count NAME [load]: prints the seconds of the count.
count() {
  local url state
  mkdir "$work/$1"
  "$perft" serve --listen 127.0.0.1:0 --state "$work/$1/state" >"$work/$1/url" 2>"$work/$1/log" &
  echo $! >"$work/pid"
  until [[ -s $work/$1/url ]]; do sleep 0.05; done
  url=$(<"$work/$1/url")
  curl -sf --json "$job" "${url}v1/jobs" >/dev/null
  if [[ ${2-} ]]; then
    sleep 1
    wrk -t 1 -c "$connections" -d "$seconds" --timeout 10s -s "$work/load.lua" "$url" |
      grep ' requests, ' | tee "$work/$1/requests" >&2
  fi
  until state=$(curl -sf "${url}v1/jobs/1") && [[ $state == *'"state":"done"'* ]]; do sleep 0.5; done
  field seconds <<<"${state#*\"report\"}"
  kill %%
  wait %%
  rm "$work/pid"
}

alone=() loaded=()
for ((i = 1; i <= rounds; ++i)); do
  alone+=("$(count "alone$i")")
  loaded+=("$(count "loaded$i" load)")
  grep -q ' 0 errors' "$work/loaded$i/requests" || { echo "requests failed" >&2; exit 1; }
done
printf '%s\n' "${alone[@]}" >"$work/alone"
printf '%s\n' "${loaded[@]}" >"$work/loaded"
paste "$work/alone" "$work/loaded" | awk '
  { printf "count alone %.2f s, under load %.2f s\n", $1, $2; alone += $1; loaded += $2 }
  END { printf "slowed by %.2f %%\n", 100 * (loaded / alone - 1) }'
