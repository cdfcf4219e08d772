#!/usr/bin/env bash
# Runs a program for Windows: wine.sh PROGRAM ARGS… Wine's own folder is made at the first call; WINEPREFIX says where,
# if it is not build/wine.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export WINEPREFIX=${WINEPREFIX:-$here/build/wine} WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES=${WINEDLLOVERRIDES:-mscoree,mshtml=}
if [[ ! -e $WINEPREFIX/system.reg ]]; then
  mkdir -p "$WINEPREFIX"
  (flock 9; [[ -e $WINEPREFIX/system.reg ]] || /usr/lib/wine/wine64 wineboot --init) 9>"$WINEPREFIX.lock" >/dev/null 2>&1
fi
exec /usr/lib/wine/wine64 "$@"
