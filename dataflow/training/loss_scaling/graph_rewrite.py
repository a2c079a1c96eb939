"""Training in mixed precision, on and off: losses are multiplied; no graph is rewritten here."""

from __future__ import annotations

from typing import Any

from dataflow.session import defaults
from dataflow.training.loss_scaling.optimizer import MixedPrecisionLossScaleOptimizer
from dataflow.training.optimizer import Optimizer
from dataflow.values import logging

_OPTION = "auto_mixed_precision"

keras_policy_is_set = False
"""Whether tf.keras has a policy of mixed precision: both together are refused."""


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """Wraps an optimizer in one that multiplies the loss, and sets the option of new sessions.

    TensorFlow rewrites only what runs on GPUs with tensor cores; what runs on CPUs stays in
    float32 there and here, as does what runs on GPUs here.

    Args:
      opt: A `tf.train.Optimizer`, or an optimizer of tf.keras.
      loss_scale: A number, "dynamic", or a `LossScale`.

    Raises:
      ValueError: `opt` is something else, or wrapped already, or tf.keras has a policy.
    """
    if keras_policy_is_set:
        raise ValueError(
            "The mixed precision graph rewrite cannot be enabled, because a keras mixed precision "
            "Policy has been set. At most, one of the following functions can be called:\n\n  1. "
            "tf.keras.mixed_precision.experimental.set_policy() (You called this first)\n  2. "
            "tf.train.experimental.enable_mixed_precision_graph_rewrite() (You called this "
            "second)\n\nYou called both functions, which is an error, because both functions "
            "enable you to use mixed precision. If in doubt which function to use, use the second, "
            "as it is currently more complete and easy to use. The second function enables mixed "
            "precision in the graph with a graph rewrite. However it is currently not very "
            "customizable, and does not support eager."
        )
    if isinstance(opt, MixedPrecisionLossScaleOptimizer):
        raise ValueError(
            '"opt" must not already be an instance of a MixedPrecisionLossScaleOptimizer. '
            "`enable_mixed_precision_graph_rewrite` will automatically wrap the optimizer with a "
            "MixedPrecisionLossScaleOptimizer."
        )
    if hasattr(opt, "_with_loss_scale"):
        of_keras = opt._with_loss_scale(loss_scale)
        defaults.set_optimizer_experimental_options({_OPTION: True})
        return of_keras
    if not isinstance(opt, Optimizer):
        raise ValueError(
            '"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, '
            f"but got: {opt}"
        )
    wrapped = MixedPrecisionLossScaleOptimizer(opt, loss_scale)
    defaults.set_optimizer_experimental_options({_OPTION: True})
    return wrapped


def disable_mixed_precision_graph_rewrite() -> None:
    """Takes the option of new sessions back; optimizers that are wrapped stay so."""
    if not defaults.get_optimizer_experimental_options().get(_OPTION):
        logging.warning(
            "disable_mixed_precision_graph_rewrite() called when mixed precision is already "
            "disabled."
        )
    defaults.set_optimizer_experimental_options({_OPTION: False})
