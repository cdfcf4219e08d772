"""Prints the order in which the functions of a library compress best. zip looks back 32 KB, and functions that were compiled
for both colours or for several types are most alike.

order.py LIBRARY, not stripped
"""

import collections
import subprocess
import sys

PIECE = 6  # bytes that are compared at once
COMMON = 40  # a piece in more functions than this is ignored
NEAR = 30_000  # bytes that zip looks back
SMALL = 200  # bytes; added to a function's size, so that small functions do not win by a few common pieces


def functions(library: str) -> dict[str, bytes]:
    """Returns the code of each function by name, in the order of the library."""
    sections = subprocess.run(["objdump", "--section-headers", "--section=.text", library], stdout=subprocess.PIPE,
                              check=True, text=True).stdout
    size, address, _, offset = (int(word, 16) for word in sections[sections.index(".text "):].split()[1:5])
    with open(library, "rb") as file:
        file.seek(offset)
        text = file.read(size)
    listed = subprocess.run(["nm", "--numeric-sort", "--print-size", "--defined-only", library], stdout=subprocess.PIPE,
                            check=True, text=True).stdout
    found: dict[int, tuple[str, bytes]] = {}
    for line in listed.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwW":
            begin, length = int(words[0], 16) - address, int(words[1], 16)
            found.setdefault(begin, (words[3], text[begin:begin + length]))
    return dict(found.values())


class Order:
    """Places functions one by one. Keeps for each remaining one the number of its pieces near the end."""

    def __init__(self, code: dict[str, bytes]) -> None:
        self.code = code
        # Dictionaries instead of sets, since the order of a set differs from run to run.
        self.pieces = {name: dict.fromkeys(body[i:i + PIECE] for i in range(max(1, len(body) - PIECE + 1)))
                       for name, body in code.items()}
        self.owners: dict[bytes, list[str]] = collections.defaultdict(list)
        for name, own in self.pieces.items():
            for piece in own:
                self.owners[piece].append(name)
        self.near: dict[bytes, int] = collections.Counter()
        self.shared: dict[str, int] = collections.Counter()

    def count(self, name: str, more: int) -> None:
        """Records that `name` is now near the end (`more` is 1), or no longer (-1)."""
        for piece in self.pieces[name]:
            owners = self.owners[piece]
            if 1 < len(owners) <= COMMON:
                before = self.near[piece]
                self.near[piece] = before + more
                if not before or not before + more:
                    for owner in owners:
                        self.shared[owner] += more

    def names(self) -> list[str]:
        left = dict.fromkeys(sorted(self.code, key=lambda name: (-len(self.code[name]), name)))
        order: list[str] = []
        first, length = 0, 0
        while left:
            # Start with the largest function. Then take the one with the largest share in common with what is near.
            share, following = max((self.shared[name] / (len(self.pieces[name]) + SMALL), name) for name in left)
            following = following if share else next(iter(left))
            del left[following]
            order.append(following)
            self.count(following, 1)
            length += len(self.code[following])
            while length > NEAR and first < len(order) - 1:
                length -= len(self.code[order[first]])
                self.count(order[first], -1)
                first += 1
        return order


if __name__ == "__main__":
    print("\n".join(Order(functions(sys.argv[1])).names()))
