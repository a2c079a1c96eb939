"""What `tensorflow.python` shows in the place of a package: a module of the package, or another's.

TensorFlow binds the names of some packages anew: `from tensorflow.python import summary` gives the
module summary.summary, while `from tensorflow.python.summary import writer` asks the package.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from dataflow.porting.paths import PACKAGES, PUBLIC, SOURCES

REBOUND: Final[Mapping[str, str]] = {
    f"tensorflow.python.{name}": f"tensorflow.python.{module}"
    for name, module in {
        "compat": "util.compat",
        "feature_column": "feature_column.feature_column_lib",
        "layers": "layers.layers",
        "module": "module.module",
        "ops": "framework.ops",
        "profiler": "profiler.profiler",
        "saved_model": "saved_model.saved_model",
        "summary": "summary.summary",
    }.items()
}
"""The path of a package -> that of the module that its name means in `tensorflow.python`."""
_OWN: Final = "_package_path"


class ReboundModule(ModuleType):
    """Has the names of that module, and the modules of the package.

    TensorFlow's has the former only; programs from before the name was bound anew say
    `tensorflow.python.ops.array_ops`.
    """

    def __init__(self, package: str) -> None:
        """Makes the one for a package's path in REBOUND."""
        super().__init__(REBOUND[package])
        self._package_path = package

    def _shown(self) -> ModuleType:
        return importlib.import_module(REBOUND[self._package_path])

    def _package(self) -> ModuleType:
        return importlib.import_module(self._package_path)

    def __getattr__(self, name: str) -> Any:
        path = f"{self._package_path}.{name}"
        if PUBLIC in SOURCES[self.__name__] and (path in SOURCES or path in PACKAGES):
            # A public name that we show for lack of others is none of TensorFlow's module.
            return getattr(self._package(), name)
        shown, package = self._shown(), self._package()
        of_package = not hasattr(shown, name) and hasattr(package, name)
        return getattr(package if of_package else shown, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets it in the module that is shown: tests put doubles there."""
        if name == _OWN or name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(self._shown(), name, value)

    def __delattr__(self, name: str) -> None:
        """Takes it back from there."""
        delattr(self._shown(), name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(self._shown()), *dir(self._package())})
