"""CONTRIBUTING.md's way to add an op, followed from nothing in a copy of the tree."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT

OPS = ("Square", "Invert")
_FOLDERS = ("dataflow", "actors", "kernels", "tests", "pyproject.toml")
_COMPLETENESS = "tests/ops/test_completeness.py"
_EDITS = ("dataflow/", "kernels/", "tests/")


def _names(node: ast.expr | None, op: str) -> bool:
    """Is this a call, starred or not, whose first argument is the op?"""
    node = node.value if isinstance(node, ast.Starred) else node
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    return isinstance(first, ast.Constant) and first.value == op


class _Cut(ast.NodeTransformer):
    """Takes an op out of a module: its definition, its kernel, its rows."""

    def __init__(self, op: str) -> None:
        self._op = op

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if _names(node.value, self._op) else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        bound = any(_names(decorator, self._op) for decorator in node.decorator_list)
        return None if bound else self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        kept = [
            (key, value)
            for key, value in zip(node.keys, node.values, strict=True)
            if not (isinstance(key, ast.Constant) and key.value == self._op)
        ]
        node.keys, node.values = [key for key, _ in kept], [value for _, value in kept]
        return self.generic_visit(node)

    def visit_List(self, node: ast.List) -> ast.AST:
        node.elts = [each for each in node.elts if not _names(each, self._op)]
        return self.generic_visit(node)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the tree without the ops."""
    for name in _FOLDERS:
        if (ROOT / name).is_dir():
            # With what is compiled: it is as new as its source, here and there.
            shutil.copytree(ROOT / name, tmp_path / name, symlinks=True)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    for folder in ("dataflow/ops", "kernels/ops", "tests/ops/cases"):
        for path in sorted((tmp_path / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            held = [op for op in OPS if f'"{op}"' in text]
            if held:
                tree: ast.AST = ast.parse(text)
                for op in held:
                    tree = _Cut(op).visit(tree)
                path.write_text(ast.unparse(ast.fix_missing_locations(tree)), encoding="utf-8")
    return tmp_path


def _edits() -> dict[str, str]:
    """Path -> text of the files that CONTRIBUTING.md shows."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return dict(re.findall(r"```python\n# (\S+\.py)\n(.*?)```", text, re.DOTALL))


def _run(checkout: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    # What one run compiles, and pytest rewrites, the next one reads.
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout


def _write(checkout: Path, op: str, folder: str) -> None:
    """Makes one of the edits for an op."""
    edits = [each for each in _edits().items() if each[0].startswith(folder)]
    ((name, text),) = (each for each in edits if f'"{op}"' in each[1])
    assert not (checkout / name).exists(), f"{name} is there: show another file"
    (checkout / name).write_text(text, encoding="utf-8")


def test_an_op_is_three_edits(checkout: Path) -> None:
    assert len(_edits()) == len(_EDITS) * len(OPS)
    # One op is an edit ahead of the other, so that one run tells what each of the two lacks.
    made = {OPS[0]: 1, OPS[1]: 2}
    for op, count in made.items():
        for folder in _EDITS[:count]:
            _write(checkout, op, folder)
    found = _run(checkout, _COMPLETENESS)
    assert f"no kernel for {OPS[0]}" in found, found
    assert f"no row for {OPS[1]}" in found, found
    for op, count in made.items():
        for folder in _EDITS[count:]:
            _write(checkout, op, folder)
    chosen = " or ".join(("completeness", *(f"{op}-" for op in OPS)))
    driven = _run(checkout, _COMPLETENESS, "tests/ops/test_conformance.py", "-k", chosen)
    assert "failed" not in driven, driven
    counts = [driven.count(" passed"), driven.count("error")]
    assert counts == [1, 0], driven
