"""Estimators of a linear model and a net together: "wide and deep"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from dataflow.estimation.canned.logits import (
    check_features,
    dnn_logit_fn_builder,
    linear_logit_fn_builder,
    summarize,
)
from dataflow.estimation.canned.optimizers import KerasTrained, linear_rate, parted, trainer
from dataflow.estimation.estimator import Estimator
from dataflow.estimation.heads.classes import class_head
from dataflow.estimation.heads.numbers import RegressionHead
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.library.losses.weighted import Reduction
from dataflow.ops.basic.grouping import group
from dataflow.ops.nn.activation import relu
from dataflow.training.global_step import get_global_step
from dataflow.training.sync_replicas import SyncReplicasOptimizer
from dataflow.variables.scope import variable_scope

RATE_OF_NET: Final = 0.001
MOST_OF_LINEAR: Final = 0.005


class DNNLinearCombinedEstimator(Estimator):
    """A linear model and a net, whose logits are added, with any head."""

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
        input_layer_partitioner: Any = None,
        config: Any = None,
        linear_sparse_combiner: str = "sum",
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        """Makes an estimator; see `LinearEstimator` and `DNNEstimator`.

        Args:
          head: See there.
          model_dir: See there.
          linear_feature_columns: Columns of the linear model; there is none without them.
          linear_optimizer: Trains the linear model.
          dnn_feature_columns: Columns of the net; there is none without them.
          dnn_optimizer: Trains the net.
          dnn_hidden_units: See there.
          dnn_activation_fn: See there.
          dnn_dropout: See there.
          input_layer_partitioner: Cuts weights and tables of embeddings into parts.
          config: See there.
          linear_sparse_combiner: See there.
          warm_start_from: See there.
          batch_norm: See there.

        Raises:
          ValueError: There are no columns.
        """
        linear_columns = list(linear_feature_columns or [])
        dnn_columns = list(dnn_feature_columns or [])
        if not linear_columns and not dnn_columns:
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be defined."
            )

        def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
            check_features(features)
            tensors = tuple(features.values())
            cuts = input_layer_partitioner or parted(config, 64 << 20, linear_optimizer)
            logits: Any = None
            optimizers: list[tuple[str, Any]] = []
            if dnn_columns:
                optimizers.append(("dnn", _optimizer(mode, dnn_optimizer, RATE_OF_NET)))
                if not dnn_hidden_units:
                    raise ValueError(
                        "dnn_hidden_units must be defined when dnn_feature_columns is specified."
                    )
                parts = parted(config, optimizer=dnn_optimizer)
                with variable_scope("dnn", values=tensors, partitioner=parts):
                    logits = dnn_logit_fn_builder(
                        head.logits_dimension,
                        dnn_hidden_units,
                        dnn_columns,
                        dnn_activation_fn,
                        dnn_dropout,
                        cuts,
                        batch_norm,
                        isinstance(dnn_optimizer, KerasTrained),
                    )(features, mode)
            if linear_columns:
                rate = linear_rate(MOST_OF_LINEAR, len(linear_columns))
                optimizers.append(("linear", _optimizer(mode, linear_optimizer, rate)))
                with variable_scope("linear", values=tensors, partitioner=cuts) as scope:
                    found = linear_logit_fn_builder(
                        head.logits_dimension, linear_columns, linear_sparse_combiner
                    )(features)
                    summarize(found, scope.name)
                logits = found if logits is None else logits + found

            def train_op_fn(loss: Any) -> Any:
                steps = []
                for name, each in optimizers:
                    weights = scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=name)
                    if hasattr(each, "get_updates"):
                        steps += each.get_updates(loss, weights)
                    else:
                        steps.append(each.minimize(loss, var_list=weights))
                if isinstance(linear_optimizer, KerasTrained):
                    return group(*steps)
                with scopes.control_dependencies([group(*steps)]):
                    return group(get_global_step().assign_add(1))

            return head.create_estimator_spec(
                features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
            )

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator):
    """A linear model and a net that tell classes."""

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
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator` and `DNNClassifier`."""
        super().__init__(
            class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            config,
            linear_sparse_combiner,
            warm_start_from,
            batch_norm,
        )


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator):
    """A linear model and a net that give numbers."""

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
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Makes an estimator; see `DNNLinearCombinedEstimator` and `DNNRegressor`."""
        super().__init__(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            input_layer_partitioner,
            config,
            linear_sparse_combiner,
            warm_start_from,
            batch_norm,
        )


def _optimizer(mode: str, given: Any, rate: float) -> Any:
    found = trainer(mode, given, rate)
    if isinstance(found, SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer does not support multi optimizers case. Therefore, it is not "
            "supported in DNNLinearCombined model. If you want to use this optimizer, please use "
            "either DNN or Linear model."
        )
    return found
