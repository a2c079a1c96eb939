"""Makes `dataflow.compat.v1` another name of this library, whose API is TensorFlow 1's.

So are `dataflow.compat.v1.nn` and `dataflow.nn` one module, whether it is imported or asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import dataflow


class _Modules(MetaPathFinder, Loader):
    """Has the library's modules, and no copies of them, for what is imported by the other name."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(f"{__name__}.") or not importlib.util.find_spec(_real(fullname)):
            return None
        return ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(_real(module.__name__))


def _real(fullname: str) -> str:
    return f"dataflow{fullname.removeprefix(__name__)}"


# First, for what lies in the library's folder would be found by this name, too, and loaded twice.
sys.meta_path.insert(0, _Modules())
sys.modules[__name__] = dataflow
