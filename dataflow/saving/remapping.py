"""Matrices of a checkpoint whose rows and columns belong to words, for other vocabularies."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.range import range as range_of
from dataflow.values import dtypes
from dataflow.variables.initializers import TruncatedNormal, Zeros


def load_and_remap_matrix(
    ckpt_path: Any,
    old_tensor_name: Any,
    new_row_vocab_offset: int,
    num_rows_to_load: int,
    new_col_vocab_size: int,
    initializer: Callable[..., Any],
    old_row_vocab_size: int = -1,
    old_row_vocab_file: Any = None,
    new_row_vocab_file: Any = None,
    old_col_vocab_file: Any = None,
    new_col_vocab_file: Any = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    max_rows_in_memory: int = -1,
) -> Any:
    """A matrix with the rows and columns that words of new vocabularies have in a checkpoint.

    Args:
      ckpt_path: The checkpoint's prefix.
      old_tensor_name: Name of the matrix in it.
      new_row_vocab_offset: The first word of the new rows.
      num_rows_to_load: How many words follow.
      new_col_vocab_size: How many words the new columns have.
      initializer: Gives values of a shape, for words that the checkpoint lacks.
      old_row_vocab_size: How many words of the old rows count; all if -1.
      old_row_vocab_file: The words of the old rows, one a line; None where rows stay.
      new_row_vocab_file: Those of the new rows.
      old_col_vocab_file: Those of the old columns; None where columns stay.
      new_col_vocab_file: Those of the new columns.
      num_row_oov_buckets: How many rows follow that belong to no word.
      num_col_oov_buckets: How many columns follow that belong to no word.
      max_rows_in_memory: How many rows are read at once; all if none is wanted.

    Raises:
      ValueError: A number of buckets is negative, or of two files one is missing, or all are.
    """
    _check(num_row_oov_buckets, "row", old_row_vocab_file, new_row_vocab_file)
    _check(num_col_oov_buckets, "col", old_col_vocab_file, new_col_vocab_file)
    if not (new_row_vocab_file or new_col_vocab_file):
        raise ValueError(
            "Must provide either row or column vocab files. If no remapping is necessary, "
            "consider using `tf.contrib.framework.init_from_checkpoint` instead."
        )
    rows, known_rows, columns, known_columns = None, num_rows_to_load, [], new_col_vocab_size
    if new_row_vocab_file:
        rows, known_rows = apply_op(
            "GenerateVocabRemapping",
            new_row_vocab_file,
            old_row_vocab_file,
            new_vocab_offset=new_row_vocab_offset,
            num_new_vocab=num_rows_to_load,
            old_vocab_size=old_row_vocab_size,
        )
    else:
        end = new_row_vocab_offset + num_rows_to_load
        rows = range_of(new_row_vocab_offset, end, dtype=dtypes.int64)
    if new_col_vocab_file:
        columns, known_columns = apply_op(
            "GenerateVocabRemapping",
            new_col_vocab_file,
            old_col_vocab_file,
            new_vocab_offset=0,
            num_new_vocab=new_col_vocab_size,
        )
    missing = num_rows_to_load * new_col_vocab_size - known_rows * known_columns
    matrix: Tensor = apply_op(
        "LoadAndRemapMatrix",
        ckpt_path,
        old_tensor_name,
        rows,
        columns,
        initializer([missing, 1]),
        num_rows=num_rows_to_load,
        num_cols=new_col_vocab_size,
        max_rows_in_memory=max_rows_in_memory,
    )
    if num_row_oov_buckets:
        matrix = concat([matrix, initializer([num_row_oov_buckets, new_col_vocab_size])], 0)
    if num_col_oov_buckets:
        shape = [num_rows_to_load + num_row_oov_buckets, num_col_oov_buckets]
        matrix = concat([matrix, initializer(shape)], 1)
    return matrix


def load_and_remap_matrix_initializer(
    ckpt_path: Any,
    old_tensor_name: Any,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_size: int = -1,
    old_row_vocab_file: Any = None,
    new_row_vocab_file: Any = None,
    old_col_vocab_file: Any = None,
    new_col_vocab_file: Any = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Any = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """An initializer for a variable, or for parts of one that are cut by rows.

    Args:
      ckpt_path: See `load_and_remap_matrix`, as for the rest.
      old_tensor_name: See above.
      new_row_vocab_size: How many words the rows of the whole variable have.
      new_col_vocab_size: See above.
      old_row_vocab_size: See above.
      old_row_vocab_file: See above.
      new_row_vocab_file: See above.
      old_col_vocab_file: See above.
      new_col_vocab_file: See above.
      num_row_oov_buckets: See above.
      num_col_oov_buckets: See above.
      initializer: Gives values of a shape, for words that the checkpoint lacks; zeros if None.
      max_rows_in_memory: See above.

    Raises:
      TypeError: `initializer` is no function.
    """
    initializer = initializer or Zeros()
    if not callable(initializer):
        raise TypeError(
            f"initializer must be callable, instead of being {initializer} of type "
            f"{type(initializer)}."
        )
    row_count = new_row_vocab_size + num_row_oov_buckets
    column_count = new_col_vocab_size + num_col_oov_buckets

    def initial_value(shape: Any, dtype: Any = dtypes.float32, partition_info: Any = None) -> Any:
        """Rows of the matrix, from the one on at which the part begins.

        Raises:
          TypeError: `dtype` is not float32.
          ValueError: The shape does not fit the vocabularies.
        """
        if dtype != dtypes.float32:
            raise TypeError(f"Currently, only float32 is supported. Received dtype: {dtype}")
        if len(shape) != 2:
            raise ValueError(f"Expected 2-dim shape, but received: {shape}")
        if shape[0] <= 0:
            raise ValueError(f"Expected 1st dim of shape to be > 0, but received shape: {shape}")
        if shape[1] != column_count:
            raise ValueError(
                f"Expected 2nd dim of shape to be new_col_vocab_size ({new_col_vocab_size}) + "
                f"num_col_oov_buckets ({num_col_oov_buckets}) = {column_count}, but received "
                f"shape: {shape}"
            )
        offset = 0 if partition_info is None else partition_info.single_offset(shape)
        if offset + shape[0] > row_count:
            raise ValueError(
                f"Trying to initialize {shape[0]} additional rows after {offset} rows have already "
                "been initialized, which would exceed expected total row count of "
                f"new_row_vocab_size ({new_row_vocab_size}) + num_row_oov_buckets "
                f"({num_row_oov_buckets}) = {row_count}."
            )
        buckets = min(shape[0], max(0, offset + shape[0] - new_row_vocab_size))
        if offset > new_row_vocab_size:
            return initializer(shape)
        return load_and_remap_matrix(
            ckpt_path,
            old_tensor_name,
            offset,
            shape[0] - buckets,
            new_col_vocab_size,
            initializer,
            old_row_vocab_size,
            old_row_vocab_file,
            new_row_vocab_file,
            old_col_vocab_file,
            new_col_vocab_file,
            buckets,
            num_col_oov_buckets,
            max_rows_in_memory,
        )

    return initial_value


def load_embedding_initializer(
    ckpt_path: Any,
    embedding_tensor_name: Any,
    new_vocab_size: int,
    embedding_dim: int,
    old_vocab_file: Any,
    new_vocab_file: Any,
    old_vocab_size: int = -1,
    num_oov_buckets: int = 0,
    initializer: Any = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """An initializer for a table of embeddings, a row for each word.

    Args:
      ckpt_path: The checkpoint's prefix.
      embedding_tensor_name: Name of the table in it.
      new_vocab_size: How many words the table has.
      embedding_dim: How many columns.
      old_vocab_file: The words of the table in the checkpoint, one a line.
      new_vocab_file: The words of the table.
      old_vocab_size: How many of the old words count; all if -1.
      num_oov_buckets: How many rows follow that belong to no word.
      initializer: Gives values of a shape, for words that the checkpoint lacks; if None, normal
        ones of deviation `1 / sqrt(embedding_dim)`, cut at two deviations.
      max_rows_in_memory: How many rows are read at once; all if none is wanted.
    """
    return load_and_remap_matrix_initializer(
        ckpt_path,
        embedding_tensor_name,
        new_vocab_size,
        embedding_dim,
        old_vocab_size,
        old_vocab_file,
        new_vocab_file,
        num_row_oov_buckets=num_oov_buckets,
        initializer=initializer or TruncatedNormal(stddev=1.0 / math.sqrt(embedding_dim)),
        max_rows_in_memory=max_rows_in_memory,
    )


def load_linear_multiclass_bias_initializer(
    ckpt_path: Any,
    bias_tensor_name: Any,
    new_class_vocab_size: int,
    old_class_vocab_file: Any,
    new_class_vocab_file: Any,
    num_class_oov_buckets: int = 0,
    initializer: Any = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """An initializer for biases, a row of one number for each class.

    Args:
      ckpt_path: The checkpoint's prefix.
      bias_tensor_name: Name of the biases in it.
      new_class_vocab_size: How many classes there are.
      old_class_vocab_file: The classes of the checkpoint, one a line.
      new_class_vocab_file: The classes of the variable.
      num_class_oov_buckets: How many rows follow that belong to no class.
      initializer: Gives values of a shape, for classes that the checkpoint lacks; zeros if None.
      max_rows_in_memory: How many rows are read at once; all if none is wanted.
    """
    return load_and_remap_matrix_initializer(
        ckpt_path,
        bias_tensor_name,
        new_class_vocab_size,
        1,
        old_row_vocab_file=old_class_vocab_file,
        new_row_vocab_file=new_class_vocab_file,
        num_row_oov_buckets=num_class_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )


def _check(buckets: int, kind: str, old: Any, new: Any) -> None:
    if buckets < 0:
        raise ValueError(f"num_{kind}_oov_buckets must be >= 0, but received {buckets}")
    if bool(old) != bool(new):
        raise ValueError(
            f"old_{kind}_vocab_file and new_{kind}_vocab_file must both be specified or left "
            f"unspecified. old_{kind}_vocab_file='{old}', new_{kind}_vocab_file='{new}'"
        )
