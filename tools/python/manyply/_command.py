"""The command in this package."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from ._documents import Document, with_counts
from ._library import FOLDER, InvalidInput, ManyplyError, number

PERFT = os.path.join(FOLDER, "perft.exe" if os.name == "nt" else "perft")


def main() -> None:
    """Runs the command. Replaces the interpreter's process if the system can do that."""
    # The command shows its argument 0 as its name in hints.
    called = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    if called == "__main__":
        called = os.path.splitext(os.path.basename(sys.executable))[0] + " -m manyply"
    arguments = [called, *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(arguments, executable=PERFT))
    os.execv(PERFT, arguments)


def suite(source: str | os.PathLike[str], max_nodes: int | None, max_depth: int | None) -> Document:
    arguments = [PERFT, "suite", "--format", "json", "--progress", "never"]
    if max_nodes is not None:
        arguments += ["--max-nodes", str(number(max_nodes, "max_nodes", 0, 2**128 - 1))]
    if max_depth is not None:
        arguments += ["--max-depth", str(number(max_depth, "max_depth", 0, 64))]
    given = os.fspath(source)
    if not given:
        raise InvalidInput("is empty", "source")
    if "\0" in given:
        raise InvalidInput("has a character of code 0", "source", given.index("\0") + 1)
    is_text = isinstance(source, str) and ("\n" in given or ";" in given or given.lstrip()[:1] in ("[", "{"))
    done = subprocess.run([*arguments, "--", "-" if is_text else given], input=given if is_text else "",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    if not done.stdout.startswith("{"):
        raise_as_told(done.returncode, done.stderr)
    found = with_counts(json.loads(done.stdout))
    assert isinstance(found, Document)
    return found


def raise_as_told(code: int, errors: str) -> None:
    """Raises the error that the command printed: InvalidInput if its exit code is 2, otherwise ManyplyError."""
    said = errors.strip()
    prefix = "perft: "
    said = said[len(prefix):] if said.startswith(prefix) else said
    if code == 2:
        raise InvalidInput(said)
    raise ManyplyError(said or f"the command ended with {code}")
