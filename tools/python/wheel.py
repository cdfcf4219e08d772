"""Writes a wheel: tools/python/manyply, what is compiled, and what pip is told of it. Used by build.sh.

wheel.py --version V --tag TAG --out FOLDER [--licences FOLDER] FILE…
"""

import argparse
import base64
import ctypes
import hashlib
import os
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).parent


def metadata(version: str) -> str:
    return "\n".join([
        "Metadata-Version: 2.1",
        "Name: manyply",
        f"Version: {version}",
        "Summary: Exact chess move path counts (perft), and the move that your generator gets wrong",
        "License: MIT",
        "Keywords: chess,perft,move generator,chess960,uci",
        "Classifier: License :: OSI Approved :: MIT License",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Games/Entertainment :: Board Games",
        "Classifier: Framework :: Pytest",
        "Classifier: Typing :: Typed",
        "Requires-Python: >=3.9",
        "Description-Content-Type: text/markdown",
        "",
        (HERE / "README.md").read_text(encoding="utf-8"),
    ])


def wheel_description(tag: str) -> str:
    return f"Wheel-Version: 1.0\nGenerator: manyply\nRoot-Is-Purelib: false\nTag: {tag}\n"


ENTRY_POINTS = """[console_scripts]
manyply = manyply._command:main

[pytest11]
manyply = manyply.pytest_plugin
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--tag", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--licences", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    given = parser.parse_args()

    info = f"manyply-{given.version}.dist-info"
    contents: dict[str, tuple[bytes, int]] = {}
    for file in sorted((HERE / "manyply").iterdir()):
        if file.suffix in (".py", ".typed"):
            contents[f"manyply/{file.name}"] = (file.read_bytes(), 0o644)
    for file in given.files:
        contents[f"manyply/{file.name}"] = (file.read_bytes(), 0o755)
    contents[f"{info}/METADATA"] = (metadata(given.version).encode(), 0o644)
    contents[f"{info}/WHEEL"] = (wheel_description(given.tag).encode(), 0o644)
    contents[f"{info}/entry_points.txt"] = (ENTRY_POINTS.encode(), 0o644)
    contents[f"{info}/LICENSE"] = ((HERE / "../../LICENSE").read_bytes(), 0o644)
    for file in sorted(given.licences.iterdir()) if given.licences else []:
        contents[f"{info}/licences/{file.name}"] = (file.read_bytes(), 0o644)
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, (data, _) in contents.items())
    contents[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)

    given.out.mkdir(parents=True, exist_ok=True)
    wheel = given.out / f"manyply-{given.version}-{given.tag}.whl"
    wheel.write_bytes(zipped(contents))
    print(f"{os.path.relpath(wheel)}: {wheel.stat().st_size} bytes")


def zipped(contents: dict[str, tuple[bytes, int]]) -> bytes:
    """Of texts by name, with their modes. The same ones make the same file. `zipfile` takes nothing that is packed already."""
    files, directory = b"", b""
    for name, (data, mode) in contents.items():
        packed = deflated(data)
        entry = struct.pack("<5H3L2H", 20, 0, 8, 0, 1 << 5 | 1, zlib.crc32(data), len(packed), len(data), len(name), 0)
        directory += (b"PK\x01\x02" + struct.pack("<H", 3 << 8 | 20) + entry +
                      struct.pack("<3H2L", 0, 0, 0, (0o100000 | mode) << 16, len(files)) + name.encode())
        files += b"PK\x03\x04" + entry + name.encode() + packed
    end = struct.pack("<4H2LH", 0, 0, len(contents), len(contents), len(directory), len(files), 0)
    return files + directory + b"PK\x05\x06" + end


class ZopfliOptions(ctypes.Structure):
    """Of zopfli.h. Blocks may be as many as help: a library has code, tables and texts."""

    _fields_ = [(name, ctypes.c_int) for name in ("verbose", "verbose_more", "iterations", "splits", "splits_last", "most_blocks")]


def deflated(data: bytes) -> bytes:
    """By zopfli, where it is installed: 5 % smaller than zlib makes it, in a minute or two."""
    try:
        zopfli = ctypes.CDLL("libzopfli.so.1")
    except OSError:
        pack = zlib.compressobj(9, wbits=-15)
        return pack.compress(data) + pack.flush()
    packed, size, bits = ctypes.POINTER(ctypes.c_ubyte)(), ctypes.c_size_t(0), ctypes.c_ubyte(0)
    zopfli.ZopfliDeflate(ctypes.byref(ZopfliOptions(0, 0, 15, 1, 0, 0)), 2, 1, data, ctypes.c_size_t(len(data)), ctypes.byref(bits),
                         ctypes.byref(packed), ctypes.byref(size))
    return ctypes.string_at(packed, size.value)


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main()
