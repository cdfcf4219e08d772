"""Measures the installed Python wheel. Prints medians next to their limits. Checks the counts.

build/release/tests/python/clean/bin/python bench/python_wheel.py build/release/tools/perft
"""

import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/python"))
import manyply  # noqa: E402
from generator import Generator  # noqa: E402

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def row(what: str, figure: str, bar: str) -> None:
    print(f"{what:<44} {figure:<44} {bar}")


def milliseconds(body, rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        body()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken) * 1e3


def expect(found: int, nodes: int) -> None:
    if found != nodes:
        raise SystemExit(f"{found} is not {nodes}")


def start(code: str) -> float:
    return milliseconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 21)


def chess_perft(board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += chess_perft(board, depth - 1)
        board.pop()
    return nodes


def compare_with_python() -> None:
    ours = milliseconds(lambda: expect(manyply.perft("startpos", 4), 197281), 1001)
    try:
        import chess

        name = "python-chess"
        theirs = milliseconds(lambda: expect(chess_perft(chess.Board(), 4), 197281), 3)
    except ImportError:
        name = "a plain generator (tests/python)"
        theirs = milliseconds(lambda: expect(Generator()(START, 4), 197281), 1)
    row(f"perft(4) against {name}", f"{ours:.3f} ms, {theirs:.0f} ms: {theirs / ours:.0f} x", "at least 5000 x python-chess")


def compare_with_command(perft: str) -> None:
    """Runs the wheel and the command in turn, so that disturbances affect both."""
    def counted_by_command() -> float:
        said = subprocess.run([perft, "count", "7", "--method", "hashed", "--format", "json"], stdout=subprocess.PIPE, check=True)
        document = json.loads(said.stdout)
        expect(int(document["nodes"]), 3195901860)
        return document["seconds"] + document["setup_seconds"]

    ratios, times = [], []
    for _ in range(15):
        ours = milliseconds(lambda: expect(manyply.perft("startpos", 7, method="hashed"), 3195901860), 1) / 1e3
        theirs = counted_by_command()
        ratios.append(ours / theirs)
        times.append(ours)
    row("perft(7), hashed", f"{statistics.median(times) * 1e3:.0f} ms, {statistics.median(ratios):.3f} x the command",
        "at most 1.03 x")


def seconds_to_ctrl_c(question: str, after: float) -> float:
    """Interrupts `question` after `after` seconds. Returns for how many seconds the call still runs."""
    code = ("import manyply, time\n"
            "print('counting', flush=True)\n"
            "try:\n"
            f"    manyply.{question}\n"
            "except KeyboardInterrupt:\n"
            "    print(time.monotonic(), flush=True)\n")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        time.sleep(after)
        sent = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        return float(process.stdout.read().splitlines()[-1]) - sent


LONG = ("perft('startpos', 10)", "perft('startpos', 13)", "perft('kiwipete', 9)", "divide('startpos', 10)",
        "perft('startpos', 13, method='hashed')", "perft('startpos', 11, hash_bytes=0)", "unique('startpos', 10)",
        "stats('startpos', 10)", "verify('startpos', 9)", "estimate('startpos', 30, samples=10**8)")


def compare_ctrl_c() -> None:
    for question in LONG:
        taken = [seconds_to_ctrl_c(question, 0.1 + 0.4 * i) for i in range(6)]
        row(f"Ctrl-C, {question}", f"{max(taken) * 1e3:.0f} ms, longest of {len(taken)}", "at most 200 ms")


def main() -> None:
    print(f"Python {sys.version.split()[0]}, manyply {manyply.__version__}, kernel {manyply.kernels()[0]}\n")
    row("import over an empty interpreter", f"{start('import manyply') - start('pass'):.1f} ms", "at most 30 ms")
    compare_with_python()
    compare_with_command(sys.argv[1])
    compare_ctrl_c()


if __name__ == "__main__":
    main()
