"""Estimators of linear models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dataflow.estimation.canned.dual_ascent import check_dual_ascent, dual_ascent_model_fn
from dataflow.estimation.canned.logits import check_features, linear_logit_fn_builder
from dataflow.estimation.canned.optimizers import linear_rate, parted, trained_by, trainer
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.heads.classes import class_head
from dataflow.estimation.heads.numbers import RegressionHead
from dataflow.library.losses.weighted import Reduction
from dataflow.training.ftrl import FtrlOptimizer
from dataflow.variables.scope import variable_scope

_LEARNING_RATE: Final = 0.2


class LinearEstimator(Estimator):
    """A linear model with any head."""

    def __init__(
        self,
        head: Any,
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          head: What makes loss and predictions of logits.
          feature_columns: Columns of categories or numbers.
          model_dir: Folder of checkpoints and summaries.
          optimizer: An optimizer, the name of one, a function that gives one, or
            `tf.estimator.experimental.LinearSDCA`.
          config: How to run.
          partitioner: Cuts weights into parts.
          sparse_combiner: How weights of an example's categories are combined.
          warm_start_from: A checkpoint, its folder or WarmStartSettings.
        """
        columns = tuple(feature_columns or ())

        def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
            check_features(features)
            cuts = partitioner or parted(config, 64 << 20, optimizer)
            with variable_scope("linear", values=tuple(features.values()), partitioner=cuts):
                if check_dual_ascent(optimizer, sparse_combiner):
                    return dual_ascent_model_fn(features, labels, mode, head, columns, optimizer)
                logit_fn = linear_logit_fn_builder(head.logits_dimension, columns, sparse_combiner)
                logits = logit_fn(features)
                default = FtrlOptimizer(linear_rate(_LEARNING_RATE, max(len(columns), 1)))
                return head.create_estimator_spec(
                    features=features,
                    mode=mode,
                    labels=labels,
                    optimizer=trainer(mode, optimizer or default, _LEARNING_RATE),
                    logits=logits,
                    **trained_by(optimizer, "linear"),
                )

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class LinearClassifier(LinearEstimator):
    """A linear model that tells classes."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        """Makes an estimator; see `LinearEstimator`.

        Args:
          feature_columns: See there.
          model_dir: See there.
          n_classes: How many classes there are.
          weight_column: The feature with the weights of examples.
          label_vocabulary: The names of the classes, if labels are such.
          optimizer: See there.
          config: See there.
          partitioner: See there.
          warm_start_from: See there.
          loss_reduction: How the losses of a batch become one number.
          sparse_combiner: See there.

        Raises:
          ValueError: Dual ascent is to train what it cannot.
        """
        if check_dual_ascent(optimizer, sparse_combiner) and n_classes > 2:
            raise ValueError("LinearSDCA cannot be used in a multi-class setting.")
        super().__init__(
            class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            feature_columns,
            model_dir,
            optimizer,
            config,
            partitioner,
            sparse_combiner,
            warm_start_from,
        )


class LinearRegressor(LinearEstimator):
    """A linear model that gives numbers."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        """Makes an estimator; see `LinearEstimator`.

        Args:
          feature_columns: See there.
          model_dir: See there.
          label_dimension: How many numbers an example has.
          weight_column: The feature with the weights of examples.
          optimizer: See there.
          config: See there.
          partitioner: See there.
          warm_start_from: See there.
          loss_reduction: How the losses of a batch become one number.
          sparse_combiner: See there.

        Raises:
          ValueError: Dual ascent is to train what it cannot.
        """
        if check_dual_ascent(optimizer, sparse_combiner) and label_dimension > 1:
            raise ValueError("LinearSDCA can only be used with one-dimensional label.")
        super().__init__(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            feature_columns,
            model_dir,
            optimizer,
            config,
            partitioner,
            sparse_combiner,
            warm_start_from,
        )
