#!/usr/bin/env bash
# macos.sh: builds build/package/packages/manyply-VERSION-macos-universal.tar.gz on a Mac. The archive contains the
# command for Apple silicon and Intel in one file. The command needs only libraries of the system. Installs missing
# packages with Homebrew. Prints the path of the archive. This script has not run on a Mac yet.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

[[ $(uname) == Darwin ]] || fail "runs on macOS only"
cd "$root" || exit
brew install --quiet cmake ninja cli11 fmt nlohmann-json xxhash >&2
{ cmake --preset macos && cmake --build --preset macos --target perft; } >&2

perft=build/macos/tools/perft
lipo "$perft" -verify_arch arm64 x86_64 || fail "$perft lacks an architecture"
for library in $(otool -L "$perft" | awk '/^\t/ {print $1}'); do
  [[ $library == /usr/lib/* || $library == /System/* ]] || fail "$perft needs $library, which a Mac may lack"
done
"$perft" signature >&2

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build/macos/CMakeCache.txt)
name=manyply-$version-macos-universal packages=build/package/packages
rm -rf "build/macos/$name"
mkdir -p "build/macos/$name" "$packages"
cp "$perft" LICENSE "build/macos/$name"
tar -czf "$packages/$name.tar.gz" -C build/macos "$name"
(cd "$packages" && shasum -a 256 "$name.tar.gz" >>SHA256SUMS)
printf '%s\n' "$packages/$name.tar.gz"
