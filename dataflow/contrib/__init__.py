"""What TensorFlow 1 had in `tf.contrib`: each part in a package of its own, loaded when it is
touched. It may import every room of the front end; nothing of the core imports it."""

import typing as _typing

import dataflow.contrib.absent as _absent
import dataflow.values.submodules as _submodules

if not _typing.TYPE_CHECKING:
    _get, __dir__ = _submodules.on_demand(__name__, hidden=("absent",))

    def __getattr__(name: str) -> _typing.Any:
        return _absent.AbsentPart(f"{__name__}.{name}") if name in _absent.PARTS else _get(name)
