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
            return None
        if not is_known(fullname):
            raise no_such_module(fullname)
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        if spec.name.startswith(_ESTIMATOR):
            return None
        if absent := absent_module(spec.name):
            return absent
        return None if ours(spec.name) else TensorflowModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        if name.startswith(_ESTIMATOR):
            sys.modules[name] = importlib.import_module(name.replace(_ESTIMATOR, "tensorflow", 1))
        elif real := ours(name):
            sys.modules[name] = importlib.import_module(real)
        elif name == DEFINES_OPS:
            importlib.import_module(SOURCES[name][0])


FINDER: Final = TensorflowFinder()
