"""A minimal MCP client over the stdin and stdout of `symd mcp`, and a home of its own for the symd that it starts."""

import json
import os
import pathlib
import subprocess

PROTOCOL = "2025-06-18"


def isolated_environment(home, servers=None):
    """Variables by which symd finds no settings, approvals, daemons or language servers but those below `home`.

    `servers` is a directory as `symd install` makes it; without it no language server is there.
    """
    home = pathlib.Path(home)
    env = {key: os.environ[key] for key in ("PATH", "LANG", "LC_ALL", "TZ") if key in os.environ}
    env |= {"HOME": str(home / "home"), "SYMD_HOME": str(home / "symd")}
    for name in ("HOME", "SYMD_HOME"):
        pathlib.Path(env[name]).mkdir(parents=True, exist_ok=True, mode=0o700)
    if servers:
        data = home / "symd" / "data"
        data.mkdir(parents=True, exist_ok=True)
        (data / "servers").symlink_to(pathlib.Path(servers).resolve())
    return env


class Connection:
    """One client of one toolset of one project: the connection of an agent's session."""

    def __init__(self, symd, project, toolset, env, options=()):
        command = [symd, "--project", str(project), "mcp", "--toolset", toolset, *options]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=project
        )
        self.last_id = 0
        about = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "measure", "version": "1"}}
        self.instructions = self.request("initialize", about).get("instructions", "")
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        """Returns the result of a request; answers the server's own requests meanwhile with "not supported"."""
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if "method" in message:
                if "id" in message:
                    refusal = {"code": -32601, "message": "not supported"}
                    self.send({"jsonrpc": "2.0", "id": message["id"], "error": refusal})
            elif message.get("id") == self.last_id:
                if "error" in message:
                    raise RuntimeError(f"{method} {params}: {message['error']}")
                return message["result"]
        raise RuntimeError(f"symd mcp ended during {method}")

    def tools(self):
        tools, cursor = [], None
        while True:
            page = self.request("tools/list", {"cursor": cursor} if cursor else {})
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if not cursor:
                return tools

    def call(self, tool, arguments):
        """Returns the text that a model sees, and whether the tool failed."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        return text, bool(result.get("isError"))
