"""What the loops over sequences share: their variable scope, first states, sequences that end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.functions.flow import is_tensor_array
from dataflow.functions.func_graph import WhileBodyFuncGraph, WhileCondFuncGraph
from dataflow.graph.contexts import containing_while_context
from dataflow.graph.scopes import colocate_with, get_default_graph
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import VariableScope
from dataflow.library.layers.base import BaseLayer
from dataflow.library.rnn.cell import RNNCell
from dataflow.ops.array.select import where
from dataflow.ops.reductions.reduce import reduce_max, reduce_min
from dataflow.values import nest
from dataflow.variables.scope import variable_scope


@contextmanager
def rnn_scope(scope: Any) -> Iterator[VariableScope]:
    """The variable scope of a loop; each device reads a variable once for all steps."""
    with variable_scope(scope or "rnn") as entered:
        if entered.caching_device is None and not is_in_loop():
            entered.set_caching_device(lambda op: op.device)
        yield entered


def is_in_loop() -> bool:
    """Whether what is built now is part of a loop."""
    graph = get_default_graph()
    return containing_while_context(graph._get_control_flow_context()) is not None or isinstance(
        graph, (WhileCondFuncGraph, WhileBodyFuncGraph)
    )


def first_state(cell: Any, given: Any, batch_size: Any, dtype: Any, refusal: str) -> Any:
    """The state before the first step: what was given, or the cell's.

    `refusal` is what an error says.

    Raises:
      ValueError: Neither a state nor its element type was given.
    """
    if given is not None:
        return given
    if not dtype:
        raise ValueError(refusal)
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def state_type(dtype: Any, state: Any) -> Any:
    """The element type of outputs: what was given, or that of the state.

    Raises:
      ValueError: The state has none, or several.
    """
    if dtype is not None:
        return dtype
    if not nest.is_nested(state):
        return state.dtype
    found = [each.dtype for each in nest.flatten(state)]
    if not found:
        raise ValueError("Unable to infer dtype from empty state.")
    if any(each != found[0] for each in found):
        raise ValueError(
            "State has tensors of different inferred_dtypes. Unable to infer a single "
            "representative dtype."
        )
    return found[0]


def called_by_loops(cell: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    """The cell; one of Keras takes and gives a list of tensors, where loops have one tensor."""
    if isinstance(cell, RNNCell) or not isinstance(cell, BaseLayer) or hasattr(cell, "zero_state"):
        return cell

    def call(inputs: Any, state: Any) -> tuple[Any, Any]:
        if nest.is_nested(state):
            return cell(inputs, state)  # type: ignore[no-any-return]
        output, (new_state,) = cell(inputs, [state])
        return output, new_state

    return call


class SequenceEnds:
    """Keeps the state of sequences that have ended, and makes their outputs zero.

    Args:
      lengths: Lengths of the sequences, an int32 vector.
      zero_output: Output of a step behind the end.
      shortest: The smallest of the lengths; looked up if None.
      longest: The largest of them, likewise.
    """

    def __init__(
        self, lengths: Tensor, zero_output: Any, shortest: Any = None, longest: Any = None
    ) -> None:
        self._lengths = lengths
        self._zero_output = zero_output
        self._shortest = reduce_min(lengths) if shortest is None else shortest
        self.longest = reduce_max(lengths) if longest is None else longest

    def step(
        self, time: Any, state: Any, call_cell: Callable[[], tuple[Any, Any]]
    ) -> tuple[Any, Any]:
        """One step, whose operations run for all sequences."""
        copies = time >= self._lengths
        output, new_state = self._called(state, call_cell)
        return self._packed(state, self._kept(copies, state, output, new_state))

    def step_if_needed(
        self, time: Any, state: Any, call_cell: Callable[[], tuple[Any, Any]]
    ) -> tuple[Any, Any]:
        """One step, whose operations do not run when all sequences have ended."""
        copies = time >= self._lengths

        def needed() -> Any:
            output, new_state = self._called(state, call_cell)
            return cond(
                time < self._shortest,
                lambda: [*output, *new_state],
                lambda: self._kept(copies, state, output, new_state),
            )

        def unchanged() -> list[Any]:
            return [*nest.flatten(self._zero_output), *nest.flatten(state)]

        return self._packed(state, cond(time >= self.longest, unchanged, needed))

    def _called(
        self, state: Any, call_cell: Callable[[], tuple[Any, Any]]
    ) -> tuple[list[Any], list[Any]]:
        """The tensors of a new output and state."""
        output, new_state = call_cell()
        nest.assert_same_structure(self._zero_output, output)
        nest.assert_same_structure(state, new_state)
        new_states = nest.flatten(new_state)
        return nest.flatten(output), new_states

    def _kept(
        self, copies: Tensor, state: Any, output: Sequence[Any], new_state: Sequence[Any]
    ) -> list[Any]:
        """The tensors of output and state, the old ones where `copies` is true."""
        old = [*nest.flatten(self._zero_output), *nest.flatten(state)]
        new = [*output, *new_state]
        return [old_or_new(copies, *each) for each in zip(old, new, strict=True)]

    def _packed(self, state: Any, tensors: Sequence[Any]) -> tuple[Any, Any]:
        before = [*nest.flatten(self._zero_output), *nest.flatten(state)]
        for tensor, old in zip(tensors, before, strict=True):
            if not is_tensor_array(tensor):
                tensor.set_shape(old.shape)
        count = len(nest.flatten(self._zero_output))
        return (
            nest.pack_sequence_as(self._zero_output, tensors[:count]),
            nest.pack_sequence_as(state, tensors[count:]),
        )


def old_or_new(takes_old: Tensor, old: Any, new: Any) -> Any:
    """The old value of examples where `takes_old` is true, the new one of others.

    What is no batch of examples, a scalar or a TensorArray, is new.
    """
    if is_tensor_array(old) or old.shape.rank == 0:
        return new
    with colocate_with(new):
        return where(takes_old, old, new)
