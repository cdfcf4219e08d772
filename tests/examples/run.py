#!/usr/bin/env python3
"""run.py EXAMPLE WORK PERFT BROKEN_ENGINE: runs tools/package/examples/EXAMPLE.yml in the folder WORK.

The steps run in order, as GitHub runs them, in a copy of the folder EXAMPLE, which stands for a user's repository. Only
variables of `env` differ: the release comes from a local server. With a correct engine, the workflow must succeed. With
a faulty engine, it must name the broken rule. It must install nothing whose SHA-256 sum is wrong. Exits with 77 if a
program is missing.
"""
import functools
import hashlib
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FAULT = "en-passant-unpins"  # all engines except the one in C++ have this fault
PROGRAMS = {"cpp": ["make", "curl"], "rust": ["cargo", "curl"], "python": ["curl"], "javascript": ["npm", "curl"]}
NAMED = "failure() && steps.perft.outcome == 'failure'"


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def make_release(name, folder, perft):
    """Writes a release's file `name`: this build's .whl or .tgz package, or else an archive with this build's command."""
    folder.mkdir()
    made = {".whl": ROOT / "build/wheels", ".tgz": ROOT / "build/npm"}.get(pathlib.Path(name).suffix)
    if made is None:
        with tarfile.open(folder / name, "w:gz", compresslevel=1) as archive:
            archive.add(perft, name.split("-linux")[0] + "/bin/perft")
    elif not (made / name).exists():
        skip(f"{made / name} was not built")
    else:
        shutil.copy(made / name, folder)
    return hashlib.sha256((folder / name).read_bytes()).hexdigest()


def run(workflow, repository, environment):
    """Runs the steps. Returns whether they succeed, their output, and the summary. Fails on unknown keys."""
    path, summary = repository.parent / "path", repository.parent / "summary"
    path.write_text("")
    summary.write_text("")
    (job,) = workflow["jobs"].values()
    assert set(job) == {"runs-on", "defaults", "steps"} and job["defaults"] == {"run": {"shell": "bash"}}, job.keys()
    output, outcomes, succeeds = "", {}, True
    for step in job["steps"]:
        assert set(step) <= {"name", "id", "if", "run", "uses", "with"}, step
        if not {"success()": succeeds, NAMED: outcomes.get("perft") is False}[step.get("if", "success()")]:
            continue
        if "uses" in step:
            assert step["uses"] in ("actions/checkout@v4", "actions/setup-python@v5"), step
            continue
        search = ":".join([*reversed(path.read_text().split()), environment["PATH"]])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=repository,
                              env={**workflow["env"], **environment, "PATH": search, "RUNNER_TEMP": str(repository.parent),
                                   "GITHUB_PATH": str(path), "GITHUB_STEP_SUMMARY": str(summary)},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        output += f"$ {step['run']}\n{done.stdout}"
        succeeds = succeeds and done.returncode == 0
        outcomes[step.get("id")] = done.returncode == 0
    return succeeds, output, summary.read_text()


def main(example, work, perft, broken_engine):
    try:
        import yaml
    except ImportError:
        skip("python3-yaml is not installed")
    for program in PROGRAMS[example]:
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    workflow = yaml.safe_load((ROOT / "tools/package/examples" / f"{example}.yml").read_text())
    version = re.search(r"project\(manyply VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    name = workflow["env"]["MANYPLY"].split("/")[-1]
    assert f"/v{version}/manyply-{version}" in workflow["env"]["MANYPLY"], f"the version is {version}"

    work = pathlib.Path(work) / example
    shutil.rmtree(work, ignore_errors=True)
    repository = work / "repository"
    shutil.copytree(HERE / example, repository)
    environment = {**os.environ, "BUDGET": "2000", "BROKEN_ENGINE": broken_engine, "no_proxy": "127.0.0.1",
                   "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "CARGO_NET_OFFLINE": "true",
                   "npm_config_audit": "false", "npm_config_update_notifier": "false", "npm_config_cache": str(work / "npm")}
    if example == "python":
        shutil.copy(ROOT / "tests/python/generator.py", repository)
        if subprocess.run(["/usr/bin/python3", "-c", "import venv, ensurepip, pytest"], stderr=subprocess.DEVNULL).returncode:
            skip("python3-venv or python3-pytest is not installed")
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", work / "venv"], check=True)
        environment["PATH"] = f"{work / 'venv/bin'}:{environment['PATH']}"
    environment["MANYPLY_SHA256"] = make_release(name, work / "release", perft)
    serve = functools.partial(http.server.SimpleHTTPRequestHandler, directory=work / "release")
    serve.log_message = None
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        environment["MANYPLY"] = f"http://127.0.0.1:{server.server_port}/{name}"
        engine = "./my-engine {}" if example == "cpp" else workflow["env"]["ENGINE"]
        wrong_sum = run(workflow, repository, {**environment, "MANYPLY_SHA256": "0" * 64})
        assert not (repository / "perft.txt").exists()
        right = run(workflow, repository, {**environment, "ENGINE": engine.format("none")})
        wrong = run(workflow, repository, {**environment, "ENGINE": engine.format("en-passant-unsafe"), "FAULT": FAULT})
        server.shutdown()

    print(wrong_sum[1], right[1], wrong[1], sep="\n")
    assert not wrong_sum[0] and "FAILED" in wrong_sum[1]
    assert right[0] and not right[2] and re.search(r"^verdict +agrees|1 passed", right[1], re.M)
    assert not wrong[0] and re.search(r"verdict +DIFFERS", wrong[1])
    assert re.search(r"^cause +.*\bpin\b.*\n(.*\n)*verdict +DIFFERS.*\n```\n", wrong[2], re.M)
    assert re.search(r"^\| move \| nodes \|\n\|---\|--:\|\n(\| [a-h1-8]{4} \| 1 \|\n)+\| total \| \d+ \|\n", wrong[2], re.M)


main(*sys.argv[1:])
