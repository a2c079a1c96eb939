"""Finds our module for each of TensorFlow's paths."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

from dataflow.porting.modules import (
    DEFINES_OPS,
    TensorflowModule,
    absent_module,
    is_known,
    no_such_module,
    ours,
)
from dataflow.porting.paths import SOURCES
from dataflow.values.logging import log_under

_ESTIMATOR: Final = "tensorflow_estimator"
"""The package that tensorflow.python.estimator lies in since TensorFlow 1.13, by the same paths."""


class TensorflowFinder(MetaPathFinder, Loader):
    """Has our module, or one that asks ours, for each of TensorFlow's paths."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        root = fullname.split(".")[0]
        if root == _ESTIMATOR:
            return ModuleSpec(fullname, self, is_package=True)
        if root != "tensorflow":
            former = self._behind_alias(fullname)
            if former is None:
                return None
            return ModuleSpec(fullname, self, loader_state=former, is_package=True)
        if not is_known(fullname):
            raise no_such_module(fullname)
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        if spec.loader_state or spec.name.startswith(_ESTIMATOR):
            return None
        if absent := absent_module(spec.name):
            return absent
        return None if ours(spec.name) else TensorflowModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        if module.__spec__ and (former := module.__spec__.loader_state):
            sys.modules[name] = importlib.import_module(former)
        elif name.startswith(_ESTIMATOR):
            sys.modules[name] = importlib.import_module(name.replace(_ESTIMATOR, "tensorflow", 1))
        elif real := ours(name):
            sys.modules[name] = importlib.import_module(real)
        elif name == "tensorflow":
            log_under(name)
        elif name == DEFINES_OPS:
            importlib.import_module(SOURCES[name][0])

    def _behind_alias(self, fullname: str) -> str | None:
        """TensorFlow's path for a module in a package that a program has put elsewhere.

        After `sys.modules["keras"] = tf.keras` programs import keras.layers.
        """
        parts = fullname.split(".")
        for depth in range(1, len(parts)):
            package = sys.modules.get(".".join(parts[:depth]))
            spec = vars(package).get("__spec__") if isinstance(package, ModuleType) else None
            if isinstance(spec, ModuleSpec) and spec.loader is self:
                former = ".".join([spec.name, *parts[depth:]])
                return former if is_known(former) else None
        return None


FINDER: Final = TensorflowFinder()
