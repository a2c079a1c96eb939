"""What follows the sums of a layer of an int8 net: a bias, a sum, an activation and new steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.carriers import carried, quantized
from dataflow.kernels.ops.quantization.steps import limits
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_F = np.float32
_HIGHEST: Final = _F(2147483520)
"""The greatest float32 that is an int32."""


def reach_of(low: Any, high: Any) -> Any:
    """How far a range reaches from 0, or each of several."""
    return np.maximum(np.abs(low), np.abs(high))


def step_around_zero(low: Any, high: Any, dtype: DType) -> Any:
    """What a step is worth if the range reaches as far below 0 as above it; float32."""
    return _F(reach_of(low, high) / _F(limits(dtype)[1]))


@dataclass(frozen=True, slots=True)
class Ending:
    """What one op does behind its sums."""

    relu: bool
    result: DType
    """Steps that it gives, or float32."""
    highest: int | None = None
    """The highest step that it gives, if that is not the type's."""

    def of(self, sums: Any, worth: Any, bias: Any, summand: Any, step: Any) -> Any:
        """The layer's output, computed in float32 as TensorFlow does it.

        Args:
          sums: Int32, channels last.
          worth: What 1 of a sum is worth: float32, or that for each channel.
          bias: Float32 for each channel, or None.
          summand: Float32 that is added, or None.
          step: What a step of the output is worth.
        """
        with np.errstate(all="ignore"):
            values = sums.astype(np.float32)
            values *= worth
            for added in (bias, summand):
                if added is not None:
                    values += added
            if self.relu:
                np.maximum(values, _F(0), out=values)
            if self.result is dtypes.float32:
                return values
            values *= _F(1) / _F(step)
            np.rint(values, out=values)
            low, high = limits(self.result)
            high = high if self.highest is None else self.highest
            # What is no number becomes the lowest step.
            np.fmax(values, _F(low), out=values)
            np.minimum(values, np.minimum(_F(high), _HIGHEST), out=values)
            return quantized(values.astype(np.int32), self.result)


def unquantized_bias(bias: Any, reach: Any, filter_reach: Any, of_input: DType) -> Any:
    """A bias as numbers: one of 32 bits counts steps of the sums.

    Args:
      bias: Float32, or steps.
      reach: What the input's highest step is worth.
      filter_reach: That of the filter, or of each of its channels.
      of_input: The input's steps.
    """
    if bias.dtype == np.float32:
        return bias
    most = _F(limits(of_input)[1] * limits(dtypes.qint8)[1])
    with np.errstate(all="ignore"):
        return carried(bias).astype(np.float32) * (_F(1) / _F(most / _F(reach * filter_reach)))
