"""What the sources take from the standard library is in the oldest Python that pyproject claims.

Syntax is ruff's job, which is told the same version.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from types import NoneType
from typing import Any

import pytest

from tests.house.stdlib_stubs import Version, has_module, is_generic, is_standard, names_of
from tests.house.tree import ROOT, other_sources, package_sources

_PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
_FOUND = re.search(r'requires-python = ">=(\d+)\.(\d+)', _PYPROJECT)
assert _FOUND
OLDEST: Version = (int(_FOUND[1]), int(_FOUND[2]))
_NEWEST: Version = (99, 0)
_KINDS = {ast.Import, ast.ImportFrom, ast.Attribute, ast.Name, ast.Subscript, ast.arg}
_LEAVES = {ast.Constant, ast.Load, ast.Store, int, str, NoneType}
_PARTLY_RUN = {ast.arg, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef}


def faults(tree: ast.Module, version: Version = OLDEST) -> Iterator[str]:
    """What a file takes from the standard library that a Python does not have, by line.

    A name that is bound to anything else anywhere in the file counts for no module.
    """
    modules: dict[str, str] = {}
    names: dict[str, tuple[str, str]] = {}
    nodes = _run(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if is_standard(alias.name):
                    if not has_module(alias.name, version):
                        yield f"{node.lineno}: {alias.name}"
                    bound = alias.asname or alias.name.partition(".")[0]
                    modules[bound] = alias.name if alias.asname else bound
        elif isinstance(node, ast.ImportFrom) and node.module and is_standard(node.module):
            for alias in node.names:
                if not _has(node.module, alias.name, version):
                    yield f"{node.lineno}: {node.module}.{alias.name}"
                names[alias.asname or alias.name] = node.module, alias.name
    for node in nodes:
        if isinstance(node, ast.arg):
            modules.pop(node.arg, None)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            modules.pop(node.id, None)
    new_builtins = names_of("builtins", _NEWEST).keys() - names_of("builtins", version).keys()
    new_builtins -= {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id)
            if module and not _has(module, node.attr, version):
                yield f"{node.lineno}: {module}.{node.attr}"
        elif isinstance(node, ast.Name) and node.id in new_builtins and node.id not in names:
            yield f"{node.lineno}: {node.id}"
        elif isinstance(node, ast.Subscript):
            place = _place(node.value, modules, names)
            if place and not is_generic(*place, version):
                yield f"{node.lineno}: {'.'.join(place)}[...]"


def _run(tree: ast.Module) -> list[ast.AST]:
    """The nodes that matter, of what is run: annotations are not, nor is what only type checkers
    see."""
    found: list[ast.AST] = []
    ahead: list[Any] = [tree]
    while ahead:
        node = ahead.pop()
        kind = type(node)
        if kind is list:
            ahead += node
        elif kind in _LEAVES or not isinstance(node, ast.AST):
            continue
        else:
            if kind in _KINDS:
                found.append(node)
            fields = node.__dict__
            if kind in _PARTLY_RUN or _is_typing(node):
                left_out = ("body",) if kind is ast.If else ("annotation", "returns")
                fields = {name: fields[name] for name in fields if name not in left_out}
            ahead += fields.values()
    return found


def _is_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _has(module: str, name: str, version: Version) -> bool:
    within = f"{module}.{name}"
    return name in names_of(module, version) or name[:2] == "__" or has_module(within, version)


def _place(
    value: ast.expr, modules: dict[str, str], names: dict[str, tuple[str, str]]
) -> tuple[str, str] | None:
    """Module and name of something of the standard library."""
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
        module = modules.get(value.value.id)
        return (module, value.attr) if module else None
    if isinstance(value, ast.Name):
        if value.id in names:
            return names[value.id]
        return ("builtins", value.id) if isinstance(getattr(builtins, value.id, 0), type) else None
    return None


OLDER = "tests/porting/programs/former_names.py"
"""Written for Pythons of 2016: what is gone comes back to it."""


def test_every_file() -> None:
    found = [
        f"{source.name}:{fault}"
        for source in (*package_sources(), *other_sources())
        if source.name != OLDER
        for fault in faults(source.tree)
    ]
    assert not found, f"not in Python {OLDEST}:\n" + "\n".join(found)


def test_ruff_is_told_the_same() -> None:
    assert f'target-version = "py{OLDEST[0]}{OLDEST[1]}"' in _PYPROJECT


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("import tomllib", "1: tomllib"),
        ("def f():\n    from typing import Self", "2: typing.Self"),
        ("import datetime as d\nx = d.UTC", "2: datetime.UTC"),
        ("import enum\nclass A(enum.StrEnum): ...", "2: enum.StrEnum"),
        ("import asyncio\nasyncio.timeout(1)", "2: asyncio.timeout"),
        ("import logging\nlogging.getLevelNamesMapping()", "2: logging.getLevelNamesMapping"),
        ("import itertools\nx = itertools.batched", "2: itertools.batched"),
        ("raise ExceptionGroup('', [])", "1: ExceptionGroup"),
        ("import logging\nclass A(logging.StreamHandler[int]): ...", "2: logging.StreamHandler["),
        ("from logging import LoggerAdapter as L\nX = L[int]", "2: logging.LoggerAdapter["),
        ("x = slice[int]", "1: builtins.slice["),
    ],
)
def test_what_is_newer_is_found(text: str, fault: str) -> None:
    (found,) = faults(ast.parse(text), (3, 10))
    assert found.startswith(fault)


@pytest.mark.parametrize(
    "text",
    [
        "from collections import OrderedDict\nclass A(OrderedDict[str, int]): ...",
        "import queue\nclass A(queue.Queue[int]): ...",
        "from collections.abc import Callable, Mapping\nX = Callable[[int], Mapping[str, int]]",
        "from contextlib import AbstractContextManager\nX = AbstractContextManager[int]",
        "import weakref\nX = weakref.WeakKeyDictionary[str, weakref.ref[int]]",
        "import os.path\nX = os.path.join, os.PathLike[str], os.fork",
        "import logging\ndef f(x: logging.StreamHandler[int]) -> slice[int]: ...",
        "import typing\nif typing.TYPE_CHECKING:\n    from typing import Self",
        "X = dict[str, tuple[type[int], ...]]",
    ],
)
def test_what_is_there_is_no_fault(text: str) -> None:
    assert not list(faults(ast.parse(text), (3, 10)))
