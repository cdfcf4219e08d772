"""Writes a wheel: the Python files of tools/python/manyply, compiled files, and the metadata for pip. Used by build.sh.

wheel.py --version V --tag TAG --out FOLDER [--licences FOLDER] FILE…
"""

import argparse
import base64
import hashlib
import os
import pathlib
import zipfile

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
    # Use a fixed date. The same files then always make the same wheel.
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (data, mode) in contents.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(f"{os.path.relpath(wheel)}: {wheel.stat().st_size} bytes")


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main()
