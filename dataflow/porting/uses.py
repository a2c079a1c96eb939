"""Which of TensorFlow's names a program uses, and where: read, not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dataflow.porting import older_python

_ROOTS = ("tensorflow", "tf_slim")


@dataclass(frozen=True, order=True)
class Use:
    """A name, and a line that has it."""

    path: str
    """In full: "tensorflow.nn.relu"."""
    file: str
    line: int


@dataclass
class Program:
    """What was read."""

    files: int = 0
    uses: list[Use] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    """Files that are no Python 3, with the reason."""
    given: set[str] = field(default_factory=set)
    """Names that the program itself sets: "tensorflow.GraphKeys.INPUTS" of `... = "inputs"`."""


def read(path: Path) -> Program:
    """The uses in a file, or in all Python files of a folder."""
    program = Program()
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        program.files += 1
        try:
            tree = ast.parse(file.read_bytes(), str(file))
        except (SyntaxError, ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            place = f"{file}, line {line}" if line else f"{file}"
            reasons = [f"{error.args[0] if error.args else error}", older_python.hint(error)]
            program.unread.append((place, " ".join(filter(None, reasons))))
            continue
        reader = _Reader(str(file))
        program.uses.extend(reader.read(tree))
        program.given |= reader.given
    return program


class _Scope:
    """What names mean in a module, or in a function of it.

    A name that means one thing at one place of a scope is taken to mean it in all of it.
    """

    def __init__(self, outer: _Scope | None = None) -> None:
        self._outer = outer
        self._meanings: dict[str, str | None] = {}
        """None for what is not TensorFlow's."""

    def mean(self, name: str, meaning: str | None) -> None:
        """Has a name mean something of TensorFlow's, or else something, if it means nothing yet."""
        if meaning is None:
            self._meanings.setdefault(name, None)
        else:
            self._meanings[name] = meaning

    def path(self, node: ast.expr) -> str | None:
        """In full what an expression of names and dots means."""
        if isinstance(node, ast.Name):
            scope: _Scope | None = self
            while scope is not None and node.id not in scope._meanings:
                scope = scope._outer
            return None if scope is None else scope._meanings[node.id]
        if isinstance(node, ast.Attribute) and (path := self.path(node.value)):
            return f"{path}.{node.attr}"
        return None


class _Reader:
    """One file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.given: set[str] = set()

    def read(self, tree: ast.Module) -> list[Use]:
        nodes = list(_scoped(tree, _Scope()))
        found = [use for node, scope in nodes for use in self._imported(node, scope)]
        # `layers = tf.contrib.layers`; twice, for what is named after what is named.
        for _ in range(2):
            for node, scope in nodes:
                if isinstance(node, ast.Assign) and (path := scope.path(node.value)):
                    for target in node.targets:
                        if isinstance(target, ast.Name) and not scope.path(target):
                            scope.mean(target.id, path)
        inner = {id(node.value) for node, _ in nodes if isinstance(node, ast.Attribute)}
        for node, scope in nodes:
            if isinstance(node, ast.Attribute) and id(node) not in inner:
                found += self._longest(node, scope)
        return sorted(found)

    def _imported(self, node: ast.AST, scope: _Scope) -> Iterator[Use]:
        if isinstance(node, ast.Import):
            for name in node.names:
                root = name.name.split(".")[0]
                meaning = name.name if name.asname else root
                scope.mean(name.asname or meaning, meaning if root in _ROOTS else None)
                if root in _ROOTS and "." in name.name:
                    yield Use(name.name, self._file, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            is_of_tensorflow = not node.level and module.split(".")[0] in _ROOTS
            for name in node.names:
                path = module if name.name == "*" else f"{module}.{name.name}"
                if name.name != "*":
                    scope.mean(name.asname or name.name, path if is_of_tensorflow else None)
                if is_of_tensorflow:
                    yield Use(path, self._file, node.lineno)

    def _longest(self, node: ast.Attribute, scope: _Scope) -> list[Use]:
        """The use of an attribute of an attribute ..., or of what of it begins with a name."""
        path = scope.path(node)
        if path:
            if isinstance(node.ctx, ast.Store):
                self.given.add(path)
            return [Use(path, self._file, node.lineno)]
        inner = node.value
        return self._longest(inner, scope) if isinstance(inner, ast.Attribute) else []


def _scoped(node: ast.AST, scope: _Scope) -> Iterator[tuple[ast.AST, _Scope]]:
    """All that is below a node, with the scope that its names are looked up in."""
    pending = [(node, scope)]
    while pending:
        node, scope = pending.pop()
        yield node, scope
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            scope = _Scope(scope)
        pending.extend((child, scope) for child in ast.iter_child_nodes(node))
