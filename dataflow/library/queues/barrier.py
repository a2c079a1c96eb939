"""Barriers as objects: values that come in pieces, by key."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.constant_value import constant_value
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.elements import as_shape_list, as_type_list
from dataflow.ops.basic.single import single
from dataflow.values.shapes import TensorShape


class Barrier:
    """Keeps values by key; those that have all their components can be taken out."""

    def __init__(
        self, types: Any, shapes: Any = None, shared_name: str | None = None, name: str = "barrier"
    ) -> None:
        """Makes a barrier.

        Args:
          types: Element types of the components, or one type.
          shapes: Their fully defined shapes; None for scalars.
          shared_name: Shares the barrier among nodes and sessions under this name.
          name: The name of the barrier's op.

        Raises:
          ValueError: A shape is not fully defined or has no elements.
        """
        self._types = as_type_list(types)
        if shapes is None:
            self._shapes = [TensorShape(None) for _ in self._types]
        else:
            self._shapes = [TensorShape(shape) for shape in as_shape_list(shapes, self._types)]
        for place, shape in enumerate(self._shapes):
            if shape.num_elements() == 0:
                raise ValueError(
                    f"Empty tensors are not supported, but received shape '{shape}' at index "
                    f"{place}"
                )
        self._barrier_ref = single(
            "Barrier",
            component_types=self._types,
            shapes=self._shapes,
            shared_name=shared_name,
            name=name,
        )
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> Tensor:
        """The barrier's handle."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the barrier's op."""
        return self._barrier_ref.op.name

    def insert_many(
        self, component_index: int, keys: Any, values: Any, name: str | None = None
    ) -> Operation:
        """An operation that gives one component of the values of some keys.

        Args:
          component_index: Which component.
          keys: A vector of strings.
          values: A tensor whose rows are the components.
          name: The operation's name.

        When run, InvalidArgumentError: a key has that component already, or rows do not fit;
        CancelledError: the barrier is closed and does not know a key.
        """
        added: Operation = apply_op(
            "BarrierInsertMany",
            self._barrier_ref,
            keys,
            values,
            component_index=component_index,
            name=name or f"{self._name}_BarrierInsertMany",
        )
        return added

    def take_many(
        self,
        num_elements: Any,
        allow_small_batch: bool = False,
        timeout: Any = None,
        name: str | None = None,
    ) -> Any:
        """Complete values taken out, in the order in which their keys came first.

        Args:
          num_elements: How many; it is waited for them.
          allow_small_batch: Whether a closed barrier may give fewer, if there are some.
          timeout: Not supported: None.
          name: The operation's name.

        Returns:
          `indices`, the number of the insertion that brought each key, from -2**63; `keys`; and
          `values`, a list of a tensor for each component.

        When run, OutOfRangeError: the barrier is closed and has too few.
        """
        outputs = apply_op(
            "BarrierTakeMany",
            self._barrier_ref,
            num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout,
            name=name or f"{self._name}_BarrierTakeMany",
        )
        op = outputs[0].op
        count = None if allow_small_batch else constant_value(op.inputs[1])
        batch = TensorShape([None if count is None else int(count)])
        for output, shape in zip(op.outputs, [[], [], *self._shapes], strict=True):
            output.set_shape(batch.concatenate(shape))
        return outputs

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An operation that lets no new key in; components of known ones may still come.

        Args:
          cancel_pending_enqueues: Whether these are refused, too, and what waits is dropped.
          name: The operation's name.
        """
        added: Operation = apply_op(
            "BarrierClose",
            self._barrier_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_BarrierClose",
        )
        return added

    def ready_size(self, name: str | None = None) -> Tensor:
        """How many keys have all components."""
        name = name or f"{self._name}_BarrierReadySize"
        return single("BarrierReadySize", self._barrier_ref, name=name)

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """How many keys lack some components."""
        name = name or f"{self._name}_BarrierIncompleteSize"
        return single("BarrierIncompleteSize", self._barrier_ref, name=name)
