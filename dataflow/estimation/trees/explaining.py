"""What trees rest on: gains by features, and what each feature adds to a prediction."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.estimation.trees.model import NAME
from dataflow.estimation.trees.prediction import Trees
from dataflow.graph import scopes
from dataflow.library.boosted_trees import calls
from dataflow.ops.basic.identity import no_op
from dataflow.proto.boosted_trees_pb2 import DebugOutput, Tree, TreeEnsemble

PATHS: Final = "_serialized_debug_outputs_proto"
"""Among predictions, the ways that examples go through the trees."""


def feature_importances(
    ensemble: TreeEnsemble, num_features: int, normalize: bool
) -> np.ndarray[Any, Any]:
    """The sums of the gains of splits by features, by their ids.

    Args:
      ensemble: What was trained.
      num_features: How many features there are.
      normalize: Whether they are to sum up to 1.

    Raises:
      AssertionError: To normalize, one is negative, or all are zero.
      ValueError: A node is of a kind that is not known.
    """
    of_trees = np.array([_gains(tree, num_features) for tree in ensemble.trees])
    weights = np.array(ensemble.tree_weights).reshape(-1, 1)
    found: np.ndarray[Any, Any] = np.sum(of_trees * weights, axis=0)
    if normalize:
        if not np.all(found >= 0):
            raise AssertionError("feature_importances must be non-negative.")
        total = np.sum(found)
        if not total > 0:
            raise AssertionError("Trees are all empty or contain only a root node.")
        found = found / total
    return found


def _gains(tree: Tree, num_features: int) -> np.ndarray[Any, Any]:
    found = np.zeros(num_features)
    for node in tree.nodes:
        kind = node.WhichOneof("node")
        if kind == "bucketized_split":
            found[node.bucketized_split.feature_id] += node.metadata.gain
        elif kind != "leaf":
            raise ValueError(f"Unexpected split type {kind}")
    return found


def sum_by_name(names: Iterable[str], values: Iterable[Any]) -> OrderedDict[str, Any]:
    """The sums of values by name, those farthest from zero first."""
    sums: dict[str, Any] = {}
    for name, value in zip(names, values, strict=False):
        sums[name] = sums.get(name, 0) + value
    return OrderedDict(sorted(sums.items(), key=lambda item: abs(item[1]), reverse=True))


def contributions(
    feature_ids: Sequence[int],
    logits_path: Sequence[float],
    activation: Callable[[Any], Any],
    names: Sequence[str],
) -> tuple[Any, OrderedDict[str, Any]]:
    """What each feature adds on an example's way through the trees.

    Args:
      feature_ids: The features of the splits that it meets.
      logits_path: The logits before the first split, and behind each of them.
      activation: Makes predictions of logits.
      names: By the ids of features the names of their columns.

    Returns:
      The prediction before the first split, and by name what is added.
    """
    predictions = np.array(activation(logits_path))
    ids = np.asarray(feature_ids, np.int64)
    added = np.bincount(ids, weights=np.diff(predictions), minlength=len(names))
    return predictions[0], sum_by_name(names, added)


def as_they_are(logits: Any) -> Any:
    """Predictions of numbers."""
    return logits


def as_probabilities(logits: Any) -> Any:
    """Predictions of two classes."""
    return 1 / (1 + np.exp(-np.array(logits)))


def explained(
    serialized: bytes, names: Sequence[str], of_classes: bool
) -> tuple[Any, OrderedDict[str, Any]]:
    """The `contributions` that an example's way through the trees shows, as PATHS has it."""
    path = DebugOutput.FromString(serialized)
    activation = as_probabilities if of_classes else as_they_are
    return contributions(path.feature_ids, path.logits_path, activation, names)


def explaining_model_fn(
    features: Mapping[str, Any],
    head: Any,
    columns: Sequence[Any],
    quantile_sketch_epsilon: float,
    name: str = NAME,
) -> EstimatorSpec:
    """Builds a model that predicts, and shows by which ways.

    Args:
      features: Tensors by name.
      head: Makes predictions of logits.
      columns: By name.
      quantile_sketch_epsilon: How far ranks of boundaries may be off.
      name: Name of the model.
    """
    with scopes.name_scope(name) as scope:
        trees = Trees(scope, columns, quantile_sketch_epsilon)
        buckets = trees.features(features)
        spec: EstimatorSpec = head.create_estimator_spec(
            features=features,
            mode=ModeKeys.PREDICT,
            labels=None,
            train_op_fn=lambda _: no_op(),
            logits=trees.logits(buckets, head.logits_dimension),
        )
        paths = calls.example_debug_outputs(
            trees.ensemble.resource_handle,
            bucketized_features=buckets,
            logits_dimension=head.logits_dimension,
        )
        return spec._replace(predictions={**spec.predictions, PATHS: paths})
