"""Prints in which order the functions of a library pack best: zip looks back 32 KB, and what has been compiled for White
and for Black, or for one type and another, has most in common with each other.

order.py LIBRARY, not stripped
"""

import collections
import subprocess
import sys

PIECE = 6  # bytes that are compared
COMMON = 40  # functions that have a piece: it tells nothing


def functions(library: str) -> dict[str, bytes]:
    """By name, in their order."""
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


def main() -> None:
    code = functions(sys.argv[1])
    pieces = {name: {body[i:i + PIECE] for i in range(max(1, len(body) - PIECE + 1))} for name, body in code.items()}
    owners: dict[bytes, list[str]] = collections.defaultdict(list)
    for name, own in pieces.items():
        for piece in own:
            owners[piece].append(name)
    # The largest first; after each, what has the largest share in common with it.
    left = dict.fromkeys(sorted(code, key=lambda name: (-len(code[name]), name)))
    following = next(iter(left), None)
    while following:
        del left[following]
        print(following)
        shared: dict[str, int] = collections.Counter()
        for piece in pieces[following]:
            if len(owners[piece]) <= COMMON:
                shared.update(name for name in owners[piece] if name in left)
        following = max(shared, key=lambda name: (shared[name] / (len(pieces[name]) + 50), name),
                        default=next(iter(left), None))


if __name__ == "__main__":
    main()
