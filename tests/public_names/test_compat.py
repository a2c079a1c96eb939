"""tf.compat.v1, imported as programs do, is this library; there is no tf.compat.v2."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import dataflow as tf
from tests.house.tree import ROOT


@pytest.mark.parametrize(
    ("statement", "name", "original"),
    [
        ("import dataflow.compat.v1 as tf", "tf.Session", "dataflow.Session"),
        ("import dataflow.compat.v1 as tf", "tf", "dataflow.compat.v1"),
        ("import dataflow.compat.v1", "dataflow.compat.v1.float32", "dataflow.float32"),
        ("import dataflow.compat.v1 as tf", "tf.test.TestCase", "dataflow.test.TestCase"),
        (
            "from dataflow.compat import v1",
            "v1.train.AdamOptimizer",
            "dataflow.train.AdamOptimizer",
        ),
        ("from dataflow.compat.v1 import nn, Session", "nn", "dataflow.nn"),
        ("import dataflow.compat.v1.nn as nn", "nn", "dataflow.nn"),
        ("import dataflow.compat.v1.test as test", "test", "dataflow.test"),
        ("from dataflow.compat.v1.nn import relu", "relu", "dataflow.nn.relu"),
        ("from dataflow.compat.v1 import *", "Session", "dataflow.Session"),
        ("import dataflow.compat.v1.compat.v1 as tf", "tf", "dataflow.compat.v1"),
        ("import dataflow.compat.v1.ops.math as ops", "ops", "dataflow.ops.math"),
        ("import dataflow.compat as compat", "compat.v1.Graph", "dataflow.Graph"),
        ("import dataflow as tf", "tf.compat.v1.compat.as_bytes", "tf.compat.as_bytes"),
    ],
)
def test_as_the_first_import(statement: str, name: str, original: str) -> None:
    program = f"{statement}\nmine = {name}\nimport dataflow\nassert mine is {original}"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_nothing_is_loaded_twice_or_renamed() -> None:
    for name in ("nn", "compat", "ops.math"):
        module = importlib.import_module(f"dataflow.compat.v1.{name}")
        assert module is importlib.import_module(f"dataflow.{name}")
        assert module.__name__ == module.__spec__.name == f"dataflow.{name}"  # type: ignore[union-attr]


def test_what_is_assigned_to_the_library_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf, "a_name_of_a_test", 5, raising=False)
    assert tf.compat.v1.a_name_of_a_test == 5
    assert tf.compat.v1 is tf


@pytest.mark.parametrize(
    ("statement", "error", "text"),
    [
        ("from dataflow.compat.v1 import Sesion", ImportError, "cannot import name 'Sesion'"),
        ("import dataflow.compat.v1.nm", ModuleNotFoundError, r"'dataflow\.compat\.v1\.nm'"),
        ("tf.compat.v1.Sesion", AttributeError, "no attribute 'Sesion'"),
        ("tf.compat.v3", AttributeError, "no attribute 'v3'"),
    ],
)
def test_what_is_not_there(statement: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        exec(statement, {"tf": tf})


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("import dataflow.compat.v2 as tf", ImportError),
        ("from dataflow.compat import v2", ImportError),
        ("from dataflow.compat.v2 import nn", ImportError),
        ("tf.compat.v2.function", AttributeError),
    ],
)
def test_v2_is_refused(statement: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"TensorFlow 1's API only. Use `import dataflow as tf` or"):
        exec(statement, {"tf": tf})
