"""MirroredStrategy with the arguments that it had in tf.contrib.distribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.library.distribution.strategy as strategy


class MirroredStrategy(strategy.MirroredStrategy):
    """A copy of the model on each of some devices; here there can be one device."""

    def __init__(
        self,
        devices: Sequence[Any] | None = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: Any = None,
    ) -> None:
        """Takes a list of one device, or how many GPUs there are: at most one.

        Raises:
          ValueError: Both numbers of GPUs are given.
          NotImplementedError: There are several devices.
        """
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        if devices is None:
            devices = [f"/gpu:{number}" for number in range(num_gpus or num_gpus_per_worker or 0)]
        super().__init__(devices, cross_device_ops)
