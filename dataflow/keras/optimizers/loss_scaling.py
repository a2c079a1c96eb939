"""An optimizer that multiplies the loss and divides the gradients, so that float16 holds them."""

from __future__ import annotations

from typing import Any, NoReturn

from dataflow.control_flow.cond import cond
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.optimizers.base import Optimizer
from dataflow.keras.optimizers.rules import TFOptimizer
from dataflow.training.loss_scaling.scales import LossScale, loss_scale_of
from dataflow.values import logging


class LossScaleOptimizer(Optimizer):
    """Wraps an optimizer; a step whose gradients are not all finite changes no variable of it.

    Args:
      opt: An optimizer of tf.keras without bounds of gradients.
      loss_scale: A `LossScale`, a number, or "dynamic".

    Raises:
      ValueError: The optimizer is another one, or has bounds.
    """

    def __init__(self, opt: Any, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of OptimizerV2, but got: {opt}')
        for bound in ("clipnorm", "clipvalue"):
            if bound in vars(opt):
                raise ValueError(
                    f"LossScaleOptimizer does not support wrapping optimizers with a {bound}. "
                    f"Optimizer {opt} has {bound} {getattr(opt, bound)}"
                )
        self._hyper = {}
        self._optimizer = opt
        scale = loss_scale_of(loss_scale)
        if scale is None:
            raise ValueError("LossScaleOptimizer needs a loss_scale, but got: None")
        self._loss_scale = scale
        for weight in scale._weights.values():
            K.track_variable(weight)

    @property
    def loss_scale(self) -> LossScale:
        """What the loss is multiplied by."""
        return self._loss_scale

    def get_scaled_loss(self, loss: Any) -> Any:
        """A loss, or a function that gives one, multiplied."""
        scale = self._loss_scale()
        if callable(loss):

            def scaled() -> Any:
                value = loss()
                return value * ops.cast(scale, value.dtype)

            return scaled
        return loss * ops.cast(scale, loss.dtype)

    def get_unscaled_gradients(self, grads: Any) -> list[Any]:
        """Gradients of a multiplied loss, divided; None stays."""
        share = 1.0 / self._loss_scale()

        def divided(grad: Any) -> Any:
            if isinstance(grad, IndexedSlices):
                values = grad.values * ops.cast(share, grad.dtype)
                return IndexedSlices(values, grad.indices, grad.dense_shape)
            return None if grad is None else grad * ops.cast(share, grad.dtype)

        return [divided(each) for each in grads]

    def _compute_gradients(self, loss: Any, var_list: Any, grad_loss: Any = None) -> list[Any]:
        pairs = self._optimizer._compute_gradients(self.get_scaled_loss(loss), var_list, grad_loss)
        grads = self.get_unscaled_gradients([grad for grad, _ in pairs])
        return list(zip(grads, [var for _, var in pairs], strict=True))

    def _with_loss_scale(self, loss_scale: Any) -> NoReturn:
        raise ValueError(
            '"opt" must not already be an instance of a LossScaleOptimizer. '
            "`enable_mixed_precision_graph_rewrite` will automatically wrap the optimizer with a "
            "LossScaleOptimizer."
        )

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """The derivatives of a loss, computed of the multiplied one."""
        grads = self._optimizer.get_gradients(self.get_scaled_loss(loss), params)
        return self.get_unscaled_gradients(grads)

    def apply_gradients(self, grads_and_vars: Any, name: str | None = None) -> Any:
        """Updates variables if the gradients are fit, and the factor in any case."""
        pairs = tuple(grads_and_vars)
        changed, fit = self._loss_scale.update([grad for grad, _ in pairs])

        def applied() -> Any:
            return self._optimizer.apply_gradients(pairs, name)

        if isinstance(fit, bool):
            made = applied() if fit else ops.group()
        else:
            # What a branch makes stays in it: the variables come first.
            with ops.init_scope():
                _ = self._optimizer.iterations
                self._optimizer._create_hypers()
                self._optimizer._create_slots([var for grad, var in pairs if grad is not None])
            made = cond(fit, applied, ops.group)
        return ops.group(made, changed)

    @property
    def iterations(self) -> Any:
        """The variable that counts the steps that were taken."""
        return self._optimizer.iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        self._optimizer.iterations = variable

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the wrapped optimizer."""
        return self._optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self._optimizer.learning_rate = value

    lr = learning_rate

    def get_slot_names(self) -> list[str]:
        """The names of the wrapped optimizer's states."""
        return self._optimizer.get_slot_names()

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """The wrapped optimizer's state of that name of a variable."""
        return self._optimizer.get_slot(var, slot_name)

    @property
    def weights(self) -> list[Any]:
        """The wrapped optimizer's count of steps and states."""
        return self._optimizer.weights

    def variables(self) -> list[Any]:
        """The same."""
        return self._optimizer.weights

    def _checkpoint_children(self) -> dict[str, Any]:
        return {"base_optimizer": self._optimizer, "loss_scale": self._loss_scale}

    def get_config(self) -> NoReturn:
        """Is not there, as in TensorFlow 1.15."""
        raise NotImplementedError("get_config() is not yet implemented for LossScaleOptimizers")

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> NoReturn:
        """Is not there, as in TensorFlow 1.15."""
        raise NotImplementedError("from_config() is not yet implemented for LossScaleOptimizers")


def scaled_by_policy(optimizer: Any, policy: Any) -> Any:
    """The optimizer of a model: a wrapped one if the model's policy has a loss scale.

    Raises:
      ValueError: There are several, or it is none of tf.keras's.
    """
    scale = policy.loss_scale
    if scale is None:
        return optimizer
    if isinstance(optimizer, LossScaleOptimizer):
        if optimizer.loss_scale != scale:
            logging.warning(
                f"LossScale of LossScaleOptimizer passed to compile ({optimizer.loss_scale}) is "
                f"not the same as the dtype policy's loss scale ({scale}). Because the dtype "
                "policy has a loss scale, you should pass an optimizer that is not wrapped with a "
                "LossScaleOptimizer,"
            )
        return optimizer
    if isinstance(optimizer, list):
        raise ValueError(
            "When a dtype policy with a loss scale is used, you can only pass a single optimizer. "
            f"Using policy {policy} and got optimizers: {optimizer}"
        )
    if not isinstance(optimizer, Optimizer) or isinstance(optimizer, TFOptimizer):
        raise ValueError(
            '"optimizer" must be an instance of tf.keras.optimizers.Optimizer when a dype policy '
            f"with a loss scale  used, but got: {optimizer}. Using policy: {policy}"
        )
    return LossScaleOptimizer(optimizer, scale)
