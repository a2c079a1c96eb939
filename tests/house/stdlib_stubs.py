"""What the standard library of a given Python has, read from the stubs that mypy brings along."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import mypy

_STUBS: Final = Path(mypy.__file__).parent / "typeshed" / "stdlib"
_COMPARISONS: Final = {ast.Lt: operator.lt, ast.GtE: operator.ge}

Version = tuple[int, int]
Names = dict[str, ast.stmt]
"""Name -> the statement that binds it."""


def is_standard(module: str) -> bool:
    """Whether a module is, or was, one of the standard library."""
    return module.partition(".")[0] in _ranges() and module != "__future__"


@functools.cache
def has_module(module: str, version: Version) -> bool:
    """Whether a Python has a module of the standard library."""
    ranges = _ranges()
    parts = module.split(".")
    found = next((n for i in range(len(parts), 0, -1) if (n := ".".join(parts[:i])) in ranges), "")
    if not found or _path(module) is None:
        return False
    first, last = ranges[found]
    return first <= version <= last


@functools.cache
def names_of(module: str, version: Version) -> Names:
    """What a module of the standard library binds, on any platform."""
    path, found = _path(module), Names()
    if path is None:
        return found
    for statement in _statements(ast.parse(path.read_text(encoding="utf-8")).body, version):
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            found |= names_of(_source(module, path, statement), version)
        else:
            found |= dict.fromkeys(_bound(statement), statement)
    return found


def is_generic(module: str, name: str, version: Version) -> bool:
    """Whether what a module binds can be subscripted at run time; a class, only if it says so."""
    statement = names_of(module, version).get(name)
    if isinstance(statement, ast.ImportFrom):
        path = _path(module)
        assert path is not None
        original = next(a.name for a in statement.names if (a.asname or a.name) == name)
        return is_generic(_source(module, path, statement), original, version)
    # What is a protocol to type checkers is one of the old abstract classes, and `type` is special.
    if not isinstance(statement, ast.ClassDef) or module == "typing" or name == "type":
        return True
    if "__class_getitem__" in (n for s in _statements(statement.body, version) for n in _bound(s)):
        return True
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in statement.bases]
    found = [base.id for base in bases if isinstance(base, ast.Name) and base.id != "Generic"]
    return "Protocol" in found or any(is_generic(module, base, version) for base in found)


@functools.cache
def _ranges() -> dict[str, tuple[Version, Version]]:
    found: dict[str, tuple[Version, Version]] = {}
    for line in (_STUBS / "VERSIONS").read_text(encoding="utf-8").splitlines():
        module, _, versions = line.partition("#")[0].strip().partition(": ")
        if versions:
            first, _, last = versions.partition("-")
            found[module] = _version(first), _version(last) if last else (99, 0)
    return found


def _version(text: str) -> Version:
    major, minor = text.split(".")
    return int(major), int(minor)


def _path(module: str) -> Path | None:
    place = _STUBS.joinpath(*module.split("."))
    paths = (place / "__init__.pyi", place.with_name(f"{place.name}.pyi"))
    return next((path for path in paths if path.exists()), None)


def _source(module: str, path: Path, statement: ast.ImportFrom) -> str:
    """The module that a stub imports from."""
    if not statement.level:
        return statement.module or ""
    package = module.split(".")
    package = package[: len(package) - statement.level + (path.name == "__init__.pyi")]
    return ".".join([*package, *([statement.module] if statement.module else [])])


def _statements(body: list[ast.stmt], version: Version) -> Iterator[ast.stmt]:
    """The statements that hold for a version, those of any platform."""
    for statement in body:
        if isinstance(statement, ast.If):
            holds = _holds(statement.test, version)
            if holds is not False:
                yield from _statements(statement.body, version)
            if holds is not True:
                yield from _statements(statement.orelse, version)
        else:
            yield statement


def _holds(test: ast.expr, version: Version) -> bool | None:
    """The truth of a condition; None for one of the platform."""
    if isinstance(test, ast.BoolOp):
        parts = [_holds(part, version) for part in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(test, ast.Compare) and ast.unparse(test.left) == "sys.version_info":
        compare = _COMPARISONS[type(test.ops[0])]
        return bool(compare(version, ast.literal_eval(test.comparators[0])))
    return None


def _bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in statement.names]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]
