"""tf.contrib.learn.datasets.synthetic: points of two or more classes in the plane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.contrib.learn.datasets.base import Dataset


def circles(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    factor: float = 0.8,
    n_classes: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Points on circles around 0, in random order; what is left of an uneven division is class 0.

    Args:
      n_samples: How many points.
      noise: Standard deviation of what is added to them; nothing is if None.
      seed: Seed of numpy's own random numbers; they go on as they are if None.
      factor: Radius of each circle, by that around it; the first is 1.
      n_classes: How many circles.
      *args: Taken for nothing.
      **kwargs: Taken for nothing.
    """
    del args, kwargs
    if seed is not None:
        np.random.seed(seed)
    angles = np.linspace(0, 2 * np.pi, n_samples // n_classes)
    radii = factor ** np.arange(n_classes)
    x = np.concatenate([radius * np.cos(angles) for radius in radii])
    y = np.concatenate([radius * np.sin(angles) for radius in radii])
    rest = n_samples % n_classes
    # The two coordinates of what is left are of angles of their own, as in TensorFlow.
    x = np.append(x, np.cos(np.random.rand(rest) * 2 * np.pi))
    y = np.append(y, np.sin(np.random.rand(rest) * 2 * np.pi))
    return _shuffled(x, y, n_classes, noise)


def spirals(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    mode: str = "archimedes",
    n_loops: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Points on two spirals from 0, in random order; what is left of an odd number is class 0.

    Args:
      n_samples: How many points.
      noise: Standard deviation of what is added to them; nothing is if None.
      seed: Seed of numpy's own random numbers; they go on as they are if None.
      mode: "archimedes", whose arms are equally far from each other; "bernoulli", whose distance
        grows; or "fermat", whose distance shrinks.
      n_loops: How often the spirals go round.
      *args: Of the spiral.
      **kwargs: Of the spiral: `exp_scale`, how fast that of "bernoulli" grows (0.1).

    Raises:
      ValueError: There is no such mode.
    """
    if mode not in _RADII:
        raise ValueError(f"Cannot generate spiral with mode {mode}")
    if seed is not None:
        np.random.seed(seed)
    angles = np.linspace(0, 2 * n_loops * np.pi, n_samples // 2)
    arms = [_arm(mode, angles, label * np.pi, *args, **kwargs) for label in range(2)]
    rest = n_samples % 2
    if rest:
        arms.append(_arm(mode, np.random.rand(rest) * 2 * np.pi, *args, **kwargs))
    x, y = (np.concatenate(each) for each in zip(*arms, strict=True))
    return _shuffled(x, y, 2, noise)


def _bernoulli(angles: Any, exp_scale: float = 0.1, **_: Any) -> Any:
    return np.exp(exp_scale * angles)


_RADII: Final[dict[Any, Callable[..., Any]]] = {
    "archimedes": lambda angles, **_: angles,
    "bernoulli": _bernoulli,
    "fermat": lambda angles, **_: np.sqrt(angles),
}


def _arm(mode: str, angles: Any, offset: float = 0.0, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """Coordinates, each of which is 1 at most."""
    del args
    radii = _RADII[mode](angles, **kwargs)
    x, y = radii * np.cos(angles + offset), radii * np.sin(angles + offset)
    return x / np.max(np.abs(x)), y / np.max(np.abs(y))


def _shuffled(x: Any, y: Any, n_classes: int, noise: float | None) -> Dataset:
    count = len(x)
    labels = np.repeat(np.arange(n_classes, dtype=np.int32), count // n_classes)
    labels = np.append(labels, np.zeros(count % n_classes, dtype=np.int32))
    points = np.stack([x, y], 1)
    order = np.random.permutation(count)
    if noise is not None:
        points += np.random.normal(scale=noise, size=points.shape)
    return Dataset(data=points[order], target=labels[order])
