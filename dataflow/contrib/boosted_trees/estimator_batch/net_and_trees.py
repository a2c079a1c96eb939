"""A net, and trees that are grown on what it leaves over."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import dataflow.contrib.layers as layers
from dataflow.contrib.boosted_trees.ensemble_variable import tree_ensemble_variable
from dataflow.contrib.boosted_trees.estimator_batch.distillation_loss import (
    create_dnn_to_tree_cross_entropy_loss_fn,
)
from dataflow.contrib.boosted_trees.estimator_batch.model import ModelBuilderOutputType
from dataflow.contrib.boosted_trees.estimator_batch.trainer_hooks import (
    StopAfterNTrees,
    SwitchTrainOp,
)
from dataflow.contrib.boosted_trees.gbdt import PREDICTIONS, GradientBoostedDecisionTreeModel
from dataflow.contrib.learn.model_fn import ModeKeys
from dataflow.control_flow.cond import cond
from dataflow.feature_columns.models import input_layer
from dataflow.feature_columns.numbers import numeric_column
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.library.sparsity import zero_fraction
from dataflow.library.summaries.values import histogram, scalar
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import no_op, stop_gradient
from dataflow.ops.state.reference import assign_add
from dataflow.training.global_step import get_global_step
from dataflow.values import dtypes
from dataflow.variables.partitioned import min_max_variable_partitioner
from dataflow.variables.scope import variable_scope

_logger = logging.getLogger(__name__)
_RATE: Final = 0.001
_SCOPE: Final = "dnn"
_INPUTS: Final = "dnn_input_layer"


@dataclass(frozen=True)
class Combination:
    """How a net and trees make a model; the arguments of the estimators say what each is."""

    head: Any
    dnn_hidden_units: Any
    dnn_feature_columns: Any
    tree_learner_config: Any
    num_trees: int
    tree_examples_per_layer: Any
    dnn_optimizer: Any
    dnn_activation_fn: Any
    dnn_dropout: float | None
    dnn_input_layer_partitioner: Any
    dnn_input_layer_to_tree: bool
    dnn_steps_to_train: int
    predict_with_tree_only: bool
    tree_feature_columns: Any
    tree_center_bias: bool
    dnn_to_tree_distillation_param: Any
    use_core_versions: bool
    output_type: int = ModelBuilderOutputType.MODEL_FN_OPS
    override_global_step_value: int | None = None

    def model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
        """The model of a batch.

        Raises:
          ValueError: Features are no dictionary, the net has no columns, or an EstimatorSpec is to
            be made of what is not tf.estimator's.
        """
        if not isinstance(features, dict):
            raise ValueError(
                f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
            )
        if not self.dnn_feature_columns:
            raise ValueError("dnn_feature_columns must be specified")
        is_spec = self.output_type == ModelBuilderOutputType.ESTIMATOR_SPEC
        if is_spec and not self.use_core_versions:
            raise ValueError("You must use core versions with Estimator Spec")
        only_trees = self.predict_with_tree_only
        if self.dnn_to_tree_distillation_param and not only_trees:
            _logger.warning(
                "update predict_with_tree_only to True since distillation is specified."
            )
            only_trees = True
        inputs, net_logits, net_step = self._net(features, mode, config, only_trees)
        trees, tree_features = self._trees(features, inputs, config)
        with scopes.name_scope("gbdt"):
            predictions = trees.predict(mode)
        tree_logits = predictions[PREDICTIONS]
        if not only_trees:
            logits = net_logits + tree_logits
        elif mode == ModeKeys.EVAL:
            logits = cond(self._is_net_done(), lambda: tree_logits, lambda: net_logits)
        else:
            logits = tree_logits

        def tree_step(loss: Any) -> Any:
            loss = self._distilled(loss, features, net_logits, tree_logits)
            update = trees.train(loss, predictions, labels)
            step = get_global_step()
            with scopes.control_dependencies([update]), scopes.colocate_with(step):
                return assign_add(step, 1).op

        def headed(given: Any, train_op_fn: Any, of: Any) -> Any:
            make = self.head.create_estimator_spec if is_spec else self.head.create_model_fn_ops
            return make(
                features=given, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=of
            )

        made = headed(features, lambda loss: no_op(), logits)
        if mode != ModeKeys.TRAIN:
            return made
        first = headed(features, net_step, net_logits).train_op
        second = headed(tree_features, tree_step, logits).train_op
        finalized, attempted = trees.get_number_of_trees_tensor()
        hooks = [
            SwitchTrainOp(first, self.dnn_steps_to_train, second),
            StopAfterNTrees(
                self.num_trees + bool(self.tree_center_bias),
                attempted,
                finalized,
                self.override_global_step_value,
            ),
        ]
        if is_spec:
            return made._replace(training_hooks=[*hooks, *made.training_hooks])
        made.training_hooks.extend(hooks)
        return made

    def _is_net_done(self) -> Any:
        return cast(get_global_step(), dtypes.int64) > self.dnn_steps_to_train

    def _net(
        self, features: Mapping[str, Any], mode: str, config: Any, only_trees: bool
    ) -> tuple[Any, Any, Callable[[Any], Any]]:
        """The net's input, its logits, and what trains it."""
        values = tuple(features.values())
        partitioner = self.dnn_input_layer_partitioner or min_max_variable_partitioner(
            max_partitions=config.num_ps_replicas, min_slice_size=64 << 20
        )

        def nothing(loss: Any) -> Any:
            return no_op()

        with variable_scope(_SCOPE, values=values, partitioner=partitioner):
            with variable_scope(
                "input_from_feature_columns", values=values, partitioner=partitioner
            ) as scope:
                inputs = self._input(features, scope)
            if only_trees and mode == ModeKeys.INFER:
                return inputs, constant(0.0), nothing
            if only_trees and mode == ModeKeys.EVAL:
                logits = cond(
                    self._is_net_done(),
                    lambda: constant(0.0),
                    lambda: self._net_logits(inputs, mode),
                    strict=False,
                )
                return inputs, logits, nothing
            return inputs, self._net_logits(inputs, mode), self._net_step

    def _input(self, features: Mapping[str, Any], scope: Any) -> Any:
        if self.use_core_versions:
            return input_layer(
                features=features,
                feature_columns=self.dnn_feature_columns,
                weight_collections=[_SCOPE],
            )
        return layers.input_from_feature_columns(
            columns_to_tensors=features,
            feature_columns=self.dnn_feature_columns,
            weight_collections=[_SCOPE],
            scope=scope,
        )

    def _net_logits(self, inputs: Any, mode: str) -> Any:
        layer = inputs
        for place, units in enumerate(self.dnn_hidden_units):
            with variable_scope(f"hiddenlayer_{place}", values=(layer,)) as scope:
                layer = layers.fully_connected(
                    layer,
                    units,
                    activation_fn=self.dnn_activation_fn,
                    variables_collections=[_SCOPE],
                    scope=scope,
                )
                if self.dnn_dropout is not None and mode == ModeKeys.TRAIN:
                    layer = layers.dropout(layer, keep_prob=1.0 - self.dnn_dropout)
            _summarize(layer, scope.name)
        with variable_scope("logits", values=(layer,)) as scope:
            logits = layers.fully_connected(
                layer,
                self.head.logits_dimension,
                activation_fn=None,
                variables_collections=[_SCOPE],
                scope=scope,
            )
        _summarize(logits, scope.name)
        return logits

    def _net_step(self, loss: Any) -> Any:
        optimizer = self.dnn_optimizer
        return layers.optimize_loss(
            loss=loss,
            global_step=get_global_step(),
            learning_rate=_RATE,
            optimizer=optimizer() if callable(optimizer) else optimizer,
            name=_SCOPE,
            variables=scopes.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=_SCOPE),
            # The head tells the loss.
            summaries=[],
        )

    def _trees(
        self, features: Mapping[str, Any], inputs: Any, config: Any
    ) -> tuple[GradientBoostedDecisionTreeModel, dict[str, Any]]:
        """The trees, and their features."""
        with scopes.device(get_global_step().device or None):
            handle = tree_ensemble_variable(
                stamp_token=0, tree_ensemble_config="", name="ensemble_model"
            )
        tensors, columns = dict(features), list(self.tree_feature_columns or ())
        if self.dnn_input_layer_to_tree:
            tensors[_INPUTS] = inputs
            width = inputs.shape.as_list()[1]
            columns.append(
                numeric_column(_INPUTS, (width,))
                if self.use_core_versions
                else layers.real_valued_column(_INPUTS, dimension=width)
            )
        model = GradientBoostedDecisionTreeModel(
            is_chief=config.is_chief,
            num_ps_replicas=config.num_ps_replicas,
            ensemble_handle=handle,
            center_bias=self.tree_center_bias,
            examples_per_layer=self.tree_examples_per_layer,
            learner_config=self.tree_learner_config,
            feature_columns=columns,
            logits_dimension=self.head.logits_dimension,
            features=tensors,
            use_core_columns=self.use_core_versions,
        )
        return model, tensors

    def _distilled(
        self, loss: Any, features: Mapping[str, Any], net_logits: Any, tree_logits: Any
    ) -> Any:
        """The loss, and how far the trees are from what the net says, if that counts."""
        if not self.dnn_to_tree_distillation_param:
            return loss
        factor, loss_fn = self.dnn_to_tree_distillation_param
        weights = _weights(features, self.head)
        if loss_fn is None:
            logits = self.head.logits_dimension
            loss_fn = create_dnn_to_tree_cross_entropy_loss_fn(2 if logits == 1 else logits)
        added = factor * loss_fn(stop_gradient(net_logits), tree_logits, weights)
        scalar("dnn_to_tree_distillation_loss", added)
        return loss + added


def _weights(features: Mapping[str, Any], head: Any) -> Any:
    """The weights of examples, a column; None if all weigh the same."""
    name = getattr(head, "weight_column_name", None) or getattr(head, "_weight_column", None)
    if name is None:
        return None
    found = cast(features[getattr(name, "key", name)], dtypes.float32)
    return found if found.shape.ndims != 1 else found[:, None]


def _summarize(value: Any, tag: str) -> None:
    scalar(f"{tag}_fraction_of_zero_values", zero_fraction(value))
    histogram(f"{tag}_activation", value)
