"""The walk of reverse-mode differentiation: from the ys back to the xs, one operation at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import dataflow.ops.array as array_ops
import dataflow.ops.grouping as grouping
from dataflow import dtypes
from dataflow.gradient_aggregation import Gradient, aggregate
from dataflow.gradient_registry import gradient_function, is_trainable
from dataflow.graph import Graph
from dataflow.opdef import GradientFunction
from dataflow.operation import Operation
from dataflow.ops.single import single
from dataflow.tensor import Tensor


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """What a caller of `gradients` can choose about the operations that are made."""

    colocate: bool
    """Puts gradient operations on the device of the operation they differentiate."""
    gate: bool
    """Gives on the gradients of an operation's inputs only when all of them are there."""
    aggregation_method: int | None


class GradientWalk:
    """One call of `gradients`; linear in the number of operations between ys and xs.

    An operation is differentiated once, when all its consumers on the way have been. `colocation`
    and `zeros` are asked for one operation or output at a time: gradients of control flow, which
    need other contexts and other zeros, override them.
    """

    def __init__(
        self,
        graph: Graph,
        ys: Sequence[Tensor],
        xs: Sequence[Tensor],
        stop_ops: Iterable[Operation],
        options: WalkOptions,
    ) -> None:
        self._graph = graph
        self._options = options
        self._y_ops = [y.op for y in ys]
        between = _between(self._y_ops, [x.op for x in xs])
        self._pending = _pending_counts(between)
        self._stops = self._first_ops([x.op for x in xs])
        self._stops.update(stop_ops)
        self._received: dict[Operation, list[list[Gradient]]] = {}
        self._settled: dict[Operation, list[Any]] = {}

    def run(self, ys: Sequence[Tensor], grad_ys: Sequence[Gradient]) -> None:
        """Differentiates everything between ys and xs, starting from the gradients of the ys.

        Raises:
          LookupError: An operation on the way has no registered gradient.
          TypeError: A gradient function returns something that is no gradient.
          ValueError: A gradient function returns the wrong number or a wrong shape of gradients.
        """
        for y, grad_y in zip(ys, grad_ys, strict=True):
            self._receive(y, grad_y)
        queue = deque(dict.fromkeys(op for op in self._y_ops if self._pending.get(op) == 0))
        while queue:
            op = queue.popleft()
            with self.colocation(op):
                out_grads = self._settle(op)
                for index, grad in enumerate(self._input_gradients(op, list(out_grads))):
                    self._give(op, index, grad)
            for tensor in op.inputs:
                producer = tensor.op
                if producer in self._pending:
                    self._pending[producer] -= 1
                    if self._pending[producer] == 0:
                        queue.append(producer)

    def gradient(self, tensor: Tensor) -> Any:
        """The gradient found for a tensor, or None."""
        settled = self._settled.get(tensor.op)
        return None if settled is None else settled[tensor.value_index]

    def colocation(self, op: Operation) -> AbstractContextManager[Any]:
        """The context in which the gradient operations of an operation are made."""
        return self._graph.colocate_with(op) if self._options.colocate else nullcontext()

    def zeros(self, tensor: Tensor) -> Tensor | None:
        """What stands for the gradient of an output that the ys do not depend on."""
        if tensor.dtype is not dtypes.resource:
            return array_ops.zeros_like(tensor, optimize=False)
        if tensor.handle_data is None or len(tensor.handle_data) != 1:
            return None
        ((element, _),) = tensor.handle_data
        return array_ops.zeros(single("VariableShape", tensor), dtype=element)

    def _first_ops(self, x_ops: Sequence[Operation]) -> set[Operation]:
        """The x operations whose inputs do not lead to another x."""
        return {
            op
            for op in x_ops
            if not any(self._pending.get(tensor.op, 0) > 0 for tensor in op.inputs)
        }

    def _settle(self, op: Operation) -> list[Any]:
        """Sums what each output has received; the result is final."""
        received = self._received.pop(op, None) or [[] for _ in op.outputs]
        method = self._options.aggregation_method
        sums = [aggregate(grads, op, index, method) for index, grads in enumerate(received)]
        self._settled[op] = sums
        return sums

    def _input_gradients(self, op: Operation, out_grads: list[Any]) -> Sequence[Any]:
        """One gradient or None for each input of an operation; empty where gradients stop."""
        if op in self._stops or all(grad is None for grad in out_grads):
            return ()
        function = self._function_of(op)
        if function is None:
            return ()
        for index, grad in enumerate(out_grads):
            if grad is None and is_trainable(op.outputs[index]):
                out_grads[index] = self.zeros(op.outputs[index])
        with self._graph.name_scope(op.name + "_grad"), self._graph._original_op(op):
            result = function(op, *out_grads)
            in_grads = result if isinstance(result, (list, tuple)) else [result]
            if len(in_grads) != len(op.inputs):
                raise ValueError(
                    f"Num gradients {len(in_grads)} generated for op {op.node_def} do not match "
                    f"num inputs {len(op.inputs)}"
                )
            if self._options.gate and sum(grad is not None for grad in in_grads) > 1:
                with (
                    self._graph.device(None),
                    self._graph.colocate_with(None, ignore_existing=True),
                ):
                    return grouping.tuple(in_grads)
        return in_grads

    def _function_of(self, op: Operation) -> GradientFunction | None:
        try:
            return gradient_function(op)
        except LookupError:
            raise LookupError(
                f"No gradient defined for operation'{op.name}' (op type: {op.type}). Register one "
                "with `@tf.RegisterGradient`, or put `tf.stop_gradient` behind the operation if "
                "it is to count as a constant."
            ) from None

    def _give(self, op: Operation, index: int, grad: Any) -> None:
        """Hands a gradient to the input it belongs to, after a look at its shape."""
        if grad is None:
            return
        tensor = op.inputs[index]
        if isinstance(grad, Tensor) and tensor.dtype is not dtypes.resource:
            try:
                grad.set_shape(tensor.shape)
            except ValueError:
                raise ValueError(
                    "Incompatible shapes between op input and calculated input gradient. Forward "
                    f"operation: {op.name}. Input index: {index}. Original input shape: "
                    f"{tensor.shape}. Calculated input gradient shape: {grad.shape}"
                ) from None
        self._receive(tensor, grad)

    def _receive(self, tensor: Tensor, grad: Gradient) -> None:
        if tensor.op not in self._pending:
            return
        received = self._received.get(tensor.op)
        if received is None:
            received = self._received[tensor.op] = [[] for _ in tensor.op.outputs]
        received[tensor.value_index].append(grad)


def _between(y_ops: Iterable[Operation], x_ops: Iterable[Operation]) -> dict[Operation, None]:
    """The operations on ways from xs to ys over tensors that can have a gradient, ys first."""
    reached: set[Operation] = set()
    queue = deque(x_ops)
    while queue:
        op = queue.popleft()
        if op in reached:
            continue
        reached.add(op)
        for output in op.outputs:
            if is_trainable(output):
                queue.extend(output.consumers())
    between: dict[Operation, None] = {}
    queue = deque(y_ops)
    while queue:
        op = queue.popleft()
        if op in reached and op not in between:
            between[op] = None
            queue.extend(tensor.op for tensor in op.inputs)
    return between


def _pending_counts(between: Iterable[Operation]) -> dict[Operation, int]:
    """For each operation on the way, how many inputs of others on the way it feeds."""
    pending = dict.fromkeys(between, 0)
    for op in pending:
        for tensor in op.inputs:
            if tensor.op in pending:
                pending[tensor.op] += 1
    return pending
