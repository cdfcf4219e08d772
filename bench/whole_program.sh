#!/usr/bin/env bash
# bench/whole_program.sh PERFT [OTHER]: times `perft count` as a whole program. Compares it with Stockfish's `go perft`
# and, if given, with the command of another build. Each of ROUNDS rounds runs all programs in turn, so that
# disturbances affect all of them. At the end it prints medians over rounds: of times, of the largest memory use, and of
# ratios within a round. Wall clock time is from the program's start to its end; processor time is user and system time.
# On a busy machine, compare processor times. Exits with 1 if two counts differ.
#   ROUNDS=9 DEPTH=9 THREADS=2 FLAGS='--kernel avx2' FEN=... STOCKFISH=stockfish STOCKFISH_DEPTH=7 (one thread; 0 = none)
# shellcheck disable=SC2016  # $1 and so on are fields of awk
set -euo pipefail

perft=$1 other=${2-}
rounds=${ROUNDS:-9} depth=${DEPTH:-9} threads=${THREADS:-2} flags=${FLAGS-}
fen=${FEN:-rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1}
stockfish=${STOCKFISH:-$(PATH=$PATH:/usr/games command -v stockfish || true)} stockfish_depth=${STOCKFISH_DEPTH:-7}
[[ $stockfish ]] || stockfish_depth=0
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# run NAME COMMAND...: appends wall clock seconds, processor seconds and MiB to $work/NAME. The output is in $work/out.
run() {
  local name=$1
  shift
  /usr/bin/time -o "$work/time" -f '%e %U %S %M' "$@" >"$work/out" 2>"$work/err" || { cat "$work/err" >&2; exit 1; }
  awk '{ printf "%.2f %.2f %.0f\n", $1, $2 + $3, $4 / 1024 }' "$work/time" | tee -a "$work/$name" |
    awk -v name="$name" '{ printf "%-10s %7.2f s wall %8.2f s processor %6d MiB\n", name, $1, $2, $3 }'
}

# total: extracts the count from a command's output.
total() { sed -n 's/^nodes *\([0-9]*\).*/\1/p' "$work/out" | head -n 1; }

count() {
  # shellcheck disable=SC2086
  run "$1" "$2" count "$depth" --fen "$fen" --threads "$threads" $flags
  total >>"$work/totals"
}

for ((round = 1; round <= rounds; ++round)); do
  echo "round $round"
  if ((stockfish_depth > 0)); then
    printf 'position fen %s\ngo perft %d\nquit\n' "$fen" "$stockfish_depth" >"$work/uci"
    run stockfish bash -c "exec '$stockfish' <'$work/uci'"
    grep '^Nodes searched' "$work/out" >/dev/null || { echo "stockfish printed no count" >&2; exit 1; }
  fi
  count this "$perft"
  [[ ! $other ]] || count other "$other"
done
if [[ $(sort -u "$work/totals" | wc -l) != 1 || ! -s $work/totals ]]; then
  echo "counts differ: $(sort "$work/totals" | uniq -c)" >&2
  exit 1
fi

# median EXPRESSION FILE [OTHER]: prints the median of an expression of awk over the lines of FILE. The fields of FILE
# are $1 to $3; those of OTHER are $4 to $6.
median() { paste -d ' ' "${@:2}" | awk "{ print $1 }" | sort -g | awk '{ v[NR] = $1 } END { printf "%.3f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
cd "$work"
echo "medians of $rounds rounds, depth $depth, $threads threads${flags:+, $flags}: $(uniq totals)"
echo "  this: $(median '$1' this) s wall, $(median '$2' this) s processor, $(median '$3' this) MiB"
if [[ -e stockfish ]]; then
  echo "  this / Stockfish's perft($stockfish_depth): $(median '$1 / $4' this stockfish) wall, $(median '$2 / $5' this stockfish) processor"
fi
if [[ $other ]]; then
  echo "  this / other: $(median '$1 / $4' this other) wall, $(median '$2 / $5' this other) processor, $(median '$3 / $6' this other) memory"
fi
