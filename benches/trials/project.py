"""A project of the trial: what projects.toml says of it, and the working copy that is renamed in."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys
import tomllib

TABLE = pathlib.Path(__file__).with_name("projects.toml")
# Files in the working copy that are not part of the project.
APART = [".venv/", "__pycache__/", ".hypothesis/", ".pytest_cache/"]
AUTHOR = ["-c", "user.name=trial", "-c", "user.email=trial@localhost", "-c", "core.autocrlf=false"]


@dataclasses.dataclass(frozen=True)
class Project:
    """One entry of projects.toml."""

    name: str
    version: str
    package: list[str]
    tests: list[str]
    import_roots: list[str]
    requirements: list[str]
    environment: dict[str, str]
    options: list[str]
    stages: list[list[str]]
    left_out: list[str]

    @property
    def folders(self) -> list[str]:
        """The folders whose names are renamed and whose files are compiled."""
        return self.package + self.tests


def projects() -> dict[str, Project]:
    """All projects of the table, by name."""
    table = tomllib.loads(TABLE.read_text("utf-8"))
    fields = lambda entry: {key.replace("-", "_"): value for key, value in entry.items()}
    return {name: Project(name=name, **fields(entry)) for name, entry in table.items()}


class Copy:
    """A working copy of a project under git, with a `.venv` that imports the copy itself."""

    def __init__(self, project: Project, sources: pathlib.Path, work: pathlib.Path):
        self.project = project
        self.folder = work.resolve() / project.name
        self.root = self.folder / "tree"
        self.python = self.root / ".venv" / "bin" / "python"
        if not (self.folder / "ready").exists():
            self._make(sources / f"{project.name}-{project.version}")
        self.reset()

    def _make(self, source: pathlib.Path) -> None:
        if not source.is_dir():
            sys.exit(f"{source} is missing: unpack the source distribution of {source.name} there")
        if self.root.exists():
            shutil.rmtree(self.root)
        shutil.copytree(source, self.root, symlinks=True)
        self._git("init", "-q")
        (self.root / ".git" / "info" / "exclude").write_text("\n".join(APART) + "\n")
        self._git("add", "-f", ".")
        self._git("commit", "-q", "-m", "as published")
        self._install()
        self._git("add", "-f", ".")  # what the build wrote into the copy
        self._git("commit", "-q", "--allow-empty", "-m", "installed")
        (self.folder / "ready").touch()

    def _install(self) -> None:
        subprocess.run([sys.executable, "-m", "venv", self.root / ".venv"], check=True)
        wanted = ["--editable", ".", *self.project.requirements]
        pip = [self.python, "-m", "pip", "install", "--quiet", *wanted]
        subprocess.run(pip, cwd=self.root, env=self.environment(), check=True)

    def environment(self) -> dict[str, str]:
        """Returns the environment for programs that run in the copy, which makes them leave no compiled files."""
        return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **self.project.environment}

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *AUTHOR, *arguments], cwd=self.root, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def reset(self) -> None:
        """Restores every file to its original state."""
        self._git("reset", "-q", "--hard")
        self._git("clean", "-fdq")

    def difference(self) -> str:
        """Returns the changes since then, as a diff."""
        return self._git("diff", "--no-color")
