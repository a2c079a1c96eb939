"""Variables whose rows or columns belong to words: they begin with those of other vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.gather import gather
from dataflow.saving.init_from_checkpoint import begin_with
from dataflow.saving.reading import resolved
from dataflow.values.system_errors import system_errors
from dataflow.variables.base import BaseVariable
from dataflow.variables.initializers import Zeros


class _Fields(NamedTuple):
    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0


class VocabInfo(_Fields):
    """The words that rows or columns of a variable belong to, now and in a checkpoint.

    Args:
      new_vocab: File of the words of the variable, one a line.
      new_vocab_size: How many of them count.
      num_oov_buckets: How many rows or columns follow that belong to no word.
      old_vocab: File of the words of the checkpoint.
      old_vocab_size: How many of them count; all if -1.
      backup_initializer: Gives the values of words that the checkpoint lacks; zeros if None.
      axis: 0 for rows, 1 for columns.

    Raises:
      ValueError: `axis` is another number.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: str,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: str,
        old_vocab_size: int = -1,
        backup_initializer: Any = None,
        axis: int = 0,
    ) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError(
                "The only supported values for the axis argument are 0 and 1.  "
                f"Provided axis: {axis}"
            )
        return super().__new__(
            cls,
            new_vocab,
            new_vocab_size,
            num_oov_buckets,
            old_vocab,
            old_vocab_size,
            backup_initializer,
            axis,
        )


def begin_with_vocabulary(
    parts: Sequence[BaseVariable], info: VocabInfo, checkpoint: Any, stored: str
) -> None:
    """Has a variable, or the parts of one, begin with the values of its words in a checkpoint.

    Args:
      parts: The variable alone, or all parts.
      info: The vocabularies.
      checkpoint: The checkpoint's prefix or folder.
      stored: The name in the checkpoint.

    Raises:
      ValueError: The vocabularies do not fit the variable.
      NotFoundError: There is no file of a vocabulary.
    """
    if not (info.new_vocab and info.new_vocab_size and info.old_vocab):
        raise ValueError(
            "Invalid args: Must provide all of [current_vocab_path, current_vocab_size, "
            "prev_ckpt, prev_vocab_path}."
        )
    old = _old_places(info)
    path = resolved(checkpoint)
    for part in parts:
        sizes = [size for size in part.shape.as_list() if size is not None]
        whole, offsets = sizes, [0] * len(sizes)
        piece = part._get_save_slice_info()
        if piece is not None:
            whole, offsets = list(piece.full_shape or sizes), list(piece.var_offset or offsets)
        if info.axis >= len(whole) or whole[info.axis] != len(old):
            raise ValueError(
                f"Variable {part.name} of shape {whole} has not as many entries along axis "
                f"{info.axis} as its vocabulary has words and out-of-vocabulary buckets: "
                f"{info.new_vocab_size} + {info.num_oov_buckets}"
            )
        begin_with(part, _value(part, info, path, stored, old, sizes, offsets, whole))


def _value(
    part: BaseVariable,
    info: VocabInfo,
    path: str,
    stored: str,
    old: np.ndarray,
    sizes: Sequence[int],
    offsets: Sequence[int],
    whole: Sequence[int],
) -> Tensor:
    dtype, axis = part.dtype.base_dtype, info.axis
    with scopes.device(part.device), scopes.device("/cpu:0"):
        (value,) = apply_op(
            "RestoreV2", path, [stored], [""], dtypes=[dtype], name="checkpoint_initializer"
        )
        for other, (size, offset) in enumerate(zip(sizes, offsets, strict=True)):
            if other != axis and size != whole[other]:
                value = gather(value, np.arange(offset, offset + size), axis=other)
        places = old[offsets[axis] : offsets[axis] + sizes[axis]]
        value = gather(value, np.maximum(places, 0), axis=axis)
        value.set_shape(sizes)
        is_known = places >= 0
        if is_known.all():
            return value
        backup = info.backup_initializer or Zeros()
        shape = [-1 if each == axis else 1 for each in range(len(sizes))]
        chosen: Tensor = apply_op(
            "SelectV2", is_known.reshape(shape), value, backup(list(sizes), dtype=dtype)
        )
    return chosen


def _old_places(info: VocabInfo) -> np.ndarray:
    """For each new word, and each bucket, its place among the old words; -1 where it has none."""
    old = _words(info.old_vocab)
    if info.old_vocab_size > 0:
        old = old[: info.old_vocab_size]
    new = _words(info.new_vocab)
    if len(new) < info.new_vocab_size:
        raise ValueError(
            f"The vocabulary {info.new_vocab} has {len(new)} words, fewer than new_vocab_size="
            f"{info.new_vocab_size}."
        )
    place_of = {word: place for place, word in enumerate(old)}
    places = [place_of.get(word, -1) for word in new[: info.new_vocab_size]]
    return np.array(places + [-1] * info.num_oov_buckets, np.int64)


def _words(path: str) -> list[bytes]:
    with system_errors(), open(path, "rb") as file:
        return [line.rstrip(b"\r\n") for line in file]
