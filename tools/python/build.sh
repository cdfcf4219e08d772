#!/usr/bin/env bash
# build.sh [windows]: builds the Python wheel build/wheels/manyply-VERSION-py3-none-manylinux_2_34_x86_64.whl. With
# "windows", builds …-win_amd64.whl from the output of tools/package/windows.sh. Runs windows.sh first if its output is
# missing. Does not publish the wheel. Installs missing packages.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

cd "$root" || exit
wheels=$root/build/wheels
version=$(sed -n 's/^project(manyply VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# write_wheel TAG FILE…: writes the wheel with these compiled files.
write_wheel() {
  local licences=$root/build/wheel/licences package packages=(libcli11-dev libxxhash-dev nlohmann-json3-dev)
  # The licences of fmt and GCC require no notice for compiled code.
  [[ $1 != win* ]] || packages+=(gcc-mingw-w64-base mingw-w64-x86-64-dev)
  rm -rf "$licences"
  mkdir -p "$licences"
  for package in "${packages[@]}"; do
    [[ ! -e /usr/share/doc/$package/copyright ]] || cp "/usr/share/doc/$package/copyright" "$licences/$package"
  done
  python3 tools/python/wheel.py --version "$version" --tag "py3-none-$1" --out "$wheels" --licences "$licences" "${@:2}" >&2
  # advzip writes the same format, but its files are 4 % smaller than those of zlib.
  ! command -v advzip >/dev/null || advzip --recompress --shrink-insane --quiet "$wheels/manyply-$version-py3-none-$1.whl"
}

make_windows() {
  local made=$root/build/windows
  [[ -e $made/manyply.dll && -e $made/perft.exe ]] || tools/package/windows.sh >&2
  write_wheel win_amd64 "$made"/{manyply.dll,perft.exe}
}

make() {
  local log=$root/build/wheel.log made=$root/build/wheel/tools/python floor newest
  need_packages clang-19 lld-19 cmake ninja-build libxxhash-dev libcli11-dev libfmt-dev nlohmann-json3-dev python3 binutils
  mkdir -p build
  { cmake --preset wheel && cmake --build --preset wheel --target manyply_wheel manyply_wheel_command; } </dev/null >"$log" 2>&1 ||
    { cat "$log" >&2; fail "the build failed"; }
  # Check that the wheel runs on every system that its name promises: it must need no glibc or libstdc++ newer than theirs.
  for floor in GLIBC_2.34 GLIBCXX_3.4.29 CXXABI_1.3.13; do
    newest=$( (objdump -T "$made"/{libmanyply.so,perft} | grep -oE "\b${floor%%_*}_[0-9.]+"; echo "$floor") | sort -uV | tail -n 1)
    [[ $newest == "$floor" ]] || fail "the wheel needs $newest, expected at most $floor"
  done
  write_wheel manylinux_2_34_x86_64 "$made"/{libmanyply.so,perft}
}
need_packages python3 advancecomp
if [[ ${1-} == windows ]]; then make_windows; else make; fi
