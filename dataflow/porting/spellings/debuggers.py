"""tensorflow.python.debug: programs may import its debugger, and go on until they start it."""

from __future__ import annotations

from typing import Any, Final, NoReturn

import numpy as np

_WHY: Final = (
    "TensorFlow's debugger is not here; tf.Print, tf.debugging.check_numerics and RunMetadata tell"
    " what a step computes."
)


def has_inf_or_nan(datum: Any, tensor: Any) -> bool:
    """Whether a tensor's value, an array or None, has an element that is infinite or no number."""
    if not isinstance(tensor, np.ndarray) or not np.issubdtype(tensor.dtype, np.inexact):
        return False
    return not bool(np.isfinite(tensor).all())


def _absent(name: str) -> type:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"dataflow has no {name}: {_WHY}")

    return type(name, (), {"__init__": refuse, "__doc__": "Not here."})


DebugDumpDir = _absent("DebugDumpDir")
DebugTensorDatum = _absent("DebugTensorDatum")
DumpingDebugHook = _absent("DumpingDebugHook")
DumpingDebugWrapperSession = _absent("DumpingDebugWrapperSession")
GrpcDebugHook = _absent("GrpcDebugHook")
GrpcDebugWrapperSession = _absent("GrpcDebugWrapperSession")
LocalCLIDebugHook = _absent("LocalCLIDebugHook")
LocalCLIDebugWrapperSession = _absent("LocalCLIDebugWrapperSession")
TensorBoardDebugHook = _absent("TensorBoardDebugHook")
TensorBoardDebugWrapperSession = _absent("TensorBoardDebugWrapperSession")
WatchOptions = _absent("WatchOptions")
watch_graph = _absent("watch_graph")
load_tensor_from_event_file = _absent("load_tensor_from_event_file")
