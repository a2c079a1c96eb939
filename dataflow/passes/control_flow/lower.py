"""Functional ops as plain nodes: calls are inlined, branches and loops become their primitives.

What calls itself cannot be inlined: there a `PartitionedCall` node stays, which the device runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dataflow.errors import InvalidArgumentError, NotFoundError, OpError
from dataflow.passes.control_flow.call_graph import CallGraph
from dataflow.passes.control_flow.function_body import FunctionBodies, FunctionBody
from dataflow.passes.control_flow.function_fit import (
    Misfit,
    check_branches,
    check_count,
    check_executor,
    check_loop,
    fitting_body,
)
from dataflow.passes.control_flow.inline import (
    Inlined,
    Site,
    Tensor,
    inline,
    is_functional,
    tensor_type,
)
from dataflow.passes.control_flow.lower_branches import (
    Expand,
    Operands,
    branches_of,
    lower_branches,
)
from dataflow.passes.control_flow.lower_count import lower_count
from dataflow.passes.control_flow.lower_loop import lower_loop
from dataflow.passes.control_flow.strictness import StateBehind, touches_state
from dataflow.passes.graphs.conditional import conditional_nodes
from dataflow.passes.graphs.node_graph import Node, NodeGraph
from dataflow.passes.graphs.order import in_order
from dataflow.passes.graphs.system_ops import (
    CALLS,
    LOWERED,
    MISFIT,
    MISFIT_CODE,
    RUNS_STATEFUL,
)
from dataflow.schema import opdef
from dataflow.values import dtypes
from dataflow.values.attrs import NameAttrList
from dataflow.values.dtypes import DType
from dataflow.values.garbage import uncollected
from dataflow.values.shapes import TensorShape

MAX_DEPTH: Final = 100
"""Calls within calls that are inlined; those deeper run as calls."""
MAX_NODES: Final = 100_000
"""Nodes that inlining makes in one go; when there are as many, calls stay calls."""

_BRANCHES: Final = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})
_FITS: Final[Mapping[str, Any]] = {}
_LOOPS: Final = frozenset({"While", "StatelessWhile"})
_CHOOSING: Final = _BRANCHES | _LOOPS | {"For"}
"""Ops that may not run what they call."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A node that is to be lowered.

    Attributes:
        node: The node.
        root: Index of the node of the user's graph it belongs to.
        inside: Functions it is inside of.
        conditional: Whether it may be dead.
    """

    node: Node
    root: int
    inside: frozenset[str] = frozenset()
    conditional: bool = False

    @property
    def is_root(self) -> bool:
        """True if the user can name the node."""
        return not self.inside


@uncollected
def lower(
    graph: NodeGraph, added: Sequence[Node], caller: str = "", devices: Sequence[str] = ()
) -> list[Node]:
    """Replaces functional nodes by what they do.

    In the place of a node stands an `IdentityN` of its outputs, or a `NoOp`, of the same name: so
    it can be fetched, fed, and waited for. If it has the attr `_lowered`, `prune` lets consumers
    take the tensors behind it.

    Args:
      graph: Changed in place. Its library has the functions.
      added: The nodes to look at; the others have been lowered before.
      caller: Function whose body the graph is.
      devices: Names of those that a RemoteCall may run on.

    Returns:
      The nodes that are there in place of `added`, which have their ids and more, producers before
      consumers.

    Raises:
      InvalidArgumentError: A function is missing or malformed; names it and the node that calls
        it. None of the nodes is in the graph then. Where one only does not fit, steps that have the
        node fail; see `function_fit.check_fit`.
    """
    _take_handles(graph, added)
    if not any(map(is_functional, added)):
        return list(added)
    lowering = _Lowering(graph, added, caller, devices)
    try:
        return lowering.run()
    except BaseException:
        for node in lowering.nodes():
            graph.remove_node(node)
        raise


def _take_handles(graph: NodeGraph, added: Sequence[Node]) -> None:
    """Lets nodes take handles from where they come, of calls that were inlined before."""
    if not graph.handles:
        return
    for node in added:
        for edge in node.data_edges():
            place = edge.src.name, edge.src_output
            while place in graph.handles:
                place = graph.handles[place]
            source = graph.find(place[0])
            if source is not None and source is not edge.src:
                graph.move_source(edge, source, place[1])


class _Lowering:
    """One run of the pass."""

    def __init__(
        self, graph: NodeGraph, added: Sequence[Node], caller: str, devices: Sequence[str]
    ) -> None:
        self._graph = graph
        self._devices = devices
        self._bodies = FunctionBodies(graph)
        self._calls = CallGraph(graph)
        self._state = StateBehind()
        self._made: list[list[Node]] = [[node] for node in added]
        """For each node of `added` what is there in its place, parts of it that are gone too."""
        self._num_made = 0
        conditional = conditional_nodes(graph)
        inside = frozenset((caller,)) if caller else frozenset()
        self._tasks = [
            _Task(node, root, inside, node in conditional)
            for root, node in enumerate(added)
            if is_functional(node)
        ]

    def run(self) -> list[Node]:
        """Lowers all, and puts the nodes in order."""
        self._tasks.reverse()
        while self._tasks:
            task = self._tasks.pop()
            try:
                self._lower(task)
            except (Misfit, NotFoundError) as misfit:
                marks = {
                    MISFIT: _at(misfit, task.node).message,
                    MISFIT_CODE: misfit.error_code,
                }
                operands = self._operands(task)
                self._keep(task, NameAttrList(task.node.op), operands, True, True, marks)
            except OpError as error:
                raise _at(error, task.node) from None
        ordered = in_order(self.nodes())
        self._graph.renumber(ordered)
        return ordered

    def nodes(self) -> list[Node]:
        """What is there now."""
        return [n for made in self._made for n in made if self._graph.find(n.name) is n]

    def _lower(self, task: _Task) -> None:
        node = task.node
        operands = self._operands(task)
        site = Site(self._graph, f"{node.name}/_", node.device, node.created_at)
        loose = bool(node.attrs.get("_lower_using_switch_merge", False))
        if node.op in _BRANCHES:
            check_branches(self._bodies, node)
            expand = self._expander(task, not loose)
            done = lower_branches(node, branches_of(node), operands, site, expand)
        elif node.op in _LOOPS:
            body = check_loop(self._bodies, node)
            expand = self._expander(task, not loose)
            done = lower_loop(node, operands, site, expand, body, loose, self._wait)
        elif node.op == "For":
            body = check_count(self._bodies, node)
            expand = self._expander(task, True)
            done = lower_count(node, operands, site, expand, body, self._wait)
        elif node.op == "RemoteCall" and not _target(node) and self._devices:
            done = self._call_on_one_of_all(task, operands, site)
        else:
            loose = False
            called = self._call(task, operands, site)
            if called is None:
                return
            done = called
        self._made[task.root] += site.made
        self._num_made += len(site.made)
        self._replace(task, operands, done, loose)

    def _operands(self, task: _Task) -> Operands:
        node = task.node
        inputs = [(edge.src, edge.src_output) for edge in node.data_edges()]
        return Operands(inputs, [edge.src for edge in node.control_edges()])

    def _call(self, task: _Task, operands: Operands, site: Site) -> Inlined | None:
        """Inlines a call; None if the node stays, as one that the device runs."""
        node = task.node
        check_executor(node.attrs.get("executor_type", ""))
        function, operands = self._callee(node, operands)
        if node.op == "RemoteCall":
            site.device = _target(node)
            if not site.device:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"The target of RemoteCall '{node.name}' must be a constant device name",
                )
        # A call without results is made for what the function does, whatever that names.
        names_effects = node.op in CALLS and bool(node.output_types)
        no_gradient = node.op == "SymbolicGradient" and function.name not in self._bodies
        if no_gradient or self._bodies.unknown_op(function.name):
            # What nobody runs may have ops that nobody knows: savers of models do.
            self._keep(task, function, operands, True, not names_effects)
            return None
        given = [tensor_type(tensor) for tensor in operands.inputs]
        body = fitting_body(self._bodies, function, node, given, node.output_types)
        if self._calls.is_recursive(function.name) or not self._may_inline(function, task):
            effects = _has_effects(body, not names_effects)
            self._keep(task, function, operands, effects, not names_effects)
            return None
        start, inputs = self._start(task, operands, site)
        place = site.within(function.name)
        ready = self._ready(operands, body, site)
        done = self._inline(task, function, body, place, inputs, start, not names_effects, ready)
        if not done.outputs and not done.effects and start is not None:
            done = Inlined(done.outputs, [start], done.nodes)
        return done

    def _call_on_one_of_all(self, task: _Task, operands: Operands, site: Site) -> Inlined:
        """The call of a function on a device that is known when a step runs."""
        node = task.node
        function: NameAttrList = node.attrs["f"]
        target, *given = operands.inputs
        fitting_body(self._bodies, function, node, list(map(tensor_type, given)), node.output_types)
        names = [name.encode() for name in self._devices]
        index = site.add("target", "_CalledDevice", [target], device_names=names)
        targets = iter(self._devices)
        expand: Expand = self._expander(task, True)

        def on_the_next(
            function: NameAttrList, place: Site, inputs: Sequence[Tensor], start: Node
        ) -> Inlined:
            place.device = next(targets)
            return expand(function, place, inputs, start)

        chosen = Operands([(index, 0), *given], operands.controls)
        return lower_branches(node, [function] * len(names), chosen, site, on_the_next)

    def _callee(self, node: Node, operands: Operands) -> tuple[NameAttrList, Operands]:
        """The function that a node calls, and its arguments."""
        if node.op == "RemoteCall":
            return node.attrs["f"], Operands(operands.inputs[1:], operands.controls)
        if node.op == "SymbolicGradient":
            function: NameAttrList = node.attrs["f"]
            gradient = self._graph.gradient_functions.get(function.name, "")
            return NameAttrList(
                gradient or f"SymbolicGradient({function.name})", function.attrs
            ), operands
        if "f" in node.attrs and opdef.find(node.op) is not None:
            return node.attrs["f"], operands
        known = node.op_def.attr_by_name
        attrs = tuple(sorted((name, node.attrs[name]) for name in known))
        return NameAttrList(node.op, attrs), operands

    def _start(
        self, task: _Task, operands: Operands, site: Site
    ) -> tuple[Node | None, list[Tensor]]:
        """What the nodes of a call wait for, and the arguments, that wait for it too."""
        inputs, controls = operands.inputs, operands.controls
        if controls:
            start = site.add("start", "NoOp", (), controls)
            gated = [site.identity(f"input_{i}", t, (start,)) for i, t in enumerate(inputs)]
            return start, [(node, 0) for node in gated]
        if task.conditional and inputs:
            passed = [site.identity(f"input_{i}", t) for i, t in enumerate(inputs)]
            return site.add("start", "NoOp", (), passed), [(node, 0) for node in passed]
        return None, inputs

    def _ready(self, operands: Operands, body: FunctionBody, site: Site) -> Node | None:
        """A node that has run when the arguments are there; None if no effect can tell."""
        if not any(map(touches_state, body.stateful)):
            return None
        sources = [
            src
            for src, output in operands.inputs
            if not _is_handle(src, output) and self._state.is_behind(src)
        ]
        return site.add("ready", "NoOp", (), dict.fromkeys(sources)) if sources else None

    def _expander(self, task: _Task, stateful: bool) -> Any:
        """`Expand` for the functions that a node chooses from or repeats."""

        def expand(
            function: NameAttrList, site: Site, inputs: Sequence[Tensor], start: Node
        ) -> Inlined:
            body = self._bodies.body(function)
            if self._may_inline(function, task):
                return self._inline(task, function, body, site, inputs, start, stateful)
            site.prefix = site.prefix.rstrip("/")
            effects = _has_effects(body, stateful)
            call = _add_call(function, site, inputs, body.result_types, effects, stateful)
            self._wait(call, [start])
            outputs = [(call, index) for index in range(len(body.results))]
            return Inlined(outputs, [call] if effects else [], [])

        return expand

    def _may_inline(self, function: NameAttrList, task: _Task) -> bool:
        return (
            function.name not in task.inside
            and len(task.inside) < MAX_DEPTH
            and self._num_made < MAX_NODES
        )

    def _inline(
        self,
        task: _Task,
        function: NameAttrList,
        body: FunctionBody,
        site: Site,
        inputs: Sequence[Tensor],
        start: Node | None,
        stateful: bool,
        ready: Node | None = None,
    ) -> Inlined:
        done = inline(body, site, inputs, start, stateful, ready)
        inside = task.inside | {function.name}
        conditional = task.conditional or task.node.op in _CHOOSING
        self._tasks += [
            _Task(node, task.root, inside, conditional)
            for node in reversed(done.nodes)
            if is_functional(node)
        ]
        return done

    def _keep(
        self,
        task: _Task,
        function: NameAttrList,
        operands: Operands,
        effects: bool,
        stateful: bool,
        misfit: Mapping[str, Any] = _FITS,
    ) -> None:
        """Leaves a call in the graph, in the form in which the device runs it."""
        node = task.node
        site = Site(self._graph, node.name, node.device, node.created_at)
        consumers = [(e.src_output, e.dst, e.dst_input) for e in node.out_edges]
        self._graph.remove_node(node)
        results = node.output_types
        call = _add_call(function, site, operands.inputs, results, effects, stateful, misfit)
        self._wait(call, operands.controls)
        for output, consumer, slot in consumers:
            self._graph.add_edge(call, output, consumer, slot)
        self._made[task.root] += site.made

    def _replace(self, task: _Task, operands: Operands, done: Inlined, loose: bool) -> None:
        """Puts a node in the place of one whose work others do now."""
        graph, node = self._graph, task.node
        consumers = [(e.src_output, e.dst, e.dst_input) for e in node.out_edges]
        for output, (src, src_output) in enumerate(done.outputs):
            if _is_handle(node, output):
                graph.handles[node.name, output] = src.name, src_output
        graph.remove_node(node)
        direct = loose or not done.effects
        end: Node | None = None
        if task.is_root or not direct or any(slot < 0 for _, _, slot in consumers):
            marks = {LOWERED: True} if direct and task.is_root else {}
            end = self._end(task, operands, done, marks)
        for output, consumer, slot in consumers:
            if end is None or (slot >= 0 and _is_handle(node, output)):
                src, src_output = done.outputs[output]
                graph.add_edge(src, src_output, consumer, slot)
            else:
                graph.add_edge(end, output, consumer, slot)

    def _end(self, task: _Task, operands: Operands, done: Inlined, marks: dict[str, bool]) -> Node:
        """The node that has the name, the outputs and the effects of one that is replaced."""
        node = task.node
        site = Site(self._graph, node.name, node.device, node.created_at)
        # What has no inputs is in the loop of the node, if it is in one, by what it waits for.
        near = [src for i, (src, _) in enumerate(done.outputs) if not _is_handle(node, i)]
        near = (near or done.effects or [src for src, _ in operands.inputs])[:1]
        tensors = [
            # Handles stay on their devices: who uses one takes it from where it comes.
            (
                site.add(
                    f"/_handle_{i}", "FakeParam", (), near, dtype=dtypes.resource, shape=_SCALAR
                ),
                0,
            )
            if _is_handle(node, i)
            else tensor
            for i, tensor in enumerate(done.outputs)
        ]
        if tensors:
            types = tuple(map(tensor_type, tensors))
            end = site.add("", "IdentityN", tensors, done.effects, T=types, attrs=marks)
        else:
            end = site.add("", "NoOp", (), done.effects or operands.controls)
        self._made[task.root] += site.made
        return end

    def _wait(self, node: Node, others: Iterable[Node]) -> None:
        for other in others:
            self._graph.add_control_edge(other, node)


_SCALAR: Final = TensorShape.of(())


def _has_effects(body: FunctionBody, stateful: bool) -> bool:
    return bool(body.effects or (stateful and body.stateful))


def _add_call(
    function: NameAttrList,
    site: Site,
    inputs: Sequence[Tensor],
    results: tuple[DType, ...],
    effects: bool,
    stateful: bool,
    misfit: Mapping[str, Any] = _FITS,
) -> Node:
    """Adds a node that the device runs as a call."""
    marks = {RUNS_STATEFUL: stateful, **misfit}
    return site.add(
        "",
        "StatefulPartitionedCall" if effects else "PartitionedCall",
        inputs,
        Tin=tuple(map(tensor_type, inputs)),
        Tout=results,
        f=function,
        attrs=marks,
    )


def _is_handle(node: Node, output: int) -> bool:
    return output >= 0 and node.output_types[output] is dtypes.resource


def _target(node: Node) -> str:
    """The device that a RemoteCall names; empty if it is known when a step runs."""
    source = node.data_edges()[0].src
    if source.op != "Const" or source.attrs["value"].ndim:
        return ""
    name: bytes = source.attrs["value"].item()
    return name.decode(errors="replace")


def _at(error: OpError, node: Node) -> InvalidArgumentError:
    """The error with the node that called what is wrong."""
    return InvalidArgumentError(
        error.node_def, None, f"{error.message}\n\t [[{{{{node {node.name}}}}}]]"
    )
