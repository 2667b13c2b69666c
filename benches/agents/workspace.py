"""Copies of the measured projects: edits are made in a copy, found out, and put back before the next run."""

import filecmp
import os
import pathlib
import shutil


class Workspace:
    """A copy of `original` at `copy`, in which variants of tasks run one after another."""

    def __init__(self, original, copy):
        self.original, self.copy = pathlib.Path(original).resolve(), pathlib.Path(copy)
        ignored = shutil.ignore_patterns(".git", ".symd", ".gradle", "__pycache__")
        shutil.copytree(self.original, self.copy, symlinks=True, ignore=ignored)
        self.times = self.states()

    def states(self):
        """Returns modification time and size of each file, by path."""
        states = {}
        for directory, _, names in os.walk(self.copy):
            for name in names:
                path = os.path.join(directory, name)
                state = os.lstat(path)
                states[os.path.relpath(path, self.copy)] = (state.st_mtime_ns, state.st_size)
        return states

    def changed(self):
        """Returns the files that differ from the original in content, or exist on one side only."""
        now = self.states()
        suspects = [path for path in now.keys() | self.times.keys() if now.get(path) != self.times.get(path)]
        return sorted(path for path in suspects if self.differs(path))

    def differs(self, path):
        before, after = self.original / path, self.copy / path
        if not (before.exists() and after.exists()):
            return True
        return not filecmp.cmp(before, after, shallow=False)

    def text(self, path):
        return (self.copy / path).read_text()

    def restore(self):
        for path in self.changed():
            before, after = self.original / path, self.copy / path
            if before.exists():
                after.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(before, after)
            else:
                after.unlink()
        self.times = self.states()
