#!/usr/bin/env bash
# build.sh [DLL PERFT_EXE]: makes the Python wheel, published by nobody:
# build/wheels/manyply-VERSION-py3-none-manylinux_2_34_x86_64.whl, or, of what has been compiled for Windows elsewhere,
# …-win_amd64.whl. Packages that are missing are installed.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

cd "$root" || exit
wheels=$root/build/wheels
version=$(sed -n 's/^project(manyply VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# write_wheel TAG FILE…
write_wheel() {
  local licences=$root/build/wheel/licences package
  rm -rf "$licences"
  mkdir -p "$licences"
  for package in libcli11-dev libfmt-dev libxxhash-dev nlohmann-json3-dev libstdc++-12-dev; do
    [[ ! -e /usr/share/doc/$package/copyright ]] || cp "/usr/share/doc/$package/copyright" "$licences/$package"
  done
  python3 tools/python/wheel.py --version "$version" --tag "py3-none-$1" --out "$wheels" --licences "$licences" "${@:2}" >&2
}

if (($#)); then
  need_packages python3
  mkdir -p build/wheel/windows
  cp "$1" build/wheel/windows/manyply.dll
  cp "$2" build/wheel/windows/perft.exe
  write_wheel win_amd64 build/wheel/windows/{manyply.dll,perft.exe}
  exit
fi

make() {
  local log=$root/build/wheel.log made=$root/build/wheel/tools/python floor newest
  need_packages clang-19 lld-19 cmake ninja-build libxxhash-dev libcli11-dev libfmt-dev nlohmann-json3-dev python3 binutils
  mkdir -p build
  { cmake --preset wheel && cmake --build --preset wheel --target manyply_wheel manyply_wheel_command; } </dev/null >"$log" 2>&1 ||
    { cat "$log" >&2; fail "the build failed"; }
  # What the name of the wheel says.
  for floor in GLIBC_2.34 GLIBCXX_3.4.29 CXXABI_1.3.13; do
    newest=$( (objdump -T "$made"/{libmanyply.so,perft} | grep -oE "\b${floor%%_*}_[0-9.]+"; echo "$floor") | sort -uV | tail -n 1)
    [[ $newest == "$floor" ]] || fail "it needs $newest"
  done
  write_wheel manylinux_2_34_x86_64 "$made"/{libmanyply.so,perft}
}
make
