"""Rows for checkpoints and names of files: each library writes files and reads them again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as oracle

from tests.ops.program import Inputs, Program, Step, fails, run


def _prefix() -> str:
    return os.path.join(tempfile.mkdtemp(), "model")


def _restored(tf: Any, prefix: Any, names: Any, specs: Any, types: Any) -> Any:
    return tf.raw_ops.RestoreV2(
        prefix=prefix, tensor_names=names, shape_and_slices=specs, dtypes=types
    )


def _saved(tf: Any, v: Inputs) -> Iterator[Step]:
    prefix, x = _prefix(), v.array(np.arange(24).reshape(4, 6) % 5)
    yield run(
        tf.raw_ops.SaveV2(
            prefix=prefix,
            tensor_names=["x", "a/b", "part", "part"],
            shape_and_slices=["", "", "4 6 0,3:-", "4 6 3,1:0,6"],
            tensors=[v.fed(x), v.fed(np.array([b"one", b""], object)), v.fed(x[:3]), v.fed(x[3:])],
        )
    )
    names, specs = ["part", "x", "a/b", "part"], ["", "4 6 1,2:0,6", "", "4 6 2,2:4,2"]
    yield run(*_restored(tf, prefix, names, specs, [x.dtype, x.dtype, "string", x.dtype]))
    wrong = (
        (["z"], [""], x.dtype, "NotFoundError", "z"),
        (["x"], [""], "complex64", "InvalidArgumentError", "expected dtype complex64 does not eq"),
        (["x"], ["4 7 -:-"], x.dtype, "InvalidArgumentError", "does not match the shape stored"),
    )
    for names, specs, dtype, error, text in wrong:
        yield fails(error, text, *_restored(tf, prefix, names, specs, [dtype]))
    nowhere = _restored(tf, prefix + "x", ["x"], [""], [x.dtype])
    yield fails("NotFoundError", "Failed to find any matching files for", *nowhere)


def _legacy(tf: Any, v: Inputs) -> Iterator[Step]:
    path, x = _prefix(), v.array(np.arange(24).reshape(4, 6) % 5)
    whole = v.fed(x), v.fed(np.array([b"one", b""], object))
    yield run(tf.raw_ops.Save(filename=path, tensor_names=["x", "a/b"], data=whole))
    parts = {"data": [v.fed(x[:3]), v.fed(x[3:]), v.fed(x[0, 0])]}
    specs = ["4 6 0,3:-", "4 6 3,1:0,6", ""]
    names = ["part", "part", "one"]
    other = path + "_slices"
    save = tf.raw_ops.SaveSlices(
        filename=other, tensor_names=names, shapes_and_slices=specs, **parts
    )
    yield run(save)
    for where, name, dtype in (
        (path, "x", x.dtype),
        (path, "a/b", "string"),
        (other, "part", x.dtype),
        (other, "one", x.dtype),
    ):
        yield run(tf.raw_ops.Restore(file_pattern=where, tensor_name=name, dt=dtype))
    some = v.hidden(["4 6 0,2:-"], object)
    wrong = tf.raw_ops.SaveSlices(
        filename=other, tensor_names=["x"], shapes_and_slices=some, data=[v.fed(x)]
    )
    yield fails("InvalidArgumentError", "does not match the shape of the tensor", wrong)
    two = tf.raw_ops.Save(
        filename=v.hidden(["a", "b"], object), tensor_names=["x"], data=[v.fed(x)]
    )
    yield fails("InvalidArgumentError", "must be a string scalar; got a tensor of 2elem", two)


def _sliced(tf: Any, v: Inputs) -> Iterator[Step]:
    # Only TensorFlow writes such files.
    path, x = _prefix(), v.array(np.arange(6))
    with oracle.Graph().as_default(), oracle.compat.v1.Session() as session:
        session.run(oracle.raw_ops.Save(filename=path, tensor_names=["x"], data=[x]))
    yield run(tf.raw_ops.Restore(file_pattern=path, tensor_name="x", dt=x.dtype))
    for spec in ("6 2,3", "6 -"):
        yield run(
            tf.raw_ops.RestoreSlice(
                file_pattern=path, tensor_name="x", shape_and_slice=spec, dt=x.dtype
            )
        )
    absent = tf.raw_ops.Restore(file_pattern=path, tensor_name="z", dt=x.dtype)
    yield fails("NotFoundError", "z", absent)


def _merged(tf: Any, v: Inputs) -> Iterator[Step]:
    prefix, x = _prefix(), v.array(np.arange(12).reshape(4, 3))
    folder = f"{prefix}_temp"
    parts = [f"{folder}/part-0000{i}-of-00002" for i in range(2)]
    for i, part in enumerate(parts):
        yield run(
            tf.raw_ops.SaveV2(
                prefix=part,
                tensor_names=["x", f"y{i}"],
                shape_and_slices=[f"4 3 {2 * i},2:-", ""],
                tensors=[v.fed(x[2 * i : 2 * i + 2]), v.fed(x * i)],
            )
        )
    yield run(tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=prefix))
    yield run(*_restored(tf, prefix, ["x", "y0", "y1"], [""] * 3, [x.dtype] * 3))
    again = tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=parts, destination_prefix=prefix)
    yield fails("InvalidArgumentError", "allow_missing_files was set to false and", again)


def _names(tf: Any, v: Inputs) -> Iterator[Step]:
    base = v.fed(np.array(b"folder/model", object))
    shards = v.fed(12, "int32")
    yield run(
        tf.raw_ops.ShardedFilename(basename=base, shard=v.fed(3, "int32"), num_shards=shards),
        tf.raw_ops.ShardedFilespec(basename=base, num_shards=shards),
    )
    many = v.fed(np.array([b"a", b"", b"s3://x"], object))
    yield run(
        tf.raw_ops.StringJoin(inputs=[base, many, many], separator="/"),
        tf.raw_ops.StringJoin(inputs=[base, base]),
        tf.raw_ops.StaticRegexFullMatch(input=many, pattern="^s3://.*"),
        tf.raw_ops.StaticRegexFullMatch(input=base, pattern="model"),
    )


PROGRAMS = [
    Program(
        "SaveV2 RestoreV2",
        _saved,
        dtypes=("float32", "float64", "int8", "int64", "bool", "bfloat16", "complex128"),
    ),
    Program(
        "Save SaveSlices Restore",
        _legacy,
        dtypes=(
            *("float32", "float64", "half", "int8", "uint8", "int16", "uint16", "int32", "int64"),
            *("bool", "complex64", "complex128"),
        ),
    ),
    Program("Restore RestoreSlice", _sliced, dtypes=("float32",)),
    Program("MergeV2Checkpoints", _merged, dtypes=("int32",)),
    Program(
        "ShardedFilename ShardedFilespec StringJoin StaticRegexFullMatch",
        _names,
        dtypes=("float32",),
    ),
]
