#!/usr/bin/env bash
# packages.sh: builds Debian's packages of this tree in build/package/packages, and prints their paths. It installs
# what that takes, with apt; arguments go to CMake, e.g. -DMANYPLY_MAINTAINER="You <you@your.host>".

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

build=$root/build/package
packages=$build/packages

make() {
  need_packages "${build_packages[@]}" "${package_packages[@]}"
  need_npm
  # The date in the manual page is that of the sources.
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CMakeLists.txt")
  export SOURCE_DATE_EPOCH
  configure -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DMANYPLY_DEBIAN=ON -DMANYPLY_TESTS=OFF -DMANYPLY_BENCH=OFF \
    -DMANYPLY_REQUIRE_ALL=ON "$@"
  build_targets all
  rm -rf --one-file-system "$packages"
  (umask 022 && cd "$build" && cpack -G DEB) </dev/null >"$build/cpack.log" 2>&1 ||
    { cat "$build/cpack.log" >&2; fail "cpack failed"; }
  without_ldconfig "$packages"/libmanyply1_*.deb
  lintian --allow-root --fail-on error,warning "$packages"/*.deb >&2 || fail "lintian objects"
}

# CPack has a library's package call ldconfig itself; that it is to be called is said by its trigger already.
without_ldconfig() {
  local unpacked=$build/unpacked
  rm -rf --one-file-system "$unpacked"
  dpkg-deb --raw-extract "$1" "$unpacked"
  rm "$unpacked/DEBIAN/postinst" "$unpacked/DEBIAN/postrm"
  dpkg-deb --root-owner-group -Zxz --build "$unpacked" "$1" >/dev/null
}

alone make "$@"
printf '%s\n' "$packages"/*.deb
