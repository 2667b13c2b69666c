"""The symbols of a project and the families that overriding connects, told from the texts by Python's own parser."""

from __future__ import annotations

import ast
import collections
import dataclasses
import pathlib
import re
from collections.abc import Iterator

ClassKey = tuple[str, tuple[str, ...]]  # file, name path
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NESTING = (ast.If, ast.Try, ast.With, ast.For, ast.While, ast.ExceptHandler)


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A declaration; the line is 1-based."""

    file: str
    path: tuple[str, ...]
    line: int
    kind: str  # function, method, class, attribute, variable

    @property
    def name(self) -> str:
        return self.path[-1]


@dataclasses.dataclass
class Module:
    """A parsed file."""

    file: str
    name: str
    tree: ast.Module
    lines: list[str]

    @property
    def package(self) -> list[str]:
        """Returns the package at which its relative imports begin."""
        parts = self.name.split(".")
        return parts if self.file.endswith("__init__.py") else parts[:-1]


def modules(root: pathlib.Path, folders: list[str], import_roots: list[str]) -> list[Module]:
    """Returns the files below `folders` that parse, in path order."""
    found = []
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*.py")):
        text = path.read_text("utf-8", errors="replace")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        file = path.relative_to(root).as_posix()
        found.append(Module(file, _module_name(file, import_roots), tree, text.split("\n")))
    return found


def _module_name(file: str, import_roots: list[str]) -> str:
    """Returns the dotted name: `src/a/b.py` with the root `src` is `a.b`; the first root that contains the file is used."""
    for root in import_roots:
        prefix = "" if root == "." else root + "/"
        if file.startswith(prefix):
            file = file[len(prefix):]
            break
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def symbols(module: Module) -> list[Symbol]:
    """Returns what a module declares at its top level and in its classes, including instance attributes and classes that are
    local to a function, each once."""
    found: dict[tuple[str, ...], Symbol] = {}
    for symbol in _declared(module, module.tree.body, (), "module"):
        found.setdefault(symbol.path, symbol)
    return [symbol for symbol in found.values() if not _is_excluded(symbol.name)]


def _is_excluded(name: str) -> bool:
    """Reports whether the language gives the name a meaning."""
    return name == "_" or (name.startswith("__") and name.endswith("__"))


KIND_OF_FUNCTION = {"module": "function", "class": "method"}
KIND_OF_NAME = {"module": "variable", "class": "attribute"}


def _declared(module: Module, body: list[ast.stmt], path: tuple[str, ...], inside: str) -> Iterator[Symbol]:
    """Returns the symbols of a body; of a function's body only the classes, with their content."""
    attributes = []
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield Symbol(module.file, (*path, node.name), _name_line(module, node), "class")
            yield from _declared(module, node.body, (*path, node.name), "class")
        elif isinstance(node, FUNCTIONS):
            if inside in KIND_OF_FUNCTION:
                yield Symbol(module.file, (*path, node.name), _name_line(module, node), KIND_OF_FUNCTION[inside])
            if inside == "class":
                attributes += _instance_attributes(module, node, path)
            yield from _declared(module, node.body, (*path, node.name), "function")
        elif isinstance(node, NESTING):
            for part in _parts(node):
                yield from _declared(module, part, path, inside)
        elif inside in KIND_OF_NAME:
            for target in _targets(node):
                if isinstance(target, ast.Name):
                    yield Symbol(module.file, (*path, target.id), target.lineno, KIND_OF_NAME[inside])
    yield from attributes


def _parts(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The bodies of a compound statement."""
    for field in ("body", "orelse", "finalbody", "handlers"):
        yield getattr(node, field, [])


def _name_line(module: Module, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The line of the name, which follows the decorators."""
    pattern = re.compile(rf"\b(class|def)\s+{re.escape(node.name)}\b")
    return next((n for n in range(node.lineno, len(module.lines)) if pattern.search(module.lines[n - 1])), node.lineno)


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    """The single names that a statement assigns to."""
    assigned = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for target in assigned:
        yield from target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]


def _instance_attributes(module: Module, method: ast.FunctionDef, path: tuple[str, ...]) -> Iterator[Symbol]:
    """Returns the attributes that a method assigns: `self.x = …`, where `self` is its first parameter."""
    parameters = method.args.posonlyargs + method.args.args
    is_static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in method.decorator_list)
    if not parameters or is_static:
        return
    for node in _own(method):
        for target in _targets(node):
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                if target.value.id == parameters[0].arg:
                    yield Symbol(module.file, (*path, target.attr), target.lineno, "attribute")


def _own(method: ast.FunctionDef) -> Iterator[ast.AST]:
    """Returns the nodes of a method without those of nested functions and classes, which have another `self`."""
    todo = list(method.body)
    while todo:
        node = todo.pop(0)
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            todo += ast.iter_child_nodes(node)


class Families:
    """The members that have to be renamed together: those of one name in classes that inherit from one another, or
    that a class inherits both of."""

    def __init__(self, all_modules: list[Module]):
        self._modules = {module.name: module for module in all_modules}
        self._names = {module.name: _bindings(module) for module in all_modules}
        classes = [entry for module in all_modules for entry in _classes(module, module.tree.body, ())]
        self._nodes: dict[ClassKey, tuple[Module, ast.ClassDef]] = {key: (module, node) for key, module, node in classes}
        self._bases = {key: self._bases_of(key) for key in self._nodes}
        declared = [symbol for module in all_modules for symbol in symbols(module)]
        self._members = collections.defaultdict(dict)
        for symbol in declared:
            if symbol.kind in ("method", "attribute"):
                self._members[symbol.file, symbol.path[:-1]][symbol.name] = symbol
        self._family = self._connected()

    def of(self, symbol: Symbol) -> list[Symbol]:
        """Returns all members of the symbol's family, including itself."""
        return self._family.get(symbol, [symbol])

    def has_foreign_base(self, symbol: Symbol) -> bool:
        """Reports whether a class of the family inherits from one outside the project."""
        owners = {ancestor for one in self.of(symbol) for ancestor in self._ancestors((one.file, one.path[:-1]))}
        return any(base is None for owner in owners for base in self._bases.get(owner, []))

    def _connected(self) -> dict[Symbol, list[Symbol]]:
        """Connects, for every class, all declarations of a name in it and its ancestors."""
        families: dict[Symbol, list[Symbol]] = {}
        for key in self._nodes:
            by_name = collections.defaultdict(list)
            for ancestor in self._ancestors(key):
                for name, symbol in self._members[ancestor].items():
                    by_name[name].append(symbol)
            for linked in by_name.values():
                if len(linked) > 1:
                    family = {one for symbol in linked for one in families.get(symbol, [symbol])}
                    ordered = sorted(family, key=lambda one: (one.file, one.line))
                    families.update((one, ordered) for one in family)
        return families

    def _ancestors(self, key: ClassKey) -> list[ClassKey]:
        seen, todo = [key], [key]
        while todo:
            for base in self._bases.get(todo.pop(), []):
                if base is not None and base not in seen:
                    seen.append(base)
                    todo.append(base)
        return seen

    def _bases_of(self, key: ClassKey) -> list[ClassKey | None]:
        """Returns the project's classes among its bases, and None for each other base except `object`."""
        module, node = self._nodes[key]
        found = [self._class_named(module, key[1][:-1], _dotted(base)) for base in node.bases]
        return [base for base, text in zip(found, node.bases) if base or _dotted(text) not in (["object"], ["Generic"])]

    def _class_named(self, module: Module, scope: tuple[str, ...], dotted: list[str] | None) -> ClassKey | None:
        """Returns the class that a dotted name refers to in a scope of a module."""
        if not dotted:
            return None
        for depth in range(len(scope), -1, -1):
            key = (module.file, (*scope[:depth], *dotted))
            if key in self._nodes:
                return key
        return self._imported(module.name, dotted, hops=12)

    def _imported(self, module: str, dotted: list[str], hops: int) -> ClassKey | None:
        """Follows imports to the class, also through packages that re-export it."""
        known = self._modules.get(module)
        if known is None or hops == 0 or not dotted:
            return None
        if (known.file, tuple(dotted)) in self._nodes:
            return known.file, tuple(dotted)
        if f"{module}.{dotted[0]}" in self._modules and len(dotted) > 1:
            return self._imported(f"{module}.{dotted[0]}", dotted[1:], hops - 1)
        for target, name in self._names[module].get(dotted[0], []) + self._names[module].get("*", []):
            rest = dotted if name == "*" else ([name] if name else []) + dotted[1:]
            while len(rest) > 1 and f"{target}.{rest[0]}" in self._modules:
                target, rest = f"{target}.{rest[0]}", rest[1:]
            if found := self._imported(target, rest, hops - 1):
                return found
        return None


def _dotted(node: ast.expr) -> list[str] | None:
    """Returns `a.b.C[T]` as ["a", "b", "C"]; None if the expression is computed."""
    if isinstance(node, ast.Subscript):
        node = node.value
    names = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return [node.id, *names] if isinstance(node, ast.Name) else None


def _classes(module: Module, body: list[ast.stmt], path: tuple[str, ...]) -> Iterator[tuple[ClassKey, Module, ast.ClassDef]]:
    for node in body:
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            inner = (*path, node.name)
            if isinstance(node, ast.ClassDef):
                yield (module.file, inner), module, node
            yield from _classes(module, node.body, inner)
        elif isinstance(node, NESTING):
            for part in _parts(node):
                yield from _classes(module, part, path)


def _bindings(module: Module) -> dict[str, list[tuple[str, str]]]:
    """Returns the bindings of the module's imports: name → (module, name in it, "" for the module itself)."""
    bound = collections.defaultdict(list)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.split(".")[0]
                bound[alias.asname or whole].append((whole, ""))
        elif isinstance(node, ast.ImportFrom):
            above = module.package[: len(module.package) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                bound[alias.asname or alias.name].append((source, alias.name))
    return bound
