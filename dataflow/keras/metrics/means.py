"""Metric, and those that are sums or means."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.engine.base_layer import Layer
from dataflow.keras.engine.weighting import fitted_weights, squeeze_or_expand
from dataflow.keras.losses import evaluated
from dataflow.values.variable_policy import VariableAggregation, VariableSynchronization


class Metric(Layer):
    """What is added up over batches: subclasses write `update_state` and `result`.

    Args:
      name: Its name.
      dtype: Element type of its variables; that of floats if None.
      **kwargs: See `Layer`.
    """

    _is_metric = True
    accumulator: Any

    def __init__(self, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype or K.floatx(), **kwargs)
        self.stateful = self.built = True
        self._update = self.update_state
        object.__setattr__(self, "update_state", self._updated)

    def _updated(self, *args: Any, **kwargs: Any) -> Any:
        """Calls `update_state`; what it changes becomes one operation."""
        graph = ops.get_default_graph()
        before = len(graph.get_operations())
        made = self._update(*args, **kwargs)
        if made is None:
            added = graph.get_operations()[before:]
            made = ops.group(*[op for op in added if _writes(op)])
        op = getattr(made, "op", made)
        self.add_update(op)
        return op

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result after an update with these values."""
        op = self.update_state(*args, **kwargs)
        with ops.control_dependencies([op]):
            result = ops.identity(self.result())
        result._metric_obj = self
        self._call_result = result
        return result

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch; returns an operation, or None."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def result(self) -> Any:
        """The value so far."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def reset_states(self) -> None:
        """Begins again: all variables become 0."""
        zeros = [(each, np.zeros(each.shape.as_list())) for each in self.variables]
        K.batch_set_value(zeros)

    def add_weight(  # type: ignore[override]
        self,
        name: Any,
        shape: Any = (),
        aggregation: VariableAggregation = VariableAggregation.SUM,
        synchronization: VariableSynchronization = VariableSynchronization.ON_READ,
        initializer: Any = None,
        dtype: Any = None,
    ) -> Any:
        """A variable of the metric: none that is trained or saved with the model.

        Args:
          name: Its name.
          shape: Its shape.
          aggregation: See `tf.Variable`.
          synchronization: See `tf.Variable`.
          initializer: What gives the initial value, or a name; zeros if None.
          dtype: Element type; the metric's if None.
        """
        return super().add_weight(
            name,
            shape,
            dtype,
            initializer or "zeros",
            trainable=False,
            collections=[],
            synchronization=synchronization,
            aggregation=aggregation,
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {"name": self.name, "dtype": self.dtype}


def _writes(op: Any) -> bool:
    return str(op.type).startswith(("Assign", "ResourceScatter", "Scatter"))


class _Reduce(Metric):
    """A sum of values, or their weighted mean."""

    _counts = True

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.total = self.add_weight("total")
        if self._counts:
            self.count = self.add_weight("count")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds values, each as often as its weight says."""
        values = ops.cast(values, self.dtype)
        number = ops.cast(ops.size(values), self.dtype)
        if sample_weight is not None:
            weights = ops.cast(sample_weight, self.dtype)
            rank, have = values.shape.rank, weights.shape.rank
            if rank is not None and have and rank - have > 1:
                # A weight counts once for all that lies behind its dimensions.
                reduce = ops.reduce_mean if self._counts else ops.reduce_sum
                values = reduce(values, axis=list(range(have, rank)))
            weights = fitted_weights(values, weights) * ops.ones_like(values)
            number = ops.reduce_sum(weights)
            values = values * weights
        made = [ops.assign_add(self.total, ops.reduce_sum(values))]
        if self._counts:
            made.append(ops.assign_add(self.count, number))
        return ops.group(*made)

    def result(self) -> Any:
        """The value so far."""
        if not self._counts:
            return ops.identity(self.total)
        return ops.div_no_nan(ops.identity(self.total), ops.identity(self.count))


class Sum(_Reduce):
    """The sum of values."""

    _counts = False

    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(name, dtype)


class Mean(_Reduce):
    """The weighted mean of values."""

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(name, dtype)


class MeanRelativeError(Mean):
    """The mean of differences over normalizers."""

    def __init__(self, normalizer: Any, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.normalizer = ops.cast(normalizer, self.dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Adds a batch."""
        y_true, y_pred = (ops.cast(each, self.dtype) for each in (y_true, y_pred))
        y_pred, y_true = squeeze_or_expand(y_pred, y_true)
        errors = ops.div_no_nan(ops.abs(y_true - y_pred), self.normalizer)
        return super().update_state(errors, sample_weight)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {**super().get_config(), "normalizer": K.eval(self.normalizer)}


class MeanMetricWrapper(Mean):
    """The mean of a function of what is true and what is predicted."""

    def __init__(self, fn: Any, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name, dtype)
        self._fn, self._fn_kwargs = fn, kwargs

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Adds a batch."""
        y_true, y_pred = (ops.cast(each, self.dtype) for each in (y_true, y_pred))
        y_pred, y_true = squeeze_or_expand(y_pred, y_true)
        return super().update_state(self._fn(y_true, y_pred, **self._fn_kwargs), sample_weight)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {**super().get_config(), **evaluated(self._fn_kwargs)}


class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences."""

    def __init__(self, name: str = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Adds a batch."""
        y_true, y_pred = (ops.cast(each, self.dtype) for each in (y_true, y_pred))
        y_pred, y_true = squeeze_or_expand(y_pred, y_true)
        return super().update_state(ops.squared_difference(y_pred, y_true), sample_weight)

    def result(self) -> Any:
        """The value so far."""
        return ops.sqrt(super().result())


class MeanTensor(Metric):
    """The mean of tensors of one shape, element by element."""

    def __init__(self, name: str = "mean_tensor", dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self._total: Any = None
        self._count: Any = None

    @property
    def total(self) -> Any:
        """The variable of the weighted sum; None before the first tensor."""
        return self._total

    @property
    def count(self) -> Any:
        """The variable of the sum of weights; None before the first tensor."""
        return self._count

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds a tensor.

        Raises:
          ValueError: The first one had another shape.
        """
        values = ops.cast(values, self.dtype)
        if self.total is None:
            self._total = self.add_weight("total", values.shape)
            self._count = self.add_weight("count", values.shape)
        if values.shape != self.total.shape:
            raise ValueError(
                "MeanTensor input values must always have the same shape. Expected shape (set "
                f"during the first call): {tuple(self.total.shape.as_list())}. Got: "
                f"{tuple(values.shape.as_list())}"
            )
        weights = ops.ones_like(values)
        if sample_weight is not None:
            weights = weights * fitted_weights(values, sample_weight)
        return ops.group(
            ops.assign_add(self.total, values * weights), ops.assign_add(self.count, weights)
        )

    def result(self) -> Any:
        """The value so far.

        Raises:
          ValueError: No tensor has been added.
        """
        if self.total is None:
            raise ValueError(
                "MeanTensor does not have any result yet. Please call the MeanTensor instance or "
                "use `.update_state(value)` before retrieving the result."
            )
        return ops.div_no_nan(ops.identity(self.total), ops.identity(self.count))


class MeanIoU(Metric):
    """The mean over classes of intersection over union of what is true and what is predicted."""

    def __init__(self, num_classes: int, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name, dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_weight("total_confusion_matrix", (num_classes, num_classes))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch of numbers of classes."""
        true, found = (ops.reshape(ops.cast(each, "int64"), [-1]) for each in (y_true, y_pred))
        values = ops.ones_like(true, dtype=self.total_cm.dtype.base_dtype)
        if sample_weight is not None:
            values = values * ops.reshape(ops.cast(sample_weight, values.dtype), [-1])
        size = np.array([self.num_classes] * 2, np.int64)
        matrix = ops.scatter_nd(ops.stack([true, found], axis=1), values, size)
        return ops.assign_add(self.total_cm, matrix)

    def result(self) -> Any:
        """The value so far."""
        matrix = ops.identity(self.total_cm)
        right = ops.reduce_sum(matrix * ops.eye(self.num_classes), axis=0)
        union = ops.reduce_sum(matrix, axis=0) + ops.reduce_sum(matrix, axis=1) - right
        there = ops.reduce_sum(ops.cast(ops.not_equal(union, 0), matrix.dtype))
        return ops.div_no_nan(ops.reduce_sum(ops.div_no_nan(right, union)), there)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {**super().get_config(), "num_classes": self.num_classes}
