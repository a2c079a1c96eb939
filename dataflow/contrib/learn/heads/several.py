"""Heads made of heads, and a head of a loss alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.contrib.learn.heads.base import Head, check_mode
from dataflow.contrib.learn.heads.keys import MetricKey
from dataflow.contrib.learn.model_fn import ModeKeys, ModelFnOps
from dataflow.graph.scopes import name_scope
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.slice import slice as cut
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.math.binary import multiply
from dataflow.ops.reductions.sum import add_n
from dataflow.variables.scope import variable_scope


def no_op_train_fn(loss: Any) -> Any:
    """A training step that trains nothing."""
    return no_op()


class LossOnlyHead(Head):
    """A head without logits: it adds a loss."""

    def __init__(self, loss_fn: Callable[[], Any], head_name: str | None = None) -> None:
        """Takes what gives a loss, or losses in a list."""
        self._loss_fn = loss_fn
        self.head_name = head_name or "loss_only_head"

    @property
    def logits_dimension(self) -> int:
        """0."""
        return 0

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """See `Head.create_model_fn_ops`."""
        check_mode(mode)
        loss = train_op = None
        if mode != ModeKeys.INFER:
            with variable_scope(scope, default_name=self.head_name):
                loss = self._loss_fn()
                loss = add_n(loss) if isinstance(loss, list) else loss
                with name_scope(""):
                    scalar(f"{MetricKey.LOSS}/{self.head_name}", identity(loss))
                if mode == ModeKeys.TRAIN:
                    if train_op_fn is None:
                        raise ValueError("train_op_fn can not be None in TRAIN mode")
                    with name_scope(None, "train_op", (loss,)):
                        train_op = train_op_fn(loss)
        return ModelFnOps(
            mode=mode, predictions={}, loss=loss, train_op=train_op, eval_metric_ops={}
        )


def loss_only_head(loss_fn: Callable[[], Any], head_name: str | None = None) -> LossOnlyHead:
    """A head without logits and predictions, among those of a `multi_head`.

    Args:
      loss_fn: Gives a loss, or losses in a list.
      head_name: Ends the name of its summary.
    """
    return LossOnlyHead(loss_fn, head_name)


class MultiHead(Head):
    """Several heads, whose losses are added."""

    def __init__(self, heads: Sequence[Any], loss_weights: Sequence[float] | None) -> None:
        """Takes the heads.

        Raises:
          ValueError: One has no name.
        """
        if any(not head.head_name for head in heads):
            raise ValueError("Members of MultiHead must have names.")
        self._heads = list(heads)
        self._loss_weights = loss_weights

    @property
    def logits_dimension(self) -> int:
        """The sum of all heads'."""
        return sum(head.logits_dimension for head in self._heads)

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """See `Head.create_model_fn_ops`; logits may be in a dictionary by the heads' names."""
        check_mode(mode)
        each = [
            head.create_model_fn_ops(
                features, mode, labels, no_op_train_fn, part, logits_input, scope
            )
            for head, part in zip(self._heads, self._parts(logits), strict=True)
        ]
        if mode == ModeKeys.TRAIN:
            if train_op_fn is None:
                raise ValueError("train_op_fn can not be None in TRAIN mode.")
            loss = self._merged([ops.loss for ops in each])
            step = group(train_op_fn(loss), *(ops.train_op for ops in each))
            return ModelFnOps(mode, loss=loss, train_op=step, eval_metric_ops=_metrics(each))
        named = list(zip(self._heads, each, strict=True))
        predictions = {
            (head.head_name, key): value
            for head, ops in named
            for key, value in ops.predictions.items()
        }
        if mode == ModeKeys.EVAL:
            loss = self._merged([ops.loss for ops in each])
            return ModelFnOps(mode, predictions, loss, eval_metric_ops=_metrics(each))
        alternatives = {
            head.head_name: ops.output_alternatives[head.head_name]
            for head, ops in named
            if not isinstance(head, LossOnlyHead)
        }
        return ModelFnOps(mode, predictions, output_alternatives=alternatives)

    def _parts(self, logits: Any) -> list[Any]:
        if logits is None:
            return [None] * len(self._heads)
        if isinstance(logits, Mapping):
            return [
                None if isinstance(head, LossOnlyHead) else logits[head.head_name]
                for head in self._heads
            ]
        found, begin = [], 0
        for head in self._heads:
            found.append(cut(logits, [0, begin], [-1, head.logits_dimension]))
            begin += head.logits_dimension
        return found

    def _merged(self, losses: Sequence[Any]) -> Any:
        if not self._loss_weights:
            return add_n(losses)
        pairs = zip(losses, self._loss_weights, strict=True)
        return add_n([multiply(loss, weight) for loss, weight in pairs])


def multi_head(heads: Sequence[Any], loss_weights: Sequence[float] | None = None) -> MultiHead:
    """Several heads on one model.

    Args:
      heads: The heads, each with a name.
      loss_weights: By what their losses are multiplied before they are added.

    Raises:
      ValueError: One has no name, or there are not as many weights as heads.
    """
    if loss_weights and len(loss_weights) != len(heads):
        raise ValueError("heads and loss_weights must have same size")
    return MultiHead(heads, loss_weights)


def _metrics(each: Sequence[ModelFnOps]) -> dict[str, Any]:
    return {key: value for ops in each for key, value in (ops.eval_metric_ops or {}).items()}
