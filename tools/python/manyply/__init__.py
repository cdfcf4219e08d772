"""Exact chess move path counts (perft).

>>> import manyply
>>> manyply.perft("startpos", 6)
119060324
>>> manyply.divide("8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", 2)
move   nodes
e3d3       1
e3d4       3
e3e4       3
e3f3       1
e3f4       3
total     11

A position is a FEN of 4 to 6 fields, a name ("startpos", "kiwipete"), or an object with a method `fen()`, such as a board of
python-chess. If the object's `chess960` is true, castling is written as king takes rook. A board of a variant ("atomic") raises
InvalidInput. Counts are `int`. Moves are sorted by their text in UCI. Results of several values are dicts whose values
are attributes, too: `stats("kiwipete", 3).captures`. They print themselves as tables.

Options of all functions that take a position:

- `moves`: moves to play first: "e2e4 e7e5", "1. e4 e5", or a list of moves
- `chess960`: write castling as king takes rook, even if the position does not require it

Further options of functions that count:

- `threads`: number of threads; by default, or if 0, one for every core that this process may use
- `hash_bytes`: size of the transposition table in bytes, 0 for no table; by default what the count can use, at most half of
  the available memory. `unique` and the method "configurations" use no table; for them, it limits the memory
- `key_seed`: seed of the table's random keys
- `method`: "auto", "hashed" or "configurations", for totals and divides; the counts do not depend on it
- `kernel`: one of `kernels()`; by default the fastest
- `progress`: a function that is called with a `Progress` from time to time, on the calling thread. If it returns a true value,
  the count ends with `Cancelled`. If it raises an exception, the count ends with that exception
- `cancel`: a `Cancel`, with which another thread may end the count

Other threads of the interpreter run during a count. Ctrl-C ends a count.
"""

from __future__ import annotations

from ctypes import byref as _byref
from ctypes import c_char_p as _c_char_p
from ctypes import c_size_t as _c_size_t
from ctypes import c_void_p as _c_void_p
from ctypes import sizeof as _sizeof
from ctypes import string_at as _string_at

from ._documents import Divide, Document, add_verdict, with_counts
from ._library import (HASH_AUTO, METHODS, Cancel, Cancelled, Count, CountOverflow, Error, Illegal, InvalidInput,
                       ManyplyError, Options, Position, Row, Unavailable, library, number, raise_for, run, text)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, TypedDict, Union

    from typing_extensions import Unpack

    class HasFen(Protocol):
        def fen(self) -> str: ...

    AnyPosition = Union[str, HasFen]

    class PositionOptions(TypedDict, total=False):
        moves: str | Sequence[object]
        chess960: bool

    class CountOptions(PositionOptions, total=False):
        threads: int
        hash_bytes: int | None
        key_seed: int
        method: str
        kernel: str
        progress: Callable[[Progress], object]
        cancel: Cancel

__version__: str = library.manyply_version().decode()
__all__ = ["Cancel", "Cancelled", "CountOverflow", "Divide", "Document", "Illegal", "InvalidInput", "ManyplyError", "Progress",
           "Unavailable", "answer", "diff", "divide", "estimate", "kernels", "legal_moves", "perft", "play", "stats", "suite",
           "unique", "verify"]
# Show these classes as part of this module.
for _class in (Cancel, Cancelled, CountOverflow, Divide, Document, Illegal, InvalidInput, ManyplyError, Unavailable):
    _class.__module__ = __name__


class Progress:
    """The progress of a count: `phase` ("counting", most of the time), `fraction` of that phase (0 to 1, None if unknown),
    number of `leaves` counted, number of positions `visited`."""

    __slots__ = ("phase", "fraction", "leaves", "visited")

    def __init__(self, phase: str, fraction: float | None, leaves: float, visited: int):
        self.phase = phase
        self.fraction = fraction
        self.leaves = leaves
        self.visited = visited

    def __repr__(self) -> str:
        return f"Progress({self.phase!r}, {self.fraction}, {self.leaves:.0f}, {self.visited})"


def perft(position: AnyPosition, depth: int, **options: Unpack[CountOptions]) -> int:
    """Returns the number of move sequences of `depth` plies, 0 to 64.

    >>> perft("startpos", 4)
    197281
    >>> perft("kiwipete", 4, moves="e1g1")
    4119629
    """
    asked = _Asked(position, depth, options)
    count = Count()
    asked.count(lambda *given: library.manyply_perft(*given[:3], _byref(count), given[3]))
    return count.value()


def divide(position: AnyPosition, depth: int, **options: Unpack[CountOptions]) -> Divide:
    """Returns perft(depth - 1) after each legal move. The keys are moves in UCI notation. `depth` is at least 1.

    >>> divide("6k1/8/8/8/8/8/8/4K2R w K - 0 1", 1, moves="h1h7 g8h7 e1e2 h7g7")["e2e3"]
    1
    """
    asked = _Asked(position, depth, options)
    rows = (Row * Position.MOST_MOVES)()
    written = _c_size_t()
    asked.count(lambda *given: library.manyply_divide(*given[:3], rows, len(rows), _byref(written), None, given[3]))
    return Divide({rows[i].move.text.decode(): rows[i].count.value() for i in range(written.value)})


def answer(mode: str, position: AnyPosition, depth: int, *, samples: int | None = None, seed: int | None = None,
           **options: Unpack[CountOptions]) -> Document:
    """Returns the document that `manyply … --format json` prints, with each count as an `int`. `mode` is "count", "hashed",
    "unhashed", "configurations", "verify", "stats", "estimate" or "unique". The member `verdict` compares the result with
    published values: "match", "mismatch" or "unknown". For a verification, it is "agree" or "differ". For an estimate that
    is not exact, the published value is "inside" or "outside" the interval, or "unknown".

    >>> answer("count", "startpos", 5).verdict
    'match'
    """
    asked = _Asked(position, depth, options)
    if mode != "estimate" and (samples is not None or seed is not None):
        raise TypeError("samples and seed are options of an estimate")
    if samples is not None:
        asked.options.samples = number(samples, "samples", 100, 10**12)
    if seed is not None:
        asked.options.sample_seed = number(seed, "seed", 0, 2**64 - 1)
    return add_verdict(asked.document(lambda position, depth, how, document, error: library.manyply_answer(
        position, text(mode, "mode"), depth, how, document, error)))


def stats(position: AnyPosition, depth: int, **options: Unpack[CountOptions]) -> Document:
    """Counts the kinds of moves in the last ply: captures, checks, mates and so on.

    >>> found = stats("kiwipete", 3)
    >>> found.nodes, found.captures, found.castles, found.checks, found["mates"]
    (97862, 17102, 3162, 992, 1)
    """
    return answer("stats", position, depth, **options)


def unique(position: AnyPosition, depth: int, **options: Unpack[CountOptions]) -> Document:
    """Counts the distinct positions of each ply.

    >>> [ply.distinct for ply in unique("startpos", 4).plies]
    [1, 20, 400, 5362, 72078]
    """
    return answer("unique", position, depth, **options)


def estimate(position: AnyPosition, depth: int, *, samples: int | None = None, seed: int | None = None,
             **options: Unpack[CountOptions]) -> Document:
    """Estimates perft for depths that are too large to count. The document has "estimate", and a 99 % confidence interval
    from "low" to "high". Takes `samples` random walks, by default 10,000. The same `seed` gives the same walks.

    >>> found = estimate("startpos", 7, samples=2000)
    >>> found["low"] < 3195901860 < found["high"]
    True
    """
    return answer("estimate", position, depth, samples=samples, seed=seed, **options)


def verify(position: AnyPosition, depth: int, **options: Unpack[CountOptions]) -> Document:
    """Counts with a table, then by configurations if possible, and then each subtree without a table. The document has
    "agrees" and the differences.

    >>> verify("startpos", 5)["agrees"]
    True
    """
    return answer("verify", position, depth, **options)


def diff(position: AnyPosition, depth: int, theirs: str | Mapping[Any, int],
         **options: Unpack[CountOptions]) -> Document:
    """Compares another program's divide with ours. The document has "agrees", "rows", and "causes": the rules that the
    program breaks in this position, as far as its moves show them. `depth` is at least 1. `theirs` is the program's output, in
    any notation, or its counts by move.

    >>> wrong = divide("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 1)
    >>> del wrong["e1g1"]
    >>> diff("4k3/8/8/8/8/8/8/4K2R w K - 0 1", 1, wrong)["agrees"]
    False
    """
    if not isinstance(theirs, str):
        if not callable(getattr(theirs, "items", None)):
            raise TypeError(f"theirs must be a program's output, or its counts by move, not {type(theirs).__name__}")
        counts = {str(move): number(count, f"theirs[{move!r}]", 0, 2**128 - 1) for move, count in theirs.items()}
        # Add a total. It shows that the list of moves is complete.
        theirs = "".join(f"{move}: {count}\n" for move, count in counts.items()) + f"Total: {sum(counts.values())}\n"
    divide_text = text(theirs, "theirs")
    return _Asked(position, depth, options).document(lambda position, depth, how, document, error: library.manyply_diff(
        position, depth, divide_text, how, document, error))


def legal_moves(position: AnyPosition, *, san: bool = False, **options: Unpack[PositionOptions]) -> list[str]:
    """Returns the legal moves in UCI notation or SAN. Empty in mate and stalemate.

    >>> legal_moves("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", moves="h8g7")
    Traceback (most recent call last):
    manyply.Illegal: moves: …
    >>> legal_moves("k7/8/8/8/8/8/1PR5/K7 w - - 0 1", moves="c2c7 a8b8", san=True)[:3]
    ['Ka2', 'Kb1', 'b3']
    """
    rest: dict[str, Any] = dict(options)
    here = _position(position, rest)
    _expect_no_more(rest)
    return [here.san(move) if san else move for move in here.moves()]


def play(position: AnyPosition, moves: str | Sequence[object], *, chess960: bool = False) -> str:
    """Returns the FEN of the position after `moves`, in UCI notation or SAN.

    >>> play("startpos", "1. e4 e5 2. Nf3")
    'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2'
    """
    return _position(position, {"moves": moves, "chess960": chess960}).fen()


def kernels() -> list[str]:
    """Returns the names of the kernels that this machine can run, the fastest first."""
    names = (_c_char_p * 64)()
    count: int = library.manyply_kernels(names, len(names))
    return [(names[i] or b"").decode() for i in range(count)]


def suite(source: str | os.PathLike[str], *, max_nodes: int | None = None, max_depth: int | None = None) -> Document:
    """Checks every count of a suite. `source` is a file, a built-in suite ("classic", "tricky", "chess960", "deep", "corpus")
    or a part of one ("corpus:pinned"), or the suite's text in any format of `manyply help suites`. A string that contains a
    line end or a semicolon, or that starts with a bracket or brace, is read as text.

    >>> found = suite("startpos ;D1 20 ;D2 401")
    >>> found["matches"], [row["nodes"] for row in found["differences"]]
    (1, [400])
    """
    from ._command import suite as by_command

    return by_command(source, max_nodes, max_depth)


def _position(position: AnyPosition, options: dict[str, Any]) -> Position:
    """Makes a position. Removes `moves` and `chess960` from `options`."""
    moves = options.pop("moves", None) or ""
    chess960 = options.pop("chess960", False)
    if not isinstance(moves, str):
        if isinstance(moves, bytes) or not hasattr(type(moves), "__iter__"):
            raise TypeError(f"moves must be a text, or a list of moves, not {type(moves).__name__}")
        moves = " ".join(map(str, moves))
    if isinstance(position, str):
        return Position(position, moves, bool(chess960))
    if not callable(getattr(position, "fen", None)):
        raise TypeError(f"a position must be a FEN, a name, or an object with fen(), not {type(position).__name__}")
    # Boards of python-chess name their variant. Reject other variants, because the count would use the rules of chess.
    variant = getattr(position, "uci_variant", "chess")
    if variant != "chess":
        raise InvalidInput(f"is a board of {variant or type(position).__name__}; only chess and Chess960 are counted", "position")
    return Position(position.fen(), moves, bool(chess960 or getattr(position, "chess960", False)))


def _expect_no_more(options: dict[str, Any]) -> None:
    if options:
        raise TypeError(f"unknown option: {', '.join(options)}")


class _Asked:
    """A question: its position, depth and options."""

    def __init__(self, position: AnyPosition, depth: int, options: Any):
        rest = dict(options)
        self.position = _position(position, rest)
        self.depth = number(depth, "depth", 0, 64)
        self.options = Options()
        library.manyply_options_init(_byref(self.options), _sizeof(Options))
        self.options.threads = number(rest.pop("threads", 0), "threads", 0, 1024)
        hash_bytes = rest.pop("hash_bytes", None)
        if hash_bytes is not None:
            self.options.hash_bytes = number(hash_bytes, "hash_bytes", 0, HASH_AUTO - 1)
        if "key_seed" in rest:
            self.options.key_seed = number(rest.pop("key_seed"), "key_seed", 0, 2**64 - 1)
        method = rest.pop("method", "auto")
        if not isinstance(method, str) or method not in METHODS:
            raise InvalidInput(f"must be {', '.join(METHODS)}, not {method!r}", "method")
        self.options.method = METHODS[method]
        kernel = rest.pop("kernel", None)
        if kernel is not None:
            self.options.kernel = text(kernel, "kernel")
        self.progress = rest.pop("progress", None)
        if self.progress is not None and not callable(self.progress):
            raise TypeError(f"progress must be a function, not {type(self.progress).__name__}")
        stop = rest.pop("cancel", None)
        if not isinstance(stop, (Cancel, type(None))):
            raise TypeError(f"cancel must be a manyply.Cancel, not {type(stop).__name__}")
        self.cancel = stop
        _expect_no_more(rest)

    def count(self, function: Callable[..., object]) -> None:
        """Calls the library's function with (position, depth, options, error)."""
        error = Error()

        def call(options: Options) -> None:
            function(self.position.handle, self.depth, _byref(options), _byref(error))

        run(call, self.depth, self.options, self.cancel, self._show if self.progress is not None else None)
        raise_for(error)

    def document(self, function: Callable[..., object]) -> Document:
        import json

        document = _c_void_p()
        try:
            self.count(lambda *given: function(*given[:3], _byref(document), given[3]))
            found = json.loads(_string_at(document.value or 0).decode())
        finally:
            library.manyply_text_free(document)
        counted = with_counts(found)
        assert isinstance(counted, Document)
        return counted

    def _show(self, phase: bytes, fraction: float, leaves: float, visited: int) -> object:
        return self.progress(Progress(phase.decode(), fraction if fraction >= 0 else None, leaves, visited))
