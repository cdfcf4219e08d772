#!/usr/bin/env python3
"""workflows.py SOURCE: checks .github/workflows with yamllint and against the tree. No machine here runs them.

Each step must call an executable script of the tree or one of the few commands below. Runners must be known, actions
must have fixed versions, and every artifact that is needed must be made. First the script checks itself: it puts errors
into the text and must find them. The workflows for users, in tools/package/examples, may run any command:
tests/examples runs them. Exits with 77 if yamllint is not installed.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

RULES = "{extends: default, rules: {line-length: {max: 127}, document-start: disable, truthy: {check-keys: false}}}"
RUNNERS = {"ubuntu-24.04", "ubuntu-24.04-arm", "macos-14", "windows-2022"}
COMMANDS = {"apt-get update && apt-get install -y --no-install-recommends ca-certificates git", "./perft.exe signature",
            "cd packages && sha256sum -- * > SHA256SUMS",
            'gh release create "$GITHUB_REF_NAME" --repo "$GITHUB_REPOSITORY" --draft --verify-tag packages/*'}


def faults(source, text):
    """Returns what is wrong with a workflow. Without `source`, its steps may run any command."""
    import yaml
    linted = subprocess.run(["yamllint", "-s", "-d", RULES, "-"], input=text, text=True, capture_output=True)
    if linted.returncode != 0:
        return [linted.stdout]
    found = []
    workflow = yaml.safe_load(text)
    triggers = workflow.get(True, workflow.get("on"))  # YAML reads the key `on` as the value true
    if not triggers or "permissions" not in workflow:
        found.append("no triggers, or no permissions")
    for name, job in workflow["jobs"].items():
        runner = job["runs-on"]
        runners = job["strategy"]["matrix"]["runner"] if runner == "${{ matrix.runner }}" else [runner]
        found += [f"{name}: unknown runner {one}" for one in runners if one not in RUNNERS]
        needs = job.get("needs", [])
        found += [f"{name}: needs {one}" for one in ([needs] if isinstance(needs, str) else needs) if one not in workflow["jobs"]]
        for step in job["steps"]:
            if ("run" in step) == ("uses" in step):
                found.append(f"{name}: a step neither runs nor uses anything")
            elif "uses" in step:
                if not re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]):
                    found.append(f"{name}: {step['uses']} has no fixed version")
            elif source and step["run"] not in COMMANDS and not os.access(os.path.join(source, step["run"].split()[0]), os.X_OK):
                found.append(f"{name}: no script {step['run']}")
    made = set(re.findall(r"upload-artifact@v\d+\n +with:\n +name: (\S+)", text))
    found += [f"no artifact {one}" for one in re.findall(r"download-artifact@v\d+\n +with:\n +name: (\S+)", text) if one not in made]
    return found


def main(source):
    if shutil.which("yamllint") is None:
        print("skipped: yamllint is not installed")
        return 77
    folder = os.path.join(source, ".github", "workflows")
    texts = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts[name] = file.read()
    if sorted(texts) != ["ci.yml", "release.yml"]:
        print("not the expected workflows:", *texts)
        return 1
    for wrong, right in [("macos-14", "macos-13"), ("tools/wasm/build.sh", "tools/wasm/make.sh"), ("checkout@v4", "checkout"),
                         ("jobs:", "jobs:\n  twice: 1\n  twice: 2"), ("name: windows\n", "name: linux\n"),
                         ("needs: windows-build", "needs: windows-bild"), ("permissions:", "permission:")]:
        if not faults(source, texts["ci.yml"].replace(wrong, right, 1)):
            print(f"an error is not found: {right}")
            return 1
    found = [f"{name}: {fault}" for name, text in texts.items() for fault in faults(source, text)]
    examples = glob.glob(os.path.join(source, "tools", "package", "examples", "*.yml"))
    if not examples:
        found.append("no workflows for users")
    for name in examples:
        with open(name, encoding="utf-8") as file:
            found += [f"{name}: {fault}" for fault in faults(None, file.read())]
    print(*found, sep="\n")
    return 1 if found else 0


sys.exit(main(sys.argv[1]))
