#!/usr/bin/env python3
"""Lists and calls every tool of native's listings through the official inspector, in both eras of the protocol.

    npm install node@22 @modelcontextprotocol/inspector@2.12
    benches/agents/inspector.py --symd target/release/symd --inspector node_modules/.bin/mcp-inspector

Ends with exit 1 if a tool that is listed is not among `CALLS`, the inspector faults a schema, or a call fails that should not.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from calls import CALLS, LIB, NEED_SERVER, USE
from client import isolated_environment

LISTINGS = [[], ["--profile", "coding-agent"], ["--profile", "debugging"]]


def listed(inspect, server):
    """Returns the names of the tools, and the inspector's complaints about their schemas."""
    done = inspect(*server, "--method", "tools/list", "--strict")
    if done.returncode:
        return set(), [f"tools/list: {done.stderr.strip()[-600:]}"]
    return {tool["name"] for tool in json.loads(done.stdout)["tools"]}, []


def call(inspect, server, name):
    """Returns what is wrong with the answer to a tool's call; an empty text if nothing is."""
    arguments, expected = CALLS[name]
    done = inspect(*server, "--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments))
    try:
        result = json.loads(done.stdout)
    except ValueError:
        return f"{name}: {done.stderr.strip()[-300:]}"
    text = "".join(part["text"] for part in result["content"] if part["type"] == "text")
    is_error = result.get("isError", False)
    if (is_error and name not in NEED_SERVER) or not text or (expected not in text and not is_error):
        return f"{name}: {text[:300]}"
    return ""


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    resolved = lambda path: str(pathlib.Path(path).resolve())
    options.add_argument("--symd", required=True, type=resolved)
    options.add_argument("--inspector", required=True, type=resolved)
    given, failed = options.parse_args(), False
    with tempfile.TemporaryDirectory(prefix="symd-agents-") as scratch:
        project = pathlib.Path(scratch, "project")
        (project / ".symd").mkdir(parents=True)
        env = isolated_environment(pathlib.Path(scratch, "home"))
        beside = [str(one) for one in pathlib.Path(given.inspector).parents if one.name == "node_modules"]
        path = os.pathsep.join([*(f"{one}/node/bin" for one in beside), os.environ["PATH"]])

        def inspect(*arguments):
            command = [given.inspector, "--cli", *(f"-e{name}={value}" for name, value in env.items()), *arguments]
            return subprocess.run(command, env={**env, "PATH": path}, capture_output=True, text=True, timeout=120)

        try:
            for listing in LISTINGS:
                for era in ("modern", "legacy"):
                    (project / "lib.py").write_text(LIB)
                    (project / "use.py").write_text(USE)
                    server = [given.symd, "--project", str(project), "mcp", *listing, "--protocol-era", era]
                    names, wrong = listed(inspect, server)
                    wrong += [f"{name} is listed, and no call of it is known here" for name in names - set(CALLS)]
                    called = [name for name in CALLS if name in names]
                    wrong += [one for one in (call(inspect, server, name) for name in called) if one]
                    failed |= bool(wrong) or not names
                    print(f"{' '.join(listing) or 'native'}, {era}: {len(names)} tools listed, {len(called)} called")
                    print("".join(f"  {line}\n" for line in wrong), end="", flush=True)
        finally:
            subprocess.run([given.symd, "--project", project, "stop"], env=env, capture_output=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
