"""Labels, weights and logits as heads take them: their shapes are looked at first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.assertion import Assert
from dataflow.estimation.functions import argument_names
from dataflow.feature_columns.inputs import Inputs
from dataflow.feature_columns.numbers import NumericColumn, numeric_column
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_rank_at_least
from dataflow.library.check_values import assert_equal, assert_less_equal, assert_non_negative
from dataflow.library.lookup.vocabularies import index_table_from_tensor
from dataflow.library.losses.weighted import Reduction
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import equal
from dataflow.ops.reductions.reduce import reduce_all, reduce_any
from dataflow.values import dtypes


def checked_reduction(reduction: str) -> str:
    """How losses of a batch become one number, by its name of TensorFlow 1.

    Raises:
      ValueError: It is unknown, or "none".
    """
    found = {"sum": Reduction.SUM, "sum_over_batch_size": Reduction.SUM_OVER_BATCH_SIZE}.get(
        reduction, reduction
    )
    if found not in Reduction.all() or found == Reduction.NONE:
        raise ValueError(f"Invalid loss_reduction: {reduction}")
    return found


def checked_thresholds(thresholds: Any) -> tuple[float, ...]:
    """Thresholds as a tuple.

    Raises:
      ValueError: One is not between 0 and 1.
    """
    found = tuple(thresholds or ())
    for threshold in found:
        if not 0.0 < threshold < 1.0:
            raise ValueError(f"thresholds not in (0, 1): {(found,)}.")
    return found


def checked_vocabulary(vocabulary: Any) -> Any:
    """The names of classes, or None.

    Raises:
      ValueError: They are no list or tuple.
    """
    if vocabulary is not None and not isinstance(vocabulary, (list, tuple)):
        raise ValueError(
            f"label_vocabulary should be a list or a tuple. Given type: {type(vocabulary)}"
        )
    return vocabulary


def checked_loss_fn(loss_fn: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """The function that computes losses, or None.

    Raises:
      ValueError: It does not take labels and logits, or takes what there is not.
    """
    if loss_fn is None:
        return None
    names = argument_names(loss_fn)
    for required in ("labels", "logits"):
        if required not in names:
            raise ValueError(f"loss_fn must contain argument: {required}. Given arguments: {names}")
    strange = list({*names} - {"labels", "logits", "features"})
    if strange:
        raise ValueError(f"loss_fn has unexpected args: {strange}")
    return loss_fn


def called_loss_fn(
    loss_fn: Callable[..., Any], labels: Any, logits: Any, features: Any, width: int
) -> Any:
    """The losses of a user's function; the step fails if their last axis has another size."""
    given = {"features": features} if "features" in argument_names(loss_fn) else {}
    with name_scope(None, "call_loss_fn"):
        losses = loss_fn(labels=labels, logits=logits, **given)
        logits_shape: Any = array_shape.shape(logits, name="logits_shape")
        expected = concat([logits_shape[:-1], [width]], 0, name="expected_loss_shape")
        shape = array_shape.shape(losses, name="loss_shape")
        message = f"loss_fn must return Tensor of shape [D0, D1, ... DN, {width}]. "
        check = Assert(
            reduce_all(equal(shape, expected)),
            [message, "logits_shape: ", logits_shape, "loss_shape: ", shape],
            name="check_loss_shape",
        )
        with control_dependencies([check]):
            return identity(losses)


def checked_logits(logits: Any, width: int) -> Any:
    """Logits of shape `[..., width]` as float32.

    Raises:
      ValueError: The last axis has another size.
    """
    message = "logits shape must be [D0, D1, ... DN, logits_dimension]"
    with name_scope(None, "logits", (logits,)) as scope:
        logits = cast(convert_to_tensor(logits), dtypes.float32)
        shape: Any = array_shape.shape(logits)
        with control_dependencies([assert_rank_at_least(logits, 2, [shape], message=message)]):
            if logits.shape.rank is not None and logits.shape[-1].value is not None:
                if logits.shape[-1].value != width:
                    raise ValueError(f"{message}, got {logits.shape}.")
                return identity(logits, name=scope)
            check = assert_equal(width, shape[-1], data=[shape], message=message)
            with control_dependencies([check]):
                return identity(logits, name=scope)


def checked_labels(labels: Any, logits: Tensor, width: int) -> Any:
    """Labels of shape `[..., width]`; for a width of 1 the last axis may be missing.

    Raises:
      ValueError: There are none, they are sparse, or the last axis has another size.
    """
    if labels is None:
        raise ValueError(
            "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check "
            "that your data contain your label feature. Check that your input_fn properly parses "
            "and returns labels."
        )
    if isinstance(labels, SparseTensor):
        raise ValueError(
            "SparseTensor labels are not supported. labels must be a Tensor of shape [D0, D1, ..., "
            f"DN, {width}], e.g. [batch_size, {width}]. Suggested Fix (1): Check the label feature "
            f"in your data. Each example must contain {width} value(s). If not, your choice of "
            "label was probably incorrect. Suggested Fix (2): In your input_fn, use "
            "tf.sparse_tensor_to_dense() to turn labels into a Tensor."
        )
    with name_scope(None, "labels", (labels, logits)) as scope:
        labels = convert_to_tensor(labels)
        if labels.shape.rank is not None and labels.shape.rank + 1 == logits.shape.rank:
            labels = array_shape.expand_dims(labels, -1)
        shape = array_shape.shape(labels)
        message = (
            f"labels shape must be [D0, D1, ... DN, {width}]. Suggested Fix: check your n_classes "
            "argument to the estimator and/or the shape of your label."
        )
        with control_dependencies([assert_rank_at_least(labels, 2, message=message)]):
            if labels.shape.rank is not None and labels.shape[-1].value not in (None, width):
                raise ValueError(
                    f"Mismatched label shape. Expected labels dimension={width}.  Received "
                    f"{labels.shape[-1].value}. Suggested Fix:If your classifier expects one-hot "
                    "encoding label,check your n_classes argument to the estimator and/or the "
                    "shape of your label. Otherwise, check the shape of your label."
                )
            logits_shape: Any = array_shape.shape(logits)
            expected = concat([logits_shape[:-1], [width]], 0)
            data = ["expected_labels_shape: ", expected, "labels_shape: ", shape]
            check = assert_equal(expected, shape, message=message, data=data)
            with control_dependencies([check]):
                return identity(labels, name=scope)


def label_ids(labels: Any, vocabulary: Any) -> Any:
    """The places of labels in the names of classes; the labels themselves without names."""
    if vocabulary is None:
        return labels
    return index_table_from_tensor(tuple(vocabulary), name="class_id_lookup").lookup(labels)


def in_range(labels: Any, count: int, message: str | None = None) -> Any:
    """Labels; the step fails if one is negative or not below a number."""
    with name_scope(None, "assert_range", (labels,)):
        most = cast(count - 1, labels.dtype)
        checks = [
            assert_less_equal(labels, most, message=message or "Labels must <= n_classes - 1"),
            assert_non_negative(labels, message=message or "Labels must >= 0"),
        ]
        with control_dependencies(checks):
            return identity(labels)


def weights_of(features: Any, column: Any, logits: Tensor, of_each_logit: bool = False) -> Any:
    """The weights of examples: 1.0 without a column, else of shape `[..., 1]`.

    Args:
      features: Tensors by name.
      column: The name of a feature, or a numeric column.
      logits: Shape `[..., width]`.
      of_each_logit: Whether weights may have the shape of the logits, too.

    Raises:
      TypeError: The column is another thing.
    """
    if column is None:
        return 1.0
    message = "weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]"
    if of_each_logit:
        message = (
            "weights shape must be [D0, D1, ... DN], [D0, D1, ... DN, 1] or [D0, D1, ... DN, "
            "logits_dimension]"
        )
    with name_scope(None, "weights", (logits,)) as scope:
        if isinstance(column, str):
            column = numeric_column(key=column, shape=(1,))
        if not isinstance(column, NumericColumn):
            raise TypeError(
                "Weight column must be either a string or _NumericColumn. Given type: "
                f"{type(column)}."
            )
        weights = column.dense(Inputs(features), True, None)
        shape = array_shape.shape(weights, name="weights_shape")
        logits_shape: Any = array_shape.shape(logits, name="logits_shape")
        data = ["logits_shape: ", logits_shape, "weights_shape: ", shape]
        rank = weights.shape.rank
        if rank is not None and rank + 1 == logits.shape.rank:
            check: Any = assert_equal(logits_shape[:-1], shape, message=message, data=data)
            with control_dependencies([check]):
                return array_shape.expand_dims(weights, -1, name=scope)
        one_each = concat([logits_shape[:-1], [1]], 0)
        if of_each_logit:
            fits = [reduce_all(equal(each, shape)) for each in (logits_shape, one_each)]
            check = Assert(reduce_any(fits), [message, *data])
        else:
            check = assert_equal(one_each, shape, message=message, data=data)
        with control_dependencies([check]):
            return identity(weights, name=scope)
