"""LSTM cells: a memory that gates write, forget and show (Hochreiter and Schmidhuber, 1997)."""

from __future__ import annotations

from typing import Any, NamedTuple

from dataflow.graph.tensor import Tensor
from dataflow.library.clipping import clip_by_value
from dataflow.library.layers.arguments import ZEROS, initializer_of
from dataflow.library.rnn.cell import SizedCell, check_types
from dataflow.ops.array.concat import concat
from dataflow.ops.array.slice import slice as slice_of
from dataflow.ops.array.split import split
from dataflow.ops.basic.constant import constant
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.binary import add, multiply
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.bias import bias_add
from dataflow.values import dtypes, logging
from dataflow.values.shapes import dimension_value
from dataflow.variables.partitioned import fixed_size_partitioner


class _LSTMStateTuple(NamedTuple):
    c: Any
    h: Any


class LSTMStateTuple(_LSTMStateTuple):
    """State of an LSTM: the memory `c` and the output `h`, or their sizes."""

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The element type of both.

        Raises:
          TypeError: They have different ones.
        """
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError(f"Inconsistent internal state: {c.dtype} vs {h.dtype}")
        return c.dtype


class BasicLSTMCell(SizedCell):
    """An LSTM with a constant added to the sums of the forget gate (Zaremba et al., 2014).

    Args:
      num_units: Size of memory and output.
      forget_bias: What is added to the sums of the forget gate.
      state_is_tuple: Whether states are `LSTMStateTuple`s, not memory and output side by side.
      activation: Function, or its name, of new values and of the memory; tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
      **kwargs: See `tf.layers.Layer`.
    """

    _arguments = (*SizedCell._arguments, "forget_bias", "state_is_tuple")

    def __init__(
        self,
        num_units: Any,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple:
            _warn_of_joined_state(self)

    @property
    def state_size(self) -> Any:
        """Sizes of memory and output, or their sum."""
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self._num_units)
        return 2 * self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel` and `bias`."""
        rows = self._self_input_size(inputs_shape) + self._num_units
        self._kernel = self.add_weight("kernel", shape=[rows, 4 * self._num_units])
        self._bias = self.add_weight("bias", shape=[4 * self._num_units], initializer=ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """The output and the new state."""
        check_types(inputs, state)
        axis = constant(1, dtype=dtypes.int32)
        c, h = state if self._state_is_tuple else split(state, 2, axis=axis)
        sums = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        admit, new, forget, show = split(sums, 4, axis=axis)
        forget_bias = constant(self._forget_bias, dtype=forget.dtype)
        kept = multiply(c, sigmoid(add(forget, forget_bias)))
        new_c = add(kept, multiply(sigmoid(admit), self._activation(new)))
        new_h = multiply(self._activation(new_c), sigmoid(show))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, concat([new_c, new_h], 1)


class LSTMCell(SizedCell):
    """An LSTM with all that has been added to it.

    Peepholes let the gates see the memory (Gers and Schmidhuber, 2000); a projection makes the
    output smaller than the memory (Sak et al., 2014).

    Args:
      num_units: Size of the memory.
      use_peepholes: Whether the gates see the memory, each unit its own.
      cell_clip: The memory stays between this and its negative; None for no limits.
      initializer: Initial value of all weights; the variable scope's default if None.
      num_proj: Size of the output, for which the LSTM's is projected; None for no projection.
      proj_clip: Like `cell_clip`, for a projected output.
      num_unit_shards: In how many parts the kernel is cut; a partitioner of the variable scope
        does that as well.
      num_proj_shards: The same for the projection.
      forget_bias: What is added to the sums of the forget gate.
      state_is_tuple: Whether states are `LSTMStateTuple`s, not memory and output side by side.
      activation: Function, or its name, of new values and of the memory; tanh if None.
      reuse: Whether variables that exist in the cell's scope are shared.
      name: Name of the cell and of its variable scope.
      dtype: Element type of the variables; that of the first inputs if None.
      **kwargs: See `tf.layers.Layer`.
    """

    _arguments = (
        *SizedCell._arguments,
        *("use_peepholes", "cell_clip", "initializer", "num_proj", "proj_clip"),
        *("num_unit_shards", "num_proj_shards", "forget_bias", "state_is_tuple"),
    )

    def __init__(
        self,
        num_units: Any,
        use_peepholes: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_proj: Any = None,
        proj_clip: Any = None,
        num_unit_shards: Any = None,
        num_proj_shards: Any = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer_of(initializer)
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._output_size = num_proj or num_units
        if not state_is_tuple:
            _warn_of_joined_state(self)

    @property
    def state_size(self) -> Any:
        """Sizes of memory and output, or their sum."""
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self._output_size)
        return self._num_units + self._output_size

    @property
    def output_size(self) -> Any:
        """Size of the output."""
        return self._output_size

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel` and `bias`, and weights of peepholes and `projection/kernel`."""
        units, outputs = self._num_units, self._output_size
        rows = self._self_input_size(inputs_shape) + outputs
        self._kernel = self.add_weight(
            "kernel",
            shape=[rows, 4 * units],
            initializer=self._initializer,
            partitioner=_partitioner(self._num_unit_shards),
        )
        self._bias = self.add_weight("bias", shape=[4 * units], initializer=ZEROS)
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = (
                self.add_weight(name, shape=[units], initializer=self._initializer)
                for name in ("w_f_diag", "w_i_diag", "w_o_diag")
            )
        if self._num_proj is not None:
            self._proj_kernel = self.add_weight(
                "projection/kernel",
                shape=[units, outputs],
                initializer=self._initializer,
                partitioner=_partitioner(self._num_proj_shards),
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Any]:
        """The output and the new state."""
        check_types(inputs, state)
        if self._state_is_tuple:
            c, h = state
        else:
            c = slice_of(state, [0, 0], [-1, self._num_units])
            h = slice_of(state, [0, self._num_units], [-1, self._output_size])
        if dimension_value(inputs.shape.with_rank(2)[1]) is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        sums = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        admit, new, forget, show = split(sums, 4, axis=1)
        new_c = self._self_memory(c, admit, new, forget)
        if self._cell_clip is not None:
            new_c = clip_by_value(new_c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            new_h = sigmoid(show + self._w_o_diag * new_c) * self._activation(new_c)
        else:
            new_h = sigmoid(show) * self._activation(new_c)
        if self._num_proj is not None:
            new_h = matmul(new_h, self._proj_kernel)
            if self._proj_clip is not None:
                new_h = clip_by_value(new_h, -self._proj_clip, self._proj_clip)
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, concat([new_c, new_h], 1)

    def _self_memory(self, c: Tensor, admit: Tensor, new: Tensor, forget: Tensor) -> Tensor:
        """The next memory, of the last one and of the sums of gates and new values."""
        if self._use_peepholes:
            return sigmoid(forget + self._forget_bias + self._w_f_diag * c) * c + sigmoid(
                admit + self._w_i_diag * c
            ) * self._activation(new)
        return sigmoid(forget + self._forget_bias) * c + sigmoid(admit) * self._activation(new)


def _partitioner(shards: int | None) -> Any:
    return None if shards is None else fixed_size_partitioner(shards)


def _warn_of_joined_state(cell: Any) -> None:
    logging.warning("%s: a state that is no tuple is cut and joined in every step.", cell)
