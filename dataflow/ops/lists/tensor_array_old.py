"""Tensor arrays of graphs written before handles were resources: strings, and before references."""

from __future__ import annotations

from collections.abc import Callable

import dataflow.ops.lists.tensor_array_gradients as gradients
from dataflow.ops.basic.handle_shapes import HANDLE, with_handle
from dataflow.schema.opdef import (
    MISSING_GRADIENT,
    NOT_DIFFERENTIABLE,
    Gradient,
    InferenceContext,
    define_op,
)
from dataflow.schema.shape_functions import SCALAR, UNKNOWN, no_outputs, unknown, with_rank
from dataflow.values.shapes import TensorShape

_FORMS = (("", "Ref(string)"), ("V2", "string"))
"""Suffix of the op's name, type of the handle."""

Shape = Callable[[InferenceContext], "TensorShape | list[TensorShape]"]


def _array_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(0), 0)
    return HANDLE


def _gradient_array_shape(c: InferenceContext) -> TensorShape:
    with_handle(c)
    with_rank(c.input(1), 0)
    return HANDLE


def _scalar_shape(*ranks: tuple[int, int]) -> Shape:
    """A scalar; input -> rank is checked first."""

    def shape(c: InferenceContext) -> TensorShape:
        with_handle(c)
        for index, rank in ranks:
            with_rank(c.input(index), rank)
        return SCALAR

    return shape


def _value_shape(*ranks: tuple[int, int]) -> Shape:
    """A tensor of unknown shape; input -> rank is checked first."""

    def shape(c: InferenceContext) -> TensorShape:
        with_handle(c)
        for index, rank in ranks:
            with_rank(c.input(index), rank)
        return UNKNOWN

    return shape


def _concat_shape(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    with_rank(c.input(1), 0)
    return [UNKNOWN, TensorShape.of((None,))]


def _close_shape(c: InferenceContext) -> list[TensorShape]:
    with_handle(c)
    return []


_OPS: tuple[tuple[str, str, str, tuple[str, ...], Shape, Gradient, str], ...] = (
    (
        "Write",
        "index: int32, value: T, flow_in: float32",
        "flow_out: float32",
        ("T: type",),
        _scalar_shape((1, 0), (3, 0)),
        gradients.write,
        "Puts an element into an array.",
    ),
    (
        "Read",
        "index: int32, flow_in: float32",
        "value: dtype",
        ("dtype: type",),
        _value_shape((1, 0), (2, 0)),
        gradients.read,
        "An element of an array.",
    ),
    (
        "Gather",
        "indices: int32, flow_in: float32",
        "value: dtype",
        ("dtype: type", "element_shape: shape = unknown"),
        _value_shape((1, 1), (2, 0)),
        gradients.gather,
        "Elements of an array, by index, stacked along a new first dimension.",
    ),
    (
        "Scatter",
        "indices: int32, value: T, flow_in: float32",
        "flow_out: float32",
        ("T: type",),
        _scalar_shape((1, 1), (3, 0)),
        gradients.scatter,
        "Puts the slices along the first dimension into an array, at these indices.",
    ),
    (
        "Concat",
        "flow_in: float32",
        "value: dtype, lengths: int64",
        ("dtype: type", "element_shape_except0: shape = unknown"),
        _concat_shape,
        gradients.concat,
        "All elements of an array joined along their first dimension, and their sizes there.",
    ),
    (
        "Split",
        "value: T, lengths: int64, flow_in: float32",
        "flow_out: float32",
        ("T: type",),
        _scalar_shape((2, 1), (3, 0)),
        gradients.split,
        "Puts parts of a tensor, of these sizes along its first dimension, into an array.",
    ),
    (
        "Size",
        "flow_in: float32",
        "size: int32",
        (),
        _scalar_shape((1, 0)),
        NOT_DIFFERENTIABLE,
        "Number of elements of an array.",
    ),
    (
        "Close",
        "",
        "",
        (),
        _close_shape,
        NOT_DIFFERENTIABLE,
        "Frees an array; it cannot be used any more.",
    ),
)

for _suffix, _handle in _FORMS:
    for _name, _inputs, _outputs, _attrs, _shape, _gradient, _doc in _OPS:
        define_op(
            f"TensorArray{_name}{_suffix}",
            inputs=", ".join(filter(None, (f"handle: {_handle}", _inputs))),
            outputs=_outputs,
            attrs=_attrs,
            shape=_shape if _suffix else (unknown if _outputs else no_outputs),
            gradient=_gradient,
            doc=_doc,
        )

define_op(
    "TensorArray",
    inputs="size: int32",
    outputs="handle: Ref(string)",
    attrs=[
        "dtype: type",
        "dynamic_size: bool = false",
        "clear_after_read: bool = true",
        "tensor_array_name: string = ''",
        "element_shape: shape = unknown",
    ],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="A new array of tensors, behind a reference to its name.",
    stateful=True,
)

define_op(
    "TensorArrayV2",
    inputs="size: int32",
    outputs="handle: string",
    attrs=[
        "dtype: type",
        "element_shape: shape = unknown",
        "dynamic_size: bool = false",
        "clear_after_read: bool = true",
        "tensor_array_name: string = ''",
    ],
    shape=_array_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="A new array of tensors, behind its name.",
    stateful=True,
)

define_op(
    "TensorArrayGrad",
    inputs="handle: string, flow_in: float32",
    outputs="grad_handle: Ref(string)",
    attrs=["source: string"],
    shape=unknown,
    gradient=NOT_DIFFERENTIABLE,
    doc="The array of an array's gradients, one for each `source`; what is written to it adds up.",
    stateful=True,
)

define_op(
    "TensorArrayGradV2",
    inputs="handle: string, flow_in: float32",
    outputs="grad_handle: string",
    attrs=["source: string"],
    shape=_gradient_array_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The array of an array's gradients, one for each `source`; what is written to it adds up.",
    stateful=True,
)

define_op(
    "TensorArrayPack",
    inputs="handle: Ref(string), flow_in: float32",
    outputs="value: dtype",
    attrs=["dtype: type", "element_shape: shape = unknown"],
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="All elements of an array stacked along a new first dimension.",
)

define_op(
    "TensorArrayUnpack",
    inputs="handle: Ref(string), value: T, flow_in: float32",
    outputs="flow_out: float32",
    attrs=["T: type"],
    shape=unknown,
    gradient=MISSING_GRADIENT,
    doc="Makes the slices of a tensor along its first dimension the elements of an array.",
)
