# shellcheck shell=bash
# Functions that build the contents of packages and archives. The scripts for both source this file.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

# The folder of packages, archives and their sums.
packages=$root/build/package/packages
# All files in packages get the date of the sources.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CMakeLists.txt")
export SOURCE_DATE_EPOCH

# for_architecture [NAME]: chooses the architecture: NAME (arm64 or that of this machine), by default that of this machine.
# Sets $build, the build folder; $sysroot, the root folder of the libraries; $triplet, the name of their folder; and
# $prefix, the prefix of programs for the architecture.
for_architecture() {
  local own
  own=$(dpkg --print-architecture)
  architecture=${1:-$own}
  case $architecture in
    "$own") build=$root/build/package sysroot='' triplet=$(uname -m)-linux-gnu prefix='' ;;
    arm64)
      build=$root/build/arm64 sysroot=$root/build/arm64/sysroot triplet=aarch64-linux-gnu prefix=aarch64-linux-gnu- ;;
    *) fail "no packages are made for $architecture, only for $own and arm64" ;;
  esac
}

# make_sysroot: downloads the Debian packages for $architecture that the build needs, and unpacks them in $sysroot. Also
# writes dpkg's records of installed packages, with paths that begin with $sysroot. Does nothing if Debian has no newer
# packages.
make_sysroot() {
  local fetched=$build/apt dpkg=$sysroot/var/lib/dpkg log=$build/apt.log libraries options wanted file name record
  mapfile -t libraries < <(printf '%s\n' libc6-dev libstdc++-12-dev "${build_packages[@]}" |
    grep -vxE 'clang-19|cmake|ninja-build')
  mkdir -p "$fetched"/{state/lists,cache/archives}/partial
  : >"$fetched/status"
  options=(-q -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User=root
           -o Dir::State="$fetched/state" -o Dir::State::status="$fetched/status" -o Dir::Cache="$fetched/cache"
           --no-install-recommends)
  apt-get "${options[@]}" update </dev/null >"$log" 2>&1 || say "apt-get update failed; using the existing package lists"
  wanted=$(apt-get "${options[@]}" --simulate install "${libraries[@]}" 2>>"$log" | grep ^Inst | sort) ||
    { tail -n 20 "$log" >&2; fail "packages for $architecture were not found"; }
  [[ ! -e $sysroot/unpacked || $(<"$sysroot/unpacked") != "$wanted" ]] || return 0

  say "fetching $(wc -l <<<"$wanted") packages for $architecture"
  apt-get "${options[@]}" clean
  apt-get "${options[@]}" -y --download-only install "${libraries[@]}" </dev/null >>"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; fail "packages for $architecture could not be downloaded"; }
  rm -rf --one-file-system "$sysroot"
  mkdir -p "$dpkg/info"
  for file in "$fetched"/cache/archives/*.deb; do
    dpkg-deb --extract "$file" "$sysroot"
    name=$(dpkg-deb --field "$file" Package)
    dpkg-deb --fsys-tarfile "$file" | tar -t | sed "s|^\.|$sysroot|; s|/\$||" >"$dpkg/info/$name.list"
    dpkg-deb --control "$file" "$fetched/control"
    for record in shlibs symbols; do
      [[ ! -e $fetched/control/$record ]] || cp "$fetched/control/$record" "$dpkg/info/$name.$record"
    done
    rm -r "$fetched/control"
    { dpkg-deb --field "$file"; printf 'Status: install ok installed\n\n'; } >>"$dpkg/status"
  done
  # Links to absolute paths would lead out of $sysroot, for example from libm.so.
  find "$sysroot" -type l -lname '/*' -printf '%p\t%l\n' |
    while IFS=$'\t' read -r file name; do ln -sfn "$sysroot$name" "$file"; done
  printf '%s\n' "$wanted" >"$sysroot/unpacked"
}

# build_for_others [CMAKE ARGS…]: builds in $build everything that Debian packages install, and the page as static
# files. Call for_architecture first.
build_for_others() {
  local page=$root/build/page cross=()
  need_packages "${build_packages[@]}" "${package_packages[@]}"
  need_npm
  "$root/tools/web/static.sh" "$page"
  if [[ $sysroot ]]; then
    need_packages "${aarch64_packages[@]}"
    mkdir -p "$build"
    make_sysroot
    # CMake itself chooses the folder lib/$triplet for libraries only in a native build.
    cross=(--toolchain "$root/tools/cmake/aarch64.cmake" -DCMAKE_SYSROOT="$sysroot" -DCMAKE_INSTALL_LIBDIR="lib/$triplet")
  fi
  configure -B "$build" "${cross[@]}" -DCMAKE_INSTALL_PREFIX=/usr -DMANYPLY_DEBIAN=ON -DMANYPLY_TESTS=OFF \
    -DMANYPLY_BENCH=OFF -DMANYPLY_REQUIRE_ALL=ON -DMANYPLY_STATIC_PAGE="$page" "$@"
  build_targets all
}

# licence_of_package NAME: copies the package's licence into $tree/licences. Also copies the common licences of Debian
# to which it refers. Reads the files of the package below $sysroot.
licence_of_package() {
  local text=$sysroot/usr/share/doc/$1/copyright
  install -m 644 -D "$text" "$tree/licences/$1"
  { grep -oE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$text" || true; } | sort -u |
    while read -r common; do
      install -m 644 -D "$common" "$tree/licences/common-licenses/${common##*/}"
    done
}

# Writes SHA256SUMS for all packages and archives.
write_sums() { (cd "$packages" && rm -f SHA256SUMS && sha256sum -- *.* >../SHA256SUMS && mv ../SHA256SUMS .); }
