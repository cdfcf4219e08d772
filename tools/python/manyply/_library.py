"""Loads the shared library and declares the functions of its header manyply.h."""

from __future__ import annotations

import _thread
import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char, c_char_p, c_double, c_int, c_int32, c_size_t, c_uint32,
                    c_uint64, c_void_p, sizeof)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Told = tuple[bytes, float, float, int]  # phase, fraction, leaves, visited

FOLDER = os.path.dirname(os.path.abspath(__file__))
ABI = 1
HASH_AUTO = 2**64 - 1
METHODS = {"auto": 0, "hashed": 1, "configurations": 2}


class Error(Structure):
    _fields_ = [("status", c_int32), ("column", c_int32), ("field", c_char * 32), ("message", c_char * 216)]


class Count(Structure):
    _fields_ = [("high", c_uint64), ("low", c_uint64)]

    def value(self) -> int:
        return int(self.high) << 64 | int(self.low)


class Move(Structure):
    _fields_ = [("text", c_char * 8)]


class Row(Structure):
    _fields_ = [("move", Move), ("count", Count)]


class ToldProgress(Structure):
    _fields_ = [("size", c_size_t), ("leaves", c_double), ("visited", c_uint64), ("units_done", c_uint64),
                ("units_total", c_uint64), ("fraction", c_double), ("phase", c_char_p)]


PROGRESS_FUNCTION = CFUNCTYPE(c_int, POINTER(ToldProgress), c_void_p)


class Options(Structure):
    _fields_ = [("size", c_size_t), ("threads", c_int32), ("method", c_uint32), ("hash_bytes", c_uint64),
                ("key_seed", c_uint64), ("cancel", c_void_p), ("progress", PROGRESS_FUNCTION), ("user", c_void_p),
                ("progress_seconds", c_double), ("kernel", c_char_p), ("samples", c_uint64), ("sample_seed", c_uint64),
                ("temp_dir", c_char_p)]


class ManyplyError(Exception):
    """Base class of all errors of this package.

    `code` is "invalid_input", "illegal", "overflow", "cancelled", "unavailable" or "internal". `field` is the part of the
    input that is wrong, such as "castling" or "moves", or empty. `column` is its column in the text, from 1, or 0 if unknown.
    """

    code = "internal"

    def __init__(self, message: str, field: str = "", column: int = 0):
        text = f"{field}: {message}" if field else message
        super().__init__(text + (f" (column {column})" if column else ""))
        self.field = field
        self.column = column


class InvalidInput(ManyplyError, ValueError):
    """A text or an option is invalid."""

    code = "invalid_input"


class Illegal(InvalidInput):
    """The input is well-formed but against the rules of chess."""

    code = "illegal"


class CountOverflow(ManyplyError, OverflowError):
    """A count exceeds 128 bits."""

    code = "overflow"


class Cancelled(ManyplyError):
    """The count was stopped on request. There is no partial count."""

    code = "cancelled"


class Unavailable(ManyplyError):
    """Memory or another resource is missing."""

    code = "unavailable"


_EXCEPTIONS: dict[int, type[ManyplyError]] = {1: InvalidInput, 2: Illegal, 3: CountOverflow, 4: Cancelled, 5: Unavailable,
                                              7: InvalidInput}


def raise_for(error: Error) -> None:
    """Raises the exception for `error`, unless its status is success."""
    if error.status:
        raise _EXCEPTIONS.get(error.status, ManyplyError)(error.message.decode("utf-8", "replace"),
                                                          error.field.decode("utf-8", "replace"), error.column)


def text(value: str, field: str) -> bytes:
    """Encodes a text for the library. Rejects null characters, which would end it early."""
    if not isinstance(value, str):
        raise TypeError(f"{field} must be a text, not {type(value).__name__}")
    end = value.find("\0")
    if end >= 0:
        raise InvalidInput("has a character of code 0", field, end + 1)
    return value.encode("utf-8", "surrogatepass")


def number(value: Any, field: str, low: int, high: int) -> int:
    """Returns `value` as an int. Rejects a number that is not from `low` to `high`; ctypes would truncate it silently."""
    if not hasattr(type(value), "__index__"):
        raise TypeError(f"{field} must be a whole number, not {type(value).__name__}")
    whole = value.__index__()
    if not low <= whole <= high:
        raise InvalidInput(f"must be a number from {low} to {high}", field)
    return int(whole)


def _load() -> ctypes.CDLL:
    name = "manyply.dll" if os.name == "nt" else "libmanyply.so"
    loaded = ctypes.CDLL(os.path.join(FOLDER, name))
    position, options, error = c_void_p, POINTER(Options), POINTER(Error)
    declarations: dict[str, tuple[Any, list[Any]]] = {
        "version": (c_char_p, []),
        "abi": (c_int, []),
        "position_new": (c_int, [c_char_p, c_char_p, c_int, POINTER(c_void_p), error]),
        "position_free": (None, [position]),
        "position_fen": (c_size_t, [position, c_char_p, c_size_t]),
        "position_in_check": (c_int, [position]),
        "position_moves": (c_size_t, [position, POINTER(Move), c_size_t]),
        "position_to_san": (c_int, [position, c_char_p, c_char_p, c_size_t, error]),
        "kernels": (c_size_t, [POINTER(c_char_p), c_size_t]),
        "options_init": (None, [options, c_size_t]),
        "perft": (c_int, [position, c_int, options, POINTER(Count), error]),
        "divide": (c_int, [position, c_int, options, POINTER(Row), c_size_t, POINTER(c_size_t), POINTER(Count), error]),
        "answer": (c_int, [position, c_char_p, c_int, options, POINTER(c_void_p), error]),
        "diff": (c_int, [position, c_int, c_char_p, options, POINTER(c_void_p), error]),
        "text_free": (None, [c_void_p]),
        "cancel_new": (c_void_p, []),
        "cancel_request": (None, [c_void_p]),
        "cancel_free": (None, [c_void_p]),
    }
    for name, (result, arguments) in declarations.items():
        function = getattr(loaded, "manyply_" + name)
        function.restype = result
        function.argtypes = arguments
    if loaded.manyply_abi() != ABI:
        raise ImportError(f"the library in {FOLDER} has version {loaded.manyply_abi()} of the interface, expected {ABI}")
    return loaded


library = _load()


class _Uncopied:
    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")


class Position(_Uncopied):
    """Owns a position of the library."""

    MOST_MOVES = 512
    handle: Any = None  # freeing None does nothing

    def __init__(self, fen: str, moves: str, chess960: bool):
        self.handle = c_void_p()
        error = Error()
        library.manyply_position_new(text(fen, "fen"), text(moves, "moves"), chess960, byref(self.handle), byref(error))
        raise_for(error)

    # The default value of `free` still exists when the variables of this module have been deleted at exit.
    def __del__(self, free: Any = library.manyply_position_free) -> None:
        free(self.handle)

    def fen(self) -> str:
        buffer = ctypes.create_string_buffer(128)
        library.manyply_position_fen(self.handle, buffer, len(buffer))
        return buffer.value.decode()

    def in_check(self) -> bool:
        return bool(library.manyply_position_in_check(self.handle))

    def moves(self) -> list[str]:
        moves = (Move * self.MOST_MOVES)()
        count = library.manyply_position_moves(self.handle, moves, self.MOST_MOVES)
        return [moves[i].text.decode() for i in range(count)]

    def san(self, move: str) -> str:
        buffer = ctypes.create_string_buffer(16)
        error = Error()
        library.manyply_position_to_san(self.handle, move.encode(), buffer, len(buffer), byref(error))
        raise_for(error)
        return buffer.value.decode()


class _Stop(_Uncopied):
    """A stop request for one count. Any thread may make the request. Owns a handle of the library."""

    handle: Any = None

    def __init__(self) -> None:
        self.handle = library.manyply_cancel_new()
        if not self.handle:
            raise MemoryError

    def __del__(self, free: Any = library.manyply_cancel_free) -> None:
        free(self.handle)

    def request(self) -> None:
        library.manyply_cancel_request(self.handle)


class Cancel(_Uncopied):
    """A stop request for counts of other threads. Any thread may make the request; it cannot be withdrawn.

    >>> stop = Cancel()
    >>> stop.request()
    >>> perft("startpos", 12, cancel=stop)
    Traceback (most recent call last):
    manyply.Cancelled: cancelled
    """

    def __init__(self) -> None:
        self._requested = False
        self._counting: list[_Stop] = []

    def request(self) -> None:
        self._requested = True
        for stop in self._counting.copy():
            stop.request()


UNWATCHED_PLIES = 3  # counts of at most this number of plies end before a user could stop them
_LOOK_SECONDS = 0.05  # interval of checks for Ctrl-C, which does not interrupt a wait for a thread


def run(call: Callable[[Options], Any], depth: int, options: Options, cancel: Cancel | None,
        show: Callable[..., object] | None) -> None:
    """Runs `call`, which counts, until it ends or `cancel` is requested. From time to time calls `show` with phase, fraction,
    leaves and visited positions, unless the count is short. If `show` returns a true value, the count ends, too."""
    if cancel is None:
        cancel = Cancel()
    stop = _Stop()
    cancel._counting.append(stop)
    try:
        if cancel._requested:  # the request may have been made before the append above
            raise Cancelled("cancelled")
        if depth <= UNWATCHED_PLIES:
            call(options)
        else:
            options.cancel = stop.handle
            _run_apart(call, options, stop, show)
    finally:
        cancel._counting.remove(stop)


def _run_apart(call: Callable[[Options], Any], options: Options, stop: _Stop,
               show: Callable[..., object] | None) -> None:
    """Runs `call` on another thread, while this thread waits for its end and calls `show`. So Ctrl-C raises its exception on
    this thread. If it were raised in a callback of the library, ctypes would ignore it."""
    told: list[Told] = []
    if show is not None:

        def take(progress: Any, _: Any) -> int:
            now = progress.contents
            told[:] = [(now.phase, now.fraction, now.leaves, now.visited)]
            return 0

        options.progress = PROGRESS_FUNCTION(take)
        options.progress_seconds = _LOOK_SECONDS
    failure: list[BaseException] = []
    # The lock alone is not enough: a signal may arrive after acquire() has taken the lock, but before it returns.
    done = _thread.allocate_lock()
    done.acquire()
    has_ended: list[bool] = []
    has_begun = False

    def count(_: _Stop) -> None:  # the argument protects the stop request from deletion
        try:
            call(options)
        except BaseException as problem:
            failure.append(problem)
        finally:
            has_ended.append(True)
            done.release()

    try:
        _thread.start_new_thread(count, (stop,))
        has_begun = True
        while not has_ended:
            done.acquire(timeout=_LOOK_SECONDS)
            if not has_ended and show is not None and told and show(*told[-1]):
                stop.request()
                show = None
    finally:
        # Wait until the thread no longer uses the variables of this call. Wait even after an exception.
        while has_begun and not has_ended:
            try:
                stop.request()
                done.acquire(timeout=_LOOK_SECONDS)
            except BaseException:  # the user pressed Ctrl-C again while the first one was handled
                continue
        stop.request()  # if a signal arrived between the start and has_begun, the thread still counts
    if failure:
        raise failure[0]
