"""Tensors whose values are at hand: a graph that is run on as far as somebody looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.schema.opdef import OpDef
from dataflow.session.session import Session
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape


class TensorAtHand(Tensor):
    """A tensor of a `GraphAtHand`: what Python asks it for, it computes."""

    __slots__ = ()

    def numpy(self) -> Any:
        """The value: an array, or a numpy scalar or bytes for shape []."""
        graph = self.graph
        assert isinstance(graph, GraphAtHand)
        found = graph.value_of(self)
        return found[()] if isinstance(found, np.ndarray) and not found.ndim else found

    @property
    def shape(self) -> TensorShape:
        """The shape, all of which is known."""
        found = self._shape
        held = self._dtype.base_dtype in (dtypes.resource, dtypes.variant)
        if not held and not found.is_fully_defined() and self.op._control_flow_context is None:
            return TensorShape(np.shape(self.numpy()))
        return found

    def __bool__(self) -> bool:  # type: ignore[override]
        return bool(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __index__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __len__(self) -> int:  # type: ignore[override]
        return len(self.numpy())

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.numpy(), dtype)


class GraphAtHand(Graph):
    """A graph each of whose operations runs once, in the order in which they are made."""

    def __init__(self) -> None:
        super().__init__()
        self._captures = True
        self._values: dict[Tensor, Any] = {}
        self._waiting: list[Operation] = []
        """Operations that were made since somebody looked last."""

    def _link(self, op: Operation) -> None:
        super()._link(op)
        for tensor in op.outputs:
            tensor.__class__ = TensorAtHand
        self._waiting.append(op)

    def add_op(
        self,
        op_def: OpDef,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        name: str | None,
        op: Operation | None = None,
    ) -> Operation:
        """As a graph's; tensors of another call of a function are there by their values."""
        return super().add_op(op_def, self._own_inputs(inputs), attrs, name, op)

    def _own_inputs(self, inputs: Sequence[Tensor]) -> Sequence[Tensor]:
        return [self.own(tensor) for tensor in inputs]

    def own(self, tensor: Tensor) -> Tensor:
        """The tensor, or one with its value if it is of another call of a function.

        Raises:
          ValueError: It has no value: it is of a graph that sessions run.
        """
        if isinstance(tensor, TensorAtHand) and tensor.graph is not self:
            return self.place([tensor.numpy()], [tensor.dtype])[0]
        self._check_same_graph(tensor)
        return tensor

    def place(self, values: Sequence[Any], types: Sequence[Any]) -> list[Tensor]:
        """Tensors of these values."""
        with self.as_default():
            made = [constant(v, dtype=d) for v, d in zip(values, types, strict=True)]
        self._values.update(zip(made, values, strict=True))
        return made

    def value_of(self, tensor: Tensor) -> Any:
        """The value of a tensor; runs what has not run yet."""
        if tensor not in self._values:
            self.run([tensor])
        return self._values[tensor]

    def run(self, wanted: Sequence[Tensor]) -> list[Any]:
        """The values of tensors; runs all that has not run yet, and nothing a second time."""
        waiting, self._waiting = self._waiting, []
        tensors, operations = dict.fromkeys(wanted), []
        for op in waiting:
            if op._control_flow_context is None and self.is_fetchable(op):
                seen = [t for t in op.outputs if self.is_fetchable(t) and _has_value(t)]
                tensors.update(dict.fromkeys(seen))
                if not op.outputs:
                    operations.append(op)
        missing = [tensor for tensor in tensors if tensor not in self._values]
        if missing or operations:
            feeds = {t: v for t, v in self._values.items() if self.is_feedable(t)}
            with Session(graph=self) as session:
                found = session.run([missing, operations], feeds)[0]
            self._values.update(zip(missing, found, strict=True))
        return [self._values[tensor] for tensor in wanted]


def _has_value(tensor: Tensor) -> bool:
    kind = tensor.dtype
    return not kind._is_ref_dtype and kind not in (dtypes.resource, dtypes.variant)
