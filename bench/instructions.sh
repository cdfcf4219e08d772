#!/usr/bin/env bash
# Prints the number of instructions that a kernel executes for perft(2) of a position, averaged over each sample. QEMU's
# user mode counts them, so the processor need not be available, and there is no noise.
#
# usage: bench/instructions.sh [--cpu MODEL] BUILD KERNEL...
#   e.g. bench/instructions.sh build/aarch64 portable
#        bench/instructions.sh --cpu Haswell build/release avx2
#
# BUILD is a build folder with the target two_ply_passes. The result is the difference between a run with two passes and
# a run with one pass, which removes the cost of generating the samples.
set -euo pipefail

fail() { printf 'instructions.sh: %s\n' "$*" >&2; exit 2; }

cpu=()
[[ ${1-} == --cpu ]] && { cpu=(-cpu "${2-}"); shift 2; }
(($# >= 2)) || fail "usage: bench/instructions.sh [--cpu MODEL] BUILD KERNEL..."
program=$1/bench/two_ply_passes
shift
[[ -x $program ]] || fail "$program is not built"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CC:-clang-19}" -O2 -Wall -Wextra -Werror -shared -fPIC -o "$work/count.so" "$here/count_instructions.c"

case $(od -An -tu2 -j18 -N2 "$program") in  # e_machine in its ELF header
  *183) emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu) ;;
  *62) emulator=(qemu-x86_64) ;;
  *) fail "$program is for no processor that this script knows" ;;
esac

# run KERNEL SAMPLE PASSES: prints the number of instructions. Exits with an error message if the run fails.
run() {
  "${emulator[@]}" "${cpu[@]}" -plugin "$work/count.so" "$program" "$@" 2>"$work/err" >"$work/out" ||
    fail "$(grep -v "^instructions " "$work/err")"
  awk '/^instructions / { print $2 }' "$work/err"
}

printf '%-12s' sample
printf '%12s' "$@"
printf '\n'
for sample in start-5 start-6 kiwipete-4 kiwipete-5; do
  printf '%-12s' "$sample"
  for kernel in "$@"; do
    once=$(run "$kernel" "$sample" 1)
    twice=$(run "$kernel" "$sample" 2)
    positions=$(awk '/^positions / { print $2 }' "$work/out")
    printf '%12d' $(((twice - once) / positions))
  done
  printf '\n'
done
