"""The baseline: an agent without symd, which runs ripgrep, reads stretches of files and edits by exact texts."""

import re
import subprocess

# The longest range that may be read around a hit, and the longest file that may be read whole.
MOST_LINES_AROUND = 80
MOST_LINES_WHOLE = 200
EDITED = "The file has been updated."


class Foul(Exception):
    """A step that the rules of the baseline forbid."""


class Shell:
    def __init__(self, root, env):
        self.root, self.env = root, env

    def command(self, command):
        """Returns the command's output; ripgrep's "no match" (exit code 1) is not an error."""
        self.judge(command)
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.root, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode > 1 or done.stderr:
            raise Foul(f"{command}: exit code {done.returncode}: {done.stderr}")
        return done.stdout

    def judge(self, command):
        """Rejects a command that reads more than the rules allow."""
        for first, last, path in re.findall(r"sed -n '?(\d+),(\d+)p'? (\S+)", command):
            lines = int(last) - int(first) + 1
            if lines > MOST_LINES_AROUND and len((self.root / path).read_text().splitlines()) > MOST_LINES_WHOLE:
                raise Foul(f"{command}: reads {lines} lines around a hit")
        for path in re.findall(r"\bcat (\S+)", command):
            if len((self.root / path).read_text().splitlines()) > MOST_LINES_WHOLE:
                raise Foul(f"{command}: reads a long file whole")

    def edit(self, path, old, new, all=False):
        """Edits as a coding agent's own tool does: replaces `old`, which must occur once in the file unless `all` is set, by `new`."""
        file = self.root / path
        text = file.read_text()
        if text.count(old) < 1 or (text.count(old) > 1 and not all):
            raise Foul(f"{path}: {text.count(old)} times in it: {old!r}")
        file.write_text(text.replace(old, new))
        return EDITED
