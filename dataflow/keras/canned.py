"""The canned estimators of tf.compat.v2: optimizers of tf.keras train them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.estimation.canned.baseline import BaselineEstimator
from dataflow.estimation.canned.combined import (
    MOST_OF_LINEAR,
    RATE_OF_NET,
    DNNLinearCombinedEstimator,
)
from dataflow.estimation.canned.dual_ascent import DualAscent, check_dual_ascent
from dataflow.estimation.canned.linear import LinearEstimator
from dataflow.estimation.canned.logits import dnn_logit_fn_builder
from dataflow.estimation.canned.nets import DNNEstimator, dnn_model_fn
from dataflow.estimation.canned.optimizers import KerasTrained, linear_rate
from dataflow.estimation.heads import numbers
from dataflow.estimation.heads.classes import class_head
from dataflow.keras.heads.classes import BinaryClassHead, MultiClassHead
from dataflow.keras.heads.numbers import RegressionHead
from dataflow.ops.nn.activation import relu
from dataflow.variables.scope import variable_scope

_MEAN: Final = "sum_over_batch_size"
_BASELINE_RATE: Final = 0.3
_LINEAR_RATE: Final = 0.2


def _class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> Any:
    """The head of two or of more classes."""
    if n_classes == 2:
        return BinaryClassHead(
            weight_column, label_vocabulary=label_vocabulary, loss_reduction=loss_reduction
        )
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


def _linear(optimizer: Any, columns: Any) -> Any:
    """What trains a linear model by itself."""
    if isinstance(optimizer, DualAscent):
        return optimizer
    rate = _LINEAR_RATE if optimizer else linear_rate(_LINEAR_RATE, max(len([*columns]), 1))
    return KerasTrained(optimizer or "Ftrl", rate)


def _beside(optimizer: Any, columns: Any, dnn_columns: Any) -> KerasTrained:
    """What trains a linear model; a net beside it counts the steps."""
    rate = linear_rate(MOST_OF_LINEAR, max(len([*(columns or ())]), 1))
    return KerasTrained(optimizer, rate, counts=not dnn_columns)


def dnn_logit_fn_builder_v2(
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Any,
    activation_fn: Callable[[Any], Any] | None,
    dropout: float | None,
    batch_norm: bool,
) -> Callable[[Any, Any], Any]:
    """Makes a function of features and mode that builds a net in a scope "dnn".

    Args:
      units: How many logits there are.
      hidden_units: How many numbers each hidden layer gives.
      feature_columns: Dense columns.
      activation_fn: Of hidden layers.
      dropout: Which share of a hidden layer's numbers training leaves out; none if None.
      batch_norm: Whether hidden layers are normalized.
    """
    build = dnn_logit_fn_builder(
        units, hidden_units, feature_columns, activation_fn, dropout, None, batch_norm, True
    )

    def dnn_logit_fn(features: Any, mode: Any) -> Any:
        with variable_scope("dnn", values=tuple(features.values())):
            return build(features, mode)

    return dnn_logit_fn


def dnn_model_fn_v2(
    features: Any,
    labels: Any,
    mode: Any,
    head: Any,
    hidden_units: Sequence[int],
    feature_columns: Any,
    optimizer: Any = "Adagrad",
    activation_fn: Callable[[Any], Any] | None = relu,
    dropout: float | None = None,
    config: Any = None,
    use_tpu: bool = False,
    batch_norm: bool = False,
) -> Any:
    """The model function of a net that Keras trains; see `dnn_model_fn`."""
    return dnn_model_fn(
        features,
        labels,
        mode,
        head,
        hidden_units,
        feature_columns,
        KerasTrained(optimizer),
        activation_fn,
        dropout,
        config=config,
        use_tpu=use_tpu,
        batch_norm=batch_norm,
    )


class BaselineEstimatorV2(BaselineEstimator):
    """As `tf.estimator.BaselineEstimator`."""

    def __init__(
        self, head: Any, model_dir: Any = None, optimizer: Any = "Ftrl", config: Any = None
    ) -> None:
        super().__init__(head, model_dir, KerasTrained(optimizer, _BASELINE_RATE), config)


class BaselineClassifierV2(BaselineEstimator):
    """As `tf.estimator.BaselineClassifier`."""

    def __init__(
        self,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = _MEAN,
    ) -> None:
        head = _class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        trains = KerasTrained(optimizer, _BASELINE_RATE)
        self._init_with(head, weight_column, model_dir, trains, config)


class BaselineRegressorV2(BaselineEstimator):
    """As `tf.estimator.BaselineRegressor`."""

    def __init__(
        self,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = _MEAN,
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        trains = KerasTrained(optimizer, _BASELINE_RATE)
        self._init_with(head, weight_column, model_dir, trains, config)


class LinearEstimatorV2(LinearEstimator):
    """As `tf.estimator.LinearEstimator`."""

    def __init__(
        self,
        head: Any,
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        sparse_combiner: str = "sum",
        warm_start_from: Any = None,
    ) -> None:
        super().__init__(
            head,
            feature_columns,
            model_dir,
            _linear(optimizer, feature_columns),
            config,
            None,
            sparse_combiner,
            warm_start_from,
        )


class LinearClassifierV2(LinearEstimatorV2):
    """As `tf.estimator.LinearClassifier`."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _MEAN,
        sparse_combiner: str = "sum",
    ) -> None:
        make = _class_head
        if check_dual_ascent(optimizer, sparse_combiner):
            make = class_head
            if n_classes > 2:
                raise ValueError("LinearSDCA cannot be used in a multi-class setting.")
        super().__init__(
            make(n_classes, weight_column, label_vocabulary, loss_reduction),
            feature_columns,
            model_dir,
            optimizer,
            config,
            sparse_combiner,
            warm_start_from,
        )


class LinearRegressorV2(LinearEstimatorV2):
    """As `tf.estimator.LinearRegressor`."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _MEAN,
        sparse_combiner: str = "sum",
    ) -> None:
        make: Any = RegressionHead
        if check_dual_ascent(optimizer, sparse_combiner):
            make = numbers.RegressionHead
            if label_dimension > 1:
                raise ValueError("LinearSDCA can only be used with one-dimensional label.")
        super().__init__(
            make(label_dimension, weight_column, loss_reduction),
            feature_columns,
            model_dir,
            optimizer,
            config,
            sparse_combiner,
            warm_start_from,
        )


class DNNEstimatorV2(DNNEstimator):
    """As `tf.estimator.DNNEstimator`."""

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = relu,
        dropout: float | None = None,
        config: Any = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        super().__init__(
            head,
            hidden_units,
            feature_columns,
            model_dir,
            KerasTrained(optimizer),
            activation_fn,
            dropout,
            None,
            config,
            warm_start_from,
            batch_norm,
        )


class DNNClassifierV2(DNNEstimatorV2):
    """As `tf.estimator.DNNClassifier`."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = relu,
        dropout: float | None = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _MEAN,
        batch_norm: bool = False,
    ) -> None:
        super().__init__(
            _class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            config,
            warm_start_from,
            batch_norm,
        )


class DNNRegressorV2(DNNEstimatorV2):
    """As `tf.estimator.DNNRegressor`."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = relu,
        dropout: float | None = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _MEAN,
        batch_norm: bool = False,
    ) -> None:
        super().__init__(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            config,
            warm_start_from,
            batch_norm,
        )


class DNNLinearCombinedEstimatorV2(DNNLinearCombinedEstimator):
    """As `tf.estimator.DNNLinearCombinedEstimator`."""

    def __init__(
        self,
        head: Any,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = relu,
        dnn_dropout: float | None = None,
        config: Any = None,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            head,
            model_dir,
            linear_feature_columns,
            _beside(linear_optimizer, linear_feature_columns, dnn_feature_columns),
            dnn_feature_columns,
            KerasTrained(dnn_optimizer, RATE_OF_NET),
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            None,
            config,
            linear_sparse_combiner,
        )


class DNNLinearCombinedClassifierV2(DNNLinearCombinedEstimator):
    """As `tf.estimator.DNNLinearCombinedClassifier`."""

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _MEAN,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            _class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            model_dir,
            linear_feature_columns,
            _beside(linear_optimizer, linear_feature_columns, dnn_feature_columns),
            dnn_feature_columns,
            KerasTrained(dnn_optimizer, RATE_OF_NET),
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            None,
            config,
            linear_sparse_combiner,
            warm_start_from,
            batch_norm,
        )


class DNNLinearCombinedRegressorV2(DNNLinearCombinedEstimator):
    """As `tf.estimator.DNNLinearCombinedRegressor`."""

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _MEAN,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            model_dir,
            linear_feature_columns,
            _beside(linear_optimizer, linear_feature_columns, dnn_feature_columns),
            dnn_feature_columns,
            KerasTrained(dnn_optimizer, RATE_OF_NET),
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            None,
            config,
            linear_sparse_combiner,
            warm_start_from,
            batch_norm,
        )
