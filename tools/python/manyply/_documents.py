"""Results: dicts that also have attributes and print themselves as tables."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_MOST_COLUMNS = 18  # maximum number of columns of a table; statistics have 16


class Document(dict[str, "Any"]):
    """A result: `found["nodes"]` and `found.nodes` are the same. Prints itself as tables; Jupyter shows them as HTML."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the result has no {name!r}; it has {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return "\n\n".join((f"{title}\n" if title else "") + _as_text(head, rows)
                           for title, head, rows in self._tables())

    def _repr_html_(self) -> str:
        return "".join(_as_html(*table) for table in self._tables())

    def _tables(self) -> Iterator[tuple[str, list[str], list[list[object]]]]:
        """Yields title, head and rows of each table: first the single values, then each list of objects."""
        lists: dict[str, Any] = {name: value for name, value in _leaves(self) if _is_table(value)}
        single: list[list[object]] = [[name, value] for name, value in _leaves(self) if name not in lists]
        if single:
            yield "", [], single
        for name, objects in lists.items():
            rows = [dict(_leaves(one)) for one in objects]
            head = list(dict.fromkeys(field for row in rows for field in row))
            if len(head) > _MOST_COLUMNS:  # print the columns one below another
                for row in rows:
                    yield name, [], [[field, value] for field, value in row.items()]
            else:
                yield name, head, [[row.get(field) for field in head] for row in rows]


class Divide(dict[str, int]):
    """Counts by move in UCI notation. `total` is their sum."""

    @property
    def total(self) -> int:
        return sum(self.values())

    def __repr__(self) -> str:
        return _as_text(["move", "nodes"], self._rows())

    def _repr_html_(self) -> str:
        return _as_html("", ["move", "nodes"], self._rows())

    def _rows(self) -> list[list[object]]:
        return [*([move, count] for move, count in self.items()), ["total", self.total]]


def with_counts(value: object) -> object:
    """Converts objects to `Document` and counts to `int`. Documents contain counts as text: every text of digits is a count,
    unless it is the name of a file."""
    if isinstance(value, list):
        return [with_counts(one) for one in value]
    if isinstance(value, dict):
        return Document({name: one if name == "file" else with_counts(one) for name, one in value.items()})
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


def add_verdict(found: Document) -> Document:
    """Adds the member "verdict". It compares counts with published values: "match", "mismatch" or "unknown". For a
    verification it is "agree" or "differ". For an estimate that is not exact, it says whether the published value is
    "inside" or "outside" the interval, or "unknown"."""
    if "agrees" in found:
        verdict = "agree" if found["agrees"] else "differ"
    elif "estimate" in found:
        published = found["published"]
        right, wrong = ("match", "mismatch") if found["exact"] else ("inside", "outside")
        verdict = "unknown" if published is None else right if found["low"] <= published <= found["high"] else wrong
    else:
        known = [ply["known"] for ply in found["plies"]] if "plies" in found else [found.get("known", "unknown")]
        verdict = "mismatch" if "mismatch" in known else known[-1]
    found["verdict"] = verdict
    return found


def _leaves(document: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Yields the values of `document` and of the objects in it, with names such as "table.stripes"."""
    for name, value in document.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", one) for inner, one in _leaves(value))
        else:
            yield name, value


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return " ".join(map(_cell, value)) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_cell(one)}" for name, one in value.items())
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1e6 else f"{value:.6g}"
    return str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _as_text(head: list[str], rows: list[list[object]]) -> str:
    table = [*([head] if head else []), *([_cell(one) for one in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table)]
    # A column of a table without a head has several kinds of values, so it is aligned to the left.
    right = [bool(head) and all(_is_number(row[i]) or row[i] is None for row in rows) for i in range(len(widths))]
    return "\n".join("  ".join(cell.rjust(width) if number else cell.ljust(width)
                               for cell, width, number in zip(line, widths, right)).rstrip() for line in table)


def _as_html(title: str, head: list[str], rows: list[list[object]]) -> str:
    from html import escape

    def line(tag: str, cells: list[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    above = f"<caption>{escape(title)}</caption>" if title else ""
    above += f"<thead>{line('th', head)}</thead>" if head else ""
    return f"<table>{above}<tbody>{''.join(line('td', [_cell(one) for one in row]) for row in rows)}</tbody></table>"
