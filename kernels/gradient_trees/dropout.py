"""Trees that are left out while another one grows, and what that one weighs then.

After "DART: Dropouts meet Multiple Additive Regression Trees" (2015).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.random.simple import Draws
from dataflow.proto.learner_pb2 import LearningRateDropoutDrivenConfig


def dropped(
    seed: int,
    config: LearningRateDropoutDrivenConfig,
    stays: Collection[int],
    trees: int,
) -> list[int]:
    """Which trees are left out: the same for the same seed.

    Args:
      seed: Of the draws.
      config: How likely a tree is left out.
      stays: Trees that are never left out.
      trees: How many there are.

    Raises:
      InvalidArgumentError: A probability is none, or the learning rate not greater than 0.
    """
    check(config)
    probability, skipping = config.dropout_probability, config.probability_of_skipping_dropout
    if probability == 0 or skipping == 1:
        return []
    draws = Draws(seed)
    if skipping != 0 and draws.double() < skipping:
        return []
    return [
        tree for tree in range(trees) if tree not in stays and not draws.double() >= probability
    ]


def check(config: LearningRateDropoutDrivenConfig) -> None:
    """Checks a configuration.

    Raises:
      InvalidArgumentError: A probability is none, or the learning rate not greater than 0.
    """
    if not 0 <= config.dropout_probability <= 1:
        raise invalid("Dropout probability must be in [0,1] range")
    if not config.learning_rate > 0:
        raise invalid("Learning rate must be in (0,1] range.")
    if not 0 <= config.probability_of_skipping_dropout <= 1:
        raise invalid("Probability of skiping dropout must be in [0,1] range")


def weights_after(
    weights: Sequence[float], left_out: Sequence[int], added: int
) -> tuple[list[Any], list[int]]:
    """Weights of trees once one is added that grew while others were left out.

    Args:
      weights: What they were.
      left_out: The trees that were left out.
      added: The tree that is added; it is one of `weights`.

    Returns:
      The weights, and the trees whose weights have changed.
    """
    found: list[Any] = [np.float32(weight) for weight in weights]
    count = np.float32(len(left_out))
    total = np.float32(sum(float(found[tree]) for tree in left_out))
    new = total / (count + 1)
    for tree in left_out:
        found[tree] = found[tree] * count / (count + 1)
    found[added] = new
    return found, [added, *left_out]
