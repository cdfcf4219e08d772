#!/usr/bin/env bash
# run.sh PERFT FOLDER: starts `PERFT serve`, drives its page in Chromium, and leaves screenshots in
# FOLDER/pictures. Exits with 77 where something that it takes is missing.
set -euo pipefail

perft=$1 work=$2 here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() { echo "skipped: $*"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || skip "npm is not installed"
[[ -x /usr/bin/chromium ]] || skip "chromium is not installed"
"$perft" serve --help >/dev/null 2>&1 || skip "this perft has no server"

mkdir -p "$work"
cp "$here"/{*.mjs,package.json,package-lock.json,.npmrc} "$work"
cd "$work"
cmp -s package-lock.json node_modules/installed-lock.json ||
  { npm ci && cp package-lock.json node_modules/installed-lock.json; } || skip "npm cannot fetch what the tests need"

state=$(mktemp -d "$work/state.XXXXXX")
server=
trap '[[ ! $server ]] || { kill $server; wait $server; } || true; rm -r --one-file-system "$state"' EXIT

# drive TEST PATH OPTIONS…: TEST.mjs in a server of its own, whose page is at PATH.
drive() {
  local test=$1 port url
  port=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
  url=http://127.0.0.1:$port$2
  "$perft" serve --listen "127.0.0.1:$port" --base-path "$2" --max-depth 32 --state "$state/$test" "${@:3}" >"$work/$test.log" 2>&1 &
  server=$!
  for ((i = 0; ; ++i)); do
    node -e "fetch('${url}readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))" && break
    ((i < 100)) && kill -0 $server || { cat "$work/$test.log"; exit 1; }
    sleep 0.2
  done
  node "$test.mjs" "$url" "$work/pictures" || { tail -n 50 "$work/$test.log"; exit 1; }
  kill $server
  wait $server
  server=
}

# No short job runs beside another at first: what the page says of those that wait is looked at.
drive web_test / --short-limit 0
# Here one does.
drive elsewhere_test /perft/
