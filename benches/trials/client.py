"""A connection to symd with a home of its own: no server and no setting of this machine counts but those linked into it."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import time

LIMIT = 50_000_000
# How many seconds a call may wait for a server, and a server may take to read the project.
DEADLINE = 300
STARTING = "may still have been indexing"


class Home:
    """HOME and SYMD_HOME of one way, with the installed servers that it may use."""

    def __init__(self, folder: pathlib.Path, installed: pathlib.Path, servers: list[str]):
        folder = folder.resolve()
        self.environment = dict(os.environ, HOME=str(folder))
        self.environment["SYMD_HOME"] = str(folder)
        for key in ("VIRTUAL_ENV", "PYTHONPATH"):
            self.environment.pop(key, None)
        linked = folder / "data" / "servers"
        linked.mkdir(parents=True, exist_ok=True)
        for server in servers:
            if not (linked / server).exists():
                (linked / server).symlink_to((installed / server).resolve())


class Symd:
    """One MCP connection with the native toolset. Use it as a context manager: it stops the daemon at its end."""

    def __init__(self, binary: pathlib.Path, root: pathlib.Path, home: Home):
        self.command = [str(binary), "--project", str(root)]
        self.environment = home.environment
        self.number = 0

    def __enter__(self) -> Symd:
        self._run("trust", "--yes")
        self._run("index")
        self.process = subprocess.Popen(
            [*self.command, "mcp", "--toolset", "native"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment,
        )
        client = {"name": "trial", "version": "0"}
        self._request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}})
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._run("stop")

    def _run(self, *arguments: str) -> None:
        subprocess.run([*self.command, *arguments], env=self.environment, capture_output=True, timeout=600)

    def _send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _request(self, method: str, parameters: dict) -> dict:
        self.number += 1
        self._send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return message
            if "method" in message and "id" in message:
                error = {"code": -32601, "message": "not supported"}
                self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})
        raise EOFError("symd mcp ended")

    def call(self, tool: str, **arguments: object) -> tuple[str, bool]:
        """Returns the tool's text, and whether it is an answer rather than an error."""
        arguments = {"limit": LIMIT, "deadline_seconds": DEADLINE, **arguments}
        message = self._request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in message:
            return json.dumps(message["error"]), False
        result = message["result"]
        return "".join(part.get("text", "") for part in result["content"]), not result.get("isError")

    def settle(self, **rename: object) -> None:
        """Waits until the server has read the project, which a dry run of this rename shows."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            text, is_answer = self.call("rename_symbol", dry_run=True, **rename)
            if not (is_answer and STARTING in text):
                return
            time.sleep(0.5)
