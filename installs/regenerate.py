#!/usr/bin/env python3
"""Makes the lists of hashes that `symd install` holds packages against, from languages.toml:

    installs/SERVER.txt                pip requirements, with the hash of every file of every distribution needed
    installs/SERVER.package-lock.json  npm lockfile, with the integrity of every package needed
    src/install/pinned.rs              the table that puts them into the program

Run it after a version in languages.toml changed, look at what changed, commit it. A list whose versions languages.toml
still names is kept, unless the server's name is given on the command line. Needs Python 3.11, `uv` and `npm` on PATH.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
# The oldest Python that the lists are made for.
PYTHON = "3.10"
HEADER = "# Made by installs/regenerate.py from languages.toml.\n"


def normalised(package):
    return re.sub(r"[-_.]+", "-", package).lower()


def requirements(server, parts):
    wanted = [f"{normalised(part['package'])}=={part['version']}" for part in parts]
    file = HERE / f"{server}.txt"
    if file.exists() and server not in sys.argv[1:]:
        pinned = {re.split(r"[ ;]", line)[0] for line in file.read_text().splitlines()}
        if all(requirement in pinned for requirement in wanted):
            return file.name
    command = ["uv", "pip", "compile", "--universal", "--generate-hashes", "--only-binary", ":all:"]
    command += ["--no-header", "--no-annotate", "--no-python-downloads", "--python-version", PYTHON, "--no-config", "-"]
    made = subprocess.run(command, input="\n".join(wanted), text=True, check=True, stdout=subprocess.PIPE)
    file.write_text(HEADER + made.stdout)
    return file.name


def lockfile(server, parts):
    wanted = {}
    for part in parts:
        wanted[part["package"]] = part["version"]
        for beside in part.get("with", []):
            name, _, version = beside.rpartition("@")
            wanted[name] = version
    file = HERE / f"{server}.package-lock.json"
    if file.exists() and server not in sys.argv[1:]:
        if json.loads(file.read_text())["packages"][""]["dependencies"] == wanted:
            return file.name
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "package.json").write_text(json.dumps({"private": True, "dependencies": wanted}))
        command = ["npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run([*command, "--omit-lockfile-registry-resolved"], cwd=scratch, check=True)
        lock = json.loads((scratch / "package-lock.json").read_text())
    # The scratch directory's name is nobody's business.
    lock.pop("name", None)
    lock["packages"][""].pop("name", None)
    file.write_text(json.dumps(lock, indent=1) + "\n")
    return file.name


def main():
    languages = tomllib.loads((HERE.parent / "languages.toml").read_text())
    files = []
    for server, table in sorted(languages["language-server"].items()):
        of = lambda registry: [part for part in table.get("install", []) if part["registry"] == registry]
        if of("pypi"):
            files.append(requirements(server, of("pypi")))
        if of("npm"):
            files.append(lockfile(server, of("npm")))
    for stale in set(HERE.iterdir()) - {HERE / name for name in files} - {pathlib.Path(__file__).resolve()}:
        stale.unlink()
    rows = "".join(f'    ("{name}", include_str!("../../installs/{name}")),\n' for name in sorted(files))
    (HERE.parent / "src/install/pinned.rs").write_text(
        "//! The files of `installs/`, by name. Made by `installs/regenerate.py`.\n\n"
        f"pub(super) const PINNED: [(&str, &str); {len(files)}] = [\n{rows}];\n"
    )


main()
