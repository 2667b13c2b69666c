#!/usr/bin/env python3
"""Writes classes.txt beside this file: the classes of Python's builtins and standard library, with the names that each
declares itself. Run it with the newest CPython at hand: `python3.13 grammars/python/classes.py`.

A line is `module.Class<TAB>bases<TAB>names`, both lists separated by spaces; bases are lines of their own. A line
`module.Class = module.Class` is another name of a class. `object` is no base, and names between double underscores are left
out: the language looks those up, whoever declares them. Names that are assigned to `self` are among the names.
"""

import ast
import importlib
import inspect
import pkgutil
import sys
import types
import typing
import warnings
from pathlib import Path

# No public classes, or none that a project inherits from; importing some of them does things.
SKIPPED = {
    "antigravity", "this", "idlelib", "lib2to3", "test", "turtledemo", "ensurepip", "pip", "setuptools", "pkg_resources",
    "venv", "turtle", "encodings", "_pyrepl", "msilib", "pydoc_data",
}

# What typing makes look like classes; each declares what instances of its subclasses have.
SPECIAL = {
    "typing.NamedTuple": (["tuple"], ["_asdict", "_replace", "_make", "_fields", "_field_defaults"]),
    "typing.TypedDict": (["dict"], []),
    "typing.Any": ([], []),
    "typing.Generic": ([], []),
    "typing.Protocol": ([], []),
}


def modules():
    """The public modules, each imported."""
    names = set(sys.stdlib_module_names) | {"builtins"}
    for name in sorted(names):
        if name.startswith("_") or name in SKIPPED:
            continue
        module = load(name)
        if module is None:
            continue
        yield module
        for info in pkgutil.walk_packages(getattr(module, "__path__", []), name + "."):
            parts = info.name.split(".")
            if any(part.startswith("_") or part in ("test", "tests", "idle_test") for part in parts):
                continue
            if (below := load(info.name)) is not None:
                yield below


def load(name):
    try:
        return importlib.import_module(name)
    except BaseException as error:  # Modules of other systems, and those that need a display.
        print(f"{name}: {error}", file=sys.stderr)
        return None


def is_dunder(name):
    return name.startswith("__")


def path(cls):
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def given_to_self(cls):
    """Names that the methods of a class assign to their first argument, and those that are only annotated."""
    tree = class_node(cls)
    names = set()
    for function in ast.walk(tree) if tree else ():
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or not function.args.args:
            continue
        this = function.args.args[0].arg
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id == this
            ):
                names.add(node.attr)
    annotated = vars(cls).get("__annotations__")
    return names | set(annotated if isinstance(annotated, dict) else ())


TREES = {}


def class_node(cls):
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None) or ""
    if not file.endswith(".py"):
        return None
    if file not in TREES:
        TREES[file] = {}
        collect(ast.parse(Path(file).read_text(encoding="utf-8")), "", TREES[file])
    return TREES[file].get(cls.__qualname__)


def collect(node, prefix, found):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            found[prefix + child.name] = child
            collect(child, prefix + child.name + ".", found)
        elif not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            collect(child, prefix, found)


def is_closed(cls):
    """Whether nothing can inherit from it: an enumeration with members."""
    return bool(getattr(cls, "__members__", None))


CLASSES = {}
ALIASES = {}


def add(cls):
    """Notes a class with all that it inherits from."""
    name = path(cls)
    if cls is object or name in CLASSES:
        return
    names = {name for name in [*vars(cls), *given_to_self(cls)] if not is_dunder(name) and name.isidentifier()}
    bases = [base for base in cls.__bases__ if base is not object]
    CLASSES[name] = ([path(base) for base in bases], sorted(names))
    for base in bases:
        add(base)


def is_offered(owner, name, cls):
    """Whether the module means to offer the class, rather than using another's."""
    if not inspect.ismodule(owner):
        return cls.__qualname__ == f"{owner.__qualname__}.{name}"
    if (offered := getattr(owner, "__all__", None)) is not None and name in offered:
        return True
    return cls.__module__ == owner.__name__ or cls.__module__.startswith("_")


def look_through(owner, public, seen):
    for name, value in sorted(vars(owner).items()):
        if name.startswith("_") or isinstance(value, types.GenericAlias):
            continue
        # typing.List and its like stand for classes, and inheriting from them is inheriting from those.
        origin = typing.get_origin(value) if public.startswith("typing.") else None
        cls = value if inspect.isclass(value) else origin
        if not inspect.isclass(cls) or is_closed(cls) or id(cls) in seen or not is_offered(owner, name, cls):
            continue
        shown = f"{public}{name}"
        if path(cls) != shown and shown not in SPECIAL:
            ALIASES[shown] = path(cls)
        if shown not in SPECIAL:
            add(cls)
        if inspect.isclass(value) and value.__qualname__.endswith(name) and public.count(".") < 4:
            look_through(value, f"{shown}.", seen | {id(cls)})


def main():
    warnings.simplefilter("ignore")
    for module in modules():
        look_through(module, "" if module.__name__ == "builtins" else module.__name__ + ".", frozenset())
    for name, (bases, names) in SPECIAL.items():
        CLASSES[name] = (bases, names)
    lines = [f"{name}\t{' '.join(bases)}\t{' '.join(names)}".rstrip("\t") for name, (bases, names) in CLASSES.items()]
    lines += [f"{name} = {of}" for name, of in ALIASES.items() if of in CLASSES and name not in CLASSES]
    Path(__file__).with_name("classes.txt").write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
