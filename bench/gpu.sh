#!/usr/bin/env bash
# bench/gpu.sh PERFT [RESULTS]: measures counts with --device on this machine and writes a Markdown file (default:
# gpu.md). First it compares counts of positions with special rules with counts on the processor, then it counts the
# start position to the depths 8 to 11 and lists the time of each kernel. It stops before a depth that would exceed
# SECONDS_LEFT. Exits with 1 if two counts differ.
#   DEVICE=gpu (or a number of --device list)  FIRST=8 LAST=11  SECONDS_LEFT=240
set -euo pipefail

perft=$1 results=${2:-gpu.md}
device=${DEVICE:-gpu} first=${FIRST:-8} last=${LAST:-11} limit=${SECONDS_LEFT:-240}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# count NAME DEPTH FEN FLAGS...: writes the document to $work/NAME.
count() { "$perft" count "$2" --fen "$3" --method configurations --format json --progress never "${@:4}" >"$work/$1"; }
# value NAME EXPRESSION: prints a value of a document.
value() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($2)" "$work/$1"; }

"$perft" count 3 --device list | tee "$work/devices"
failures=0 compared=0
while IFS='|' read -r depth fen; do
  count cpu "$depth" "$fen"
  count gpu "$depth" "$fen" --device "$device"
  compared=$((compared + 1))
  [[ $(value cpu 'd["nodes"]') == "$(value gpu 'd["nodes"]')" ]] || { failures=$((failures + 1)); echo "DIFFERS: $depth $fen"; }
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

{
  echo "# Counts with --device $device"
  echo
  sed 's/^/- /' "$work/devices"
  echo "- $compared counts compared with the processor's, $failures differ"
  echo
  echo "| depth | nodes | known | seconds | on the device | device memory | kernels, seconds |"
  echo "|---|---|---|---|---|---|---|"
} >"$results"
begin=$SECONDS seconds=0
for ((depth = first; depth <= last; ++depth)); do
  # A ply takes about 12 times as long as the one before.
  ((SECONDS - begin + 12 * seconds < limit)) || { echo "depth $depth would take too long"; break; }
  before=$SECONDS
  count deep "$depth" startpos --device "$device"
  seconds=$((SECONDS - before))
  # shellcheck disable=SC2016  # Python, not the shell
  value deep '"| %s | %s | %s | %.3f | %.3f | %.0f MB | %s |" % (d["depth"], d["nodes"], d["known"], d["seconds"], d["matrix"]["device"]["seconds"], d["matrix"]["device"]["bytes"] / 1e6, ", ".join("%s %.3f" % k for k in sorted(d["matrix"]["device"]["kernel_seconds"].items(), key=lambda k: -k[1])))' |
    tee -a "$results"
  [[ $(value deep 'd["known"]') != mismatch ]] || failures=$((failures + 1))
done
echo "$results"
((failures == 0))
