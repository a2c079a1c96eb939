"""Cells that take all steps at once."""

from __future__ import annotations

from typing import Any

from dataflow.library.rnn.dynamic import dynamic_rnn
from dataflow.library.rnn.static import static_rnn
from dataflow.ops.array.concat import stack, unstack
from dataflow.ops.array.transpose import reverse, reverse_sequence


class FusedRNNCell:
    """What runs over all steps of its inputs, [time, batch, size] or a list of [batch, size]."""

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """The outputs of all steps, as a tensor or a list like the inputs, and the last state.

        Args:
          inputs: A tensor [time, batch, size], or a list of tensors [batch, size].
          initial_state: State before the first step, or None.
          dtype: Element type of first state and outputs, needed without a state.
          sequence_length: Lengths of the sequences, int [batch], or None.
          scope: Variable scope.
        """
        raise NotImplementedError


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell, run over all steps.

    Args:
      cell: An `RNNCell`.
      use_dynamic_rnn: Whether steps are taken in a loop.
    """

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """See `FusedRNNCell`."""
        listed = isinstance(inputs, list)
        if self._use_dynamic_rnn:
            outputs, state = dynamic_rnn(
                self._cell,
                stack(inputs) if listed else inputs,
                sequence_length=sequence_length,
                initial_state=initial_state,
                dtype=dtype,
                time_major=True,
                scope=scope,
            )
            return unstack(outputs, num=len(inputs)) if listed else outputs, state
        steps, state = static_rnn(
            self._cell,
            inputs if listed else unstack(inputs),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return steps if listed else stack(steps), state


class TimeReversedFusedRNN(FusedRNNCell):
    """A fused cell that runs from the ends of the sequences.

    Args:
      cell: A `FusedRNNCell`.
    """

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """See `FusedRNNCell`."""
        outputs, state = self._cell(
            _reversed(inputs, sequence_length),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return _reversed(outputs, sequence_length), state


def _reversed(steps: Any, lengths: Any) -> Any:
    """Steps of sequences of some lengths in reverse order."""
    if isinstance(steps, list):
        if lengths is None:
            return list(reversed(steps))
        return unstack(_reversed(stack(steps), lengths), num=len(steps))
    if lengths is None:
        return reverse(steps, [0])
    return reverse_sequence(steps, lengths, seq_axis=0, batch_axis=1)
