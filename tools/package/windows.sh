#!/usr/bin/env bash
# windows.sh [TARGET…]: builds build/windows/perft.exe, manyply.dll and manyply-VERSION-windows-x86_64.zip. Copies the
# zip to build/package/packages and updates SHA256SUMS there. Makes manifests for Scoop and winget from windows/; they
# are not published. Installs missing packages with apt. Prints the path of the zip. With arguments, builds only these
# targets.

# shellcheck source=tools/package/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/build.sh"

build=$root/build/windows
preset=windows
sysroot=''
# Libraries that are compiled into the programs.
libraries=(libcli11-dev libfmt-dev libxxhash-dev nlohmann-json3-dev)
runtimes=(gcc-mingw-w64-base mingw-w64-x86-64-dev)

compile() {
  need_packages clang-19 cmake ninja-build "${libraries[@]}" "${windows_packages[@]}"
  configure
  build_targets "$@"
}
make() {
  local version name tree sum
  compile perft manyply_shared
  mkdir -p "$packages"
  x86_64-w64-mingw32-strip -o "$build/perft.exe" "$build/tools/perft.exe"
  x86_64-w64-mingw32-strip -o "$build/manyply.dll" "$build/tools/c_api/manyply.dll"

  version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
  name=manyply-$version-windows-x86_64
  archive=$build/$name.zip tree=$build/archive/$name
  rm -rf --one-file-system "$build/archive" "$archive"
  mkdir -p "$tree"
  cp "$build"/{perft.exe,manyply.dll} "$root/tools/c_api/manyply.h" "$tree/"
  cp "$build/tools/c_api/libmanyply.dll.a" "$tree/"
  sed 's/$/\r/' "$root/LICENSE" >"$tree/LICENCE.txt"
  sed 's/$/\r/' "$root/tools/package/windows/README.txt" >"$tree/README.txt"
  for package in "${libraries[@]}" "${runtimes[@]}"; do licence_of_package "$package"; done
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  (cd "$build/archive" && find "$name" -type f | LC_ALL=C sort | TZ=UTC zip -q -X -9 "$archive" -@)
  cp "$archive" "$packages/"
  write_sums

  sum=$(sha256sum "$archive")
  rm -rf "$build/manifests"
  mkdir "$build/manifests"
  for template in "$root"/tools/package/windows/*.in; do
    file=${template##*/}
    sed "s/@VERSION@/$version/g; s/@SHA256@/${sum%% *}/g" "$template" >"$build/manifests/${file%.in}"
  done
}

if (($#)); then
  alone compile "$@"
  exit
fi
alone make
printf '%s\n' "$archive"
