"""CoupledInputForgetGateLSTMCell: what is forgotten is what is admitted (Greff et al., 2015)."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.parts import (
    LSTMLike,
    input_size,
    layer_normalized,
    lstm_sizes,
    sharded_variable,
)
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.clipping import clip_by_value
from dataflow.library.layers.arguments import ZEROS
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.ops.array.concat import concat
from dataflow.ops.array.split import split
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.bias import bias_add
from dataflow.variables.scope import get_variable, variable_scope


class CoupledInputForgetGateLSTMCell(LSTMLike):
    """An LSTM whose input gate is one minus its forget gate.

    Args:
      num_units: Size of the memory.
      use_peepholes: Whether the gates see the memory.
      initializer: Initial value of the weights; the variable scope's default if None.
      num_proj: Size of the output, for which it is projected; None for no projection.
      proj_clip: A projected output stays between this and its negative; None for no limits.
      num_unit_shards: In how many variables the kernel is.
      num_proj_shards: The same for the projection.
      forget_bias: What is added to the sums of the forget gate.
      state_is_tuple: Whether states are `LSTMStateTuple`s, not memory and output side by side.
      activation: Of new values and of the memory.
      reuse: Whether variables that exist in the cell's scope are shared.
      layer_norm: Whether sums and memory are normalized.
      norm_gain: Initial factor of what is normalized.
      norm_shift: Initial value of what is added to it.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: Any = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = tanh,
        reuse: Any = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        super().__init__(num_units, num_proj, reuse)
        self._use_peepholes = use_peepholes
        self._initializer = initializer
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    @property
    def state_size(self) -> Any:
        """Sizes of memory and output, or their sum."""
        sizes = lstm_sizes(self._num_units, self._num_proj)
        return sizes if self._state_is_tuple else sum(sizes)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        units, outputs = self._num_units, self.output_size
        c, m = state if self._state_is_tuple else split(state, [units, outputs], axis=1)
        dtype = inputs.dtype
        with variable_scope(
            get_variable_scope(), initializer=self._initializer, auxiliary_name_scope=False
        ):
            kernel = sharded_variable(
                "W", [input_size(inputs) + outputs, 3 * units], dtype, self._num_unit_shards
            )
            bias = get_variable("B", [3 * units], dtype=dtype, initializer=ZEROS)
            sums = matmul(concat([inputs, m], 1), kernel)
            if not self._layer_norm:
                sums = bias_add(sums, bias)
            new, forget, show = (
                self._normed(each, scope)
                for each, scope in zip(
                    split(sums, 3, axis=1), ("transform", "forget", "output"), strict=True
                )
            )
            forget = forget + self._forget_bias
            if self._use_peepholes:
                forget_diag = get_variable("W_F_diag", [units], dtype=dtype)
                show_diag = get_variable("W_O_diag", [units], dtype=dtype)
                forget = forget + forget_diag * c
            kept = sigmoid(forget)
            new_c = self._normed(kept * c + (1 - kept) * self._activation(new), "state")
            if self._use_peepholes:
                show = show + show_diag * new_c
            new_m = sigmoid(show) * self._activation(new_c)
            if self._num_proj is not None:
                projection = sharded_variable(
                    "W_P", [units, self._num_proj], dtype, self._num_proj_shards
                )
                new_m = matmul(new_m, projection)
                if self._proj_clip is not None:
                    new_m = clip_by_value(new_m, -self._proj_clip, self._proj_clip)
        if self._state_is_tuple:
            return new_m, LSTMStateTuple(new_c, new_m)
        return new_m, concat([new_c, new_m], 1)

    def _normed(self, values: Any, scope: str) -> Any:
        if not self._layer_norm:
            return values
        return layer_normalized(values, scope, self._norm_gain, self._norm_shift)
