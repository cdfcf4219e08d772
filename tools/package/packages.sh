#!/usr/bin/env bash
# packages.sh [arm64]: builds the Debian packages in build/package/packages, for machines like this one or for arm64.
# Prints their paths. Installs missing packages with apt. All other arguments are passed to CMake, for example
# -DMANYPLY_MAINTAINER="You <you@your.host>".

# shellcheck source=tools/package/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/build.sh"

make() {
  local old=("$packages")
  build_for_others "$@"
  # Packages for this machine are made first, and replace everything in the folder. Packages for another architecture
  # replace only their own earlier versions.
  [[ ! $sysroot ]] || old=("$packages"/*"_$architecture.deb")
  rm -rf --one-file-system "${old[@]}"
  write_shlibdeps
  (umask 022 && cd "$build" && PATH=$build/cpack:$PATH DEB_HOST_ARCH=$architecture \
    cpack -G DEB -B "$packages" -D CPACK_DEBIAN_PACKAGE_ARCHITECTURE="$architecture") \
    </dev/null >"$build/cpack.log" 2>&1 || { cat "$build/cpack.log" >&2; fail "cpack failed"; }
  rm -rf "$packages/_CPack_Packages"
  without_ldconfig "$packages"/libmanyply1_*_"$architecture".deb
  lintian --allow-root --fail-on error,warning "$packages"/*_"$architecture".deb >&2 || fail "lintian found errors"
}

# write_shlibdeps: writes a dpkg-shlibdeps that knows the packages in $sysroot. CPack calls the first dpkg-shlibdeps in
# PATH.
write_shlibdeps() {
  rm -rf "$build/cpack"
  [[ $sysroot ]] || return 0
  mkdir "$build/cpack"
  printf '#!/bin/sh\nexec /usr/bin/dpkg-shlibdeps --admindir="%s" -l"%s" -l"%s" "$@"\n' \
    "$sysroot/var/lib/dpkg" "$sysroot/usr/lib/$triplet" "$sysroot/lib/$triplet" >"$build/cpack/dpkg-shlibdeps"
  chmod +x "$build/cpack/dpkg-shlibdeps"
}

# Removes scripts that call ldconfig. CPack adds them to a library's package, but the package's trigger already calls
# ldconfig.
without_ldconfig() {
  local unpacked=$build/unpacked
  rm -rf --one-file-system "$unpacked"
  dpkg-deb --raw-extract "$1" "$unpacked"
  rm "$unpacked/DEBIAN/postinst" "$unpacked/DEBIAN/postrm"
  dpkg-deb --root-owner-group -Zxz --build "$unpacked" "$1" >/dev/null
}

wanted=''
[[ ${1-} != arm64 ]] || { wanted=$1; shift; }
for_architecture "$wanted"
alone make "$@"
printf '%s\n' "$packages"/*_"$architecture".deb
