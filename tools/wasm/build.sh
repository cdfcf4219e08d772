#!/usr/bin/env bash
# Builds the npm package build/npm/manyply-VERSION.tgz. Does not publish it. Installs missing packages.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

cd "$root" || exit
need_packages clang-19 cmake ninja-build libxxhash-dev libcli11-dev libfmt-dev nlohmann-json3-dev "${wasm_packages[@]}"
need_npm

wasm=$root/build/wasm
log=$root/build/wasm.log
mkdir -p build
{ cmake --preset wasm && cmake --build --preset wasm --target perft manyply_module; } </dev/null >"$log" 2>&1 ||
  { cat "$log" >&2; fail "the build failed"; }

package=$root/build/npm/package
rm -rf "$package"
mkdir -p "$package"
cp -R tools/wasm/npm/. "$package"
cp "$wasm/tools/wasm/manyply.wasm" LICENSE "$package"
mkdir "$package/suites"
cp tools/suites/*.epd "$package/suites"
node --input-type=module - "$wasm/tools/perft.wasm" "$package/perft.wasm.br" <<'EOF'
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
const [from, to] = process.argv.slice(2);
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_MAX_QUALITY, BROTLI_MAX_WINDOW_BITS } = constants;
writeFileSync(to, brotliCompressSync(readFileSync(from), {
  params: { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS } }));
EOF
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$wasm/CMakeCache.txt")
cd "$package" || exit
npm --silent pkg set version="$version"
npm --silent pack --pack-destination .. >/dev/null
say "build/npm/manyply-$version.tgz: $(stat -c %s "../manyply-$version.tgz") bytes"
