"""Functions that programs take from the modules of TensorFlow's cells."""

from __future__ import annotations

from typing import Any

from dataflow.contrib.rnn.linear import Linear, linear
from dataflow.library.rnn.sizes import joined_shape, known_shape, zero_states

_BIAS_VARIABLE_NAME = "bias"
_WEIGHTS_VARIABLE_NAME = "kernel"
_Linear = Linear
_linear = linear


def _like_rnncell(cell: Any) -> bool:
    """Whether an argument can be called and says its sizes and its first state."""
    return callable(cell) and all(
        hasattr(cell, name) for name in ("output_size", "state_size", "zero_state")
    )


def _concat(prefix: Any, suffix: Any, static: bool = False) -> Any:
    """The sizes of two parts of a shape, as a tensor, or what is known of them as a list.

    Nothing is known, not even how many sizes there are, if it is None.
    """
    if not static:
        return joined_shape(prefix, suffix)
    known = known_shape(prefix, suffix)
    return None if known.rank is None else known.as_list()


def _zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros for each size of a structure of sizes."""
    return zero_states(state_size, batch_size, dtype)
