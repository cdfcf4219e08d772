#!/usr/bin/env python3
"""Compares the methods of counting perft(9) on one machine, and draws the chart of the README.

usage: methods.py measure PERFT STOCKFISH [ROUNDS] > RESULTS.tsv
       methods.py draw RESULTS.tsv > CHART.svg

Every program counts from the start position. A method that would take hours counts a smaller depth. Its time for
perft(9) is then extrapolated by the number of leaves and marked. Rounds are interleaved; the table has medians.
"""
import re
import statistics
import subprocess
import sys
import time

LEAVES = {7: 3195901860, 8: 84998978956, 9: 2439530234167}

# Name, counted depth, arguments of `perft count` (None for Stockfish).
METHODS = [
    ("Stockfish 15.1, 1 thread", 7, None),
    ("Manyply without a table, 1 thread", 8, ["--hash", "off", "--threads", "1"]),
    ("Manyply hashed, 1 thread", 9, ["--method", "hashed", "--threads", "1"]),
    ("Manyply by configurations, 1 thread", 9, ["--method", "configurations", "--threads", "1"]),
    ("Manyply by configurations, 2 threads", 9, ["--method", "configurations", "--threads", "2"]),
]


def seconds_of(perft: str, stockfish: str, depth: int, arguments) -> float:
    """Returns the wall clock seconds of one whole program. Exits if its total is wrong."""
    start = time.monotonic()
    if arguments is None:
        text = subprocess.run([stockfish], input=f"go perft {depth}\nquit\n", capture_output=True, text=True,
                              check=True).stdout
        nodes = int(re.search(r"Nodes searched: (\d+)", text).group(1))
    else:
        text = subprocess.run([perft, "count", str(depth), "--progress", "never", *arguments],
                              capture_output=True, text=True, check=True).stdout
        nodes = int(re.search(r"^nodes +(\d+)", text, re.MULTILINE).group(1))
    seconds = time.monotonic() - start
    if nodes != LEAVES[depth]:
        sys.exit(f"perft({depth}) = {nodes}, expected {LEAVES[depth]}: {arguments}")
    return seconds


def measure(perft: str, stockfish: str, rounds: int = 3) -> None:
    times = {name: [] for name, _, _ in METHODS}
    for _ in range(rounds):
        for name, depth, arguments in METHODS:
            times[name].append(seconds_of(perft, stockfish, depth, arguments))
    print("method\tdepth counted\tseconds (median)\tseconds of perft(9)")
    for name, depth, _ in METHODS:
        median = statistics.median(times[name])
        print(f"{name}\t{depth}\t{median:.3f}\t{median * LEAVES[9] / LEAVES[depth]:.3f}")


def duration(seconds: float) -> str:
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.1f} s"


def draw(path: str) -> None:
    """Draws bars on a logarithmic axis from 1 s. One step of the grid is a factor of ten."""
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith(("#", "method\t"))]
    left, unit, row_height, top = 280, 100, 34, 46
    height = top + row_height * len(rows) + 34
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {height}" font-family="sans-serif" font-size="14">')
    print(f'<rect width="900" height="{height}" fill="#fff"/>')
    print('<text x="12" y="24" font-size="16" font-weight="bold">Time for perft(9) = 2,439,530,234,167 '
          '(shorter is faster)</text>')
    from math import log10
    for power, label in enumerate(["1 s", "10 s", "100 s", "17 min", "2.8 h"]):
        x = left + unit * power
        print(f'<line x1="{x}" y1="{top - 8}" x2="{x}" y2="{height - 26}" stroke="#ccc"/>'
              f'<text x="{x}" y="{height - 10}" text-anchor="middle" fill="#555" font-size="12">{label}</text>')
    for index, (name, depth, _, seconds) in enumerate(rows):
        y = top + row_height * index
        width = unit * log10(max(1.02, float(seconds)))
        colour = "#8a8f98" if name.startswith("Stockfish") else "#2b6cb0"
        note = "" if depth == "9" else f" (from perft({depth}))"
        print(f'<text x="{left - 8}" y="{y + 17}" text-anchor="end">{name}</text>'
              f'<rect x="{left}" y="{y + 2}" width="{width:.1f}" height="22" fill="{colour}"/>'
              f'<text x="{left + width + 6:.1f}" y="{y + 18}" font-size="13">{duration(float(seconds))}{note}</text>')
    print("</svg>")


if __name__ == "__main__":
    if len(sys.argv) in (4, 5) and sys.argv[1] == "measure":
        measure(sys.argv[2], sys.argv[3], *map(int, sys.argv[4:]))
    elif len(sys.argv) == 3 and sys.argv[1] == "draw":
        draw(sys.argv[2])
    else:
        sys.exit(__doc__)
