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
        program.uses.extend(_Reader(str(file)).read(tree))
    return program


class _Reader:
    """One file. A name that means one thing at one place is taken to mean it everywhere."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._meanings: dict[str, str] = {}

    def read(self, tree: ast.Module) -> list[Use]:
        nodes = list(ast.walk(tree))
        found = [use for node in nodes for use in self._imported(node)]
        # `layers = tf.contrib.layers`; twice, for what is named after what is named.
        for _ in range(2):
            for node in nodes:
                if isinstance(node, ast.Assign) and (path := self._path(node.value)):
                    for target in node.targets:
                        if isinstance(target, ast.Name):
                            self._meanings.setdefault(target.id, path)
        inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if isinstance(node, ast.Attribute) and id(node) not in inner:
                found += self._longest(node)
        return sorted(found)

    def _imported(self, node: ast.AST) -> Iterator[Use]:
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] not in _ROOTS:
                    continue
                meaning = name.name if name.asname else name.name.split(".")[0]
                self._meanings[name.asname or meaning] = meaning
                if "." in name.name:
                    yield Use(name.name, self._file, node.lineno)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            if module.split(".")[0] not in _ROOTS:
                return
            for name in node.names:
                if name.name == "*":
                    yield Use(module, self._file, node.lineno)
                    continue
                self._meanings[name.asname or name.name] = f"{module}.{name.name}"
                yield Use(f"{module}.{name.name}", self._file, node.lineno)

    def _longest(self, node: ast.Attribute) -> list[Use]:
        """The use of an attribute of an attribute ..., or of what of it begins with a name."""
        path = self._path(node)
        if path:
            return [Use(path, self._file, node.lineno)]
        inner = node.value
        return self._longest(inner) if isinstance(inner, ast.Attribute) else []

    def _path(self, node: ast.expr) -> str | None:
        """In full what an expression of names and dots means."""
        if isinstance(node, ast.Name):
            return self._meanings.get(node.id)
        if isinstance(node, ast.Attribute) and (path := self._path(node.value)):
            return f"{path}.{node.attr}"
        return None
