"""tensorflow.python.debug: sessions that dump, and what reads the dumps; what asks is not here."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from dataflow.debugger.dump_folder import DebugDumpDir as DebugDumpDir
from dataflow.debugger.dump_folder import (
    WatchKeyDoesNotExistInDebugDumpDirError as WatchKeyDoesNotExistInDebugDumpDirError,
)
from dataflow.debugger.hooks import DumpingDebugHook as DumpingDebugHook
from dataflow.debugger.sessions import BaseDebugWrapperSession as BaseDebugWrapperSession
from dataflow.debugger.sessions import DumpingDebugWrapperSession as DumpingDebugWrapperSession
from dataflow.debugger.sessions import WatchOptions as WatchOptions
from dataflow.debugger.tensor_dumps import DebugTensorDatum as DebugTensorDatum
from dataflow.debugger.tensor_dumps import InconvertibleTensorProto as InconvertibleTensorProto
from dataflow.debugger.tensor_dumps import has_inf_or_nan as has_inf_or_nan
from dataflow.debugger.tensor_dumps import load_tensor_from_event as load_tensor_from_event
from dataflow.debugger.tensor_dumps import (
    load_tensor_from_event_file as load_tensor_from_event_file,
)
from dataflow.debugger.watching import add_debug_tensor_watch as add_debug_tensor_watch
from dataflow.debugger.watching import watch_graph as watch_graph
from dataflow.debugger.watching import watch_graph_with_denylists as watch_graph_with_denylists

_WHY: Final = (
    "TensorFlow's interactive debugger is not here; DumpingDebugWrapperSession, DumpingDebugHook"
    " and DebugDumpDir tell what steps compute."
)


def _absent(name: str) -> type:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"dataflow has no {name}: {_WHY}")

    return type(name, (), {"__init__": refuse, "__doc__": "Not here."})


GrpcDebugHook = _absent("GrpcDebugHook")
GrpcDebugWrapperSession = _absent("GrpcDebugWrapperSession")
LocalCLIDebugHook = _absent("LocalCLIDebugHook")
LocalCLIDebugWrapperSession = _absent("LocalCLIDebugWrapperSession")
TensorBoardDebugHook = _absent("TensorBoardDebugHook")
TensorBoardDebugWrapperSession = _absent("TensorBoardDebugWrapperSession")
