"""The walk of reverse-mode differentiation: from the ys back to the xs, one operation at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import dataflow.differentiation.gradient_functions  # noqa: F401 - registers them
import dataflow.ops.basic.grouping as grouping
from dataflow.control_flow import predicates
from dataflow.differentiation.aggregation import Gradient, aggregate
from dataflow.differentiation.calls import call_gradient, symbolic_gradient
from dataflow.differentiation.captures import CaptureView
from dataflow.differentiation.loop_state import GradLoopState
from dataflow.differentiation.registry import gradient_function, is_trainable
from dataflow.differentiation.state import ControlFlowState, state_for
from dataflow.differentiation.zeros import has_zeros, outside_loops
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import GradientFunction
from dataflow.values import dtypes

_LOOPS = ("While", "StatelessWhile")


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

    An operation is differentiated once, when all its consumers on the way have been; the Switch of
    a loop variable twice: first for what leaves the loop, then for what goes round in it.
    """

    def __init__(
        self, graph: Graph, options: WalkOptions, source_graph: Graph | None = None
    ) -> None:
        """Prepares a walk.

        Args:
          graph: Where the gradients are made.
          options: What the caller can choose.
          source_graph: Where the ys are, if that is another graph.
        """
        self._graph = graph
        self._source_graph = graph if source_graph is None else source_graph
        self._view = CaptureView(self._source_graph, ())
        self._options = options
        self._pending: dict[Operation, int] = {}
        self._stops: set[Operation] = set()
        self._x_ops: list[Operation] = []
        self._loops: ControlFlowState | None = None
        self._queue: deque[Operation] = deque()
        self._received: dict[Operation, list[list[Gradient]]] = {}
        self._settled: dict[Operation, list[Any]] = {}

    def run(
        self,
        ys: Sequence[Tensor],
        xs: Sequence[Tensor],
        grad_ys: Sequence[Gradient],
        stop_ops: Iterable[Operation],
    ) -> None:
        """Differentiates everything between ys and xs, starting from the gradients of the ys.

        Raises:
          LookupError: An operation on the way has no registered gradient.
          TypeError: A gradient function returns something that is no gradient.
          ValueError: A gradient function returns the wrong number or a wrong shape of gradients.
        """
        y_ops = [y.op for y in ys]
        self._x_ops = [x.op for x in xs]
        self._view = CaptureView(self._source_graph, xs)
        between = _between(y_ops, self._x_ops, self._view)
        reachable = [op for op in y_ops if op in between]
        self._loops = state_for(between, self.colocation)
        self._pending = _pending_counts(between, self._view)
        for y, grad_y in zip(ys, grad_ys, strict=True):
            self._receive(y, grad_y)
        self._queue.extend(dict.fromkeys(op for op in reachable if self._pending[op] == 0))
        if self._loops is not None:
            for loop_exit in self._loops.unused_exits(self._pending, set(self._queue)):
                if is_trainable(loop_exit):
                    self._receive(loop_exit, self._loops.zeros_for_exit(loop_exit))
                    self._queue.append(loop_exit.op)
        self._stops = self._first_ops(self._x_ops)
        self._stops.update(stop_ops)
        while self._queue:
            op = self._queue.popleft()
            self._differentiate(op)
            for tensor in self._view.inputs(op):
                self._count_down(tensor)

    def finish(self) -> None:
        """Completes the backward loops; called outside of the name scope of the others."""
        if self._loops is not None:
            self._loops.finish()

    def gradient(self, tensor: Tensor) -> Any:
        """The gradient found for a tensor, or None."""
        settled = self._settled.get(tensor.op)
        return None if settled is None else settled[tensor.value_index]

    def colocation(self, op: Operation) -> AbstractContextManager[Any]:
        """The context in which the gradient operations of an operation are made."""
        return self._graph.colocate_with(op) if self._options.colocate else nullcontext()

    def _first_ops(self, x_ops: Sequence[Operation]) -> set[Operation]:
        """The x operations whose inputs do not lead to another x."""
        return {
            op
            for op in x_ops
            if not any(self._pending.get(t.op, 0) > 0 for t in self._view.inputs(op))
        }

    def _differentiate(self, op: Operation) -> None:
        """Gives the inputs of an operation their gradients."""
        with self.colocation(op):
            with self._loop_of(op, before=True):
                out_grads = self._settle(op)
            stops = op in self._stops or all(grad is None for grad in out_grads)
            function = None if stops else self._function_of(op)
            with self._loop_of(op, before=False):
                self._check_not_through_loop_variable(op)
                if function is not None:
                    in_grads = self._input_gradients(op, function, out_grads)
                    inputs = self._view.inputs(op)
                    for index, (tensor, grad) in enumerate(zip(inputs, in_grads, strict=False)):
                        self._give(op, index, tensor, grad)

    def _loop_of(self, op: Operation, before: bool) -> AbstractContextManager[Any]:
        return nullcontext() if self._loops is None else self._loops.entered(op, before)

    def _count_down(self, tensor: Tensor) -> None:
        """Notes that one more consumer of a tensor is done with; its operation may be ready."""
        op = tensor.op
        if op not in self._pending:
            return
        self._pending[op] -= 1
        count = self._pending[op]
        if count == 0 or (self._loops is not None and count > 0 and predicates.is_loop_switch(op)):
            state = None
            if self._loops is not None and predicates.is_exit(op):
                state = self._loops.state_of(op, before=False)
            if state is None:
                self._queue.append(op)
            else:
                self._defer_exit(state, tensor)

    def _defer_exit(self, state: GradLoopState, loop_exit: Tensor) -> None:
        """Holds an exit of a loop back until all are there: they enter the backward loop at once.

        If any of them has a gradient, the others enter it with zeros.
        """
        assert self._loops is not None
        state.deferred_exits.append(loop_exit)
        state.pending_exits_count -= 1
        if state.pending_exits_count:
            return
        some = False
        for each in state.deferred_exits:
            if any(self._received.get(each.op, ())):
                some = True
                self._queue.append(each.op)
            else:
                state.unused_exits.append(each)
        for each in state.unused_exits:
            if some and is_trainable(each):
                self._receive(each, self._loops.zeros_for_exit(each))
            self._queue.append(each.op)

    def _settle(self, op: Operation) -> list[Any]:
        """Sums what each output has received, unless that is done already."""
        settled = self._settled.get(op)
        if settled is None:
            received = self._received.pop(op, None) or [[] for _ in op.outputs]
            method = self._options.aggregation_method
            settled = [aggregate(grads, op, index, method) for index, grads in enumerate(received)]
            self._settled[op] = settled
        return settled

    def _input_gradients(
        self, op: Operation, function: GradientFunction, out_grads: list[Any]
    ) -> Sequence[Any]:
        """One gradient or None for each input of an operation; fills in zeros for its outputs."""
        for index, grad in enumerate(out_grads):
            wants_all = function is symbolic_gradient
            if grad is None and (wants_all or is_trainable(op.outputs[index])):
                out_grads[index] = self._zeros(op, index)
        marks = self._marks_of_gradients(op)
        with self._graph.name_scope(op.name + "_grad"), self._graph._original_op(op):
            with self._graph._scopes.with_attrs(marks) if marks else nullcontext():
                result = function(op, *out_grads)
            in_grads = result if isinstance(result, (list, tuple)) else [result]
            # A loop is given inputs while its gradient is made: for the values it is to save.
            if len(in_grads) != len(op.inputs) and op.type not in _LOOPS:
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

    def _marks_of_gradients(self, op: Operation) -> dict[str, Any]:
        """What `jit_scope` has gradients of its operations say to XLA."""
        if not op.attrs.get("_XlaCompile") or "_XlaScope" not in op.attrs:
            return {}
        scope: bytes = op.attrs["_XlaScope"]
        if op.attrs.get("_XlaSeparateCompiledGradients"):
            scope += f"_grad_{self._graph.get_name_scope()}".replace("/", "_").encode()
        return {"_XlaCompile": True, "_XlaScope": scope}

    def _zeros(self, op: Operation, index: int) -> Tensor | None:
        """What stands for the gradient of an output that the ys do not depend on."""
        if self._loops is not None:
            return self._loops.zeros_like(op, index)
        return outside_loops(op, index) if has_zeros(op.outputs[index]) else None

    def _check_not_through_loop_variable(self, op: Operation) -> None:
        """Raises ValueError in a loop's body for an x that is, or is before, its initial value."""
        context = op._get_control_flow_context()
        if (
            not predicates.is_switch(op)
            or context is None
            or not context.IsWhileContext()
            or context is not self._graph._get_control_flow_context()
        ):
            return
        seen: set[Operation] = set()
        queue = deque([op])
        while (current := queue.popleft()) not in self._x_ops:
            if current not in seen:
                seen.add(current)
                queue.extend(tensor.op for tensor in current.inputs)
        raise ValueError(
            "Cannot compute gradient inside while loop with respect to op "
            f"'{current.name}'. We do not support taking the gradient wrt or through the initial "
            "value of a loop variable. Gradients can be computed through loop invariants or wrt "
            "the input parameters to the loop body."
        )

    def _function_of(self, op: Operation) -> GradientFunction | None:
        try:
            return gradient_function(op)
        except LookupError:
            of_call = call_gradient(op, self._source_graph)
            if of_call is not None:
                return of_call
            raise LookupError(
                f"No gradient defined for operation '{op.name}' (op type: {op.type}). Register one "
                "with `@tf.RegisterGradient`, or put `tf.stop_gradient` behind the operation if "
                "it is to count as a constant."
            ) from None

    def _give(self, op: Operation, index: int, tensor: Tensor, grad: Any) -> None:
        """Hands a gradient to the input it belongs to, after a look at its shape."""
        if grad is None:
            return
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
        op = tensor.op
        if op not in self._pending:
            return
        if op in self._settled:
            # The second gradient of a loop variable's Switch: it is no sum with the first.
            assert predicates.is_loop_switch(op), f"{op.name} was differentiated too early."
            self._settled[op][tensor.value_index] = grad
            return
        received = self._received.get(op)
        if received is None:
            received = self._received[op] = [[] for _ in op.outputs]
        received[tensor.value_index].append(grad)


def _between(
    y_ops: Iterable[Operation], x_ops: Iterable[Operation], view: CaptureView
) -> dict[Operation, None]:
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
                queue.extend(view.consumers(output))
    between: dict[Operation, None] = {}
    queue = deque(y_ops)
    while queue:
        op = queue.popleft()
        if op in reached and op not in between:
            between[op] = None
            queue.extend(tensor.op for tensor in view.inputs(op))
    return between


def _pending_counts(between: Iterable[Operation], view: CaptureView) -> dict[Operation, int]:
    """For each operation on the way, how many inputs of others on the way it feeds."""
    pending = dict.fromkeys(between, 0)
    for op in pending:
        for tensor in view.inputs(op):
            if tensor.op in pending:
                pending[tensor.op] += 1
    return pending
