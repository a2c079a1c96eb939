"""Ops that draw from a generator whose state is a variable: where its stream is, and its key."""

from __future__ import annotations

from typing import Final

from dataflow.ops.basic.shape_parts import vector
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import no_outputs, with_rank
from dataflow.values.shapes import TensorShape

_RESOURCE: Final = "resource: resource, algorithm: int64"


def _drawn(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    with_rank(c.input(2), 1)
    return c.constant_as_shape(2)


def _drawn_of_old(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 1)
    return c.constant_as_shape(1)


def _between(c: InferenceContext) -> TensorShape:
    with_rank(c.input(3), 0)
    with_rank(c.input(4), 0)
    return _drawn(c)


def _skipped(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 0)
    with_rank(c.input(2), 0)
    return no_outputs(c)


def _read(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    with_rank(c.input(2), 0)
    return vector(3)


for _name, _default, _doc in (
    ("StatefulUniform", "float32", "Numbers spread evenly over [0, 1)"),
    ("StatefulStandardNormalV2", "float32", "Numbers of the normal distribution"),
    ("StatefulTruncatedNormal", "float32", "Standard normal numbers, those beyond 2 drawn again"),
    ("StatefulUniformFullInt", "uint64", "Integers spread evenly over all of a type"),
):
    define_op(
        _name,
        inputs=f"{_RESOURCE}, shape: shape_dtype",
        outputs="output: dtype",
        attrs=[f"dtype: type = {_default}", "shape_dtype: type = int64"],
        shape=_drawn,
        gradient=MISSING_GRADIENT,
        doc=f"{_doc}, of a generator.",
        stateful=True,
    )

define_op(
    "StatefulStandardNormal",
    inputs="resource: resource, shape: shape_dtype",
    outputs="output: dtype",
    attrs=["dtype: type = float32", "shape_dtype: type = int64"],
    shape=_drawn_of_old,
    gradient=MISSING_GRADIENT,
    doc="Numbers of the normal distribution, of a generator that begins with its algorithm.",
    stateful=True,
)

define_op(
    "StatefulUniformInt",
    inputs=f"{_RESOURCE}, shape: shape_dtype, minval: dtype, maxval: dtype",
    outputs="output: dtype",
    attrs=["dtype: type = int64", "shape_dtype: type = int64"],
    shape=_between,
    gradient=MISSING_GRADIENT,
    doc="Integers spread evenly over [minval, maxval), of a generator.",
    stateful=True,
)

define_op(
    "RngSkip",
    inputs=f"{_RESOURCE}, delta: int64",
    attrs=[],
    shape=_skipped,
    gradient=MISSING_GRADIENT,
    doc="Takes a generator on by the blocks of so many numbers.",
    stateful=True,
)

define_op(
    "RngReadAndSkip",
    inputs="resource: resource, alg: int32, delta: uint64",
    outputs="value: int64",
    attrs=[],
    shape=_read,
    gradient=MISSING_GRADIENT,
    doc="Takes a generator on by the blocks of so many numbers; gives where it was.",
    stateful=True,
)
