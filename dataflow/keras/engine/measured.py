"""Measured: the metrics that a layer adds and holds."""

from __future__ import annotations

from typing import Any

from dataflow.keras.engine import context
from dataflow.library.layers.tracked import once


def is_metric(item: Any) -> bool:
    """Whether it is a metric object."""
    return getattr(item, "_is_metric", False)


class Measured:
    """The part of a layer that has metrics."""

    _is_graph_network = False
    _tells_held_metrics = False
    _self_metrics_added: list[Any]
    _self_sublayers: Any

    def _self_held_metrics(self) -> list[Any]:
        """The metrics among a model's attributes; a layer tells only those that it added."""
        return list(filter(is_metric, vars(self).values())) if self._tells_held_metrics else []

    @property
    def metrics(self) -> list[Any]:
        """Metrics that were added or that a model holds, and those of layers in it."""
        held = self._self_held_metrics()
        inner = [
            m for each in self._self_sublayers() for m in getattr(each, "_self_metrics_inside", ())
        ]
        if self._is_graph_network:
            return once([*held, *inner, *self._self_metrics_added])
        return once([*held, *self._self_metrics_added, *inner])

    @property
    def _self_metrics_inside(self) -> list[Any]:
        """Those that a model around this layer tells, too."""
        return self.metrics

    def add_metric(
        self, value: Any, aggregation: str | None = None, name: str | None = None
    ) -> None:
        """Adds a metric: a tensor, whose mean is told if `aggregation` is "mean".

        Args:
          value: The tensor; or what a metric object gave when it was called.
          aggregation: "mean", or None for the result of a metric object.
          name: Of the metric, if it is none of a metric object.

        Raises:
          ValueError: `aggregation` is something else, there is no name, or there are two metrics
            of it; the tensor is no result of a metric object, or it is and the model is one of
            tensors.
        """
        from dataflow.keras.metrics import Mean

        if aggregation not in (None, "mean"):
            raise ValueError(
                "We currently support only `mean` sample-wise metric aggregation. You provided "
                f"aggregation=`{aggregation}`"
            )
        metric = getattr(value, "_metric_obj", None)
        if metric is not None:
            name = metric.name
        elif name is None:
            raise ValueError(
                "Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs)"
                ", name='mean_activation', aggregation='mean')`"
            )
        if self._is_graph_network and not context.in_call():
            if metric is not None:
                raise ValueError(
                    "Using the result of calling a `Metric` object when calling `add_metric` on a "
                    "Functional Model is not supported. Please pass the Tensor to monitor directly."
                )
            known = None
        else:
            known = self._metric_of(name)
        if aggregation is None and metric is None and known is None:
            raise ValueError(
                "We do not support adding an aggregated metric result tensor that is not the "
                "output of a `tf.keras.metrics.Metric` metric instance. Without having access to "
                "the metric instance we cannot reset the state of a metric after every epoch "
                "during training. You can create a `tf.keras.metrics.Metric` instance and pass "
                "the result here or pass an un-aggregated result with `aggregation` parameter set "
                "as `mean`. For example: `self.add_metric(tf.reduce_sum(inputs), "
                "name='mean_activation', aggregation='mean')`"
            )
        if aggregation is not None:
            metric = known or Mean(name=name)
            metric(value)
        if known is None:
            self._self_metrics_added.append(metric)

    def _metric_of(self, name: str | None) -> Any:
        """The metric of a name that the layer has itself, or None."""
        own = once([*self._self_held_metrics(), *self._self_metrics_added])
        found = [each for each in own if each.name == name]
        if len(found) > 1:
            raise ValueError(
                "Please provide different names for the metrics you have added. We found "
                f'{len(found)} metrics with the name: "{name}"'
            )
        return found[0] if found else None
