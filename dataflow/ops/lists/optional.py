"""Optional values: variants that hold tensors, or nothing."""

from __future__ import annotations

from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import scalar
from dataflow.values.shapes import TensorShape


def _from_value_shape(c: InferenceContext) -> TensorShape:
    """What is held decides whether the optional may have a gradient."""
    held = tuple((c.input_dtype(i), c.input(i)) for i in range(c.num_inputs))
    c.set_output_handle(0, held)
    return TensorShape.of(())


def _get_value_shapes(c: InferenceContext) -> list[TensorShape]:
    shapes: tuple[TensorShape, ...] = c.attr("output_shapes")
    if len(shapes) != c.num_outputs:
        raise ValueError(
            "`output_shapes` must be the same length as `output_types` "
            f"({len(shapes)} vs. {c.num_outputs}"
        )
    return list(shapes)


def _from_value_gradient(op: Operation, grad: Tensor) -> list[Tensor]:
    return single(
        "OptionalGetValue",
        grad,
        output_types=[tensor.dtype.base_dtype for tensor in op.inputs],
        output_shapes=[tensor.shape for tensor in op.inputs],
    )  # type: ignore[return-value]


def _get_value_gradient(op: Operation, *grads: Tensor) -> Tensor:
    return single("OptionalFromValue", list(grads))


define_op(
    "OptionalFromValue",
    inputs="components: Toutput_types",
    outputs="optional: variant",
    attrs=["Toutput_types: list(type) >= 1"],
    shape=_from_value_shape,
    gradient=_from_value_gradient,
    doc="An optional that holds the tensors.",
)
define_op(
    "OptionalNone",
    outputs="optional: variant",
    shape=scalar,
    gradient=MISSING_GRADIENT,
    doc="An optional that holds nothing.",
)
define_op(
    "OptionalHasValue",
    inputs="optional: variant",
    outputs="has_value: bool",
    shape=scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="Whether an optional holds tensors.",
)
define_op(
    "OptionalGetValue",
    inputs="optional: variant",
    outputs="components: output_types",
    attrs=["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"],
    shape=_get_value_shapes,
    gradient=_get_value_gradient,
    doc="The tensors an optional holds; an error if it holds nothing.",
)
