#!/usr/bin/env bash
# run.sh PART [E2E_TEST]: tests the output of tools/package/windows.sh under Wine. Exits with 77 if a required program or
# package is missing. Parts: make (run it first); program, command; SlowArchive; SlowMake (run it before the following
# parts); SlowUnits, SlowKill, SlowCheckpoints, SlowTricky; SlowCommand, which runs the end-to-end tests.
set -euo pipefail

part=$1 here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build/windows
wine=$root/tools/package/wine.sh
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "$*" >&2; exit 1; }
[[ -x /usr/lib/wine/wine64 && -d /usr/lib/gcc/x86_64-w64-mingw32 ]] || skip "wine64 and MinGW-w64 are not installed"
perft() { "$wine" "$build/tools/perft.exe" "$@"; }
# windows PATH: prints the path in the notation of Windows.
windows() { local path="Z:$1"; printf '%s\n' "${path//\//\\}"; }
case $part in
  make | SlowMake | SlowArchive) ;;
  *) [[ -e $build/tools/perft.exe ]] || skip "it has not been made" ;;
esac

# listed FILE: prints the names in a list, separated by colons.
listed() { sed -n 's/^\([^# ][^ ]*\).*/\1/p' "$1" | paste -sd:; }
# engines: prints how many processes of broken_engine.exe are running.
engines() {
  local file program count=0
  for file in /proc/[0-9]*/cmdline; do
    { IFS= read -r -d '' program <"$file"; } 2>/dev/null || continue
    [[ ${program//\\//} != *"$build/tests/broken_engine.exe" ]] || count=$((count + 1))
  done
  echo "$count"
}
# eventually COMMAND…: repeats the command until it succeeds.
eventually() {
  local i
  for ((i = 0; i < 6000; ++i)); do "$@" && return; read -r -t 0.1 <> <(:) || true; done
  return 1
}
folder_of_ours() {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
}
# is CODE OUTPUT COMMAND…: checks that the command ends with this code and prints exactly this output.
is() {
  local code=0
  "${@:3}" >"$folder/out" 2>"$folder/err" </dev/null || code=$?
  cmp -s "$folder/out" <(printf '%b' "$2") && ((code == $1)) ||
    { cat -A "$folder/out" "$folder/err"; fail "not exit code $1 and this output, but $code: ${*:3}"; }
}
# says CODE TEXT COMMAND…: checks that the command ends with this code, and that its output contains this text and no
# CR.
says() {
  local code=0
  "${@:3}" >"$folder/out" 2>&1 </dev/null || code=$?
  ((code == $1)) && grep -qF -- "$2" "$folder/out" && ! grep -q $'\r' "$folder/out" ||
    { cat -A "$folder/out"; fail "not exit code $1 and '$2', but $code: ${*:3}"; }
}

case $part in
  make) "$root/tools/package/windows.sh" perft broken_engine ;;

  SlowMake)
    "$root/tools/package/windows.sh" perft core_test hash_test parallel_test tools_test broken_engine hashing_engine
    mkdir -p "$build/bin"
    printf '#!/bin/sh\nexec %q %q "$@"\n' "$wine" "$build/tools/perft.exe" >"$build/bin/perft"
    chmod +x "$build/bin/perft" ;;

  program)
    # The command must need only libraries that every Windows has.
    imports=$(x86_64-w64-mingw32-objdump -p "$build/tools/perft.exe" | sed -n 's/^\tDLL Name: //p' | sort -u)
    others=$(grep -vixE '(kernel32|msvcrt|shell32|advapi32|ntdll|user32)\.dll' <<<"$imports" || true)
    [[ $imports && ! $others ]] || fail "imports: $imports"
    stripped=$(mktemp)
    code=$(mktemp)
    trap 'rm -f "$code" "$stripped"' EXIT
    x86_64-w64-mingw32-strip -o "$stripped" "$build/tools/perft.exe"
    (($(stat -c %s "$stripped") <= 7000000)) || fail "perft.exe is larger than 7 MB: $(stat -c %s "$stripped")"
    # aligned.awk must report code that stores wide vectors on a stack that it has not aligned.
    printf '%s\n' '0 <f>:' ' 1: vmovaps %ymm0,0x20(%rsp)' | awk -f "$here/aligned.awk" >/dev/null &&
      fail "aligned.awk sees nothing"
    printf '%s\n' '0 <f>:' ' 0: and    $0xffffffffffffffe0,%rsp' ' 1: vmovaps %ymm0,0x20(%rsp)' | awk -f "$here/aligned.awk"
    x86_64-w64-mingw32-objdump -d --no-show-raw-insn "$build/tools/perft.exe" >"$code"
    grep -q 'zmm' "$code" || fail "no wide vectors in perft.exe"
    awk -f "$here/aligned.awk" "$code"
    # The kernels must not probe pages of their stack that they have used before.
    grep -A 9 '<___chkstk_ms>:' "$code" | grep -q '%gs:0x10' || fail "perft.exe probes its stack as MinGW does" ;;

  command)
    # Use the command as a new user would: counts, files, engines, errors. All output must have the usual line ends.
    folder_of_ours
    odd="$folder/a ♘ ö"
    mkdir "$odd"
    engine="\"$build/tests/broken_engine.exe\""
    is 0 'move,nodes\na1a2,1\na1b1,1\na1b2,1\ntotal,3\n' perft divide 1 --fen '7k/8/8/8/8/8/8/K7 w - - 0 1' --format csv
    says 0 '8031647685' perft count 6 kiwipete
    for kernel in avx512 avx2 portable; do
      [[ $kernel != avx512 ]] || grep -q avx512vpopcntdq /proc/cpuinfo || continue
      says 0 119060324 perft count 6 --hash off --kernel "$kernel" --threads 3
    done
    says 0 'agree' perft verify 5 --fen kiwipete
    says 0 89 perft signature
    printf '# with CR\r\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400\r\n' >"$odd/suite ä.epd"
    says 0 'match' perft suite "$(windows "$odd/suite ä.epd")"
    says 0 4865609 perft count 5 --checkpoint "$(windows "$odd/keeps ü")"
    [[ -s "$odd/keeps ü" ]] || fail "no checkpoint"
    says 0 4865609 perft count 5 --checkpoint "$(windows "$odd/keeps ü")"
    says 2 'no ♘ö.epd' perft suite 'no ♘ö.epd'
    says 2 'only available on Linux' perft serve
    says 0 'serve, submit' perft --help
    says 2 "'conut'" perft conut 3
    cp "$build/tests/broken_engine.exe" "$odd/my engine.exe"
    says 0 agree perft bisect 2 --engine "$engine none"
    says 1 castling-through-attack perft bisect 3 --fen kiwipete --engine "\"$(windows "$odd/my engine.exe")\" castling-through-attack" --format json
    says 0 '6 agree' perft suite classic --engine "$engine none" --max-nodes 10000
    # A .bat file is read in the system's code page, so the engine is in a folder with an ASCII name.
    mkdir "$folder/b c"
    cp "$build/tests/broken_engine.exe" "$folder/b c/"
    printf '@echo off\r\n"%s" none\r\n' "$(windows "$folder/b c/broken_engine.exe")" >"$odd/an engine.bat"
    says 0 agree perft bisect 2 --engine "\"$(windows "$odd/an engine.bat")\""
    says 2 'not found' perft bisect 2 --engine no-such-engine ;;

  SlowArchive)
    archive=$("$root/tools/package/windows.sh")
    folder_of_ours
    unzip -q "$archive" -d "$folder"
    cd "$folder"/*/
    [[ $(echo licences/*) == *cli11* && -s LICENCE.txt && -s README.txt ]] || fail "$(ls -R)"
    (cd "$root/build/package/packages" && sha256sum --quiet -c SHA256SUMS)
    grep -q "$(sha256sum "$archive" | cut -d ' ' -f 1)" "$build/manifests/manyply.json"
    "$wine" ./perft.exe count 5 --format csv | grep -qx total,4865609
    exports=$(x86_64-w64-mingw32-objdump -p manyply.dll | sed -n '/^\[Ordinal\/Name Pointer\]/,/^$/s/^\t.* \([A-Za-z_0-9]*\)$/\1/p')
    [[ $exports ]] && ! grep -qv "^manyply_" <<<"$exports" || fail "exports: $exports"
    # Compile and run a program in C with the library.
    clang-19 --target=x86_64-w64-mingw32 -std=c99 -I. "$root/tests/consumer/example.c" -o example.exe -fuse-ld=lld libmanyply.dll.a
    "$wine" ./example.exe | tr -d '\r' | grep -q '^fen 4k3' || fail "manyply.dll does not count" ;;

  SlowUnits)
    cd "$build/tests"
    # The engines of these tests are commands of sh.
    cannot=NoEngine.OneThat*:NoEngine.AScript*:IncompleteAnswer.OfAScript*
    for folder in core hash parallel tools; do
      echo "== $folder"
      "$wine" "./${folder}_test.exe" --gtest_brief=1 "--gtest_filter=-*Slow*:*Stress*:$cannot"
    done ;;

  SlowKill)
    # When the command ends, even by a kill, its engine must end, too.
    (($(engines) == 0)) || fail "an engine runs already"
    "$wine" "$build/tools/perft.exe" bisect 3 --engine "\"$build/tests/broken_engine.exe\" hang" --timeout 3600 >/dev/null 2>&1 &
    perft=$!
    started() { (($(engines) > 0)); }
    eventually started || fail "the engine has not been started"
    kill -KILL "$perft"
    gone() { (($(engines) == 0)); }
    eventually gone || fail "an engine is left" ;;

  SlowCheckpoints)
    # Kill a count several times. It must continue from the stored units each time, and end with the right total.
    folder_of_ours
    file=$(windows "$folder/kept")
    count=(count 8 --method hashed --hash 1M --kernel portable --checkpoint "$file" --format csv)
    kills=0
    for ((round = 0; kills < 200 && round < 2000; ++round)); do
      "$wine" "$build/tools/perft.exe" "${count[@]}" >"$folder/out" 2>"$folder/err" &
      perft=$!
      before=$(stat -c %s "$folder/kept" 2>/dev/null || echo 0)
      further() { [[ ! -d /proc/$perft ]] || (($(stat -c %s "$folder/kept" 2>/dev/null || echo 0) > before)); }
      eventually further || fail "nothing was kept"
      ! kill -KILL "$perft" 2>/dev/null || kills=$((kills + 1))
      wait "$perft" && { echo "finished after $kills kills"; rm "$folder/kept"; } || true
      ! grep -vE 'damaged|^$' "$folder/err" | grep -q refused || fail "$(<"$folder/err")"
    done
    ((kills >= 200)) || fail "$kills kills"
    perft "${count[@]}" | grep -qx total,84998978956 || fail "another total"
    echo "$kills kills" ;;

  SlowTricky)
    perft suite tricky --engine "\"$build/tests/broken_engine.exe\" none" --max-nodes 20000 ;;

  SlowCommand)
    export MANYPLY_COMMAND=$build/bin/perft MANYPLY_ENGINES=$build/tests
    "$2" --gtest_brief=1 \
      "--gtest_filter=-*Slow*:*Stress*:Serve*:Campaign*:Golden.Server:CpuModel*:$(listed "$here/cannot.txt")" ;;
esac
