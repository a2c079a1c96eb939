"""The head of several heads, whose losses are added."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.estimation.export_outputs import DEFAULT_KEY, PredictOutput
from dataflow.estimation.heads.base import PREDICT, Head, LossSpec, trained
from dataflow.estimation.heads.measures import MetricKeys
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.metrics.means import mean
from dataflow.library.summaries.values import scalar
from dataflow.ops.basic.identity import no_op
from dataflow.ops.reductions.sum import add_n


class MultiHead(Head):
    """Predictions are by the name of a head and that of the prediction, labels by a head's name."""

    def __init__(self, heads: Sequence[Any], head_weights: Sequence[float] | None = None) -> None:
        """Takes heads with names, and the weights of their losses.

        Raises:
          ValueError: There are none, one has no name, or there are not as many weights.
        """
        if not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError(
                "heads and head_weights must have the same size. Given len(heads): "
                f"{len(heads)}. Given len(head_weights): {len(head_weights)}."
            )
        for head in heads:
            if not head.name:
                raise ValueError(f"All given heads must have name specified. Given: {head}")
        self._heads = tuple(heads)
        self._weights = tuple(head_weights or ())

    @property
    def name(self) -> str:
        """See `Head`."""
        return "_".join(head.name for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        """See `Head`."""
        return sum(head.logits_dimension for head in self._heads)

    def create_loss(self, features: Any, mode: Any, logits: Any, labels: Any) -> LossSpec:
        """See `Head`."""
        parts = self._split(logits)
        specs = {
            head.name: head.create_loss(features, mode, parts[head.name], labels[head.name])
            for head in self._heads
        }
        return LossSpec(
            self._added([spec.training_loss for spec in specs.values()]),
            {name: spec.unreduced_loss for name, spec in specs.items()},
            {name: spec.weights for name, spec in specs.items()},
            {name: spec.processed_labels for name, spec in specs.items()},
        )

    def create_estimator_spec(
        self,
        features: Any,
        mode: Any,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        regularization_losses: Any = None,
        trainable_variables: Any = None,
        update_ops: Any = None,
    ) -> EstimatorSpec:
        """See `Head`."""
        parts = self._split(logits)
        if labels and not isinstance(labels, dict):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        specs = {
            head.name: head.create_estimator_spec(
                features=features,
                mode=mode,
                logits=parts[head.name],
                labels=labels[head.name] if labels else None,
                train_op_fn=lambda _: no_op(),
            )
            for head in self._heads
        }
        predictions = {
            (name, key): value
            for name, spec in specs.items()
            for key, value in spec.predictions.items()
        }
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions, export_outputs=exports(specs))
        with name_scope("merge_eval" if mode == ModeKeys.EVAL else None, "merge"):
            metrics = {}
            for name, spec in specs.items():
                if mode == ModeKeys.EVAL:
                    key = f"{MetricKeys.LOSS}/{name}"
                    metrics[key] = mean(spec.loss, name=key)
                metrics.update(spec.eval_metric_ops or {})
            loss = self._added([spec.loss for spec in specs.values()])
            loss = add_n([loss, *(regularization_losses or ())])
        if mode == ModeKeys.EVAL:
            return EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
        train_op = trained(loss, optimizer, train_op_fn, trainable_variables)
        with name_scope(""):
            scalar(MetricKeys.LOSS, loss)
        return EstimatorSpec(mode, predictions, loss, train_op, metrics)

    def _added(self, losses: list[Any]) -> Tensor:
        with name_scope("merge_losses", values=losses):
            weights = self._weights or (None,) * len(losses)
            pairs = zip(losses, weights, strict=True)
            return add_n([loss if weight is None else loss * weight for loss, weight in pairs])

    def _split(self, logits: Any) -> dict[str, Any]:
        if isinstance(logits, dict):
            return logits
        with name_scope(None, "split_logits", values=[logits]):
            logits = convert_to_tensor(logits)
            size = logits.shape[-1].value
            if size is not None and size != self.logits_dimension:
                sizes = [head.logits_dimension for head in self._heads]
                raise ValueError(
                    f"Could not split logits of shape {logits.shape.as_list()!r} among the heads "
                    f"with individual logits dimensions: {sizes!r}. The last dimension of the "
                    f"logits tensor should equal {self.logits_dimension} but is {size}."
                )
            found, begin = {}, 0
            for head in self._heads:
                found[head.name] = logits[..., begin : begin + head.logits_dimension]
                begin += head.logits_dimension
            return found


def exports(specs: Mapping[str, EstimatorSpec]) -> dict[str, Any]:
    """The default of the first head; each head's by its name; all predictions of all heads."""
    first = next(iter(specs.values()))
    found: dict[str, Any] = {DEFAULT_KEY: first.export_outputs[DEFAULT_KEY]}
    merged: dict[str, Any] = {}
    for name, spec in specs.items():
        for key, output in spec.export_outputs.items():
            found[name if key == DEFAULT_KEY else f"{name}/{key}"] = output
            if key == PREDICT:
                merged |= {f"{name}/{each}": value for each, value in output.outputs.items()}
    return found | {PREDICT: PredictOutput(merged)}
