"""The project's Python sources and what each of them imports, read with `ast`."""

from __future__ import annotations

import ast
import functools
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parents[2]

PACKAGES = {"dataflow": "dataflow", "actors": "dataflow.actors", "kernels": "dataflow.kernels"}
"""Folder of the checkout -> import name."""

When = Literal["module", "function", "typing"]

_IMPORTING = ("import_module", "__import__")


@dataclass(frozen=True)
class Import:
    """One imported module."""

    module: str
    line: int
    when: When


@dataclass(frozen=True)
class Source:
    """One file of the three packages, or of the folders that are not installed."""

    root: Path
    path: Path
    module: str

    @property
    def name(self) -> str:
        """Path relative to the checkout, with forward slashes."""
        return self.path.relative_to(self.root).as_posix()

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def generated(self) -> bool:
        return self.path.stem.endswith("_pb2")

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        # The trees stay: to look for garbage among them takes longer than to make them.
        gc.disable()
        try:
            return ast.parse(self.text, filename=str(self.path))
        finally:
            gc.freeze()
            gc.enable()

    @cached_property
    def imported(self) -> list[tuple[str, str, int, When]]:
        """What its imports name: a module, what is taken from it or "", and the line."""
        skipped = () if any(name in self.text for name in _IMPORTING) else ast.expr
        return list(_imported(self, self.tree, "module", skipped))


@functools.cache
def _folder(root: Path, folder: str, package: str) -> tuple[Source, ...]:
    """The files of a folder; each is read and parsed once, whoever asks."""
    return tuple(_files(root, folder, package))


def _files(root: Path, folder: str, package: str) -> Iterator[Source]:
    for path in sorted((root / folder).rglob("*.py")):
        relative = path.relative_to(root / folder)
        # The links dataflow/actors and dataflow/kernels show the other two folders once more.
        if folder == "dataflow" and relative.parts[0] in ("actors", "kernels"):
            continue
        parts = [package, *relative.with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        yield Source(root, path, ".".join(parts))


def package_sources(root: Path = ROOT) -> list[Source]:
    """Every file that is installed, generated ones included."""
    return [s for folder, name in PACKAGES.items() for s in _folder(root, folder, name)]


def other_sources(root: Path = ROOT) -> list[Source]:
    """Tests, examples, benchmarks and tools."""
    folders = ("tests", "examples", "benchmarks", "tools")
    return [source for folder in folders for source in _folder(root, folder, folder)]


def imports(source: Source, known: set[str]) -> list[Import]:
    """Every import of a file, wherever it stands.

    Args:
        source: The file.
        known: Names of the project's modules: `from dataflow import shapes` imports
            `dataflow.values.shapes` if there is such a module, else `dataflow`.

    Returns:
        Imports in the order of the file. Constant arguments of `import_module` and `__import__`
        count too.
    """
    return [
        Import(full if (full := f"{module}.{name}") in known else module, line, when)
        for module, name, line, when in source.imported
    ]


def _imported(
    source: Source, node: ast.AST, when: When, skipped: Any
) -> Iterator[tuple[str, str, int, When]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, "", node.lineno, when) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _absolute(source, node)
        yield from ((base, alias.name, node.lineno, when) for alias in node.names)
    elif isinstance(node, ast.Call) and _called(node) in _IMPORTING:
        name = node.args[0] if node.args else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value, "", node.lineno, when
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        when = "function" if when == "module" else when
    if isinstance(node, ast.If) and _is_type_checking(node.test):
        for statement in node.body:
            yield from _imported(source, statement, "typing", skipped)
        for statement in node.orelse:
            yield from _imported(source, statement, when, skipped)
        return
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, skipped):
            yield from _imported(source, child, when, skipped)


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = source.module.split(".")
    if not source.is_package:
        parts.pop()
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"
