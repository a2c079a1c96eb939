"""Configurations of learners: what they leave open, and what follows from them."""

from __future__ import annotations

from typing import Any

from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.values.shapes import TensorShape

_DEPTH = 6
_RATE = 0.1


def complete(config: LearnerConfig, logits_dimension: int) -> None:
    """Fills in what a configuration leaves open.

    Args:
      config: The configuration; is written to.
      logits_dimension: How many logits there are.

    Raises:
      ValueError: It contradicts itself.
    """
    if config.multi_class_strategy == LearnerConfig.MULTI_CLASS_STRATEGY_UNSPECIFIED:
        config.multi_class_strategy = (
            LearnerConfig.TREE_PER_CLASS
            if logits_dimension == 1
            else LearnerConfig.DIAGONAL_HESSIAN
        )
    if config.growing_mode == LearnerConfig.GROWING_MODE_UNSPECIFIED:
        config.growing_mode = LearnerConfig.LAYER_BY_LAYER
    oblivious = is_oblivious(config)
    if config.pruning_mode == LearnerConfig.PRUNING_MODE_UNSPECIFIED:
        config.pruning_mode = LearnerConfig.PRE_PRUNE if oblivious else LearnerConfig.POST_PRUNE
    if oblivious and config.pruning_mode == LearnerConfig.POST_PRUNE:
        raise ValueError("Post pruning is not implmented for oblivious decision trees.")
    if config.constraints.max_tree_depth == 0:
        config.constraints.max_tree_depth = _DEPTH
    if not config.learning_rate_tuner.WhichOneof("tuner"):
        config.learning_rate_tuner.fixed.learning_rate = _RATE


def is_oblivious(config: LearnerConfig) -> bool:
    """Whether all nodes of a layer are split alike."""
    return bool(config.weak_learner_type == LearnerConfig.OBLIVIOUS_DECISION_TREE)


def statistics_shapes(config: LearnerConfig, logits_dimension: int) -> tuple[Any, Any]:
    """The shapes of a gradient and of a hessian, as they are accumulated."""
    if logits_dimension == 1 or config.multi_class_strategy == LearnerConfig.TREE_PER_CLASS:
        return TensorShape([]), TensorShape([])
    gradient = TensorShape([logits_dimension])
    if config.multi_class_strategy == LearnerConfig.FULL_HESSIAN:
        return gradient, TensorShape([logits_dimension, logits_dimension])
    return gradient, gradient


def learning_rate(config: LearnerConfig) -> float:
    """By what a new tree is multiplied.

    Raises:
      ValueError: It is to be searched for.
    """
    kind = config.learning_rate_tuner.WhichOneof("tuner")
    if kind not in ("fixed", "dropout"):
        raise ValueError("Line search learning rate is not yet supported.")
    rate: float = getattr(config.learning_rate_tuner, kind).learning_rate
    return rate
