#!/usr/bin/env python3
"""Lists and calls every tool of native's listings through the official Python SDK, in both eras of the protocol.

    pip install 'mcp>=2.3' && benches/agents/sdk.py --symd target/release/symd

Ends with exit 1 if a tool that is listed is not among `CALLS` below, or a call fails that should not.
"""

import argparse
import asyncio
import logging
import pathlib
import subprocess
import sys
import tempfile

from mcp import Client, StdioServerParameters

from client import isolated_environment

LIB = 'def side() -> int:\n    """The length of a side."""\n    return 2\n\n\ndef unused() -> int:\n    return 1\n'
USE = "from lib import side\n\n\ndef total() -> int:\n    return side() + 1\n"
PATCH = "*** Begin Patch\n*** Update File: use.py\n@@\n-    return side() + 1\n+    return side() + 2\n*** End Patch\n"
LISTINGS = [[], ["--profile", "coding-agent"], ["--profile", "debugging"]]
ERAS = {"2026-07-28": "auto", "2025-11-25": "legacy"}

# A call of each tool and a text of its answer. Where no language server is, the answer says so.
CALLS = {
    "overview": ({"path": "lib.py"}, "function side"),
    "find_symbol": ({"name_path": ["side", "total"], "body": True}, "return 2"),
    "references": ({"name_path": "side"}, "use.py"),
    "explore": ({"name_path": ["side", "total"]}, "called by"),
    "impact": ({"name_path": "side", "change": "removal"}, "direct: "),
    "definition": ({"path": "use.py", "line": 5, "name": "side"}, "The length of a side."),
    "search": ({"pattern": "return side"}, "use.py"),
    "diagnostics": ({"path": "use.py"}, "use.py"),
    "rename": ({"name_path": "total", "new_name": "sum_up", "dry_run": True}, "+def sum_up"),
    "replace_symbol_body": ({"name_path": "total", "body": "def total() -> int:\n    return side()\n"}, "operation"),
    "undo": ({}, "use.py"),
    "insert_symbol": ({"name_path": "total", "body": "def more() -> int:\n    return 3\n"}, "operation"),
    "safe_delete": ({"name_path": "unused", "dry_run": True}, "-def unused"),
    "apply_patch": ({"patch": PATCH, "dry_run": True}, "+    return side() + 2"),
    "code_actions": ({"path": "use.py", "start_line": 1}, ""),
    "read_file": ({"relative_path": "lib.py"}, "def side"),
    "history": ({}, "operation"),
}
NEED_SERVER = {"diagnostics", "code_actions"}


async def check(symd, project, env, options, mode):
    """What is wrong, a line each; the version that was agreed on."""
    server = StdioServerParameters(command=symd, args=["--project", str(project), "mcp", *options], env=env, cwd=str(project))
    wrong = []
    async with Client(server, mode=mode) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        wrong += [f"{name} is listed, and no call of it is known here" for name in listed - set(CALLS)]
        if not client.instructions:
            wrong.append("no instructions")
        for name, (arguments, expected) in CALLS.items():
            result = await client.call_tool(name, arguments)
            text = "".join(part.text for part in result.content if part.type == "text")
            if (result.is_error and name not in NEED_SERVER) or not text or (expected not in text and not result.is_error):
                wrong.append(f"{name}: {text[:300]}")
        return wrong, client.protocol_version, len(listed)


async def main():
    # It warns of each call of a tool that is not listed, which is meant here.
    logging.disable(logging.WARNING)
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--symd", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    symd, failed = options.parse_args().symd, False
    with tempfile.TemporaryDirectory(prefix="symd-agents-") as scratch:
        project = pathlib.Path(scratch, "project")
        (project / ".symd").mkdir(parents=True)
        env = isolated_environment(pathlib.Path(scratch, "home"))
        try:
            for listing in LISTINGS:
                for era, mode in ERAS.items():
                    (project / "lib.py").write_text(LIB)
                    (project / "use.py").write_text(USE)
                    wrong, version, count = await check(symd, project, env, listing, mode)
                    wrong += [f"{version} was agreed on instead of {era}"] if version != era else []
                    failed |= bool(wrong)
                    print(f"{' '.join(listing) or 'native'}, {version}: {count} tools listed, {len(CALLS)} called")
                    print("".join(f"  {line}\n" for line in wrong), end="")
        finally:
            subprocess.run([symd, "--project", project, "stop"], env=env, capture_output=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
