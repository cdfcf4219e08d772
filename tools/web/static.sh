#!/usr/bin/env bash
# static.sh FOLDER: the page as static files that count by themselves, for any host and path. Packages that are missing
# are installed.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

(($# == 1)) || fail "usage: $0 FOLDER"
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$root" || exit
[[ -z $(ls -A "$out") || -f $out/local_counter.js ]] || fail "$out is not empty, and no page that was made before"
need_packages clang-19 cmake ninja-build libxxhash-dev libcli11-dev libfmt-dev nlohmann-json3-dev "${wasm_packages[@]}"
need_npm

log=$root/build/static.log
libraries=$root/build/static
mkdir -p "$libraries"
cp tools/web/{package.json,package-lock.json,.npmrc} "$libraries"
{ cmake --preset wasm && cmake --build --preset wasm --target manyply_page_module &&
  (cd "$libraries" && npm ci); } </dev/null >"$log" 2>&1 || { cat "$log" >&2; fail "the build failed"; }
node tools/web/stage.mjs tools/web "$libraries/node_modules" "$out" tools/wasm/npm build/wasm/tools/wasm/page.wasm \
  tools/server/openapi.json
say "$out: $(find "$out" -type f | wc -l) files, $(du -sb "$out" | cut -f1) bytes"
