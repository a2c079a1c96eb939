"""Calls of functions that are not inlined, because they call themselves: a plan inside of a step.

The function's nodes run on the device of the call, as a plan of their own that each call runs anew
in the caller's step. Calls may be nested thousands deep (`call_limits.py`): neither a call nor its
return runs inside of another one's on the Python stack.
"""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from dataflow.actors.nodes.binding import Binding, CallKind
from dataflow.actors.plan.call_limits import check_limits
from dataflow.actors.plan.device_view import DeviceView
from dataflow.actors.plan.evaluate import evaluate_node
from dataflow.actors.plan.sources import Source, value_adapter
from dataflow.errors import ErrorReport, OpError
from dataflow.passes.algebra.cse import merge_common
from dataflow.passes.algebra.fold import fold
from dataflow.passes.control_flow.function_body import FunctionBodies
from dataflow.passes.control_flow.function_fit import check_fit
from dataflow.passes.control_flow.inline import Site, inline
from dataflow.passes.control_flow.lower import lower
from dataflow.passes.graphs.system_ops import CALLS, RUNS_STATEFUL
from dataflow.schema.instantiation import function_key
from dataflow.values.attrs import NameAttrList

if TYPE_CHECKING:
    from dataflow.actors.step.step import Step
    from dataflow.actors.wire.messages import PlanOptions
    from dataflow.passes.graphs.node_graph import Node, NodeGraph


def is_call(node: Node) -> bool:
    """True for the nodes that `bind_call` binds."""
    return node.op in CALLS


def bind_call(
    node: Node,
    sources: Sequence[Source],
    device: DeviceView,
    session: int,
    graph: NodeGraph,
    options: PlanOptions,
) -> Binding:
    """Binds a call.

    The function's plan is made by the first call that runs: a function that calls itself would
    have no end otherwise.

    Args:
      node: The call.
      sources: Where its arguments come from.
      device: The device.
      session: The session whose stateful kernels the function's nodes share.
      graph: The partition, for its function library.
      options: How the plans of the session are made.
    """
    function: NameAttrList = node.attrs["f"]
    stateful = bool(node.attrs.get(RUNS_STATEFUL, False))
    key = function_key(function) + (b"*" if stateful else b"")
    make = partial(graph_of, FunctionBodies(graph), function, stateful, key, device.name)
    name, lone = node.name, len(node.output_types) == 1

    def call(step: Step, done: Callable[..., None], *arguments: Any) -> None:
        def returned(error: BaseException | None, results: Sequence[Any]) -> None:
            step.change_calls(-1)
            if error is not None:
                _later(partial(done, error=_called_by(error, name)))
            else:
                _later(partial(done, results[0] if lone else tuple(results)))

        def start() -> None:
            step.change_calls(1)
            try:
                check_limits(step, function.name)
                device.call_function(session, key, make, options, step, arguments, returned)
            except Exception as error:
                returned(error, ())

        _later(start)

    return Binding(
        call=call,
        kind=CallKind.BLOCKING,
        adapters=tuple(value_adapter(source, True, device) for source in sources),
        host_outputs=(True,) * len(node.output_types),
    )


def graph_of(
    bodies: FunctionBodies, function: NameAttrList, stateful: bool, key: bytes, device: str
) -> NodeGraph:
    """The nodes of a function, between `_Arg` and `_Retval` nodes, on one device."""
    body = bodies.body(function)
    graph = body.graph.empty_copy()
    # Kernels with a state go by the name of their node: other attrs make it another function.
    suffix = hashlib.sha256(key).hexdigest()[:8] if function.attrs else "body"
    site = Site(graph, f"{function.name}/_{suffix}/", "", "")
    arguments = [
        site.take(graph.add_copy(node, f"_arg_{index}"))
        for index, node in enumerate(body.arguments)
    ]
    done = inline(body, site, [(node, 0) for node in arguments], None, stateful)
    for index, (node, output) in enumerate(done.outputs):
        result = site.take(graph.add_copy(body.results[index], f"_retval_{index}"))
        graph.link(node, output, result, 0)
    lower(graph, list(graph.nodes()), function.name, (device,))
    check_fit(graph)
    for node in graph.nodes():
        node.assigned_device = device
    return merge_common(fold(graph, evaluate_node))


class _Thread(threading.local):
    """What this thread has still to do for calls."""

    queue: deque[Callable[[], None]] | None = None


_thread = _Thread()


def _later(work: Callable[[], None]) -> None:
    """Does something now, or after what this thread is doing for another call."""
    if _thread.queue is not None:
        _thread.queue.append(work)
        return
    queue = _thread.queue = deque([work])
    try:
        while queue:
            queue.popleft()()
    finally:
        _thread.queue = None


_CALLED_BY: Final = "\n\t in the function that node '{}' calls"


def _called_by(error: BaseException, name: str) -> BaseException:
    """The error with the call it happened in; each call is named once, however often it is made."""
    line = _CALLED_BY.format(name)
    if not isinstance(error, OpError) or line in error.message:
        return error
    report = ErrorReport.from_exception(error)
    known = error.__cause__
    described = dataclasses.replace(report, message=report.message + line).to_exception()
    described.__cause__ = known
    return described
