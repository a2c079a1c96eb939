"""Data sets by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.learn.datasets.base import load_boston, load_iris
from dataflow.contrib.learn.datasets.mnist import load_mnist
from dataflow.contrib.learn.datasets.synthetic import circles, spirals
from dataflow.contrib.learn.datasets.text_datasets import load_dbpedia

DATASETS: dict[str, Callable[..., Any]] = {
    "iris": load_iris,
    "boston": load_boston,
    "mnist": load_mnist,
    "dbpedia": load_dbpedia,
}
SYNTHETIC: dict[str, Callable[..., Any]] = {"circles": circles, "spirals": spirals}


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """A data set of `DATASETS`.

    Args:
      name: Its name.
      size: Of "dbpedia": see `load_dbpedia`.
      test_with_fake_data: Of "dbpedia", too.

    Raises:
      ValueError: There is none of that name.
    """
    if name not in DATASETS:
        raise ValueError(f"Name of dataset is not found: {name}")
    if name == "dbpedia":
        return load_dbpedia(size, test_with_fake_data)
    return DATASETS[name]()


def make_dataset(
    name: str,
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = 42,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Points of `SYNTHETIC`; see the functions there.

    Raises:
      ValueError: There are none of that name.
    """
    if name not in SYNTHETIC:
        raise ValueError(f"Synthetic dataset not found or not implemeted: {name}")
    return SYNTHETIC[name](n_samples, noise, seed, *args, **kwargs)
