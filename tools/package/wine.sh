#!/usr/bin/env bash
# Runs a program for Windows: wine.sh PROGRAM ARGS… Wine's own folder is made at the first call; WINEPREFIX says where,
# if it is not build/wine.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export WINEPREFIX=${WINEPREFIX:-$here/build/wine} WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES=${WINEDLLOVERRIDES:-mscoree,mshtml=}
if [[ ! -e $WINEPREFIX/system.reg ]]; then
  mkdir -p "$WINEPREFIX"
  (flock 9; [[ -e $WINEPREFIX/system.reg ]] || /usr/lib/wine/wine64 wineboot --init) 9>"$WINEPREFIX.lock" >/dev/null 2>&1
fi
# By itself Wine starts its services, for seconds, for every program that is run, and ends them with it. Here they stay for half
# a minute, and are started by a program of no consequence: they keep open what streams that one had.
if /usr/lib/wine/wineserver64 -p30 </dev/null >/dev/null 2>&1; then
  /usr/lib/wine/wine64 cmd /c exit </dev/null >/dev/null 2>&1 || true
fi
exec /usr/lib/wine/wine64 "$@"
