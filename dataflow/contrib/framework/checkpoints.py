"""Checkpoints read by the names that tf.contrib.framework had for the arguments of tf.train's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dataflow.saving import init_from_checkpoint as _initializers
from dataflow.saving import reading as _reading
from dataflow.saving.remapping import load_and_remap_matrix_initializer
from dataflow.values.dtypes import DType, float32


def load_checkpoint(filepattern: str) -> Any:
    """`tf.train.load_checkpoint`."""
    return _reading.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """`tf.train.load_variable`."""
    return _reading.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir: str) -> list[tuple[str, list[int]]]:
    """`tf.train.list_variables`."""
    return _reading.list_variables(checkpoint_dir)


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Mapping[Any, Any]) -> None:
    """`tf.train.init_from_checkpoint`."""
    _initializers.init_from_checkpoint(checkpoint_dir, assignment_map)


def load_variable_slot_initializer(
    ckpt_path: Any,
    old_tensor_name: Any,
    primary_partition_info: Any,
    new_row_vocab_size: int,
    new_col_vocab_size: int,
    old_row_vocab_file: Any = None,
    new_row_vocab_file: Any = None,
    old_col_vocab_file: Any = None,
    new_col_vocab_file: Any = None,
    num_row_oov_buckets: int = 0,
    num_col_oov_buckets: int = 0,
    initializer: Any = None,
    max_rows_in_memory: int = -1,
) -> Callable[..., Any]:
    """`load_and_remap_matrix_initializer` of a slot, which is cut as its variable was.

    Args:
      ckpt_path: See there, as for what is not named here.
      old_tensor_name: See there.
      primary_partition_info: Which part of the whole the slot's variable is.
      new_row_vocab_size: See there.
      new_col_vocab_size: See there.
      old_row_vocab_file: See there.
      new_row_vocab_file: See there.
      old_col_vocab_file: See there.
      new_col_vocab_file: See there.
      num_row_oov_buckets: See there.
      num_col_oov_buckets: See there.
      initializer: See there.
      max_rows_in_memory: See there.

    Raises:
      TypeError: `initializer` is no function.
    """
    whole = load_and_remap_matrix_initializer(
        ckpt_path,
        old_tensor_name,
        new_row_vocab_size,
        new_col_vocab_size,
        old_row_vocab_file=old_row_vocab_file,
        new_row_vocab_file=new_row_vocab_file,
        old_col_vocab_file=old_col_vocab_file,
        new_col_vocab_file=new_col_vocab_file,
        num_row_oov_buckets=num_row_oov_buckets,
        num_col_oov_buckets=num_col_oov_buckets,
        initializer=initializer,
        max_rows_in_memory=max_rows_in_memory,
    )

    def slot(shape: Any, dtype: DType = float32, partition_info: Any = None) -> Any:
        return whole(shape, dtype, partition_info=primary_partition_info)

    return slot
