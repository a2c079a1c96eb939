"""PhasedLSTMCell: an LSTM whose units open and close in time (Neil et al., 2016)."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.linear import Linear
from dataflow.contrib.rnn.parts import LSTMLike, log_uniform
from dataflow.graph.tensor import Tensor
from dataflow.library.rnn.lstm import LSTMStateTuple
from dataflow.ops.array.select import where
from dataflow.ops.array.split import split
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import stop_gradient
from dataflow.ops.math.division import floormod
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.values import dtypes
from dataflow.variables.initializers import Constant, RandomUniform
from dataflow.variables.scope import get_variable, variable_scope


class PhasedLSTMCell(LSTMLike):
    """An LSTM whose units change in a part of a period of their own (arXiv:1610.09513).

    Inputs are a pair: times, floats [batch, 1], and features, floats [batch, size].

    Args:
      num_units: Size of memory and output.
      use_peepholes: Whether the gates see the memory.
      leak: How much closed units change, from 0 to 1.
      ratio_on: In which part of the period units are open, from 0 to 1.
      trainable_ratio_on: Whether that is trained.
      period_init_min: Least initial period.
      period_init_max: Greatest initial period; their logarithms are uniform.
      reuse: Whether variables that exist in the cell's scope are shared.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: Any = 0.001,
        ratio_on: Any = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: Any = 1.0,
        period_init_max: Any = 1000.0,
        reuse: Any = None,
    ) -> None:
        super().__init__(num_units, None, reuse)
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._period_init_min = period_init_min
        self._period_init_max = period_init_max
        self._linears: dict[str, Any] = {}

    def _sums(self, scope: str, args: list[Any], parts: int) -> Any:
        with variable_scope(scope):
            if scope not in self._linears:
                self._linears[scope] = Linear(args, parts * self._num_units, True)
            return self._linears[scope](args)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the new state."""
        c, h = state
        time, x = inputs
        gates = self._sums("mask_gates", [x, h, *([c] if self._use_peepholes else [])], 2)
        admit, forget = split(sigmoid(gates), 2, axis=1)
        new = tanh(self._sums("new_input", [x, h], 1))
        new_c = c * forget + admit * new
        seen = [x, h, *([new_c] if self._use_peepholes else [])]
        new_h = tanh(new_c) * sigmoid(self._sums("output_gate", seen, 1))
        openness = self._openness(time)
        new_c = openness * new_c + (1 - openness) * c
        new_h = openness * new_h + (1 - openness) * h
        return new_h, LSTMStateTuple(new_c, new_h)

    def _openness(self, time: Tensor) -> Any:
        """How far units are open at a time: up and down again, and then nearly closed."""
        units = [self._num_units]
        period = get_variable(
            "period",
            units,
            initializer=log_uniform(self._period_init_min, self._period_init_max),
        )
        phase = get_variable("phase", units, initializer=RandomUniform(0.0, period.initial_value))
        ratio_on = get_variable(
            "ratio_on",
            units,
            initializer=Constant(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )
        shifted = time - cast(phase, time.dtype)
        length = cast(period, time.dtype)
        # The slope of a remainder is that of what was divided.
        remainder = stop_gradient(floormod(shifted, length) - shifted) + shifted
        cycle = cast(remainder / length, dtypes.float32)
        rising = 2 * cycle / ratio_on
        openness = where(cycle < ratio_on, 2 - rising, self._leak * cycle)
        return where(cycle < 0.5 * ratio_on, rising, openness)
