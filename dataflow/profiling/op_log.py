"""What the profiler knows of a graph's nodes beside their definitions: an OpLogProto."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import dataflow.profiling.float_operations as float_operations
from dataflow.graph.keys import GraphKeys
from dataflow.graph.scopes import get_default_graph
from dataflow.profiling.counting import get_stats_for_node_def
from dataflow.proto.config_pb2 import RunMetadata
from dataflow.proto.tfprof_log_pb2 import OpLogEntry, OpLogProto
from dataflow.values.shapes import TensorShape
from dataflow.values.system_errors import system_errors

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph
    from dataflow.graph.operation import Operation

TRAINABLE_VARIABLES: Final = "_trainable_variables"
"""The type that trainable variables have beside their op's."""


def merge_default_with_oplog(
    graph: Graph | None,
    op_log: OpLogProto | None = None,
    run_meta: RunMetadata | None = None,
    add_trace: bool = True,
    add_trainable_var: bool = True,
) -> OpLogProto:
    """What is known of a graph, together with what a program says of it.

    Args:
      graph: The graph; the default one if None.
      op_log: What the program says: its types are added, its counts go before those from shapes.
      run_meta: Of a traced step, whose shapes complete the graph's.
      add_trace: Whether to tell which lines of the program made each node.
      add_trainable_var: Whether trainable variables get the type `_trainable_variables`.
    """
    graph = graph or get_default_graph()
    if run_meta is not None:
        _complete_shapes(graph, run_meta)
    merged, strings = OpLogProto(), {"none": 0}
    entries: dict[str, OpLogEntry] = {}
    for entry in op_log.log_entries if op_log is not None else ():
        entries[entry.name] = merged.log_entries.add()
        entries[entry.name].CopyFrom(entry)

    def entry_of(name: str) -> OpLogEntry:
        if name not in entries:
            entries[name] = merged.log_entries.add(name=name)
        return entries[name]

    for op in graph.get_operations():
        count = _float_ops(graph, op)
        if count and not (op.name in entries and entries[op.name].float_ops):
            entry_of(op.name).float_ops = count
        if add_trace and not (op.name in entries and entries[op.name].code_def.traces):
            _add_lines(entry_of(op.name), op, strings)
    if add_trainable_var:
        for variable in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES):
            entry_of(variable.op.name).types.append(TRAINABLE_VARIABLES)
    for string, number in strings.items():
        merged.id_to_string[number] = string
    return merged


def write_op_log(
    graph: Graph | None,
    log_dir: Any,
    op_log: OpLogProto | None = None,
    run_meta: RunMetadata | None = None,
    add_trace: bool = True,
) -> None:
    """Writes what is known of a graph to the file `tfprof_log` in a folder; see `profile`.

    Args:
      graph: The graph; the default one if None.
      log_dir: The folder.
      op_log: What the program says of its nodes: types, counts.
      run_meta: Of a traced step, whose shapes complete the graph's.
      add_trace: Whether to tell which lines of the program made each node.

    Raises:
      NotFoundError: The folder does not exist.
    """
    merged = merge_default_with_oplog(graph, op_log, run_meta, add_trace)
    with system_errors(), open(os.path.join(log_dir, "tfprof_log"), "wb") as file:
        file.write(merged.SerializeToString())


def _float_ops(graph: Graph, op: Operation) -> int:
    try:
        value = get_stats_for_node_def(graph, op.node_def, float_operations.FLOPS).value
    except ValueError:
        # A shape is not known.
        return 0
    return int(value or 0)


def _complete_shapes(graph: Graph, run_meta: RunMetadata) -> None:
    by_name = {op.name: op for op in graph.get_operations()}
    for device in run_meta.step_stats.dev_stats:
        for node in device.node_stats:
            op = by_name.get(node.node_name)
            if op is None or len(node.output) != len(op.outputs):
                continue
            for tensor, output in zip(op.outputs, node.output, strict=True):
                shape = TensorShape([dim.size for dim in output.tensor_description.shape.dim])
                if not tensor.shape.is_fully_defined() and tensor.shape.is_compatible_with(shape):
                    tensor.set_shape(shape)


def _add_lines(entry: OpLogEntry, op: Operation, strings: dict[str, int]) -> None:
    for frame in op.traceback:
        entry.code_def.traces.add(
            file_id=strings.setdefault(frame.filename, len(strings)),
            lineno=frame.lineno or -1,
            function_id=strings.setdefault(frame.name, len(strings)),
            line_id=strings.setdefault(frame.line or "", len(strings)),
            func_start_line=-1,
        )
