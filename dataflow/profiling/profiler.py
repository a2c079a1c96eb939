"""`profile` and `Profiler`: what a graph's nodes cost, as trees and as text."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from dataflow.errors import InvalidArgumentError, UnimplementedError
from dataflow.graph.scopes import get_default_graph
from dataflow.profiling import messages, views
from dataflow.profiling.nodes import NodeInfo, add_step, nodes_of
from dataflow.profiling.op_log import merge_default_with_oplog
from dataflow.profiling.options import Options, ProfileOptionBuilder
from dataflow.profiling.text import report
from dataflow.profiling.trace import TraceWriter
from dataflow.proto.config_pb2 import RunMetadata
from dataflow.proto.tfprof_log_pb2 import ExecProfile, OpLogProto, ProfileProto
from dataflow.proto.tfprof_output_pb2 import AdviceProto, GraphNodeProto, MultiGraphNodeProto
from dataflow.values.system_errors import system_errors

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph

_DEFAULT: Final = 0
_TREES: Final = {"scope": views.by_scope, "graph": views.by_edges}
_GROUPS: Final = {"op": views.by_op, "code": views.by_line}

Answer = GraphNodeProto | MultiGraphNodeProto


def profile(
    graph: Graph | None = None,
    run_meta: RunMetadata | None = None,
    op_log: OpLogProto | None = None,
    cmd: str = "scope",
    options: Options | int = _DEFAULT,
) -> Answer:
    """What a graph costs: parameters and operations by shapes, time and memory of a traced step.

    ```python
    flops = tf.profiler.profile(
        graph, options=tf.profiler.ProfileOptionBuilder.float_operation()
    ).total_float_ops
    ```

    Args:
      graph: The graph; the default one if None.
      run_meta: Of a step that ran with `RunOptions(trace_level=FULL_TRACE)`.
      op_log: What the program says of nodes: types, and counts of operations.
      cmd: The view: "scope", "graph", "op" or "code".
      options: What `ProfileOptionBuilder` builds; by default, how many numbers the trainable
        variables hold.

    Returns:
      A GraphNodeProto for "scope" and "graph", a MultiGraphNodeProto for "op" and "code". It is
      printed, too, or written to a file, if the options say so.

    Raises:
      InvalidArgumentError: There is no such view.
      UnimplementedError: Output for pprof is asked for.
    """
    if cmd not in _TREES and cmd not in _GROUPS:
        raise InvalidArgumentError(None, None, f"unknown cmd: {cmd}\n")
    graph = graph or get_default_graph()
    profiler = Profiler(graph, op_log)
    if run_meta is not None:
        profiler.add_step(0, run_meta)
    if not isinstance(options, dict):
        options = ProfileOptionBuilder.trainable_variables_parameter()
    found: Answer = profiler._show(cmd, options)
    return found


def advise(
    graph: Graph | None = None, run_meta: RunMetadata | None = None, options: Any = _DEFAULT
) -> AdviceProto:
    """Not implemented.

    Raises:
      UnimplementedError: Always.
    """
    raise UnimplementedError(None, None, _NO_ADVICE)


_NO_ADVICE: Final = (
    "tf.profiler.advise is not implemented in dataflow; tf.profiler.profile shows what nodes cost."
)


class Profiler:
    """Profiles of one graph and any number of traced steps.

    ```python
    profiler = tf.profiler.Profiler(session.graph)
    for step in range(1000):
        if step % 100 == 0:
            metadata = tf.RunMetadata()
            session.run(train, options=options, run_metadata=metadata)
            profiler.add_step(step, metadata)
    profiler.profile_operations(tf.profiler.ProfileOptionBuilder.time_and_memory())
    ```
    """

    def __init__(self, graph: Graph | None = None, op_log: OpLogProto | None = None) -> None:
        """Makes a profiler.

        Args:
          graph: The graph; the default one if None.
          op_log: What the program says of nodes: types, and counts of operations.
        """
        self._graph = graph or get_default_graph()
        self._op_log = op_log
        self._steps: dict[int, list[RunMetadata]] = {}

    def add_step(self, step: int, run_meta: RunMetadata) -> None:
        """Takes what a traced step told; what is added under one number belongs together."""
        copied = RunMetadata()
        copied.CopyFrom(run_meta)
        self._steps.setdefault(step, []).append(copied)

    def profile_python(self, options: Options) -> MultiGraphNodeProto:
        """By the lines of the program that made the nodes."""
        found: MultiGraphNodeProto = self._show("code", options)
        return found

    def profile_operations(self, options: Options) -> MultiGraphNodeProto:
        """By types of ops."""
        found: MultiGraphNodeProto = self._show("op", options)
        return found

    def profile_name_scope(self, options: Options) -> GraphNodeProto:
        """By name scopes."""
        found: GraphNodeProto = self._show("scope", options)
        return found

    def profile_graph(self, options: Options) -> GraphNodeProto:
        """Along the graph, from what nobody takes down to the inputs."""
        found: GraphNodeProto = self._show("graph", options)
        return found

    def advise(self, options: Any) -> AdviceProto:
        """Not implemented.

        Raises:
          UnimplementedError: Always.
        """
        raise UnimplementedError(None, None, _NO_ADVICE)

    def serialize_to_string(self) -> bytes:
        """A ProfileProto: the nodes and what each step told of them."""
        nodes = self._nodes(with_lines=True)
        numbers = {name: number for number, name in enumerate(nodes)}
        made = ProfileProto(has_trace=any(node.lines for node in nodes.values()))
        made.steps.extend(sorted(self._steps))
        for name, node in nodes.items():
            _describe(made, numbers, name, node)
        return made.SerializeToString()

    def _nodes(self, with_lines: bool) -> dict[str, NodeInfo]:
        log = self._op_log
        for each in (meta for metas in self._steps.values() for meta in metas):
            # Completes the shapes.
            merge_default_with_oplog(self._graph, run_meta=each, add_trace=False)
        log = merge_default_with_oplog(self._graph, log, add_trace=with_lines)
        nodes = nodes_of(self._graph, log)
        for step, metas in self._steps.items():
            for meta in metas:
                add_step(nodes, step, meta)
        return nodes

    def _show(self, command: str, options: Options) -> Any:
        output, _, path = str(options.get("output", "stdout")).partition(":outfile=")
        if output == "pprof":
            raise UnimplementedError(
                None, None, "Output for pprof is not implemented in dataflow; use a timeline."
            )
        view = views.View(options)
        nodes = self._nodes(with_lines=command == "code")
        entry = {**_TREES, **_GROUPS}[command](nodes, view)
        if output == "timeline":
            self._write_timeline(path, view.step)
        elif output != "none":
            self._tell(report(entry, command, options, view.step), path)
        if command in _TREES:
            return messages.graph_node(entry)
        return messages.multi_node(entry, view.step)

    def _tell(self, text: str, path: str) -> None:
        if path:
            with system_errors(), open(path, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            sys.stdout.write(text)

    def _write_timeline(self, path: str, step: int) -> None:
        with TraceWriter(path) as traces:
            for number, metas in sorted(self._steps.items()):
                for meta in metas:
                    if step in (-1, number) and meta.step_stats.dev_stats:
                        traces.add_step(number, meta)


def _describe(made: ProfileProto, numbers: Mapping[str, int], name: str, node: NodeInfo) -> None:
    proto = made.nodes[numbers[name]]
    proto.name, proto.op, proto.id = name, node.op, numbers[name]
    proto.float_ops = node.float_ops
    proto.shape.extend(node.shape)
    proto.op_types.extend(node.types)
    for index, source in node.inputs:
        proto.inputs[index] = numbers[source]
    for index, lengths in node.input_shapes.items():
        proto.input_shapes[index].int64_values.extend(lengths)
    for step, costs in node.steps.items():
        run = ExecProfile(run_count=costs.run_count, devices=node.devices)
        run.memory_execs.add(
            requested_bytes=costs.requested_bytes,
            peak_bytes=costs.peak_bytes,
            residual_bytes=costs.residual_bytes,
            output_bytes=costs.output_bytes,
        )
        proto.execs[step].CopyFrom(run)
