"""Helpers: what a decoder draws of its outputs and what it sees next; that of training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.control_flow.cond import cond
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.rnn.dynamic import swap_batch_and_time
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.array.shape import shape, size
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal, greater_equal
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.reductions.reduce import reduce_all
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape


class Helper:
    """Says what samples are drawn of outputs, and what the next inputs are."""

    @property
    def batch_size(self) -> Any:
        """Number of sequences, a scalar."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self) -> Any:
        """Shape of each sequence's sample."""
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    def sample_ids_dtype(self) -> Any:
        """Element type of samples."""
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    def initialize(self, name: Any = None) -> Any:
        """Which sequences have ended already, and the first inputs."""
        raise NotImplementedError("initialize has not been implemented")

    def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
        """Samples of the outputs of a step."""
        raise NotImplementedError("sample has not been implemented")

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Any = None
    ) -> Any:
        """Which sequences have ended, the next inputs and the next state."""
        raise NotImplementedError("next_inputs has not been implemented")


class CustomHelper(Helper):
    """A helper made of functions.

    Args:
      initialize_fn: Returns which sequences have ended already, and the first inputs.
      sample_fn: Of `time`, `outputs` and `state`, returns samples.
      next_inputs_fn: Of `time`, `outputs`, `state` and `sample_ids`, returns which sequences have
        ended, the next inputs and the next state.
      sample_ids_shape: Shape of each sequence's sample; that of a scalar if None.
      sample_ids_dtype: Element type of samples; int32 if None.
    """

    def __init__(
        self,
        initialize_fn: Any,
        sample_fn: Any,
        next_inputs_fn: Any,
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: Any = None
        self._sample_ids_shape = TensorShape(sample_ids_shape if sample_ids_shape else [])
        self._sample_ids_dtype = sample_ids_dtype or dtypes.int32

    @property
    def batch_size(self) -> Any:
        """Number of sequences, which is known once there are first inputs.

        Raises:
          ValueError: `initialize` has not been called.
        """
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """As given."""
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """As given."""
        return self._sample_ids_dtype

    def initialize(self, name: Any = None) -> Any:
        """What `initialize_fn` returns."""
        with name_scope(name, "CustomHelperInitialize"):
            finished, next_inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = size(finished)
        return finished, next_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
        """What `sample_fn` returns."""
        with name_scope(name, "CustomHelperSample", (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: Any = None
    ) -> Any:
        """What `next_inputs_fn` returns."""
        with name_scope(name, "CustomHelperNextInputs", (time, outputs, state)):
            return self._next_inputs_fn(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )


class TokenHelper(Helper):
    """A helper whose samples are one int32 for each sequence."""

    _batch_size: Any

    @property
    def batch_size(self) -> Any:
        """Number of sequences, a scalar."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """That of a scalar."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        """int32."""
        return dtypes.int32


class TrainingHelper(TokenHelper):
    """Gives the right inputs, whatever the decoder says.

    Args:
      inputs: A tensor [batch, time, ...], or a structure of them.
      sequence_length: Lengths of the sequences, an int32 vector.
      time_major: Whether inputs are [time, batch, ...].
      name: Name scope.

    Raises:
      ValueError: `sequence_length` is no vector.
    """

    def __init__(
        self, inputs: Any, sequence_length: Any, time_major: bool = False, name: Any = None
    ) -> None:
        with name_scope(name, "TrainingHelper", [inputs, sequence_length]):
            inputs = nest.map_structure(convert_to_tensor, inputs)
            self._inputs = inputs
            if not time_major:
                inputs = nest.map_structure(swap_batch_and_time, inputs)
            self._input_tas = nest.map_structure(steps_of, inputs)
            self._sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.shape.rank != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self._sequence_length.shape}"
                )
            self._zero_inputs = nest.map_structure(lambda each: zeros_like(each[0, :]), inputs)
            self._batch_size = size(self._sequence_length)

    @property
    def inputs(self) -> Any:
        """As given."""
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        """As given."""
        return self._sequence_length

    def initialize(self, name: Any = None) -> Any:
        """The first of the inputs."""
        with name_scope(name, "TrainingHelperInitialize"):
            finished = equal(0, self._sequence_length)
            return finished, self._unless_all(finished, lambda: self._inputs_at(0))

    def sample(self, time: Any, outputs: Any, state: Any, name: Any = None) -> Any:
        """The likeliest token of each sequence."""
        with name_scope(name, "TrainingHelperSample", [time, outputs]):
            return cast(argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: Any = None
    ) -> Any:
        """The next of the inputs."""
        with name_scope(name, "TrainingHelperNextInputs", [time, outputs]):
            next_time = time + 1
            finished = greater_equal(next_time, self._sequence_length)
            return finished, self._unless_all(finished, lambda: self._inputs_at(next_time)), state

    def _inputs_at(self, time: Any) -> Any:
        return nest.map_structure(lambda array: array.read(time), self._input_tas)

    def _unless_all(self, finished: Tensor, inputs: Callable[[], Any]) -> Any:
        """Inputs, or zeros if all sequences have ended."""
        return cond(reduce_all(finished), lambda: self._zero_inputs, inputs)


def steps_of(tensor: Tensor) -> TensorArray:
    """A tensor [time, ...] step by step."""
    return TensorArray(
        dtype=tensor.dtype, size=shape(tensor)[0], element_shape=tensor.shape[1:]
    ).unstack(tensor)
