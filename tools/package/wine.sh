#!/usr/bin/env bash
# wine.sh PROGRAM ARGS…: runs a program for Windows. The first call creates Wine's folder. The folder is WINEPREFIX, or
# build/wine by default.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export WINEPREFIX=${WINEPREFIX:-$here/build/wine} WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES=${WINEDLLOVERRIDES:-mscoree,mshtml=}
if [[ ! -e $WINEPREFIX/system.reg ]]; then
  mkdir -p "$WINEPREFIX"
  (flock 9; [[ -e $WINEPREFIX/system.reg ]] || /usr/lib/wine/wine64 wineboot --init) 9>"$WINEPREFIX.lock" >/dev/null 2>&1
fi
# By default, Wine starts its services with each program, which takes seconds. When the program ends, Wine stops the
# services. Here, the services run for another half minute. A dummy program starts the services, because the services
# keep open the streams of the program that starts them.
if /usr/lib/wine/wineserver64 -p30 </dev/null >/dev/null 2>&1; then
  /usr/lib/wine/wine64 cmd /c exit </dev/null >/dev/null 2>&1 || true
fi
exec /usr/lib/wine/wine64 "$@"
