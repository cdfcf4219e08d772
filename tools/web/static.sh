#!/usr/bin/env bash
# static.sh FOLDER: builds the page as static files that count in the browser, for any host and path, with
# FILE.br and FILE.gz for servers that send precompressed files. Installs missing packages.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

(($# == 1)) || fail "usage: $0 FOLDER"
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$root" || exit
[[ -z $(ls -A "$out") || -f $out/sw.js ]] || fail "$out is neither empty nor an earlier page"
need_packages clang-19 cmake ninja-build libxxhash-dev libcli11-dev libfmt-dev nlohmann-json3-dev "${wasm_packages[@]}"
need_npm

log=$root/build/static.log
libraries=$root/build/static
licences=$libraries/licences
rm -rf "$licences"
mkdir -p "$licences"
# Licences of the code that is linked into the module. LLVM's parts (libc++, its ABI, builtins) share one text.
for package in libfmt-dev libxxhash-dev nlohmann-json3-dev wasi-libc libc++-19-dev-wasm32; do
  [[ ! -e /usr/share/doc/$package/copyright ]] || cp "/usr/share/doc/$package/copyright" "$licences/$package"
done
cp tools/web/{package.json,package-lock.json,.npmrc} "$libraries"
{ cmake --preset wasm && cmake --build --preset wasm --target manyply_page_module &&
  (cd "$libraries" && npm ci); } </dev/null >"$log" 2>&1 || { cat "$log" >&2; fail "the build failed"; }
node tools/web/stage.mjs tools/web "$libraries/node_modules" "$out" tools/wasm/npm build/wasm/tools/wasm/page.wasm \
  tools/server/openapi.json "$licences"
sum() { find "$out" -type f "$@" -printf '%s\n' | awk '{ all += $1 } END { print all }'; }
say "$out: $(sum ! -name '*.br' ! -name '*.gz') bytes, compressed $(sum -name '*.br') or, by gzip, $(sum -name '*.gz')"
