"""Attention: values, each as much as its key fits a query."""

from __future__ import annotations

from typing import Any

from dataflow.keras import ops
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.engine.base_layer import Layer
from dataflow.values.shapes import TensorShape, as_shape


class _Attention(Layer):
    """Inputs are queries (batch, Tq, size), values (batch, Tv, size) and keys, or the values."""

    supports_masking = True
    causal: bool
    use_scale: bool

    def _scores(self, query: Any, key: Any) -> Any:
        raise NotImplementedError

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The sums of values: (batch, Tq, size)."""
        if not isinstance(inputs, list) or not 2 <= len(inputs) <= 3:
            raise ValueError(
                f"{type(self).__name__} layer must be called on a list of inputs, namely "
                "[query, value] or [query, value, key]."
            )
        query, value = inputs[:2]
        key = inputs[2] if len(inputs) > 2 else value
        scores = self._scores(query, key)
        hidden = None
        known = mask[1] if mask else None
        if known is not None:
            hidden = ops.expand_dims(ops.logical_not(ops.cast(known, "bool")), -2)
        if self.causal:
            rows, columns = ops.shape(scores)[1], ops.shape(scores)[2]
            later = ops.expand_dims(ops.range(rows), 1) < ops.range(columns)
            later = ops.expand_dims(later, 0)
            hidden = later if hidden is None else ops.logical_or(hidden, later)
        if hidden is not None:
            scores -= 1.0e9 * ops.cast(hidden, scores.dtype)
        result = ops.matmul(ops.softmax(scores), value)
        query_mask = mask[0] if mask else None
        if query_mask is not None:
            result *= ops.cast(ops.expand_dims(query_mask, -1), result.dtype)
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the queries."""
        return ops.convert_to_tensor(mask[0]) if mask and mask[0] is not None else None

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the queries, of the values' size."""
        query, value = (as_shape(each).as_list() for each in input_shape[:2])
        return TensorShape([*query[:-1], value[-1]])

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {**super().get_config(), "causal": self.causal}


class Attention(_Attention):
    """Keys fit a query as their product with it (Luong et al., 2015)."""

    @takes_arguments
    def __init__(self, use_scale: bool = False, **kwargs: Any) -> None:
        self.causal = kwargs.pop("causal", False)
        super().__init__(**kwargs)

    def build(self, input_shape: Any) -> None:
        """Makes `scale`, if it is used."""
        self.scale = self.add_weight("scale", (), initializer="ones") if self.use_scale else None
        self.built = True

    def _scores(self, query: Any, key: Any) -> Any:
        scores = ops.matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale


class AdditiveAttention(_Attention):
    """Keys fit a query by the tanh of the sum of both (Bahdanau et al., 2014)."""

    @takes_arguments
    def __init__(self, use_scale: bool = True, **kwargs: Any) -> None:
        self.causal = kwargs.pop("causal", False)
        super().__init__(**kwargs)

    def build(self, input_shape: Any) -> None:
        """Makes `scale`, if it is used."""
        size = as_shape(input_shape[1]).as_list()[-1]
        self.scale = self.add_weight("scale", (size,), initializer="glorot_uniform") \
            if self.use_scale else None  # fmt: skip
        self.built = True

    def _scores(self, query: Any, key: Any) -> Any:
        summed = ops.tanh(ops.expand_dims(query, -2) + ops.expand_dims(key, -3))
        return ops.reduce_sum(summed if self.scale is None else self.scale * summed, axis=-1)
