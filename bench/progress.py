#!/usr/bin/env python3
"""Records the errors of the remaining time that `perft` shows while it counts.

usage: progress.py [--svg FILE] PERFT ARGS... [, ARGS...]
       progress.py --svg left.svg build/release/tools/perft count 10 , count 9 --method hashed
Runs `PERFT ARGS` once for each list of arguments. Prints a Markdown table for each run, with a row for each tenth of
the run: the remaining time that was shown, the true remaining time, and the error. Writes a chart of the errors over
time to FILE.
"""
import json
import subprocess
import sys

COLOURS = ["#3987e5", "#008300", "#d55181", "#c98500", "#7a5fd0", "#5f6b76"]
TEXT = "#777777"  # readable on white and on black


def recorded(perft: str, arguments: list[str]) -> tuple[list[dict], float]:
    """Returns the progress lines of one run, and its duration in seconds."""
    run = subprocess.run([perft, *arguments, "--progress", "json"], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stderr.splitlines() if line.startswith('{"event":"progress"')]
    if not lines:
        sys.exit(f"'perft {' '.join(arguments)}' ended before it showed any progress; take a deeper count")
    return lines, lines[-1]["seconds"] + 0.25  # on average, the run ends half an interval after the last line


def error_of(line: dict, end: float) -> float | None:
    """Returns the error of the remaining time in `line`, divided by the true time; None if `line` has no such time."""
    left, true = line["seconds_left"], end - line["seconds"]
    return None if left is None else (left - true) / true


def table(arguments: list[str], lines: list[dict], end: float) -> None:
    print(f"`perft {' '.join(arguments)}`, {end:.1f} s\n")
    print("| of the run | phase | share shown | left shown, s | left, s | error |")
    print("|---|---|---|---|---|---|")
    for tenth in range(1, 10):
        at = min(lines, key=lambda line: abs(line["seconds"] - end * tenth / 10))
        error = error_of(at, end)
        share = "" if at["fraction"] is None else f"{100 * at['fraction']:.0f} %"
        shown = "" if error is None else f"{at['seconds_left']:.1f}"
        said = "" if error is None else f"{100 * error:+.0f} %"
        print(f"| {at['seconds'] / end:.2f} | {at['phase']} | {share} | {shown} | {end - at['seconds']:.1f} | {said} |")
    print()


def chart(runs: list[tuple[list[str], list[dict], float]]) -> str:
    """Draws the error of the remaining time, from -100 % to +100 %, over the share of each run that has passed."""
    left, top, width, height = 60, 20, 620, 260

    def place(share: float, error: float) -> tuple[float, float]:
        return left + width * share, top + height / 2 * (1 - max(-1.0, min(1.0, error)))

    lines = []
    for error in (-1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0):
        y = place(0, error)[1]
        dash = "" if error == 0 else ' stroke-dasharray="2 4"'
        lines.append(f'<path d="M{left} {y:.1f}h{width}" stroke="{TEXT}"{dash}/>'
                     f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{100 * error:+.0f} %</text>')
    for share in (0, 25, 50, 75, 100):
        lines.append(f'<text x="{place(share / 100, 0)[0]:.1f}" y="{top + height + 18}" text-anchor="middle">'
                     f'{share} %</text>')
    for index, (arguments, shown, end) in enumerate(runs):
        colour = COLOURS[index % len(COLOURS)]
        points = [place(line["seconds"] / end, error) for line in shown
                  if (error := error_of(line, end)) is not None and line["seconds"] < 0.98 * end]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        y = top + height + 44 + 18 * index
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
                     f'<path d="M{left} {y - 4}h24" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{left + 32}" y="{y}">perft {" ".join(arguments)}, {end:.0f} s</text>')
    tall = top + height + 44 + 18 * len(runs)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {tall}" '
            f'font-family="sans-serif" font-size="13" fill="{TEXT}">\n'
            f'<title>Error of the time left that perft shows, over the time that has passed</title>\n'
            + "\n".join(lines) + "\n</svg>\n")


def main() -> int:
    words = sys.argv[1:]
    svg = None
    if words[:1] == ["--svg"] and len(words) > 1:
        svg, words = words[1], words[2:]
    if len(words) < 2:
        sys.exit(__doc__)
    perft, questions = words[0], [[]]
    for word in words[1:]:
        questions.append([]) if word == "," else questions[-1].append(word)
    runs = [(arguments, *recorded(perft, arguments)) for arguments in questions]
    for run in runs:
        table(*run)
    if svg:
        with open(svg, "w", encoding="utf-8") as file:
            file.write(chart(runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
