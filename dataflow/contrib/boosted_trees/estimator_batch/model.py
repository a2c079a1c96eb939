"""Model functions of estimators of trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from dataflow.contrib.boosted_trees.ensemble_variable import tree_ensemble_variable
from dataflow.contrib.boosted_trees.estimator_batch.spec_conversion import (
    estimator_spec_to_model_fn_ops,
)
from dataflow.contrib.boosted_trees.estimator_batch.trainer_hooks import StopAfterNTrees
from dataflow.contrib.boosted_trees.gbdt import (
    LEAF_INDEX,
    PREDICTIONS,
    GradientBoostedDecisionTreeModel,
)
from dataflow.contrib.learn.model_fn import ModeKeys
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.ops.state.reference import assign_add
from dataflow.proto.learner_pb2 import LearnerConfig
from dataflow.proto.tree_config_pb2 import DecisionTreeEnsembleConfig
from dataflow.training.global_step import get_global_step

_START_WEIGHT: Final = 0.1
"""Of the tree that an ensemble begins with."""


class ModelBuilderOutputType:
    """What a model function gives."""

    MODEL_FN_OPS = 0
    ESTIMATOR_SPEC = 1


def model_builder(
    features: Any,
    labels: Any,
    mode: str,
    params: Mapping[str, Any],
    config: Any,
    output_type: int = ModelBuilderOutputType.MODEL_FN_OPS,
) -> Any:
    """A model of trees on gradients.

    Args:
      features: Tensors by name, or one.
      labels: What the head takes.
      mode: One of `tf.contrib.learn.ModeKeys`.
      params: `head`, `learner_config`, `feature_columns`, `examples_per_layer`,
        `weight_column_name`, `num_trees`, `center_bias`, `logits_modifier_function`,
        `use_core_libs`, `output_leaf_index`, `num_quantiles`, and `override_global_step_value` if
        the global step is to be another one at the end.
      config: How to run.
      output_type: Whether it gives ModelFnOps or an EstimatorSpec.

    Raises:
      ValueError: There are no features, or no `config`; or the model cannot be so.
    """
    inputs = _checked(features, config)
    handle = _ensemble(_first_trees(params["learner_config"]))
    model = _model(params, config, handle, _without_weights(inputs, params))
    with scopes.name_scope("gbdt", "gbdt_optimizer"):
        predictions = model.predict(mode)
        logits = _modified(predictions[PREDICTIONS], features, mode, params)
    return _headed(inputs, labels, mode, params, output_type, model, predictions, logits)


def ranking_model_builder(
    features: Any,
    labels: Any,
    mode: str,
    params: Mapping[str, Any],
    config: Any,
    output_type: int = ModelBuilderOutputType.MODEL_FN_OPS,
) -> Any:
    """A model that is trained by pairs of examples, and gives scores of single ones.

    The arguments are those of `model_builder`, and among the `params` there are
    `ranking_model_pair_keys`: what names of features begin with, before a dot, in the two examples
    of a pair.

    Raises:
      ValueError: See there; or the keys are missing, or there are no features of the second
        examples.
    """
    inputs = _checked(features, config)
    handle = _ensemble(b"")
    own = _without_weights(inputs, params)
    if mode == ModeKeys.INFER:
        model = _model(params, config, handle, own)
        with scopes.name_scope("gbdt", "gbdt_optimizer"):
            predictions = model.predict(mode)
            logits = _modified(predictions[PREDICTIONS], features, mode, params)
        return _headed(inputs, labels, mode, params, output_type, model, predictions, logits)
    first, second = _pairs(own, params["ranking_model_pair_keys"])
    model = _model(params, config, handle, first)
    with scopes.name_scope("gbdt", "gbdt_optimizer"):
        if not second:
            raise ValueError("Features for ranking must be specified.")
        other = _model({**params, "num_quantiles": 100}, config, handle, second)
        predictions, others = model.predict(mode), other.predict(mode)
        differences = predictions[PREDICTIONS] - others[PREDICTIONS]
        logits = _modified(differences, features, mode, params)
        predictions[PREDICTIONS] = logits
    return _headed(inputs, labels, mode, params, output_type, model, predictions, logits)


def _pairs(features: Mapping[str, Any], keys: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of the first and of the second examples, by the names that both have."""
    if len(keys) != 2:
        raise ValueError("You must provide keys for ranking.")
    if keys[0] is None or keys[1] is None:
        raise ValueError("Both pair keys should be provided for ranking.")
    found: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for name, tensor in features.items():
        places = [place for place in (0, 1) if name.startswith(f"{keys[place]}.")]
        if not places:
            raise ValueError(
                f"The name of feature {name!r} begins with neither '{keys[0]}.' nor '{keys[1]}.'"
            )
        found[places[0]][name[len(keys[places[0]]) + 1 :]] = tensor
    return found


def _checked(features: Any, config: Any) -> dict[str, Any]:
    if features is None:
        raise ValueError("At least one feature must be specified.")
    if config is None:
        raise ValueError("Missing estimator RunConfig.")
    return {features.name: features} if isinstance(features, Tensor) else features


def _without_weights(features: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: tensor for name, tensor in features.items() if name != params["weight_column_name"]
    }


def _first_trees(config: LearnerConfig) -> bytes:
    """What an ensemble begins with, as the bytes of a message."""
    if not config.each_tree_start.nodes:
        return b""
    layers = config.each_tree_start_num_layers
    if layers <= 0:
        raise ValueError("You must provide each_tree_start_num_layers.")
    made = DecisionTreeEnsembleConfig(tree_weights=[_START_WEIGHT])
    made.trees.add().CopyFrom(config.each_tree_start)
    made.tree_metadata.add(num_tree_weight_updates=1, num_layers_grown=layers)
    return made.SerializeToString()


def _ensemble(serialized: bytes) -> Any:
    with scopes.device(get_global_step().device or None):
        return tree_ensemble_variable(
            stamp_token=0, tree_ensemble_config=serialized, name="ensemble_model"
        )


def _model(
    params: Mapping[str, Any], config: Any, handle: Any, features: Mapping[str, Any]
) -> GradientBoostedDecisionTreeModel:
    return GradientBoostedDecisionTreeModel(
        is_chief=config.is_chief,
        num_ps_replicas=config.num_ps_replicas,
        ensemble_handle=handle,
        center_bias=params["center_bias"],
        examples_per_layer=params["examples_per_layer"],
        learner_config=params["learner_config"],
        feature_columns=params["feature_columns"],
        logits_dimension=params["head"].logits_dimension,
        features=features,
        use_core_columns=params["use_core_libs"],
        output_leaf_index=params["output_leaf_index"],
        num_quantiles=params["num_quantiles"],
    )


def _modified(logits: Any, features: Any, mode: str, params: Mapping[str, Any]) -> Any:
    change: Callable[[Any, Any, str], Any] | None = params["logits_modifier_function"]
    return change(logits, features, mode) if change else logits


def _headed(
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    params: Mapping[str, Any],
    output_type: int,
    model: GradientBoostedDecisionTreeModel,
    predictions: dict[str, Any],
    logits: Any,
) -> Any:
    """What the head makes of the logits, with a hook that ends the training."""
    head, num_trees = params["head"], params["num_trees"]
    step = get_global_step()

    def train_op_fn(loss: Any) -> Any:
        update = model.train(loss, predictions, labels)
        with scopes.control_dependencies([update]), scopes.colocate_with(step):
            return assign_add(step, 1).op

    hooks = []
    if num_trees:
        finalized, attempted = model.get_number_of_trees_tensor()
        wanted = num_trees + 1 if params["center_bias"] else num_trees
        hooks.append(
            StopAfterNTrees(wanted, attempted, finalized, params.get("override_global_step_value"))
        )
    is_spec = output_type == ModelBuilderOutputType.ESTIMATOR_SPEC
    makes_specs = callable(getattr(head, "create_estimator_spec", None))
    if is_spec and not makes_specs:
        raise ValueError(
            f"{type(head).__name__} is no head of tf.estimator: it makes no EstimatorSpec"
        )
    given = {
        "features": features,
        "mode": mode,
        "labels": labels,
        "train_op_fn": train_op_fn,
        "logits": logits,
    }
    if is_spec:
        made = head.create_estimator_spec(**given)
        made = made._replace(training_hooks=[*hooks, *made.training_hooks])
    else:
        if params["use_core_libs"] and makes_specs:
            made = estimator_spec_to_model_fn_ops(head.create_estimator_spec(**given))
        else:
            made = head.create_model_fn_ops(**given)
        made.training_hooks.extend(hooks)
    if LEAF_INDEX in predictions:
        made.predictions[LEAF_INDEX] = predictions[LEAF_INDEX]
    return made
