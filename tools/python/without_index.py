"""Takes from a library the index of its tables for unwinding, in place: 18 KB of the wheel, which zip cannot pack. Without one,
tables are gone through in their order, as the header says then: a millisecond for what is thrown.

without_index.py LIBRARY
"""

import pathlib
import struct
import sys

EH_FRAME_HDR = 0x6474E550  # a kind of segment
VERSION = 1
OMITTED = 0xFF


def main() -> None:
    path = pathlib.Path(sys.argv[1])
    library = bytearray(path.read_bytes())
    headers, size, count = struct.unpack_from("<Q14xHH", library, 32)
    for at in range(headers, headers + size * count, size):
        kind, _, begin, _, _, length = struct.unpack_from("<2L4Q", library, at)
        if kind == EH_FRAME_HDR:
            # Version, how the tables' address is written, the number of rows, and these; that address; then number and rows.
            if library[begin] != VERSION:
                raise SystemExit("without_index.py: a header of another version")
            library[begin + 2:begin + 4] = OMITTED, OMITTED
            library[begin + 8:begin + length] = bytes(length - 8)
            path.write_bytes(library)
            return
    raise SystemExit("without_index.py: there is no index")


if __name__ == "__main__":
    main()
