"""tf.data.experimental.RandomDataset: random numbers without end."""

from __future__ import annotations

from typing import Any

from dataflow.library.datasets.dataset import Dataset


class RandomDataset(Dataset):
    """Random numbers of 32 bits, as int64, without end.

    Args:
      seed: Decides on the numbers, with the seed of the graph.
      rerandomize_each_iteration: Whether each iteration has numbers of its own.
      name: Name of the operation.
    """

    def __init__(
        self,
        seed: Any = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> None:
        made = Dataset.random(seed, rerandomize_each_iteration, name)
        self._set(made._variant_tensor, made.element_spec, ())
