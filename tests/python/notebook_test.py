"""notebook_test.py NOTEBOOK: runs the cells of tools/package/examples/perft.ipynb in order, as a notebook does."""
import ast
import contextlib
import io
import json
import sys


def shown_by(source, names):
    """Runs a cell. Returns what it prints and, as Jupyter shows it, the value of its last line if that is an expression."""
    body = ast.parse(source).body
    last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last else None
    html = getattr(value, "_repr_html_", None)
    return printed.getvalue() + (html() if html else "" if value is None else repr(value))


with open(sys.argv[1], encoding="utf-8") as file:
    notebook = json.load(file)
assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code), "clear all outputs"
names = {}
shown = [shown_by("".join(cell["source"]), names) for cell in code]
print(*shown, sep="\n")
expected = ["4085603", "<td>e1g1</td><td>43</td>", "<td>97862</td>", "", "underpromotion-missed", "verdict    agrees"]
assert len(shown) == len(expected), len(shown)
for one, part in zip(shown, expected):
    assert part in one, f"expected {part}, not {one}"
