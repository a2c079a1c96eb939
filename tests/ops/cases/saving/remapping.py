"""Rows for matrices of files: of the words of other vocabularies, or as they lie in memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.ops.program import Inputs, Program, Step, fails, run

_MATRIX = np.arange(12, dtype="float32").reshape(4, 3)


def _file(*words: str) -> str:
    path = os.path.join(tempfile.mkdtemp(), "words")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{word}\n" for word in words)
    return path


def _remapped(tf: Any, new: Any, old: Any, start: int, count: int, size: int = -1) -> Any:
    return tf.raw_ops.GenerateVocabRemapping(
        new_vocab_file=new,
        old_vocab_file=old,
        new_vocab_offset=start,
        num_new_vocab=count,
        old_vocab_size=size,
    )


def _words(tf: Any, v: Inputs) -> Iterator[Step]:
    new, old = _file("f0", "f1", "f\t2", "f3", "f4"), _file("f1", "f0", "f4", "f\t2")
    for start, count, size in ((1, 3, -1), (0, 5, -1), (0, 5, 2), (5, 0, -1), (2, 1, 4)):
        yield run(*_remapped(tf, v.fed(np.array(new)), v.fed(np.array(old)), start, count, size))
    wrong = (
        (new, old, 3, 3, -1, "lookup table size must be larger than last new vocab entry's line"),
        (new, old, 0, 3, 9, "Invalid vocab_size in .*: expected 9 but got 4"),
        ("", old, 0, 1, -1, "new vocab filename cannot be empty"),
        (new, "", 0, 1, -1, "new vocab filename cannot be empty"),
        (_file("a", "", "b"), old, 0, 1, -1, "empty line found at position 3"),
        (v.hidden([new], object), old, 0, 1, -1, "new_vocab_file should be a single string"),
        (new, v.hidden([old], object), 0, 1, -1, "old_vocab_file should be a single string"),
    )
    for *given, text in wrong:
        yield fails("InvalidArgumentError", text, *_remapped(tf, *given))
    twice = _remapped(tf, new, _file("a", "b", "a"), 0, 1)
    yield fails("FailedPreconditionError", "different value for same key. Key a has 0", *twice)
    yield fails("NotFoundError", "nowhere", *_remapped(tf, new, "/nowhere", 0, 1))


def _loaded(
    tf: Any,
    path: Any,
    rows: Any,
    columns: Any,
    values: Any,
    *,
    name: str = "m",
    sizes: Sequence[int] = (),
    most: int = -1,
) -> Any:
    num_rows, num_cols = sizes or (len(rows), len(columns) or 3)
    return tf.raw_ops.LoadAndRemapMatrix(
        ckpt_path=path,
        old_tensor_name=name,
        row_remapping=np.array(rows, "int64"),
        col_remapping=np.array(columns, "int64"),
        initializing_values=np.array(values, "float32"),
        num_rows=num_rows,
        num_cols=num_cols,
        max_rows_in_memory=most,
    )


def _matrices(tf: Any, v: Inputs) -> Iterator[Step]:
    path = os.path.join(tempfile.mkdtemp(), "model")
    yield run(
        tf.raw_ops.SaveV2(
            prefix=path,
            tensor_names=["m", "parts", "parts", "vector", "whole"],
            shape_and_slices=["", "4 3 0,1:-", "4 3 1,3:-", "", ""],
            tensors=[_MATRIX, _MATRIX[:1], _MATRIX[1:], _MATRIX[0], _MATRIX.astype("int32")],
        )
    )
    for name in ("m", "parts"):
        for rows, columns, values in (
            ([3, 0, 2], [], []),
            ([3, -1, 2, -1], [], [1, 2, 3, 4, 5, 6]),
            ([1, -1, 3], [2, -1, 0, -1], [*range(20, 28)]),
            ([-1, -1], [1], [8, 9]),
            ([], [1, 0], []),
        ):
            for most in (-1, 2):
                yield run(_loaded(tf, path, rows, columns, values, name=name, most=most))
    wrong: Sequence[tuple[Any, ...]] = (
        ([1, 1], [], [], {}, "UnimplementedError", "Old ID 1 is mapped to both new ID 0 and 1"),
        ([1, 2], [0, 0], [], {}, "UnimplementedError", "Old ID 0 is mapped to both"),
        ([1], [0], [], {"sizes": (1, 2)}, "", "Provided col_remapping, but its size is 1 instead"),
        ([1], [], [], {"sizes": (1, 2)}, "", "2nd dimension is 3 instead of .* num_cols=2"),
        ([1], [], [], {"name": "vector"}, "", "invalid rank 1 instead of expected shape"),
        ([1], [], [], {"name": "whole"}, "", "has invalid type int32 instead of expected type"),
        ([1, -1], [], [1], {}, "", "contained 1 elements, but more missing values remain"),
        ([1], [], [1, 2], {}, "", "contained 2 elements, but only 0 elements were used"),
        ([1], [], [], {"name": "n"}, "NotFoundError", "Key n not found in checkpoint"),
    )
    for rows, columns, values, more, error, text in wrong:
        made = _loaded(tf, path, rows, columns, values, **more)
        yield fails(error or "InvalidArgumentError", text, made)
    hidden = v.hidden([1], np.int64)
    short = tf.raw_ops.LoadAndRemapMatrix(
        ckpt_path=path,
        old_tensor_name="m",
        row_remapping=hidden,
        col_remapping=np.zeros(0, "int64"),
        initializing_values=np.zeros(0, "float32"),
        num_rows=2,
        num_cols=3,
    )
    yield fails("InvalidArgumentError", "Size of row_remapping is 1 instead of being", short)


def _regions(tf: Any, v: Inputs) -> Iterator[Step]:
    held = v.array(np.arange(12).reshape(2, 3, 2) % 5)
    path = os.path.join(tempfile.mkdtemp(), "region")
    held.tofile(path)

    def constant(shape: Sequence[int], where: str = path, dtype: Any = held.dtype) -> Any:
        return tf.raw_ops.ImmutableConst(dtype=dtype, shape=shape, memory_region_name=where)

    yield run(constant([2, 3, 2]), constant([11]), constant([0, 4]))
    yield fails("InternalError", "wrong length .* when allocating", constant([13]))
    yield fails("NotFoundError", "nowhere", constant([12], "/nowhere"))
    yield fails("UnimplementedError", "Sorry, DT_STRING is not", constant([1], dtype="string"))


PROGRAMS = [
    Program("GenerateVocabRemapping", _words, dtypes=("float32",)),
    Program("LoadAndRemapMatrix", _matrices, dtypes=("float32",)),
    Program("ImmutableConst", _regions, dtypes=("float32", "int64", "half", "bool")),
]
