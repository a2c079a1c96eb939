"""Control edges that make stateful operations in a function run, and in the order they were made.

The bodies of gradients are traced under `AutomaticControl`. Operations on one resource follow each
other, reads excepted; all other stateful operations form one chain; and the results wait for
everything that has to run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, TypeVar

from dataflow.functions import flow
from dataflow.functions.func_graph import FuncGraph
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.contexts import is_in_while_loop
from dataflow.graph.graph import Graph
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes, nest
from dataflow.values.composite_tensor import CompositeTensor

_F = TypeVar("_F", bound=Callable[..., Any])

READ_ONLY_INPUTS: Final = "_read_only_resource_inputs"
"""Attr of an op that calls functions: which of its resource inputs they only read."""

RESOURCE_READ_OPS: Final = frozenset(
    {"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "_ReadVariablesOp"}
)
"""Ops that leave the resources among their inputs as they are."""

_RANDOM_OPS: Final = frozenset(
    {
        "Multinomial",
        "ParameterizedTruncatedNormal",
        "RandomGamma",
        "RandomGammaGrad",
        "RandomPoisson",
        "RandomPoissonV2",
        "RandomShuffle",
        "RandomStandardNormal",
        "RandomUniform",
        "RandomUniformInt",
        "TruncatedNormal",
    }
)
"""Their state is a seed, so that their order does not matter."""

_UNORDERED_OPS: Final = frozenset({"RestoreV2", "SaveV2"})


class AutomaticControl:
    """Adds control edges to what is made in a graph, most often a function's, while it is open."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._start = 0
        self._returned: list[Tensor] = []
        self.must_run: list[Operation] = []
        """Operations that run whenever the function does; known once the context is left."""

    def mark_as_return(self, value: Any) -> Any:
        """A copy of a result, which waits for what must run."""
        if isinstance(value, (IndexedSlices, SparseTensor)):
            values, indices = self._copied(value.values), self._copied(value.indices)
            if isinstance(value, IndexedSlices):
                return IndexedSlices(values, indices, value.dense_shape)
            return SparseTensor(indices, values, value.dense_shape)
        if isinstance(value, CompositeTensor):
            return nest.map_structure(self._copied, value, expand_composites=True)
        if flow.is_tensor_array(value):
            return flow.from_flow(value, self._copied(value.flow))
        return self._copied(value)

    def _copied(self, tensor: Tensor) -> Tensor:
        copy: Tensor = identity(tensor)
        self._returned.append(copy)
        return copy

    def __enter__(self) -> AutomaticControl:
        self._start = self._graph.version
        self._graph._add_control_dependencies = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        outer = getattr(self._graph, "outer_graph", None)
        self._graph._add_control_dependencies = (
            False if outer is None else outer._add_control_dependencies
        )
        if error is not None:
            return
        chains = _Chains()
        for op in self._graph.get_operations()[self._start :]:
            if not is_in_while_loop(op):
                chains.add(op)
        self.must_run = list(chains.must_run)
        if self.must_run and self._returned:
            gate = apply_op("NoOp")
            gate._add_control_inputs(self.must_run)
            for tensor in self._returned:
                tensor.op._add_control_inputs([gate])


class AutomaticControlDependencies(AutomaticControl):
    """Adds control edges to what is made in the default graph while it is open."""

    def __init__(self) -> None:
        super().__init__(scopes.get_default_graph())

    def __enter__(self) -> AutomaticControlDependencies:
        self._graph = scopes.get_default_graph()
        super().__enter__()
        return self


def automatic_control_dependencies(f: _F) -> _F:
    """A decorator: the results of a function wait for the effects of all that it makes."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        with AutomaticControlDependencies() as control:
            return nest.map_structure(control.mark_as_return, f(*args, **kwargs))

    return call  # type: ignore[return-value]


class _Chains:
    """What the next operation on each resource has to wait for."""

    def __init__(self) -> None:
        self.must_run: dict[Operation, None] = {}
        self._last_write: dict[Tensor | None, Operation] = {}
        self._reads: dict[Tensor, list[Operation]] = {}

    def add(self, op: Operation) -> None:
        """Gives an operation its control inputs."""
        stateful = is_ordered(op)
        used = any(output.consumers() for output in op.outputs)
        if stateful and (op.type not in RESOURCE_READ_OPS or used):
            self.must_run[op] = None
        reads, writes = resource_inputs(op)
        waits_for: dict[Operation, None] = {}
        for handle in {**reads, **writes}:
            if handle in self._last_write:
                waits_for[self._last_write[handle]] = None
            if handle in reads and handle not in writes:
                self._reads.setdefault(handle, []).append(op)
                continue
            waits_for.update(dict.fromkeys(self._reads.pop(handle, ())))
            self._last_write[handle] = op
        if stateful and not reads and not writes and op._control_flow_context is None:
            if None in self._last_write:
                waits_for[self._last_write[None]] = None
            self._last_write[None] = op
        op._add_control_inputs(waits_for)


def is_ordered(op: Operation) -> bool:
    """True if an operation has an effect whose order matters."""
    return op.op_def.is_stateful and op.type not in _RANDOM_OPS and op.type not in _UNORDERED_OPS


def resource_inputs(op: Operation) -> tuple[dict[Tensor, None], dict[Tensor, None]]:
    """The resource handles an operation only reads, and those it may change."""
    reads: dict[Tensor, None] = {}
    writes: dict[Tensor, None] = {}
    read_only = op.attrs.get(READ_ONLY_INPUTS, ())
    for index, tensor in enumerate(op.inputs):
        if tensor.dtype is dtypes.resource:
            only_read = op.type in RESOURCE_READ_OPS or index in read_only
            (reads if only_read else writes)[_source(tensor)] = None
    for handle in writes:
        reads.pop(handle, None)
    return reads, writes


def _source(handle: Tensor) -> Tensor:
    while handle.op.type == "Identity":
        handle = handle.op.inputs[0]
    return handle


def read_only_inputs(graph: FuncGraph) -> set[int]:
    """Which inputs of a body are resources that it only reads."""
    found: set[int] = set()
    for index, tensor in enumerate(graph.inputs):
        if tensor.dtype is dtypes.resource and all(
            _only_reads(op, tensor) for op in tensor.consumers()
        ):
            found.add(index)
    return found


def _only_reads(op: Operation, handle: Tensor) -> bool:
    if op.type in RESOURCE_READ_OPS:
        return True
    read_only = op.attrs.get(READ_ONLY_INPUTS, ())
    return any(op.inputs[index] is handle for index in read_only)
