"""The canned estimators of tf.contrib.learn: linear models and nets, with names of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from dataflow.contrib.learn.dual_ascent import sdca_model_fn
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.heads.classes import multi_class_head
from dataflow.contrib.learn.heads.numbers import regression_head
from dataflow.contrib.learn.model_fns import (
    check_columns,
    combined_model_fn,
    deep_model_fn,
    linear_model_fn,
)
from dataflow.contrib.learn.predicting import Classifier, Regressor
from dataflow.contrib.linear_optimizer.optimizer import SDCAOptimizer
from dataflow.estimation.canned.optimizers import parted
from dataflow.ops.nn.activation import relu
from dataflow.values import logging


class DNNLinearCombinedEstimator(Estimator):
    """A linear model and a net, whose logits are added, with any head."""

    def __init__(
        self,
        head: Any,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Any = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
    ) -> None:
        """Makes an estimator.

        Args:
          head: What makes loss and predictions of logits.
          model_dir: Folder of checkpoints and summaries.
          linear_feature_columns: Columns of the linear model; there is none without them.
          linear_optimizer: Trains the linear model: an optimizer, its name, or what gives it.
          _joint_linear_weights: Whether all linear weights, of categories only, are one variable.
          dnn_feature_columns: Columns of the net; there is none without them.
          dnn_optimizer: Trains the net.
          dnn_hidden_units: How many numbers each hidden layer gives.
          dnn_activation_fn: Of hidden layers.
          dnn_dropout: Which share of a hidden layer's numbers training leaves out.
          gradient_clip_norm: The most that the norm of the gradients of a model may be.
          config: How to run.
          feature_engineering_fn: Features and labels for features and labels.
          embedding_lr_multipliers: What gradients of columns of embeddings are multiplied by.
          fix_global_step_increment_bug: Whether a step counts once; twice otherwise, if there are
            both models.
          input_layer_partitioner: Cuts the tables of embeddings into parts.

        Raises:
          ValueError: There are no columns.
        """
        check_columns(linear_feature_columns, dnn_feature_columns)
        model_fn = partial(
            combined_model_fn,
            head=head,
            linear_columns=linear_feature_columns,
            linear_optimizer=linear_optimizer,
            joint_linear_weights=_joint_linear_weights,
            deep_columns=dnn_feature_columns,
            deep_optimizer=dnn_optimizer,
            hidden_units=dnn_hidden_units,
            activation_fn=dnn_activation_fn,
            dropout_rate=dnn_dropout,
            gradient_clip_norm=gradient_clip_norm,
            embedding_lr_multipliers=embedding_lr_multipliers,
            counts_once=fix_global_step_increment_bug,
            input_layer_partitioner=input_layer_partitioner,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class DNNLinearCombinedClassifier(Classifier):
    """A linear model and a net that tell classes; see `DNNLinearCombinedEstimator`."""

    def __init__(
        self,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Any = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`.

        Raises:
          ValueError: There are no columns.
        """
        check_columns(linear_feature_columns, dnn_feature_columns)
        cuts = parted(config, input_layer_min_slice_size or 64 << 20)
        model_fn = partial(
            combined_model_fn,
            head=_class_head(n_classes, weight_column_name, label_keys, enable_centered_bias),
            linear_columns=linear_feature_columns,
            linear_optimizer=linear_optimizer,
            joint_linear_weights=_joint_linear_weights,
            deep_columns=dnn_feature_columns,
            deep_optimizer=dnn_optimizer,
            hidden_units=dnn_hidden_units,
            activation_fn=dnn_activation_fn,
            dropout_rate=dnn_dropout,
            gradient_clip_norm=gradient_clip_norm,
            embedding_lr_multipliers=embedding_lr_multipliers,
            counts_once=fix_global_step_increment_bug,
            input_layer_partitioner=cuts,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class DNNLinearCombinedRegressor(Regressor):
    """A linear model and a net that give numbers; see `DNNLinearCombinedEstimator`."""

    def __init__(
        self,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Any = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`.

        Raises:
          ValueError: There are no columns.
        """
        check_columns(linear_feature_columns, dnn_feature_columns)
        cuts = parted(config, input_layer_min_slice_size or 64 << 20)
        model_fn = partial(
            combined_model_fn,
            head=_number_head(label_dimension, weight_column_name, enable_centered_bias),
            linear_columns=linear_feature_columns,
            linear_optimizer=linear_optimizer,
            joint_linear_weights=_joint_linear_weights,
            deep_columns=dnn_feature_columns,
            deep_optimizer=dnn_optimizer,
            hidden_units=dnn_hidden_units,
            activation_fn=dnn_activation_fn,
            dropout_rate=dnn_dropout,
            gradient_clip_norm=gradient_clip_norm,
            embedding_lr_multipliers=embedding_lr_multipliers,
            counts_once=fix_global_step_increment_bug,
            input_layer_partitioner=cuts,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class DNNClassifier(Classifier):
    """A net that tells classes."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        model_fn = partial(
            deep_model_fn,
            head=_class_head(n_classes, weight_column_name, label_keys, enable_centered_bias),
            hidden_units=hidden_units,
            columns=tuple(feature_columns or ()),
            optimizer=optimizer,
            activation_fn=activation_fn,
            dropout_rate=dropout,
            gradient_clip_norm=gradient_clip_norm,
            embedding_lr_multipliers=embedding_lr_multipliers,
            input_layer_min_slice_size=input_layer_min_slice_size,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class DNNRegressor(Regressor):
    """A net that gives numbers."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        model_fn = partial(
            deep_model_fn,
            head=_number_head(label_dimension, weight_column_name, enable_centered_bias),
            hidden_units=hidden_units,
            columns=tuple(feature_columns or ()),
            optimizer=optimizer,
            activation_fn=activation_fn,
            dropout_rate=dropout,
            gradient_clip_norm=gradient_clip_norm,
            embedding_lr_multipliers=embedding_lr_multipliers,
            input_layer_min_slice_size=input_layer_min_slice_size,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class DNNEstimator(Estimator):
    """A net with any head."""

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = None,
        activation_fn: Any = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`."""
        model_fn = partial(
            deep_model_fn,
            head=head,
            hidden_units=hidden_units,
            columns=tuple(feature_columns or ()),
            optimizer=optimizer,
            activation_fn=activation_fn,
            dropout_rate=dropout,
            gradient_clip_norm=gradient_clip_norm,
            embedding_lr_multipliers=embedding_lr_multipliers,
            input_layer_min_slice_size=input_layer_min_slice_size,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class LinearClassifier(Classifier):
    """A linear model that tells classes."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Any = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`.

        Raises:
          ValueError: The bias is to be centered, which an `SDCAOptimizer` cannot.
          AssertionError: There are no columns; or an `SDCAOptimizer` is to train more than two
            classes, or joint weights.
        """
        if not feature_columns:
            raise AssertionError("feature_columns must not be empty.")
        head = _class_head(n_classes, weight_column_name, label_keys, enable_centered_bias)
        if isinstance(optimizer, SDCAOptimizer):
            if enable_centered_bias:
                raise ValueError("enable_centered_bias is not supported with SDCA")
            if _joint_weight:
                raise AssertionError("_joint_weight is incompatible with the SDCAOptimizer")
            if n_classes != 2:
                raise AssertionError("SDCA only applies to binary classification.")
        model_fn = _linear(
            head, feature_columns, optimizer, weight_column_name, gradient_clip_norm, _joint_weight
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class LinearRegressor(Regressor):
    """A linear model that gives numbers."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`.

        Raises:
          AssertionError: There are no columns; or an `SDCAOptimizer` is to train labels of more
            dimensions, or joint weights.
        """
        if not feature_columns:
            raise AssertionError("feature_columns must not be empty.")
        by_dual_ascent = isinstance(optimizer, SDCAOptimizer)
        if by_dual_ascent and enable_centered_bias:
            enable_centered_bias = False
            logging.warning(
                "centered_bias is not supported with SDCA, please disable it explicitly."
            )
        head = _number_head(label_dimension, weight_column_name, enable_centered_bias)
        if by_dual_ascent:
            if label_dimension != 1:
                raise AssertionError("SDCA only applies for label_dimension=1.")
            if _joint_weights:
                raise AssertionError("_joint_weights is incompatible with SDCAOptimizer.")
        model_fn = _linear(
            head, feature_columns, optimizer, weight_column_name, gradient_clip_norm, _joint_weights
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


class LinearEstimator(Estimator):
    """A linear model with any head."""

    def __init__(
        self,
        feature_columns: Any,
        head: Any,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator`.

        Raises:
          ValueError: The optimizer is an `SDCAOptimizer`.
          AssertionError: There are no columns.
        """
        if isinstance(optimizer, SDCAOptimizer):
            raise ValueError("LinearEstimator does not support SDCA optimizer.")
        if not feature_columns:
            raise AssertionError("feature_columns must not be empty.")
        model_fn = partial(
            linear_model_fn,
            head=head,
            columns=tuple(feature_columns),
            optimizer=optimizer,
            gradient_clip_norm=gradient_clip_norm,
            joint_weights=_joint_weights,
        )
        super().__init__(model_fn, model_dir, config, None, feature_engineering_fn)


def _linear(
    head: Any, columns: Any, optimizer: Any, weights: str | None, clip_norm: Any, is_joint: bool
) -> Any:
    """The model function of a linear model, by what trains it."""
    common = {"head": head, "columns": tuple(columns), "optimizer": optimizer}
    if isinstance(optimizer, SDCAOptimizer):
        return partial(sdca_model_fn, weight_column_name=weights, **common)
    return partial(linear_model_fn, gradient_clip_norm=clip_norm, joint_weights=is_joint, **common)


def _class_head(n_classes: int, weights: Any, names: Any, centered: bool) -> Any:
    return multi_class_head(
        n_classes,
        weight_column_name=weights,
        enable_centered_bias=centered,
        label_keys=names,
    )


def _number_head(dimension: int, weights: Any, centered: bool) -> Any:
    return regression_head(
        weight_column_name=weights, label_dimension=dimension, enable_centered_bias=centered
    )
