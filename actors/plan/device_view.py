"""A device as the nodes that are bound for it see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from dataflow.actors.devices.device_type import DeviceType
    from dataflow.actors.step.join import DoneCallback
    from dataflow.actors.step.step import Step
    from dataflow.actors.transfers.transport import Transport
    from dataflow.actors.wire.messages import PlanOptions
    from dataflow.kernels.contract.functions import KeptKernels, Ready
    from dataflow.kernels.contract.python_functions import PythonFunctions
    from dataflow.kernels.contract.resources import ResourceManager
    from dataflow.kernels.contract.session_tensors import SessionTensors
    from dataflow.passes.graphs.node_graph import NodeGraph


class NodeKernels(Protocol):
    """Bound callables of stateful nodes, that outlive a plan."""

    def find(self, session: int, node: str) -> Callable[..., Any] | None:
        """The callable of a node, or None."""

    def keep(self, session: int, node: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Keeps a callable, and gives the one that is kept: the first one of the node."""


class DeviceView(Protocol):
    """What binding needs to know of the device."""

    @property
    def name(self) -> str:
        """Full name."""

    @property
    def index(self) -> int:
        """Number among the devices of its type on this machine."""

    @property
    def device_type(self) -> DeviceType:
        """Its type."""

    @property
    def stateful_kernels(self) -> NodeKernels:
        """Bound callables of its stateful nodes."""

    def resources_of(self, session: int) -> ResourceManager:
        """Its state that outlives a step, as a session sees it."""

    def session_tensors(self, session: int) -> SessionTensors:
        """Tensors that a session keeps on it between steps."""

    def python_functions(self, session: int) -> PythonFunctions:
        """Functions of the program that a session's nodes may call."""

    def transport(self, peer: str) -> Transport:
        """The way to another device."""

    def call_function(
        self,
        session: int,
        key: bytes,
        make: Callable[[], NodeGraph],
        options: PlanOptions,
        step: Step,
        arguments: Sequence[Any],
        done: DoneCallback,
    ) -> None:
        """Starts a function within a step.

        Args:
          session: The session whose nodes call it.
          key: Stands for the function and its attrs.
          make: Gives its nodes, all assigned to this device, if it has no plan yet.
          options: How the plan of the caller was made.
          step: The step.
          arguments: In host memory.
          done: Called once, with the first error or with the results, in host memory.

        Raises:
          OpError: The function is malformed or cannot be bound.
        """

    def prepare_function(
        self,
        session: int,
        make: Callable[[], NodeGraph],
        options: PlanOptions,
        kernels: KeptKernels,
    ) -> Ready:
        """Makes a function ready to be run outside of the steps of sessions.

        Args:
          session: The session whose state its nodes see.
          make: Gives its nodes, all assigned to this device.
          options: How its plan is made.
          kernels: Those of its stateful nodes; the device's stay as they are.

        Raises:
          OpError: The function is malformed or cannot be bound.
        """
