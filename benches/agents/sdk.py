#!/usr/bin/env python3
"""Lists and calls every tool of native's listings through the official Python SDK, in both eras of the protocol.

    pip install 'mcp>=2.3' && benches/agents/sdk.py --symd target/release/symd

Ends with exit 1 if a tool that is listed is not among `CALLS`, or a call fails that should not.
"""

import argparse
import asyncio
import logging
import pathlib
import subprocess
import sys
import tempfile

from mcp import Client, StdioServerParameters

from calls import CALLS, LIB, NEED_SERVER, USE
from client import isolated_environment

LISTINGS = [[], ["--profile", "coding-agent"], ["--profile", "debugging"]]
ERAS = {"2026-07-28": "auto", "2025-11-25": "legacy"}


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
    # The SDK warns about each call of a tool that is not listed, which is intended here.
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
