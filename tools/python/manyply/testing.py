"""Checks a move generator in Python with the built-in suites.

>>> assert_perft(lambda fen, depth: 19, "classic", max_depth=1)
Traceback (most recent call last):
AssertionError: …
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener

from . import play
from ._command import PERFT, raise_as_told
from ._library import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from typing import Any, Union

    Generator = Callable[[str, int], Union[int, Mapping[Any, int]]]

__all__ = ["assert_perft"]


def assert_perft(generator: Generator, *suites: str, budget: str | int | None = None, max_nodes: int | None = None,
                 max_depth: int | None = None, chess960: bool = False) -> None:
    """Compares the counts of `generator(fen, depth)` with those of suites, the smallest first. If all agree, prints the
    output of `manyply suite --engine`. Otherwise raises an AssertionError with this output. If the generator raised an
    exception, this exception is the cause of the AssertionError.

    The generator returns a count, or a mapping from moves in UCI notation to counts. The sum of a mapping is compared.
    `suites` are files or names as for `manyply suite`; by default all built-in suites. Chess960 positions are included only
    with `chess960`. `budget` is a number of nodes or a time such as "60s". By default it is 200 million nodes, for which
    many Python generators need most of an hour.
    """
    __tracebackhide__ = True
    if not callable(generator):
        raise TypeError(f"the generator must be a function of a FEN and a depth, not {type(generator).__name__}")
    arguments = [PERFT, "suite", "--progress", "never"]
    for flag, value in (("--budget", budget), ("--max-nodes", max_nodes), ("--max-depth", max_depth)):
        if value is not None:
            arguments += [flag, str(value)]
    asking = _Asking(generator, chess960)
    said, code = asking.run(arguments, suites)
    if "\nverdict " not in said:  # the command did not complete
        if asking.failure is None:
            raise_as_told(code, said)
        raise AssertionError(f"{asking.failed_at}: {asking.failure!r}") from asking.failure
    said = _in_python(said, asking.greeting[0])
    if code:
        raise AssertionError(said) from asking.failure
    print(said, end="")


_MOST_ROWS = 20


def _in_python(said: str, name: str) -> str:
    """Rewrites the command's output for a user of the function `name`. Puts the verdict first, because pytest's summary shows
    only the first line."""
    lines: list[str] = []
    verdict: list[str] = []
    rows = 0
    for line in said.splitlines():
        if re.match(r"\S+ line \d+, depth \d+: ", line):
            rows += 1
            if rows > _MOST_ROWS:
                continue
        elif rows > _MOST_ROWS:
            lines.append(f"… and {rows - _MOST_ROWS} more")
            rows = 0
        wrong = re.match(r"next +.*\bbisect (\d+) .*--fen '([^']*)'", line)
        if line.startswith("engine "):
            line = f"generator  {name}"
        elif wrong:
            line = f'next       manyply.diff("{wrong[2]}", {wrong[1]}, your counts by move)'
        (verdict if line.startswith("verdict ") else lines).append(line)
    return "".join(line + "\n" for line in verdict + lines)


class _Asking:
    """Answers the questions of relays (_relay.py) on the thread that calls run()."""

    def __init__(self, generator: Generator, chess960: bool):
        self.generator = generator
        name = getattr(generator, "__qualname__", type(generator).__qualname__)
        self.greeting = (" ".join(name.split()), chess960)
        self.failure: Exception | None = None  # the first exception of the generator
        self.failed_at = ""

    def run(self, arguments: list[str], suites: tuple[str, ...]) -> tuple[str, int]:
        """Runs the command. Returns its output and its exit code."""
        key = secrets.token_bytes(16)
        with _listener(key) as listener:
            address = listener.address
            told = address if isinstance(address, str) else "{}:{}".format(*address)
            relay = [sys.executable, "-S", "-E", os.path.join(FOLDER, "_relay.py")]
            command = subprocess.list2cmdline(relay) if os.name == "nt" else shlex.join(relay)
            process = subprocess.Popen(
                [*arguments, "--engine", command, "--", *suites], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
                env={**os.environ, "MANYPLY_RELAY": told, "MANYPLY_RELAY_KEY": key.hex()})
            said: list[str] = []

            def read() -> None:
                said.append(process.communicate()[0])
                try:
                    with Client(address, authkey=key) as last:
                        last.send("end")
                except (EOFError, OSError, AuthenticationError):
                    pass  # the listener is closed

            reader = threading.Thread(target=read, daemon=True)
            reader.start()
            try:
                while self._serve(listener) and reader.is_alive():
                    pass
            except BaseException:
                process.kill()
                raise
            reader.join()
        return said[0], process.returncode

    def _serve(self, listener: Listener) -> bool:
        """Answers the questions of one relay until it ends. Returns False when the command has ended."""
        try:
            with listener.accept() as relay:
                if relay.recv() == "end":
                    return False
                relay.send(self.greeting)
                while True:
                    relay.send(self._answer(*relay.recv()))
        except (EOFError, OSError, AuthenticationError):  # the relay was stopped
            return True

    def _answer(self, fen: str, moves: str, depth: int) -> tuple[str, str]:
        """Returns two texts, one of them empty: what the relay prints, and the error with which it fails."""
        try:
            fen = play(fen, moves) if moves or fen == "startpos" else fen
            counted = self.generator(fen, depth)
            if not isinstance(counted, Mapping):
                return f"Nodes searched: {_whole(counted)}", ""
            rows = {_move(move): _whole(count) for move, count in counted.items()}
            divide = "".join(f"{move}: {count}\n" for move, count in rows.items())
            return f"{divide}\nNodes searched: {sum(rows.values())}", ""
        except Exception as problem:
            if self.failure is None:
                self.failure = problem
                self.failed_at = f'{self.greeting[0]}("{fen}", {depth})'
            return "", traceback.format_exc()


def _listener(key: bytes) -> Listener:
    try:
        return Listener(authkey=key)
    except OSError:  # the name of the temporary folder is too long for a socket
        return Listener(("127.0.0.1", 0), authkey=key)


def _whole(count: object) -> int:
    if not hasattr(type(count), "__index__"):
        raise TypeError(f"the generator returned {count!r}, expected a whole number, or one for each move")
    whole = int(count.__index__())  # type: ignore[attr-defined]
    if not 0 <= whole < 1 << 128:
        raise ValueError(f"the generator returned {whole}, expected a number from 0 to 2**128 - 1")
    return whole


def _move(move: object) -> str:
    text = str(move)
    if not any(letter.isalpha() for letter in text):
        raise ValueError(f"the generator returned a count for {move!r}, which is not a move")
    return text
