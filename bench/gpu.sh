#!/usr/bin/env bash
# bench/gpu.sh PERFT [RESULTS]: measures counts with --device on this machine, in at most SECONDS_LEFT seconds. Writes a
# Markdown file (default: gpu.md) line by line, and the JSON of all counts to a second file in the same folder (gpu.jsonl).
#   1. The device, and the time to start the program. This time includes compiling the kernels.
#   2. Counts of positions with special rules, compared with the processor's counts; perft(FIRST - 1) in 64 MiB of the
#      device's memory, which forces batches; and perft(FIRST - 1) in 7 parts.
#   3. The start position to the depths FIRST to LAST, each compared with the published value, and the seconds of each
#      kernel. A depth that takes too long is stopped.
# Exits with 1 if a count is wrong or fails.
#   DEVICE=gpu (or a number of --device list)  FIRST=8 LAST=11  SECONDS_LEFT=235
set -euo pipefail

perft=$1 results=${2:-gpu.md}
device=${DEVICE:-gpu} first=${FIRST:-8} last=${LAST:-11} limit=${SECONDS_LEFT:-235}
documents=${results%.md}.jsonl
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
failures=0 compared=0

say() { echo "$*" | tee -a "$results"; }
wrong() { failures=$((failures + 1)); say "- **WRONG: $***"; }
left() { echo $((limit - SECONDS)); }
# count NAME DEPTH FEN FLAGS...: writes the document to $work/NAME. Returns 1, with a line in the results, if it fails.
count() {
  (($(left) > 0)) || { say "- no time left for depth $2"; return 1; }
  local code=0
  timeout -s INT -k 5 "$(left)" "$perft" count "$2" --fen "$3" --method configurations --format json --progress never \
    "${@:4}" >"$work/$1" 2>"$work/errors" || code=$?
  if ((code == 0 || code == 1)); then
    cat "$work/$1" >>"$documents"
  elif ((code == 124 || code == 130 || code == 137)); then
    say "- depth $2 was stopped after $SECONDS s in all"
    return 1
  else
    wrong "depth $2 of $3: exit code $code: $(tail -n 1 "$work/errors")"
    return 1
  fi
}
# value NAME EXPRESSION: prints a value of a document.
value() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($2)" "$work/$1"; }
# compare DEPTH FEN FLAGS...: compares the device's count with the processor's.
compare() {
  count cpu "$1" "$2" || return 0
  count gpu "$1" "$2" --device "$device" "${@:3}" || return 0
  compared=$((compared + 1))
  local cpu gpu
  cpu=$(value cpu 'd["nodes"]') gpu=$(value gpu 'd["nodes"]')
  [[ $cpu == "$gpu" ]] || wrong "depth $1 of $2: $cpu on the processor, $gpu on the device ${*:3}"
}

: >"$documents"
echo "# Counts with --device $device" >"$results"
say
"$perft" count 3 --device list | sed 's/^/- /' | tee -a "$results"
say "- $("$perft" --version | head -n 1), $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
if command -v nvidia-smi >/dev/null; then
  say "- $(nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,power.limit --format=csv,noheader)"
fi
for start in first second; do
  begin=$(date +%s.%N)
  count start 3 startpos --device "$device" || exit 1
  say "- $start start, with perft(3): $(python3 -c "print('%.2f' % ($(date +%s.%N) - $begin))") s"
done

while IFS='|' read -r depth fen; do
  compare "$depth" "$fen"
done <<'POSITIONS'
5|rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
5|r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1
6|8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1
5|r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1
4|bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9
5|4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1
5|n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1
4|r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1
3|rnb1kbnr/pp1ppppp/8/8/8/QQQQQQ2/8/RNBQKBNR w KQkq - 0 1
POSITIONS
compare $((first - 1)) startpos --device-memory 64
compare $((first - 1)) startpos --parts 7
say "- $compared counts compared with the processor's, $failures wrong or failed; $SECONDS s up to now"

say
say "| depth | nodes | known | seconds | on the device | device memory | host memory | kernels, seconds |"
say "|---|---|---|---|---|---|---|---|"
for ((depth = first; depth <= last; ++depth)); do
  count deep "$depth" startpos --device "$device" || break
  # shellcheck disable=SC2016  # Python, not the shell
  say "$(value deep '"| %s | %s | %s | %.3f | %.3f | %.0f MB | %.0f MB | %s |" % (d["depth"], d["nodes"], d["known"], d["seconds"], d["matrix"]["device"]["seconds"], d["matrix"]["device"]["bytes"] / 1e6, d["matrix"]["bytes"] / 1e6, ", ".join("%s %.3f" % k for k in sorted(d["matrix"]["device"]["kernel_seconds"].items(), key=lambda k: -k[1])))')"
  [[ $(value deep 'd["known"]') != mismatch ]] || wrong "perft($depth)"
done
say
say "$SECONDS s in all, $failures wrong or failed; all documents: $(basename "$documents")"
((failures == 0))
