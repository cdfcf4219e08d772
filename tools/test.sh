#!/usr/bin/env bash
# tools/test.sh [CTEST ARGS…]: builds everything and runs the quick tests; `-L slow` or `-L stress` runs the
# tests with that label instead. The first call installs what the build and the tests need (Debian packages).

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

prepare() {
  need_packages "${build_packages[@]}" "${test_packages[@]}" "${slow_packages[@]}"
  need_npm
  configure_all
  build_targets all "${mutants[@]}"
}

mutants=() slow_packages=()
if [[ $* == *slow* ]]; then
  mutants=(mutated_core_test mutated_matrix_test)  # kernels with injected errors; they take minutes to build
  slow_packages=("${machine_packages[@]}" "${windows_packages[@]}" googletest "${slurm_packages[@]}" "${proxy_packages[@]}" "${package_packages[@]}"
                 "${aarch64_packages[@]}")
fi

alone prepare
label=(-L quick)
for argument in "$@"; do
  [[ $argument == -L* || $argument == --label-regex* ]] && label=()
done
# Run more tests than there are cores, because many tests wait for other programs or timeouts.
exec ctest --test-dir "$build" --no-tests=error --output-on-failure -j $((($(nproc) * 3 + 1) / 2)) "${label[@]}" "$@"
