#!/usr/bin/env bash
# run.sh PERFT FOLDER PART [WORDS]: tests the page of `PERFT serve` in Chromium; web_test.mjs explains the arguments.
# Exits with 77 if a required program or package is missing.
set -euo pipefail

perft=$1 work=$2 here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() { echo "skipped: $*"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || skip "npm is not installed"
[[ -x /usr/bin/chromium ]] || skip "chromium is not installed"
[[ ${3,,} != *firefox || -x /usr/bin/firefox-esr ]] || skip "firefox-esr is not installed"
"$perft" serve --help >/dev/null 2>&1 || skip "this perft has no server"

# Parts may run at the same time. The first part installs the packages, which all parts use. Each part has its own copy
# of the tests, beside the packages.
mkdir -p "$work/$3"
exec 9>"$work/lock"
flock 9
cp "$here"/{package.json,package-lock.json,.npmrc} "$work"
cmp -s "$work/package-lock.json" "$work/node_modules/installed-lock.json" ||
  { (cd "$work" && npm ci && cp package-lock.json node_modules/installed-lock.json) || skip "npm cannot fetch what the tests need"; }
exec 9>&-
# Builds the page that counts in the browser, from the same sources.
if [[ $3 == *tatic || $3 == SlowFirefox ]]; then
  command -v clang++-19 >/dev/null && [[ -d /usr/include/wasm32-wasi ]] || skip "what WebAssembly takes is not installed"
  flock "$work/site.lock" "$here/../../../tools/web/static.sh" "$work/site"
fi
cp "$here"/*.mjs "$work/$3"
MANYPLY_SUITES=file://$(cd "$here/../../../tools/suites" && pwd)/ exec node "$work/$3/web_test.mjs" "$3" "$perft" "$work" "${@:4}"
