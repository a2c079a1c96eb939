"""What a model function gives, of what its replicas give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.estimation.export_outputs import (
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.grouping import group
from dataflow.ops.reductions.sum import add_n
from dataflow.ops.state.reference import assign, assign_add


def training_spec(specs: Sequence[EstimatorSpec], home: str) -> EstimatorSpec:
    """The sum of the losses, and the step that the last replica makes for all."""
    return specs[-1]._replace(mode=ModeKeys.TRAIN, loss=_sum_of_losses(specs, home))


def _sum_of_losses(specs: Sequence[EstimatorSpec], home: str) -> Any:
    with scopes.device(home):
        return add_n([spec.loss for spec in specs], name="loss")


def evaluation_spec(specs: Sequence[EstimatorSpec], home: str) -> EstimatorSpec:
    """The sum of the losses, and the first one's metrics with what the others have counted."""
    loss = _sum_of_losses(specs, home)
    updates = [update for spec in specs for _, update in spec.eval_metric_ops.values()]
    with scopes.control_dependencies(updates):
        joined = _join_metric_variables(len(specs))
    metrics = {name: (value, joined) for name, (value, _) in specs[0].eval_metric_ops.items()}
    return specs[0]._replace(mode=ModeKeys.EVAL, loss=loss, eval_metric_ops=metrics)


def _join_metric_variables(count: int) -> Any:
    """Adds the variables of all replicas to the first one's, and empties them.

    Raises:
      ValueError: Replicas have unlike metrics.
    """
    variables = scopes.get_collection(GraphKeys.METRIC_VARIABLES)
    each = len(variables) // count
    if len(variables) % count:
        raise ValueError(
            "Different `EstimatorSpec.eval_metric_ops` across `model_fn()` calls. Expected "
            f"{each * count} local variables, but got {len(variables)} instead."
        )
    emptied = []
    for index in range(each):
        others = variables[index + each :: each]
        added = assign_add(variables[index], add_n(others))
        with scopes.control_dependencies([added]):
            emptied += [
                assign(other, zeros(array_shape.shape(other), dtype=other.dtype.base_dtype))
                for other in others
            ]
    return group(*emptied)


def prediction_spec(specs: Sequence[EstimatorSpec], home: str) -> EstimatorSpec:
    """The predictions and exports of all replicas, one behind the other."""
    with scopes.device(home):
        exports = {
            name: _joined_output([spec.export_outputs[name] for spec in specs])
            for name in specs[0].export_outputs or {}
        }
        return specs[0]._replace(
            mode=ModeKeys.PREDICT,
            predictions=_joined([spec.predictions for spec in specs]),
            export_outputs=exports,
        )


def _joined(dictionaries: Sequence[Any]) -> Any:
    if not isinstance(dictionaries[0], dict):
        return array_concat.concat(list(dictionaries), axis=0)
    return {
        name: array_concat.concat([each[name] for each in dictionaries], axis=0, name=name)
        for name in dictionaries[0]
    }


def _joined_output(outputs: Sequence[Any]) -> Any:
    first = outputs[0]
    if isinstance(first, PredictOutput):
        return PredictOutput(outputs=_joined([each.outputs for each in outputs]))
    if isinstance(first, RegressionOutput):
        return RegressionOutput(value=_rows(each.value for each in outputs))
    scores = None if first.scores is None else _rows(each.scores for each in outputs)
    classes = None if first.classes is None else _rows(each.classes for each in outputs)
    return ClassificationOutput(scores=scores, classes=classes)


def _rows(parts: Iterable[Any]) -> Any:
    return array_concat.concat(list(parts), axis=0)
