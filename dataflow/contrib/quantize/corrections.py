"""What a folded batch norm is multiplied with and added to, so that ranges change slowly.

Weights are folded with the moving variance, which changes slowly, so that the range they are
quantised in does, too; what follows the layer is corrected to the statistics of the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from dataflow.contrib.quantize.steps import quantization_step, reroute
from dataflow.control_flow.smart_cond import smart_cond
from dataflow.graph import scopes
from dataflow.ops.array.fill import ones, zeros
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.binary import multiply
from dataflow.ops.math.compare import greater_equal
from dataflow.ops.math.division import divide
from dataflow.ops.math.unary import reciprocal, rsqrt


@dataclass(frozen=True)
class Statistics:
    """The tensors of a batch norm."""

    gamma: Any
    mean: Any
    variance: Any
    moving_mean: Any
    moving_variance: Any
    mean_decay: Any
    variance_decay: Any
    epsilon: Any


@dataclass(frozen=True)
class Corrections:
    """Of the weights; of what the layer makes of them; and what is added to that."""

    scale: Any
    reciprocal: Any
    offset: Any


def corrections(norm: Statistics, freeze_delay: int | None, scope: str = "") -> Corrections:
    """The corrections of a batch norm that is trained.

    Args:
      norm: Its tensors.
      freeze_delay: After how many steps it takes the moving averages, which then stay as they
        are; never if None.
      scope: The scope above that of the new operations.

    Raises:
      ValueError: The moving averages or their updates were not found.
    """
    if norm.mean_decay is None or norm.variance_decay is None:
        raise ValueError(
            "Folding batch norms failed, no updates of the moving averages of "
            f"{getattr(norm.mean, 'name', norm.mean)} were found."
        )
    with scopes.get_default_graph().name_scope(scope + "batch_norm_correction"):
        moving = rsqrt(norm.moving_variance + norm.epsilon)
        current = rsqrt(norm.variance + norm.epsilon)
        scale = identity(divide(moving, current, name="scale_compute"), name="correction_scale")
        recip = reciprocal(scale, name="reciprocal_compute")
        offset = multiply(
            norm.gamma,
            norm.mean * current - norm.moving_mean * moving,
            name="offset_compute",
        )
        frozen: Any = False
        if freeze_delay is not None:
            frozen = greater_equal(quantization_step(), freeze_delay, name="use_moving_average")
        for decay, which in ((norm.mean_decay, "mean"), (norm.variance_decay, "var")):
            consumers = list(decay.consumers())
            left = smart_cond(frozen, lambda: 0.0, partial(_same, decay), f"freeze_moving_{which}")
            reroute(left, decay, consumers)
        return Corrections(
            scale,
            smart_cond(frozen, lambda: ones(scale.shape), lambda: recip, "correction_recip"),
            smart_cond(frozen, lambda: offset, lambda: zeros(offset.shape), "correction_offset"),
        )


def _same(value: Any) -> Any:
    return value


def moving_average(value: Any) -> tuple[Any, Any]:
    """The moving average that takes a value, and the factor of its change."""
    found = (None, None)
    for sub in value.consumers():
        if sub.type == "Sub" and sub.inputs[1] is value:
            for mul in sub.outputs[0].consumers():
                if mul.type == "Mul" and mul.inputs[0] is sub.outputs[0]:
                    found = sub.inputs[0], mul.inputs[1]
    return found
