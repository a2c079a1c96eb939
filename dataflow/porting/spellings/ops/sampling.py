"""tensorflow.python.ops.nn_impl and init_ops: what losses and initializers are made of."""

from __future__ import annotations

from typing import Any

from dataflow.library.linalg.simple import normalize
from dataflow.library.sampled_losses import _row_sums as _sum_rows
from dataflow.library.sampled_losses import sampled_logits
from dataflow.values.dtypes import DType
from dataflow.variables.initializers import Identity as identity_initializer
from dataflow.variables.scaled_initializers import _fans as _compute_fans

__all__ = [
    "_compute_fans",
    "_compute_sampled_logits",
    "_sum_rows",
    "identity_initializer",
    "normalize",
]


def _assert_float_dtype(dtype: DType) -> DType:
    """The element type of an initializer.

    Raises:
      ValueError: It is none of floats.
    """
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


def _compute_sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = None,
    seed: int | None = None,
) -> tuple[Any, Any]:
    """The logits and targets of true and sampled classes; see `tf.nn.nce_loss`.

    `subtract_log_q` says whether the logits are less the log of how often a class was expected.
    """
    return sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        seed,
        subtract_log_q,
    )
