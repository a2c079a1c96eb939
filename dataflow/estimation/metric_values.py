"""The metrics of a model: what updates them, and what their values are."""

from __future__ import annotations

from typing import Any, Final

from dataflow.graph.keys import GraphKeys
from dataflow.library.metrics.means import mean
from dataflow.ops.basic.grouping import group
from dataflow.training.evaluation import get_or_create_eval_step
from dataflow.training.global_step import get_global_step
from dataflow.training.monitored.scaffold import Scaffold

LOSS: Final = "loss"
"""The metric that each evaluation has: the mean of the loss."""

_TAKEN: Final = (
    "Metric with name `{}` is not allowed, because Estimator already defines a default metric "
    "with the same name."
)


def evaluation_ops(spec: Any, loss: Any = None) -> tuple[Any, dict[str, Any]]:
    """What updates all metrics of an EstimatorSpec, and their values by name.

    Args:
      spec: The EstimatorSpec.
      loss: The metric of its loss; the mean if None.

    Raises:
      ValueError: One has the name of what each evaluation has.
    """
    metrics = dict(spec.eval_metric_ops)
    for name in (LOSS, GraphKeys.GLOBAL_STEP):
        if name in metrics:
            raise ValueError(_TAKEN.format(name))
    metrics[LOSS] = mean(spec.loss) if loss is None else loss
    values, updates = {}, []
    for name, (value, update) in sorted(metrics.items()):
        values[name] = value
        updates.append(update)
    values[GraphKeys.GLOBAL_STEP] = get_global_step()
    if spec.scaffold.local_init_op is not None:
        # Metrics and the counter of steps are new local variables.
        get_or_create_eval_step()
        spec.scaffold._local_init_op = group(
            spec.scaffold.local_init_op, Scaffold.default_local_init_op()
        )
    return group(*updates), values
