#!/usr/bin/env bash
# packages.sh: builds the Debian packages in build/package/packages and prints their paths. Installs what it needs with
# apt. Arguments are passed to CMake, for example -DMANYPLY_MAINTAINER="You <you@your.host>".

# shellcheck source=tools/package/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/build.sh"

build=$root/build/package

make() {
  build_for_others "$@"
  rm -rf --one-file-system "$packages"
  (umask 022 && cd "$build" && cpack -G DEB) </dev/null >"$build/cpack.log" 2>&1 ||
    { cat "$build/cpack.log" >&2; fail "cpack failed"; }
  without_ldconfig "$packages"/libmanyply1_*.deb
  lintian --allow-root --fail-on error,warning "$packages"/*.deb >&2 || fail "lintian objects"
}

# Removes scripts that call ldconfig. CPack adds them to a library's package, but its trigger already does this.
without_ldconfig() {
  local unpacked=$build/unpacked
  rm -rf --one-file-system "$unpacked"
  dpkg-deb --raw-extract "$1" "$unpacked"
  rm "$unpacked/DEBIAN/postinst" "$unpacked/DEBIAN/postrm"
  dpkg-deb --root-owner-group -Zxz --build "$unpacked" "$1" >/dev/null
}

alone make "$@"
printf '%s\n' "$packages"/*.deb
