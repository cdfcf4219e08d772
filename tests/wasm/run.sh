#!/usr/bin/env bash
# run.sh FOLDER PERFT BROKEN_ENGINE PART: tests the npm package that tools/wasm/build.sh has built. Exits with 77 if
# a required program or package is missing. Parts: install, runtime, library, types, browser, engines, SlowEngines,
# SlowBundlers.
set -euo pipefail

work=$1 perft=$2 broken=$3 part=$4 here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
skip() { echo "skipped: $*"; exit 77; }
command -v node >/dev/null && command -v npm >/dev/null || skip "npm is not installed"

if [[ $part == install ]]; then
  printf '#include <algorithm>\nint main() { return std::min(0, 1); }\n' >"$root/build/have.cpp"
  command -v clang++-19 >/dev/null && clang++-19 --target=wasm32-wasi "$root/build/have.cpp" -o "$root/build/have.wasm" \
    2>/dev/null || skip "clang-19 with lld-19, wasi-libc and libc++ for wasm32 are not installed"
  "$root/tools/wasm/build.sh"
  mkdir -p "$work"
  cd "$work"
  cp "$here"/{package.json,package-lock.json,.npmrc,types.ts,browser.mjs,library.test.mjs,time_left.test.mjs} "$here"/adapters/*.mjs .
  cmp -s package-lock.json node_modules/installed-lock.json ||
    { npm ci && cp package-lock.json node_modules/installed-lock.json; } || skip "npm cannot fetch what the tests need"
  # Install into an empty folder. The package must not install any other package.
  rm -rf empty && mkdir empty && (cd empty && npm init -y >/dev/null && npm install --offline --no-audit --no-fund "$root"/build/npm/manyply-*.tgz)
  [[ $(ls empty/node_modules) == manyply ]]
  rm -rf node_modules/manyply && cp -R empty/node_modules/manyply node_modules/
  mkdir -p bin && ln -sf "$work/empty/node_modules/.bin/manyply" bin/perft
  bin/perft count 5 --format csv | grep -qx total,4865609
  exit
fi

cd "$work"
[[ -x bin/perft ]] || skip "the package has not been installed"
# agrees ARGUMENTS…: the command must find no difference.
agrees() { bin/perft "$@" || { echo "not: perft $*" >&2; exit 1; }; }
case $part in
  runtime)
    clang++-19 --target=wasm32-wasi -std=c++20 -O1 -fno-exceptions -Wall -Wextra -Werror -D_LIBCPP_HAS_NO_LOCALIZATION \
      -isystem "$root/tools/wasm/include" "$here/runtime.cpp" -o runtime.wasm
    exec node --no-warnings --input-type=module --eval 'import { readFileSync } from "node:fs";
      import { WASI } from "node:wasi";
      const wasi = new WASI({ version: "preview1", returnOnExit: true });
      const { instance } = await WebAssembly.instantiate(readFileSync("runtime.wasm"),
                                                         { wasi_snapshot_preview1: wasi.wasiImport });
      process.exitCode = wasi.start(instance);' ;;
  library) PERFT=$perft BROKEN_ENGINE=$broken SOURCE=$root exec node --test library.test.mjs time_left.test.mjs ;;
  types) exec node_modules/.bin/tsc --noEmit --strict --module nodenext --target es2022 --lib es2022,dom types.ts ;;
  browser)
    [[ -x /usr/bin/chromium ]] || skip "chromium is not installed"
    exec node browser.mjs ;;
  engines)
    agrees bisect 3 --fen kiwipete --engine "node engine.mjs chess_js"
    agrees bisect 3 --fen kiwipete --engine "node engine.mjs chessops"
    agrees bisect 2 --fen kiwipete --engine "node engine.mjs kokopu"
    [[ -x /usr/games/stockfish ]] || skip "stockfish is not installed"
    agrees suite tricky --engine stockfish --max-nodes 100000 ;;
  SlowBundlers)
    [[ -x /usr/bin/chromium ]] || skip "chromium is not installed"
    mkdir -p bundlers && cd bundlers
    cp "$here"/bundlers/{package.json,package-lock.json,.npmrc,bundlers.mjs} .
    cmp -s package-lock.json node_modules/installed-lock.json ||
      { npm ci && cp package-lock.json node_modules/installed-lock.json; } || skip "npm cannot fetch what the tests need"
    rm -rf node_modules/manyply && cp -R ../empty/node_modules/manyply node_modules/
    exec node --test bundlers.mjs ;;
  SlowEngines)
    [[ -x /usr/games/stockfish ]] || skip "stockfish is not installed"
    # chess.js does not support Chess960, so leave out such positions.
    awk '/^#/ || $3 ~ /^([KQkq]+|-)$/' "$root/tools/suites/corpus.epd" >standard_corpus.epd
    for suite in tricky corpus; do
      agrees suite "$suite" --engine stockfish --max-nodes 1000000
      for library in chessops kokopu; do
        agrees suite "$suite" --engine "node engine.mjs $library" --ask "divide {depth} {fen}" --max-nodes 10000
      done
    done
    for suite in tricky standard_corpus.epd; do
      agrees suite "$suite" --engine "node engine.mjs chess_js" --ask "divide {depth} {fen}" --max-nodes 1000
    done ;;
esac
