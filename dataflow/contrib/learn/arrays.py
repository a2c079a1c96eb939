"""Estimators as scikit-learn has them, and the columns of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.contrib.layers.feature_column_ops import infer_real_valued_columns
from dataflow.contrib.learn.estimator import Estimator, array_inputs, joined
from dataflow.estimation.input_results import parse_input_fn_result
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph


class SKCompat:
    """An estimator that takes arrays."""

    def __init__(self, estimator: Estimator) -> None:
        """Takes an estimator of tf.contrib.learn."""
        self._estimator = estimator

    def fit(
        self,
        x: Any,
        y: Any,
        batch_size: int = 128,
        steps: int | None = None,
        max_steps: int | None = None,
        monitors: Sequence[Any] | None = None,
    ) -> SKCompat:
        """Trains on shuffled batches; see `Estimator.fit`."""
        inputs = array_inputs(x, y, batch_size, endless=True)
        self._estimator.fit(input_fn=inputs, steps=steps, max_steps=max_steps, monitors=monitors)
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: int = 128,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates; see `Estimator.evaluate`.

        Raises:
          ValueError: The metrics are no dictionary.
        """
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        inputs = array_inputs(x, y, batch_size, endless=False)
        return self._estimator.evaluate(input_fn=inputs, steps=steps, metrics=metrics, name=name)

    def predict(self, x: Any, batch_size: int = 128, outputs: Any = None) -> Any:
        """All predictions as an array, or as arrays by name."""
        inputs = array_inputs(x, None, batch_size, endless=False)
        batches = Estimator.predict(
            self._estimator, input_fn=inputs, outputs=outputs, iterate_batches=True
        )
        return joined(list(batches))


def infer_real_valued_columns_from_input(x: Any) -> list[Any]:
    """A column of numbers for an array, or for each array of a dictionary."""
    with Graph().as_default():
        arrays = x if isinstance(x, dict) else {"": x}
        found = {key: convert_to_tensor(np.asarray(value)) for key, value in arrays.items()}
        return infer_real_valued_columns(found)


def infer_real_valued_columns_from_input_fn(input_fn: Callable[[], Any]) -> list[Any]:
    """A column of numbers for each feature that an input function gives."""
    with Graph().as_default():
        features, _, _ = parse_input_fn_result(input_fn())
        return infer_real_valued_columns(features)
