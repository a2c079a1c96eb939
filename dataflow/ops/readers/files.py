"""Files read, written and found as a whole."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import with_rank
from dataflow.values.shapes import TensorShape


def _read(c: InferenceContext) -> TensorShape:
    return with_rank(c.input(0), 0)


def _written(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 0)
    with_rank(c.input(1), 0)
    return []


def _matching(c: InferenceContext) -> TensorShape:
    rank = c.input(0).rank
    if rank is not None and rank > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {rank}")
    return TensorShape.of((None,))


define_op(
    "ReadFile",
    inputs="filename: string",
    outputs="contents: string",
    shape=_read,
    gradient=NOT_DIFFERENTIABLE,
    doc="The contents of a file.",
)

define_op(
    "WriteFile",
    inputs="filename: string, contents: string",
    shape=_written,
    gradient=NOT_DIFFERENTIABLE,
    doc="Writes a file, and makes the folders that it is to be in.",
    stateful=True,
)

define_op(
    "MatchingFiles",
    inputs="pattern: string",
    outputs="filenames: string",
    shape=_matching,
    gradient=NOT_DIFFERENTIABLE,
    doc="Names of files that fit one of the patterns, sorted.",
)


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """The contents of a file, a string scalar.

    Args:
      filename: Its name, a string scalar.
      name: Name of the operation.

    Raises:
      NotFoundError: When run, there is no such file.
    """
    return single("ReadFile", filename, name=name)


def write_file(filename: Any, contents: Any, name: str | None = None) -> Operation:
    """An operation that writes a file, in place of what was in it.

    Args:
      filename: Its name, a string scalar; folders that are not there are made.
      contents: What to write, a string scalar.
      name: Name of the operation.

    Raises:
      FailedPreconditionError: When run, it is a folder; PermissionDeniedError: it may not be.
    """
    made: Operation = apply_op("WriteFile", filename, contents, name=name)
    return made


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of files that fit patterns, a sorted string vector.

    Args:
      pattern: A pattern of the shell, or a vector of them: `*`, `?`, `[a-z]`; a `*` for folders
        stands for one level.
      name: Name of the operation.
    """
    return single("MatchingFiles", pattern, name=name)
