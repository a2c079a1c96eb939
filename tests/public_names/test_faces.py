"""A public module names things and defines nothing; `dir` and all forms of import show them."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from types import ModuleType

import pytest
from ray import cloudpickle

import dataflow as tf
from tests.house.layers import FACE_PACKAGES
from tests.house.tree import ROOT, Source, package_sources
from tests.public_names.lists import theirs

_DEFINE = ("dataflow.errors", "dataflow.raw_ops", "dataflow.compat.v1", "dataflow.compat.v2")
"""Classes that all raise, functions made from the ops, and the library under another name."""

_FACES = [
    source
    for source in package_sources()
    if source.module == "dataflow"
    or source.module.split(".")[1:2] in [[name] for name in FACE_PACKAGES]
    or (source.module.count(".") == 1 and not source.is_package)
]


@pytest.mark.parametrize("face", _FACES, ids=lambda source: source.module)
def test_names_are_written_once(face: Source) -> None:
    if face.module in _DEFINE:
        return
    lines = [_line(node) for node in face.tree.body[1:]]
    assert not [line for line in lines if line], "a face says `from ... import name as name`"
    names = [name for node in face.tree.body for name in _named(node)]
    assert sorted(set(names)) == sorted(names)


def _line(node: ast.stmt) -> str | None:
    """What of a statement does more than name something."""
    if isinstance(node, ast.ImportFrom) and _holds_names(node):
        wrong = [alias.name for alias in node.names if alias.name != "*"]
    elif isinstance(node, ast.ImportFrom):
        wrong = [alias.name for alias in node.names if alias.asname != alias.name]
    elif isinstance(node, ast.Import):
        wrong = [alias.name for alias in node.names if not (alias.asname or "").startswith("_")]
    elif isinstance(node, ast.Assign):
        wrong = [] if isinstance(node.value, ast.Attribute | ast.Constant) else [ast.unparse(node)]
    elif isinstance(node, ast.If):
        # What type checkers see of the modules that load when they are asked for.
        wrong = [line for each in node.body if (line := _line(each))]
    else:
        wrong = [] if isinstance(node, ast.Expr) else [ast.unparse(node)]
    return ", ".join(wrong) or None


def _holds_names(node: ast.ImportFrom) -> bool:
    return (node.module or "").startswith("dataflow.names.")


def _named(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ImportFrom) and _holds_names(node):
        (face,) = (each for each in _FACES if each.module == node.module)
        return [name for each in face.tree.body for name in _named(each)]
    if isinstance(node, ast.ImportFrom | ast.Import):
        return [alias.asname or alias.name for alias in node.names]
    if isinstance(node, ast.Assign):
        return [ast.unparse(target) for target in node.targets]
    return [name for each in node.body for name in _named(each)] if isinstance(node, ast.If) else []


def test_dir_shows_no_internals() -> None:
    names = set(dir(tf))
    assert {"Session", "placeholder", "nn", "train", "float32", "dtypes"} <= names
    assert not names & {"annotations", "typing", "importlib", "values", "ops", "kernels", "actors"}
    modules = {name for name in names if isinstance(getattr(tf, name), ModuleType)}
    # TensorFlow 2 has no such things any more; TensorFlow 1 programs are made of them.
    assert {f"tf.{name}" for name in modules} <= theirs().keys() | {
        "tf.contrib",
        "tf.estimator",
        "tf.keras",
        "tf.layers",
    }
    # What is no public name can still be imported.
    assert importlib.import_module("dataflow.values.dtypes").float32 is tf.float32


PROGRAMS = {
    "library": "import dataflow as tf; tf.nn.relu; tf.train.AdamOptimizer; tf.math.special.expint",
    "module": "import dataflow.nn as nn; nn.relu",
    "module by from": "from dataflow import nn, train; nn.relu; train.AdamOptimizer",
    "module in full": "import dataflow.train; dataflow.train.AdamOptimizer; dataflow.Session",
    "module in module": "import dataflow.math.special as special; special.expint",
    "everything": "from dataflow import *; nn.relu; Session; assert 'values' not in dir()",
    "only what is asked for": "import dataflow, sys; assert 'dataflow.test' not in sys.modules",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_imports(name: str) -> None:
    done = _run(PROGRAMS[name])
    assert done.returncode == 0, done.stderr


MISTAKES = {
    "unknown": (
        "import dataflow as tf; tf.no_such_name",
        "AttributeError: module 'dataflow' has no attribute 'no_such_name'",
    ),
    "mistyped": (
        "import dataflow as tf; tf.placehodler",
        "AttributeError: module 'dataflow' has no attribute 'placehodler'. "
        "Did you mean: 'placeholder'?",
    ),
    "in a module": (
        "import dataflow as tf; tf.nn.no_such",
        "AttributeError: module 'dataflow.nn' has no attribute 'no_such'",
    ),
    "mistyped in a module": (
        "import dataflow as tf; tf.nn.rellu",
        "AttributeError: module 'dataflow.nn' has no attribute 'rellu'. Did you mean: 'relu'?",
    ),
    "from": (
        "from dataflow import no_such_name",
        "ImportError: cannot import name 'no_such_name' from 'dataflow'",
    ),
    "hidden until imported": (
        "import dataflow as tf; tf.actors",
        "AttributeError: module 'dataflow' has no attribute 'actors'",
    ),
}


def test_mistakes() -> None:
    # Python suggests names where it prints an error that nobody caught.
    program = f"""import sys
for program in {[program for program, _ in MISTAKES.values()]}:
    try:
        exec(program, {{}})
    except Exception:
        sys.excepthook(*sys.exc_info())
"""
    printed = [line for line in _run(program).stderr.splitlines() if "Error: " in line]
    for line, (_, complaint) in zip(printed, MISTAKES.values(), strict=True):
        assert line.startswith(complaint)


def _run(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_functions_that_use_modules_can_be_sent() -> None:
    """By value, as Ray sends those of a program."""
    for module in (tf, tf.nn, tf.keras, tf.compat.v1):
        sent = cloudpickle.dumps(lambda module=module: module)
        assert cloudpickle.loads(sent)() is module
