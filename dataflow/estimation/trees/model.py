"""The model function of boosted trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.estimation.trees.columns import sorted_columns
from dataflow.estimation.trees.hooks import GrowerInitializationHook, StopAtAttemptsHook
from dataflow.estimation.trees.options import TreeHParams
from dataflow.estimation.trees.prediction import Trees
from dataflow.estimation.trees.training import Derivatives, Training
from dataflow.graph import scopes
from dataflow.ops.basic.identity import no_op
from dataflow.training.global_step import get_or_create_global_step

NAME: Final = "boosted_trees"
"""The scope of the model, and the ensemble's name in checkpoints."""


def bt_model_fn(
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    head: Any,
    feature_columns: Any,
    tree_hparams: TreeHParams,
    n_batches_per_layer: Any,
    config: Any,
    closed_form_grad_and_hess_fn: Derivatives | None = None,
    example_id_column_name: str | None = None,
    weight_column: Any = None,
    train_in_memory: bool = False,
    name: str = NAME,
) -> EstimatorSpec:
    """Builds a model of trees, and in training what grows them.

    Args:
      features: Tensors by name.
      labels: What the head takes.
      mode: One of ModeKeys.
      head: Makes loss and predictions of logits.
      feature_columns: Columns of numbers, of buckets and of indicators.
      tree_hparams: How trees grow.
      n_batches_per_layer: How many batches make a layer.
      config: How to run.
      closed_form_grad_and_hess_fn: Gives gradients and hessians of logits and labels; they are
        derivatives of the loss if None.
      example_id_column_name: The feature with an id for each example, by which states are kept.
      weight_column: The feature with the weights of examples in quantiles, or its column.
      train_in_memory: Whether each batch is all the data.
      name: Name of the model.

    Raises:
      ValueError: A column is of another kind, an option does not fit, or labels are missing.
    """
    columns = sorted_columns(feature_columns)
    with scopes.name_scope(name) as scope:
        global_step = get_or_create_global_step()
        trees = Trees(scope, columns, tree_hparams.quantile_sketch_epsilon)
        if mode != ModeKeys.TRAIN:
            found: EstimatorSpec = head.create_estimator_spec(
                features=features,
                mode=mode,
                labels=labels,
                train_op_fn=lambda _: no_op(),
                logits=trees.logits(trees.features(features), head.logits_dimension),
            )
            return found
        training = Training(
            trees,
            features,
            labels,
            head,
            tree_hparams,
            config,
            global_step,
            n_batches_per_layer,
            closed_form_grad_and_hess_fn,
            example_id_column_name,
            weight_column,
            train_in_memory,
        )
        spec: EstimatorSpec = head.create_estimator_spec(
            features=features,
            mode=mode,
            labels=labels,
            train_op_fn=training.train_op,
            logits=training.logits,
        )
        stop = StopAtAttemptsHook(
            training.num_finalized_trees,
            training.num_attempted_layers,
            tree_hparams.n_trees,
            tree_hparams.max_depth,
        )
        begin = GrowerInitializationHook(training.grower.chief_init_op())
        return spec._replace(
            training_hooks=(*spec.training_hooks, stop),
            training_chief_hooks=(begin, *spec.training_chief_hooks),
        )
