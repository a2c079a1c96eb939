"""Modules that TensorFlow's own import, which programs reach through these.

`nn_grad.gen_nn_ops`, `optimizer.ops` and `math_ops.np` are no names that TensorFlow means to show,
but there for whoever has the module.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from types import ModuleType
from typing import Final

from dataflow.porting.paths import SOURCES

_FOLDERS: Final = (
    "framework",
    "ops",
    "training",
    "util",
    "platform",
    "eager",
    "client",
    "data.ops",
    "data.util",
    "lib.io",
    "distribute",
    "summary",
    "training.tracking",
    "keras.utils",
    "keras.engine",
    "keras",
)
"""Folders of tensorflow.python where a module of a name is looked for, in turn."""
_OTHERS: Final = {
    "logging": "tensorflow.python.platform.tf_logging",
    "np": "numpy",
    "vs": "tensorflow.python.ops.variable_scope",
    "variables_lib": "tensorflow.python.ops.variables",
    "nn_layers": "tensorflow.layers",
    "ds_context": "tensorflow.python.distribute.distribution_strategy_context",
    "collections_abc": "collections.abc",
    "pywrap_tensorflow": "tensorflow.python.pywrap_tensorflow",
    "K": "tensorflow.python.keras.backend",
}
"""Modules by names that are not their own."""
_PYTHON: Final = frozenset(
    {"abc", "collections", "contextlib", "copy", "enum", "functools", "gc", "hashlib", "inspect"}
    | {"itertools", "json", "math", "numbers", "os", "re", "shutil", "six", "sys", "tempfile"}
    | {"threading", "time", "traceback", "uuid", "warnings", "weakref"}
)
"""Modules of Python's, and one that bridges its versions."""


@functools.cache
def imported(name: str) -> ModuleType | None:
    """The module that a name means inside of those below `tensorflow.python`; None for no name."""
    path = _path(name)
    return None if path is None else importlib.import_module(path)


def _path(name: str) -> str | None:
    if name in _OTHERS:
        return _OTHERS[name]
    if name in _PYTHON:
        return name if importlib.util.find_spec(name) is not None else None
    if name.startswith("gen_") and name.endswith("_ops"):
        return f"tensorflow.python.ops.{name}"
    if name.endswith("_pb2"):
        own = f"dataflow.proto.{name}"
        return own if importlib.util.find_spec(own) is not None else None
    paths = (f"tensorflow.python.{folder}.{name}" for folder in _FOLDERS)
    return next((path for path in paths if path in SOURCES), None)
