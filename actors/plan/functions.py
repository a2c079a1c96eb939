"""Functions that kernels run for what outlives a step: their plans belong to who asks for them."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import partial
from typing import TYPE_CHECKING, Any

from dataflow.actors.plan.calls import graph_of
from dataflow.passes.control_flow.function_body import FunctionBodies
from dataflow.schema.instantiation import function_key

if TYPE_CHECKING:
    from dataflow.actors.plan.device_view import DeviceView
    from dataflow.actors.wire.messages import PlanOptions
    from dataflow.kernels.contract.functions import KeptKernels, Ready
    from dataflow.passes.graphs.node_graph import NodeGraph
    from dataflow.values.attrs import NameAttrList


class FunctionFinder:
    """Gives kernels the functions that their nodes name."""

    def __init__(
        self, graph: NodeGraph, device: DeviceView, session: int, options: PlanOptions
    ) -> None:
        """Takes the library of a partition.

        Args:
          graph: The partition.
          device: The device that will run the functions.
          session: The session whose state they see.
          options: How their plans are made.
        """
        self._bodies: FunctionBodies | None = None
        self._graph = graph
        self._device = device
        self._session = session
        self._options = options

    def find(self, function: NameAttrList) -> NodeFunction:
        """The function of that name, under its attrs."""
        if self._bodies is None:
            self._bodies = FunctionBodies(self._graph)
        return NodeFunction(function, self._bodies, self._device, self._session, self._options)


class NodeFunction:
    """A function that a node names."""

    def __init__(
        self,
        function: NameAttrList,
        bodies: FunctionBodies,
        device: DeviceView,
        session: int,
        options: PlanOptions,
    ) -> None:
        self.name = function.name
        self._bodies = bodies
        self.key = function_key(function)
        make: Callable[[], Any] = partial(
            graph_of, bodies, function, True, self.key + b"*", device.name
        )
        self._prepare = partial(device.prepare_function, session, make, options)

    def ops(self) -> Set[str]:
        """The types of its nodes, and of those of functions that it calls."""
        return self._bodies.ops(self.name)

    def prepare(self, kernels: KeptKernels) -> Ready:
        """Makes it ready to run; see `Function`."""
        return self._prepare(kernels)


class OwnKernels:
    """A device of which a plan shares all but the kernels of its stateful nodes."""

    def __init__(self, device: DeviceView, kernels: KeptKernels) -> None:
        """Takes the device, and the kernels in the place of the device's."""
        self._device = device
        self.stateful_kernels = kernels

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)
