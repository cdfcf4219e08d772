#!/usr/bin/env bash
# missing_packages.sh SOURCES WORK: configures Manyply several times, each time with one package hidden from CMake. The
# part that needs the package must be left out with a message. With MANYPLY_REQUIRE_ALL, the missing package must be an
# error. Then checks the build folders of the scripts: they must compile the same code as the preset, recover from a
# failed configuration, and keep configured tests. Builds nothing.
set -euo pipefail

sources=$1 work=$2 tree=$2/tree failures=0
rm -rf --one-file-system "$work"
mkdir -p "$tree"
for entry in CMakeLists.txt CMakePresets.json core hash parallel tools tests bench; do
  ln -s "$sources/$entry" "$tree/$entry"
done
cache=$tree/build/release/CMakeCache.txt

wrong() { printf 'WRONG: %s\n' "$*"; failures=$((failures + 1)); }
# run LOG COMMAND…: runs the command in the tree. Returns its exit code.
run() { (cd "$tree" && "${@:2}") </dev/null >"$work/$1" 2>&1; }
is_on() { grep -qx "$1:BOOL=ON" "$cache"; }
show() { sed 's/^/    /' "$work/$1"; }

run all cmake --preset release -DMANYPLY_REQUIRE_ALL=ON || { show all; echo "skipped: packages are missing here"; exit 77; }
grep -q 'Left out' "$work/all" && wrong "something is left out although nothing is missing"

# hidden PACKAGE LINE CMAKE_VARIABLE…: sets these variables, which hide PACKAGE. CMake must report that it left out
# LINE. The next call unsets the variables.
back=()
hidden() {
  local package=$1 line=$2 hide=()
  for variable in "${@:3}"; do hide+=("-D$variable"); done
  echo "without $package"
  if ! run soft cmake --preset release -DMANYPLY_REQUIRE_ALL=OFF "${back[@]}" "${hide[@]}"; then
    wrong "without $package, cmake failed:"; show soft
  elif ! grep -qF -- "-- Left out: $line; missing $package" "$work/soft"; then
    wrong "without $package, no word of '$line':"; show soft
  fi
  if run strict cmake --preset release -DMANYPLY_REQUIRE_ALL=ON; then
    wrong "without $package, cmake went on although all must be there"
  elif ! tr -s ' \n' ' ' <"$work/strict" | grep -qF "missing $package"; then
    wrong "without $package, the error does not name it:"; show strict
  fi
  back=()
  for variable in "${@:3}"; do back+=("-U${variable%%=*}"); done
}
none=CMAKE_DISABLE_FIND_PACKAGE
hidden libgtest-dev "the tests" ${none}_GTest=ON
hidden libbenchmark-dev "the benchmarks" ${none}_benchmark=ON
hidden libvalijson-dev "the tests of the server's routes against openapi.json" ${none}_valijson=ON
online="the server, submit, batch, status, watch, cancel and campaign"
hidden libsqlite3-dev "$online" ${none}_SQLite3=ON
hidden libboost1.81-dev "$online" ${none}_Boost=ON
hidden libspdlog-dev "$online" ${none}_spdlog=ON
hidden libssl-dev "$online" ${none}_OpenSSL=ON
hidden libcurl4-openssl-dev "$online" ${none}_CURL=ON
hidden libpq-dev "$online" ${none}_PostgreSQL=ON
hidden libhwloc-dev "--pin and --interleave" ${none}_hwloc=ON
hidden libyaml-cpp-dev "suites in YAML" ${none}_yaml-cpp=ON
hidden npm "the page" MANYPLY_NPM=
run back cmake --preset release "${back[@]}"

# A script must configure the same code as the preset, in either order.
echo "scripts compile what the preset compiles"
commands=$tree/build/release/compile_commands.json
rm -rf --one-file-system "$tree/build/release"
run preset cmake --preset release || { wrong "cmake failed:"; show preset; }
cp "$commands" "$work/by_preset"
rm -rf --one-file-system "$tree/build/release"
run script bash -c 'source tools/setup.sh && configure_all' || { wrong "configuring failed:"; show script; }
cmp "$work/by_preset" "$commands" || wrong "the script's commands are others"
of_tools=$(grep "\"command\": .* -c $tree/build/release/tools/" "$commands") || wrong "no file of tools/ is compiled"
grep -e ' -O0 ' <<<"$of_tools" && wrong "of tools/, not all is optimised"
run preset cmake --preset release
cmp "$work/by_preset" "$commands" || wrong "the preset keeps what the script configured"

# shellcheck disable=SC2016
scripts='source tools/setup.sh; set +e; (configure_command) && (configure_command)'
echo "a tree with tests keeps them"
run kept bash -c 'source tools/setup.sh && configure_all && configure_command' || { wrong "configuring failed:"; show kept; }
is_on MANYPLY_TESTS || wrong "the command's script has switched the tests off"

echo "a tree that can no longer be configured heals"
run broken cmake --preset release -DMANYPLY_REQUIRE_ALL=ON "-D${none}_valijson=ON" && wrong "cmake went on without valijson"
run healed bash -c "$scripts" || { wrong "it does not:"; show healed; }
is_on MANYPLY_TESTS && wrong "the tests are still on"

echo "so does one whose first configuration failed"
rm "$tree/build/release/build.ninja"
sed -i -E 's/^(MANYPLY_(TESTS|BENCH):BOOL)=.*/\1=ON/' "$cache"
run healed bash -c "$scripts" || { wrong "it does not:"; show healed; }
is_on MANYPLY_TESTS && wrong "the tests are still on"

echo "the tests can be had again"
run again bash -c 'source tools/setup.sh && configure_all' && wrong "and nothing is said of valijson"
run again cmake --preset release "-U${none}_valijson"
run again bash -c 'source tools/setup.sh && configure_all' || { wrong "cmake failed:"; show again; }
is_on MANYPLY_TESTS || wrong "the tests are off"

printf '%d failures\n' "$failures"
((failures == 0))
