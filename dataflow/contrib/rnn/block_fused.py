"""LSTMBlockFusedCell: all steps of an LSTM in one op."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.block import peephole_weights
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.layers.input_spec import InputSpec
from dataflow.library.layers.layer import Layer
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.library.rnn.sizes import zero_states
from dataflow.ops.array.concat import concat, stack, unstack
from dataflow.ops.array.fill import zeros
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.select import sequence_mask
from dataflow.ops.array.shape import expand_dims, shape
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.ops.sequences.lstm_block import block_lstm
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape, dimension_value


class LSTMBlockWrapper(Layer):
    """A fused LSTM; subclasses say `num_units` and override `_call_cell`."""

    @property
    def num_units(self) -> int:
        """Size of memory and output."""
        raise NotImplementedError

    def _call_cell(
        self,
        inputs: Any,
        initial_cell_state: Any,
        initial_output: Any,
        dtype: Any,
        sequence_length: Any,
    ) -> Any:
        """Memories and outputs of all steps, [time, batch, num_units]."""
        raise NotImplementedError

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """See `call`."""
        if not isinstance(inputs, list):
            return super().__call__(inputs, *args, **kwargs)
        outputs, state = super().__call__(stack(inputs), *args, **kwargs)
        return unstack(outputs, num=len(inputs)), state

    def call(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
    ) -> Any:
        """Outputs of all steps, and the last state.

        Args:
          inputs: A tensor [time, batch, size], or a list of tensors [batch, size].
          initial_state: A pair of memory and output before the first step; zero if None.
          dtype: Element type, needed without an `initial_state`.
          sequence_length: Lengths of the sequences, int [batch]: behind them outputs are zero, and
            the state is that of the last step. None if all are as long as the inputs.

        Raises:
          ValueError: There is neither a state nor a `dtype`, or the state is no pair.
        """
        sizes = inputs.shape.with_rank(3)
        batch = dimension_value(sizes[1]) or shape(inputs)[1]
        steps = dimension_value(sizes[0]) or shape(inputs)[0]
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            initial_state = zero_states((self.num_units, self.num_units), batch, dtype)
        elif len(initial_state) != 2:
            raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
        elif dtype is None:
            dtype = initial_state[0].dtype
        if sequence_length is not None:
            sequence_length = cast(sequence_length, dtypes.int64)
        c, h = initial_state
        memories, outputs = self._call_cell(inputs, c, h, dtype, sequence_length)
        if sequence_length is None:
            last = LSTMStateTuple(memories[-1], outputs[-1])
        else:
            mask = transpose(sequence_mask(sequence_length, steps, dtype=dtype), [1, 0])
            outputs = outputs * expand_dims(mask, 2)
            rows = stack([sequence_length, cast(range_of(batch), dtypes.int64)], axis=1)
            # In front of the steps stands what a sequence without one ends with.
            last = LSTMStateTuple(
                gather_nd(concat([expand_dims(c, 0), memories], 0), rows),
                gather_nd(concat([expand_dims(h, 0), outputs], 0), rows),
            )
            for each in last:
                each.set_shape([dimension_value(sizes[1]), self.num_units])
        return outputs, last


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """An LSTM all of whose steps are one op.

    Args:
      num_units: Size of memory and output.
      forget_bias: What is added to the sums of the forget gate.
      cell_clip: The memory stays between this and its negative; None for no limits.
      use_peephole: Whether the gates see the memory.
      reuse: Whether variables that exist in the cell's scope are shared.
      dtype: Element type of the variables; that of the first inputs if None.
      name: Name of the cell and of its variable scope.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: Any = None,
        use_peephole: bool = False,
        reuse: Any = None,
        dtype: Any = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self._use_peephole = use_peephole
        self.input_spec = InputSpec(ndim=3)

    @property
    def num_units(self) -> int:
        """Size of memory and output."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` and `bias`, and weights of peepholes.

        Raises:
          ValueError: The size of the inputs is not known.
        """
        size = dimension_value(TensorShape(input_shape)[2])
        if size is None:
            raise ValueError(f"Expected the size of inputs to be known, saw shape: {input_shape}")
        self._kernel = self.add_weight("kernel", [size + self._num_units, 4 * self._num_units])
        self._bias = self.add_weight("bias", [4 * self._num_units], initializer=ZEROS)
        self._diagonals = peephole_weights(self, self._use_peephole)
        self.built = True

    def _call_cell(
        self,
        inputs: Any,
        initial_cell_state: Any,
        initial_output: Any,
        dtype: Any,
        sequence_length: Any,
    ) -> Any:
        if sequence_length is None:
            longest = cast(shape(inputs)[0], dtypes.int64)
        else:
            longest = reduce_max(sequence_length)
        unseen = zeros([self._num_units], dtype=dtype)
        see_i, see_f, see_o = self._diagonals or (unseen, unseen, unseen)
        _, memories, _, _, _, _, outputs = block_lstm(
            longest,
            inputs,
            initial_cell_state,
            initial_output,
            self._kernel,
            see_i,
            see_f,
            see_o,
            self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return memories, outputs
