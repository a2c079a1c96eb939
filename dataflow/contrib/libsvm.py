"""tf.contrib.libsvm: records of LIBSVM, a label and numbers of features with their values."""

from __future__ import annotations

from typing import Any as _Any

from dataflow.graph.convert import convert_to_tensor as _convert_to_tensor
from dataflow.graph.scopes import control_dependencies as _control_dependencies
from dataflow.graph.scopes import name_scope as _name_scope
from dataflow.graph.sparse_tensor import SparseTensor as _SparseTensor
from dataflow.graph.tensor import Tensor as _Tensor
from dataflow.library.check_values import assert_equal as _assert_equal
from dataflow.library.check_values import assert_less as _assert_less
from dataflow.library.check_values import assert_non_negative as _assert_non_negative
from dataflow.ops.array.concat import concat as _concat
from dataflow.ops.array.concat import stack as _stack
from dataflow.ops.array.index import boolean_mask as _boolean_mask
from dataflow.ops.array.shape import reshape as _reshape
from dataflow.ops.array.shape import shape as _shape
from dataflow.ops.array.shape import size as _size
from dataflow.ops.basic.cast import cast as _cast
from dataflow.ops.math.compare import equal as _equal
from dataflow.ops.math.compare import not_equal as _not_equal
from dataflow.ops.sparse.reshape import sparse_reshape as _sparse_reshape
from dataflow.ops.text.numbers import string_to_number as _string_to_number
from dataflow.ops.text.patterns import regex_full_match as _regex_full_match
from dataflow.ops.text.patterns import regex_replace as _regex_replace
from dataflow.ops.text.splitting import string_split as _string_split
from dataflow.values import dtypes as _dtypes


def decode_libsvm(
    content: _Any, num_features: _Any, dtype: _Any = None, label_dtype: _Any = None
) -> tuple[_SparseTensor, _Tensor]:
    """Features and labels of records as "1 3:0.5 7:2".

    Args:
      content: Strings of any shape.
      num_features: How many features there are.
      dtype: The type of values, float32 if None: float32, float64, int32 or int64.
      label_dtype: The type of labels, int64 if None.

    Returns:
      A sparse tensor with the shape of the strings and behind it `num_features`, and labels with
      the shape of the strings.

    Raises:
      InvalidArgumentError: When run, a record has no label, a part of it is none, or a feature
        has a number that there is not.
    """
    with _name_scope(None, "DecodeLibSVM", [content]):
        content = _convert_to_tensor(content, _dtypes.string)
        records = _reshape(content, [-1])
        count = _size(records, out_type=_dtypes.int64)
        words = _string_split(records, " ")
        rows, places = words.indices[:, 0], words.indices[:, 1]
        labels = _boolean_mask(words.values, _equal(places, 0))
        pairs = _boolean_mask(words.values, _not_equal(places, 0))
        rows = _boolean_mask(rows, _not_equal(places, 0))
        checks = [
            _assert_equal(
                _size(labels, out_type=_dtypes.int64), count, message="No label found for input"
            ),
            _assert_equal(
                _regex_full_match(pairs, "-?[0-9]+:[^:]+"),
                True,
                message="Invalid format of feature, want number:value",
            ),
        ]
        with _control_dependencies(checks):
            numbers = _string_to_number(_regex_replace(pairs, ":.*", ""), _dtypes.int64)
        limit = _cast(num_features, _dtypes.int64)
        checks = [
            _assert_non_negative(numbers, message="Feature index should be >= 0"),
            _assert_less(numbers, limit, message="Feature index should be below num_features"),
        ]
        with _control_dependencies(checks):
            values = _string_to_number(
                _regex_replace(pairs, "^[^:]*:", ""), dtype or _dtypes.float32
            )
            found = _reshape(
                _string_to_number(labels, label_dtype or _dtypes.int64), _shape(content)
            )
        flat = _SparseTensor(_stack([rows, numbers], 1), values, _stack([count, limit]))
        sizes = _concat([_shape(content, out_type=_dtypes.int64), [limit]], 0)
        found.set_shape(content.shape)
        return _sparse_reshape(flat, sizes), found
