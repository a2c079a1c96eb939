"""What all queues can do: each method adds an op on the queue's handle to the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.queues.elements import common_shape
from dataflow.ops.basic.single import single
from dataflow.values import dtypes as _dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


class QueueBase:
    """A queue that keeps elements, each of them a tuple of tensors, from step to step."""

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Tensor) -> None:
        """Wraps a queue's handle.

        Args:
          dtypes: Element types of the components.
          shapes: Their shapes, or None if elements may have any.
          names: Names of the components, or None; with names, elements are dictionaries.
          queue_ref: The handle, the output of the queue's op.

        Raises:
          ValueError: There are more or fewer shapes or names than types.
        """
        self._dtypes: list[DType] = dtypes
        if shapes is None:
            self._shapes = [TensorShape(None) for _ in dtypes]
        elif len(shapes) != len(dtypes):
            raise ValueError(
                "Queue shapes must have the same length as dtypes, "
                f"received len(shapes)={len(shapes)}, len(dtypes)={len(dtypes)}"
            )
        else:
            self._shapes = [TensorShape(shape) for shape in shapes]
        if names is not None and len(names) != len(dtypes):
            raise ValueError(
                "Queue names must have the same length as dtypes,"
                f"received len(names)={len(names)},len {len(dtypes)}"
            )
        self._names: list[str] | None = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @staticmethod
    def from_list(index: Any, queues: Any) -> QueueBase:
        """The queue of this index, a tensor, in a list of queues.

        Raises:
          TypeError: It is no list of queues, or they differ in element types or names.
        """
        is_list = isinstance(queues, list) and queues
        if not is_list or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        types, names = queues[0].dtypes, queues[0].names
        if any(queue.dtypes != types for queue in queues[1:]):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != names for queue in queues[1:]):
            raise TypeError("Queues do not have matching component names.")
        shapes = [common_shape(each) for each in zip(*(q.shapes for q in queues), strict=True)]
        handles = single("Pack", [queue.queue_ref for queue in queues], axis=0, name="stack")
        selected = single("GatherV2", handles, index, 0)
        return QueueBase(dtypes=types, shapes=shapes, names=names, queue_ref=selected)

    @property
    def queue_ref(self) -> Tensor:
        """The queue's handle."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the queue's op."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[DType]:
        """Element types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """Static shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """Names of the components, or None."""
        return self._names

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """An operation that puts one element in; it waits while the queue is full.

        Args:
          vals: A tensor, a list of them, or a dictionary if the queue has names.
          name: The operation's name.

        Raises:
          ValueError: The components do not fit; when run, CancelledError: the queue is closed.
        """
        with name_scope(name, f"{self._name}_enqueue", _values(vals)) as scope:
            tensors = self._components(vals)
            for tensor, shape in zip(tensors, self._shapes, strict=False):
                tensor.shape.assert_is_compatible_with(shape)
            added: Operation = apply_op(
                self._form("QueueEnqueue"), self._queue_ref, tensors, name=scope
            )
            return added

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """An operation that puts in an element for each slice along the first dimensions.

        Args:
          vals: As for `enqueue`, with a first dimension of one size in all components.
          name: The operation's name.

        Raises:
          ValueError: The components do not fit; when run, CancelledError: the queue is closed.
        """
        with name_scope(name, f"{self._name}_EnqueueMany", _values(vals)) as scope:
            tensors = self._components(vals)
            batch = tensors[0].shape.with_rank_at_least(1)[:1]
            for tensor, shape in zip(tensors, self._shapes, strict=False):
                batch = batch.merge_with(tensor.shape.with_rank_at_least(1)[:1])
                tensor.shape[1:].assert_is_compatible_with(shape)
            added: Operation = apply_op("QueueEnqueueManyV2", self._queue_ref, tensors, name=scope)
            return added

    def dequeue(self, name: str | None = None) -> Any:
        """The components of an element taken out; waits while there is none.

        When run, OutOfRangeError: the queue is closed and empty.
        """
        outputs = apply_op(
            self._form("QueueDequeue"),
            self._queue_ref,
            component_types=self._dtypes,
            name=name or f"{self._name}_Dequeue",
        )
        return self._given(outputs, None)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """The components of `n` elements, stacked; waits until there are as many.

        When run, OutOfRangeError: the queue is closed and has fewer.
        """
        outputs = apply_op(
            "QueueDequeueManyV2",
            self._queue_ref,
            n,
            component_types=self._dtypes,
            name=name or f"{self._name}_DequeueMany",
        )
        count = constant_value(outputs[0].op.inputs[1])
        return self._given(outputs, TensorShape([None if count is None else int(count)]))

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """As `dequeue_many`, but of a closed queue what is left, if anything is."""
        outputs = apply_op(
            "QueueDequeueUpToV2",
            self._queue_ref,
            n,
            component_types=self._dtypes,
            name=name or f"{self._name}_DequeueUpTo",
        )
        return self._given(outputs, TensorShape([None]))

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An operation that lets nothing more in; what is in can still be taken out.

        Args:
          cancel_pending_enqueues: Cancels enqueues that wait, which otherwise are let in before.
          name: The operation's name.
        """
        added: Operation = apply_op(
            self._form("QueueClose"),
            self._queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )
        return added

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue is closed."""
        name = name or f"{self._name}_Is_Closed"
        return single(self._form("QueueIsClosed"), self._queue_ref, name=name)

    def size(self, name: str | None = None) -> Tensor:
        """How many elements there are."""
        return single(self._form("QueueSize"), self._queue_ref, name=name or f"{self._name}_Size")

    def _form(self, op_type: str) -> str:
        """The op for handles of this kind: those of old graphs are references."""
        return f"{op_type}V2" if self._queue_ref.dtype == _dtypes.resource else op_type

    def _components(self, vals: Any) -> list[Tensor]:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"({sorted(vals)}), Queue: ({sorted(self._names)})"
                )
            vals = [vals[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        return [
            convert_to_tensor(value, dtype=dtype, name=f"component_{place}")
            for place, (value, dtype) in enumerate(zip(vals, self._dtypes, strict=False))
        ]

    def _given(self, outputs: Sequence[Tensor], batch: TensorShape | None) -> Any:
        """Outputs of a dequeue in the structure of an element, with the shapes that are known."""
        for output, shape in zip(outputs, self._shapes, strict=True):
            output.set_shape(shape if batch is None else batch.concatenate(shape))
        if self._names:
            return dict(zip(self._names, outputs, strict=True))
        return outputs[0] if len(outputs) == 1 else outputs


def _values(vals: Any) -> Iterable[Any]:
    if isinstance(vals, (list, tuple)):
        return vals
    return list(vals.values()) if isinstance(vals, dict) else [vals]
