#!/bin/sh
# Runs a fixed list of commands in every format. Prints their standard output, their standard error (marked by "! ") and
# their exit code (marked by "= "). Masks all text that differs between runs or machines: clocks, rates, kernels, ports,
# the memory of matrices (pointers have 32 or 64 bits), and decimals after the sixth.
#   tests/e2e/golden.sh PERFT counts > tests/data/golden_counts.txt    counts on this machine, and refused commands
#   tests/e2e/golden.sh PERFT help > tests/data/golden_help.txt        the help of some commands
#   tests/e2e/golden.sh PERFT server > tests/data/golden_server.txt    a server, and its client commands
# With a third argument, runs only commands for this format.
set -u
unset COLUMNS  # the width of help
perft=$1
section=$2
only=${3-}
server=
dir=$(mktemp -d) || exit 1
trap 'test -z "$server" || kill -KILL "$server"; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
number='[0-9][0-9.e+-]*'
rate="$number\\( [kMGTPEZYRQ]\\)\\{0,1\\}"

mask() {
  sed -e "s|^\\(seconds  *\\)$number counting, $number setting up|\\1T counting, T setting up|" \
    -e "s|^\\(leaves/s  *\\)$rate\$|\\1R|" -e "s|^\\(visited/s  *\\)$rate\$|\\1R|" \
    -e "s|^\\(seconds  *\\)$number\$|\\1T|" \
    -e "s|\\(\"[a-z_]*seconds\":\\)$number|\\1T|g" -e "s|\\(\"[a-z_]*per_second\":\\)$number|\\1R|g" \
    -e "s|\\(\"speed_up\":\\)$number|\\1R|" -e "s|^\\(speed-up  *\\)$number|\\1R|" \
    -e "s|, set up in $number s|, set up in T s|" -e "s| in $number s with | in T s with |" \
    -e "s|  *[0-9]*\\.[0-9][0-9][0-9]  *$rate  *$rate  *| T R R |" \
    -e "s,\\(match\\|unknown\\)  *[0-9]*\\.[0-9][0-9][0-9] ,\\1 T ," \
    -e "s|, [0-9]*\\.[0-9] s\$|, T s|" -e "s|time=\"$number\"|time=\"T\"|" -e "s|$number s\\([,;)]\\)|T s\\1|g" -e "s| $number s\$| T s|" \
    -e "s| configurations, [0-9.]* [KMG]iB\$| configurations, SIZE|" -e "s|\(\"lane_pairs\":[0-9]*,\"bytes\":\)[0-9]*|\1SIZE|" \
    -e "s|auto, [a-z0-9, ]*portable|auto, KERNELS|" -e "s|Manyply [0-9][0-9.]*|Manyply V|" \
    -e "s|Manyply) [0-9][0-9.]*|Manyply) V|" \
    -e 's|\(\.[0-9]\{6\}\)[0-9]*|\1|g' \
    -e "s|[0-9]*-[0-9]*-[0-9]*T[0-9:.]*Z|TIME|g" -e "s|http://127.0.0.1:[1-9][0-9]*/*|URL|g"
}

# A server's keys are secret and differ in each run.
mask_keys() {
  sed -e "s/\"\(expected_false_matches\|deep_fill\|kernel_calls\|probes\|hits\|hit_rate\|stores\|replacements\)\":$number/\"\1\":N/g" \
    -e "s/^\([0-9]\|all\)  *[0-9]*  *[0-9]*  *[0-9.]* %  *[0-9]*  *[0-9]*\$/\1 N/" \
    -e "s/^expected   $number false/expected   N false/" -e "s/^fill  *$number %/fill N %/" \
    -e "s/^counted  *[0-9]* positions/counted N positions/" -e "s/; $number false matches/; N false matches/" \
    -e "s/, $number % of $rate probes/, N % of N probes/"
}

# Runs a command; standard input of the function becomes that of the command.
run() {
  case "$only $*" in
    ' '* | *"--format $only"*) ;;
    *--format*) return ;;
  esac
  echo "\$ perft $*" | mask
  "$perft" "$@" >out 2>err
  code=$?
  mask <out
  mask <err | sed -e '/^perft: ply [0-9]*, about /d' -e 's/^/! /'  # progress that appears only on slow machines
  echo "= $code"
}

castling='r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1'
chess960='bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9'
endgame='7k/8/8/2pP4/8/8/8/K7 w - c6 0 1'
mate='7k/6Q1/6K1/8/8/8/8/8 b - - 0 1'
same='--threads 1 --kernel portable'
suite='startpos ;D1 20 ;D2 401 # wrong
kiwipete ;D2 2039
4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1 ;D4 92197 ;D6 1
bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - ;D1 19'

# One example of each kind of output. Other tests check outputs that differ only in their numbers.
counts() {
  for format in text json csv stockfish; do
    run count 3 $same --format $format --fen "$castling" </dev/null
    run count 3 $same --format $format --fen "$chess960" --hash off </dev/null
    run divide 7 $same --format $format --fen "$endgame" --hash 64K --key-seed 7 --key-bits 40 </dev/null
    run count 5 $same --format $format --fen "$endgame" --method configurations </dev/null
    run count 2 $same --format $format --loop --fen "$mate" </dev/null
    run divide 3 $same --format $format --fen "$endgame" --checkpoint three.$format </dev/null
    run divide 3 $same --format $format --fen "$endgame" --checkpoint three.$format </dev/null
  done
  for format in text json csv; do
    run stats 3 $same --format $format --fen kiwipete --hash 1M </dev/null
    run stats 3 $same --format $format --fen "$endgame" --hash off --divide </dev/null
    run stats 2 $same --format $format --fen "$endgame" --details </dev/null
    run divide 2 $same --format $format --fen 'k7/8/8/8/8/8/8/K7 w - - 0 1' --plies 2 --fens </dev/null
    run check kiwipete 2 2,087 $same --format $format </dev/null
    run unique 3 $same --format $format --fen kiwipete --memory 64M </dev/null
    run unique 1 $same --format $format --fen "$endgame" --epd - --memory 64M </dev/null
    run check startpos 3 8903 $same --format $format </dev/null
    echo "$suite" | run suite - $same --format $format --max-nodes 100000
  done
  for format in text json; do
    run verify 5 $same --format $format --hash 1M --sample 50 --sample-seed 3 --reseed --key-checks 1000 </dev/null
    run verify 4 $same --format $format --hash 64K --key-bits 16 --fen kiwipete </dev/null
    run compare 5 $same --format $format --hash 1M </dev/null
    run estimate 3 $same --format $format </dev/null
    run estimate 8 $same --format $format --samples 200 --seed 5 </dev/null
    printf 'a1a2: 3\na1b1: 4\na1b2: 5\n' | run diff 2 $same --format $format --fen 'k7/8/8/8/8/8/8/K7 w - - 0 1'
    run zobrist --format $format --positions 20000 --key-bits 24,28 </dev/null
  done
  run perftree 2 "$endgame" $same </dev/null
  run perftree 2 "$castling" e1g1 a8a7 $same </dev/null
  run gen --positions 3 --seed 7 --depth 2 --chess960 $same </dev/null
  run signature $same --hash 1M --format csv </dev/null
  # A count runs while later commands are executed, so the order of the output could vary. Each of these sessions
  # therefore has at most one count, as its last command.
  printf '%s\n' uci isready 'setoption name Threads value 1' 'setoption name Hash value 1' \
    'setoption name Nope value 1' d 'go depth 3' 'go perft 65' 'go perft 1' | run uci $same | grep -v 'option name Threads'
  printf '%s\n' 'position startpos moves e2e4 e2e4' jump "position fen $castling moves e1h1" 'position fen 8/8 moves e2e4' \
    'setoption name UCI_Chess960 value true' "position fen $castling moves e1h1" 'go perft 1' | run uci $same

  # Commands that are refused.
  for words in '' 6 coutn 'help nothing' count 'count 65' 'count 3 --bogus' 'count 3 kiwipete start' 'count 3 --threads' \
    'count 3 --kernel abacus' 'count 3 --method unhashed' 'count 3 --hash 4Q' 'count 3 --format xml' 'count 3 --hash off --key-bits 9' \
    'count 3 --loop --checkpoint x' "count 1 --divide=yes $same" 'count 3 --moves e2e5' 'count 3 --checkpoint /no/such/file' \
    'count 3 --parts 2' 'count 2 --method configurations --parts 2' 'divide 5 --method configurations --checkpoint x' \
    'verify 3 --sample-seed 2' 'suite /no/such' 'unique 1 --epd /no/such/file' 'bisect 3' \
    'bisect 3 --engine x --suite f --fen startpos' 'check startpos 3 many' 'perftree 2 startpos e2e4 e2e4'; do
    run $words </dev/null
  done
  run count 3 --fen '4k3/8/8/8/8/8/8/R3K3 w K - 0 1' </dev/null
  run count 3 --fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 </dev/null
  run bisect 3 --engine 'exit 3' </dev/null
}

help() {
  run --version </dev/null
  run --help </dev/null
  for command in count bisect completion campaign 'campaign create'; do
    run $command --help </dev/null
  done
}

server() {
  : >url
  "$perft" serve --listen 127.0.0.1:0 --state state --hash 1M --no-access-log $same >url 2>log &
  server=$!
  while ! grep -q . url; do
    kill -0 $server || exit 1
    sleep 0.1
  done
  url=$(cat url)
  ask="--server $url"
  watch="--watch --progress never $ask"
  run submit 5 $watch </dev/null
  run submit 3 $watch --fen "$castling" --mode unhashed --divide </dev/null
  run submit 3 $watch --fen kiwipete --mode stats </dev/null
  run submit 5 $watch --mode verify </dev/null
  run submit 7 $watch --mode estimate --samples 200 --seed 5 </dev/null
  run submit 2 $watch --fen "$castling" --moves 'e1g1 a8a7' --chess960 --idempotency-key one </dev/null
  run submit 2 $watch --fen "$castling" --moves 'e1g1 a8a7' --chess960 --idempotency-key one </dev/null
  run submit 3 $watch --fen "$castling" --moves 'e1g1 a8a7' --idempotency-key one </dev/null
  for format in text json csv stockfish; do
    for job in 1 2 3 4 5; do run status $job $ask --format $format </dev/null; done
    run status $ask --format $format </dev/null
  done
  run watch 1 $ask --format csv --progress never </dev/null
  echo 'startpos ;D1 20 ;D3 8902' | run batch - $watch
  echo 'startpos ;D1 21 ;D3 8902' | run batch - $watch --mode unhashed
  echo 'startpos ;D1 21 ;D3 8902' | run batch - $watch --mode unhashed --format junit
  echo 'startpos ;D1 x' | run batch - $ask
  run batch - $ask </dev/null
  for words in 'status 7' 'status 8 --format json' 'status 7 --format csv' 'watch 8' 'cancel 8'; do
    run $words $ask </dev/null
  done
  run status 99 $ask </dev/null
  for words in 'submit 3 --mode odd' 'submit 3 --samples 500' 'submit 8 --mode estimate --samples 5' \
    'submit 3 --moves e2e5' 'submit 31' 'submit 3 --fen 8/8' 'submit 3 --deadline 0' 'submit 3 --progress json' \
    'status x' 'status --divide' 'watch' 'watch 0' 'cancel 99' 'cancel 1' 'cancel 1 --format json'; do
    run $words $ask </dev/null
  done
  kill -TERM $server
  wait $server
  echo "server: $?"
  server=
  mask <log | sed -e 's|are kept in .*state|are kept in STATE|'
  for words in 'serve --listen x' 'serve --hash off' 'serve --hash 4Q' 'serve --concurrent 0' \
    'serve --short-limit x' 'serve --short-share 101' 'serve --max-depth 65' 'serve --max-queued x' 'serve --max-deadline 0' 'serve --keep 0' 'serve --token-file /no/such' \
    'serve --listen 0.0.0.0:0' 'serve 3' 'submit' 'status --token-file /no/such' 'status --server x'; do
    run $words </dev/null
  done
}

if test "$section" = server; then
  server >transcript
  mask_keys <transcript
else
  $section
fi
