"""What `tensorflow.python` shows in the place of its packages.

The names that stand for each are those that TensorFlow 1.15 answers to the same program.
"""

from __future__ import annotations

from pathlib import Path

from dataflow.porting.rebound import REBOUND
from tests.porting.test_run import run

_NAMES = {
    "compat": "as_bytes",
    "feature_column": "numeric_column",
    "layers": "dense",
    "module": "Module",
    "ops": "RegisterGradient",
    "profiler": "Profiler",
    "saved_model": "simple_save",
    "summary": "FileWriter",
}
"""A package -> a name of the module that TensorFlow shows for it."""

_SHOWN = f"""
from tensorflow.python import {", ".join(_NAMES)}

print([{", ".join(f"{package}.{name}.__name__" for package, name in _NAMES.items())}])
print(layers.__name__, "dense" in dir(layers), "core" in dir(layers))
"""

_PACKAGES = """
import tensorflow.python.saved_model.simple_save as function
import tensorflow.python.summary.writer
from tensorflow.python import ops, saved_model
from tensorflow.python.saved_model import simple_save
from tensorflow.python.ops import array_ops

print(function.__name__, simple_save.__name__, simple_save.simple_save is function)
print(saved_model.builder.SavedModelBuilder.__name__, ops.array_ops is array_ops)
print(tensorflow.python.summary.writer.writer.__name__, ops.control_flow_ops.cond.__name__)
print(ops.gradients.gradients.__name__, ops.variable_scope.get_variable.__name__)
try:
    saved_model.nothing_here
except AttributeError as error:
    print(error)
"""

_CHECKED = """
from tensorflow.python import ops, saved_model, summary
from tensorflow.python.ops import gradients
from tensorflow.python.saved_model import simple_save

ops.RegisterGradient
saved_model.simple_save
simple_save.simple_save
summary.scalar
summary.nothing
gradients.gradients
gradients.nothing
"""

_DOUBLES = """
import tensorflow as tf
from tensorflow.python import ops, summary
from tensorflow.python.framework import ops as same

before = same.get_default_graph
ops.get_default_graph = lambda: 7
print(same.get_default_graph(), ops.get_default_graph())
del ops.get_default_graph
print(ops.get_default_graph is before, same.get_default_graph is before)
tf.python.summary = 3
from tensorflow.python import summary
print(summary)
"""


def _printed(program: str, folder: Path) -> list[str]:
    (folder / "program.py").write_text(program)
    done = run("run", str(folder / "program.py"))
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_package_means_one_module_of_it(tmp_path: Path) -> None:
    assert _NAMES.keys() == {path.rpartition(".")[2] for path in REBOUND}
    names, shown = _printed(_SHOWN, tmp_path)
    assert names == str(list(_NAMES.values()))
    assert shown == "tensorflow.python.layers.layers True True"


def test_imports_from_a_package_mean_the_package(tmp_path: Path) -> None:
    first, second, third, fourth, error = _printed(_PACKAGES, tmp_path)
    assert first == "simple_save tensorflow.python.saved_model.simple_save True"
    assert second == "SavedModelBuilder True"
    assert third == "tensorflow.python.summary.writer.writer cond"
    assert fourth == "gradients get_variable"
    assert error.startswith("dataflow has no tensorflow.python.saved_model.saved_model.nothing")


def test_a_check_knows_both(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_CHECKED)
    done = run("check", str(tmp_path / "program.py"))
    missing = [line.split()[0] for line in done.stdout.splitlines() if " (1): " in line]
    wanted = ["ops.gradients.nothing", "summary.nothing"]
    assert sorted(missing) == [f"tensorflow.python.{name}" for name in wanted]


def test_doubles_are_put_into_the_module(tmp_path: Path) -> None:
    assert _printed(_DOUBLES, tmp_path) == ["7 7", "True True", "3"]
