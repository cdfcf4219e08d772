#!/usr/bin/env bash
# archive.sh [arm64]: makes a relocatable archive in build/package/packages, for machines like this one or for arm64. It
# contains the command, every library that a bare Debian 12 lacks, and their licences. The command finds the libraries
# wherever the archive is unpacked. SHA256SUMS in the same folder has the sums of all files. Prints the archive's path.
# Installs missing packages with apt. For arm64, downloads and unpacks Debian's packages and builds the command with
# them.

# shellcheck source=tools/package/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/build.sh"

# Libraries of the system that the archive does not contain, and their oldest supported versions.
system_libraries='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv)\.so\.[0-9]+|libstdc\+\+\.so\.6|libgcc_s\.so\.1)$'
declare -A floor=([GLIBC]=2.36 [GLIBCXX]=3.4.30 [CXXABI]=1.3.13 [GCC]=12.0.0)

for_architecture "${1-}"
work=$build/archive

# needed FILE: prints the names of the libraries that FILE requires directly.
needed() { "${prefix}objdump" -p "$1" | sed -n 's/^ *NEEDED *//p'; }

# gather FILE: copies the libraries that FILE requires, directly or indirectly, into the archive.
gather() {
  local library found
  for library in $(needed "$1"); do
    [[ ! $library =~ $system_libraries && ! -e $tree/lib/manyply/$library ]] || continue
    found=$(realpath --quiet --canonicalize-existing "$sysroot/usr/lib/$triplet/$library" ||
      realpath --quiet --canonicalize-existing "$sysroot/lib/$triplet/$library") ||
      fail "$1 needs $library, which is not installed"
    install -m 644 -D "$found" "$tree/lib/manyply/$library"
    licence_of "$found"
    gather "$tree/lib/manyply/$library"
  done
}

# licence_of FILE: adds the licence of the Debian package to which the file belongs.
licence_of() {
  local owner
  owner=$(dpkg-query --admindir="$sysroot/var/lib/dpkg" -S "$1" 2>/dev/null ||
    dpkg-query --admindir="$sysroot/var/lib/dpkg" -S "${1#/usr}") || fail "no package contains $1"
  licence_of_package "${owner%%:*}"
}

# above_floor FILE: prints the versions of system libraries that FILE requires, if they are newer than the oldest
# supported ones.
above_floor() {
  local symbols version
  "${prefix}objdump" -T "$1" | grep -oE '\((GLIBC|GLIBCXX|CXXABI|GCC)_[0-9.]+\)' | tr -d '()' | sort -u |
    while IFS=_ read -r symbols version; do
      [[ $(printf '%s\n' "$version" "${floor[$symbols]}" | sort -V | tail -n 1) == "${floor[$symbols]}" ]] ||
        printf '%s needs %s_%s\n' "${1##*/}" "$symbols" "$version"
    done
}

make() {
  local version name tree file above
  build_for_others
  version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
  name=manyply-$version-linux-${triplet%%-*}
  archive=$packages/$name.tar.gz tree=$work/$name
  rm -rf --one-file-system "$work"
  mkdir -p "$tree" "$packages"
  DESTDIR=$work/installed cmake --install "$build" --component command >/dev/null
  cp -r "$work/installed/usr/bin" "$work/installed/usr/share" "$tree/"
  mv "$tree/share/doc/manyply/copyright" "$tree/LICENCE"
  rm -r "$tree/share/doc"
  "${prefix}strip" "$tree/bin/perft"
  gather "$tree/bin/perft"
  # Set RPATH, not RUNPATH. RUNPATH does not apply to libraries that are required by other libraries.
  # shellcheck disable=SC2016
  patchelf --force-rpath --set-rpath '$ORIGIN/../lib/manyply' "$tree/bin/perft"
  for file in "$tree"/bin/* "$tree"/lib/manyply/*; do
    ! "${prefix}objdump" -p "$file" | grep -q '^ *RUNPATH' || fail "$file has a RUNPATH, so it may load other libraries"
    above=$(above_floor "$file")
    [[ ! $above ]] || fail "$above"
  done
  chmod -R u=rwX,go=rX "$tree"
  tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" |
    gzip --best --no-name >"$archive"
  write_sums
}

alone make
printf '%s\n' "$archive"
