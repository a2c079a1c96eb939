"""Estimators made of others: with further metrics, or features among their predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from dataflow.estimation.estimator import Estimator
from dataflow.estimation.export_outputs import DEFAULT_KEY, PredictOutput
from dataflow.estimation.functions import argument_names
from dataflow.estimation.heads.base import PREDICT
from dataflow.estimation.model_spec import ModeKeys
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.sparse.dense import sparse_tensor_to_dense

_GIVEN: Final = frozenset(["features", "labels", "predictions", "config"])


def add_metrics(estimator: Any, metric_fn: Callable[..., dict[str, Any]]) -> Estimator:
    """An estimator with further metrics.

    Args:
      estimator: The one it is made of.
      metric_fn: Takes what it wants of `features`, `labels`, `predictions` and `config`, and gives
        metrics by name.

    Raises:
      ValueError: The function takes something else.
    """
    names = argument_names(metric_fn)
    strange = [name for name in names if name not in _GIVEN]
    if strange:
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {strange}")

    def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        known = {
            "features": features,
            "labels": labels,
            "predictions": spec.predictions,
            "config": config,
        }
        added = metric_fn(**{name: known[name] for name in names})
        return spec._replace(eval_metric_ops={**(spec.eval_metric_ops or {}), **added})

    return Estimator(
        model_fn,
        estimator.model_dir,
        estimator.config,
        warm_start_from=estimator._warm_start_settings,
    )


def forward_features(
    estimator: Any, keys: Any = None, sparse_default_values: Mapping[str, Any] | None = None
) -> Estimator:
    """An estimator whose predictions have features among them.

    Args:
      estimator: The one it is made of.
      keys: The name of a feature, or a list of names; all if None.
      sparse_default_values: By name what fills sparse features up.

    Raises:
      TypeError: The names are none.
    """
    keys = [keys] if isinstance(keys, str) else keys
    if keys is not None and not isinstance(keys, (list, tuple)):
        raise TypeError(f"keys should be either a string or a list of strings. Given: {type(keys)}")
    for key in keys or ():
        if not isinstance(key, str):
            raise TypeError(
                "All items in the given keys list should be a string. There exist an item with "
                f"type: {type(key)}"
            )
    fillings = sparse_default_values or {}

    def model_fn(features: Any, labels: Any, mode: Any, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if spec.predictions is None:
            return spec
        added = {
            key: _forwarded(key, features, spec.predictions, fillings)
            for key in (features if keys is None else keys)
        }
        for name in (DEFAULT_KEY, PREDICT):
            output = (spec.export_outputs or {}).get(name)
            if isinstance(output, PredictOutput):
                output.outputs.update(added)
        return spec._replace(predictions={**spec.predictions, **added})

    return Estimator(model_fn, estimator.model_dir, estimator.config)


def _forwarded(key: str, features: Any, predictions: Any, fillings: Mapping[str, Any]) -> Any:
    if not isinstance(predictions, dict):
        raise ValueError(
            "Predictions should be a dict to be able to forward features. Given: "
            f"{type(predictions)}"
        )
    if key not in features:
        raise ValueError(
            f'keys should be exist in features. Key "{key}" is not in features dict. features dict '
            f"has following keys: {features.keys()}. Please check arguments of forward_features."
        )
    if key in predictions:
        raise ValueError(
            f"Cannot forward feature key ({key}). Since it does exist in predictions. Existing "
            f"prediction keys: {predictions.keys()}. Please check arguments of forward_features."
        )
    feature = features[key]
    if isinstance(feature, SparseTensor):
        if key not in fillings:
            raise ValueError(
                f"Feature ({key}) should be a Tensor. Please use `keys` argument of "
                "forward_features to filter unwanted features, oradd key to argument "
                f"`sparse_default_values`.Type of features[{key}] is {type(feature)}."
            )
        return sparse_tensor_to_dense(feature, default_value=fillings[key])
    if key in fillings:
        raise ValueError(f"Feature ({key}) is expected to be a `SparseTensor`.")
    return convert_to_tensor(feature)
