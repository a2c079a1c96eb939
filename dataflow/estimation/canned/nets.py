"""Estimators of fully connected nets on dense columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.estimation.canned.logits import check_features, dnn_logit_fn_builder
from dataflow.estimation.canned.optimizers import KerasTrained, parted, trained_by, trainer
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.heads.classes import class_head
from dataflow.estimation.heads.numbers import RegressionHead
from dataflow.library.losses.weighted import Reduction
from dataflow.ops.nn.activation import relu
from dataflow.variables.scope import variable_scope

_LEARNING_RATE: Final = 0.05


def dnn_model_fn(
    features: Any,
    labels: Any,
    mode: Any,
    head: Any,
    hidden_units: Sequence[int],
    feature_columns: Any,
    optimizer: Any = "Adagrad",
    activation_fn: Callable[[Any], Any] | None = relu,
    dropout: float | None = None,
    input_layer_partitioner: Any = None,
    config: Any = None,
    use_tpu: bool = False,
    batch_norm: bool = False,
) -> Any:
    """The model function of a net, for estimators of one's own.

    Args:
      features: A dictionary of tensors.
      labels: What the head compares with.
      mode: One of ModeKeys.
      head: See `DNNEstimator`.
      hidden_units: See there.
      feature_columns: See there.
      optimizer: See there.
      activation_fn: See there.
      dropout: See there.
      input_layer_partitioner: See there.
      config: See there.
      use_tpu: False.
      batch_norm: See there.

    Raises:
      ValueError: `features` is no dictionary.
      NotImplementedError: `use_tpu` is true.
    """
    if use_tpu:
        raise NotImplementedError("dataflow has no TPUs: call the model function without use_tpu.")
    check_features(features)
    trains = trainer(mode, optimizer, _LEARNING_RATE)
    tensors = tuple(features.values())
    with variable_scope("dnn", values=tensors, partitioner=parted(config, optimizer=optimizer)):
        logits = dnn_logit_fn_builder(
            head.logits_dimension,
            hidden_units,
            feature_columns,
            activation_fn,
            dropout,
            input_layer_partitioner or parted(config, 64 << 20, optimizer),
            batch_norm,
            isinstance(optimizer, KerasTrained),
        )(features, mode)
        return head.create_estimator_spec(
            features=features,
            mode=mode,
            labels=labels,
            optimizer=trains,
            logits=logits,
            **trained_by(optimizer, "dnn"),
        )


class DNNEstimator(Estimator):
    """A net with any head."""

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        """Makes an estimator.

        Args:
          head: What makes loss and predictions of logits.
          hidden_units: How many numbers each hidden layer gives.
          feature_columns: Dense columns.
          model_dir: Folder of checkpoints and summaries.
          optimizer: An optimizer, the name of one, or a function that gives one.
          activation_fn: Of hidden layers.
          dropout: Which share of a hidden layer's numbers training leaves out.
          input_layer_partitioner: Cuts the tables of embeddings into parts.
          config: How to run.
          warm_start_from: A checkpoint, its folder or WarmStartSettings.
          batch_norm: Whether hidden layers are normalized.
        """

        def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
            return dnn_model_fn(
                features,
                labels,
                mode,
                head,
                hidden_units,
                tuple(feature_columns or ()),
                optimizer,
                activation_fn,
                dropout,
                input_layer_partitioner,
                config,
                batch_norm=batch_norm,
            )

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNClassifier(DNNEstimator):
    """A net that tells classes."""

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
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        """Makes an estimator; see `DNNEstimator`.

        Args:
          hidden_units: See there.
          feature_columns: See there.
          model_dir: See there.
          n_classes: How many classes there are.
          weight_column: The feature with the weights of examples.
          label_vocabulary: The names of the classes, if labels are such.
          optimizer: See there.
          activation_fn: See there.
          dropout: See there.
          input_layer_partitioner: See there.
          config: See there.
          warm_start_from: See there.
          loss_reduction: How the losses of a batch become one number.
          batch_norm: See there.
        """
        super().__init__(
            class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            config,
            warm_start_from,
            batch_norm,
        )


class DNNRegressor(DNNEstimator):
    """A net that gives numbers."""

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
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        """Makes an estimator; see `DNNEstimator`.

        Args:
          hidden_units: See there.
          feature_columns: See there.
          model_dir: See there.
          label_dimension: How many numbers an example has.
          weight_column: The feature with the weights of examples.
          optimizer: See there.
          activation_fn: See there.
          dropout: See there.
          input_layer_partitioner: See there.
          config: See there.
          warm_start_from: See there.
          loss_reduction: How the losses of a batch become one number.
          batch_norm: See there.
        """
        super().__init__(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            config,
            warm_start_from,
            batch_norm,
        )
