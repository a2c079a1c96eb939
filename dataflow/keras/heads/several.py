"""The head of several heads, whose losses are added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.estimation.heads.several as first
from dataflow.estimation.heads.measures import MetricKeys
from dataflow.estimation.model_spec import EstimatorSpec, ModeKeys
from dataflow.graph.scopes import name_scope
from dataflow.keras.heads.base import Head, show, training_op
from dataflow.keras.metrics import Mean
from dataflow.ops.basic.identity import no_op
from dataflow.ops.reductions.sum import add_n


class MultiHead(first.MultiHead, Head):
    """Predictions are by the name of a head and that of the prediction, labels by a head's name."""

    @property
    def loss_reduction(self) -> str:
        """See `Head`.

        Raises:
          ValueError: It is not the same of all heads.
        """
        found = [head.loss_reduction for head in self._heads]
        if len({*found}) > 1:
            raise ValueError(
                f"The loss_reduction must be the same for different heads. Given: {found}"
            )
        return str(found[0])

    def _parts(self, logits: Any, labels: Any = None) -> dict[str, Any]:
        """The logits of each head.

        Raises:
          ValueError: A head has no logits or no labels.
        """
        names = [head.name for head in self._heads]
        if isinstance(logits, dict):
            without = [name for name in names if name not in logits]
            if without:
                raise ValueError(f"logits has missing values for head(s): {without}")
        if labels is not None:
            if not isinstance(labels, dict):
                raise ValueError(f"labels must be a dict. Given: {labels}")
            without = [name for name in names if name not in labels]
            if without:
                raise ValueError(f"labels has missing values for head(s): {without}")
        return self._split(logits)

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: Any = None,
        regularization_losses: Any = None,
    ) -> Any:
        """See `Head`."""
        parts = self._parts(logits, labels)
        losses = [
            head.loss(
                logits=parts[head.name], labels=labels[head.name], features=features, mode=mode
            )
            for head in self._heads
        ]
        loss: Any = self._added(losses)
        return loss if regularization_losses is None else loss + add_n(regularization_losses)

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Any, Any]:
        """See `Head`; all of each head are there, whatever is asked for."""
        parts = self._parts(logits)
        with name_scope(None, "merge_pred"):
            return {
                (head.name, key): value
                for head in self._heads
                for key, value in head.predictions(logits=parts[head.name]).items()
            }

    def metrics(self, regularization_losses: Any = None) -> dict[str, Any]:
        """See `Head`: those of the losses; `update_metrics` adds those of each head."""
        found = {}
        if regularization_losses is not None:
            found[self._penalty_key] = Mean(MetricKeys.LOSS_REGULARIZATION)
        with name_scope(None, "merge_eval"):
            for head in self._heads:
                key = f"{MetricKeys.LOSS}/{head.name}"
                found[key] = Mean(key)
        return found

    @property
    def _penalty_key(self) -> str:
        return f"{MetricKeys.LOSS_REGULARIZATION}/{self.name}"

    def update_metrics(  # type: ignore[override]
        self,
        eval_metrics: Any,
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: Any = None,
    ) -> Any:
        """See `Head`."""
        parts = self._parts(logits, labels)
        if regularization_losses is not None:
            eval_metrics[self._penalty_key].update_state(add_n(regularization_losses))
        for head in self._heads:
            part, true = parts[head.name], labels[head.name]
            loss = head.loss(logits=part, labels=true, features=features)
            eval_metrics[f"{MetricKeys.LOSS}/{head.name}"].update_state(loss)
            updated = head.update_metrics(head.metrics(), features, part, true)
            eval_metrics.update(updated or {})
        return eval_metrics

    def create_estimator_spec(  # type: ignore[override]
        self,
        features: Any,
        mode: Any,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        update_ops: Any = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        """See `Head`.

        Raises:
          ValueError: The mode is unknown, or logits or labels do not fit.
        """
        with name_scope(self.name, "multi_head"):
            parts = self._parts(logits, labels)
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
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions, export_outputs=first.exports(specs))
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.metrics(regularization_losses)
                self.update_metrics(metrics, features, logits, labels, regularization_losses)
                return EstimatorSpec(mode, predictions, loss, eval_metric_ops=metrics)
            if mode != ModeKeys.TRAIN:
                raise ValueError(f"mode={mode} unrecognized")
            train_op = training_op(loss, optimizer, train_op_fn, trainable_variables, update_ops)
        show(loss, regularization_losses)
        return EstimatorSpec(mode, predictions, loss, train_op)
