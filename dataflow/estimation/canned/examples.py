"""What `tf.io.parse_example` is to take for the columns and labels of a canned estimator."""

from __future__ import annotations

from typing import Any

from dataflow.feature_columns.models import make_parse_example_spec
from dataflow.feature_columns.numbers import NumericColumn, numeric_column
from dataflow.library.public_modules import public_module
from dataflow.values import dtypes


def classifier_parse_example_spec(
    feature_columns: Any,
    label_key: str,
    label_dtype: Any = dtypes.int64,
    label_default: Any = None,
    weight_column: Any = None,
) -> dict[str, Any]:
    """What to take for a classifier.

    Args:
      feature_columns: All columns.
      label_key: The feature with the labels.
      label_dtype: Their type.
      label_default: The label of an example without one.
      weight_column: The feature with the weights of examples, or a numeric column.

    Raises:
      ValueError: Labels or weights are a feature of a column, or the weights are another thing.
    """
    return _spec(feature_columns, label_key, (1,), label_dtype, label_default, weight_column)


def regressor_parse_example_spec(
    feature_columns: Any,
    label_key: str,
    label_dtype: Any = dtypes.float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> dict[str, Any]:
    """What to take for a regressor, whose labels have a dimension; see the one of a classifier."""
    shape = (label_dimension,)
    return _spec(feature_columns, label_key, shape, label_dtype, label_default, weight_column)


def _spec(
    columns: Any, key: str, shape: tuple[int], dtype: Any, default: Any, weights: Any
) -> dict[str, Any]:
    found = make_parse_example_spec(columns)
    if key in found:
        raise ValueError(
            f"label should not be used as feature. label_key: {key}, features: {found.keys()}"
        )
    found[key] = public_module("io").FixedLenFeature(shape, dtype, default)
    if weights is None:
        return found
    if isinstance(weights, str):
        weights = numeric_column(weights)
    if not isinstance(weights, NumericColumn):
        raise ValueError(
            "weight_column should be an instance of tf.feature_column.numeric_column. Given type: "
            f"{type(weights)} value: {weights}"
        )
    if weights.key in found:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {weights.key}, features: "
            f"{found.keys()}"
        )
    return found | weights.parse_example_spec
