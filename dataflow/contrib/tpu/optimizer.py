"""CrossShardOptimizer: on one device, the optimizer that it wraps."""

from __future__ import annotations

from typing import Any

from dataflow.library.losses.weighted import Reduction
from dataflow.training.optimizer import Optimizer


class CrossShardOptimizer(Optimizer):
    """Would add up gradients of several TPUs; of one device they are what they are."""

    def __init__(
        self,
        opt: Any,
        reduction: str = Reduction.MEAN,
        name: str = "CrossShardOptimizer",
        group_assignment: Any = None,
    ) -> None:
        """Wraps an optimizer.

        Args:
          opt: The optimizer.
          reduction: How gradients would be added up: SUM or MEAN.
          name: The name of the optimizer.
          group_assignment: Which TPUs would do so; not used.

        Raises:
          ValueError: It is another reduction.
        """
        if reduction not in (Reduction.SUM, Reduction.MEAN):
            raise ValueError(f"Unsupported reduction: {reduction}.")
        if not isinstance(opt, Optimizer):
            raise TypeError(
                "CrossShardOptimizer only works with tf.training.Optimizer and not Optimizer_v2."
            )
        super().__init__(False, name)
        self._opt = opt

    def compute_gradients(self, loss: Any, var_list: Any = None, **kwargs: Any) -> Any:  # type: ignore[override]
        """See `Optimizer`."""
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: Any = None
    ) -> Any:
        """See `Optimizer`."""
        return self._opt.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """See `Optimizer`."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> Any:
        """See `Optimizer`."""
        return self._opt.variables()
