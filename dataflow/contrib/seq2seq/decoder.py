"""dynamic_decode: a loop that asks a decoder for one step after the other."""

from __future__ import annotations

import contextlib
from typing import Any

from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.functions.flow import is_tensor_array
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.rnn.dynamic import swap_batch_and_time
from dataflow.library.rnn.sizes import shape_of_size, zero_states
from dataflow.library.rnn.steps import rnn_scope
from dataflow.ops.array.fill import fill, zeros_like
from dataflow.ops.array.select import where
from dataflow.ops.array.shape import shape
from dataflow.ops.basic.constant import constant
from dataflow.ops.math.compare import greater_equal, logical_not, logical_or
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape


class Decoder:
    """What `dynamic_decode` runs: says how decoding begins, what a step is, and what comes last."""

    @property
    def batch_size(self) -> Any:
        """Number of sequences, a number or a scalar."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """Size of the outputs of a step: an integer, a shape, or a structure of them."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """Element types of the outputs, in a structure like that of `output_size`."""
        raise NotImplementedError

    def initialize(self, name: Any = None) -> Any:
        """Which sequences have ended already, booleans; the first inputs; the first state."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: Any = None) -> Any:
        """One step.

        Returns:
          The outputs, the next state, the next inputs, and which sequences have ended.
        """
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """The outputs of all steps and the last state, made into what is returned."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether what `step` says of ends is all that counts.

        If not, a sequence that has ended once has ended for good. A decoder whose sequences change
        places must say so itself.
        """
        return False


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
    **kwargs: Any,
) -> tuple[Any, Any, Any]:
    """Runs a decoder until all sequences have ended.

    Args:
      decoder: A `Decoder`.
      output_time_major: Whether outputs are [time, batch, ...], not [batch, time, ...].
      impute_finished: Whether a sequence that has ended keeps its state and gives zeros.
      maximum_iterations: Most steps, a number or an int32 scalar; None for no limit.
      parallel_iterations: How many steps may be under way at once.
      swap_memory: Whether values saved for gradients may be moved to host memory.
      scope: Variable scope of the loop; "decoder" by default.
      **kwargs: What the decoder's `initialize` takes.

    Returns:
      The outputs of all steps, the last state, and the lengths of the sequences (int32 [batch]).

    Raises:
      TypeError: `decoder` is no `Decoder`.
      ValueError: `maximum_iterations` is no scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with rnn_scope(scope or "decoder"):
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(
                maximum_iterations, dtype=dtypes.int32, name="maximum_iterations"
            )
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
        loop = _Loop(decoder, impute_finished, maximum_iterations, kwargs)
        outputs, state, lengths = loop.run(parallel_iterations, swap_memory)
        # A decoder without a last step leaves what there is.
        with contextlib.suppress(NotImplementedError):
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(swap_batch_and_time, outputs)
    return outputs, state, lengths


class _Loop:
    """The loop of a decoder."""

    def __init__(self, decoder: Decoder, imputes: bool, most: Any, kwargs: Any) -> None:
        self._decoder = decoder
        self._imputes = imputes
        self._most = most
        finished, self._inputs, self._state = decoder.initialize(**kwargs)
        self._zero_outputs = nest.map_structure(
            lambda size, dtype: zero_states(shape_of_size(size), decoder.batch_size, dtype),
            decoder.output_size,
            decoder.output_dtype,
        )
        if most is not None:
            finished = logical_or(finished, greater_equal(0, most))
        self._finished = finished
        self._lengths = zeros_like(finished, dtype=dtypes.int32)

    def run(self, parallel_iterations: int, swap_memory: bool) -> tuple[Any, Any, Any]:
        """The outputs [time, batch, ...], the last state and the lengths."""
        time = constant(0, dtype=dtypes.int32, name="time")
        arrays = nest.map_structure(self._array, self._decoder.output_size, self._zero_outputs)
        _, arrays, state, _, _, lengths = while_loop(
            lambda time, arrays, state, inputs, finished, lengths: logical_not(
                reduce_all(finished)
            ),
            self._step,
            (time, arrays, self._state, self._inputs, self._finished, self._lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=self._most,
            swap_memory=swap_memory,
        )
        return nest.map_structure(lambda array: array.stack(), arrays), state, lengths

    def _array(self, size: Any, zero_output: Tensor) -> TensorArray:
        batch = self._decoder.batch_size
        known = constant_value(batch) if isinstance(batch, Tensor) else batch
        element_shape = TensorShape([None if known is None else int(known)]).concatenate(
            shape_of_size(size)
        )
        return TensorArray(
            zero_output.dtype, size=0, dynamic_size=True, element_shape=element_shape
        )

    def _step(
        self, time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any
    ) -> Any:
        outputs, new_state, next_inputs, ended = self._decoder.step(time, inputs, state)
        if not self._decoder.tracks_own_finished:
            ended = logical_or(ended, finished)
        next_lengths = where(logical_not(finished), fill(shape(lengths), time + 1), lengths)
        for expected, got in ((state, new_state), (arrays, outputs), (inputs, next_inputs)):
            nest.assert_same_structure(expected, got)
        if self._imputes:
            outputs = nest.map_structure(
                lambda new, zero: where(finished, zero, new), outputs, self._zero_outputs
            )
            new_state = nest.map_structure(
                lambda new, old: _kept(finished, old, new), new_state, state
            )
        arrays = nest.map_structure(lambda array, each: array.write(time, each), arrays, outputs)
        return time + 1, arrays, new_state, next_inputs, ended, next_lengths


def _kept(finished: Tensor, old: Any, new: Any) -> Any:
    """The old state of sequences that have ended, the new one of others."""
    if is_tensor_array(old) or old.shape.rank == 0:
        return new
    new.set_shape(old.shape)
    return where(finished, old, new)
