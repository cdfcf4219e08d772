#!/usr/bin/env python3
"""Prints the table of deep counts in parallel/README.md, for the start position.

  bench/parts_table.py bench/results/MACHINE/parts.tsv

Each line of the file has one measured count: depth, parts, peak memory in GiB, processor seconds. Larger depths are
projected: the seconds of a model, times AGAIN (because parts make rows again), times a correction. The correction is
the measured seconds of the largest measured depth, divided by its modelled seconds and by its AGAIN.

The model adds up the time that a count without parts spends on pairs of configurations. A pair three plies above the
leaves takes 60 ns to make. A pair two plies above the leaves takes 5.5 ns, and another 68 ns if the two-ply kernel
counts it. A pair one ply above the leaves takes 2.4 ns if lanes count it. These times were measured on one core of a
Zen 5 at depths 9 to 11.
"""

import sys

# Distinct positions after each ply, estimated from ply 12 on.
POSITIONS = {6: 9.4e6, 7: 9.64e7, 8: 9.88e8, 9: 9.18e9, 10: 8.54e10, 11: 7.26e11, 12: 6.2e12, 13: 4.8e13, 14: 3.8e14}
# By depth: the fraction of pairs that the two-ply kernel counts, and the number of pairs that lanes count. Measured up
# to depth 12.
BY_KERNEL = {9: 0.20, 10: 0.29, 11: 0.39, 12: 0.48, 13: 0.55, 14: 0.62, 15: 0.69, 16: 0.75}
IN_LANES = {9: 8.2e8, 10: 6.51e9, 11: 5.24e10, 12: 3.82e11, 13: 3.0e12, 14: 2.4e13, 15: 1.7e14, 16: 1.2e15}
# For each projected depth: the number of parts and the memory in GiB.
PARTS = {12: (23, 20.4), 13: (500, 24), 14: (500, 200), 15: (2000, 250), 16: (5000, 250)}
# The estimated factor by which time grows because parts make rows again.
AGAIN = {11: 1, 12: 1.65, 13: 2, 14: 2, 15: 4, 16: 6}
# The last column assumes that CORES cores are busy for the fraction EFFICIENCY of the time.
CORES, EFFICIENCY = 64, 0.6


def modelled(depth):
    """Returns the modelled processor seconds of a count without parts."""
    per_pair = 5.5 + 68 * BY_KERNEL[depth]
    return 1e-9 * (POSITIONS[depth - 2] * per_pair + 2.4 * IN_LANES[depth] + 60 * POSITIONS[depth - 3])


def time_text(seconds):
    """Returns a duration in the largest unit that fits."""
    for unit, size in (("years", 31557600), ("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.{0 if seconds >= 2 else 1}f} s"


def main():
    """Prints one row for each depth."""
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [line.split() for line in file if line[:1].isdigit()]
    measured = {int(depth): (int(parts), float(gib), float(seconds)) for depth, parts, gib, seconds in rows}
    deepest = max(measured)
    slower = measured[deepest][2] / modelled(deepest) / AGAIN[deepest]
    print("depth   parts    memory   processor time   64 cores")
    for depth in range(min(measured), 17):
        if depth in measured:
            parts, gib, seconds = measured[depth]
            about = ""
        else:
            parts, gib = PARTS[depth]
            seconds = modelled(depth) * slower * AGAIN[depth]
            about = "about "
        spread = seconds / CORES / EFFICIENCY
        work = about + time_text(seconds)
        print(f"{depth:>5} {parts:>7} {gib:>5g} GiB   {work:>14} {time_text(spread):>10}")


if __name__ == "__main__":
    main()
