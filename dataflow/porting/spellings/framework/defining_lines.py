"""tensorflow.python.framework.error_interpolation: the lines that made operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from dataflow.graph.operation import Operation
from dataflow.proto.graph_debug_info_pb2 import GraphDebugInfo

_MOST: Final = 10
"""How many lines are told of each operation, the innermost ones."""


def create_graph_debug_info_def(operations: Iterable[tuple[str, Operation]]) -> GraphDebugInfo:
    """The lines that made operations, for tools that read graphs.

    Args:
      operations: Each with the name of the function that it is in, "" for the graph itself.
    """
    found = GraphDebugInfo()
    numbers: dict[str, int] = {}
    for function, op in operations:
        trace = found.traces[function + op.name]
        for frame in reversed(op.traceback[-_MOST:]):
            number = numbers.setdefault(frame.filename, len(numbers))
            trace.file_line_cols.add(file_index=number, line=frame.lineno or 0)
    found.files.extend(numbers)
    return found
