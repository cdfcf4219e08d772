#!/usr/bin/env python3
"""Records how true the time left is that `perft` shows while it counts.

usage: progress.py PERFT ARGS...      for example: progress.py build/release/tools/perft count 9 --method hashed
Prints a Markdown row for each tenth of the run: what was shown, what was true, and the error of the time left.
"""
import json
import subprocess
import sys


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    run = subprocess.run([*sys.argv[1:], "--progress", "json"], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stderr.splitlines() if line.startswith('{"event":"progress"')]
    if not lines:
        sys.exit("the count ended before it showed any progress; take a deeper one")
    end = lines[-1]["seconds"] + 0.25  # a line comes every half second
    print(f"`perft {' '.join(sys.argv[2:])}`, {end:.1f} s\n")
    print("| of the run | phase | share shown | left shown, s | left, s | error |")
    print("|---|---|---|---|---|---|")
    for tenth in range(1, 10):
        at = min(lines, key=lambda line: abs(line["seconds"] - end * tenth / 10))
        left, true = at["seconds_left"], end - at["seconds"]
        share = "" if at["fraction"] is None else f"{100 * at['fraction']:.0f} %"
        shown = "" if left is None else f"{left:.1f}"
        error = "" if left is None else f"{100 * (left - true) / true:+.0f} %"
        print(f"| {at['seconds'] / end:.2f} | {at['phase']} | {share} | {shown} | {true:.1f} | {error} |")
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
