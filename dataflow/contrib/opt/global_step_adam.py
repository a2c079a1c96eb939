"""Adam that takes the powers of its decays from the global step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.ops.basic.grouping as grouping
from dataflow.contrib.opt.adam_variants import LazyAdamOptimizer
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.power import pow as power
from dataflow.training.adam import AdamOptimizer
from dataflow.values import dtypes


class AdamGSOptimizer(AdamOptimizer):
    """Adam without variables for powers of decays: they follow from the global step."""

    def __init__(
        self,
        global_step: Any = 0,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        """Takes the global step, and what AdamOptimizer does."""
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._global_step = global_step
        self._number: Any = None

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        return power(self._beta1_t, self._number), power(self._beta2_t, self._number)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for each in var_list:
            self._zeros_slot(each, "m", self._name)
            self._zeros_slot(each, "v", self._name)

    def _prepare(self) -> None:
        super()._prepare()
        self._number = cast(identity(self._global_step) + 1, dtypes.float32)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        return grouping.group(*update_ops, name=name_scope)


class LazyAdamGSOptimizer(AdamGSOptimizer, LazyAdamOptimizer):
    """`LazyAdamOptimizer` without variables for powers of decays."""
