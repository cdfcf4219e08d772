#!/usr/bin/env bash
# archive.sh WORK [arm64]: makes the archive of these sources. Uses it on a minimal machine, in a folder with another
# name. For arm64, emulates the machine; also makes and installs Debian's packages there. The log is in WORK.
set -euo pipefail

work=$1
# shellcheck source=tests/machines/machine.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine.sh"
own_namespaces "$@"

step "an archive of these sources"
mkdir -p "$work"
log=$work/archive_made.log
archive=$("$sources/tools/package/archive.sh" "${@:2}" 2>"$log") || { tail "$log"; fail "none"; }
(cd "${archive%/*}" && sha256sum --check --quiet SHA256SUMS) || fail "its sum is wrong"

make_machine "archive${2-}"
emulator=()
if [[ ${2-} ]]; then
  inside dpkg --add-architecture "$2"
  install_inside qemu-user-static "libstdc++6:$2"  # every Debian has this package for its own architecture
  emulator=(qemu-aarch64-static)
fi
inside useradd --create-home guest
mkdir "$disk/opt/any place"
tar -C "$disk/opt/any place" --strip-components=1 -xf "$archive"
perft=("${emulator[@]}" "/opt/any place/bin/perft")
as_guest() { inside_as guest "${perft[@]}" "$@"; }
as_guest check startpos 6 119060324 >/dev/null || fail "perft(6)"
as_guest verify 5 >/dev/null || fail "verify 5"
step "it counts"
# by_configurations FEN DEPTH NODES: checks a count by configurations. This method counts in lanes of vectors. If
# --method selects it, perft never uses another method instead.
by_configurations() {
  [[ $(as_guest count "$2" --fen "$1" --method configurations | awk '$1 == "nodes" {print $2}') == "$3" ]] ||
    fail "perft($2) of $1 by configurations"
}
by_configurations startpos 6 119060324
by_configurations startpos 7 3195901860
by_configurations kiwipete 4 4085603
by_configurations kiwipete 5 193690690
# deepest_of SUITE LINES MOST: for each of the first LINES lines, prints the deepest count that is at most MOST and has
# depth 3 or more.
deepest_of() {
  grep -v '^#' "$sources/tools/suites/$1.epd" | head -n "$2" | awk -F ' *;' -v most="$3" '{
    found = ""
    for (i = 2; i <= NF; ++i) if (split($i, count, " ") >= 2 && substr(count[1], 2) >= 3 && count[2] <= most)
      found = substr(count[1], 2) "\t" count[2]
    if (found) print $1 "\t" found }'
}
while IFS=$'\t' read -r fen depth nodes; do by_configurations "$fen" "$depth" "$nodes" </dev/null; done < <(
  deepest_of tricky 1000 1000000
  deepest_of chess960 100 1000000)
step "it counts by configurations"
serve guest "${perft[@]}" serve --state /home/guest/jobs --listen 127.0.0.1:0
[[ $(as_guest submit 5 --watch --format csv --server "$address" | tail -n 1) == total,4865609 ]] ||
  fail "perft(5), served"
end_server
step "it serves"
libraries=("$disk/opt/any place/lib/manyply"/*)
used=$(inside_as guest env LD_TRACE_LOADED_OBJECTS=1 "${perft[@]}" | grep -c '/any place/bin/../lib/manyply/') ||
  fail "it uses none of its own libraries"
((used == ${#libraries[@]})) || fail "it uses $used libraries of its own, and has ${#libraries[@]}"
if [[ ${2-} ]]; then
  made=$("$sources/tools/package/packages.sh" "$2" 2>>"$log") || { tail "$log"; fail "no packages"; }
  mapfile -t packages <<<"$made"
  mkdir "$disk/debs"
  cp "${packages[@]}" "$disk/debs"
  install_inside "${packages[@]/#*\//\/debs\/}"
  perft=("${emulator[@]}" /usr/bin/perft)
  by_configurations startpos 5 4865609
  step "its ${#packages[@]} packages can be installed"
fi
step "done: $(stat -c %s "$archive") bytes, with $used libraries"
