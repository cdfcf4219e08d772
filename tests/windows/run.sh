#!/usr/bin/env bash
# run.sh PART [E2E_TEST]: tries what tools/package/windows.sh makes, under Wine. Exits with 77 where something that
# it takes is missing. Parts: SlowMake, which goes first; SlowProgram, SlowUnits, SlowKill; SlowCommand, with the end-to-end
# tests of this machine.
set -euo pipefail

part=$1 here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build/windows
wine=$root/tools/package/wine.sh
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "$*" >&2; exit 1; }
[[ -x /usr/lib/wine/wine64 && -d /usr/lib/gcc/x86_64-w64-mingw32 ]] || skip "wine64 and MinGW-w64 are not installed"
[[ $part == SlowMake || -e $build/perft.exe ]] || skip "it has not been made"

# listed FILE: the names that it lists, between colons.
listed() { sed -n 's/^\([^# ][^ ]*\).*/\1/p' "$1" | paste -sd:; }
# engines: how many of those that are told to hang run here.
engines() {
  local file program count=0
  for file in /proc/[0-9]*/cmdline; do
    { IFS= read -r -d '' program <"$file"; } 2>/dev/null || continue
    [[ ${program//\\//} != *"$build/tests/broken_engine.exe" ]] || count=$((count + 1))
  done
  echo "$count"
}
# eventually COMMAND…: waits until it succeeds.
eventually() {
  local i
  for ((i = 0; i < 6000; ++i)); do "$@" && return; read -r -t 0.1 <> <(:) || true; done
  return 1
}

case $part in
  SlowMake)
    "$root/tools/package/windows.sh"
    flock "$build/.lock" ninja -C "$build" core_test hash_test parallel_test tools_test broken_engine hashing_engine
    mkdir -p "$build/bin"
    printf '#!/bin/sh\nexec %q %q "$@"\n' "$wine" "$build/perft.exe" >"$build/bin/perft"
    chmod +x "$build/bin/perft"
    "$build/bin/perft" count 5 --format csv | grep -qx total,4865609 ;;

  SlowProgram)
    # Nothing but what each Windows has.
    imports=$(x86_64-w64-mingw32-objdump -p "$build/perft.exe" "$build/manyply.dll" | sed -n 's/^\tDLL Name: //p' | sort -u)
    others=$(grep -vixE '(kernel32|msvcrt|shell32|advapi32|ntdll|user32)\.dll' <<<"$imports" || true)
    [[ $imports && ! $others ]] || fail "imports: $imports"
    (($(stat -c %s "$build/perft.exe") <= 6000000)) || fail "perft.exe is larger than 6 MB"
    exports=$(x86_64-w64-mingw32-objdump -p "$build/manyply.dll" | sed -n '/^\[Ordinal\/Name Pointer\]/,/^$/s/.* \([A-Za-z_0-9]*\)$/\1/p')
    [[ $exports ]] && ! grep -qv "^manyply_" <<<"$exports" || fail "exports: $exports"
    # Wide vectors on a stack that nobody has aligned for them.
    printf '%s\n' '0 <f>:' ' 1: vmovaps %ymm0,0x20(%rsp)' | awk -f "$here/aligned.awk" >/dev/null &&
      fail "aligned.awk sees nothing"
    printf '%s\n' '0 <f>:' ' 0: and    $0xffffffffffffffe0,%rsp' ' 1: vmovaps %ymm0,0x20(%rsp)' | awk -f "$here/aligned.awk"
    code=$(mktemp)
    trap 'rm -f "$code"' EXIT
    x86_64-w64-mingw32-objdump -d --no-show-raw-insn "$build/tools/perft.exe" >"$code"
    grep -q 'zmm' "$code" || fail "no wide vectors in perft.exe"
    awk -f "$here/aligned.awk" "$code"
    # A program in C, with the library.
    clang-19 --target=x86_64-w64-mingw32 -std=c99 -I"$root/tools/c_api" "$root/tests/consumer/example.c" \
      -o "$build/example.exe" -fuse-ld=lld "$build/tools/c_api/libmanyply.dll.a"
    "$wine" "$build/example.exe" | tr -d '\r' | grep -q '^fen 4k3' || fail "manyply.dll does not count" ;;

  SlowUnits)
    cd "$build/tests"
    for folder in core hash parallel tools; do
      echo "== $folder"
      "$wine" "./${folder}_test.exe" --gtest_brief=1 "--gtest_filter=-*Stress*:$(listed "$here/cannot_unit.txt")"
    done ;;

  SlowKill)
    # Whatever happens to us, no engine is left behind.
    (($(engines) == 0)) || fail "an engine runs already"
    "$wine" "$build/perft.exe" bisect 3 --engine "\"$build/tests/broken_engine.exe\" hang" --timeout 3600 >/dev/null 2>&1 &
    perft=$!
    started() { (($(engines) > 0)); }
    eventually started || fail "the engine has not been started"
    kill -KILL "$perft"
    gone() { (($(engines) == 0)); }
    eventually gone || fail "an engine is left" ;;

  SlowCommand)
    export MANYPLY_COMMAND=$build/bin/perft MANYPLY_ENGINES=$build/tests
    "$2" --gtest_brief=1 \
      "--gtest_filter=-*Slow*:*Stress*:Serve*:Campaign*:Golden.Server:CpuModel*:$(listed "$here/cannot.txt")" ;;
esac
