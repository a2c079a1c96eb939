"""TimeFreqLSTMCell: an LSTM that also moves along the frequencies (Sainath and Li, 2016)."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.parts import input_size, sharded_variable
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.clipping import clip_by_value
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.cell import RNNCell
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.bias import bias_add
from dataflow.variables.scope import get_variable, variable_scope


class TimeFreqLSTMCell(RNNCell):
    """An LSTM over windows of the inputs, each of which also sees what the last one gave.

    Args:
      num_units: Size of memory and output of a window.
      use_peepholes: Whether the gates see the memory.
      cell_clip: The memory stays between this and its negative; None for no limits.
      initializer: Initial value of the weights; the variable scope's default if None.
      num_unit_shards: In how many variables the kernel is.
      forget_bias: What is added to the sums of the forget gate.
      feature_size: Size of a window.
      frequency_skip: By how much windows are shifted.
      reuse: Whether variables that exist in the cell's scope are shared.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: Any = None,
        frequency_skip: int = 1,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip

    @property
    def output_size(self) -> Any:
        """Size of the output of a window."""
        return self._num_units

    @property
    def state_size(self) -> Any:
        """Size of the state of a window: memory and output."""
        return 2 * self._num_units

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """Outputs of all windows, and their states, side by side."""
        units, dtype = self._num_units, inputs.dtype
        count = int((input_size(inputs) - self._feature_size) / self._frequency_skip) + 1
        with variable_scope(
            get_variable_scope(), initializer=self._initializer, auxiliary_name_scope=False
        ):
            kernel = sharded_variable(
                "W", [self._feature_size + 2 * units, 4 * units], dtype, self._num_unit_shards
            )
            bias = get_variable("B", [4 * units], dtype=dtype, initializer=ZEROS)
            see_f, see_i, see_o = (
                get_variable(f"W_{gate}_diag", [units], dtype=dtype) if self._use_peepholes else 0
                for gate in "FIO"
            )
        last = zeros_like(state[:, :units])
        states, outputs = [], []
        for index in range(count):
            c, m = split(state[:, 2 * index * units : 2 * (index + 1) * units], 2, axis=1)
            start = index * self._frequency_skip
            window = inputs[:, start : start + self._feature_size]
            sums = bias_add(matmul(concat([window, m, last], 1), kernel), bias)
            admit, new, forget, show = split(sums, 4, axis=1)
            if self._use_peepholes:
                forget, admit = forget + see_f * c, admit + see_i * c
            new_c = sigmoid(forget + self._forget_bias) * c + sigmoid(admit) * tanh(new)
            if self._cell_clip is not None:
                new_c = clip_by_value(new_c, -self._cell_clip, self._cell_clip)
            if self._use_peepholes:
                show = show + see_o * new_c
            last = sigmoid(show) * tanh(new_c)
            states += [new_c, last]
            outputs.append(last)
        return concat(outputs, 1), concat(states, 1)
