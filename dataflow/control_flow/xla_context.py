"""XLAControlFlowContext: what a program wants to be compiled; here, it runs as all else does."""

from __future__ import annotations

from typing import Any

from dataflow.control_flow.context import ControlFlowContext
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.proto.control_flow_pb2 import ControlFlowContextDef


class XLAControlFlowContext(ControlFlowContext):
    """Marks operations that a program wants to be compiled.

    Loops in it save values for gradients on stacks of a bounded size: they need to be given
    `maximum_iterations`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._name = "XLAControlFlowContext"

    @property
    def grad_state(self) -> Any:
        """What the gradient of the loop around keeps, or None outside of such a gradient."""
        loop = self.GetWhileContext()
        return None if loop is None else loop.grad_state

    @property
    def back_prop(self) -> bool:
        """True if the loop around is prepared for gradients."""
        loop = self.GetWhileContext()
        return loop is not None and loop.back_prop

    def AddOp(self, op: Operation) -> None:
        """Leaves an operation as it is."""

    def AddValue(self, val: Tensor) -> Tensor:
        """The tensor itself."""
        return val

    def IsXLAContext(self) -> bool:
        """True."""
        return True

    def to_control_flow_context_def(
        self, context_def: ControlFlowContextDef, export_scope: str | None = None
    ) -> None:
        """Writes nothing: files do not hold it."""
