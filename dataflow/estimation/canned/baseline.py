"""Estimators that look at labels only: what every model should be better than."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import dataflow.ops.array.shape as array_shape
from dataflow.estimation.canned.optimizers import trained_by, trainer
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.heads.classes import class_head
from dataflow.estimation.heads.numbers import RegressionHead
from dataflow.graph.scopes import control_dependencies
from dataflow.library.check_values import assert_equal
from dataflow.library.losses.weighted import Reduction
from dataflow.ops.array.fill import ones
from dataflow.ops.math.binary import multiply
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable, variable_scope

_LEARNING_RATE: Final = 0.3


class BaselineEstimator(Estimator):
    """A bias for each logit, with any head."""

    def __init__(
        self, head: Any, model_dir: Any = None, optimizer: Any = "Ftrl", config: Any = None
    ) -> None:
        """Makes an estimator.

        Args:
          head: What makes loss and predictions of logits.
          model_dir: Folder of checkpoints and summaries.
          optimizer: An optimizer, the name of one, or a function that gives one.
          config: How to run.
        """
        self._init_with(head, None, model_dir, optimizer, config)

    def _init_with(
        self, head: Any, weight_column: Any, model_dir: Any, optimizer: Any, config: Any
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
            return head.create_estimator_spec(
                features=features,
                mode=mode,
                logits=_logits(head.logits_dimension, features, weight_column),
                labels=labels,
                optimizer=trainer(mode, optimizer, _LEARNING_RATE),
                **trained_by(optimizer, "baseline"),
            )

        Estimator.__init__(self, model_fn, model_dir, config)


class BaselineClassifier(BaselineEstimator):
    """Predicts how frequent classes are."""

    def __init__(
        self,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        """Makes an estimator; see `BaselineEstimator` and `DNNClassifier`."""
        head = class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        self._init_with(head, weight_column, model_dir, optimizer, config)


class BaselineRegressor(BaselineEstimator):
    """Predicts the mean of labels."""

    def __init__(
        self,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        """Makes an estimator; see `BaselineEstimator` and `DNNRegressor`."""
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        self._init_with(head, weight_column, model_dir, optimizer, config)


def _logits(count: int, features: Any, weight_column: Any) -> Any:
    """The biases for each example, of which all features but the weights have as many."""
    key = getattr(weight_column, "key", weight_column)
    sizes: Any = [array_shape.shape(each)[0] for name, each in features.items() if name != key]
    checks = [assert_equal(sizes[0], size) for size in sizes[1:]]
    with control_dependencies(checks), variable_scope("baseline"):
        bias = get_variable("bias", shape=[count], initializer=Zeros())
        return multiply(bias, ones([sizes[0], count]))
